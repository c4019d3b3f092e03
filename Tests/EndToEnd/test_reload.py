"""SIGHUP (contract, section 8): what changed takes effect, what did not keeps its sockets, a wrong file changes nothing."""

import json
import signal

import pytest

from support.model import MINUTE
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5"], "settlement": {"max_ahead": "1d"}}


def ahead():
    return (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE


def reload(daemon, configuration, word):
    before = daemon.log().count(word)
    daemon.configuration = configuration
    (daemon.folder / "candled.yaml").write_text(json.dumps(configuration))
    daemon.process.send_signal(signal.SIGHUP)
    eventually(lambda: daemon.log().count(word) > before, word)


@pytest.fixture
def filled(feed_daemon):
    feed = feed_daemon({**BY_TICK, "indicators": {"ma": [2], "boll": None, "macd": None, "kdj": None, "rsi": [], "wr": []}})
    at = ahead()
    feed.ticks(*[(at + n * MINUTE, 100 + n * n % 17, 1) for n in range(40)])
    eventually(lambda: len(feed.daemon.candles("TEST", "M1")) == 39, "39 candles")
    return feed, at


def test_other_indicators_are_computed_while_every_socket_stays(filled):
    feed, at = filled
    daemon = feed.daemon
    reader = daemon.subscriber("candle.M1.TEST")
    assert set(daemon.candles("TEST", "M1")[-1]["indicators"]) >= {"ma2"}
    reload(
        daemon, {**daemon.configuration, "indicators": {"convention": "tradingview", "ma": [3, 4], "rsi": [5]}},
        "configuration reloaded")
    told = eventually(lambda: [m for m in reader.messages if m["type"] == "reload"], "a reload")
    assert told[0]["topic"] == "candle.M1.TEST" and told[0]["from"] == 0
    assert daemon.get("/v1/status").json["convention"] == "tradingview"
    feed.ticks((at + 40 * MINUTE, 107, 1), (at + 41 * MINUTE, 108, 1))
    closed = reader.wait_candle("closed", "M1", at + 40 * MINUTE)
    assert set(closed["indicators"]) >= {"ma3", "ma4", "rsi5"} and "ma2" not in closed["indicators"]
    stored = daemon.candles("TEST", "M1", **{"from": at + 40 * MINUTE, "to": at + 41 * MINUTE})[0]
    for key, value in stored["indicators"].items():
        assert float(closed["indicators"][key]) == pytest.approx(float(value), rel=1e-9), key
    forming = eventually(
        lambda: [m["candle"] for m in reader.messages if m["type"] == "forming" and m["candle"]["indicators"]], "forming")
    assert "ma3" in forming[-1]["indicators"]
    assert len(feed.exchange.of()) == 1, "the feed kept its socket"
    assert reader.ask({"op": "ping"})["type"] == "pong", "and so did the reader"
    later = daemon.subscriber()
    assert later.subscribe("closed.M1.TEST")["convention"] == "tradingview"


def test_a_reader_that_comes_back_after_the_change_gets_the_new_values(filled):
    feed, at = filled
    daemon = feed.daemon
    reader = daemon.subscriber()
    answer = reader.subscribe("closed.M1.TEST", since={"epoch": daemon.get("/v1/status").json["epoch"], "version": 0})
    eventually(lambda: len(reader.candles("closed")) == 39, "39 candles")
    reload(daemon, {**daemon.configuration, "indicators": {"ma": [7]}}, "configuration reloaded")
    again = daemon.subscriber()
    again.subscribe("closed.M1.TEST", since={"epoch": answer["epoch"], "version": 0})
    eventually(lambda: len(again.candles("closed")) == 39, "39 candles again")
    assert all("ma7" in candle["indicators"] for candle in again.candles("closed"))


def test_a_wrong_configuration_changes_nothing(filled):
    feed, at = filled
    daemon = feed.daemon
    good = daemon.configuration
    reload(daemon, {**good, "indicators": {"ma": [0]}, "feeds": []}, "indicators.ma")
    assert "ma2" in daemon.candles("TEST", "M1")[-1]["indicators"]
    assert [one["name"] for one in daemon.get("/v1/status").json["feeds"]] == ["f"]
    feed.ticks((at + 40 * MINUTE, 107, 1))
    daemon.configuration = good
