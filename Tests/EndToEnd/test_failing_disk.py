"""A disk that is full, read-only or locked, and comes back (contract, section 3, rule 10, and section 6, `/readyz`)."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from support import model
from support.daemon import Daemon, merged
from support.long import report
from support.model import MINUTE, SECOND
from support.raw import RawProducer
from support.waiting import eventually, wall_ms

TIMEFRAMES = ["S1", "M1", "M5"]
BY_TICK = {"timeframes": TIMEFRAMES, "settlement": {"max_ahead": "1d", "empty_candles": "none"}, "indicators": {"ma": [5]}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def mount(*arguments):
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no file system may be mounted here: {done.stderr.strip()}")


class Disk:
    """A small file system of its own, in memory."""

    def __init__(self, folder, megabytes):
        self.folder = folder
        self.filler = folder / "filler"
        mount("-t", "tmpfs", "-o", f"size={megabytes}m", "candled-test", folder)

    def free(self):
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_bsize

    def fill(self, leaving=0):
        """Takes the room there is, but for so many bytes."""
        with open(self.filler, "ab", buffering=0) as file:
            block = 65536
            while block:
                if self.free() - block < leaving and leaving:
                    break
                try:
                    file.write(b"x" * block)
                except OSError:
                    block //= 2

    def empty(self):
        self.filler.unlink()

    def end(self):
        if subprocess.run(["umount", self.folder], capture_output=True).returncode:
            subprocess.run(["umount", "-l", self.folder], capture_output=True)


class FragileDisk(Disk):
    """ext4 that turns read-only at its first error, as a failing drive makes it; `break_it` is that error."""

    def __init__(self, folder, megabytes):
        self.folder = folder
        self.image = folder.parent / f"{folder.name}.ext4"
        with open(self.image, "wb") as file:
            file.truncate(megabytes << 20)
        try:
            subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", self.image], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no ext4 can be made here: {error}")
        self.mount()

    def mount(self):
        mount("-o", "loop,errors=remount-ro", self.image, self.folder)
        source = subprocess.run(["findmnt", "-no", "SOURCE", self.folder], capture_output=True, text=True).stdout.strip()
        self.trigger = f"/sys/fs/ext4/{os.path.basename(source)}/trigger_fs_error"

    def break_it(self):
        os.sync()
        try:
            with open(self.trigger, "w") as file:
                file.write("a test")
        except OSError as error:
            pytest.skip(f"no error can be made here: {error}")

    def repair(self):
        """As an administrator would: unmount, check, mount."""
        subprocess.run(["umount", self.folder], check=True)
        assert subprocess.run(["e2fsck", "-fy", self.image], capture_output=True).returncode in (0, 1)
        self.mount()


@pytest.fixture
def disk_daemon(tmp_path, request):
    """Makes (disk, daemon): database and journal are on the disk, the log is not. Daemons end before their disks."""
    if os.geteuid():
        pytest.skip("only root may mount a file system")
    made = []

    def make(configuration=None, megabytes=48, kind=Disk, leaving=None, start=True):
        folder = tmp_path / f"disk{len(made)}"
        home = tmp_path / f"home{len(made)}"
        folder.mkdir()
        home.mkdir()
        disk = kind(folder, megabytes)
        daemon = Daemon(home, merged({**BY_TICK, "database": str(folder / "candles.db")}, configuration or {}))
        made.append((disk, daemon))
        if leaving is not None:
            disk.fill(leaving)
        if start:
            daemon.start()
        return disk, daemon

    yield make
    for disk, daemon in made:
        daemon.end()
        if getattr(request.node, "failed", False):
            print(f"--- log of the daemon in {daemon.folder.name}\n{daemon.log()[-4000:]}")
        disk.end()


class Ticks:
    """Frames of ticks that move on, each with an acknowledgement, and what the batch result of the accepted ones is."""

    def __init__(self, daemon, symbol="TEST", at=None):
        self.daemon, self.symbol = daemon, symbol
        self.at = at or ahead()
        self.number = 0
        self.sent = []
        #: Frames of connections before.
        self.before = []
        self.producer = RawProducer(daemon.port, f"/{symbol}")

    #: Ticks of a flood frame.
    FLOOD = 30_000

    @staticmethod
    def size(ticks):
        return sum(tick[3] if len(tick) > 3 else 1 for tick in ticks)

    def flood(self):
        """One large frame of equal ticks within the running second."""
        at = self.at + self.number * SECOND
        self.sent.append([(at, 100, 1, self.FLOOD)])
        self.producer.send(f"{at},100,1\n".encode() * self.FLOOD)

    def again(self):
        """Goes on with a new connection, after those frames that count."""
        self.producer.close()
        self.before += self.sent
        self.sent = []
        self.producer = RawProducer(self.daemon.port, f"/{self.symbol}")

    def frame(self, seconds=1, each=4, late=True):
        """One frame: some ticks in each of the next seconds, and one that is late."""
        ticks = []
        for _ in range(seconds):
            for part in range(each):
                time_ms = self.at + self.number * SECOND + part * (SECOND // each)
                ticks.append((time_ms, 100 + self.number * 7 % 50 + part, 1 + part))
            if late and self.number >= 3:
                ticks.append((self.at + (self.number - 2) * SECOND + 999, 100 + self.number % 60, 3))
            self.number += 1
        self.sent.append(ticks)
        self.producer.send("\n".join(f"{a},{p},{v}" for a, p, v in ticks).encode())

    @property
    def unanswered(self):
        self.producer.poll()
        return len(self.sent) - len(self.producer.answers)

    def settle(self, timeout=30.0):
        """Waits for all acknowledgements, closes everything, and waits until it is stored."""
        self.producer.wait(len(self.sent), timeout)
        self.end = self.at + (self.number * SECOND // (15 * MINUTE) + 1) * 15 * MINUTE
        last = [(self.end, 100, 1)]
        self.sent.append(last)
        self.producer.send("\n".join(f"{a},{p},{v}" for a, p, v in last).encode())
        self.producer.wait(len(self.sent), timeout)
        eventually(lambda: self.daemon.metrics()["candled_store_pending_bytes"] == 0, "the last commit")

    def check(self):
        """Nothing was refused, and the candles are those of one pass."""
        assert all(answer["refused"] == 0 for answer in self.producer.answers.values()), self.producer.errors[:3]
        check_batch(self.daemon, self.symbol, [tick for frame in self.before + self.sent for tick in frame], self.at, self.end)


def weighted(ticks, timeframe):
    """`model.fold` where a tick may stand for many equal ones (its fourth field); their time is no other tick's."""
    candles = model.fold([tick[:3] for tick in ticks], timeframe)
    for at, price, volume, *count in ticks:
        if count:
            candle = candles[model.open_time(at, timeframe)]
            candle["volume"] += volume * (count[0] - 1)
            candle["turnover"] += volume * price * (count[0] - 1)
            candle["ticks"] += count[0] - 1
    return candles


def check_batch(daemon, symbol, ticks, at, end):
    for timeframe in TIMEFRAMES:
        expected = {place: one for place, one in weighted(ticks, timeframe).items() if place < end}
        found = {}
        begin = at
        while begin is not None:
            page = daemon.page(symbol, timeframe, **{"from": begin, "to": end, "limit": 10_000, "indicators": 0})
            found |= {candle["open_time"]: candle for candle in page["candles"]}
            begin = page["next"]
        assert sorted(found) == sorted(expected), timeframe
        for place, candle in found.items():
            assert model.content(candle) == model.content(expected[place]), (timeframe, place)


def check_stream(stream, daemon, before):
    """Everything that was published is stored, in version order; what was stored after `before` was published."""
    stream.sync()
    candles = stream.candles("closed", "corrected")
    versions = [candle["version"] for candle in candles]
    assert versions == sorted(set(versions))
    copy = {(c["timeframe"], c["open_time"]): c for c in candles}
    rows = daemon.sql("SELECT timeframe, open_time, version, revision, close, volume, ticks FROM candles WHERE version > ?", before)
    assert {(row["timeframe"], row["open_time"]) for row in rows} == set(copy)
    for row in rows:
        mine = copy[row["timeframe"], row["open_time"]]
        assert (mine["version"], mine["revision"], mine["close"], mine["volume"], mine["ticks"]) == (
            row["version"], row["revision"], row["close"], row["volume"], row["ticks"])


def published(stream):
    return max((c["version"] for c in stream.candles("closed", "corrected")), default=0)


def stored_version(daemon):
    return daemon.sql("SELECT coalesce(max(version), 0) AS version FROM candles")[0]["version"]


def assert_forming_waits(stream):
    """A forming message never comes before the close of the candle before it."""
    newest = {}
    for candle in stream.candles("forming", "closed"):
        key = (candle["symbol"], candle["timeframe"])
        if candle["state"] == "forming":
            newest[key] = max(newest.get(key, 0), candle["open_time"])
        else:
            assert candle["open_time"] >= newest.get(key, 0), f"what forms overtook the close of {candle['open_time']}"


def not_ready(daemon, reason):
    answer = daemon.get("/readyz")
    return answer.status == 503 and reason in answer.text


def metric(daemon, name):
    return daemon.metrics()[f"candled_{name}"]


def assert_nothing_is_published(stream, daemon, ticks, seconds=1.0, silent=False):
    """While ticks flow on, nothing is stored and nothing of what is not stored is told; if `silent`, nothing at all."""
    stream.sync()
    before, version = len(stream.messages), stored_version(daemon)
    assert published(stream) <= version
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ticks.frame()
        time.sleep(0.02)
        assert daemon.get("/healthz").status == 200
    stream.sync()
    told = [message for message in stream.messages[before:] if message["type"] != "pong"]
    # What forms may be told as long as the close before it was.
    next_open = {timeframe: model.open_time(ticks.at, timeframe) for timeframe in TIMEFRAMES}
    for candle in stream.candles("closed"):
        next_open[candle["timeframe"]] = candle["close_time"] + 1
    for message in told:
        assert message["type"] == "forming", stream.tail()
        candle = message["candle"]
        assert candle["timeframe"] != "S1" and candle["open_time"] == next_open[candle["timeframe"]], message
    assert not (silent and told), stream.tail()
    assert stored_version(daemon) == version


def steady(ticks, frames=40):
    for _ in range(frames):
        ticks.frame()
    ticks.producer.wait(len(ticks.sent))


def test_on_a_full_disk_nothing_is_published_and_when_there_is_room_nothing_is_lost(disk_daemon):
    """The database fails first, the journal when the segments that it had laid out are full."""
    # Room for one segment of the journal, and some of the database.
    disk, daemon = disk_daemon(megabytes=60, leaving=21 << 20)
    stream = daemon.subscriber("candle.*.*")
    ticks = Ticks(daemon)
    steady(ticks)
    disk.fill()
    eventually(lambda: ticks.frame() or not_ready(daemon, "database: full"), "503 with the reason", interval=0.05)
    assert metric(daemon, "store_writable") == 0 and metric(daemon, "store_failures_total") > 0
    assert metric(daemon, "journal_writable") == 1
    assert re.search(r"the database takes no writes.*full", daemon.log())
    assert_nothing_is_published(stream, daemon, ticks)
    ticks.producer.wait(len(ticks.sent))
    assert metric(daemon, "store_pending_bytes") > 0

    # The journal has room for so many: acknowledged. Then no more.
    floods = 0
    while ticks.unanswered < 3:
        assert floods < 200, "the journal never was full"
        ticks.flood()
        floods += 1
        until = time.monotonic() + 1
        while ticks.unanswered and time.monotonic() < until:
            time.sleep(0.01)
    acknowledged = len(ticks.producer.answers)
    assert metric(daemon, "journal_writable") == 0 and metric(daemon, "journal_failures_total") > 0
    assert daemon.get("/readyz").status == 503
    assert re.search(r"the journal takes no ticks.*(No space|full|errno 28)", daemon.log()), daemon.log()
    assert_nothing_is_published(stream, daemon, ticks, silent=True)
    assert ticks.unanswered and len(ticks.producer.answers) == acknowledged, "acknowledged without a journal"

    disk.empty()
    begin = time.monotonic()
    ticks.producer.wait(len(ticks.sent))
    answered = time.monotonic() - begin
    eventually(lambda: daemon.get("/readyz").status == 200, "/readyz")
    report(
        f"full disk: {sum(map(ticks.size, ticks.sent))} ticks, of which {sum(map(ticks.size, ticks.sent[acknowledged:]))} waited; "
        f"acknowledged {answered:.2f} s, ready {time.monotonic() - begin:.2f} s after there was room")
    assert metric(daemon, "store_writable") == 1 and metric(daemon, "journal_writable") == 1
    assert "the database takes writes again" in daemon.log() and "the journal takes ticks again" in daemon.log()
    steady(ticks, 5)
    ticks.settle()
    ticks.check()
    check_stream(stream, daemon, 0)
    assert_forming_waits(stream)


def test_ticks_that_wait_for_a_full_journal_are_acknowledged_soon_after_there_is_room_though_nothing_else_happens(disk_daemon):
    """Rule 10: when it recovers, all goes on; no further tick and no request is needed for it."""
    disk, daemon = disk_daemon(megabytes=60, leaving=21 << 20)
    ticks = Ticks(daemon)
    steady(ticks)
    disk.fill()
    while not ticks.unanswered:
        ticks.flood()
        until = time.monotonic() + 1
        while ticks.unanswered and time.monotonic() < until:
            time.sleep(0.01)
    # The loop has nothing to do for longer than the disk takes to be tried again.
    time.sleep(0.6)
    disk.empty()
    begin = time.monotonic()
    ticks.producer.wait(len(ticks.sent), timeout=20)
    waited = time.monotonic() - begin
    report(f"full disk: an idle daemon acknowledged {waited:.2f} s after there was room")
    assert waited < 3


def test_killed_on_a_full_disk_it_has_every_acknowledged_tick_when_there_is_room(disk_daemon):
    disk, daemon = disk_daemon(megabytes=60, leaving=21 << 20)
    ticks = Ticks(daemon)
    steady(ticks)
    disk.fill()
    eventually(lambda: ticks.frame() or not_ready(daemon, "database: full"), "503 with the reason", interval=0.05)
    steady(ticks, 20)
    while ticks.unanswered < 3:
        ticks.flood()
        until = time.monotonic() + 0.7
        while ticks.unanswered and time.monotonic() < until:
            time.sleep(0.01)
    daemon.process.kill()
    daemon.process.wait(10)
    ticks.producer.drain()
    kept = len(ticks.producer.answers)
    # A start without room says so, or serves what there is; it loses nothing.
    daemon.spawn()
    try:
        code = daemon.process.wait(3)
        report(f"full disk: a start without room ends with {code}: {daemon.log().strip().splitlines()[-1][:200]}")
        assert code == 74, daemon.log()
    except subprocess.TimeoutExpired:
        report("full disk: a start without room serves")
        daemon.process.kill()
        daemon.process.wait(10)
    disk.empty()
    daemon.start()
    eventually(lambda: daemon.get("/readyz").status == 200, "/readyz")
    del ticks.sent[kept:]
    ticks.again()
    ticks.settle()
    ticks.check()


def locked(daemon):
    """Another process that holds the database's lock until it is told to end."""
    holder = subprocess.Popen(
        [sys.executable, "-c",
         "import sqlite3,sys\nc=sqlite3.connect(sys.argv[1],isolation_level=None,timeout=30)\n"
         "c.execute('BEGIN IMMEDIATE')\nprint('locked',flush=True)\nsys.stdin.read()\nc.execute('ROLLBACK')\n", str(daemon.database)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "locked\n"
    return holder


def unlock(holder):
    holder.stdin.close()
    holder.stdout.close()
    assert holder.wait(10) == 0


def test_while_another_process_locks_the_database_closes_wait_and_then_all_are_told(make_daemon):
    daemon = make_daemon(BY_TICK).start()
    stream = daemon.subscriber("candle.*.*")
    ticks = Ticks(daemon)
    steady(ticks)
    holder = locked(daemon)
    eventually(lambda: ticks.frame() or not_ready(daemon, "database: locked"), "503 with the reason", interval=0.05)
    assert metric(daemon, "store_writable") == 0 and metric(daemon, "store_failures_total") > 0
    assert re.search(r"the database takes no writes.*locked", daemon.log())
    assert_nothing_is_published(stream, daemon, ticks, seconds=3)
    ticks.producer.wait(len(ticks.sent))
    page = daemon.candles("TEST", "S1", limit=1, forming=1)
    assert page[-1]["version"] is None or page[-1]["version"] <= stored_version(daemon)
    unlock(holder)
    begin = time.monotonic()
    eventually(lambda: daemon.get("/readyz").status == 200, "/readyz")
    report(f"locked database: ready {time.monotonic() - begin:.2f} s after the lock")
    assert "the database takes writes again" in daemon.log()
    ticks.settle()
    ticks.check()
    check_stream(stream, daemon, 0)
    assert_forming_waits(stream)


def test_a_lock_that_comes_again_and_again_only_delays(make_daemon):
    """The store is slow by up to a second, again and again: order, content and seam stay."""
    daemon = make_daemon(BY_TICK).start()
    stream = daemon.subscriber("candle.*.*")
    ticks = Ticks(daemon)
    for round in range(5):
        holder = locked(daemon)
        until = time.monotonic() + 0.2 * (round + 1)
        while time.monotonic() < until:
            ticks.frame()
            time.sleep(0.01)
        unlock(holder)
        steady(ticks, 3)
    late = daemon.subscriber("candle.*.*", snapshot=10_000)
    ticks.settle()
    ticks.check()
    check_stream(stream, daemon, 0)
    assert_forming_waits(stream)
    late.sync()
    copy = {}
    for message in late.messages:
        for candle in message.get("candles", [message.get("candle")] if "candle" in message else []):
            if candle["state"] != "forming":
                key = (candle["timeframe"], candle["open_time"])
                assert key not in copy or copy[key] < candle["version"]
                copy[key] = candle["version"]
    rows = daemon.sql("SELECT timeframe, open_time, version FROM candles")
    assert copy == {(row["timeframe"], row["open_time"]): row["version"] for row in rows}


def test_killed_under_a_lock_it_settles_what_waited_and_tells_it_to_who_resumes(make_daemon):
    daemon = make_daemon(BY_TICK).start()
    stream = daemon.subscriber()
    epoch = stream.subscribe("closed.*.*")["epoch"]
    ticks = Ticks(daemon)
    steady(ticks)
    holder = locked(daemon)
    steady(ticks, 30)
    stream.sync()
    last = published(stream)
    daemon.process.kill()
    daemon.process.wait(10)
    stream.wait_end()
    unlock(holder)
    daemon.start()
    again = daemon.subscriber("closed.*.*", since={"epoch": epoch, "version": last})
    ticks.again()
    ticks.settle()
    ticks.check()
    again.sync()
    told = {(c["timeframe"], c["open_time"]): c["version"] for c in stream.candles("closed", "corrected")}
    for candle in again.candles("closed", "corrected"):
        assert candle["version"] > last
        told[candle["timeframe"], candle["open_time"]] = candle["version"]
    rows = daemon.sql("SELECT timeframe, open_time, version FROM candles")
    assert told == {(row["timeframe"], row["open_time"]): row["version"] for row in rows}


def test_sigterm_while_the_database_is_locked_ends_within_5_s_and_the_next_start_has_everything(make_daemon):
    daemon = make_daemon(BY_TICK).start()
    ticks = Ticks(daemon)
    steady(ticks)
    holder = locked(daemon)
    steady(ticks, 30)
    eventually(lambda: not_ready(daemon, "database: locked"), "503 with the reason", interval=0.05)
    begin = time.monotonic()
    code = daemon.stop(signal.SIGTERM, timeout=15)
    took = time.monotonic() - begin
    unlock(holder)
    report(f"SIGTERM under a lock: exit {code} after {took:.2f} s")
    assert took < 5
    daemon.start()
    ticks.again()
    ticks.settle()
    ticks.check()
    assert code == 0


def test_beyond_the_pending_limit_ticks_are_refused_as_storage_and_taken_again_later(make_daemon):
    daemon = make_daemon({**BY_TICK, "limits": {"pending": "128KiB"}}).start()
    stream = daemon.subscriber("candle.*.*")
    ticks = Ticks(daemon)
    steady(ticks)
    assert daemon.refused("ingest") == {}
    holder = locked(daemon)

    def refused():
        ticks.frame(each=1, late=False)
        ticks.producer.wait(len(ticks.sent))
        return ticks.producer.answers[len(ticks.sent)]["refused"]

    eventually(refused, "a refused tick", interval=0.005)
    for _ in range(20):
        assert refused() == 1
    assert {error["code"] for error in ticks.producer.errors} == {"storage"}
    assert daemon.refused("ingest") == {"storage": sum(a["refused"] for a in ticks.producer.answers.values())}
    assert 0 < metric(daemon, "store_pending_bytes") < 256 << 10
    assert daemon.get("/readyz").status == 503
    unlock(holder)
    eventually(lambda: daemon.get("/readyz").status == 200, "/readyz")
    before = len(ticks.sent)
    steady(ticks, 10)
    assert all(ticks.producer.answers[frame]["refused"] == 0 for frame in range(before + 1, before + 11))
    ticks.settle()
    # Refused as a whole frame each: what was accepted is the result.
    for index in range(len(ticks.sent)):
        answer = ticks.producer.answers[index + 1]
        if answer["refused"]:
            assert answer["ticks"] == 0 and len(ticks.sent[index]) == 1
            ticks.sent[index] = []
    check_batch(daemon, "TEST", [tick for frame in ticks.sent for tick in frame], ticks.at, ticks.end)
    check_stream(stream, daemon, 0)


def test_beyond_the_pending_limit_a_full_journal_refuses_as_storage_too(disk_daemon):
    disk, daemon = disk_daemon({"limits": {"pending": "4MiB"}}, megabytes=60, leaving=21 << 20)
    ticks = Ticks(daemon)
    steady(ticks)
    disk.fill()
    # Closes nothing: it is the ticks themselves that wait.
    while "storage" not in daemon.refused("ingest"):
        ticks.flood()
        time.sleep(0.05)
        assert len(ticks.sent) < 400, "nothing was refused"
    assert metric(daemon, "journal_writable") == 0
    memory = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{daemon.process.pid}/status").read()).group(1))
    for _ in range(10):
        ticks.flood()
    time.sleep(0.2)
    more = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{daemon.process.pid}/status").read()).group(1))
    assert more < memory + (32 << 10), "what is refused is not kept"
    disk.empty()
    ticks.producer.wait(len(ticks.sent))
    for index, sent in enumerate(ticks.sent):
        answer = ticks.producer.answers[index + 1]
        assert answer["ticks"] + answer["refused"] == ticks.size(sent)
        if answer["refused"]:
            (at, price, volume, count), = sent
            ticks.sent[index] = [(at, price, volume, answer["ticks"])] if answer["ticks"] else []
    before = len(ticks.sent)
    steady(ticks, 5)
    ticks.settle()
    assert all(ticks.producer.answers[frame]["refused"] == 0 for frame in range(before + 1, len(ticks.sent) + 1))
    check_batch(daemon, "TEST", [tick for frame in ticks.sent for tick in frame], ticks.at, ticks.end)


def test_on_a_disk_that_turned_read_only_nothing_is_published_and_after_its_repair_nothing_acknowledged_is_missing(disk_daemon):
    disk, daemon = disk_daemon(megabytes=96, kind=FragileDisk)
    stream = daemon.subscriber("candle.*.*")
    ticks = Ticks(daemon)
    steady(ticks)
    eventually(lambda: metric(daemon, "store_pending_bytes") == 0, "the commits")
    disk.break_it()
    eventually(lambda: ticks.frame() or daemon.get("/readyz").status == 503, "503", interval=0.05)
    assert "database: " in daemon.get("/readyz").text
    assert metric(daemon, "store_writable") == 0
    assert re.search(r"the database takes no writes.*(readonly|read-only|read_only|I/O)", daemon.log()), daemon.log()
    assert_nothing_is_published(stream, daemon, ticks)
    assert daemon.process.poll() is None
    begin = time.monotonic()
    assert daemon.stop(timeout=15) in (0, 74)
    assert time.monotonic() - begin < 5
    disk.repair()
    daemon.start()
    eventually(lambda: daemon.get("/readyz").status == 200, "/readyz")
    # What came after the failure never reached the disk. What was there before it is there.
    rows = {(c["timeframe"], c["open_time"]): c["version"] for c in stream.candles("closed", "corrected")}
    for row in daemon.sql("SELECT timeframe, open_time, version FROM candles"):
        rows.pop((row["timeframe"], row["open_time"]), None)
    assert rows == {}, "published, not stored"


def test_a_read_only_disk_is_named_at_the_start_and_a_start_on_a_writable_one_goes_on(disk_daemon):
    disk, daemon = disk_daemon()
    ticks = Ticks(daemon)
    steady(ticks)
    assert daemon.stop() == 0
    mount("-o", "remount,ro", disk.folder)
    daemon.spawn()
    assert daemon.process.wait(10) == 74
    assert re.search(r"read.?only|writable", daemon.log(), re.IGNORECASE), daemon.log()
    mount("-o", "remount,rw", disk.folder)
    daemon.start()
    ticks.again()
    ticks.settle()
    ticks.check()


def test_on_a_disk_with_less_room_than_a_segment_of_the_journal_the_database_goes_on(disk_daemon):
    """What lays out the next segment must not take, again and again, the room that the database still has."""
    disk, daemon = disk_daemon(megabytes=60, leaving=26 << 20)
    ticks = Ticks(daemon)
    least = disk.free()
    until = time.monotonic() + 4
    while time.monotonic() < until:
        ticks.frame()
        least = min(least, disk.free())
        time.sleep(0.002)
    ticks.producer.wait(len(ticks.sent))
    report(f"little room: at least {least >> 10} KiB were free, {metric(daemon, 'store_failures_total'):.0f} transactions failed")
    assert metric(daemon, "store_failures_total") == 0
    assert least > 2 << 20, "the room was taken for a moment"
    assert metric(daemon, "journal_prepared") == 0
    assert re.search(r"error: the next segment of the journal cannot be laid out.* error=", daemon.log()), daemon.log()
    ticks.settle()
    ticks.check()


def test_while_the_journal_takes_no_ticks_nobody_is_shown_those_that_wait(disk_daemon):
    """docs/journal.md: everything is in the journal before it takes effect outside."""
    disk, daemon = disk_daemon(megabytes=60, leaving=21 << 20)
    ticks = Ticks(daemon)
    disk.fill()
    while ticks.unanswered < 3:
        ticks.flood()
        until = time.monotonic() + 0.5
        while ticks.unanswered and time.monotonic() < until:
            time.sleep(0.01)
    assert metric(daemon, "journal_writable") == 0
    shown = daemon.candles("TEST", "M5", forming=1)
    snapshot = daemon.subscriber("candle.M5.TEST", snapshot=5).wait(lambda m: m["type"] == "snapshot")["candles"]
    daemon.process.kill()
    daemon.process.wait(10)
    disk.empty()
    daemon.start()
    kept = daemon.candles("TEST", "M5", forming=1)[-1]["ticks"]
    assert kept >= sum(answer["ticks"] for answer in ticks.producer.answers.values())
    for candles in (shown, snapshot):
        assert all(candle["ticks"] <= kept for candle in candles), f"{candles[-1]['ticks'] - kept} ticks were shown and are gone"
