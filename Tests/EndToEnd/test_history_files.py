"""`import` and `backfill` (contract, section 8), and the seam's rules for both."""

import gzip
import json

import pytest

from support import data, model
from support.daemon import candled, sql
from support.history import HistorySource, Market, binance, zxkline
from support.model import MINUTE

START = 1_700_000_100_000 // (15 * MINUTE) * 15 * MINUTE
QUERY = "SELECT timeframe, open_time, open, high, low, close, volume FROM candles ORDER BY timeframe, open_time"
FULL = QUERY.replace("volume", "volume, turnover, ticks")


@pytest.fixture
def market():
    market = Market()
    for number in range(3_000):
        at = START + number * 2_345
        # Half an hour of silence in the middle.
        if not START + 60 * MINUTE <= at < START + 90 * MINUTE:
            market.add((at, f"{100 + number % 37}.{number % 10}", f"0.{number % 9 + 1}", number))
    return market


def replayed(folder, market, *options):
    ticks = folder / "ticks.csv"
    ticks.write_text("".join(f"{','.join(map(str, trade))}\n" for trade in market.all()))
    done = candled("replay", "--db", folder / "replayed.db", "--symbol", "A", *options, ticks)
    assert done.code == 0, done.error
    return folder / "replayed.db"


def rows(market):
    return [candle for _, candle in sorted(market.candles("M1").items())]


def written(folder, market, form):
    path = folder / f"history.{form}"
    candles = rows(market)
    if form == "csv":
        keys = ("open_time", "open", "high", "low", "close", "volume", "turnover", "ticks")
        path.write_text(",".join(keys) + "\n" + "".join(",".join(str(c[k]) for k in keys) + "\n" for c in candles))
    elif form == "zxkline":
        path.write_text(json.dumps([zxkline(c, "M1") for c in candles]))
    elif form == "binance":
        path.write_text(json.dumps([binance(c, "M1") for c in candles]))
    else:
        keys = ("open_time", "open", "high", "low", "close", "volume", "turnover", "ticks")
        path.write_text("".join(
            json.dumps({"symbol": "A", "timeframe": "M1", **{k: float(c[k]) if k != "open_time" else c[k] for k in keys}}) + "\n"
            for c in candles))
    return path


@pytest.mark.parametrize("form", ["csv", "zxkline", "binance", "json"])
def test_an_imported_file_equals_the_ticks_it_was_made_of(tmp_path, market, form):
    file = written(tmp_path, market, form)
    done = candled(
        "import", "--db", tmp_path / "imported.db", "--symbol", "A", "--format", form, "--omits-empty", file)
    assert done.code == 0, done.error
    assert done.out.startswith(f"imported {len(rows(market))} candles of A M1")
    expected = replayed(tmp_path, market)
    last = max(candle["open_time"] for candle in rows(market))
    query = QUERY if form == "zxkline" else FULL
    # The end of a replay settles what is open; an import leaves the open longer candle to what comes.
    def settled(path):
        return [
            row for row in sql(path, query) if row["open_time"] + model.INTERVALS[row["timeframe"]] <= last + MINUTE]

    found = settled(tmp_path / "imported.db")
    assert [dict(row, ticks=row.get("ticks")) for row in found] == [dict(row, ticks=row.get("ticks")) for row in settled(expected)]
    assert len(found) > 100
    assert candled("verify", "--db", tmp_path / "imported.db").code == 0
    assert all(row["complete"] for row in sql(tmp_path / "imported.db", "SELECT complete FROM candles WHERE timeframe = 'M1'"))


def test_importing_again_changes_nothing(tmp_path, market):
    file = written(tmp_path, market, "csv")
    arguments = ("import", "--db", tmp_path / "a.db", "--symbol", "A", file)
    assert candled(*arguments).code == 0
    before = sql(tmp_path / "a.db", "SELECT * FROM candles ORDER BY version")
    done = candled(*arguments)
    assert done.code == 0 and done.out.startswith("imported 0 candles")
    assert sql(tmp_path / "a.db", "SELECT * FROM candles ORDER BY version") == before


def test_what_a_file_leaves_out_is_unknown_unless_said_otherwise(tmp_path, market):
    file = written(tmp_path, market, "csv")
    assert candled("import", "--db", tmp_path / "a.db", "--symbol", "A", file).code == 0
    silent = (START + 60 * MINUTE, START + 90 * MINUTE)
    query = "SELECT * FROM candles WHERE timeframe = ? AND open_time >= ? AND open_time < ?"
    assert sql(tmp_path / "a.db", query, "M1", *silent) == []
    around = sql(tmp_path / "a.db", query, "M15", silent[0] - 15 * MINUTE, silent[0])
    assert [row["complete"] for row in around] == [1]


def test_candles_complete_from_ticks_stay(tmp_path, market):
    database = replayed(tmp_path, market)
    file = written(tmp_path, market, "csv")
    text = file.read_text().splitlines()
    wrong = text[10].split(",")
    wrong[2] = "999"
    text[10] = ",".join(wrong)
    file.write_text("\n".join(text))
    before = sql(database, "SELECT * FROM candles WHERE complete = 1 ORDER BY version")
    done = candled("import", "--db", database, "--symbol", "A", file)
    assert done.code == 0 and "1 of them differ" in done.out
    kept = {row["version"] for row in sql(database, "SELECT version FROM candles")}
    assert {row["version"] for row in before if row["timeframe"] == "M1"} <= kept


def test_bad_rows_are_named_and_counted(tmp_path, market):
    file = tmp_path / "bad.csv"
    file.write_text(
        f"open_time,open,high,low,close,volume\n{START},1,2,1,2,1\n{START + 5},1,2,1,2,1\n{START + MINUTE},1,1,2,1,1\n"
        f"{START + 2 * MINUTE},x,1,2,1,1\n")
    done = candled("import", "--db", tmp_path / "a.db", "--symbol", "A", file)
    assert done.code == 0 and "imported 1 candles" in done.out and "refused 3" in done.out
    for reason in ("unaligned", "bad_range", "not_a_number"):
        assert reason in done.error
    assert candled("import", "--strict", "--db", tmp_path / "b.db", "--symbol", "A", file).code == 65
    file.write_text("<html>")
    assert candled("import", "--db", tmp_path / "c.db", "--symbol", "A", "--format", "json", file).code == 65
    assert candled("import", "--db", tmp_path / "c.db", "--symbol", "A", tmp_path / "none.csv").code == 74


def test_a_database_in_use_is_refused_with_its_owner(feed_daemon, tmp_path, market):
    feed = feed_daemon()
    done = candled("import", "--db", feed.daemon.database, "--symbol", "A", written(tmp_path, market, "csv"))
    assert done.code == 74 and str(feed.daemon.process.pid) in done.error


def test_a_daemon_goes_on_after_an_import_with_a_gap_where_nothing_is_known(feed_daemon, tmp_path, market):
    feed = feed_daemon(start=False)
    file = written(tmp_path, market, "csv")
    feed.daemon.folder.mkdir(exist_ok=True)
    assert candled("import", "--db", feed.daemon.database, "--symbol", "TEST", file).code == 0
    feed.daemon.start().wait_ready()
    gap = feed.daemon.sql("SELECT * FROM gaps")[0]
    last = max(candle["open_time"] for candle in rows(market))
    assert gap["from_time"] == last + MINUTE and gap["reason"] == "restart"
    assert len(feed.daemon.candles("TEST", "M1", limit=1000)) == len(rows(market))


@pytest.fixture
def source(market):
    made = []

    def make(form=zxkline, fault=None):
        made.append(HistorySource(market, form, fault))
        return made[-1]

    yield make
    for one in made:
        one.end()


def configured(folder, source, form, **history):
    path = folder / "candled.yaml"
    path.write_text(json.dumps({
        "database": str(folder / "filled.db"),
        "feeds": [{
            "name": "f", "url": "ws://127.0.0.1:1/", "format": "csv", "symbol": "A",
            "history": {"url": source.url, "format": form, **history}}]}))
    return path


@pytest.mark.parametrize("form", [zxkline, binance], ids=lambda form: form.__name__)
def test_a_range_is_filled_by_hand(tmp_path, market, source, form):
    def fault(number, rows, body):
        return (503, b"busy") if number == 1 else None

    config = configured(tmp_path, source(form, fault), form.__name__, omits_empty=True)
    done = candled(
        "backfill", "--config", config, "--symbol", "A", "--from", START, "--to", START + 120 * MINUTE, timeout=120)
    assert done.code == 0, done.error
    assert done.out.startswith("backfilled ")
    expected = sql(replayed(tmp_path, market), QUERY)
    # Seven decimal hours were asked for: the longer candles inside them are whole.
    def inside(rows):
        return [row for row in rows if row["open_time"] + model.INTERVALS[row["timeframe"]] <= START + 115 * MINUTE]

    assert inside(sql(tmp_path / "filled.db", QUERY)) == inside(expected)


def test_a_source_that_is_not_there_ends_with_69(tmp_path, market, source):
    gone = source()
    config = configured(tmp_path, gone, "zxkline")
    gone.fault = lambda number, rows, body: (500, b"no")
    done = candled(
        "backfill", "--config", config, "--symbol", "A", "--from", START, "--to", START + 10 * MINUTE, timeout=120)
    assert done.code == 69 and "500" in done.error
    assert candled("backfill", "--config", config, "--symbol", "B", "--from", START).code == 64
