"""TradingView's Universal Data Feed, field by field (contract, section 7)."""

import pytest

from support.model import MINUTE
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["S5", "M1", "M5", "H1", "D1"], "settlement": {"max_ahead": "1d"}}


@pytest.fixture
def fed(feed_daemon):
    """A daemon with 20 closed candles of M1 and one that forms, and the time of the first in seconds."""
    feed = feed_daemon(BY_TICK, symbol="BTC/USDT")
    at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
    feed.ticks(*[f"{at + n * MINUTE},{100 + n}.125,1.5" for n in range(21)])
    eventually(lambda: len(feed.daemon.candles("BTC/USDT", "M1")) == 20, "20 candles")
    return feed.daemon, at // 1000


def history(daemon, **parameters):
    answer = daemon.get("/udf/history", symbol="BTC/USDT", **{"resolution": "1", **parameters})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    return answer.json


def times(answer, at):
    assert answer["s"] == "ok", answer
    assert all(len(answer[key]) == len(answer["t"]) for key in "ohlcv")
    return [(time - at) // 60 for time in answer["t"]]


def test_the_configuration_names_what_is_there(fed):
    config = fed[0].get("/udf/config").json
    assert config["supports_search"] is True and config["supports_group_request"] is False
    assert config["supports_time"] is True and config["supports_marks"] is False
    assert config["supported_resolutions"] == ["5S", "1", "5", "60", "1D"]
    assert config["exchanges"] and config["symbols_types"]


def test_the_time_is_text_in_whole_seconds(fed):
    answer = fed[0].get("/udf/time")
    assert answer.text.isdigit() and abs(int(answer.text) - wall_ms() // 1000) < 60


def test_a_symbol_has_what_the_library_needs(fed):
    for name in ("BTC/USDT", "candled:BTC/USDT"):
        symbol = fed[0].get("/udf/symbols", symbol=name).json
        assert symbol["name"] == symbol["ticker"] == symbol["full_name"] == "BTC/USDT"
        assert symbol["minmov"] == 1 and symbol["pricescale"] == 1000 and symbol["volume_precision"] == 1
        assert symbol["session"] == "24x7" and symbol["timezone"] == "Etc/UTC" and symbol["currency_code"] == "USDT"
        assert symbol["has_intraday"] is True and symbol["intraday_multipliers"] == ["1", "5", "60"]
        assert symbol["has_seconds"] is True and symbol["seconds_multipliers"] == ["5"]
        assert symbol["has_daily"] is True and symbol["has_weekly_and_monthly"] is False
        assert symbol["supported_resolutions"] == ["5S", "1", "5", "60", "1D"]
        assert "s" not in symbol, "which would mean that the symbol is not known"


def test_what_is_not_known_is_said_with_s(fed):
    assert fed[0].get("/udf/symbols", symbol="NOPE").json == {"s": "error", "errmsg": "unknown_symbol"}
    assert fed[0].get("/udf/history", symbol="NOPE", resolution="1").json["s"] == "error"
    for parameters in [{"resolution": "3"}, {"resolution": ""}, {"from": "x"}, {"countback": "-1"}]:
        answer = history(fed[0], **parameters)
        assert answer["s"] == "error" and answer["errmsg"]


def test_a_search_finds_parts_of_names(fed):
    found = fed[0].get("/udf/search", query="tc/u", type="", exchange="", limit=10).json
    assert found == [{
        "symbol": "BTC/USDT", "full_name": "BTC/USDT", "description": "BTC / USDT", "exchange": "candled",
        "ticker": "BTC/USDT", "type": "crypto"}]
    assert fed[0].get("/udf/search", query="NOPE", limit=10).json == []
    assert fed[0].get("/udf/search", query="", limit=0).json == []


def test_history_equals_the_candles_in_seconds_with_the_forming_bar(fed):
    daemon, at = fed
    answer = history(daemon, **{"from": at, "to": at + 3600})
    candles = daemon.candles("BTC/USDT", "M1", forming=1)
    assert answer["t"] == [candle["open_time"] // 1000 for candle in candles] and len(answer["t"]) == 21
    for key, field in zip("ohlcv", ("open", "high", "low", "close", "volume")):
        assert answer[key] == [candle[field] for candle in candles]


def test_the_range_is_from_inclusive_to_exclusive(fed):
    """S115: times ascend, are aligned and inside the range."""
    daemon, at = fed
    assert times(history(daemon, **{"from": at + 120, "to": at + 300}), at) == [2, 3, 4]
    assert times(history(daemon, **{"from": at + 121, "to": at + 301}), at) == [3, 4, 5]
    assert times(history(daemon, **{"from": at + 19 * 60, "to": at + 20 * 60}), at) == [19]


def test_countback_counts_more_than_from(fed):
    """S116."""
    daemon, at = fed
    assert times(history(daemon, **{"from": at + 600, "to": at + 660, "countback": 5}), at) == [6, 7, 8, 9, 10]
    assert times(history(daemon, **{"from": at, "to": at + 1260, "countback": 2}), at) == [19, 20]
    assert times(history(daemon, **{"from": at, "to": at + 120, "countback": 300}), at) == [0, 1]


def test_the_client_that_polls_gets_the_bar_before_the_newest_too(fed):
    """It throws where a new bar comes alone."""
    daemon, at = fed
    assert times(history(daemon, **{"from": at + 1200 - 600, "to": at + 1260, "countback": 2}), at) == [19, 20]


def test_no_data_leads_to_older_bars_and_ends_at_the_left_edge(fed):
    daemon, at = fed
    assert history(daemon, **{"from": at - 7200, "to": at}) == {"s": "no_data"}
    assert history(daemon, **{"from": at - 7200, "to": at, "countback": 100}) == {"s": "no_data"}
    last = daemon.candles("BTC/USDT", "M1", limit=1)[0]["open_time"] // 1000
    assert history(daemon, **{"from": at + 86_400, "to": at + 90_000}) == {"s": "no_data", "nextTime": last}


@pytest.mark.parametrize("resolution, timeframe", [
    ("5S", "S5"), ("1", "M1"), ("5", "M5"), ("60", "H1"), ("1D", "D1"), ("D", "D1")])
def test_resolutions_are_the_configured_timeframes(fed, resolution, timeframe):
    daemon, at = fed
    candles = daemon.candles("BTC/USDT", timeframe, forming=1, limit=10_000)
    answer = history(daemon, resolution=resolution, **{"from": 0, "to": at + 86_400})
    assert answer["t"] == [candle["open_time"] // 1000 for candle in candles] and answer["t"]


def test_a_long_range_is_whole(feed_daemon):
    feed = feed_daemon({"timeframes": ["M1"], "clock": {"source": "feed"}, "settlement": {"flat_limit": 0}}, symbol="BTC/USDT")
    at = 1_600_000_200
    feed.ticks(f"{at},100,1", f"{at + 12_000 * 60},101,1")
    eventually(lambda: len(feed.daemon.candles("BTC/USDT", "M1", indicators=0, **{"from": at * 1000 + 2_001 * 60_000, "limit": 10_000})) == 9_999, "12,000 candles")
    assert times(history(feed.daemon, **{"from": at, "to": at + 100_000 * 60}), at) == list(range(12_001))
