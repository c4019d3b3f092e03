"""Presets against what was recorded at the venues: every trade once, nothing else, and the candles they make."""

import time
from decimal import Decimal

import pytest

from support import captures, data, model
from support.daemon import candled, sql
from support.waiting import eventually

#: capture, preset, how its messages are said in the API that the preset speaks.
CAPTURES = [
    ("BINANCE.ws.1", "binance", None), ("BINANCE_US.ws.1", "binance_us", None), ("BITSTAMP.ws.1", "bitstamp", None),
    ("BYBIT.ws.26", "bybit", captures.bybit_v5), ("COINBASE.ws.28", "coinbase", None),
    ("KRAKEN.ws.48", "kraken", captures.kraken_v2), ("OKX.ws.1", "okx", None),
]
FIELDS = ("open_time", "open", "high", "low", "close", "volume", "turnover", "ticks")


def configuration(exchange, preset, symbols, path="/venue"):
    """Recorded time is the clock; what a venue sends again after hours counts as late, not as too late."""
    return {
        "timeframes": ["M1", "M5"], "clock": {"source": "feed"}, "indicators": {"ma": [5]},
        "settlement": {"empty_candles": "none", "correction_window": "7d"},
        "feeds": [{"name": "f", "preset": preset, "url": exchange.url(path), "symbols": symbols}],
    }


def play(daemon, exchange, lines, path="/venue"):
    """Sends all messages and waits until each is counted."""
    before = daemon.metrics().get('candled_feed_messages_total{feed="f"}', 0)
    exchange.connection(path).send(*lines)
    eventually(
        lambda: daemon.metrics()['candled_feed_messages_total{feed="f"}'] >= before + len(lines), "all messages counted")


def candles(daemon, symbol, timeframe, times):
    """Once these are there: a forming candle shows when the one before it is stored."""

    def all_of():
        found = daemon.candles(symbol, timeframe, forming=1, limit=10_000, indicators=0)
        return found if [candle["open_time"] for candle in found] == list(times) else None

    return eventually(all_of, f"candles {timeframe} of {symbol}")


def times_of(trades, symbol, timeframe):
    return sorted({model.open_time(int(Decimal(t.time)), timeframe) for t in trades if t.symbol == symbol})


def judge(daemon, name, folder):
    """Every trade of `.ticks.csv` is counted once and nothing else, and the candles are those of a replay of them."""
    trades = captures.trades(name)
    symbols = sorted({trade.symbol for trade in trades})
    assert daemon.accepted() == len(trades)
    # What came again was known; nothing else was refused.
    assert set(daemon.refused()) <= {"duplicate"}
    assert daemon.metrics()["candled_trades_missed_total"] == 0
    feed = daemon.get("/v1/status").json["feeds"][0]
    assert feed["subscribed"] == len(symbols) and feed["state"] == "connected"

    ticks = "".join(f"{t.symbol},{t.time},{t.price},{t.volume}" + (f",{t.id}" if t.id else "") + "\n" for t in trades)
    database = folder / "replayed.db"
    done = candled(
        "replay", "--db", database, "--timeframes", "M1,M5", "--empty", "none", "--correction-window", "7d", "--strict",
        "-", stdin=ticks)
    assert done.code == 0, done
    buys = captures.bought(name)
    for symbol in symbols:
        for timeframe in ("M1", "M5"):
            want = sql(
                database, "SELECT * FROM candles WHERE symbol = ? AND timeframe = ? ORDER BY open_time", symbol, timeframe)
            got = candles(daemon, symbol, timeframe, [row["open_time"] for row in want])
            for candle, row in zip(got, want):
                for key in FIELDS:
                    assert float(candle[key]) == pytest.approx(row[key], rel=1e-12), (key, candle, row)
                bought = sum(
                    volume for s, at, volume in buys
                    if s == symbol and model.open_time(int(at), timeframe) == candle["open_time"])
                assert candle["taker_buy_volume"] == bought, candle


@pytest.mark.parametrize("name, preset, said_anew", CAPTURES)
def test_every_trade_of_a_capture_is_counted_once_and_nothing_else(
        make_daemon, exchange, tmp_path, name, preset, said_anew):
    symbols = sorted({trade.symbol for trade in captures.trades(name)})
    daemon = make_daemon(configuration(exchange, preset, symbols)).start().wait_ready()
    play(daemon, exchange, [said_anew(line) if said_anew else line for line in captures.lines(name)])
    judge(daemon, name, tmp_path)


@pytest.mark.parametrize("name, faster", [("COINBASE.ws.28", 10), ("OKX.ws.1", 4), ("BYBIT.ws.26", 10)])
def test_a_capture_with_its_own_timing_yields_the_same(make_daemon, exchange, tmp_path, name, faster):
    """The pauses of the recording, shortened: ticks and the clock settle in turns."""
    preset, said_anew = next((preset, anew) for capture, preset, anew in CAPTURES if capture == name)
    symbols = sorted({trade.symbol for trade in captures.trades(name)})
    daemon = make_daemon(configuration(exchange, preset, symbols)).start().wait_ready()
    connection = exchange.connection("/venue")
    start = time.monotonic()
    for at, lines in captures.timed(name, faster):
        time.sleep(max(0, start + at - time.monotonic()))
        connection.send(*(said_anew(line) if said_anew else line for line in lines))
    count = len(captures.lines(name))
    eventually(lambda: daemon.metrics()['candled_feed_messages_total{feed="f"}'] >= count, "all messages counted")
    judge(daemon, name, tmp_path)


@pytest.mark.parametrize("name", ["BYBIT.ws.26", "OKX.ws.1", "COINBASE.ws.28"])
def test_a_capture_that_comes_again_after_a_reconnect_changes_nothing(make_daemon, exchange, name):
    """S60, S61, S63: trades that a venue sends again are known by their ids, over reconnects too."""
    preset, said_anew = next((preset, anew) for capture, preset, anew in CAPTURES if capture == name)
    trades = captures.trades(name)
    symbols = sorted({trade.symbol for trade in trades})
    lines = [said_anew(line) if said_anew else line for line in captures.lines(name)]
    daemon = make_daemon(configuration(exchange, preset, symbols)).start().wait_ready()
    play(daemon, exchange, lines)

    def content():
        return {s: [model.content(c) for c in candles(daemon, s, "M1", times_of(trades, s, "M1"))] for s in symbols}

    before = content()
    duplicates = daemon.refused().get("duplicate", 0)
    exchange.connection("/venue").drop()
    exchange.connection("/venue", number=2)
    play(daemon, exchange, lines)
    assert daemon.accepted() == len(trades)
    assert daemon.refused()["duplicate"] == 2 * duplicates + len(trades)
    assert content() == before


def test_the_forming_candle_is_the_one_that_binance_published(make_daemon, exchange):
    """`running_klines.csv`: the candle whose trades are all in the capture, as the venue itself saw it form."""
    rows = [row.split(",") for row in (captures.folder() / "BINANCE_US.ws.1.running_klines.csv").read_text().split()]
    daemon = make_daemon(configuration(exchange, "binance_us", ["OMGBUSD"])).start().wait_ready()
    play(daemon, exchange, captures.lines("BINANCE_US.ws.1"))
    times = times_of(captures.trades("BINANCE_US.ws.1"), "OMGBUSD", "M1")
    got = {candle["open_time"]: candle for candle in candles(daemon, "OMGBUSD", "M1", times)}
    klines = [
        m["k"] for m in (captures.number(line)["data"] for line in captures.lines("BINANCE_US.ws.1")) if m.get("e") == "kline"]
    compared = 0
    for row in rows:
        if row[-1] != "yes":
            continue
        _, _, at, first, last, open_, high, low, close, volume, count, *_ = row
        candle = got[int(at)]
        assert [candle[key] for key in ("open", "high", "low", "close", "volume")] == [
            Decimal(text) for text in (open_, high, low, close, volume)]
        assert candle["ticks"] == int(count) == int(last) - int(first) + 1
        kline = next(k for k in klines if str(k["t"]) == at and str(k["L"]) == last)
        assert candle["taker_buy_volume"] == Decimal(kline["V"])
        compared += 1
    assert compared > 0


HITBTC = [name for name in data.ALL_PAIRS if name.startswith("hitbtc_")]


@pytest.mark.parametrize("pair", HITBTC)
def test_hitbtc_yields_the_candles_that_the_exchange_itself_sent(make_daemon, exchange, pair):
    folder = data.pair_folder(pair)
    if folder is None:
        pytest.skip(f"the set {pair} is not here: set CANDLED_DATA to the folder with all sets")
    symbol = pair.removeprefix("hitbtc_").upper()
    other = ["DNTBTC", "EURSUSD"][symbol == "DNTBTC"]
    # Symbols follow each other in the capture, each with weeks of trades: one daemon has one clock.
    lines = [
        line for line in captures.lines("HITBTC.ws.1")
        if '"symbol":"' not in line.replace('": "', '":"') or f'"{symbol}"' in line]
    assert any("snapshotTrades" in line for line in lines) and not any(f'"{other}"' in line for line in lines)
    daemon = make_daemon(configuration(exchange, "hitbtc", [symbol], "/api/2/ws")).start().wait_ready()
    play(daemon, exchange, lines, "/api/2/ws")
    assert '"subscribeTrades"' in exchange.connection("/api/2/ws").received[0]
    one = data.Pair(pair, folder)
    assert daemon.accepted() == len(one.lines()) and daemon.refused() == {}
    expected = one.expected()["M1"]
    times = sorted({model.open_time(int(line.split(",")[0]), "M1") for line in one.lines()})
    got = {candle["open_time"]: candle for candle in candles(daemon, symbol, "M1", times)}
    assert not data.differences(one, "M1", expected, got, {})
