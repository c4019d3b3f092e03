"""Readers that go and come back at random moments, with corrections, gaps and `kill -9` between (contract, sections 3 and 5).

At the end the copy of each equals the database: no hole, no double, versions only rising.
"""

import random
import threading
import time

import pytest
from websockets.exceptions import WebSocketException

from support import model
from support.long import report, size
from support.model import MINUTE, SECOND
from support.raw import Gone, RawProducer
from support.stream import Subscriber
from support.waiting import eventually, wall_ms

TIMEFRAMES = ["S1", "S5", "M1"]
SYMBOLS = ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF"]
DURATION = size(15, 240)
KILLS = size(2, 12)
COLUMNS = ("open", "high", "low", "close", "volume", "turnover", "ticks", "revision", "settled_by", "origin", "complete", "version")


def configuration(empty):
    return {
        "timeframes": TIMEFRAMES, "settlement": {"max_ahead": "1d", "empty_candles": empty},
        "stream": {"forming_interval": "20ms"}, "indicators": {"ma": [5]}}


class Pump:
    """Ticks of six symbols, one of which appears later, some late; each sent again until it is acknowledged."""

    def __init__(self, daemon, seed):
        self.daemon, self.random = daemon, random.Random(seed)
        self.at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
        self.now = 0
        self.ticks = {symbol: [] for symbol in SYMBOLS}
        self.open = []
        self.producer = None
        self.frames = 0
        self.failure = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _frame(self):
        self.now += self.random.randrange(0, 500) if self.random.random() < 0.97 else 6_000
        lines = []
        for symbol in self.random.sample(SYMBOLS[:5] if self.frames < 300 else SYMBOLS, 3):
            for _ in range(self.random.randrange(1, 4)):
                late = self.random.choice([0, 0, 0, 0, 0, 1_500, 7_000, 30_000])
                tick = (
                    self.at + max(0, self.now - late), self.random.randrange(900, 1100), self.random.randrange(1, 9),
                    len(self.ticks[symbol]))
                self.ticks[symbol].append(tick)
                lines.append(f"{symbol},{','.join(map(str, tick))}")
        self.frames += 1
        return "\n".join(lines).encode()

    def _send(self, payload):
        """Sends a frame; on a new connection all that are open."""
        self.open.append(payload)
        while True:
            try:
                if self.producer is None:
                    self.producer = RawProducer(self.daemon.port)
                    self.producer.done = 0
                    for one in list(self.open):
                        self.producer.send(one)
                else:
                    self.producer.send(payload)
                self.producer.poll()
                self._taken()
                return
            except (Gone, OSError):
                # What it had acknowledged before it died need not be sent again.
                if self.producer is not None:
                    self.producer.drain()
                    self._taken()
                    self.producer.close()
                self.producer = None
                time.sleep(0.02)

    def _taken(self):
        """Acknowledged frames are done with."""
        count = len(self.producer.answers)
        del self.open[:count - self.producer.done]
        self.producer.done = count

    def _run(self):
        try:
            while not self._stop.is_set():
                self._send(self._frame())
                time.sleep(0.008)
        except BaseException as error:
            self.failure = error
            raise

    def stop(self):
        """Closes every candle; the end of what counts."""
        self._stop.set()
        self._thread.join(30)
        assert self.failure is None and not self._thread.is_alive()
        end = self.at + (self.now // MINUTE + 2) * MINUTE
        self._send("\n".join(f"{symbol},{end},1000,1,{10**9}" for symbol in SYMBOLS).encode())
        self.producer.wait(self.producer.sent)
        return end


class Wanderer:
    """A reader that stays for a moment and comes back with what it has."""

    def __init__(self, daemon, name, topics, wants, epoch, snapshots, seed, stay=0.5):
        self.daemon, self.name, self.topics, self.wants, self.epoch = daemon, name, topics, wants, epoch
        self.snapshots, self.stay = snapshots, stay
        self.random = random.Random(seed)
        self.version = 0
        self.copy = {}
        self.gaps = {}
        self.visits = self.messages = self.doubles = 0
        self.failure = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            while not self._stop.is_set():
                self.visit(lambda stream: self._stop.wait(self.random.random() ** 2 * self.stay))
        except BaseException as error:
            self.failure = error
            raise

    def visit(self, stays, snapshots=True):
        try:
            stream = Subscriber(f"ws://127.0.0.1:{self.daemon.port}/v1/stream")
        except (OSError, WebSocketException):
            time.sleep(0.02)
            return
        snapshot = snapshots and self.snapshots and (self.visits == 0 or self.random.random() < 0.2)
        how = {"snapshot": 10_000} if snapshot else {"since": {"epoch": self.epoch, "version": self.version}}
        try:
            stream.send({"op": "subscribe", "topics": self.topics, **how})
            stays(stream)
        except (OSError, WebSocketException):
            pass
        # Half of the time without a word.
        if self.random.random() < 0.5:
            stream.socket.socket.close()
        stream.close()
        self.visits += 1
        self.take(stream.messages, snapshot)

    def take(self, messages, snapshot):
        last = {}
        seen = set()
        newest = self.version
        for message in messages:
            kind = message["type"]
            assert kind in ("subscribed", "snapshot", "forming", "closed", "corrected", "gap"), message
            if kind == "snapshot":
                for candle in message["candles"]:
                    if candle["state"] != "forming":
                        self.keep(candle, True)
                        newest = max(newest, candle["version"])
            elif kind in ("closed", "corrected"):
                candle = message["candle"]
                version = candle["version"]
                topic = message["topic"].split(".")[0]
                assert version > last.get(topic, 0 if snapshot else self.version), f"{self.name}: versions do not rise"
                assert (message["topic"], version) not in seen
                seen.add((message["topic"], version))
                last[topic] = version
                self.keep(candle, len({t.split(".")[0] for t in self.topics}) > 1 or snapshot)
                newest = max(newest, version)
                self.messages += 1
            elif kind == "gap":
                assert message["version"] > last.get("gap", 0 if snapshot else self.version), f"{self.name}: a gap came twice"
                last["gap"] = message["version"]
                self.gaps[message["symbol"], message["from"]] = (message["to"], message["reason"])
                newest = max(newest, message["version"])
        # All that it got of one version may not have come: another topic's message of it. It is in the copy all the same.
        self.version = newest

    def keep(self, candle, may_repeat):
        key = (candle["symbol"], candle["timeframe"], candle["open_time"])
        known = self.copy.get(key)
        if known is not None:
            if may_repeat:
                assert candle["version"] >= known["version"], f"{self.name}: {key} went back"
            else:
                assert candle["version"] > known["version"], f"{self.name}: {key} came twice"
        self.copy[key] = candle

    def stop(self):
        self._stop.set()
        self._thread.join(30)
        if self.failure is not None:
            raise self.failure
        assert not self._thread.is_alive()

    def finish(self, last):
        """Stays until it has the last version of its topics."""
        if self.version < last:
            self.visit(lambda stream: stream.wait(
                lambda m: m["type"] in ("closed", "corrected") and m["candle"]["version"] >= last
                or m["type"] == "gap" and m["version"] >= last, f"version {last}"),
                # In a snapshot it would not come as a message.
                snapshots=False)

    def check(self):
        rows = {
            (row["symbol"], row["timeframe"], row["open_time"]): row for row in self.daemon.sql("SELECT * FROM candles")
            if self.wants(row["symbol"], row["timeframe"])}
        assert set(self.copy) == set(rows), (
            f"{self.name}: {len(set(rows) - set(self.copy))} candles missing, {len(set(self.copy) - set(rows))} too many")
        for key, row in rows.items():
            mine, stored = self.copy[key], dict(row, complete=bool(row["complete"]))
            assert [float(mine[c]) if isinstance(stored[c], float) else mine[c] for c in COLUMNS] == [stored[c] for c in COLUMNS], (
                self.name, key)


def check_gaps(reader):
    """The gaps that a reader of every symbol was told equal those of the database."""
    rows = reader.daemon.sql("SELECT * FROM gaps")
    assert reader.gaps == {(row["symbol"], row["from_time"]): (row["to_time"], row["reason"]) for row in rows}


READERS = [
    ("everything", ["closed.*.*"], lambda symbol, timeframe: True, False),
    ("some", ["candle.M1.*", "candle.S1.AAA"], lambda symbol, timeframe: timeframe == "M1" or (symbol, timeframe) == ("AAA", "S1"), False),
    ("both kinds", ["closed.S5.*", "closed.*.BBB", "candle.*.CCC"],
     lambda symbol, timeframe: timeframe == "S5" or symbol in ("BBB", "CCC"), False),
    ("one series", ["closed.S1.FFF"], lambda symbol, timeframe: (symbol, timeframe) == ("FFF", "S1"), False),
    ("snapshots", ["candle.*.*"], lambda symbol, timeframe: True, True),
]


@pytest.mark.parametrize("empty", ["flat"] + size([], ["none"]))
def test_readers_that_come_back_with_since_have_what_the_database_has(make_daemon, empty):
    daemon = make_daemon(configuration(empty)).start()
    stream = daemon.subscriber()
    epoch = stream.subscribe("closed.*.*")["epoch"]
    stream.close()
    pump = Pump(daemon, seed=3)
    readers = [Wanderer(daemon, *what[:3], epoch, what[3], seed) for seed, what in enumerate(READERS)]
    generator = random.Random(4)
    try:
        for _ in range(KILLS):
            time.sleep(DURATION / (KILLS + 1) * (0.7 + 0.6 * generator.random()))
            daemon.process.kill()
            daemon.process.wait(10)
            daemon.start()
        time.sleep(DURATION / (KILLS + 1))
        end = pump.stop()
        eventually(lambda: daemon.metrics()["candled_store_pending_bytes"] == 0, "the last commit")
    finally:
        for reader in readers:
            reader._stop.set()
    for reader in readers:
        reader.stop()
    last = {row["symbol"]: row for row in daemon.sql("SELECT symbol, max(version) AS version FROM candles GROUP BY symbol")}
    assert set(last) == set(SYMBOLS)
    gap = daemon.sql("SELECT coalesce(max(version), 0) AS version FROM gap")[0]["version"]
    for reader in readers:
        rows = daemon.sql("SELECT symbol, timeframe, max(version) AS version FROM candles GROUP BY symbol, timeframe")
        newest = max(row["version"] for row in rows if reader.wants(row["symbol"], row["timeframe"]))
        reader.finish(max(newest, gap) if reader.name in ("everything", "some") else newest)
        reader.check()
    check_gaps(readers[0])
    check_gaps(readers[1])
    corrected = sum(1 for candle in readers[0].copy.values() if candle["revision"])
    report(
        f"resume ({empty}): {sum(r.visits for r in readers)} visits of {len(readers)} readers over {KILLS} kills, "
        f"{sum(r.messages for r in readers)} messages; {len(readers[0].copy)} candles, {corrected} of them corrected, "
        f"{sum(map(len, pump.ticks.values()))} ticks")
    # Rule 7, all of it: every tick was sent until it was acknowledged.
    for symbol in SYMBOLS:
        for timeframe in TIMEFRAMES:
            expected = {at: one for at, one in model.fold(pump.ticks[symbol], timeframe).items() if at < end}
            found = {
                at: candle for (name, frame, at), candle in readers[0].copy.items()
                if (name, frame) == (symbol, timeframe) and candle["ticks"] and at < end}
            assert sorted(found) == sorted(expected), (symbol, timeframe)
            for at, candle in found.items():
                assert model.content(candle) == model.content(expected[at]), (symbol, timeframe, at)
