"""The HTTP API: endpoints, parameters, errors (contract, section 6)."""

import re
import urllib.parse

import pytest

from support import model
from support.model import MINUTE
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}
SYMBOL = "BTC/USD:x_1.y-z"


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


@pytest.fixture
def served(feed_daemon):
    """A daemon with 25 closed candles of M1, one that forms, and the time of the first."""
    feed = feed_daemon(BY_TICK, symbol=SYMBOL)
    at = ahead()
    feed.ticks(*[f"{at + n * MINUTE},{100 + n},1" for n in range(26)])
    eventually(lambda: len(feed.daemon.candles(SYMBOL, "M1")) == 25, "25 candles")
    return feed.daemon, at


def times(page, at):
    return [(candle["open_time"] - at) // MINUTE for candle in page["candles"]]


# /v1/candles


def test_a_page_has_symbol_timeframe_candles_and_next(served):
    daemon, at = served
    page = daemon.page(SYMBOL, "M1")
    assert list(page) == ["symbol", "timeframe", "candles", "next"]
    assert (page["symbol"], page["timeframe"], page["next"]) == (SYMBOL, "M1", None)
    assert times(page, at) == list(range(25))


def test_from_is_inclusive_and_to_is_exclusive(served):
    daemon, at = served
    assert times(daemon.page(SYMBOL, "M1", **{"from": at + 3 * MINUTE, "to": at + 6 * MINUTE}), at) == [3, 4, 5]
    assert times(daemon.page(SYMBOL, "M1", **{"from": at + 3 * MINUTE - 1, "to": at + 6 * MINUTE + 1}), at) == [3, 4, 5, 6]
    assert times(daemon.page(SYMBOL, "M1", **{"from": at + 3 * MINUTE + 1, "to": at + 4 * MINUTE}), at) == []
    assert times(daemon.page(SYMBOL, "M1", **{"from": at + 6 * MINUTE, "to": at + 3 * MINUTE}), at) == []


def test_without_from_the_newest_are_given_oldest_first(served):
    daemon, at = served
    assert times(daemon.page(SYMBOL, "M1", limit=3), at) == [22, 23, 24]
    assert times(daemon.page(SYMBOL, "M1", limit=3, to=at + 10 * MINUTE), at) == [7, 8, 9]


def test_next_leads_through_all_pages_without_a_hole_or_a_double(served):
    daemon, at = served
    seen, start = [], at
    pages = 0
    while start is not None:
        page = daemon.page(SYMBOL, "M1", limit=7, **{"from": start})
        seen += times(page, at)
        start = page["next"]
        pages += 1
    assert seen == list(range(25)) and pages == 4


def test_next_is_null_where_the_last_page_is_exactly_full(served):
    daemon, at = served
    assert daemon.page(SYMBOL, "M1", limit=25, **{"from": at})["next"] is None
    assert daemon.page(SYMBOL, "M1", limit=5, **{"from": at, "to": at + 5 * MINUTE})["next"] is None


def test_next_is_inside_the_range_that_was_asked_for(served):
    daemon, at = served
    page = daemon.page(SYMBOL, "M1", limit=2, **{"from": at, "to": at + 5 * MINUTE})
    assert page["next"] == at + 2 * MINUTE


def test_forming_1_adds_the_forming_candle_last_and_marked(served):
    """S44, S45: without it the last row is a closed one."""
    daemon, at = served
    assert daemon.candles(SYMBOL, "M1", forming=0)[-1]["state"] == "closed"
    page = daemon.page(SYMBOL, "M1", forming=1)
    assert times(page, at) == list(range(26))
    assert [c["state"] for c in page["candles"]] == ["closed"] * 25 + ["forming"]
    assert times(daemon.page(SYMBOL, "M1", forming=1, limit=2), at)[-1] == 25


def test_forming_1_respects_to_and_pages(served):
    daemon, at = served
    assert times(daemon.page(SYMBOL, "M1", forming=1, to=at + 25 * MINUTE), at)[-1] == 24
    page = daemon.page(SYMBOL, "M1", forming=1, limit=5, **{"from": at})
    assert times(page, at) == [0, 1, 2, 3, 4] and page["next"] == at + 5 * MINUTE
    assert times(daemon.page(SYMBOL, "M1", forming=1, **{"from": at + 25 * MINUTE}), at) == [25]


def test_indicators_0_leaves_the_key_out(served):
    daemon, _ = served
    for candle in daemon.candles(SYMBOL, "M1", indicators=0, forming=1):
        assert "indicators" not in candle
    for candle in daemon.candles(SYMBOL, "M1", indicators=1, forming=1):
        assert candle["indicators"]


def test_the_default_limit_is_500_and_the_most_is_10000(feed_daemon):
    feed = feed_daemon({"timeframes": ["M1"], "clock": {"source": "feed"}, "settlement": {"flat_limit": 0}})
    at = 1_600_000_200_000
    feed.ticks((at, 100, 1), (at + 10_100 * MINUTE, 100, 1))
    eventually(lambda: len(feed.daemon.candles("TEST", "M1", limit=10_000, indicators=0)) == 10_000, "10,000 candles")
    assert len(feed.daemon.candles("TEST", "M1", indicators=0)) == 500
    page = feed.daemon.page("TEST", "M1", indicators=0, limit=10_000, **{"from": at})
    assert len(page["candles"]) == 10_000 and page["next"] == at + 10_000 * MINUTE


@pytest.mark.parametrize("parameters, code, status", [
    ({}, "bad_parameter", 400),
    ({"symbol": SYMBOL}, "bad_parameter", 400),
    ({"timeframe": "M1"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M2"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "H1"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "m1"}, "bad_parameter", 400),
    ({"symbol": "NOBODY", "timeframe": "M1"}, "unknown_symbol", 404),
    ({"symbol": SYMBOL.lower(), "timeframe": "M1"}, "unknown_symbol", 404),
    ({"symbol": SYMBOL, "timeframe": "M1", "limit": "0"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "limit": "-1"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "limit": "10001"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "limit": "ten"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "limit": ""}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "from": "yesterday"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "to": "1e12"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "from": "99999999999999999999"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "forming": "yes"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "indicators": "2"}, "bad_parameter", 400),
    ({"symbol": SYMBOL, "timeframe": "M1", "format": "xml"}, "bad_parameter", 400),
])
def test_a_wrong_parameter_is_a_fitting_status_with_code_and_message(served, parameters, code, status):
    daemon, _ = served
    answer = daemon.get("/v1/candles", **parameters)
    assert (answer.status, answer.json["error"]["code"]) == (status, code)
    assert answer.json["error"]["message"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_a_symbol_with_special_characters_is_percent_encoded(served):
    daemon, _ = served
    assert SYMBOL not in urllib.parse.quote(SYMBOL, safe="")
    answer = daemon.request("GET", f"/v1/candles?symbol={urllib.parse.quote(SYMBOL, safe='')}&timeframe=M1")
    assert answer.status == 200 and answer.json["symbol"] == SYMBOL


def test_negative_times_are_refused_or_give_everything(served):
    daemon, _ = served
    answer = daemon.get("/v1/candles", symbol=SYMBOL, timeframe="M1", **{"from": -1})
    assert answer.status in (200, 400)


# The others


def test_symbols_lists_every_symbol_with_its_last_tick(served):
    daemon, at = served
    assert daemon.get("/v1/symbols").json == {"symbols": [{"symbol": SYMBOL, "dormant": False, "last_tick": at + 25 * MINUTE}]}


def test_status_tells_of_feeds_their_state_skew_last_tick_and_counters(served):
    daemon, at = served
    status = daemon.get("/v1/status").json
    feed, = status["feeds"]
    assert (feed["name"], feed["state"], feed["last_tick"]) == ("f", "connected", at + 25 * MINUTE)
    assert feed["skew_ms"] > 0 and status["counters"]
    assert status["convention"] == "tdx"


def test_status_hides_what_may_be_a_secret_in_the_address_of_a_feed(make_daemon, exchange):
    url = exchange.url("/ticks").replace("ws://", "ws://") + "?token=s3cret"
    daemon = make_daemon({"feeds": [{"name": "f", "url": url, "format": "csv", "symbol": "TEST"}]}).start().wait_ready()
    assert "s3cret" not in daemon.get("/v1/status").text
    assert "s3cret" not in daemon.log()


def test_gaps_are_listed_and_an_unknown_symbol_is_404(served):
    daemon, _ = served
    assert daemon.get("/v1/gaps", symbol=SYMBOL).json == {"gaps": []}
    assert daemon.get("/v1/gaps").status == 200
    answer = daemon.get("/v1/gaps", symbol="NOBODY")
    assert (answer.status, answer.json["error"]["code"]) == (404, "unknown_symbol")


def test_time_is_the_server_clock(served):
    daemon, _ = served
    before = wall_ms()
    answer = daemon.get("/v1/time").json
    assert set(answer) == {"server_time", "offset_ms"}
    assert before - 1000 <= answer["server_time"] <= wall_ms() + 1000
    assert abs(answer["offset_ms"]) <= 1000


def test_with_clock_feed_time_goes_on_from_the_newest_event(feed_daemon):
    feed = feed_daemon({"clock": {"source": "feed"}})
    at = 1_600_000_200_000
    feed.ticks((at, 100, 1))
    first = feed.daemon.get("/v1/time").json["server_time"]
    assert at <= first < at + MINUTE
    later = eventually(lambda: (t := feed.daemon.get("/v1/time").json["server_time"]) > first and t, "time")
    assert later < at + MINUTE


def test_metrics_are_prometheus_text_with_the_prefix(served):
    daemon, _ = served
    answer = daemon.get("/metrics")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain")
    typed = set()
    for line in answer.text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:4]
            assert kind in ("counter", "gauge", "histogram", "summary")
            assert name not in typed, f"{name} is declared twice"
            typed.add(name)
        elif line and not line.startswith("#"):
            match = re.fullmatch(r'(candled_[a-z0-9_]+)(\{([a-z_]+="(\\.|[^"\\])*",?)*\})? (\S+)', line)
            assert match, line
            float(match.group(5))
            base = re.sub(r"_(bucket|sum|count)$", "", match.group(1))
            assert match.group(1) in typed or base in typed, f"{line} has no type"
    assert {"candled_ticks_refused_total", "candled_clock_steps_total"} <= typed
    reasons = re.findall(r'candled_ticks_refused_total\{feed="f",reason="(\w+)"\}', answer.text)
    assert {"malformed", "bad_timestamp", "bad_price", "bad_volume", "precision", "overflow", "too_far_ahead", "too_late",
            "duplicate", "unknown_symbol"} <= set(reasons)


def test_healthz_and_readyz_are_200_when_all_is_well(served):
    daemon, _ = served
    assert daemon.get("/healthz").status == 200
    assert daemon.get("/readyz").status == 200


def test_readyz_is_200_without_any_feed(make_daemon):
    assert make_daemon().start().get("/readyz").status == 200


def test_readyz_says_why_while_no_feed_is_connected_and_healthz_stays_200(feed_daemon):
    feed = feed_daemon()
    feed.exchange.refusing = True
    feed.connection.drop()
    answer = eventually(lambda: (r := feed.daemon.get("/readyz")).status == 503 and r, "503")
    assert "feed" in answer.text
    assert feed.daemon.get("/healthz").status == 200
    feed.exchange.refusing = False
    feed.daemon.wait_ready()


GETS = ["/v1/symbols", "/v1/status", "/v1/gaps", "/v1/time", "/metrics", "/healthz", "/readyz"]


def test_every_get_carries_the_cors_header(served):
    daemon, _ = served
    for path in [*GETS, f"/v1/candles?symbol={urllib.parse.quote(SYMBOL, safe='')}&timeframe=M1", "/nowhere", "/v1/candles"]:
        assert daemon.get(path).headers["Access-Control-Allow-Origin"] == "*", path


def test_head_is_get_without_a_body(served):
    daemon, _ = served
    for path in [*GETS, f"/v1/candles?symbol={urllib.parse.quote(SYMBOL, safe='')}&timeframe=M1"]:
        head = daemon.request("HEAD", path)
        assert (head.status, head.text) == (200, ""), path
        assert head.headers["Content-Type"] == daemon.get(path).headers["Content-Type"]
    assert daemon.request("HEAD", "/nowhere").status == 404


def test_an_unknown_path_is_404_with_an_error(served):
    daemon, _ = served
    for path in ("/nowhere", "/v1", "/v1/candles/", "/v1/Candles", "/v2/candles", "/../etc/passwd", "/%00x"):
        answer = daemon.get(path)
        assert answer.status in (400, 404), path
        if answer.status == 404:
            assert answer.json["error"]["code"] and answer.json["error"]["message"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_another_method_is_405(served, method):
    daemon, _ = served
    answer = daemon.request(method, "/v1/candles")
    assert answer.status == 405 and answer.json["error"]["code"]


def test_a_connection_serves_many_requests(served):
    import http.client
    daemon, _ = served
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
    for _ in range(20):
        connection.request("GET", "/v1/time")
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
    connection.close()


def test_history_pages_are_answered_while_ticks_flow(served):
    """S42: reading history does not disturb what is live."""
    daemon, at = served
    first = daemon.candles(SYMBOL, "M1")
    for _ in range(20):
        assert daemon.candles(SYMBOL, "M1", to=at + 25 * MINUTE) == first
