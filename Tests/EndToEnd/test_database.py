"""The database: views, indexes, backup, one writer, files that are refused untouched (contract, section 8)."""

import contextlib
import hashlib
import os
import signal
import sqlite3
import subprocess

import pytest

from support.daemon import candled, sql
from support.model import INTERVALS, MINUTE
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def shell(path, *commands):
    done = subprocess.run(["sqlite3", path, *commands], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout.strip()


@pytest.fixture
def filled(feed_daemon):
    """A feed whose daemon has 20 candles of M1, and the time of the first."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, f"{100 + n}.25", "0.5") for n in range(21)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 20, "20 candles")
    return feed, at


def test_the_view_candles_has_the_columns_of_the_contract(filled):
    feed, at = filled
    rows = feed.daemon.sql("SELECT * FROM candles WHERE timeframe = 'M1' ORDER BY open_time")
    assert list(rows[0]) == [
        "symbol", "timeframe", "open_time", "open", "high", "low", "close", "volume", "turnover", "taker_buy_volume", "ticks",
        "revision", "settled_by", "origin", "complete", "version", "indicators", "opened_at"]
    first = rows[0]
    for key in ("open", "high", "low", "close", "volume", "turnover"):
        assert isinstance(first[key], float), key
    assert (first["open"], first["volume"], first["turnover"]) == (100.25, 0.5, 50.125)
    assert (first["settled_by"], first["origin"], first["revision"], first["taker_buy_volume"]) == ("tick", "ticks", 0, None)
    assert first["indicators"] is None
    assert len(rows) == 20, "closed candles only"


def test_opened_at_is_iso_text_in_utc(filled):
    feed, at = filled
    row = feed.daemon.sql("SELECT opened_at, unixepoch(opened_at) AS s FROM candles WHERE timeframe = 'M1' AND open_time = ?", at)[0]
    assert row["s"] * 1000 == at
    assert row["opened_at"].endswith("Z") and "T" in row["opened_at"]


def test_the_view_gaps_has_the_columns_of_the_contract(filled):
    feed, _ = filled
    connection = sqlite3.connect(f"file:{feed.daemon.database}?mode=ro", uri=True)
    assert [column[0] for column in connection.execute("SELECT * FROM gaps").description] == [
        "symbol", "from_time", "to_time", "reason", "filled"]
    connection.close()


def test_the_sqlite3_shell_reads_while_the_daemon_writes(filled):
    feed, at = filled
    assert shell(feed.daemon.database, "SELECT count(*) FROM candles WHERE timeframe='M1'") == "20"
    assert shell(feed.daemon.database, "PRAGMA journal_mode") == "wal"
    assert shell(feed.daemon.database, "PRAGMA integrity_check") == "ok"
    assert shell(feed.daemon.database, f"SELECT close FROM candles WHERE timeframe='M1' AND open_time={at}") == "100.25"


def test_a_reader_that_stays_in_its_transaction_does_not_stop_the_writer(filled):
    feed, at = filled
    connection = sqlite3.connect(f"file:{feed.daemon.database}?mode=ro", uri=True, isolation_level=None)
    connection.execute("BEGIN")
    assert connection.execute("SELECT count(*) FROM candles WHERE timeframe='M1'").fetchone() == (20,)
    feed.ticks(*[(at + n * MINUTE, 100, 1) for n in range(21, 26)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 25, "five more candles")
    assert connection.execute("SELECT count(*) FROM candles WHERE timeframe='M1'").fetchone() == (20,)
    connection.close()


def test_the_query_of_the_contract_runs_on_an_index(filled):
    feed, _ = filled
    plan = shell(
        feed.daemon.database,
        "EXPLAIN QUERY PLAN SELECT opened_at, open, high, low, close, volume FROM candles "
        "WHERE symbol='TEST' AND timeframe='M1' AND open_time>=1 AND open_time<2 ORDER BY open_time")
    assert "SCAN" not in plan and "TEMP B-TREE" not in plan, plan
    assert "open_time>" in plan, plan
    newest = shell(
        feed.daemon.database,
        "EXPLAIN QUERY PLAN SELECT * FROM candles WHERE symbol='TEST' AND timeframe='M1' ORDER BY open_time DESC LIMIT 500")
    assert "SCAN" not in newest and "TEMP B-TREE" not in newest, newest


def test_vacuum_into_and_backup_work_while_it_runs(filled, tmp_path):
    feed, at = filled
    vacuumed, copied = tmp_path / "vacuumed.db", tmp_path / "copied.db"
    shell(feed.daemon.database, f"VACUUM INTO '{vacuumed}'")
    shell(feed.daemon.database, f".backup '{copied}'")
    original = feed.daemon.sql("SELECT * FROM candles ORDER BY version")
    for path in (vacuumed, copied):
        assert sql(path, "SELECT * FROM candles ORDER BY version") == original
    feed.ticks((at + 21 * MINUTE, 100, 1))
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 21, "the next candle")


def test_a_backup_serves_as_a_database(filled, make_daemon, tmp_path):
    feed, _ = filled
    folder = tmp_path / "restored"
    folder.mkdir()
    shell(feed.daemon.database, f"VACUUM INTO '{folder / 'candles.db'}'")
    other = make_daemon({"timeframes": ["M1", "M5", "M15"]}, folder=folder).start()
    assert other.candles("TEST", "M1", indicators=0) == feed.daemon.candles("TEST", "M1", indicators=0)


def test_indicators_are_stored_as_json_text_with_store(feed_daemon):
    feed = feed_daemon({**BY_TICK, "indicators": {"store": True}})
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n, 1) for n in range(9)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 8, "8 candles")
    rows = feed.daemon.sql("SELECT indicators ->> 'ma5' AS ma5 FROM candles WHERE timeframe = 'M1' ORDER BY open_time")
    assert [row["ma5"] for row in rows] == [None] * 4 + [102.0, 103.0, 104.0, 105.0]


def test_migrations_are_recorded(filled):
    feed, _ = filled
    assert feed.daemon.sql("SELECT count(*) AS n FROM schema_migrations")[0]["n"] >= 1


def test_a_new_timeframe_of_the_configuration_is_built_and_forms_from_then_on(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n, 1) for n in range(6)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 5, "5 candles")
    feed.daemon.stop()
    feed.daemon.configuration["timeframes"] = ["M1", "M3", "M5", "H1", "W1"]
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=2)
    start = at + 60 * MINUTE
    feed.ticks(*[(start + n * MINUTE, 200 + n, 1) for n in range(4)])
    found = eventually(lambda: [c for c in feed.daemon.candles("TEST", "M3") if c["open_time"] >= start], "the M3 candle")
    assert (found[0]["open"], found[0]["close"], found[0]["volume"]) == (200, 202, 3)
    built = feed.daemon.candles("TEST", "M3", to=at + 3 * MINUTE)
    assert [(c["open"], c["close"], c["volume"]) for c in built] == [(100, 102, 3)]


# One writer, and files that are not its own


def tree(folder):
    """Hashes of the database's files. SQLite's own empty log and its index may come to be beside a file that is read."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name not in ("candled.yaml", "candled.log", "candles.db-shm", "candles.db.lock")
        and not (path.name == "candles.db-wal" and path.stat().st_size == 0)
    }


def fails(make_daemon, folder, **configuration):
    daemon = make_daemon(configuration, folder=folder).spawn()
    code = daemon.process.wait(30)
    return code, daemon.log()


def test_a_second_process_on_the_same_database_is_74_and_names_the_owner(make_daemon):
    first = make_daemon().start()
    code, log = fails(make_daemon, first.folder)
    assert code == 74
    assert str(first.process.pid) in log
    assert first.get("/healthz").status == 200


@pytest.mark.parametrize("command", ["replay"])
def test_another_writing_command_on_a_running_database_is_74_and_names_the_owner(make_daemon, command):
    first = make_daemon().start()
    done = candled(command, "--db", first.database, "--symbol", "X", "-", stdin="1600000000000,1\n")
    assert done.code == 74 and str(first.process.pid) in done.error
    assert sql(first.database, "SELECT count(*) AS n FROM candles")[0]["n"] == 0


def test_the_lock_is_found_through_a_link_too(make_daemon, tmp_path):
    first = make_daemon().start()
    other = tmp_path / "linked"
    other.mkdir()
    os.symlink(first.database, other / "candles.db")
    code, log = fails(make_daemon, other)
    assert code == 74 and str(first.process.pid) in log


def test_after_a_kill_the_database_is_free_again(make_daemon):
    daemon = make_daemon().start()
    daemon.process.send_signal(signal.SIGKILL)
    daemon.process.wait(10)
    daemon.start()
    assert daemon.get("/healthz").status == 200


def make_newer(connection):
    columns = {row[1]: row for row in connection.execute("PRAGMA table_info(schema_migrations)")}
    last = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()[0]
    values = {"version": last + 1, "name": f"{last + 1:04}_from_the_future"}
    names = [name for name in columns if name in values or columns[name][3] and columns[name][4] is None]
    connection.execute(
        f"INSERT INTO schema_migrations ({', '.join(names)}) VALUES ({', '.join('?' for _ in names)})",
        [values.get(name, 0) for name in names])
    connection.commit()


def test_a_newer_database_whose_process_was_killed_keeps_its_log_untouched(make_daemon, tmp_path):
    daemon = make_daemon().start()
    daemon.stop()
    connection = sqlite3.connect(daemon.database)
    make_newer(connection)
    folder = tmp_path / "killed"
    folder.mkdir()
    for name in ("candles.db", "candles.db-wal"):
        (folder / name).write_bytes((daemon.folder / name).read_bytes())
    connection.close()
    before = tree(folder)
    assert "candles.db-wal" in before
    code, log = fails(make_daemon, folder)
    assert code == 74
    assert tree(folder) == before


def test_a_database_of_a_newer_program_is_refused_with_74_and_left_untouched(make_daemon):
    daemon = make_daemon().start()
    daemon.stop()
    connection = sqlite3.connect(daemon.database)
    make_newer(connection)
    connection.close()
    before = tree(daemon.folder)
    code, log = fails(make_daemon, daemon.folder)
    assert code == 74
    assert "candles.db" in log
    assert tree(daemon.folder) == before
    done = candled("replay", "--db", daemon.database, "--symbol", "X", "-", stdin="1600000000000,1\n")
    assert done.code == 74
    assert tree(daemon.folder) == before


@pytest.mark.parametrize("content", [b"this is a text and no database\n" * 200, b"\x00" * 8192, b"SQLite format 3\x00" + b"\xff" * 8000], ids=["text", "zeros", "garbage"])
def test_a_file_that_is_no_database_is_refused_with_74_and_left_untouched(make_daemon, tmp_path, content):
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "candles.db").write_bytes(content)
    before = tree(folder)
    code, log = fails(make_daemon, folder)
    assert code == 74 and "candles.db" in log
    assert tree(folder) == before


def test_a_database_of_another_program_is_refused_with_74_and_left_untouched(make_daemon, tmp_path):
    folder = tmp_path / "foreign"
    folder.mkdir()
    connection = sqlite3.connect(folder / "candles.db")
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.execute("INSERT INTO recipes VALUES ('soup')")
    connection.commit()
    connection.close()
    before = tree(folder)
    code, log = fails(make_daemon, folder)
    assert code == 74
    assert tree(folder) == before


def test_a_truncated_database_is_refused_with_74_and_left_untouched(make_daemon):
    daemon = make_daemon().start()
    daemon.stop()
    content = daemon.database.read_bytes()
    daemon.database.write_bytes(content[:len(content) // 2])
    before = tree(daemon.folder)
    code, log = fails(make_daemon, daemon.folder)
    assert code == 74 and "candles.db" in log
    assert tree(daemon.folder) == before


def test_a_folder_that_is_missing_is_74(make_daemon):
    daemon = make_daemon({"database": "nowhere/candles.db"}).spawn()
    assert daemon.process.wait(30) == 74
    assert "nowhere" in daemon.log()


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/proc"), reason="needs /proc where the user is root")
def test_a_folder_that_is_not_writable_is_74(make_daemon, tmp_path):
    # Where the tests run as root permissions do not hold; /proc takes no files of anybody.
    if os.geteuid() == 0:
        path = "/proc/candles.db"
    else:
        folder = tmp_path / "read_only"
        folder.mkdir()
        folder.chmod(0o500)
        path = str(folder / "candles.db")
    daemon = make_daemon({"database": path}).spawn()
    assert daemon.process.wait(30) == 74
    assert path in daemon.log()


def test_a_database_path_that_is_a_folder_is_74(make_daemon, tmp_path):
    folder = tmp_path / "home"
    (folder / "candles.db").mkdir(parents=True)
    code, log = fails(make_daemon, folder)
    assert code == 74 and "candles.db" in log


@pytest.mark.parametrize("kept", [{"M1": "1d", "M5": "2d"}, {"M1": "1d"}])
def test_gaps_go_with_the_last_candles_they_are_about(make_daemon, kept):
    daemon = make_daemon({"timeframes": ["M1", "M5"], "retention": kept})
    day, now = INTERVALS["D1"], wall_ms()
    lines = "".join(f"{now - 3 * day + n * MINUTE},100,1\n" for n in range(20))
    done = candled("replay", "--db", daemon.database, "--symbol", "TEST", "--timeframes", "M1,M5", "-", stdin=lines)
    assert done.code == 0, done
    begins = [now - 3 * day, now - 2 * day - MINUTE, now - 2 * day + 10 * MINUTE, now - day]
    with contextlib.closing(sqlite3.connect(daemon.database)) as database, database:
        database.executemany("INSERT INTO gap VALUES ('TEST', ?, ?, 'missed_trades', 0, 1)", [(at, at + 5) for at in begins])
    daemon.start()

    def left(timeframe):
        return daemon.sql(f"SELECT count(*) AS n FROM candles WHERE timeframe = '{timeframe}'")[0]["n"]

    def gaps():
        return [row["from_time"] for row in daemon.sql("SELECT from_time FROM gaps WHERE reason = 'missed_trades' ORDER BY 1")]

    eventually(lambda: left("M1") == 0, "retention")
    if "M5" in kept:
        eventually(lambda: left("M5") == 0 and gaps() == begins[2:], "gaps that go")
    else:
        # M5 is kept for ever, and so is what is said of it. The next round is for another minute.
        assert gaps() == begins and left("M5") > 0


def test_retention_takes_old_candles_and_leaves_the_rest(feed_daemon, tmp_path):
    lines = "".join(f"{wall_ms() - 40 * INTERVALS['D1'] + n * INTERVALS['H1']},100,1\n" for n in range(48))
    feed = feed_daemon({"timeframes": ["H1", "D1"], "retention": {"H1": "30d"}}, start=False)
    done = candled("replay", "--db", feed.daemon.database, "--symbol", "TEST", "--timeframes", "H1,D1", "-", stdin=lines)
    assert done.code == 0, done
    days = feed.daemon.sql("SELECT count(*) AS n FROM candles WHERE timeframe = 'D1'")[0]["n"]
    feed.daemon.start()
    eventually(lambda: feed.daemon.sql("SELECT count(*) AS n FROM candles WHERE timeframe = 'H1'")[0]["n"] == 0, "retention")
    assert feed.daemon.sql("SELECT count(*) AS n FROM candles WHERE timeframe = 'D1'")[0]["n"] == days > 0
