"""After a stop and a start: versions, epoch, candles (contract, section 3, rule 11, and section 5)."""

import pytest

from support import model
from support.model import MINUTE, SECOND
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def restarted(feed):
    assert feed.daemon.stop() == 0
    number = len(feed.exchange.of())
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=number + 1)


def test_versions_go_on_and_the_epoch_stays(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    before = feed.daemon.subscriber("closed.*.*").ask({"op": "subscribe", "topics": ["closed.M1.*"]})
    feed.ticks(*[(at + n * MINUTE, 100 + n, 1) for n in range(7)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 6, "6 candles")
    last = feed.daemon.sql("SELECT max(version) AS last FROM candles")[0]["last"]
    restarted(feed)
    stream = feed.daemon.subscriber()
    after = stream.subscribe("closed.M1.*")
    assert after["epoch"] == before["epoch"]
    assert after["version"] >= last
    feed.ticks(*[(at + n * MINUTE, 100 + n, 1) for n in range(20, 22)])
    stream.wait_candle("closed", "M1", at + 20 * MINUTE)
    assert min(c["version"] for c in stream.candles("closed", "corrected")) > last
    versions = feed.daemon.sql("SELECT version FROM candles")
    assert len({row["version"] for row in versions}) == len(versions)


def test_settled_candles_are_neither_doubled_nor_changed(feed_daemon):
    feed = feed_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": "none"}})
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n, 1) for n in range(16)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M15")) == 1, "the M15 candle")
    query = "SELECT * FROM candles WHERE open_time < ? ORDER BY version"
    before = feed.daemon.sql(query, at + 15 * MINUTE)
    restarted(feed)
    feed.ticks((at + 30 * MINUTE, 200, 1), (at + 45 * MINUTE, 200, 1))
    eventually(lambda: feed.daemon.candles("TEST", "M15")[-1]["open_time"] == at + 30 * MINUTE, "the next M15 candle")
    assert feed.daemon.sql(query, at + 15 * MINUTE) == before


def test_everything_closed_is_still_served_after_a_restart(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n % 7, 1) for n in range(60)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 59, "59 candles")
    before = {name: feed.daemon.candles("TEST", name) for name in ("M1", "M5", "M15")}
    restarted(feed)
    for name, candles in before.items():
        for old, new in zip(candles, feed.daemon.candles("TEST", name), strict=True):
            assert {k: v for k, v in old.items() if k != "indicators"} == {k: v for k, v in new.items() if k != "indicators"}
            for key, value in old["indicators"].items():
                if value is None:
                    assert new["indicators"][key] is None
                else:
                    assert float(new["indicators"][key]) == pytest.approx(float(value), rel=1e-9, abs=1e-9)
    symbols = feed.daemon.get("/v1/symbols").json["symbols"]
    assert [one["symbol"] for one in symbols] == ["TEST"]


def test_a_symbol_that_no_feed_carries_any_more_is_still_served(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 100, 1), (at + MINUTE, 100, 1))
    eventually(lambda: feed.daemon.candles("TEST", "M1"), "a candle")
    feed.daemon.stop()
    feed.daemon.configuration["feeds"] = []
    feed.daemon.start()
    assert len(feed.daemon.candles("TEST", "M1")) == 1
    assert [one["symbol"] for one in feed.daemon.get("/v1/symbols").json["symbols"]] == ["TEST"]


def test_since_works_over_a_restart(feed_daemon):
    """S52, S117."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    stream = feed.daemon.subscriber()
    answer = stream.subscribe("closed.M1.*")
    feed.ticks(*[(at + n * MINUTE, 100 + n, 1) for n in range(6)])
    seen = stream.wait_candle("closed", "M1", at + 2 * MINUTE)
    stream.wait_candle("closed", "M1", at + 4 * MINUTE)
    restarted(feed)
    again = feed.daemon.subscriber("closed.M1.*", since={"epoch": answer["epoch"], "version": seen["version"]})
    again.wait_candle("closed", "M1", at + 4 * MINUTE)
    assert [c["open_time"] for c in again.candles("closed")][:2] == [at + 3 * MINUTE, at + 4 * MINUTE]


def test_the_downtime_is_a_gap_with_reason_restart_and_never_flat_candles(feed_daemon):
    feed = feed_daemon({"timeframes": ["S1", "S5"], "settlement": {"grace": "100ms"}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    feed.ticks((wall_ms(), 100, 1))
    stream.wait_candle("closed", "S1", origin="flat")
    stopped = wall_ms()
    assert feed.daemon.stop() == 0
    eventually(lambda: wall_ms() > stopped + 3500, "some downtime")
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=2)
    started = wall_ms()
    feed.ticks((wall_ms(), 101, 1))
    eventually(lambda: [c for c in feed.daemon.candles("TEST", "S1") if c["close"] == 101], "a candle after the restart")
    gap, = feed.daemon.get("/v1/gaps", symbol="TEST").json["gaps"]
    assert gap["reason"] == "restart"
    assert stopped - 1500 <= gap["from"] <= stopped + 1000
    assert stopped + 3500 <= gap["to"] <= started + 1000
    inside = [
        c for c in feed.daemon.candles("TEST", "S1")
        if c["open_time"] >= gap["from"] and c["open_time"] + SECOND <= gap["to"]
    ]
    assert inside == []
    rows = feed.daemon.sql("SELECT * FROM gaps")
    assert [(r["symbol"], r["from_time"], r["to_time"], r["reason"], r["filled"]) for r in rows] == [
        ("TEST", gap["from"], gap["to"], "restart", 0)]
    cut = feed.daemon.candles("TEST", "S5")
    waking = [c for c in cut if c["open_time"] <= gap["to"] < c["open_time"] + 5 * SECOND]
    assert all(c["complete"] is False for c in waking)


def test_a_first_late_tick_after_a_restart_still_corrects_a_settled_candle(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 100, 1), (at + 5 * MINUTE, 101, 1))
    eventually(lambda: len(feed.daemon.candles("TEST", "M5")) == 1, "the M5 candle")
    restarted(feed)
    stream = feed.daemon.subscriber("closed.*.TEST")
    feed.ticks((at + 30 * SECOND, 120, 2))
    corrected = stream.wait_candle("corrected", "M5", at)
    assert (corrected["high"], corrected["volume"]) == (120, 3)
