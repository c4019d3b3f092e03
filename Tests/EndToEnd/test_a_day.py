"""A day of real ticks with disconnects, kills and history fills drawn from a seed: in the end the database equals that of
a daemon that heard all of it (contract, section 3, rules 7 and 9). The day passes faster than life."""

import bisect
import random
import signal
import threading
import time
from decimal import Decimal

import pytest

from support import model
from support.data import pair_folder
from support.history import HistorySource, Market, binance
from support.long import report, size
from support.waiting import eventually, wall_ms

KEYS = (*model.CONTENT, "complete")
TIMEFRAMES = ["S1", "S5", "S15"]


def day_of_ticks():
    import gzip

    folder = pair_folder("dukascopy_eurusd_20190204")
    with gzip.open(folder / "ticks.csv.gz", "rt") as file:
        return [line.strip().split(",") for line in file]


class FastDay(Market):
    """The day from now on, so many seconds long; ids are the places of the ticks."""

    def __init__(self, exchange, seconds):
        super().__init__()
        self.exchange = exchange
        rows = day_of_ticks()
        first, last = int(rows[0][0]), int(rows[-1][0])
        self.begin_at = wall_ms() + 3_000
        self.schedule = [
            (self.begin_at + (int(at) - first) * seconds * 1_000 // (last - first), price, volume, number + 1)
            for number, (at, price, volume) in enumerate(rows)]
        self.end_at = self.schedule[-1][0]
        self.times = [trade[0] for trade in self.schedule]
        self.folded = {name: model.fold(self.schedule, name) for name in TIMEFRAMES}
        self.unsure = []
        #: Place of the first tick that was not sent.
        self.sent = 0
        self.holds = threading.Event()
        self.idle = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self):
        self._thread.start()

    def candles(self, timeframe):
        """As a source has them: of the running interval what has come until now."""
        now = wall_ms()
        return {
            at: candle for at, candle in self.folded[timeframe].items()
            if at + model.INTERVALS[timeframe] <= now}

    def quietly(self, action):
        """While nothing is on its way. Ticks of that time are lost, so it lies within one second, which is not heard whole."""
        while not 150 <= wall_ms() % 1_000 <= 300:
            time.sleep(0.005)
        self.holds.set()
        self.idle.wait(10)
        time.sleep(0.15)
        try:
            return action()
        finally:
            # Where the machine was too slow for that what is lost lies in seconds that were heard, as far as anybody knows.
            self.unsure += range(self.times[self.sent] // 1_000 * 1_000, wall_ms() // 1_000 * 1_000, 1_000)
            self.holds.clear()

    def _run(self):
        sent = 0
        self.sent = 0
        while sent < len(self.schedule):
            if self.holds.is_set():
                self.idle.set()
                time.sleep(0.01)
                continue
            self.idle.clear()
            due = bisect.bisect_right(self.times, wall_ms())
            if due > sent:
                frame = "\n".join(",".join(str(field) for field in trade) for trade in self.schedule[sent:due])
                for connection in self.exchange.of("/ticks"):
                    if connection.is_open:
                        try:
                            connection.send(frame)
                        except Exception:  # noqa: BLE001 - nobody hears it
                            pass
                sent = self.sent = due
            time.sleep(0.02)
        self.idle.set()


@pytest.mark.parametrize("seed", range(size(1, 5)))
def test_a_day_with_disconnects_kills_and_fills_equals_an_uninterrupted_one(feed_daemon, exchange, seed):
    chance = random.Random(seed)
    day = FastDay(exchange, size(45, 180))
    failing = {"until": 0}

    def fault(number, rows, body):
        if time.monotonic() < failing["until"]:
            return 503, b"busy"
        if chance.random() < 0.1:
            return 200, body[: len(body) // 2] or b"["
        return None

    source = HistorySource(day, binance, fault)
    feed = feed_daemon(
        {"timeframes": TIMEFRAMES, "settlement": {"grace": "300ms"}}, start=False,
        history={"url": source.url, "format": "binance", "omits_empty": True})
    try:
        feed.daemon.start().wait_ready()
        day.begin()
        disconnects = kills = 0
        while wall_ms() < day.end_at - 6_000:
            time.sleep(chance.uniform(1, 5))
            what = chance.random()
            number = len(exchange.of())
            if what < 0.5:
                disconnects += 1
                exchange.refusing = True
                day.quietly(lambda: feed.connection.close())
                time.sleep(chance.uniform(0, 2.5))
                exchange.refusing = False
            elif what < 0.85:
                kills += 1
                sign = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
                day.quietly(lambda: feed.daemon.stop(sign))
                time.sleep(chance.uniform(0, 2))
                feed.daemon.start()
            else:
                failing["until"] = time.monotonic() + chance.uniform(0, 2)
                continue
            exchange.connection(number=number + 1)
        failing["until"] = 0
        eventually(lambda: wall_ms() > day.end_at + 1_500, timeout=60)

        def whole():
            gaps = feed.daemon.sql("SELECT * FROM gaps")
            incomplete = feed.daemon.sql(
                "SELECT * FROM candles WHERE timeframe = 'S1' AND NOT complete AND open_time < ?", day.end_at - 1_000)
            return gaps and all(gap["filled"] for gap in gaps) and not incomplete

        eventually(whole, f"a whole day (seed {seed})", timeout=120)
        first = min(row["open_time"] for row in feed.daemon.candles("TEST", "S1", limit=1_000))
        filled = 0
        for timeframe in TIMEFRAMES:
            interval = model.INTERVALS[timeframe]
            stored = {c["open_time"]: c for c in feed.daemon.candles("TEST", timeframe, limit=10_000, indicators=0)}
            close = None
            for at in range(model.open_time(first, timeframe), day.end_at - interval - 1_000, interval):
                expected = day.folded[timeframe].get(at)
                if at < first or any(at <= begin < at + interval for begin in day.unsure):
                    close = stored[at]["close"] if at in stored else close
                    continue
                found = stored[at]
                if expected is None:
                    # Silence: a flat candle at the last close.
                    assert found["ticks"] == 0 and found["close"] == close and found["volume"] == 0, (seed, found)
                else:
                    assert model.content(found) == model.content(expected), (seed, timeframe, at, found)
                    close = expected["close"]
                assert found["complete"], (seed, timeframe, found)
                filled += found["origin"] == "history"
        assert disconnects and kills and filled
        report(f"a day: {len(day.schedule)} ticks, {disconnects} disconnects, {kills} kills, {filled} candles from history")
        assert feed.daemon.stop() == 0
        from support.daemon import candled

        assert candled("verify", "--db", feed.daemon.database).code == 0
    finally:
        source.end()
