"""After `kill -9`: every acknowledged tick is there, nothing is doubled (contract, sections 2 and 3, rule 11)."""

import random

import pytest

from support import model
from support.model import MINUTE
from support.producer import Producer
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d", "empty_candles": "none"}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def kill(daemon):
    daemon.process.kill()
    daemon.process.wait(10)
    daemon.start()


def test_acknowledged_ticks_survive_kill_9_in_the_forming_candle(make_daemon):
    """S50: the open is the first trade's, the volume all that was acknowledged."""
    daemon = make_daemon(BY_TICK).start()
    at = ahead()
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    for number in range(400):
        producer.send(f"{at + number},{100 + number},1,{number}")
    producer.ack(400)
    kill(daemon)
    for timeframe in ("M1", "M5", "M15"):
        candle = daemon.candles("TEST", timeframe, forming=1)[-1]
        assert model.content(candle, ("open", "high", "low", "close", "volume", "ticks")) == (100, 499, 100, 499, 400, 400)
        assert candle["state"] == "forming"
    again = Producer(daemon.port, "/TEST", "?ack=1")
    again.send(f"{at + 500},50,1,399\n{at + 500},90,1,400")
    assert again.ack(1) == {"type": "ack", "frame": 1, "ticks": 1, "refused": 1}, "ids are known over a crash"
    assert daemon.candles("TEST", "M1", forming=1)[-1]["volume"] == 401
    again.close()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_again_and_again_the_result_is_the_batch_result(make_daemon, seed):
    """Rule 7: whoever sends again what was not acknowledged has every tick once, late ones included."""
    daemon = make_daemon(BY_TICK).start()
    at = ahead()
    generator = random.Random(seed)
    ticks = []
    for number in range(1500):
        back = generator.choice([0, 0, 0, 0, 20_000, 70_000])
        ticks.append((max(at, at + number * 1000 - back), generator.randrange(90, 110), generator.randrange(1, 9), number))
    size, place = 10, 0
    while place < len(ticks):
        producer = Producer(daemon.port, "/TEST", "?ack=1")
        frames = [ticks[start:start + size] for start in range(place, len(ticks), size)]
        until = generator.randrange(5, 60)
        sent = frames[:until]
        try:
            for frame in sent:
                producer.send("\n".join(",".join(map(str, tick)) for tick in frame))
            if generator.random() < 0.5:
                producer.ack(max(1, len(sent) // 2))
        finally:
            daemon.process.kill()
            daemon.process.wait(10)
        producer.ended.wait(10)
        acknowledged = sum(1 for m in producer.messages if m["type"] == "ack")
        place += acknowledged * size
        producer.close()
        daemon.start()
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    end = at + 60 * MINUTE
    producer.send(f"{end},100,1,999999")
    producer.ack(1)
    for timeframe in ("M1", "M5", "M15"):
        expected = model.fold(ticks, timeframe)
        eventually(lambda: len(daemon.candles("TEST", timeframe, to=end)) == len(expected), f"the {timeframe} candles")
        for candle in daemon.candles("TEST", timeframe, to=end):
            assert model.content(candle) == model.content(expected[candle["open_time"]]), (timeframe, candle["open_time"])
    versions = daemon.sql("SELECT version FROM candles")
    assert len({row["version"] for row in versions}) == len(versions)
    producer.close()


def test_what_was_published_before_a_kill_is_stored_after_it(make_daemon):
    daemon = make_daemon(BY_TICK).start()
    at = ahead()
    stream = daemon.subscriber("closed.*.*")
    producer = Producer(daemon.port, "/TEST")
    for number in range(60):
        producer.send(f"{at + number * MINUTE},{100 + number},1")
    stream.wait_candle("closed", "M1", at + 20 * MINUTE)
    daemon.process.kill()
    daemon.process.wait(10)
    stream.wait_end()
    daemon.start()
    stored = {(row["timeframe"], row["open_time"]): row for row in daemon.sql("SELECT * FROM candles")}
    for candle in stream.candles("closed", "corrected"):
        row = stored[candle["timeframe"], candle["open_time"]]
        assert row["version"] >= candle["version"] and row["revision"] >= candle["revision"]
        assert row["close"] == candle["close"]
