"""`format: json`: a venue that candled does not know, described in the configuration (docs/venues/json.md)."""

import json

from support.model import MINUTE
from support.waiting import eventually, wall_ms

QUICK = {"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": "0ms"}}


def start(make_daemon, exchange, more=None, **feed):
    entry = {"name": "f", "url": exchange.url("/json"), "format": "json", **feed}
    return make_daemon({"feeds": [entry], **QUICK, **(more or {})}).start().wait_ready()


def ahead(minutes=10):
    return (wall_ms() // MINUTE + minutes) * MINUTE


PATHS = {
    "trades": "tick.data", "symbol": "ch", "time": "ts", "price": "price", "volume": "amount", "id": "tradeId",
    "side": "direction"}


def message(symbol, *trades):
    rows = ",".join(
        '{"ts":%d,"tradeId":%d,"amount":%s,"price":%s,"direction":"%s"}' % trade for trade in trades)
    return '{"ch":"market.%s.trade","ts":1,"tick":{"id":1,"data":[%s]}}' % (symbol, rows)


def test_trades_inside_a_message_with_renamed_symbols_heartbeat_and_subscription(make_daemon, exchange):
    daemon = start(
        make_daemon, exchange, json=PATHS,
        symbols=[{"venue": "market.a.trade", "name": "AUSD"}, {"venue": "market.b.trade", "name": "BUSD"}],
        subscribe=['{"sub":"market.a.trade"}', '{"sub":"market.b.trade"}'],
        heartbeat={"every": "200ms", "send": '{"ping":1}'})
    connection = exchange.connection("/json")
    eventually(lambda: connection.received.count('{"ping":1}') >= 3, "three heartbeats")
    assert connection.received[:2] == ['{"sub":"market.a.trade"}', '{"sub":"market.b.trade"}']
    at = ahead()
    connection.send(
        '{"status":"ok","subbed":"market.a.trade"}',
        message("a", (at, 1, "1.98E-4", "58911.070", "sell"), (at + 1, 2, "2", "58912", "buy")),
        message("b", (at, 1, "1", "0", "sell"), (at, 2, "1", "7", "buy")), message("c", (at, 1, "1", "7", "buy")),
        message("a", (at, 1, "1.98E-4", "58911.070", "sell")), '{"tick":')
    eventually(lambda: daemon.refused().get("malformed") == 1, "the last message")
    assert daemon.refused() == {"bad_price": 1, "unknown_symbol": 1, "duplicate": 1, "malformed": 1}
    candle = daemon.candles("AUSD", "M1", forming=1)[-1]
    assert (str(candle["open"]), float(candle["volume"]), candle["taker_buy_volume"]) == ("58911.07", 2.000198, 2)
    assert daemon.candles("BUSD", "M1", forming=1)[-1]["close"] == 7
    assert daemon.metrics()['candled_feed_messages_ignored_total{feed="f"}'] == 1
    assert daemon.get("/v1/status").json["feeds"][0]["symbols"] == ["AUSD", "BUSD"]


def test_every_symbol_is_taken_up_to_the_limit_where_none_is_listed(make_daemon, exchange):
    daemon = start(
        make_daemon, exchange, json={"symbol": "s", "time": "t", "price": "p"}, more={"limits": {"symbols": 2}})
    at = ahead()
    exchange.connection("/json").send(
        json.dumps([{"s": "X:1", "t": at, "p": 1}, {"s": "no name", "t": at, "p": 1}, {"s": "Y", "t": at, "p": "2"}]),
        json.dumps({"s": "Z", "t": at, "p": 3}), json.dumps({"s": "Y", "t": at + 1, "p": 4}))
    eventually(lambda: daemon.accepted() == 3, "the trades")
    assert daemon.refused() == {"malformed": 1, "unknown_symbol": 1}
    assert daemon.candles("Y", "M1", forming=1)[-1]["close"] == 4
    exchange.connection("/json").drop()
    exchange.connection("/json", number=2)
    eventually(lambda: daemon.get("/v1/status").json["feeds"][0]["subscribed"] == 2, "both symbols after the redial")


def test_a_hole_in_ids_that_are_said_to_have_none_is_a_gap(make_daemon, exchange):
    daemon = start(
        make_daemon, exchange, json={"time": "t", "price": "p", "id": "i"}, symbol="A", contiguous_ids=True, timestamp="us")
    now = wall_ms()
    exchange.connection("/json").send(*(json.dumps({"t": now * 1000 + i, "p": 1, "i": i}) for i in (1, 2, 5)))
    eventually(lambda: daemon.metrics()["candled_trades_missed_total"] == 2, "the missed trades")
    [gap] = daemon.get("/v1/gaps", symbol="A").json["gaps"]
    assert gap["reason"] == "missed_trades"


def test_fields_may_be_told_by_their_places(make_daemon, exchange):
    paths = {"symbol": "0", "time": "2.1", "price": "2.3", "volume": "2.2", "id": "2.0"}
    daemon = start(make_daemon, exchange, json=paths, symbols=[{"venue": "17470", "name": "tBTCUST"}])
    at = ahead()
    exchange.connection("/json").send(
        '{"event":"subscribed","chanId":17470}', '[17470,"hb"]', f'[17470,"tu",[637771130,{at},0.11546588,51350]]')
    eventually(lambda: daemon.accepted() == 1, "the trade")
    assert daemon.candles("tBTCUST", "M1", forming=1)[-1]["close"] == 51350
