"""SIGSTOP for seconds while ticks are sent (contract, section 3, rules 3 and 7).

What waited in the sockets settles before the clock does, nothing settles twice, and nothing of it is lost.
"""

import time

import pytest

from support import model
from support.long import report, size
from support.model import SECOND
from support.raw import RawProducer
from support.waiting import eventually, wall_ms

SYMBOLS = ["AAA", "BBB", "CCC"]
STOPS = size([2.5], [1, 2.5, 6, 12])


def until(moment):
    eventually(lambda: wall_ms() >= moment, "a moment", interval=0.002)


@pytest.mark.parametrize("seconds", STOPS)
def test_ticks_that_waited_settle_before_the_clock_and_nothing_settles_twice(make_daemon, seconds):
    """While the process stands, ticks of every second come, over several connections; the last one lies open still."""
    daemon = make_daemon({
        "timeframes": ["S1", "S5"], "settlement": {"grace": "150ms", "correction_window": "60s"}, "indicators": {"ma": [5]}}).start()
    stream = daemon.subscriber("candle.*.*")
    producers = {symbol: RawProducer(daemon.port, f"/{symbol}") for symbol in SYMBOLS}
    ticks = {symbol: [] for symbol in SYMBOLS}

    def send(symbol):
        number = len(ticks[symbol])
        tick = (wall_ms(), 100 + number % 9, 1, number)
        ticks[symbol].append(tick)
        producers[symbol].send(",".join(map(str, tick)).encode())

    begin = model.open_time(wall_ms(), "S1") + SECOND
    until(begin + 300)
    for symbol in SYMBOLS:
        send(symbol)
        producers[symbol].wait(1)
    daemon.pause()
    stopped = wall_ms()
    try:
        while wall_ms() < stopped + seconds * 1000:
            for symbol in SYMBOLS:
                send(symbol)
            time.sleep(0.05)
    finally:
        daemon.resume()
    resumed = wall_ms()
    # Whole seconds between, and the one in which it stopped: a tick at or past the end of each was there.
    for symbol in SYMBOLS:
        producers[symbol].wait(len(ticks[symbol]))
    waited = max(tick[0] for tick in ticks["AAA"])
    settled = [at for at in range(begin, model.open_time(waited, "S1"), SECOND)]
    for symbol in SYMBOLS:
        for at in settled:
            candle = stream.wait_candle("closed", "S1", at, symbol)
            assert (candle["settled_by"], candle["revision"], candle["complete"]) == ("tick", 0, at > begin), candle
        first = model.open_time(begin, "S5") + 5 * SECOND
        for at in range(first, model.open_time(waited, "S5"), 5 * SECOND):
            candle = stream.wait_candle("closed", "S5", at, symbol)
            assert (candle["settled_by"], candle["complete"]) == ("tick", True), candle
    # Then the clock goes on as ever.
    last = model.open_time(resumed, "S1") + 2 * SECOND
    for symbol in SYMBOLS:
        assert stream.wait_candle("closed", "S1", last, symbol)["settled_by"] == "clock"
    stream.sync()
    assert daemon.get("/v1/gaps").json["gaps"] == [], "it was connected all the time"
    assert stream.of("corrected", "gap") == []
    closed = [(c["symbol"], c["timeframe"], c["open_time"]) for c in stream.candles("closed")]
    assert len(closed) == len(set(closed)), "settled twice"
    versions = [c["version"] for c in stream.candles("closed")]
    assert versions == sorted(set(versions))
    for symbol in SYMBOLS:
        assert all(answer["refused"] == 0 for answer in producers[symbol].answers.values())
        for timeframe in ("S1", "S5"):
            expected = {at: one for at, one in model.fold(ticks[symbol], timeframe).items() if at + model.INTERVALS[timeframe] <= last}
            found = {c["open_time"]: c for c in daemon.candles(symbol, timeframe, limit=1000) if c["ticks"]}
            assert {at: model.content(found[at]) for at in expected} == {at: model.content(one) for at, one in expected.items()}
        times = [c["open_time"] for c in daemon.candles(symbol, "S1", limit=1000)]
        assert times == list(range(times[0], times[-1] + 1, SECOND)), "a hole"
    report(f"stopped for {seconds} s: {len(settled)} seconds of {len(SYMBOLS)} symbols settled by the ticks that waited")
    for producer in producers.values():
        producer.close()


def test_a_flood_that_waited_longer_than_a_second_of_reading_still_settles_once(make_daemon):
    """More than a stalled process reads in one go: whatever settles, the candles are those of one pass."""
    daemon = make_daemon({
        "timeframes": ["S1", "S5"], "settlement": {"grace": "150ms"}, "limits": {"max_message": "4MiB"}, "indicators": {"ma": [5]}}).start()
    stream = daemon.subscriber("closed.*.*")
    producers = [RawProducer(daemon.port, "/TEST") for _ in range(8)]
    begin = model.open_time(wall_ms(), "S1") + SECOND
    until(begin + 100)
    producers[0].send(f"{begin + 100},100,1".encode())
    producers[0].wait(1)
    size_of_frame = 4_000
    daemon.pause()
    sent = {begin: 1}
    try:
        while wall_ms() < begin + 2_500:
            for producer in producers:
                now = wall_ms()
                # What the kernel's buffers do not take would wait for the daemon.
                if producer.sent < 12:
                    at = model.open_time(now, "S1")
                    if producer.send_what_fits(f"{now},101,1\n".encode() * size_of_frame):
                        sent[at] = sent.get(at, 0) + size_of_frame
            time.sleep(0.2)
    finally:
        daemon.resume()
    for producer in producers:
        producer.finish()
        producer.wait(producer.sent)
        assert all(answer["refused"] == 0 for answer in producer.answers.values()), producer.errors[:3]
    end = model.open_time(wall_ms(), "S1") + SECOND
    stream.wait_candle("closed", "S1", end)
    stream.sync()
    closed = [(c["timeframe"], c["open_time"]) for c in stream.candles("closed")]
    assert len(closed) == len(set(closed)), "settled twice"
    found = {c["open_time"]: c["ticks"] for c in daemon.candles("TEST", "S1") if c["ticks"]}
    assert found == sent
    for producer in producers:
        producer.close()
