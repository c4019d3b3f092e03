"""Binance's own clients, unmodified, against the daemon (contract, section 7): what they get equals `/v1/candles`."""

import asyncio

import pytest

from support.model import MINUTE
from support.waiting import PATIENCE, eventually, wall_ms

binance = pytest.importorskip("binance", reason="python-binance is not installed")
ccxt = pytest.importorskip("ccxt", reason="ccxt is not installed")

#: Ticks lie ahead of the clock, so that only ticks settle.
BY_TICK = {"timeframes": ["M1", "M5"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}


class Market:
    """A daemon with 12 closed candles of M1 in two symbols and one that forms; `at` is the time of the first."""

    def __init__(self, make_daemon, make_exchange):
        self.exchange = make_exchange()
        self.daemon = make_daemon({
            **BY_TICK,
            "feeds": [
                {"name": name, "url": self.exchange.url("/" + name), "format": "csv", "symbol": symbol}
                for name, symbol in [("btc", "BTCUSDT"), ("eth", "ETH/USDC")]
            ],
        })
        self.daemon.start().wait_ready()
        self.at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
        self.next = 0
        self.minutes(13)
        for symbol in ("BTCUSDT", "ETH/USDC"):
            eventually(lambda: len(self.daemon.candles(symbol, "M1")) == 12, "12 candles")

    def tick(self, milliseconds, price, volume="0.5", name="btc"):
        self.exchange.connection("/" + name).send(f"{self.at + milliseconds},{price},{volume}")

    def minutes(self, count):
        for n in range(self.next, self.next + count):
            for name in ("btc", "eth"):
                self.tick(n * MINUTE, f"{100 + n}.25", name=name)
                self.tick(n * MINUTE + 20_000, f"{90 + n}.5", "0.125", name=name)
        self.next += count

    @property
    def address(self):
        return f"127.0.0.1:{self.daemon.port}"

    def rows(self, symbol, timeframe="M1", **parameters):
        """What `/v1/candles` says, as Binance's rows."""
        candles = self.daemon.candles(symbol, timeframe, **{"forming": 1, "limit": 10_000, **parameters})
        return [row(candle) for candle in candles]


def row(candle):
    return [
        candle["open_time"], *[str(candle[key]) for key in ("open", "high", "low", "close", "volume")],
        candle["close_time"], str(candle["turnover"]), candle["ticks"], "0", "0", "0"]


def of_event(event):
    kline = event["k"]
    return [
        kline["t"], *[kline[key] for key in ("o", "h", "l", "c", "v")], kline["T"], kline["q"], kline["n"], kline["V"],
        kline["Q"], kline["B"]]


@pytest.fixture
def market(make_daemon, make_exchange):
    return Market(make_daemon, make_exchange)


def error_of(daemon, **parameters):
    answer = daemon.get("/api/v3/klines", **parameters)
    assert answer.status == 400, answer
    return answer.json["code"]


# HTTP, byte by byte


def test_klines_are_rows_of_12_with_the_forming_candle_last(market):
    for path in ("/api/v3/klines", "/api/v3/uiKlines"):
        answer = market.daemon.get(path, symbol="BTCUSDT", interval="1m")
        assert answer.json == market.rows("BTCUSDT") and len(answer.json) == 13
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.json[0] == [
        market.at, "100.25", "100.25", "90.5", "90.5", "0.625", market.at + MINUTE - 1, "61.4375", 2, "0", "0", "0"]


def test_start_and_end_are_inclusive_and_limit_takes_the_oldest_or_the_newest(market):
    daemon, at = market.daemon, market.at

    def times(**parameters):
        rows = daemon.get("/api/v3/klines", symbol="BTCUSDT", interval="1m", **parameters).json
        return [(row[0] - at) // MINUTE for row in rows]

    assert times(startTime=at + 2 * MINUTE, endTime=at + 4 * MINUTE) == [2, 3, 4]
    assert times(startTime=at + 2 * MINUTE, endTime=at + 4 * MINUTE - 1) == [2, 3]
    assert times(startTime=at + 2 * MINUTE, limit=3) == [2, 3, 4]
    assert times(limit=3) == [10, 11, 12]
    assert times(endTime=at + 5 * MINUTE, limit=2) == [4, 5]
    assert times(startTime=at + 11 * MINUTE) == [11, 12]
    assert times(startTime=at + 11 * MINUTE, limit=1) == [11]
    assert times(startTime=at + 20 * MINUTE) == []
    assert times(startTime=0, limit=1, endTime=1) == [0], "clients take the first row without looking"
    assert times(limit=5000) == list(range(13))


def test_errors_have_binances_codes(market):
    daemon = market.daemon
    assert error_of(daemon, symbol="NOPE", interval="1m") == -1121
    assert error_of(daemon, symbol="BTCUSDT", interval="3m") == -1120
    assert error_of(daemon, symbol="BTCUSDT", interval="1x") == -1120
    assert error_of(daemon, interval="1m") == -1102
    assert error_of(daemon, symbol="BTCUSDT") == -1102
    assert error_of(daemon, symbol="BTC USDT", interval="1m") == -1100
    assert error_of(daemon, symbol="BTCUSDT", interval="1m", startTime="yesterday") == -1100
    assert daemon.get("/api/v3/klines", symbol="NOPE", interval="1m").json == {"code": -1121, "msg": "Invalid symbol."}


def test_a_symbol_without_a_candle_has_no_first_one(make_daemon, exchange):
    daemon = make_daemon({"feeds": [{"name": "f", "url": exchange.url(), "format": "csv", "symbol": "NEWUSDT"}]})
    daemon.start().wait_ready()
    assert error_of(daemon, symbol="NEWUSDT", interval="1m", startTime=0, limit=1) == -1121
    assert daemon.get("/api/v3/klines", symbol="NEWUSDT", interval="1m").json == []


def test_ping_time_and_exchange_info(market):
    daemon = market.daemon
    assert daemon.get("/api/v3/ping").json == {}
    assert abs(daemon.get("/api/v3/time").json["serverTime"] - wall_ms()) < 60_000
    info = daemon.get("/api/v3/exchangeInfo").json
    assert [(s["symbol"], s["baseAsset"], s["quoteAsset"], s["status"]) for s in info["symbols"]] == [
        ("BTCUSDT", "BTC", "USDT", "TRADING"), ("ETHUSDC", "ETH", "USDC", "TRADING")]
    filters = {f["filterType"]: f for f in info["symbols"][0]["filters"]}
    assert filters["PRICE_FILTER"]["tickSize"] == "0.01" and filters["LOT_SIZE"]["stepSize"] == "0.001"
    assert not {"contractType", "underlying", "tradability"} & set(info["symbols"][0])
    assert [s["symbol"] for s in daemon.get("/api/v3/exchangeInfo", symbol="ethusdc").json["symbols"]] == ["ETHUSDC"]


def test_more_decimals_change_the_filters(market):
    market.tick(12 * MINUTE + 30_000, "100.1234")
    market.minutes(1)
    eventually(
        lambda: market.daemon.get("/api/v3/exchangeInfo").json["symbols"][0]["filters"][0]["tickSize"] == "0.0001",
        "four decimals")


def test_base_and_quote_come_from_the_configuration(make_daemon, exchange):
    daemon = make_daemon({"feeds": [{
        "name": "f", "url": exchange.url(), "format": "csv",
        "symbol": {"venue": "X1", "name": "GOLD", "base": "XAU", "quote": "USD"}}]}).start()
    (symbol,) = daemon.get("/api/v3/exchangeInfo").json["symbols"]
    assert (symbol["symbol"], symbol["baseAsset"], symbol["quoteAsset"]) == ("GOLD", "XAU", "USD")


# python-binance


def sync_client(market):
    client = binance.Client(ping=False)
    client.API_URL = f"http://{market.address}/api"
    return client


def test_python_binance_reads_klines(market):
    client = sync_client(market)
    assert client.ping() == {} and client.get_server_time()["serverTime"] > 0
    assert client.get_symbol_info("ETHUSDC")["baseAsset"] == "ETH"
    assert client.get_klines(symbol="BTCUSDT", interval="1m") == market.rows("BTCUSDT")
    assert client.get_klines(symbol="BTCUSDT", interval="5m") == market.rows("BTCUSDT", "M5")
    assert client.get_ui_klines(symbol="ETHUSDC", interval="1m", limit=4) == market.rows("ETH/USDC")[-4:]
    for symbol, code in [("NOPE", -1121), ("", -1102)]:
        with pytest.raises(binance.exceptions.BinanceAPIException) as raised:
            client.get_klines(symbol=symbol, interval="1m")
        assert raised.value.code == code
    client.close_connection()


def test_python_binance_pages_through_history(make_daemon, exchange):
    daemon = make_daemon({
        "timeframes": ["M1"], "clock": {"source": "feed"}, "settlement": {"flat_limit": 0},
        "feeds": [{"name": "f", "url": exchange.url(), "format": "csv", "symbol": "BTCUSDT"}]})
    daemon.start().wait_ready()
    at = 1_600_000_200_000
    exchange.connection().send(f"{at},100,1\n{at + 2_300 * MINUTE},101,1")
    eventually(lambda: len(daemon.candles("BTCUSDT", "M1", limit=10_000)) == 2_300, "2,300 candles")
    client = binance.Client(ping=False)
    client.API_URL = f"http://127.0.0.1:{daemon.port}/api"
    rows = client.get_historical_klines("BTCUSDT", "1m", at - 5 * MINUTE)
    expected = [row(c) for c in daemon.candles("BTCUSDT", "M1", limit=10_000, forming=1)]
    assert rows == expected and len(rows) == 2_301
    client.close_connection()


def streams(market, act):
    """Runs `act(manager, client)` with python-binance's sockets."""

    async def go():
        client = binance.AsyncClient()
        client.API_URL = f"http://{market.address}/api"
        manager = binance.BinanceSocketManager(client)
        manager.STREAM_URL = f"ws://{market.address}/"
        try:
            return await asyncio.wait_for(act(manager), PATIENCE * 2)
        finally:
            await client.close_connection()

    return asyncio.run(go())


def quick(socket):
    """Closing waits until a read ends, which without a message takes so many seconds."""
    socket.TIMEOUT = 1
    return socket


async def until(socket, wanted, take=lambda event: event):
    """Events until one is `wanted`."""
    events = []
    while True:
        event = take(await asyncio.wait_for(socket.recv(), PATIENCE))
        assert event.get("e") == "kline", event
        events.append(event)
        if wanted(event):
            return events


async def in_thread(function, *arguments):
    await asyncio.get_running_loop().run_in_executor(None, function, *arguments)


def test_python_binance_kline_socket_gets_forming_and_closed(market):
    async def act(manager):
        async with quick(manager.kline_socket("BTCUSDT", "1m")) as socket:
            # The socket is open; whether the daemon has subscribed it shows by its first message.
            market.tick(12 * MINUTE + 40_000, "77.5")
            await until(socket, lambda event: event["k"]["c"] == "77.5")
            await in_thread(market.minutes, 2)
            return await until(socket, lambda event: event["k"]["t"] == market.at + 14 * MINUTE)

    events = streams(market, act)
    closed = [event for event in events if event["k"]["x"]]
    assert [of_event(event) for event in closed] == market.rows("BTCUSDT")[12:14]
    assert all(set(event) == {"e", "E", "s", "k"} and event["s"] == event["k"]["s"] == "BTCUSDT" for event in events)
    assert all(set(event["k"]) == set("tTsifLochlvnxqVQB") for event in events)
    assert all((event["k"]["i"], event["k"]["f"], event["k"]["L"]) == ("1m", -1, -1) for event in events)
    assert any(not event["k"]["x"] for event in events)


def test_python_binance_multiplex_socket_names_the_streams(market):
    names = ["btcusdt@kline_1m", "ethusdc@kline_5m"]

    async def act(manager):
        async with quick(manager.multiplex_socket(names)) as socket:
            market.tick(12 * MINUTE + 40_000, "77.5")
            market.tick(12 * MINUTE + 40_000, "78.5", name="eth")
            seen = {}
            while set(seen) != set(names):
                message = await asyncio.wait_for(socket.recv(), PATIENCE)
                seen[message["stream"]] = message["data"]
            return seen

    seen = streams(market, act)
    assert of_event(seen["btcusdt@kline_1m"]) == market.rows("BTCUSDT")[-1]
    assert of_event(seen["ethusdc@kline_5m"]) == market.rows("ETH/USDC", "M5")[-1]
    assert seen["ethusdc@kline_5m"]["s"] == "ETHUSDC"


# ccxt


def configured(exchange, market):
    exchange.urls["api"]["public"] = f"http://{market.address}/api/v3"
    exchange.urls["api"]["ws"] = {"spot": f"ws://{market.address}/ws"} if "ws" in exchange.urls["api"] else {}
    exchange.options["fetchMarkets"] = {"types": ["spot"]}
    exchange.options["fetchCurrencies"] = False
    return exchange


def ohlcv(candles):
    return [[c["open_time"], *[float(c[key]) for key in ("open", "high", "low", "close", "volume")]] for c in candles]


def test_ccxt_reads_markets_and_candles(market):
    exchange = configured(ccxt.binance(), market)
    markets = exchange.load_markets()
    assert set(markets) == {"BTC/USDT", "ETH/USDC"}
    assert markets["BTC/USDT"]["precision"]["price"] == 0.01 and markets["BTC/USDT"]["active"]
    assert exchange.fetch_time() > 0
    everything = ohlcv(market.daemon.candles("BTCUSDT", "M1", forming=1))
    assert exchange.fetch_ohlcv("BTC/USDT", "1m") == everything
    assert exchange.fetch_ohlcv("BTC/USDT", "1m", since=market.at + 3 * MINUTE, limit=4) == everything[3:7]
    until_4 = exchange.fetch_ohlcv("BTC/USDT", "1m", market.at, None, {"until": market.at + 4 * MINUTE})
    assert until_4 == everything[:5]
    assert exchange.fetch_ohlcv("ETH/USDC", "5m") == ohlcv(market.daemon.candles("ETH/USDC", "M5", forming=1))
    with pytest.raises(ccxt.BadSymbol):
        exchange.public_get_klines({"symbol": "NOPE", "interval": "1m"})


def test_ccxt_pro_watches_candles(market):
    import ccxt.pro

    async def go():
        exchange = configured(ccxt.pro.binance(), market)
        try:
            # What came between two calls is told with the next message only: ticks go on until it is there.
            seconds = 21
            candles = [[0]]
            while candles[-1][0] < market.at + 14 * MINUTE:
                task = asyncio.ensure_future(exchange.watch_ohlcv("BTC/USDT", "1m"))
                while not task.done():
                    minute = market.next - 1
                    await in_thread(market.tick, minute * MINUTE + seconds * 1_000, f"{60 + seconds}.5")
                    seconds = min(seconds + 1, 58)
                    await asyncio.wait([task], timeout=0.2)
                candles = task.result()
                if market.next < 15:
                    await in_thread(market.minutes, 2)
            await exchange.un_watch_ohlcv("BTC/USDT", "1m")
            return candles
        finally:
            await exchange.close()

    candles = asyncio.run(asyncio.wait_for(go(), PATIENCE * 2))
    daemon = {c[0]: c for c in ohlcv(market.daemon.candles("BTCUSDT", "M1", forming=1))}
    for candle in candles[:-1]:
        assert candle == daemon[candle[0]]


# The protocol itself


def test_control_messages_are_answered_as_binance_does(market):
    daemon = market.daemon
    reader = daemon.subscriber_at("/ws/0")

    def ask(method, number, *params):
        reader.send({"method": method, "params": list(params), "id": number})
        return reader.wait(lambda message: message.get("id") == number, f"the answer to {method}")

    assert ask("SUBSCRIBE", 1, "btcusdt@kline_1m", "ETHUSDC@kline_5m") == {"result": None, "id": 1}
    assert ask("LIST_SUBSCRIPTIONS", 2) == {"result": ["btcusdt@kline_1m", "ethusdc@kline_5m"], "id": 2}
    assert ask("UNSUBSCRIBE", 3, "btcusdt@kline_1m") == {"result": None, "id": 3}
    assert ask("LIST_SUBSCRIPTIONS", 4) == {"result": ["ethusdc@kline_5m"], "id": 4}
    assert ask("SUBSCRIBE", 5, "btcusdt@trade")["error"]["code"] == 2
    assert ask("SUBSCRIBE", 6, "btcusdt@kline_3m")["error"]["code"] == 2
    assert ask("DANCE", 7)["error"]["code"] == 2
    assert ask("SUBSCRIBE", "text", "btcusdt@kline_1m") == {"result": None, "id": "text"}
    reader.send("no json")
    assert reader.wait(lambda message: "error" in message and message["id"] is None)["error"]["code"] == 3


@pytest.mark.parametrize("path", ["/ws/btcusdt@kline_1m/ethusdc@kline_1m", "/stream?streams=btcusdt@kline_1m/ethusdc@kline_1m"])
def test_nothing_comes_before_something_happens(market, path):
    """No snapshot: a client's queue would overflow."""
    reader = market.daemon.subscriber_at(path)
    reader.send({"method": "LIST_SUBSCRIPTIONS", "id": 1})
    reader.wait(lambda message: message.get("id") == 1)
    assert reader.messages == [{"result": ["btcusdt@kline_1m", "ethusdc@kline_1m"], "id": 1}]
    market.tick(12 * MINUTE + 30_000, "5.5")
    event = reader.wait(lambda message: "e" in message or "stream" in message, "a kline")
    assert ("stream" in event) == ("stream" in path)


@pytest.mark.parametrize("query, corrected", [("", False), ("?corrections=1", True)])
def test_a_correction_is_a_second_close_only_for_who_asks(market, query, corrected):
    reader = market.daemon.subscriber_at("/ws/btcusdt@kline_1m" + query)
    reader.send({"method": "LIST_SUBSCRIPTIONS", "id": 1})
    reader.wait(lambda message: message.get("id") == 1)
    market.tick(11 * MINUTE + 50_000, "300.75")
    eventually(lambda: market.daemon.candles("BTCUSDT", "M1")[11]["revision"] == 1, "the correction")
    market.minutes(1)
    reader.wait(lambda m: m.get("e") == "kline" and m["k"]["t"] == market.at + 13 * MINUTE, "the next candle")
    closes = [m["k"]["t"] for m in reader.messages if m.get("e") == "kline" and m["k"]["x"]]
    assert closes == ([market.at + 11 * MINUTE] if corrected else []) + [market.at + 12 * MINUTE]


def test_tokens_guard_the_dialects(make_daemon):
    daemon = make_daemon({"stream": {"tokens": ["secret"]}}).start()
    for path in ("/api/v3/ping", "/udf/config"):
        assert daemon.request("GET", path).status == 401
        assert daemon.request("GET", path + "?token=secret").status == 200
    with pytest.raises(Exception, match="401"):
        daemon.subscriber_at("/ws/btcusdt@kline_1m")
    daemon.subscriber_at("/ws/btcusdt@kline_1m?token=secret")
