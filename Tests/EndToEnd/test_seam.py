"""The seam between history and live data (contract, section 3, rule 9)."""

import json
import random
import signal
import time

import pytest

from support import model
from support.history import HistorySource, LiveMarket, binance, zxkline
from support.waiting import eventually, wall_ms

SECONDS = ["S1", "S5", "S15", "M1"]
PRICES = ("open", "high", "low", "close", "volume")


@pytest.fixture
def seam(feed_daemon, exchange, request):
    """Starts a market, its history source and a daemon on both."""
    made = []

    def make(form=zxkline, fault=None, settlement=None, omits_empty=False, start=True, **market):
        market = LiveMarket(exchange, **market)
        source = HistorySource(market, form, fault)
        history = {"url": source.url, "format": form.__name__, "omits_empty": omits_empty}
        feed = feed_daemon(
            {"timeframes": SECONDS, "settlement": {"grace": "500ms", **(settlement or {})}}, history=history,
            start=False)
        made.append((market, source))
        market.begin()
        if start:
            feed.daemon.start().wait_ready()
        return feed, market, source

    yield make
    for market, source in made:
        market.end()
        source.end()


def gaps(feed):
    return feed.daemon.sql("SELECT * FROM gaps WHERE symbol = 'TEST' ORDER BY from_time")


def stored(feed, timeframe):
    return {row["open_time"]: row for row in feed.daemon.candles("TEST", timeframe, limit=10_000, indicators=0)}


def all_filled(feed, count):
    def check():
        found = gaps(feed)
        return len(found) >= count and all(gap["filled"] for gap in found)

    eventually(check, f"{count} filled gaps")


def cut(feed, exchange, seconds=2.5):
    """Nobody hears the market for a while."""
    exchange.refusing = True
    feed.connection.drop()
    time.sleep(seconds)
    exchange.refusing = False
    known = len(exchange.of())
    exchange.connection(number=known + 1)


def compare(feed, market, keys, until, timeframes=SECONDS):
    """Every candle since the first, as if somebody had heard all of it."""
    for timeframe in timeframes:
        expected = market.candles(timeframe)
        found = stored(feed, timeframe)
        first = min(stored(feed, "S1"))
        interval = model.INTERVALS[timeframe]
        checked = 0
        for at, candle in expected.items():
            if at < first or at + interval > until:
                continue
            assert at in found, (timeframe, at)
            assert model.content(found[at], keys) == model.content(candle, keys), (timeframe, at, found[at])
            assert found[at]["complete"], (timeframe, found[at])
            checked += 1
        assert checked or timeframe != "S1"


@pytest.mark.parametrize("form", [zxkline, binance], ids=lambda form: form.__name__)
def test_a_disconnect_is_filled_while_live_ticks_flow(seam, exchange, form):
    feed, market, source = seam(form)
    time.sleep(2)
    cut(feed, exchange)
    until = wall_ms() // 1000 * 1000
    all_filled(feed, 1)
    eventually(lambda: all(c["complete"] for c in stored(feed, "S1").values() if c["open_time"] < until), "the first candle")
    keys = PRICES if form is zxkline else (*PRICES, "turnover", "ticks")
    timeframes = ["S1", "S5", "S15"] if form is zxkline else ["S1"]
    compare(feed, market, keys, until, timeframes)
    filled = [candle for candle in stored(feed, "S1").values() if candle["origin"] == "history"]
    assert len(filled) >= 3
    for candle in filled:
        if form is zxkline:
            assert candle["ticks"] is None and candle["turnover"] is None
        assert candle["taker_buy_volume"] is None or form is binance
        assert candle["revision"] > 0 or candle["settled_by"] == "history"
    assert feed.daemon.metrics()["candled_history_candles_total"] >= len(filled)
    assert all(int(request.get("to", request.get("endTime", 0))) <= wall_ms() for request in source.requests)


def test_readers_get_filled_candles_as_corrected_and_are_told_to_reload(seam, exchange):
    feed, market, source = seam()
    time.sleep(1.5)
    reader = feed.daemon.subscriber("candle.S1.TEST", "closed.S5.TEST")
    answer = reader.ask({"op": "subscribe", "topics": ["closed.S15.TEST"]})
    cut(feed, exchange)
    all_filled(feed, 1)
    at = gaps(feed)[0]["from_time"] // 1000 * 1000
    corrected = eventually(
        lambda: [c for c in reader.candles("corrected") if c["origin"] == "history" and c["timeframe"] == "S1"],
        "filled candles")
    assert {c["open_time"] for c in corrected} >= {at}
    reload = eventually(
        lambda: [m for m in reader.messages if m["type"] == "reload" and m["topic"] == "candle.S1.TEST"], "a reload")
    assert min(m["from"] for m in reload) <= at
    assert all(set(m) == {"type", "topic", "from", "version"} for m in reload)
    told = eventually(
        lambda: [m for m in reader.messages if m["type"] == "gap" and m.get("filled") and m["to"]], "the filled gap")
    assert told[0]["from"] == gaps(feed)[0]["from_time"]
    versions = [
        m["candle"]["version"] for m in reader.messages
        if m["type"] in ("closed", "corrected") and m["candle"]["timeframe"] != "S15"]
    assert versions == sorted(versions)
    # A reader that comes back later gets the same.
    again = feed.daemon.subscriber()
    again.subscribe("closed.S1.TEST", since={"epoch": answer["epoch"], "version": answer["version"]})
    eventually(lambda: [m for m in again.messages if m["type"] == "reload"], "a reload after `since`")
    last = {}
    for candle in again.candles("closed", "corrected"):
        last[candle["open_time"]] = candle
    assert last[at]["origin"] == "history" and last[at]["complete"]


def test_a_kill_and_its_downtime_are_filled(seam, exchange):
    feed, market, source = seam()
    time.sleep(2)
    feed.daemon.stop(signal.SIGKILL)
    time.sleep(2)
    number = len(exchange.of())
    feed.daemon.start().wait_ready()
    exchange.connection(number=number + 1)
    until = wall_ms() // 1000 * 1000
    all_filled(feed, 1)
    eventually(lambda: all(c["complete"] for c in stored(feed, "S1").values() if c["open_time"] < until), "the first candle")
    compare(feed, market, PRICES, until, ["S1", "S5"])
    assert gaps(feed)[0]["reason"] == "restart"


def test_a_source_that_errs_is_asked_again_and_only_what_it_says_rightly_is_taken(seam, exchange):
    def fault(number, rows, body):
        if number == 1:
            return 500, b"no"
        if number == 2:
            return 200, body[: len(body) // 2] or b"["
        if number == 3:
            return 200, b"<html>busy</html>"
        wrong = list(rows) + rows[:1]
        random.Random(number).shuffle(wrong)
        # Unaligned, low above high, not finite, and what is still forming.
        wrong += ["1700000000.5,1,1,1,1,1", "x,1,1,1,1,1", f"{wall_ms() // 1000},9999,9999,9999,9999,1"]
        if rows:
            second = rows[0].split(",")[0]
            wrong.insert(0, f"{second},5,5,4,6,1")
            wrong.insert(0, f"{second},NaN,5,4,6,1")
        return 200, json.dumps(wrong).encode()

    feed, market, source = seam(fault=fault)
    time.sleep(1.5)
    cut(feed, exchange)
    until = wall_ms() // 1000 * 1000
    all_filled(feed, 1)
    eventually(lambda: all(c["complete"] for c in stored(feed, "S1").values() if c["open_time"] < until), "the first candle")
    compare(feed, market, PRICES, until, ["S1", "S5"])
    metrics = feed.daemon.metrics()
    assert sum(value for name, value in metrics.items() if name.startswith("candled_history_failures_total")) >= 3
    assert sum(value for name, value in metrics.items() if name.startswith("candled_history_rows_refused_total")) >= 2
    assert max(candle["high"] for candle in stored(feed, "S1").values()) < 1000


def test_what_a_source_leaves_out_is_silence_only_if_it_says_so(seam, exchange):
    feed, market, source = seam(omits_empty=True, every=0.9)
    time.sleep(2)
    cut(feed, exchange, 4)
    all_filled(feed, 1)
    candles = stored(feed, "S1")
    inside = [at for at in candles if gaps(feed)[0]["from_time"] < at < gaps(feed)[0]["to_time"] - 1000]
    expected = market.candles("S1")
    for at in inside:
        assert candles[at]["complete"]
        assert candles[at]["origin"] == ("history" if at in expected else "flat")
    assert len(inside) >= 2


def test_a_row_that_was_refused_is_not_taken_for_silence(seam, exchange):
    """A source that leaves out empty candles may have said what was refused: that is asked for again."""
    seen = set()

    def fault(number, rows, body):
        wrong = []
        for row in rows:
            second = row.split(",")[0]
            # Low above high, the first time.
            wrong.append(row if second in seen else f"{second},5,5,4,6,1")
            seen.add(second)
        return 200, json.dumps(wrong).encode()

    feed, market, source = seam(omits_empty=True, fault=fault)
    time.sleep(1.5)
    cut(feed, exchange)
    until = wall_ms() // 1000 * 1000
    all_filled(feed, 1)
    eventually(lambda: all(c["complete"] for c in stored(feed, "S1").values() if c["open_time"] < until), "the first candle")
    compare(feed, market, PRICES, until, ["S1", "S5"])


def test_the_candle_in_which_an_earlier_process_began_is_asked_for_after_a_restart(seam, exchange):
    feed, market, source = seam(fault=lambda number, rows, body: (500, b"no"))
    eventually(lambda: len(stored(feed, "S1")) >= 2, "two candles")
    first = min(stored(feed, "S1"))
    assert feed.daemon.stop() == 0
    source.fault = None
    number = len(exchange.of())
    feed.daemon.start().wait_ready()
    exchange.connection(number=number + 1)
    eventually(lambda: stored(feed, "S1")[first]["complete"], "the first candle")


def test_a_late_tick_of_a_filled_candle_changes_nothing(seam, exchange):
    feed, market, source = seam()
    time.sleep(1.5)
    cut(feed, exchange)
    all_filled(feed, 1)
    at = (gaps(feed)[0]["from_time"] // 1000 + 1) * 1000
    before = stored(feed, "S1")[at]
    assert before["origin"] == "history"
    accepted = feed.daemon.accepted()
    feed.connection.send(f"{at + 5},7777,1")
    eventually(lambda: feed.daemon.metrics().get("candled_ticks_superseded_total", 0) >= 1, "a superseded tick")
    assert feed.daemon.accepted() > accepted
    assert stored(feed, "S1")[at] == before


def test_stored_indicators_of_later_candles_follow_the_filled_ones(feed_daemon, exchange):
    market = LiveMarket(exchange).begin()
    late = {"until": 0}
    source = HistorySource(market, fault=lambda *_: (503, b"busy") if time.monotonic() < late["until"] else None)
    try:
        feed = feed_daemon(
            {"timeframes": ["S1"], "settlement": {"grace": "300ms"},
             "indicators": {"store": True, "ma": [3], "mavol": [], "boll": None, "macd": None, "kdj": None, "rsi": [], "wr": []}},
            history={"url": source.url, "format": "zxkline"})
        time.sleep(1.5)
        late["until"] = time.monotonic() + 4.5
        cut(feed, exchange)
        all_filled(feed, 1)
        gap = gaps(feed)[0]

        def agree():
            rows = feed.daemon.sql(
                "SELECT open_time, close, indicators ->> 'ma3' AS ma FROM candles WHERE open_time > ? ORDER BY open_time",
                gap["from_time"] - 1_000)
            right = [
                abs(float(three[2]["ma"]) - sum(row["close"] for row in three) / 3) < 1e-9
                for three in zip(rows, rows[1:], rows[2:]) if three[2]["ma"] is not None]
            return len(right) == len(rows) - 2 and len(right) > 3 and all(right)

        eventually(agree, "the stored averages of what is stored")
    finally:
        market.end()
        source.end()
