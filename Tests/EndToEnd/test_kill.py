"""`kill -9` at random moments under a producer that waits for acknowledgements (contract, sections 2 and 3, rules 7 and 11).

One frame has 500 ticks of `ONCE`, which are never sent again, and 500 of `AGAIN`, which are sent again with their trade
ids until they are acknowledged, some of them late. So every acknowledged tick must be counted exactly once, one of
`ONCE` without an acknowledgement at most once, and the candles of `AGAIN` are the batch result.
"""

import os
import random
import time

from support.long import report, size
from support.model import INTERVALS, MINUTE
from support.raw import RawProducer
from support.waiting import eventually

KILLS = int(os.environ.get("CANDLED_KILLS", size(10, 200)))
TIMEFRAMES = ["S1", "S5", "M1"]
CONFIGURATION = {
    "timeframes": TIMEFRAMES, "clock": {"source": "feed"}, "settlement": {"empty_candles": "none"},
    "indicators": {"ma": [5]}, "limits": {"max_message": "4MiB"}}
START = 1_600_000_200_000
HALF = 500
#: Frames under way at most.
WINDOW = 8
#: Ticks a second that the producer has to reach.
RATE = 20_000


def once(number):
    """(time, price) of the ticks of `ONCE` of a frame: a second of its own."""
    generator = random.Random(number)
    return [(START + number * 1000 + 2 * i, generator.randrange(1000, 2000)) for i in range(HALF)]


def again(number):
    """(time, price, volume, id) of the ticks of `AGAIN` of a frame: some of them late by up to 20 s."""
    generator = random.Random(-1 - number)
    ticks = []
    for i in range(HALF):
        late = generator.randrange(1, 21) if i % 100 == 7 else 0
        ticks.append((
            START + max(0, number - late) * 1000 + generator.randrange(1000), generator.randrange(1000, 2000),
            generator.randrange(1, 10), number * HALF + i))
    return ticks


def lines_once(number):
    return [f"ONCE,{at},{price / 10},1" for at, price in once(number)]


def lines_again(number):
    return [f"AGAIN,{at},{price / 10},{volume},{id}" for at, price, volume, id in again(number)]


class Driver:
    """Sends, counts what was acknowledged, and kills."""

    def __init__(self, daemon, seed):
        self.daemon = daemon
        self.random = random.Random(seed)
        self.next = 0
        self.acknowledged = set()
        self.lost = set()
        #: Frames whose ticks of `AGAIN` are not acknowledged yet.
        self.open = []
        self.ticks = 0
        self.seconds = 0.0
        self.most_open = 0
        self.starts = []

    def run(self):
        """Produces until the moment comes, as fast as frames are taken or a hundred of them a second; then kills."""
        fast = self.random.random() < 0.5
        duration = 0.02 + self.random.random() * (0.1 if fast else 0.4)
        producer = RawProducer(self.daemon.port)
        repeated, self.open = self.open, []
        sent = []
        try:
            for number in repeated:
                producer.send("\n".join(lines_again(number)).encode())
                sent.append((number, False))
            begin = time.monotonic()
            while time.monotonic() < begin + duration:
                producer.poll()
                while len(sent) - len(producer.answers) >= WINDOW:
                    producer.poll(0.05)
                producer.send("\n".join(lines_once(self.next) + lines_again(self.next)).encode())
                sent.append((self.next, True))
                self.next += 1
                if not fast:
                    time.sleep(0.008)
            self.seconds += time.monotonic() - begin
        finally:
            self.daemon.process.kill()
            self.daemon.process.wait(10)
        producer.drain()
        producer.close()
        assert producer.errors == [] or {e["code"] for e in producer.errors} == {"duplicate"}, producer.errors[:3]
        for index, (number, whole) in enumerate(sent):
            answer = producer.answers.get(index + 1)
            if answer is None:
                self.open.append(number)
                if whole:
                    self.lost.add(number)
                continue
            assert answer["ticks"] + answer["refused"] == (2 * HALF if whole else HALF), answer
            if whole:
                assert answer["refused"] == 0, answer
                self.acknowledged.add(number)
            else:
                assert answer["refused"] in (0, HALF), "half a frame was kept"
            self.ticks += answer["ticks"]
        self.most_open = max(self.most_open, len(self.open))

    def start(self):
        """Starts again; some starts are killed on their way."""
        kills = 0
        while self.random.random() < 0.25:
            self.daemon.spawn()
            time.sleep(self.random.random() * 0.3)
            self.daemon.process.kill()
            self.daemon.process.wait(10)
            kills += 1
        begin = time.monotonic()
        self.daemon.start()
        self.starts.append(time.monotonic() - begin)
        return kills


def batch(ticks, interval):
    """By open time: [first, last, high, low, volume, turnover, ticks], in whole tenths; first and last with their order."""
    candles = {}
    for at, price, volume, id in ticks:
        place = at // interval * interval
        one = candles.get(place)
        key = (at, id, price)
        if one is None:
            candles[place] = [key, key, price, price, volume, price * volume, 1]
            continue
        one[0] = min(one[0], key)
        one[1] = max(one[1], key)
        one[2] = max(one[2], price)
        one[3] = min(one[3], price)
        one[4] += volume
        one[5] += price * volume
        one[6] += 1
    return candles


def folded(shorter, interval):
    """What `batch` yields for a longer interval."""
    candles = {}
    for at, one in shorter.items():
        place = at // interval * interval
        into = candles.get(place)
        if into is None:
            candles[place] = list(one)
            continue
        into[0], into[1] = min(into[0], one[0]), max(into[1], one[1])
        into[2], into[3] = max(into[2], one[2]), min(into[3], one[3])
        for index in (4, 5, 6):
            into[index] += one[index]
    return candles


def stored(daemon, symbol, timeframe, end):
    """By open time, from all pages."""
    found, begin = {}, START
    while begin is not None:
        page = daemon.page(symbol, timeframe, **{"from": begin, "to": end, "limit": 10_000, "indicators": 0})
        for candle in page["candles"]:
            assert candle["open_time"] not in found, f"{symbol} {timeframe} {candle['open_time']} is stored twice"
            found[candle["open_time"]] = candle
        begin = page["next"]
    return found


def values(candle):
    return tuple(candle[key] for key in ("open", "close", "high", "low", "volume", "turnover", "ticks"))


def expected(one):
    first, last, high, low, volume, turnover, ticks = one
    return (first[2], last[2], high, low, volume * 10, turnover, ticks)


def tenths(candle):
    open, close, high, low, volume, turnover, ticks = values(candle)
    return (open * 10, close * 10, high * 10, low * 10, volume * 10, turnover * 10, ticks)


def test_whatever_is_acknowledged_is_counted_once_over_kills_at_random_moments(make_daemon):
    daemon = make_daemon(CONFIGURATION).start()
    driver = Driver(daemon, seed=11)
    kills, began = 0, time.monotonic()
    while kills < KILLS:
        driver.run()
        kills += 1 + driver.start()
    # What is still open is sent, and everything settles.
    producer = RawProducer(daemon.port)
    rest, driver.open = driver.open, []
    for number in rest:
        producer.send("\n".join(lines_again(number)).encode())
    end = START + (driver.next + 600) * 1000 // MINUTE * MINUTE
    producer.send(f"ONCE,{end},1,1\nAGAIN,{end},1,1,{10**12}".encode())
    producer.wait(len(rest) + 1)
    assert all(answer["refused"] in (0, HALF) for answer in producer.answers.values())
    producer.close()
    eventually(lambda: daemon.metrics()["candled_store_pending_bytes"] == 0, "the last commit", timeout=5)
    rate = driver.ticks / driver.seconds
    report(
        f"kill -9: {kills} kills ({kills - len(driver.starts)} of them during a start), {driver.next} frames, "
        f"{len(driver.acknowledged)} acknowledged, {len(driver.lost)} not; {driver.ticks} ticks acknowledged at {rate:,.0f}/s; "
        f"longest start {max(driver.starts):.2f} s; {time.monotonic() - began:.0f} s in all")
    assert rate >= RATE, f"the producer only reached {rate:,.0f} ticks a second"
    assert len(driver.acknowledged) > KILLS
    began = time.monotonic()

    # ONCE: a frame has a second of its own.
    seconds = stored(daemon, "ONCE", "S1", end)
    assert set(seconds) <= {START + number * 1000 for number in range(driver.next)}
    kept = 0
    for number in range(driver.next):
        candle = seconds.get(START + number * 1000)
        whole, = batch([(at, price, 1, 0) for at, price in once(number)], 1000).values()
        if number in driver.acknowledged:
            assert candle is not None, f"acknowledged frame {number} is lost"
            assert tenths(candle) == expected(whole), f"acknowledged frame {number}"
        elif candle is not None:
            kept += 1
            assert candle["ticks"] <= HALF, f"frame {number} was counted more than once"
            if candle["ticks"] == HALF:
                assert tenths(candle) == expected(whole), f"frame {number}"
    report(f"kill -9: of {len(driver.lost)} frames without acknowledgement {kept} were kept")
    for timeframe in ("S5", "M1"):
        longer = {}
        for at in sorted(seconds):
            longer.setdefault(at // INTERVALS[timeframe] * INTERVALS[timeframe], []).append(seconds[at])
        found = stored(daemon, "ONCE", timeframe, end)
        assert set(found) == set(longer)
        for at, parts in longer.items():
            assert values(found[at]) == (
                parts[0]["open"], parts[-1]["close"], max(c["high"] for c in parts), min(c["low"] for c in parts),
                sum(c["volume"] for c in parts), sum(c["turnover"] for c in parts), sum(c["ticks"] for c in parts))

    # AGAIN: the batch result over everything that was sent.
    seconds = batch((tick for number in range(driver.next) for tick in again(number)), 1000)
    for timeframe in TIMEFRAMES:
        model = folded(seconds, INTERVALS[timeframe])
        found = stored(daemon, "AGAIN", timeframe, end)
        assert sorted(found) == sorted(model), timeframe
        for at, candle in found.items():
            assert tenths(candle) == expected(model[at]), (timeframe, at)
    versions = [row["version"] for row in daemon.sql("SELECT version FROM candles")]
    assert len(versions) == len(set(versions))
    begin = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - begin < 5, "SIGTERM ends it within 5 s"
