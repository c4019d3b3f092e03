"""`format=` on `/v1/candles` and `/v1/stream` (contract, section 7), field by field."""

import csv
import io
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from support.model import DAY, HOUR, MINUTE
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}


@pytest.fixture
def charted(feed_daemon):
    """A daemon with 40 closed candles of M1 and one that forms, and the time of the first."""
    feed = feed_daemon(BY_TICK, symbol="BTCUSDT")
    at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
    lines = []
    for n in range(41):
        lines += [f"{at + n * MINUTE},{100 + n % 7}.25,1.5", f"{at + n * MINUTE + 30_000},{99 + n % 5}.125,0.5"]
    feed.ticks(*lines)
    eventually(lambda: len(feed.daemon.candles("BTCUSDT", "M1")) == 40, "40 candles")
    return feed, at


def history(daemon, format, timeframe="M1", **parameters):
    answer = daemon.get("/v1/candles", symbol="BTCUSDT", timeframe=timeframe, format=format, **parameters)
    assert answer.status == 200, answer
    return answer.json if "json" in answer.headers["Content-Type"] else answer.text


def bar(candle):
    return {"time": candle["open_time"] // 1000, **{k: candle[k] for k in ("open", "high", "low", "close", "volume")}}


def klinecharts(candle):
    return {
        "timestamp": candle["open_time"],
        **{key: candle[key] for key in ("open", "high", "low", "close", "volume", "turnover")}, **candle["indicators"]}


def zxkline(candle):
    return ",".join(str(v) for v in [candle["open_time"] // 1000, *[candle[k] for k in ("close", "open", "high", "low", "volume")]])


def klineview(candle, zone=timezone.utc, prefix=True):
    """The element by the contract's words, from the candle as `/v1/candles` has it."""
    values = candle["indicators"]

    def known(key, placeholder):
        return placeholder if values[key] is None else values[key]

    def items(title, keys, placeholder):
        return [
            {"title": (title if prefix else "") + key.strip("mavolrsiw"), "index": index, "selected": True, "value": known(key, placeholder)}
            for index, key in enumerate(keys)]

    close, volume = candle["close"], candle["volume"]
    moment = datetime.fromtimestamp(candle["open_time"] / 1000, zone).strftime("%m-%d %H:%M")
    change = Decimal(close) - Decimal(candle["open"])
    percent = (change / Decimal(candle["open"]) * 100).quantize(Decimal("0.01"))
    signed = lambda value: ("+" if value > 0 else "") + plain(value)  # noqa: E731
    return {
        "id": candle["open_time"] // 1000, "dateString": moment,
        **{key: candle[key] for key in ("open", "high", "low", "close")}, "vol": volume,
        "maList": items("MA", ["ma5", "ma10", "ma20"], close),
        "maVolumeList": items("MA", ["mavol5", "mavol10"], volume),
        "bollMb": known("boll_mb", close), "bollUp": known("boll_up", close), "bollDn": known("boll_dn", close),
        "macdValue": known("macd_hist", 0), "macdDif": known("macd_dif", 0), "macdDea": known("macd_dea", 0),
        "kdjK": known("kdj_k", 50), "kdjD": known("kdj_d", 50), "kdjJ": known("kdj_j", 50),
        "rsiList": items("RSI", ["rsi6", "rsi12", "rsi24"], 50),
        "wrList": items("WR", ["wr10", "wr6"], -50),
        "selectedItemList": [
            {"title": "Time", "detail": moment}, {"title": "Open", "detail": plain(candle["open"])},
            {"title": "High", "detail": plain(candle["high"])}, {"title": "Low", "detail": plain(candle["low"])},
            {"title": "Close", "detail": plain(close)}, {"title": "Change", "detail": signed(change)},
            {"title": "Change %", "detail": signed(percent) + "%"}, {"title": "Volume", "detail": plain(volume)},
        ],
    }


def plain(value):
    text = f"{Decimal(value):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# History


@pytest.mark.parametrize("format, element", [
    ("lightweight", bar), ("arincen", bar),
    ("line", lambda candle: {"time": candle["open_time"] // 1000, "value": candle["close"]}),
    ("klinecharts", klinecharts), ("zxkline", zxkline), ("klineview", klineview),
])
def test_a_history_is_the_bare_array(charted, format, element):
    feed, at = charted
    for parameters in [{}, {"forming": 1}, {"limit": 3}, {"from": at + 3 * MINUTE, "to": at + 6 * MINUTE}, {"from": at, "limit": 2, "forming": 1}]:
        expected = [element(candle) for candle in feed.daemon.candles("BTCUSDT", "M1", **parameters)]
        assert history(feed.daemon, format, **parameters) == expected and expected
    assert history(feed.daemon, format, to=at) == []


def test_klineview_knows_zones_and_titles(charted):
    feed, _ = charted
    candles = feed.daemon.candles("BTCUSDT", "M1", forming=1)
    for zone, name in [
        (ZoneInfo("Asia/Shanghai"), "Asia/Shanghai"), (ZoneInfo("America/New_York"), "America/New_York"),
        (timezone(timedelta(hours=5, minutes=30)), "+05:30"), (timezone(-timedelta(hours=3)), "-0300"), (timezone.utc, "UTC"),
    ]:
        assert history(feed.daemon, "klineview", tz=name, titles="period", forming=1) == [
            klineview(candle, zone, prefix=False) for candle in candles]


def test_klineview_lists_are_whole_without_indicators(charted):
    feed, _ = charted
    for element in history(feed.daemon, "klineview", indicators=1, limit=1, to=charted[1] + MINUTE):
        assert [item["value"] for item in element["maList"]] == [element["close"]] * 3
        assert [item["value"] for item in element["wrList"]] == [-50, -50]


def test_klinecharts_without_indicators_has_none(charted):
    feed, _ = charted
    assert set(history(feed.daemon, "klinecharts", indicators=0)[0]) == {
        "timestamp", "open", "high", "low", "close", "volume", "turnover"}


def test_csv_has_a_header_and_a_candle_a_line(charted):
    feed, _ = charted
    text = history(feed.daemon, "csv", forming=1)
    assert text.startswith("open_time,open,high,low,close,volume,turnover,ticks,")
    rows = list(csv.DictReader(io.StringIO(text)))
    candles = feed.daemon.candles("BTCUSDT", "M1", forming=1)
    assert len(rows) == len(candles) == 41
    for row, candle in zip(rows, candles):
        assert {key: row[key] for key in row if key != "complete"} == {
            key: "" if candle[key] is None else str(candle[key]) for key in row if key != "complete"}
        assert row["complete"] == str(int(candle["complete"]))


def starts_of(candles, cut):
    """Where a segment begins: at the first candle, and where the hour or day is another one."""
    parts = [candle["open_time"] // cut for candle in candles]
    return [n for n in range(len(parts)) if n == 0 or parts[n] != parts[n - 1]]


@pytest.mark.parametrize("segment, cut", [(None, DAY), ("D1", DAY), ("H1", HOUR)])
def test_rhlineplot_is_one_object_with_segments_and_the_elapsed_part_of_the_day(feed_daemon, segment, cut):
    feed = feed_daemon({"timeframes": ["M15"], "clock": {"source": "feed"}, "settlement": {"flat_limit": 0}}, symbol="BTCUSDT")
    at = 1_600_000_200_000 // DAY * DAY + 22 * HOUR
    feed.ticks(*[f"{at + n * 15 * MINUTE},{100 + n},1" for n in range(20)])
    eventually(lambda: len(feed.daemon.candles("BTCUSDT", "M15")) == 19, "19 candles")
    parameters = {"segment": segment} if segment else {}
    got = history(feed.daemon, "rhlineplot", "M15", forming=1, **parameters)
    candles = feed.daemon.candles("BTCUSDT", "M15", forming=1)
    values, starts = [candle["close"] for candle in candles], starts_of(candles, cut)
    assert list(got) == ["values", "lineSegmentStartingIndices", "occupyingRelativeWidth"]
    assert got["values"] == values and got["lineSegmentStartingIndices"] == starts and len(starts) > 1
    # The server clock is the newest tick, and a little: 22:00 and 19 quarters are 02:45.
    assert Decimal("0.1145") <= got["occupyingRelativeWidth"] <= Decimal("0.1160")
    assert history(feed.daemon, "rhlineplot", "M15", limit=3, **parameters)["values"] == values[-4:-1]


@pytest.mark.parametrize("parameters", [
    {"format": "xml"}, {"format": "binance"}, {"tz": "Mars/Olympus"}, {"tz": "+25:00"}, {"titles": "long"}, {"segment": "M1"},
    {"format": "line", "limit": 0},
])
def test_what_is_not_known_is_refused(charted, parameters):
    feed, _ = charted
    answer = feed.daemon.get("/v1/candles", symbol="BTCUSDT", timeframe="M1", **{"format": "klineview", **parameters})
    assert answer.status == 400 and answer.json["error"]["code"] == "bad_parameter"
    assert next(iter(parameters)) in answer.json["error"]["message"] or "limit" in parameters


def test_an_unknown_symbol_is_one_in_every_format(charted):
    answer = charted[0].daemon.get("/v1/candles", symbol="NOPE", timeframe="M1", format="lightweight")
    assert answer.status == 404 and answer.json["error"]["code"] == "unknown_symbol"


# Stream


def chart(daemon, format, *topics, **more):
    query = "&".join([f"format={format}", *[f"topic={topic}" for topic in topics], *[f"{k}={v}" for k, v in more.items()]])
    reader = daemon.subscriber_at("/v1/stream?" + query)
    pong = reader.ask({"op": "ping"})
    reader.messages.remove(pong)
    return reader


def wait_text(reader, text):
    return reader.wait(lambda message: message == text, f"the message {text}")


@pytest.mark.parametrize("format, element", [
    ("lightweight", bar), ("line", lambda candle: {"time": candle["open_time"] // 1000, "value": candle["close"]}),
    ("klinecharts", klinecharts), ("klineview", klineview),
])
def test_a_stream_message_is_the_bare_object(charted, format, element):
    feed, at = charted
    reader = chart(feed.daemon, format, "candle.M1.BTCUSDT")
    plain_reader = feed.daemon.subscriber("candle.M1.BTCUSDT")
    feed.ticks(f"{at + 40 * MINUTE + 40_000},123.5,1", f"{at + 41 * MINUTE},124.5,1", f"{at + 42 * MINUTE},125.5,1")
    last = plain_reader.wait_candle("forming", open_time=at + 42 * MINUTE)
    reader.wait(lambda message: message == element(last), "the newest candle")
    times = [message.get("time", message.get("timestamp", message.get("id"))) for message in reader.messages]
    assert times == sorted(times)
    for candle in plain_reader.candles("closed"):
        assert element(candle) in reader.messages


def test_zxkline_sends_ticks_and_the_end_of_what_the_clock_settles(feed_daemon):
    feed = feed_daemon({"timeframes": ["S5"], "settlement": {"grace": "100ms"}, "stream": {"forming_interval": 0}}, symbol="BTCUSDT")
    reader = chart(feed.daemon, "zxkline", "candle.S5.BTCUSDT")
    now = wall_ms()
    feed.ticks(f"{now},100.5,1")
    wait_text(reader, f"{now // 1000},100.5")
    end = now // 5000 * 5 + 5
    wait_text(reader, f"{end},100.5")
    assert [text for text in reader.messages if text != f"{now // 1000},100.5"][0] == f"{end},100.5"


def test_zxkline_lets_a_tick_settle_by_itself(charted):
    feed, at = charted
    reader = chart(feed.daemon, "zxkline", "candle.M1.BTCUSDT")
    feed.ticks(f"{at + 40 * MINUTE + 40_000},123.5,1")
    wait_text(reader, f"{at // 1000 + 2440},123.5")
    reader.messages.clear()
    feed.ticks(f"{at + 41 * MINUTE + 5_000},124.5,1")
    wait_text(reader, f"{at // 1000 + 2465},124.5")
    assert set(reader.messages) == {f"{at // 1000 + 2465},124.5"}


def test_rhlineplot_sends_the_whole_line(charted):
    feed, at = charted
    reader = chart(feed.daemon, "rhlineplot", "candle.M1.BTCUSDT", limit=10, segment="H1")
    first = reader.wait(lambda message: "values" in message, "the line")
    closes = [candle["close"] for candle in feed.daemon.candles("BTCUSDT", "M1", forming=1)]
    assert first["values"] == closes[-10:]
    feed.ticks(f"{at + 41 * MINUTE},124.5,1", f"{at + 42 * MINUTE},125.5,1")
    line = reader.wait(lambda message: message["values"][-1] == Decimal("125.5"), "the newest tick")
    closes = [candle["close"] for candle in feed.daemon.candles("BTCUSDT", "M1", forming=1)]
    assert line["values"] == closes[-10:]
    feed.ticks(f"{at + 41 * MINUTE + 30_000},124.75,1")
    line = reader.wait(lambda message: message["values"][-2] == Decimal("124.75"), "the correction")
    assert len(line["values"]) == 10 and set(line) == {"values", "lineSegmentStartingIndices", "occupyingRelativeWidth"}


def test_csv_sends_a_line_a_candle(charted):
    feed, at = charted
    reader = chart(feed.daemon, "csv", "closed.M1.BTCUSDT")
    feed.ticks(f"{at + 41 * MINUTE},124.5,1")
    reader.wait(lambda message: True, "a line")
    last = history(feed.daemon, "csv", limit=1).splitlines()[1]
    assert reader.texts[-1] == last
    feed.ticks(f"{at + 40 * MINUTE + 50_000},1,1")
    reader.wait(lambda message: message != last, "the correction")
    assert reader.texts[-1] == history(feed.daemon, "csv", limit=1).splitlines()[1]


@pytest.mark.parametrize("corrections", [0, 1])
def test_a_chart_gets_older_candles_only_if_it_asks(charted, corrections):
    """S114: an older bar after a newer one stops the chart."""
    feed, at = charted
    reader = chart(feed.daemon, "lightweight", "candle.M1.BTCUSDT", corrections=corrections)
    plain_reader = feed.daemon.subscriber("candle.M1.BTCUSDT")
    feed.ticks(f"{at + 41 * MINUTE},124.5,1")
    reader.wait(lambda message: message["time"] == at // 1000 + 2460, "the new candle")
    feed.ticks(f"{at + 38 * MINUTE + 50_000},200,1")
    corrected = plain_reader.wait_candle("corrected", open_time=at + 38 * MINUTE)
    feed.ticks(f"{at + 42 * MINUTE},126.5,1")
    reader.wait(lambda message: message["time"] == at // 1000 + 2520, "the newest candle")
    assert (bar(corrected) in reader.messages) == bool(corrections)
    times = [message["time"] for message in reader.messages]
    assert (times == sorted(times)) != bool(corrections)


def test_a_correction_of_the_newest_candle_comes_in_any_case(feed_daemon):
    feed = feed_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "grace": "100ms", "empty_candles": "none"}, "timeframes": ["S1"]}, symbol="BTCUSDT")
    reader = chart(feed.daemon, "lightweight", "candle.S1.BTCUSDT")
    now = wall_ms()
    feed.ticks(f"{now},100,1")
    eventually(lambda: feed.daemon.candles("BTCUSDT", "S1"), "the clock to settle")
    feed.ticks(f"{now},101,1")
    reader.wait(lambda message: message["time"] == now // 1000 and message["volume"] == 2, "the correction")


def test_requests_over_the_connection_have_the_format_too(charted):
    feed, at = charted
    reader = feed.daemon.subscriber_at("/v1/stream?format=line")
    answer = reader.ask({"op": "subscribe", "topics": ["candle.M1.BTCUSDT"], "snapshot": 3})
    assert answer["type"] == "subscribed"
    expected = history(feed.daemon, "line", limit=3, forming=1)
    assert reader.wait(lambda message: isinstance(message, list), "the snapshot") == expected
    feed.ticks(f"{at + 41 * MINUTE},124.5,1")
    reader.wait(lambda message: message == {"time": at // 1000 + 2460, "value": Decimal("124.5")}, "the new candle")
    assert reader.ask({"op": "subscribe", "topics": ["candle.M7.X"]})["code"] == "bad_topic"


def test_a_snapshot_can_be_asked_for_in_the_address(charted):
    feed, _ = charted
    reader = feed.daemon.subscriber_at("/v1/stream?format=lightweight&topic=candle.M1.BTCUSDT&snapshot=2")
    assert reader.wait(lambda message: True, "the snapshot") == history(feed.daemon, "lightweight", limit=2, forming=1)


def test_a_replay_has_the_format_and_never_goes_back_in_time(charted):
    feed, at = charted
    epoch = feed.daemon.get("/v1/status").json["epoch"]
    feed.ticks(f"{at + 41 * MINUTE},124.5,1", f"{at + 39 * MINUTE + 50_000},200,1")
    eventually(lambda: feed.daemon.candles("BTCUSDT", "M1")[39]["revision"] == 1, "the correction")
    reader = feed.daemon.subscriber_at("/v1/stream?format=lightweight")
    reader.ask({"op": "subscribe", "topics": ["closed.M1.BTCUSDT"], "since": {"epoch": epoch, "version": 0}})
    feed.ticks(f"{at + 42 * MINUTE},124.5,1")
    reader.wait(lambda message: message.get("time") == at // 1000 + 41 * 60, "the newest close")
    times = [message["time"] for message in reader.messages if "time" in message]
    assert times == sorted(times) and times[0] == at // 1000 and len(times) >= 41


@pytest.mark.parametrize("query", ["format=xml", "topic=candle.M7.X", "corrections=2", "format=rhlineplot&limit=0", "snapshot=x"])
def test_an_address_that_asks_for_nonsense_is_refused(charted, query):
    with pytest.raises(Exception, match="400"):
        charted[0].daemon.subscriber_at("/v1/stream?" + query)


def test_a_message_is_made_once_for_each_form(charted):
    feed, at = charted
    readers = [chart(feed.daemon, form, "candle.M1.BTCUSDT") for form in ["lightweight"] * 5 + ["line"] * 5]
    readers += [feed.daemon.subscriber("candle.M1.BTCUSDT") for _ in range(5)]
    before = feed.daemon.metrics()
    feed.ticks(f"{at + 41 * MINUTE},124.5,1")
    for reader in readers[:10]:
        reader.wait(lambda message: message["time"] == at // 1000 + 2460, "the new candle")
    for reader in readers[10:]:
        reader.wait_candle("forming", open_time=at + 41 * MINUTE)
    after = feed.daemon.metrics()
    made = after["candled_stream_encoded_total"] - before["candled_stream_encoded_total"]
    sent = after["candled_stream_messages_total"] - before["candled_stream_messages_total"]
    # A close and a forming candle, three forms, fifteen readers.
    assert sent == made * 5 and made % 3 == 0 and made >= 6
