"""`since` in a large database: by index, paced by the reader, in bounded memory, and nobody else waits (contract, section 5).

Ten million candles with CANDLED_LONG=1 (1.5 GB on disk), otherwise enough to exercise it.
"""

import re
import subprocess
import threading
import time

import pytest
from websockets.exceptions import WebSocketException

from support.long import LONG, report, size
from support.paths import binary
from support.raw import RawReader
from support.waiting import eventually

#: (symbols, seconds, rows of the replay of all of them).
LARGE = size((50, 2_500, 10_000), (200, 50_000, 100_000))
WIDE = (2_000, 1_100, 10_000)
START = 1_600_000_200_000


def write_ticks(stream, symbols, seconds):
    """One tick a second of each symbol, all symbols side by side."""
    lines = [
        "".join(f"S{number:05},@,{100 + (number * 7 + variant * 3) % 89}.{variant}5,{1 + variant % 4}\n" for number in range(symbols)).encode()
        for variant in range(10)]
    for second in range(seconds + 1):
        stream.write(lines[second % 10].replace(b"@", b"%d" % (START + second * 1000)))


def memory(daemon, field):
    """In MiB."""
    text = open(f"/proc/{daemon.process.pid}/status").read()
    return int(re.search(rf"{field}:\s+(\d+)", text).group(1)) / 1024


class Prober:
    """A reader that asks for a pong again and again, and remembers the longest wait."""

    def __init__(self, daemon):
        self.stream = daemon.subscriber()
        self.waits = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.is_set():
            begin = time.monotonic()
            try:
                self.stream.sync()
            except (AssertionError, WebSocketException):
                return
            self.waits.append(time.monotonic() - begin)
            time.sleep(0.01)

    def longest(self):
        waits, self.waits = self.waits, []
        return max(waits, default=0) * 1000

    def stop(self):
        self._stop.set()
        self._thread.join(10)


@pytest.fixture
def filled(make_daemon, request):
    symbols, seconds, _ = request.param
    daemon = make_daemon({"timeframes": ["S1"], "clock": {"source": "feed"}, "settlement": {"empty_candles": "none"}})
    begin = time.monotonic()
    replay = subprocess.Popen(
        [binary(), "replay", "--db", str(daemon.database), "--timeframes", "S1", "--empty", "none", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False)
    write_ticks(replay.stdin, symbols, seconds)
    replay.stdin.close()
    summary = replay.stdout.read().decode().strip()
    assert replay.wait(300) == 0, summary
    took = time.monotonic() - begin
    count = symbols * (seconds + 1)
    assert f"replayed {count} ticks" in summary and "refused 0" in summary, summary
    bytes_on_disk = daemon.database.stat().st_size
    report(f"replay: {count:,} ticks to as many candles in {took:.1f} s ({count / took:,.0f}/s), {bytes_on_disk / 2**20:,.0f} MiB")
    begin = time.monotonic()
    daemon.start()
    report(f"start on {count:,} candles of {symbols} symbols: {time.monotonic() - begin:.2f} s, {memory(daemon, 'VmRSS'):.0f} MiB")
    yield daemon, request.param
    daemon.end()
    daemon.database.unlink(missing_ok=True)


@pytest.mark.parametrize("filled", [LARGE], indirect=True, ids=["large"])
def test_since_in_a_large_database_reads_what_is_above_the_version_and_little_else(filled):
    daemon, (symbols, per_symbol, part) = filled
    stream = daemon.subscriber()
    epoch = stream.subscribe("closed.S1.S00000")["epoch"]
    last = daemon.sql("SELECT max(version) AS version FROM candles")[0]["version"]
    prober = Prober(daemon)
    base = memory(daemon, "VmRSS")

    def measure(what, topics, version, count, seconds):
        open(f"/proc/{daemon.process.pid}/clear_refs", "w").write("5")
        newest = daemon.sql(
            "SELECT max(version) AS version FROM candles WHERE symbol = 'S00007'")[0]["version"] if "S00007" in topics[0] else last
        prober.longest()
        reader = RawReader(daemon.port, topics, {"epoch": epoch, "version": version})
        took = reader.read(newest)
        wait, peak = prober.longest(), memory(daemon, "VmHWM")
        reader.close()
        assert len(reader.versions) == count, what
        assert all(a < b for a, b in zip(reader.versions, reader.versions[1:])), "versions do not rise"
        assert reader.versions[0] > version
        report(
            f"{what}: {count:,} rows in {took:.2f} s ({count / took:,.0f}/s), the first after {reader.first * 1000:.0f} ms; "
            f"peak {peak:.0f} MiB ({peak - base:+.0f}), longest pong of another reader {wait:.0f} ms")
        assert took < seconds, what
        assert peak < base + 200, f"{what}: memory"
        assert wait < 1_000, f"{what}: others waited"

    measure("since 1,000 below the end", ["closed.S1.*"], last - 1_000, 1_000, 2)
    measure("since, wildcard", ["closed.S1.*"], last - part, part, 200)
    measure("since 0 of one symbol of many", ["closed.S1.S00007"], 0, per_symbol + 1, 120)

    # A reader that does not read: what waits for it is bounded, and it is not cut for a replay.
    open(f"/proc/{daemon.process.pid}/clear_refs", "w").write("5")
    reader = RawReader(daemon.port, ["closed.S1.*"], {"epoch": epoch, "version": last - part})
    time.sleep(2)
    backlog = daemon.metrics()["candled_stream_backlog_bytes"]
    assert backlog < 4 << 20
    assert memory(daemon, "VmHWM") < base + 200
    reader.read(last)
    assert len(reader.versions) == part
    reader.close()
    assert daemon.metrics()["candled_stream_slow_consumers_total"] == 0
    prober.stop()


@pytest.mark.skipif(not LONG, reason="CANDLED_LONG=1 runs it")
@pytest.mark.parametrize("filled", [WIDE], indirect=True, ids=["wide"])
def test_a_replay_over_many_series_is_faster_than_what_is_added_and_delays_no_other_read(filled):
    """What one second adds (a candle of each series) is replayed within seconds, by four readers at a time."""
    daemon, (symbols, _, _) = filled
    stream = daemon.subscriber()
    epoch = stream.subscribe("closed.S1.S00000")["epoch"]
    last = daemon.sql("SELECT max(version) AS version FROM candles")[0]["version"]
    readers = [RawReader(daemon.port, ["closed.S1.*"], {"epoch": epoch, "version": last - symbols}) for _ in range(4)]
    waits = []

    def ask():
        while not done.is_set():
            begin = time.monotonic()
            assert len(daemon.candles("S00001", "S1", limit=10)) == 10
            waits.append(time.monotonic() - begin)
            done.wait(0.05)

    done = threading.Event()
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    took = [reader.read(last) for reader in readers]
    done.set()
    asking.join(60)
    for reader in readers:
        assert len(reader.versions) == symbols
        reader.close()
    report(
        f"since over {symbols:,} series: {symbols:,} rows to each of {len(readers)} readers in {max(took):.2f} s; "
        f"the longest GET /v1/candles meanwhile took {max(waits):.2f} s")
    assert max(took) < 5
    assert max(waits) < 2


def test_a_replay_that_is_killed_leaves_an_empty_database_that_can_be_used(make_daemon):
    daemon = make_daemon({"timeframes": ["S1"], "clock": {"source": "feed"}, "settlement": {"empty_candles": "none"}})
    command = [binary(), "replay", "--db", str(daemon.database), "--timeframes", "S1", "--empty", "none", "-"]
    replay = subprocess.Popen([*command[:-1], "--indicators", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    # More than the page cache holds: pages of the transaction are in the file by now.
    write_ticks(replay.stdin, 50, 6_000)
    replay.stdin.flush()
    eventually(lambda: daemon.database.stat().st_size > 1 << 20, "pages in the database", 60)
    replay.kill()
    replay.wait(30)
    daemon.start()
    assert daemon.sql("SELECT count(*) AS n FROM candles")[0]["n"] == 0
    assert daemon.sql("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
    daemon.stop()
    replay = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    write_ticks(replay.stdin, 50, 100)
    assert replay.communicate(timeout=60)[0].startswith(b"replayed 5050 ticks") and replay.returncode == 0
    daemon.start()
    assert daemon.sql("SELECT count(*) AS n FROM candles")[0]["n"] == 5050
