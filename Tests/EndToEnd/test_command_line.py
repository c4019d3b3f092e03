"""The command line: exit codes, replay, tail, demo (contract, section 8)."""

import signal
import subprocess
import time

import pytest

from support.daemon import Daemon, candled, sql
from support.model import MINUTE, SECOND
from support.paths import binary
from support.waiting import eventually, wall_ms

AT = 1_600_000_200_000
#: `import` and `backfill` join with the history sources.
COMMANDS = ["run", "check", "demo", "replay", "export", "verify", "tail", "version"]


def test_help_lists_every_command_and_each_has_its_own():
    done = candled("--help")
    assert done.code == 0
    for command in COMMANDS:
        assert command in done.out
        own = candled(command, "--help")
        assert own.code == 0 and command in own.out


def test_version_prints_one_line():
    done = candled("version")
    assert done.code == 0 and len(done.out.strip().splitlines()) == 1


@pytest.mark.parametrize("arguments", [
    ["dance"], ["run", "--nothing"], ["run", "extra"], ["check", "--config"], ["replay"], ["replay", "--db", "x.db"],
    ["replay", "--db", "x.db", "--symbol", "BAD SYMBOL", "-"], ["replay", "--db", "x.db", "--empty", "sometimes", "-"],
    ["replay", "--db", "x.db", "--timeframes", "M1 M5", "-"], ["replay", "--db", "x.db", "--timeframes", "M7", "-"],
    ["replay", "--db", "x.db", "--correction-window", "soon", "-"], ["tail", "--snapshot", "many"], ["--nothing"],
], ids=" ".join)
def test_a_wrong_command_line_is_64_and_says_why(tmp_path, arguments):
    done = candled(*arguments, cwd=tmp_path, stdin="")
    assert done.code == 64, done
    assert done.error.strip()
    assert not list(tmp_path.iterdir())


def replay(folder, *arguments, lines=None):
    return candled("replay", "--db", folder / "candles.db", *arguments, stdin=lines)


def rows(folder, query, *values):
    return sql(folder / "candles.db", query, *values)


def test_replay_takes_the_symbol_from_the_first_column_without_symbol(tmp_path):
    lines = f"AAA,{AT},100,1\nBBB,{AT},200,2,7\nAAA,{AT + MINUTE},101,1\n"
    done = replay(tmp_path, "-", lines=lines)
    assert done.code == 0, done
    found = rows(tmp_path, "SELECT symbol, open FROM candles WHERE timeframe = 'M1' ORDER BY symbol, open_time")
    assert found == [{"symbol": "AAA", "open": 100}, {"symbol": "AAA", "open": 101}, {"symbol": "BBB", "open": 200}]


def test_replay_settles_the_open_candles_at_the_end_and_marks_them_incomplete(tmp_path):
    """S17: and their times are on the boundary."""
    replay(tmp_path, "--symbol", "X", "-", lines=f"{AT},100,1\n{AT + MINUTE + 238},101,1\n")
    found = rows(tmp_path, "SELECT * FROM candles WHERE timeframe = 'M1' ORDER BY open_time")
    assert [(r["open_time"], r["settled_by"], r["complete"]) for r in found] == [(AT, "tick", 0), (AT + MINUTE, "end", 0)] or \
        [(r["open_time"], r["settled_by"], r["complete"]) for r in found] == [(AT, "tick", 1), (AT + MINUTE, "end", 0)]
    assert all(r["open_time"] % MINUTE == 0 for r in found)


def test_replay_reads_several_files_in_their_order(tmp_path):
    for number, name in enumerate(("a.csv", "b.csv")):
        (tmp_path / name).write_text(f"{AT + number * MINUTE},{100 + number},1\n")
    done = replay(tmp_path, "--symbol", "X", tmp_path / "a.csv", tmp_path / "b.csv")
    assert done.code == 0
    assert [r["open"] for r in rows(tmp_path, "SELECT open FROM candles WHERE timeframe='M1' ORDER BY open_time")] == [100, 101]


def test_replay_refuses_a_series_that_is_there_with_65_and_changes_nothing(tmp_path):
    lines = f"{AT},100,1\n"
    assert replay(tmp_path, "--symbol", "X", "-", lines=lines).code == 0
    before = rows(tmp_path, "SELECT * FROM candles ORDER BY version")
    done = replay(tmp_path, "--symbol", "X", "-", lines=f"{AT},200,1\n{AT + MINUTE},200,1\n")
    assert done.code == 65 and "X" in done.error
    assert rows(tmp_path, "SELECT * FROM candles ORDER BY version") == before
    # Another symbol is welcome.
    assert replay(tmp_path, "--symbol", "Y", "-", lines=lines).code == 0


def test_replay_with_replace_replaces_and_versions_go_on(tmp_path):
    replay(tmp_path, "--symbol", "X", "-", lines=f"{AT},100,1\n")
    last = rows(tmp_path, "SELECT max(version) AS last FROM candles")[0]["last"]
    done = replay(tmp_path, "--symbol", "X", "--replace", "-", lines=f"{AT},200,1\n")
    assert done.code == 0, done
    found = rows(tmp_path, "SELECT open, version FROM candles")
    assert {r["open"] for r in found} == {200}
    assert min(r["version"] for r in found) > last


def test_replay_counts_what_was_refused_and_ends_with_0(tmp_path):
    done = replay(tmp_path, "--symbol", "X", "-", lines=f"{AT},100,1\nnonsense\n{AT},0,1\n{AT},101,1\n")
    assert done.code == 0
    summary = done.out.strip()
    assert len(summary.splitlines()) == 1
    assert "malformed 1" in summary and "bad_price 1" in summary


def test_replay_with_strict_is_65_where_a_line_was_refused(tmp_path):
    assert replay(tmp_path, "--symbol", "X", "--strict", "-", lines=f"{AT},100,1\nnonsense\n").code == 65
    assert replay(tmp_path, "--symbol", "Y", "--strict", "-", lines=f"{AT},100,1\n").code == 0


def test_replay_takes_late_ticks_inside_the_window_of_the_symbols_own_clock(tmp_path):
    lines = f"{AT},100,1\n{AT + 90 * SECOND},101,1\n{AT + 1},110,1\n{AT + 3 * MINUTE},102,1\n{AT + 2},120,1\n"
    done = replay(tmp_path, "--symbol", "X", "-", lines=lines)
    first = rows(tmp_path, "SELECT * FROM candles WHERE timeframe = 'M1' AND open_time = ?", AT)[0]
    assert (first["high"], first["ticks"], first["revision"]) == (110, 2, 1)
    assert "too_late 1" in done.out


def test_replay_with_a_longer_window_takes_later_ticks(tmp_path):
    lines = f"{AT},100,1\n{AT + 3 * MINUTE},102,1\n{AT + 2},120,1\n"
    replay(tmp_path, "--symbol", "X", "--correction-window", "10m", "-", lines=lines)
    assert rows(tmp_path, "SELECT high FROM candles WHERE timeframe = 'M1' AND open_time = ?", AT)[0]["high"] == 120


def test_replay_and_a_live_feed_store_the_same_candles(tmp_path, feed_daemon):
    import random
    generator = random.Random(4)
    lines = []
    for number in range(800):
        time = AT + number * SECOND - generator.choice([0, 0, 0, 0, 20 * SECOND, 70 * SECOND])
        lines.append(f"{time},{generator.randrange(90, 110)},{generator.randrange(9)},{number}")
    # A window that nothing comes near: the live clock goes on between two ticks, however long these take to come.
    replay(tmp_path, "--symbol", "TEST", "--correction-window", "10m", "-", lines="\n".join(lines))
    feed = feed_daemon({"clock": {"source": "feed"}, "settlement": {"correction_window": "10m"}})
    for start in range(0, len(lines), 1):
        feed.send(lines[start])
    feed.wait(len(lines))
    query = "SELECT open_time, open, high, low, close, volume, turnover, ticks, origin FROM candles WHERE timeframe = ? AND settled_by = 'tick' ORDER BY open_time"
    for timeframe in ("M1", "M5"):
        offline = rows(tmp_path, query, timeframe)
        eventually(lambda: len(feed.daemon.sql(query, timeframe)) >= len(offline), "the live candles")
        assert feed.daemon.sql(query, timeframe)[:len(offline)] == offline


def test_a_missing_file_is_74(tmp_path):
    done = replay(tmp_path, "--symbol", "X", tmp_path / "nowhere.csv")
    assert done.code == 74 and "nowhere.csv" in done.error


def test_a_database_in_a_folder_that_is_missing_is_74(tmp_path):
    done = candled("replay", "--db", tmp_path / "no" / "candles.db", "--symbol", "X", "-", stdin=f"{AT},1\n")
    assert done.code == 74 and done.error.strip()


def test_a_port_that_is_taken_is_69(make_daemon):
    first = make_daemon().start()
    second = make_daemon({"listen": f"127.0.0.1:{first.port}"}).spawn()
    assert second.process.wait(30) == 69
    assert str(first.port) in second.log()


@pytest.fixture
def tail(feed_daemon, tmp_path):
    """A tail of the closed candles of a daemon into a file: the feed, what was printed, the process."""
    feed = feed_daemon({"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}})
    out = tmp_path / "tail.txt"
    with open(out, "wb") as file:
        process = subprocess.Popen([binary(), "tail", f"ws://127.0.0.1:{feed.daemon.port}/v1/stream", "closed.M1.TEST"], stdout=file)
    eventually(lambda: feed.daemon.get("/v1/status").json["subscribers"] == 1, "the subscriber")
    yield feed, out.read_bytes, process
    if process.poll() is None:
        process.kill()
        process.wait(10)


def test_tail_prints_what_the_stream_sends_and_ends_with_0_on_a_signal(tail):
    feed, printed, process = tail
    at = (wall_ms() // MINUTE + 5) * MINUTE
    for number in range(100):
        feed.ticks((at + number * MINUTE, "36500.25", 1))
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert b"36500.25" in printed() and b"TEST" in printed()


def test_tail_prints_a_candle_when_it_comes_also_into_a_pipe(tail):
    feed, printed, process = tail
    at = (wall_ms() // MINUTE + 5) * MINUTE
    for number in range(20):
        feed.ticks((at + number * MINUTE, "36500.25", 1))
        time.sleep(0.1)
        if b"36500.25" in printed():
            return
    assert b"36500.25" in printed()


def test_tail_of_nobody_is_69():
    assert candled("tail", "ws://127.0.0.1:1/v1/stream").code == 69


def test_demo_shows_candles_of_a_recorded_stream_and_leaves_a_database(tmp_path):
    done = candled("demo", "--speed", "5000", "--once", "--db", tmp_path / "demo.db", "--listen", "127.0.0.1:0", timeout=60)
    assert done.code == 0, done
    found = sql(tmp_path / "demo.db", "SELECT count(*) AS n FROM candles WHERE timeframe = 'M5'")
    assert found[0]["n"] > 30


def run_and_signal(daemon, sign):
    began = time.monotonic()
    code = daemon.stop(sign)
    return code, time.monotonic() - began


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_in_5_s_with_0_and_closes_sockets_with_1001(feed_daemon, sign):
    feed = feed_daemon({"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}})
    stream = feed.daemon.subscriber("candle.*.*")
    feed.ticks(((wall_ms() // MINUTE + 2) * MINUTE, 100, 1))
    code, seconds = run_and_signal(feed.daemon, sign)
    assert code == 0 and seconds < 5
    stream.wait_end()
    assert stream.close_code == 1001
    feed_end = feed.exchange.of()[0]
    eventually(lambda: not feed_end.is_open, "the end of the feed")


def test_a_reader_that_does_not_read_does_not_hold_up_the_end(feed_daemon):
    feed = feed_daemon({"timeframes": ["M1"], "clock": {"source": "feed"}, "stream": {"forming_interval": 0}})
    deaf = feed.daemon.deaf_subscriber("candle.*.*")
    for start in range(0, 3000, 100):
        feed.send("\n".join(f"{AT + n * MINUTE},100,1" for n in range(start, start + 100)))
    feed.wait(3000)
    code, seconds = run_and_signal(feed.daemon, signal.SIGTERM)
    assert code == 0 and seconds < 5
    deaf.close()


def test_a_second_signal_ends_it_at_once(feed_daemon):
    feed = feed_daemon()
    feed.daemon.deaf_subscriber("candle.*.*")
    process = feed.daemon.process
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    process.wait(5)
