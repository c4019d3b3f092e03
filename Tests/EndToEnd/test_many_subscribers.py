"""A thousand readers of which fifty stop reading: nobody else notices (contract, section 5)."""

import asyncio
import json
import os
import socket
import statistics
import time

from support.long import report, size
from support.model import MINUTE
from support.raw import CheapReader, RawProducer, SharedStream, frames

READERS = int(os.environ.get("CANDLED_READERS", size(1000, 1000)))
DEAF = READERS // 20
ROUNDS = size(25, 200)
SYMBOLS = [f"SYM{number:02}" for number in range(20)]
START = 1_600_000_200_000
CONFIGURATION = {
    "timeframes": ["M1", "M5"], "clock": {"source": "feed"}, "stream": {"max_backlog": "512KiB"},
    "settlement": {"empty_candles": "none"}, "limits": {"max_message": "4MiB"}}


class Scene:
    """Readers, and rounds in each of which every symbol closes a minute."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.producer = RawProducer(daemon.port)
        self.shared = SharedStream()
        self.readers = []
        self.minute = 0

    async def connect(self, count, small):
        """The first `small` have a small receive buffer: little waits for them in the kernel."""
        loop = asyncio.get_running_loop()
        for start in range(0, count, 100):
            group = []
            for number in range(start, min(start + 100, count)):
                link = socket.socket()
                if number < small:
                    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
                link.connect(("127.0.0.1", self.daemon.port))
                link.setblocking(False)
                _, reader = await loop.create_connection(
                    lambda: CheapReader(self.shared, self.daemon.port, ["closed.*.*"]), sock=link)
                group.append(reader)
            await asyncio.gather(*(reader.subscribed for reader in group))
            self.readers += group
        self.epoch = self.readers[0].subscribed.result()["epoch"]

    def send(self, minutes=1):
        """Ticks that close so many minutes of every symbol; two of them correct what is closed."""
        lines = []
        for _ in range(minutes):
            at = START + self.minute * MINUTE
            lines += [f"{symbol},{at},{100 + self.minute % 50}.5,1" for symbol in SYMBOLS]
            if self.minute > 2:
                lines += [f"{symbol},{at - 500},{100 + self.minute % 60}.25,2" for symbol in SYMBOLS[:2]]
            self.minute += 1
        self.producer.send("\n".join(lines).encode())

    async def round(self, readers, minutes=1):
        """Sends, and waits until all of `readers` have what they must get; their delays in seconds."""
        begin = time.monotonic()
        before = self.shared.count()
        self.send(minutes)
        # How many messages come is the daemon's to say once everything is stored: a round is over when all have as much.
        deadline = begin + 60
        wanted = before + (len(SYMBOLS) * minutes if self.minute > minutes else len(SYMBOLS) * (minutes - 1))
        while True:
            await asyncio.sleep(0.001)
            if self.shared.count() >= wanted and self.is_level(readers):
                # Corrections may follow in a transaction of their own.
                await asyncio.sleep(0.02)
                if self.is_level(readers):
                    break
            assert time.monotonic() < deadline, self.state(readers)
        self.producer.poll()
        return [reader.time - begin for reader in readers]

    def is_level(self, readers):
        end = len(self.shared.data)
        return all(reader.position == end for reader in readers)

    def state(self, readers):
        behind = sum(1 for reader in readers if reader.position < len(self.shared.data))
        ended = sum(1 for reader in readers if reader.ended)
        return f"{behind} of {len(readers)} readers are behind, {ended} ended; {self.shared.count()} messages"


async def scenario(daemon):
    scene = Scene(daemon)
    await scene.connect(READERS, DEAF)
    good, deaf = scene.readers[DEAF:], scene.readers[:DEAF]
    await scene.round(scene.readers)
    await scene.round(scene.readers, 3)

    before = []
    for _ in range(ROUNDS):
        before += await scene.round(scene.readers)

    # Fifty stop reading. What the kernel holds for them is filled first; then their backlog grows, and they are cut.
    for reader in deaf:
        reader.transport.pause_reading()
    during, minutes = [], 0
    while (cut := daemon.metrics()["candled_stream_slow_consumers_total"]) < DEAF:
        for _ in range(5):
            during += await scene.round(good)
        for _ in range(4):
            await scene.round(good, 10)
        minutes += 45
        assert minutes < 40_000, f"{cut} of {DEAF} were cut"
    after = []
    for _ in range(ROUNDS):
        after += await scene.round(good)

    # Nobody else was cut or got other bytes than the others.
    assert [reader.wrong for reader in good if reader.wrong is not None] == []
    assert not any(reader.ended for reader in good)
    assert daemon.metrics()["candled_stream_slow_consumers_total"] == DEAF
    medians = [statistics.median(values) * 1000 for values in (before, during, after)]
    worst = [statistics.quantiles(values, n=100)[98] * 1000 for values in (before, during, after)]
    report(
        f"{READERS} readers, {DEAF} of them deaf: {scene.shared.count()} messages to each; delay before/while/after, "
        f"median {medians[0]:.1f}/{medians[1]:.1f}/{medians[2]:.1f} ms, 99 % {worst[0]:.1f}/{worst[1]:.1f}/{worst[2]:.1f} ms")
    return scene, good, deaf, medians


def test_readers_that_stop_reading_are_cut_while_the_others_miss_nothing_and_are_not_delayed(make_daemon):
    daemon = make_daemon(CONFIGURATION).start()

    async def everything():
        scene, good, deaf, medians = await scenario(daemon)
        # They read on what was under way; all were cut, those whom it still reaches with 1013.
        for reader in deaf:
            reader.kept = bytearray()
            reader.transport.resume_reading()
        deadline = time.monotonic() + 30
        while not all(reader.ended for reader in deaf):
            await asyncio.sleep(0.01)
            assert time.monotonic() < deadline, "a slow reader was not cut"
        for reader in good:
            reader.transport.abort()
        return scene, good, deaf, medians

    scene, good, deaf, medians = asyncio.run(everything())
    messages = [json.loads(text) for text in scene.shared.texts()]
    check_stream(messages, daemon)
    assert {message["type"] for message in messages} == {"closed", "corrected"}

    # Each of the fifty has a whole beginning of the stream; what it gets with `since` makes it whole.
    last = messages[-1]["candle"]["version"]
    newest = {(m["candle"]["symbol"], m["candle"]["timeframe"], m["candle"]["open_time"]): m["candle"]["version"] for m in messages}
    told = 0
    for index, reader in enumerate(deaf):
        whole, code, reason = beginning(scene.shared.data, reader)
        if code is not None:
            told += 1
            assert (code, reason) == (1013, "slow consumer")
        if index % (DEAF // 10):
            continue
        had = messages[:whole]
        version = had[-1]["candle"]["version"]
        again = daemon.subscriber("closed.*.*", since={"epoch": scene.epoch, "version": version})
        again.wait(lambda m: "candle" in m and m["candle"]["version"] == last)
        again.sync()
        versions = [candle["version"] for candle in again.candles("closed", "corrected")]
        assert versions == sorted(set(versions)) and versions[0] > version
        copy = {}
        for message in [*had, *again.of("closed", "corrected")]:
            candle = message["candle"]
            copy[candle["symbol"], candle["timeframe"], candle["open_time"]] = candle["version"]
        assert copy == newest
        again.close()
    report(f"{READERS} readers: of {DEAF} that were cut {told} got the close code")
    assert medians[1] < medians[0] * 3 + 10, "the others are delayed while some do not read"
    assert medians[2] < medians[0] * 2 + 10, "the others are delayed after some were cut"


def beginning(stream, reader):
    """Messages that a cut reader has in whole, and its close code and reason, if they came."""
    at, kept = reader.position, reader.kept
    low, high = 0, min(len(kept), len(stream) - at)
    while low < high:
        middle = (low + high + 1) // 2
        if stream[at:at + middle] == kept[:middle]:
            low = middle
        else:
            high = middle - 1
    found, used = frames(stream[:at + low])
    rest = kept[low - (at + low - used):]
    others, _ = frames(rest)
    # A close frame may look like the beginning of a message; a message cut in its middle is the end of all.
    code, reason = None, ""
    for opcode, payload in others:
        assert opcode == 8, "after the cut came something else than the close"
        code, reason = int.from_bytes(payload[:2], "big"), payload[2:].decode()
    return len(found), code, reason


def check_stream(messages, daemon):
    """Each version exactly once, in order, and the copy of it all equals the database."""
    versions = [message["candle"]["version"] for message in messages]
    assert versions == sorted(set(versions))
    closes = {}
    copy = {}
    for message in messages:
        candle = message["candle"]
        key = (candle["symbol"], candle["timeframe"])
        if message["type"] == "closed":
            assert candle["open_time"] > closes.get(key, 0)
            closes[key] = candle["open_time"]
        place = (*key, candle["open_time"])
        assert candle["revision"] == (copy[place][1] + 1 if place in copy else candle["revision"])
        copy[place] = (candle["version"], candle["revision"], candle["ticks"], candle["volume"])
    rows = daemon.sql("SELECT symbol, timeframe, open_time, version, revision, ticks, volume FROM candles")
    assert copy == {
        (r["symbol"], r["timeframe"], r["open_time"]): (r["version"], r["revision"], r["ticks"], r["volume"]) for r in rows}
