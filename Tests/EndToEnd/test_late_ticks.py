"""Late ticks correct what is settled; past the window they are refused (contract, section 3, rules 6 and 7)."""

import random

import pytest

from support import model
from support.model import MINUTE, SECOND
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def mode(empty):
    return {**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": empty}}


def candle_of(feed, timeframe, at):
    found = feed.daemon.candles("TEST", timeframe, to=at + 1, **{"from": at})
    return found[0] if found else None


def test_a_late_tick_corrects_its_candle_and_the_close_only_if_it_is_the_newest(feed_daemon):
    """S20, S22."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    feed.ticks((at + 10 * SECOND, 100, 1), (at + 50 * SECOND, 101, 1), (at + MINUTE, 102, 1))
    before = stream.wait_candle("closed", "M1", at)
    # Earlier than the last tick: a new high, volume and turnover; the close stays.
    feed.ticks((at + 30 * SECOND, 110, 2))
    first = stream.wait_candle("corrected", "M1", at, revision=1)
    assert model.content(first) == (100, 110, 100, 101, 4, 421, 3)
    # Newer than the last tick: the close.
    feed.ticks((at + 59 * SECOND, 99, 1))
    second = stream.wait_candle("corrected", "M1", at, revision=2)
    assert model.content(second) == (100, 110, 99, 99, 5, 520, 4)
    # Older than the first tick: the open.
    feed.ticks((at, 98, 1))
    third = stream.wait_candle("corrected", "M1", at, revision=3)
    assert model.content(third) == (98, 110, 98, 99, 6, 618, 5)
    assert before["version"] < first["version"] < second["version"] < third["version"]
    assert {one["settled_by"] for one in (before, first, second, third)} == {"tick"}
    assert third["state"] == "corrected"
    assert candle_of(feed, "M1", at) == third
    row = feed.daemon.sql("SELECT * FROM candles WHERE timeframe = 'M1' AND open_time = ?", at)[0]
    assert (row["revision"], row["version"], row["close"], row["volume"]) == (3, third["version"], 99, 6)


def test_settled_by_stays_what_it_was_first_after_a_correction(feed_daemon):
    feed = feed_daemon({"timeframes": ["S1"], "settlement": {"grace": "100ms"}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    now = wall_ms()
    at = model.open_time(now, "S1")
    feed.ticks((now, 100, 1))
    assert stream.wait_candle("closed", "S1", at)["settled_by"] == "clock"
    feed.ticks((at + 999, 105, 1))
    corrected = stream.wait_candle("corrected", "S1", at)
    assert (corrected["settled_by"], corrected["revision"], corrected["close"]) == ("clock", 1, 105)


def test_a_late_tick_corrects_every_timeframe_it_belongs_to(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.*.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + 15 * MINUTE, 105, 1))
    stream.wait_candle("closed", "M15", at)
    feed.ticks((at + 30 * SECOND, 120, 3))
    for timeframe in ("M1", "M5", "M15"):
        corrected = stream.wait_candle("corrected", timeframe, at)
        assert (corrected["high"], corrected["volume"], corrected["ticks"]) == (120, 4, 2)


def test_a_late_tick_shows_in_the_longer_candle_that_still_forms(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.*.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + MINUTE, 105, 1))
    feed.ticks((at + 30 * SECOND, 120, 3))
    stream.wait_candle("corrected", "M1", at)
    forming = stream.wait_candle("forming", "M5", at, high=120)
    assert (forming["volume"], forming["close"]) == (5, 105)


def test_later_flat_candles_follow_a_corrected_close_each_with_a_revision_of_its_own(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + 4 * MINUTE, 105, 1), (at + 5 * MINUTE, 106, 1))
    stream.wait_candle("closed", "M1", at + 4 * MINUTE)
    feed.ticks((at + 59 * SECOND, 90, 1))
    versions = []
    for number in (1, 2, 3):
        flat = stream.wait_candle("corrected", "M1", at + number * MINUTE)
        assert model.content(flat) == (90, 90, 90, 90, 0, 0, 0)
        assert (flat["origin"], flat["revision"]) == ("flat", 1)
        versions.append(flat["version"])
    assert versions == sorted(set(versions))
    # A candle with ticks keeps what it holds; it is restated, since its indicators changed.
    restated = stream.wait_candle("corrected", "M1", at + 4 * MINUTE)
    assert model.content(restated) == (105, 105, 105, 105, 1, 105, 1)
    assert restated["revision"] == 1 and restated["version"] > versions[-1]


def test_a_flat_candle_that_gets_its_first_tick_has_the_origin_ticks(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + 3 * MINUTE, 105, 1))
    stream.wait_candle("closed", "M1", at + 2 * MINUTE)
    feed.ticks((at + MINUTE + 1, 90, 2))
    corrected = stream.wait_candle("corrected", "M1", at + MINUTE)
    assert model.content(corrected) == (90, 90, 90, 90, 2, 180, 1)
    assert (corrected["origin"], corrected["revision"]) == ("ticks", 1)
    assert stream.wait_candle("corrected", "M1", at + 2 * MINUTE)["close"] == 90


def test_in_mode_none_a_late_tick_where_no_candle_is_makes_one_published_as_corrected(feed_daemon):
    feed = feed_daemon(mode("none"))
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + 3 * MINUTE, 105, 1), (at + 4 * MINUTE, 105, 1))
    stream.wait_candle("closed", "M1", at + 3 * MINUTE)
    feed.ticks((at + MINUTE + 1, 90, 2))
    made = stream.wait_candle("corrected", "M1", at + MINUTE)
    assert (made["revision"], made["settled_by"], made["origin"]) == (0, "tick", "ticks")
    closed = [c["open_time"] for c in stream.candles("closed")]
    assert closed == [at, at + 3 * MINUTE]
    assert [c["open_time"] for c in feed.daemon.candles("TEST", "M1")] == [at, at + MINUTE, at + 3 * MINUTE]


def test_the_late_ticks_of_one_frame_make_one_revision(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + 15 * MINUTE, 105, 1))
    stream.wait_candle("closed", "M15", at)
    feed.ticks((at + 1, 120, 3), (at + 2, 80, 1), (at + 3, 101, 1))
    for timeframe in ("M1", "M5", "M15"):
        corrected = stream.wait_candle("corrected", timeframe, at)
        assert (corrected["revision"], corrected["high"], corrected["low"], corrected["ticks"]) == (1, 120, 80, 4)
    stream.sync()
    assert len(stream.candles("corrected", topic="closed.M15.TEST")) == 1


def test_past_the_window_a_tick_is_refused_and_changes_nothing(feed_daemon):
    feed = feed_daemon({
        "timeframes": ["S1", "S5"], "settlement": {"grace": "100ms", "correction_window": "2s", "empty_candles": "none"}})
    stream = feed.daemon.subscriber("closed.*.TEST")
    now = wall_ms()
    at = model.open_time(now, "S1")
    feed.ticks((now, 100, 1))
    before = stream.wait_candle("closed", "S1", at)
    eventually(lambda: wall_ms() > at + 3 * SECOND + 50, "the end of the window")
    feed.ticks((at + 500, 200, 1), (wall_ms(), 101, 1))
    assert feed.daemon.refused() == {"too_late": 1}
    assert "too_late" in feed.daemon.log()
    stream.wait_candle("closed", "S5", model.open_time(now, "S5"))
    assert candle_of(feed, "S1", at) == before


def test_a_first_tick_of_a_symbol_past_the_window_is_refused(feed_daemon):
    feed = feed_daemon({"timeframes": ["M1"], "settlement": {"correction_window": "5s"}})
    feed.ticks((wall_ms() - 70 * SECOND, 100, 1))
    assert feed.daemon.refused() == {"too_late": 1}
    assert feed.daemon.candles("TEST", "M1", forming=1) == []


def test_a_late_tick_with_a_known_id_is_a_duplicate_and_makes_no_revision(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    feed.ticks((at, 100, 1, 1), (at + MINUTE, 105, 1, 2))
    stream.wait_candle("closed", "M1", at)
    feed.ticks((at, 100, 1, 1))
    assert feed.daemon.refused() == {"duplicate": 1}
    feed.ticks((at + 2 * MINUTE, 105, 1, 3))
    stream.wait_candle("closed", "M1", at + MINUTE)
    assert stream.candles("corrected") == []


def test_a_reader_that_ignores_corrections_sees_rising_open_times(feed_daemon):
    """S22, S114."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    for number in range(8):
        feed.ticks((at + number * MINUTE, 100, 1))
        if number > 1:
            feed.ticks((at + (number - 2) * MINUTE + 1, 101, 1))
    stream.wait_candle("corrected", "M1", at + 5 * MINUTE)
    times = [c["open_time"] for c in stream.candles("forming", "closed")]
    assert times == sorted(times)
    assert all(c["state"] == "corrected" for c in stream.candles("corrected"))


@pytest.mark.parametrize("empty", ["flat", "none"])
def test_the_result_is_the_batch_result_whatever_the_order_of_arrival(feed_daemon, empty):
    """Rule 7, S90: and longer candles stay the fold of the shorter ones after corrections."""
    feed = feed_daemon(mode(empty))
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = ahead()
    generator = random.Random(11)
    ticks = [(at, 100, 1, 0)]
    for number in range(1, 900):
        time = at + generator.randrange(29 * MINUTE)
        if time // MINUTE % 3 == 1:
            continue
        ticks.append((time, generator.randrange(1, 10_000) / 100, generator.randrange(1, 500) / 1000, number))
    rest = ticks[1:]
    generator.shuffle(rest)
    feed.ticks(ticks[0])
    for start in range(0, len(rest), 29):
        feed.ticks(*rest[start:start + 29])
    end = at + 30 * MINUTE
    feed.ticks((end, 100, 1, 1_000_000))
    stream.wait_candle("closed", "M15", at + 15 * MINUTE)
    for timeframe in ("M1", "M5", "M15"):
        expected = model.fold(ticks, timeframe)
        page = feed.daemon.candles("TEST", timeframe, to=end)
        filled = [c for c in page if c["origin"] == "ticks"]
        assert [c["open_time"] for c in filled] == sorted(expected)
        for candle in filled:
            assert model.content(candle) == model.content(expected[candle["open_time"]]), (timeframe, candle)
        if empty == "none":
            assert filled == page
        else:
            assert [c["open_time"] for c in page] == list(range(at, end, model.INTERVALS[timeframe]))
            for before, candle in zip(page, page[1:]):
                if candle["origin"] == "flat":
                    assert model.content(candle) == (*[before["close"]] * 4, 0, 0, 0)
    assert stream.of("corrected"), "nothing was corrected: the test is empty"


def test_the_stream_tells_the_whole_story(feed_daemon):
    """Whoever applies closed and corrected messages one by one has what the database has."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.*.*")
    at = ahead()
    generator = random.Random(3)
    times = sorted(generator.randrange(14 * MINUTE) for _ in range(500))
    for time in times:
        time = max(0, time - generator.choice([0, 0, 0, 30 * SECOND, 2 * MINUTE]))
        feed.send(f"{at + time},{generator.randrange(90, 110)},1")
    feed.wait(len(times))
    feed.ticks((at + 15 * MINUTE, 100, 1))
    stream.wait_candle("closed", "M15", at)
    stream.sync()
    copy = {}
    revisions = {}
    for message in stream.of("closed", "corrected"):
        candle = message["candle"]
        key = (candle["timeframe"], candle["open_time"])
        assert candle["revision"] == revisions.get(key, -1) + 1, "a revision is missing or came twice"
        revisions[key] = candle["revision"]
        copy[key] = candle
    for timeframe in ("M1", "M5", "M15"):
        for candle in feed.daemon.candles("TEST", timeframe):
            mine = copy.pop((timeframe, candle["open_time"]))
            assert {k: v for k, v in mine.items() if k != "indicators"} == {k: v for k, v in candle.items() if k != "indicators"}
    assert copy == {}
