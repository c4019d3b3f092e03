"""When candles settle, by what, in which order, and what empty intervals yield (contract, section 3, rules 1 to 5)."""

import random
import time

from support import model
from support.model import MINUTE, SECOND
from support.waiting import eventually, wall_ms

#: Event times ahead of the clock: the clock settles nothing, only ticks do.
BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}
#: Short candles on the real clock.
BY_CLOCK = {
    "timeframes": ["S1", "S5"], "settlement": {"grace": "100ms", "max_ahead": "1d"}, "stream": {"forming_interval": 0},
}


def ahead(timeframe="M15", intervals=2):
    interval = model.INTERVALS[timeframe]
    return (wall_ms() // interval + intervals) * interval


def none_mode(configuration):
    return {**configuration, "settlement": {**configuration["settlement"], "empty_candles": "none"}}


# Rule 1 and 2


def test_a_tick_on_the_boundary_opens_the_new_candle(feed_daemon):
    """S07."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.*.*")
    at = ahead()
    feed.ticks((at + MINUTE - 1, 100, 1), (at + MINUTE, 101, 2))
    closed = stream.wait_candle("closed", "M1", at)
    forming = stream.wait_candle("forming", "M1", at + MINUTE)
    assert (closed["close"], closed["volume"], closed["ticks"]) == (100, 1, 1)
    assert (forming["open"], forming["volume"], forming["ticks"]) == (101, 2, 1)


def test_open_and_close_go_by_event_time_then_numeric_id(feed_daemon):
    """S24: two trades of one millisecond, delivered reversed."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 0.3119, 1, 311126), (at, 0.3117, 1, 311112))
    candle = feed.daemon.candles("TEST", "M1", forming=1)[-1]
    assert (str(candle["open"]), str(candle["close"])) == ("0.3117", "0.3119")


def test_ids_are_compared_as_numbers(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 2, 1, 10), (at, 1, 1, 9), (at, 3, 1, 100))
    candle = feed.daemon.candles("TEST", "M1", forming=1)[-1]
    assert (candle["open"], candle["close"]) == (1, 3)


def test_ids_decide_only_where_every_tick_of_the_instant_has_one(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 2, 1, 10), (at, 1, 1, 9), (at, 3, 1))
    candle = feed.daemon.candles("TEST", "M1", forming=1)[-1]
    assert (candle["open"], candle["close"]) == (2, 3), "arrival order decides"


def test_arrival_order_never_changes_the_result(feed_daemon):
    feed = feed_daemon(none_mode(BY_TICK))
    at = ahead()
    generator = random.Random(7)
    ticks = [(at + generator.randrange(12 * MINUTE), generator.randrange(90, 110), generator.randrange(5), number) for number in range(600)]
    generator.shuffle(ticks)
    for start in range(0, len(ticks), 17):
        feed.ticks(*ticks[start:start + 17])
    feed.ticks((at + 15 * MINUTE, 100, 1, 10_000))
    for timeframe in ("M1", "M5", "M15"):
        expected = model.fold(ticks, timeframe)
        eventually(lambda: len(feed.daemon.candles("TEST", timeframe)) == len(expected), f"the {timeframe} candles")
        for candle in feed.daemon.candles("TEST", timeframe):
            assert model.content(candle) == model.content(expected[candle["open_time"]])


def test_the_candle_object_has_the_keys_of_the_contract_in_every_state(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    feed.ticks((at, "36500.25", "0.5"))
    forming = stream.wait_candle("forming", "M1", at)
    assert (forming["state"], forming["revision"], forming["settled_by"], forming["version"]) == ("forming", None, None, None)
    feed.ticks((at + MINUTE, 1, 1))
    closed = stream.wait_candle("closed", "M1", at)
    assert list(closed) == [
        "symbol", "timeframe", "open_time", "close_time", "open", "high", "low", "close", "volume", "turnover",
        "taker_buy_volume", "ticks", "state", "revision", "settled_by", "origin", "complete", "version", "indicators"]
    assert set(forming) == set(closed)
    assert closed["close_time"] == at + MINUTE - 1
    assert (closed["state"], closed["revision"], closed["settled_by"], closed["origin"]) == ("closed", 0, "tick", "ticks")
    assert (str(closed["turnover"]), closed["taker_buy_volume"]) == ("18250.125", None)


# Rule 3


def test_the_first_tick_past_the_end_settles_at_once(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    feed.ticks((at, 100, 1))
    feed.ticks((at + MINUTE, 101, 1))
    assert stream.wait_candle("closed", "M1", at)["settled_by"] == "tick"


def test_a_quiet_symbol_is_settled_by_the_clock_without_any_tick(feed_daemon):
    """S01: and the longer candle when it is due."""
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("closed.*.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    for timeframe in ("S1", "S5"):
        at = model.open_time(now, timeframe)
        closed = stream.wait_candle("closed", timeframe, at)
        assert (closed["settled_by"], closed["close"], closed["volume"]) == ("clock", 100, 1)
    stream.sync()
    for timeframe in ("S1", "S5"):
        times = [candle["open_time"] for candle in stream.candles("closed", topic=f"closed.{timeframe}.TEST")]
        assert times.count(model.open_time(now, timeframe)) == 1


def test_the_clock_waits_for_the_grace(feed_daemon):
    feed = feed_daemon({"timeframes": ["S1"], "settlement": {"grace": "1500ms"}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    stream.wait_candle("closed", "S1", model.open_time(now, "S1"))
    assert wall_ms() >= model.open_time(now, "S1") + SECOND + 1500


def test_a_tick_inside_the_grace_settles_before_the_clock_does(feed_daemon):
    feed = feed_daemon({"timeframes": ["S1"], "settlement": {"grace": "10m", "max_ahead": "1d"}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    now = wall_ms()
    at = model.open_time(now, "S1")
    feed.ticks((now, 100, 1))
    eventually(lambda: wall_ms() > at + SECOND, "the end of the candle")
    feed.ticks((at + SECOND, 101, 1))
    assert stream.wait_candle("closed", "S1", at)["settled_by"] == "tick"


def test_every_interval_yields_one_candle_after_a_clock_settlement(feed_daemon):
    """S04: the tick that comes after the clock has settled opens the next candle; no bar is missing, none comes twice."""
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("closed.S1.TEST")
    first = model.open_time(wall_ms(), "S1")
    feed.ticks((wall_ms(), 100, 1))
    for number in range(5):
        at = first + number * SECOND
        closed = stream.wait_candle("closed", "S1", at)
        if closed["settled_by"] == "clock":
            # Late in real time, but the event lies just behind the boundary that the clock has passed.
            feed.ticks((at + SECOND + 1, 200 + number, 1))
    stream.wait_candle("closed", "S1", first + 5 * SECOND)
    times = [candle["open_time"] for candle in stream.candles("closed")]
    assert times == list(range(times[0], times[-1] + 1, SECOND))
    opens = {candle["open_time"]: candle for candle in feed.daemon.candles("TEST", "S1")}
    for number in range(4):
        assert opens[first + (number + 1) * SECOND]["open"] == 200 + number


def test_a_clock_settlement_shows_the_next_candle_at_once_forming_and_flat(feed_daemon):
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("candle.S5.TEST")
    now = wall_ms()
    at = model.open_time(now, "S5")
    feed.ticks((now, 100, 1), (now, 102, 1), (now, 101, 1))
    stream.wait_candle("closed", "S5", at)
    flat = stream.wait_candle("forming", "S5", at + 5 * SECOND)
    assert model.content(flat) == (101, 101, 101, 101, 0, 0, 0)
    assert (flat["origin"], flat["state"]) == ("flat", "forming")
    kinds = [(message["type"], message["candle"]["open_time"]) for message in stream.of("forming", "closed")]
    place = kinds.index(("closed", at))
    assert kinds[place + 1] == ("forming", at + 5 * SECOND)
    # It is in what one asks for, too.
    candle = feed.daemon.candles("TEST", "S5", forming=1)[-1]
    assert (candle["open_time"], candle["state"], candle["origin"]) == (at + 5 * SECOND, "forming", "flat")
    late = feed.daemon.subscriber("candle.S5.TEST", snapshot=10)
    assert late.wait(lambda m: m["type"] == "snapshot")["candles"][-1]["origin"] == "flat"


def test_the_first_tick_replaces_the_forming_flat_candle(feed_daemon):
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("candle.S5.TEST")
    now = wall_ms()
    at = model.open_time(now, "S5")
    feed.ticks((now, 100, 1))
    stream.wait_candle("forming", "S5", at + 5 * SECOND, origin="flat")
    feed.ticks((at + 5 * SECOND + 3, 107, 2))
    candle = stream.wait_candle("forming", "S5", at + 5 * SECOND, origin="ticks")
    assert model.content(candle) == (107, 107, 107, 107, 2, 214, 1)


def test_in_mode_none_nothing_forms_until_a_tick_comes(feed_daemon):
    feed = feed_daemon(none_mode(BY_CLOCK))
    stream = feed.daemon.subscriber("candle.*.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    at = model.open_time(now, "S5")
    stream.wait_candle("closed", "S5", at)
    feed.ticks((at + 8 * SECOND, 105, 1))
    stream.wait_candle("closed", "S1", at + 8 * SECOND)
    shown = {candle["open_time"] for candle in stream.candles("forming", "closed", topic="candle.S1.TEST")}
    assert shown == {model.open_time(now, "S1"), at + 8 * SECOND}
    assert [candle["open_time"] for candle in feed.daemon.candles("TEST", "S1")] == sorted(shown)


def test_a_closed_message_comes_before_any_message_of_the_next_candle(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.*.*")
    at = ahead()
    for number in range(40):
        feed.send(f"{at + number * 20 * SECOND},{100 + number},1")
    feed.wait(40)
    stream.wait_candle("closed", "M1", at + 12 * MINUTE)
    newest = {}
    for message in stream.of("forming", "closed"):
        candle = message["candle"]
        key = candle["timeframe"]
        closed, forming = newest.get(key, (None, None))
        if message["type"] == "closed":
            assert closed is None or candle["open_time"] > closed
            assert forming is None or forming <= candle["open_time"], "a forming candle came before the close before it"
            newest[key] = (candle["open_time"], forming)
        else:
            assert closed is None or candle["open_time"] > closed
            newest[key] = (closed, candle["open_time"])


def test_a_symbol_that_never_traded_has_no_candles(feed_daemon):
    """S30: never sentinel numbers."""
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("candle.*.*", snapshot=10)
    start = wall_ms()
    eventually(lambda: wall_ms() > start + 2500, "two intervals")
    assert feed.daemon.candles("TEST", "S1", forming=1) == []
    assert stream.of("forming", "closed") == []
    symbols = feed.daemon.get("/v1/symbols").json["symbols"]
    assert [(one["symbol"], one["last_tick"]) for one in symbols] == [("TEST", None)]


def test_a_stalled_process_reads_its_sockets_before_the_clock_settles(feed_daemon):
    feed = feed_daemon({"timeframes": ["S1", "S5"], "settlement": {"grace": "2s"}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    begin = model.open_time(wall_ms(), "S5") + 5 * SECOND
    eventually(lambda: wall_ms() >= begin, "a boundary", interval=0.005)
    feed.ticks((begin, 100, 1))
    feed.daemon.pause()
    try:
        # What lies in the socket when the process goes on: ticks before and after the boundary.
        feed.send(f"{begin + 500},150,1", f"{begin + SECOND},120,1")
        eventually(lambda: wall_ms() > begin + SECOND + 2300, "the grace")
    finally:
        feed.daemon.resume()
    closed = stream.wait_candle("closed", "S1", begin)
    assert (closed["settled_by"], closed["high"], closed["revision"]) == ("tick", 150, 0)


# Rule 4


def test_all_timeframes_that_end_together_settle_in_the_order_of_their_length(feed_daemon):
    """S03."""
    feed = feed_daemon({**BY_TICK, "timeframes": ["S1", "M1", "M3", "M5", "M15", "H1"]})
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = ahead("H1")
    feed.ticks((at + 60 * MINUTE - 1, 100, 1))
    feed.ticks((at + 60 * MINUTE, 101, 1))
    stream.wait_candle("closed", "H1", at)
    assert [candle["timeframe"] for candle in stream.candles("closed")] == ["S1", "M1", "M3", "M5", "M15", "H1"]
    versions = [candle["version"] for candle in stream.candles("closed")]
    assert versions == sorted(set(versions))


def test_the_clock_settles_in_the_order_of_length_too(feed_daemon):
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("closed.*.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    at = model.open_time(now, "S5")
    stream.wait_candle("closed", "S5", at)
    last = [(c["timeframe"], c["settled_by"]) for c in stream.candles("closed") if c["close_time"] == at + 5 * SECOND - 1]
    assert last == [("S1", "clock"), ("S5", "clock")]


def test_longer_candles_hold_the_last_short_one_whatever_settles_them(feed_daemon):
    """S03, S90: over many boundaries, some settled by tick and some by clock."""
    feed = feed_daemon({**BY_CLOCK, "timeframes": ["S1", "S5"]})
    stream = feed.daemon.subscriber("closed.*.TEST")
    start = model.open_time(wall_ms(), "S5")
    end = start + 11 * SECOND
    number = 0
    while wall_ms() < end:
        feed.send(f"{wall_ms()},{100 + number % 7},0.1")
        number += 1
        time.sleep(0.03 if number % 20 else 0.35)
    stream.wait_candle("closed", "S5", start + 5 * SECOND)
    stream.sync()
    short = {c["open_time"]: c for c in feed.daemon.candles("TEST", "S1")}
    for long in feed.daemon.candles("TEST", "S5"):
        inside = [c for at, c in short.items() if long["open_time"] <= at < long["open_time"] + 5 * SECOND]
        filled = [c for c in inside if c["origin"] == "ticks"]
        assert long["volume"] == sum(c["volume"] for c in inside)
        assert long["turnover"] == sum(c["turnover"] for c in inside)
        assert long["ticks"] == sum(c["ticks"] for c in inside)
        assert (long["open"], long["close"]) == (filled[0]["open"], filled[-1]["close"])
        assert (long["high"], long["low"]) == (max(c["high"] for c in filled), min(c["low"] for c in filled))


def test_three_minutes_from_the_cascade_equal_three_minutes_from_the_ticks(feed_daemon):
    """S96."""
    feed = feed_daemon({**BY_TICK, "timeframes": ["M1", "M3", "M5"]})
    at = ahead()
    ticks = [(at + number * 7 * SECOND, 100 + number * 37 % 11, number % 5, number) for number in range(120)]
    feed.ticks(*ticks)
    for timeframe in ("M3", "M5"):
        expected = model.fold(ticks, timeframe)
        done = [bar for start, bar in expected.items() if start + model.INTERVALS[timeframe] <= ticks[-1][0]]
        eventually(lambda: len(feed.daemon.candles("TEST", timeframe)) == len(done), timeframe)
        assert [model.content(c) for c in feed.daemon.candles("TEST", timeframe)] == [model.content(bar) for bar in done]


def test_after_each_tick_all_forming_candles_have_the_same_close(feed_daemon):
    """S95."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    for number in range(5):
        feed.ticks((at + number * 17 * SECOND, 100 + number, 1))

        def closes():
            found = [feed.daemon.candles("TEST", one, forming=1)[-1] for one in ("M1", "M5", "M15")]
            return [one["close"] for one in found] == [100 + number] * 3

        eventually(closes, "equal closes")


def test_weeks_begin_on_monday_and_every_candle_on_a_multiple_of_its_length(feed_daemon):
    names = list(model.INTERVALS)
    feed = feed_daemon({**BY_TICK, "timeframes": names})
    now = wall_ms() + 20 * MINUTE
    feed.ticks((now, 100, 1))
    for name in names:
        candle = feed.daemon.candles("TEST", name, forming=1)[-1]
        assert candle["open_time"] == model.open_time(now, name), name
        assert candle["close_time"] == candle["open_time"] + model.INTERVALS[name] - 1
    monday = feed.daemon.candles("TEST", "W1", forming=1)[-1]["open_time"]
    assert time.gmtime(monday / 1000)[6] == 0


# Rule 5


def test_empty_intervals_between_ticks_yield_flat_candles(feed_daemon):
    """S31: never the old volume."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = ahead()
    feed.ticks((at, 100, 7), (at + 1, 103, 2))
    feed.ticks((at + 9 * MINUTE, 110, 1))
    stream.wait_candle("closed", "M1", at + 8 * MINUTE)
    candles = feed.daemon.candles("TEST", "M1")
    assert [c["open_time"] for c in candles] == [at + n * MINUTE for n in range(9)]
    for candle in candles[1:]:
        assert model.content(candle) == (103, 103, 103, 103, 0, 0, 0)
        assert candle["origin"] == "flat"
    # A longer candle takes no open, high or low from the flat ones in it.
    feed.ticks((at + 10 * MINUTE, 111, 1))
    second = stream.wait_candle("closed", "M5", at + 5 * MINUTE)
    assert model.content(second) == (110, 110, 110, 110, 1, 110, 1)
    assert second["origin"] == "ticks"


def test_a_longer_candle_of_flat_ones_only_is_flat(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = ahead()
    feed.ticks((at, 100, 7))
    feed.ticks((at + 15 * MINUTE, 101, 1))
    stream.wait_candle("closed", "M15", at)
    middle = [c for c in feed.daemon.candles("TEST", "M5") if c["open_time"] == at + 5 * MINUTE]
    assert [model.content(c) for c in middle] == [(100, 100, 100, 100, 0, 0, 0)]
    assert middle[0]["origin"] == "flat"


def test_in_mode_none_empty_intervals_yield_nothing(feed_daemon):
    feed = feed_daemon(none_mode(BY_TICK))
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = ahead()
    feed.ticks((at, 100, 7))
    feed.ticks((at + 9 * MINUTE, 110, 1))
    feed.ticks((at + 10 * MINUTE, 110, 1))
    stream.wait_candle("closed", "M5", at + 5 * MINUTE)
    assert [c["open_time"] for c in feed.daemon.candles("TEST", "M1")] == [at, at + 9 * MINUTE]
    assert len(stream.candles("closed", topic="closed.M1.TEST")) == 2


def test_stream_history_and_database_agree_on_empty_candles(feed_daemon):
    """S33: also on the trailing ones."""
    feed = feed_daemon(BY_CLOCK)
    stream = feed.daemon.subscriber("closed.S1.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    at = model.open_time(now, "S1")
    stream.wait_candle("closed", "S1", at + 3 * SECOND, origin="flat")
    page = feed.daemon.candles("TEST", "S1", indicators=0)
    last = page[-1]["open_time"]
    stream.wait_candle("closed", "S1", last)
    streamed = [c for c in stream.candles("closed") if c["open_time"] <= last]
    rows = feed.daemon.sql("SELECT * FROM candles WHERE timeframe = 'S1' AND open_time <= ? ORDER BY open_time", last)
    assert [c["open_time"] for c in streamed] == [c["open_time"] for c in page] == [r["open_time"] for r in rows]
    assert [c["version"] for c in streamed] == [c["version"] for c in page] == [r["version"] for r in rows]


def test_after_flat_limit_the_symbol_is_dormant_until_a_tick_wakes_it_without_a_burst(feed_daemon):
    """S35."""
    feed = feed_daemon({"timeframes": ["S1"], "settlement": {"grace": "50ms", "flat_limit": 2}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    now = wall_ms()
    at = model.open_time(now, "S1")
    feed.ticks((now, 100, 1))
    eventually(lambda: feed.daemon.get("/v1/symbols").json["symbols"][0]["dormant"], "dormancy")
    begin = wall_ms()
    eventually(lambda: wall_ms() > begin + 2500, "more empty seconds")
    assert [c["open_time"] for c in feed.daemon.candles("TEST", "S1")] == [at, at + SECOND, at + 2 * SECOND]
    assert feed.daemon.candles("TEST", "S1", forming=1)[-1]["state"] == "closed", "nothing forms while it is dormant"
    woken = wall_ms()
    feed.ticks((woken, 110, 1))
    candle = stream.wait_candle("closed", "S1", model.open_time(woken, "S1"))
    assert (candle["open"], candle["complete"]) == (110, True)
    assert not feed.daemon.get("/v1/symbols").json["symbols"][0]["dormant"]
    times = [c["open_time"] for c in feed.daemon.candles("TEST", "S1")]
    assert times[:4] == [at, at + SECOND, at + 2 * SECOND, model.open_time(woken, "S1")]
    assert feed.daemon.get("/v1/gaps", symbol="TEST").json["gaps"] == []


def test_flat_limit_bounds_what_one_tick_after_long_silence_makes(feed_daemon):
    """S35: recorded data jumps by thirty days."""
    feed = feed_daemon({
        "timeframes": ["M1", "M5"], "clock": {"source": "feed"}, "settlement": {"flat_limit": 10}})
    stream = feed.daemon.subscriber("closed.*.TEST")
    at = 1_600_000_200_000
    feed.ticks((at, 100, 1))
    feed.ticks((at + 30 * model.DAY, 101, 1))
    feed.ticks((at + 30 * model.DAY + 5 * MINUTE, 102, 1))
    stream.wait_candle("closed", "M1", at + 30 * model.DAY)
    assert len(feed.daemon.candles("TEST", "M1", to=at + 30 * model.DAY)) == 11


# Rule 8 as far as it goes without sources that come and go


def test_the_first_candle_after_a_start_inside_an_interval_is_incomplete_and_the_next_is_complete(feed_daemon):
    """S08."""
    feed = feed_daemon({"timeframes": ["S1", "S5"], "settlement": {"grace": "100ms"}})
    stream = feed.daemon.subscriber("closed.*.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    first = stream.wait_candle("closed", "S5", model.open_time(now, "S5"))
    second = stream.wait_candle("closed", "S5", model.open_time(now, "S5") + 5 * SECOND)
    assert second["complete"] is True
    connected = now - 5000
    if model.open_time(now, "S5") > connected:
        assert first["complete"] is False


# Rule 10


def test_a_closed_candle_is_in_http_and_sql_when_its_message_arrives(feed_daemon):
    """S09."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    for number in range(15):
        feed.send(f"{at + number * MINUTE},{100 + number},1")
        if number == 0:
            continue
        start = at + (number - 1) * MINUTE
        candle = stream.wait_candle("closed", "M1", start)
        rows = feed.daemon.sql("SELECT * FROM candles WHERE timeframe = 'M1' AND open_time = ?", start)
        page = feed.daemon.candles("TEST", "M1", to=start + 1, **{"from": start})
        assert [row["version"] for row in rows] == [candle["version"]] == [one["version"] for one in page]
        assert page[0]["state"] == "closed"


def test_a_candle_shown_as_closed_has_one_value_a_revision(feed_daemon):
    """S14: polled quickly over the boundary."""
    feed = feed_daemon({"timeframes": ["S1"], "settlement": {"grace": "100ms"}, "stream": {"forming_interval": 0}})
    seen = {}
    end = wall_ms() + 4000
    number = 0
    while wall_ms() < end:
        feed.send(f"{wall_ms()},{100 + number % 13},1")
        number += 1
        for candle in feed.daemon.candles("TEST", "S1", limit=5, forming=1, indicators=0):
            if candle["state"] != "forming":
                key = (candle["open_time"], candle["revision"])
                assert seen.setdefault(key, candle) == candle
    assert len(seen) >= 3


def test_a_tick_ahead_of_the_clock_settles_by_event_time_and_the_clock_does_nothing_twice(feed_daemon):
    """S13: the server clock is slow by 300 ms; the skew is reported."""
    feed = feed_daemon({"timeframes": ["S1"], "settlement": {"grace": "100ms", "max_ahead": "5s"}})
    stream = feed.daemon.subscriber("closed.S1.TEST")
    at = model.open_time(wall_ms(), "S1") + 2 * SECOND
    feed.ticks((at - 1, 100, 1), (at + 50, 101, 1))
    closed = stream.wait_candle("closed", "S1", at - SECOND)
    assert closed["settled_by"] == "tick"
    skew = feed.daemon.get("/v1/status").json["feeds"][0]["skew_ms"]
    assert 0 < skew <= 2100
    stream.wait_candle("closed", "S1", at + SECOND)
    times = [c["open_time"] for c in stream.candles("closed")]
    assert times == sorted(set(times)), "a candle was settled twice"
