"""`verify` and `export` (contract, section 8)."""

import csv
import io
import json
import sqlite3
from decimal import Decimal

import pytest

from support.daemon import candled, sql
from support.model import MINUTE, SECOND

AT = 1_600_000_200_000


@pytest.fixture
def database(tmp_path):
    """Replayed ticks of an hour with empty minutes and late ticks."""
    lines = [f"{AT + n * 7 * SECOND},{100 + n % 13}.{n % 10},{n % 7}.5" for n in range(500) if n // 60 % 3 != 1]
    lines.insert(40, f"{AT + 1},150,1")
    path = tmp_path / "candles.db"
    done = candled("replay", "--db", path, "--symbol", "X", "--timeframes", "M1,M5,M15", "-", stdin="\n".join(lines))
    assert done.code == 0, done
    return path


def test_verify_finds_nothing_wrong_in_what_replay_made(database):
    done = candled("verify", "--db", database)
    assert done.code == 0, done


#: Changes of the stored candles that break a rule, as SQL on the table below the view.
BROKEN = {
    "a_high_below_the_close": "UPDATE candle SET high = low - 1 WHERE rowid_of",
    "a_volume_that_does_not_add_up": "UPDATE candle SET volume = volume + 1 WHERE rowid_of",
    "a_close_that_the_longer_candle_does_not_have": "UPDATE candle SET close = low, open = low WHERE rowid_of",
    "a_short_candle_that_is_gone": "DELETE FROM candle WHERE rowid_of",
    "an_open_time_that_is_no_boundary": "UPDATE candle SET open_time = open_time + 1 WHERE rowid_of",
    "a_version_that_occurs_twice": "UPDATE candle SET version = (SELECT min(version) FROM candle) WHERE rowid_of",
}


@pytest.mark.parametrize("what", BROKEN)
def test_verify_ends_with_1_and_names_what_differs(database, what):
    connection = sqlite3.connect(database)
    series, = connection.execute("SELECT id FROM series WHERE timeframe = 'M1'").fetchone()
    place = f"series = {series} AND open_time = {AT + 4 * MINUTE}"
    assert connection.execute(f"SELECT count(*) FROM candle WHERE {place} AND open <> close").fetchone() == (1,)
    connection.execute(BROKEN[what].replace("rowid_of", place))
    connection.commit()
    connection.close()
    done = candled("verify", "--db", database)
    assert done.code == 1, done
    assert "X" in done.out + done.error or "version" in done.out + done.error


def test_verify_of_a_missing_database_is_74(tmp_path):
    done = candled("verify", "--db", tmp_path / "nowhere.db")
    assert done.code == 74
    assert not (tmp_path / "nowhere.db").exists()


def test_verify_works_beside_a_running_daemon(make_daemon):
    daemon = make_daemon().start()
    assert candled("verify", "--db", daemon.database).code == 0


def export(database, *more, timeframe="M1"):
    done = candled("export", "--db", database, "--symbol", "X", "--timeframe", timeframe, *more)
    assert done.code == 0, done
    return done.out


def test_export_as_csv_has_a_header_and_a_line_a_candle_with_exact_numbers(database):
    rows = list(csv.DictReader(io.StringIO(export(database))))
    assert list(rows[0])[:8] == ["open_time", "open", "high", "low", "close", "volume", "turnover", "ticks"]
    stored = sql(database, "SELECT * FROM candles WHERE timeframe = 'M1' ORDER BY open_time")
    assert [int(row["open_time"]) for row in rows] == [row["open_time"] for row in stored]
    for row, kept in zip(rows, stored):
        for key in ("open", "high", "low", "close", "volume", "turnover"):
            assert float(Decimal(row[key])) == kept[key]


def test_export_as_json_is_a_list_of_candle_objects(database):
    candles = json.loads(export(database, "--format", "json", timeframe="M5"))
    stored = sql(database, "SELECT open_time, version FROM candles WHERE timeframe = 'M5' ORDER BY open_time")
    assert [(c["open_time"], c["version"]) for c in candles] == [tuple(row.values()) for row in stored]
    assert candles[0]["symbol"] == "X" and candles[0]["state"] in ("closed", "corrected")


def test_export_takes_a_range(database):
    rows = list(csv.DictReader(io.StringIO(export(database, "--from", AT + 2 * MINUTE, "--to", AT + 4 * MINUTE))))
    assert [int(row["open_time"]) for row in rows] == [AT + 2 * MINUTE, AT + 3 * MINUTE]


def test_export_of_an_unknown_series_is_65(database):
    done = candled("export", "--db", database, "--symbol", "NOBODY", "--timeframe", "M1")
    assert done.code == 65 and done.error.strip()


def test_export_of_a_missing_database_is_74(tmp_path):
    done = candled("export", "--db", tmp_path / "nowhere.db", "--symbol", "X", "--timeframe", "M1")
    assert done.code == 74
    assert not (tmp_path / "nowhere.db").exists()
