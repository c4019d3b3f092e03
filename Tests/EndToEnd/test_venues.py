"""Presets: what is sent to a venue, when a symbol counts as listened to, and what a venue's other messages do."""

import json
import signal
import time

import pytest

from support import tls
from support.model import MINUTE
from support.waiting import eventually, wall_ms

QUICK = {"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": "0ms"}}


def start(make_daemon, exchange, preset, symbols, wait=True, more=None, **feed):
    entry = {"name": "f", "preset": preset, "url": exchange.url("/venue"), "symbols": symbols, **feed}
    daemon = make_daemon({"feeds": [entry], **QUICK, **(more or {})}).start()
    if wait:
        daemon.wait_ready()
    return daemon


def ahead(minutes=10):
    return (wall_ms() // MINUTE + minutes) * MINUTE


def binance(symbol, number, time, price, volume="1", sold=False):
    return json.dumps({
        "e": "trade", "E": time + 3, "s": symbol, "t": number, "p": price, "q": volume, "T": time, "m": sold, "M": True})


def feed_status(daemon):
    return daemon.get("/v1/status").json["feeds"][0]


SENT = {
    "binance": ['{"method":"SUBSCRIBE","params":["aaa@trade","bbb@trade"],"id":1}'],
    "binance_us": ['{"method":"SUBSCRIBE","params":["aaa@trade","bbb@trade"],"id":1}'],
    "binance_usdm": ['{"method":"SUBSCRIBE","params":["aaa@trade","bbb@trade"],"id":1}'],
    "binance_coinm": ['{"method":"SUBSCRIBE","params":["aaa@trade","bbb@trade"],"id":1}'],
    "bybit": ['{"op":"subscribe","args":["publicTrade.AAA","publicTrade.BBB"],"req_id":"1"}'],
    "okx": ['{"op":"subscribe","args":[{"channel":"trades","instId":"AAA"},{"channel":"trades","instId":"BBB"}]}'],
    "kraken": [
        '{"method":"subscribe","params":{"channel":"trade","symbol":["AAA","BBB"],"snapshot":true},"req_id":1}'],
    "coinbase": ['{"type":"subscribe","product_ids":["AAA","BBB"],"channels":["matches","heartbeat"]}'],
    "bitstamp": [
        '{"event":"bts:subscribe","data":{"channel":"live_trades_aaa"}}',
        '{"event":"bts:subscribe","data":{"channel":"live_trades_bbb"}}'],
    "hitbtc": ['{"method":"subscribe","ch":"trades","params":{"symbols":["AAA","BBB"],"limit":100},"id":1}'],
}
ANSWERS = {
    "binance": ['{"result":null,"id":1}'],
    "bybit": ['{"success":true,"ret_msg":"subscribe","conn_id":"c","req_id":"1","op":"subscribe"}'],
    "okx": ['{"event":"subscribe","arg":{"channel":"trades","instId":"%s"},"connId":"c"}' % s for s in ("AAA", "BBB")],
    "kraken": [
        '{"method":"subscribe","req_id":1,"result":{"channel":"trade","snapshot":true,"symbol":"%s"},"success":true}' % s
        for s in ("AAA", "BBB")],
    "coinbase": ['{"type":"subscriptions","channels":[{"name":"matches","product_ids":["AAA","BBB"]}]}'],
    "bitstamp": [
        '{"event":"bts:subscription_succeeded","channel":"live_trades_%s","data":{}}' % s for s in ("aaa", "bbb")],
    "hitbtc": ['{"result":{"ch":"trades","subscriptions":["AAA","BBB"]},"id":1}'],
}


@pytest.mark.parametrize("preset", SENT)
def test_a_preset_asks_for_its_symbols_again_after_every_redial(make_daemon, exchange, preset):
    start(make_daemon, exchange, preset, ["AAA", "BBB"], subscribe='{"more":1}')
    for number in (1, 2):
        connection = exchange.connection("/venue", number)
        eventually(lambda: connection.received == SENT[preset] + ['{"more":1}'], "the subscriptions")
        connection.drop()


@pytest.mark.parametrize("preset", ANSWERS)
def test_a_symbol_is_listened_to_once_the_venue_has_answered(make_daemon, exchange, preset):
    daemon = start(make_daemon, exchange, preset, ["AAA", "BBB"])
    status = feed_status(daemon)
    assert (status["state"], status["symbols"], status["subscribed"]) == ("connected", ["AAA", "BBB"], 0)
    exchange.connection("/venue").send(*ANSWERS[preset])
    eventually(lambda: feed_status(daemon)["subscribed"] == 2, "both symbols subscribed")
    assert feed_status(daemon)["ignored"] == 0


def test_a_trade_shows_that_its_symbol_is_subscribed_to(make_daemon, exchange):
    daemon = start(make_daemon, exchange, "binance", ["AAA", "BBB"])
    exchange.connection("/venue").send(binance("BBB", 1, ahead(), "5"))
    eventually(lambda: daemon.accepted() == 1, "the trade")
    assert feed_status(daemon)["subscribed"] == 1


def test_a_symbol_is_renamed_and_its_volume_has_a_side(make_daemon, exchange):
    daemon = start(
        make_daemon, exchange, "binance", [{"venue": "AAA", "name": "A-USD", "base": "A", "quote": "USD"}, "bbb"])
    at = ahead()
    exchange.connection("/venue").send(
        binance("AAA", 1, at, "36500.250", "0.5"), binance("AAA", 2, at + 1, "36500.50", "0.25", sold=True),
        binance("BBB", 1, at, "7"))
    eventually(lambda: daemon.accepted() == 3, "the trades")
    candle = daemon.candles("A-USD", "M1", forming=1)[-1]
    assert (float(candle["volume"]), float(candle["taker_buy_volume"]), candle["ticks"]) == (0.75, 0.5, 2)
    assert daemon.candles("bbb", "M1", forming=1)[-1]["close"] == 7
    assert daemon.get("/v1/candles", symbol="AAA", timeframe="M1").status == 404


def test_other_messages_are_ignored_and_bad_ones_refused_with_a_reason(make_daemon, exchange):
    """S27 among them: a value that nobody knows never costs the message."""
    daemon = start(make_daemon, exchange, "binance_usdm", ["AAA"])
    at = ahead()
    good = json.loads(binance("AAA", 7, at, "100"))
    exchange.connection("/venue").send(
        '{"e":"kline","s":"AAA","k":{}}', '{"result":["aaa@trade"],"id":0}', "no json", binance("AAA", 1, at, "0"),
        binance("AAA", 2, at, "x"), binance("AAA", 3, at, "1", "-1"), binance("OTHER", 4, at, "1"),
        binance("AAA", 5, at, "1." + "1" * 19), '{"e":"trade","s":"AAA","t":6,"p":"1"}',
        json.dumps({**good, "X": "INSURANCE_FUND", "new": [1, {"a": None}]}), binance("AAA", 8, at, "101"))
    eventually(lambda: daemon.accepted() == 2, "the good trades")
    assert daemon.refused() == {
        "malformed": 2, "bad_price": 2, "bad_volume": 1, "unknown_symbol": 1, "precision": 1}
    assert daemon.metrics()['candled_feed_messages_ignored_total{feed="f"}'] == 2
    eventually(lambda: "no json" in daemon.log(), "the refused text in the log")


@pytest.mark.parametrize("preset, message", [
    ("binance", '{"e":"serverShutdown","E":1770123456789}'),
    ("okx", '{"event":"notice","code":"64008","msg":"The connection will soon be closed","connId":"c"}'),
    ("bitstamp", '{"event":"bts:request_reconnect","channel":"","data":""}'),
])
def test_a_request_to_reconnect_is_followed(make_daemon, exchange, preset, message):
    daemon = start(make_daemon, exchange, preset, ["AAA"])
    first = exchange.connection("/venue")
    first.send(message)
    second = exchange.connection("/venue", number=2)
    eventually(lambda: second.received, "the subscription of the second connection")
    eventually(lambda: not first.is_open, "the end of the first connection")
    daemon.wait_ready()


@pytest.mark.parametrize("preset, message, reason", [
    ("binance", '{"error":{"code":2,"msg":"Invalid request: unknown variant"},"id":1}', "unknown variant"),
    ("bybit", '{"success":false,"ret_msg":"error:topic:publicTrade.AAA","req_id":"1","op":"subscribe"}', "publicTrade.AAA"),
    ("okx", '{"event":"error","code":"60018","msg":"Wrong instId","connId":"c"}', "Wrong instId"),
    ("kraken", '{"error":"Currency pair not supported AAA","method":"subscribe","success":false,"symbol":"AAA"}', "not supported"),
    ("coinbase", '{"type":"error","message":"Failed to subscribe","reason":"AAA is not a valid product"}', "valid product"),
    ("bitstamp", '{"event":"bts:error","channel":"","data":{"code":null,"message":"Bad subscription string."}}', "Bad subscription"),
    ("hitbtc", '{"error":{"code":2001,"message":"Symbol not found"},"id":1}', "Symbol not found"),
])
def test_what_a_venue_refuses_is_in_the_log_and_the_status(make_daemon, exchange, preset, message, reason):
    daemon = start(make_daemon, exchange, preset, ["AAA"])
    exchange.connection("/venue").send(message)
    eventually(lambda: reason in (feed_status(daemon)["last_error"] or ""), "the reason in the status")
    assert reason in daemon.log() and feed_status(daemon)["state"] == "connected"


def gaps(daemon, symbol, reason):
    return [gap for gap in daemon.get("/v1/gaps", symbol=symbol).json["gaps"] if gap["reason"] == reason]


def test_a_hole_in_the_ids_of_a_venue_without_holes_is_a_gap(make_daemon, exchange):
    daemon = start(make_daemon, exchange, "binance", ["AAA"], more={"clock": {"source": "system"}})
    now = wall_ms()
    exchange.connection("/venue").send(
        binance("AAA", 10, now - 20, "1"), binance("AAA", 13, now - 10, "1"), binance("AAA", 14, now, "1"))
    eventually(lambda: gaps(daemon, "AAA", "missed_trades"), "the gap")
    assert daemon.metrics()["candled_trades_missed_total"] == 2


def test_coinbases_heartbeat_proves_what_did_not_come(make_daemon, exchange):
    daemon = start(make_daemon, exchange, "coinbase", ["AAA", "BBB"])

    def moment():
        seconds, ms = divmod(wall_ms(), 1000)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{ms:03}000Z"

    def match(product, number):
        return json.dumps({
            "type": "match", "trade_id": number, "side": "buy", "size": "1", "price": "5", "product_id": product,
            "sequence": number, "time": moment()})

    def heartbeat(product, last):
        return json.dumps(
            {"type": "heartbeat", "sequence": 1, "last_trade_id": last, "product_id": product, "time": moment()})

    # The trade behind a heartbeat that was faster is no loss.
    exchange.connection("/venue").send(
        match("AAA", 100), match("BBB", 7), heartbeat("AAA", 102), heartbeat("BBB", 8), match("BBB", 8), match("BBB", 9),
        heartbeat("BBB", 9))
    eventually(lambda: gaps(daemon, "AAA", "missed_trades"), "the gap")
    assert daemon.metrics()["candled_trades_missed_total"] == 2
    assert gaps(daemon, "BBB", "missed_trades") == []
    # What comes behind it goes on from there.
    exchange.connection("/venue").send(match("AAA", 103))
    eventually(lambda: daemon.accepted() == 5, "the next trade")


def test_known_ids_are_duplicates_over_a_restart(make_daemon, exchange):
    """The journal knows whose ids they are."""
    daemon = start(make_daemon, exchange, "bybit", ["AAA"])
    at = ahead()
    message = json.dumps({"topic": "publicTrade.AAA", "type": "snapshot", "ts": at, "data": [
        {"T": at, "s": "AAA", "S": "Buy", "v": "1", "p": str(100 + n), "i": f"20f43950-d8dd-5b31-9112-a178eb6023a{n}"}
        for n in range(3)]})
    exchange.connection("/venue").send(message)
    eventually(lambda: daemon.accepted() == 3, "the trades")
    daemon.stop()
    daemon.start().wait_ready()
    exchange.connection("/venue", number=2).send(message)
    eventually(lambda: daemon.refused() == {"duplicate": 3}, "the trades refused")
    candle = daemon.candles("AAA", "M1", forming=1)[-1]
    # Ids that are no numbers give no order: arrival does.
    assert (candle["ticks"], candle["open"], candle["close"]) == (3, 100, 102)


def test_more_symbols_than_a_connection_may_have_are_split(make_daemon, exchange):
    names = [f"S{number}" for number in range(1_030)]
    daemon = start(make_daemon, exchange, "binance", names)
    eventually(lambda: len(exchange.of("/venue")) == 2, "two connections")

    def streams():
        return [
            [name for text in connection.received for name in json.loads(text)["params"]]
            for connection in exchange.of("/venue")]

    eventually(lambda: sorted(map(len, streams())) == [6, 1_024], "all subscriptions")
    assert sorted(sum(streams(), [])) == sorted(f"s{number}@trade" for number in range(1_030))
    at = ahead()
    last = next(c for c in exchange.of("/venue") if "s1029@trade" in c.received[0])
    last.send(binance("S1029", 1, at, "5"))
    eventually(lambda: daemon.accepted("f/2") == 1, "a trade of the second connection")
    assert [feed["name"] for feed in daemon.get("/v1/status").json["feeds"]] == ["f", "f/2"]


def test_silence_and_a_private_authority_work_with_a_preset(make_daemon, make_exchange, tmp_path):
    ca = tls.authority(tmp_path)
    exchange = make_exchange(ssl=tls.server_context(tmp_path))
    start(make_daemon, exchange, "kraken", ["AAA"], ca=str(ca), silence="500ms")
    exchange.connection("/venue", number=2)


def test_a_reload_that_changes_symbols_keeps_the_socket(make_daemon, exchange):
    daemon = start(make_daemon, exchange, "binance", ["AAA", "BBB"])
    connection = exchange.connection("/venue")
    at = ahead()
    connection.send('{"result":null,"id":1}', binance("AAA", 1, at, "5"), binance("BBB", 1, at, "5"))
    eventually(lambda: daemon.accepted() == 2, "the trades")
    daemon.configuration["feeds"][0]["symbols"] = ["BBB", {"venue": "CCC", "name": "C-USD"}]
    (daemon.folder / "candled.yaml").write_text(json.dumps(daemon.configuration))
    daemon.process.send_signal(signal.SIGHUP)
    eventually(lambda: connection.received[1:] == [
        '{"method":"UNSUBSCRIBE","params":["aaa@trade"],"id":2}', '{"method":"SUBSCRIBE","params":["ccc@trade"],"id":3}'],
        "the requests")
    status = feed_status(daemon)
    assert (status["symbols"], status["subscribed"]) == (["BBB", "C-USD"], 1)
    assert gaps(daemon, "AAA", "disconnect") and not gaps(daemon, "BBB", "disconnect")
    connection.send('{"result":null,"id":2}', '{"result":null,"id":3}')
    eventually(lambda: feed_status(daemon)["subscribed"] == 2, "the new symbol")
    connection.send(binance("AAA", 2, at, "6"), binance("BBB", 2, at, "6"), binance("CCC", 1, at, "7"))
    eventually(lambda: daemon.accepted() == 4, "the trades of the others")
    assert daemon.refused() == {"unknown_symbol": 1} and len(exchange.connections) == 1
    assert daemon.candles("C-USD", "M1", forming=1)[-1]["close"] == 7
    # After a redial all of them are asked for.
    connection.drop()
    second = exchange.connection("/venue", number=2)
    eventually(
        lambda: second.received == ['{"method":"SUBSCRIBE","params":["bbb@trade","ccc@trade"],"id":1}'], "the subscription")
