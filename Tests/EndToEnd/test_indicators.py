"""Indicators on what is published, served and stored agree (contract, section 4)."""

import random

import pytest

from support import model
from support.model import MINUTE
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}
KEYS = (
    "ma5 ma10 ma20 mavol5 mavol10 boll_mb boll_up boll_dn macd_dif macd_dea macd_hist kdj_k kdj_d kdj_j "
    "rsi6 rsi12 rsi24 wr10 wr6").split()


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def same(got, expected):
    assert list(got) == list(expected)
    for key, value in expected.items():
        if value is None:
            assert got[key] is None, key
        else:
            assert float(got[key]) == pytest.approx(float(value), rel=1e-9, abs=1e-9), key


def lines(at, count, seed=1):
    generator = random.Random(seed)
    return [
        (at + minute * MINUTE + offset, f"{generator.randrange(9000, 11000) / 100}", generator.randrange(1, 20))
        for minute in range(count) for offset in (0, 20_000, 40_000)
    ]


def served(feed, timeframe, **parameters):
    return {c["open_time"]: c for c in feed.daemon.candles("TEST", timeframe, limit=1000, **parameters)}


def test_the_keys_are_those_of_the_configuration_in_its_order(feed_daemon):
    feed = feed_daemon(BY_TICK)
    feed.ticks((ahead(), 100, 1))
    assert list(feed.daemon.candles("TEST", "M1", forming=1)[0]["indicators"]) == KEYS


def test_other_periods_give_other_keys(feed_daemon):
    feed = feed_daemon({**BY_TICK, "indicators": {"ma": [3], "ema": [9], "rsi": [14]}})
    feed.ticks((ahead(), 100, 1))
    keys = list(feed.daemon.candles("TEST", "M1", forming=1)[0]["indicators"])
    assert {"ma3", "ema9", "rsi14"} <= set(keys) and not {"ma5", "rsi6"} & set(keys)


def test_a_value_that_is_not_warm_is_null_and_the_average_is_right_when_it_is(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n, n) for n in range(22)])
    eventually(lambda: len(served(feed, "M1")) == 21, "21 candles")
    candles = list(served(feed, "M1").values())
    for number, candle in enumerate(candles):
        values = candle["indicators"]
        for period in (5, 10, 20):
            expected = None if number < period - 1 else sum(100 + n for n in range(number - period + 1, number + 1)) / period
            assert values[f"ma{period}"] == expected
        assert (values["rsi24"], values["mavol10"] is None) == (None, number < 9)


def test_values_on_the_stream_equal_those_of_http(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.*.TEST")
    at = ahead()
    for start in range(0, 240, 30):
        feed.ticks(*lines(at, 80)[start:start + 30])
    stream.wait_candle("closed", "M5", at + 70 * MINUTE)
    for timeframe in ("M1", "M5"):
        stored = served(feed, timeframe)
        closed = stream.candles("closed", topic=f"candle.{timeframe}.TEST")
        assert len(closed) >= 15
        for candle in closed:
            same(stored[candle["open_time"]]["indicators"], candle["indicators"])


def test_a_preview_on_the_forming_candle_equals_what_is_committed_when_it_closes_unchanged(feed_daemon):
    """S54: a preview never changes what is committed."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    for line in lines(at, 30):
        feed.ticks(line)
    stream.wait_candle("closed", "M1", at + 28 * MINUTE)
    previews = {}
    for message in stream.of("forming", "closed"):
        candle = message["candle"]
        if message["type"] == "forming":
            previews[candle["open_time"]] = candle
        elif candle["open_time"] in previews and previews[candle["open_time"]]["ticks"] == candle["ticks"]:
            assert candle["indicators"] == previews[candle["open_time"]]["indicators"]


def test_values_are_the_same_after_a_restart_and_go_on_as_if_there_had_been_none(feed_daemon, make_daemon, make_exchange):
    """S100."""
    at = ahead()
    ticks = lines(at, 60)
    feed = feed_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": "none"}})
    feed.ticks(*ticks[:120])
    feed.ticks((at + 39 * MINUTE + 50_000, ticks[119][1], 1))
    eventually(lambda: len(served(feed, "M1")) == 39, "39 candles")
    before = served(feed, "M1")
    assert feed.daemon.stop() == 0
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=2)
    after = served(feed, "M1", to=at + 39 * MINUTE)
    assert list(after) == list(before)
    for start, candle in before.items():
        same(after[start]["indicators"], candle["indicators"])


def test_a_correction_restates_the_later_candles_whose_indicators_changed(feed_daemon):
    """S105."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n % 5, 1) for n in range(31)])
    stream.wait_candle("closed", "M1", at + 29 * MINUTE)
    before = served(feed, "M1")
    feed.ticks((at + 20 * MINUTE + 59_000, 130, 1))
    corrected = stream.wait_candle("corrected", "M1", at + 20 * MINUTE)
    assert corrected["close"] == 130
    restated = [stream.wait_candle("corrected", "M1", at + n * MINUTE) for n in range(21, 30)]
    versions = [c["version"] for c in (corrected, *restated)]
    assert versions == sorted(set(versions))
    after = served(feed, "M1")
    for candle in (corrected, *restated):
        same(after[candle["open_time"]]["indicators"], candle["indicators"])
        assert (candle["revision"], after[candle["open_time"]]["revision"]) == (1, 1)
    for number in range(20):
        assert after[at + number * MINUTE]["version"] == before[at + number * MINUTE]["version"]
    closes = [float(after[at + n * MINUTE]["close"]) for n in range(30)]
    for number in range(20, 30):
        for period in (5, 10, 20):
            mean = sum(closes[number - period + 1:number + 1]) / period
            assert float(after[at + number * MINUTE]["indicators"][f"ma{period}"]) == pytest.approx(mean, rel=1e-9)


def test_a_corrected_series_has_the_values_of_one_pass_over_its_candles(feed_daemon, make_daemon, make_exchange):
    """S105, rule 7: bit for bit within one run."""
    from support.daemon import TickFeed
    at = ahead()
    ticks = [(time, price, volume, number) for number, (time, price, volume) in enumerate(lines(at, 60, seed=3))]
    late = list(ticks)
    generator = random.Random(5)
    for _ in range(60):
        place = generator.randrange(1, len(late) - 1)
        late.insert(min(len(late), place + generator.randrange(4, 40)), late.pop(place))
    results = []
    for order in (ticks, late):
        exchange = make_exchange()
        entry = {"name": "f", "url": exchange.url(), "format": "csv", "symbol": "TEST"}
        daemon = make_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": "none"}, "feeds": [entry]}).start().wait_ready()
        feed = TickFeed(daemon, exchange)
        for start in range(0, len(order), 7):
            feed.ticks(*order[start:start + 7])
        feed.ticks((at + 90 * MINUTE, 100, 1, 99_999))
        eventually(lambda: len(served(feed, "M1")) == 60, "60 candles")
        results.append({name: served(feed, name) for name in ("M1", "M5")})
    for timeframe in ("M1", "M5"):
        straight, shuffled = (one[timeframe] for one in results)
        assert list(straight) == list(shuffled)
        for start, candle in straight.items():
            assert model.content(shuffled[start]) == model.content(candle)
            assert shuffled[start]["indicators"] == candle["indicators"], (timeframe, start)


def test_a_flat_stretch_never_poisons_later_values(feed_daemon):
    """S102."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 100, 0), (at + 40 * MINUTE, 100, 0))
    feed.ticks(*[(at + n * MINUTE, 100 + n % 7, 1) for n in range(41, 70)])
    eventually(lambda: len(served(feed, "M1")) == 69, "69 candles")
    candles = served(feed, "M1")
    text = feed.daemon.get("/v1/candles", symbol="TEST", timeframe="M1").text.lower()
    assert "nan" not in text and "inf" not in text
    flat = candles[at + 35 * MINUTE]["indicators"]
    assert (flat["kdj_k"], flat["kdj_d"], flat["kdj_j"], flat["rsi6"], flat["wr10"]) == (50, 50, 50, 50, -50)
    last = candles[at + 68 * MINUTE]["indicators"]
    assert all(last[key] is not None for key in KEYS)
    assert last["kdj_k"] != 50 and last["rsi6"] != 50
