"""Recorded ticks yield the candles that their source itself published."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from support import data, model
from support.daemon import Daemon, TickFeed, candled
from support.waiting import eventually

TIMEFRAMES = "M1,M5,M15,H1"


def pair(name):
    folder = data.pair_folder(name)
    if folder is None:
        pytest.skip(f"the set {name} is not here: set CANDLED_DATA to the folder with all sets")
    return data.Pair(name, folder)


def by_time(candles):
    return {candle["open_time"]: candle for candle in candles}


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """Every set replayed into one database per mode, a symbol a set and tick file, and a daemon that serves it."""
    folder = tmp_path_factory.mktemp("replayed")
    modes = {}
    daemons = []
    for mode in ("none", "flat"):
        home = folder / mode
        home.mkdir()
        for name in data.ALL_PAIRS:
            found = data.pair_folder(name)
            if found is None:
                continue
            one = data.Pair(name, found)
            for number, path in enumerate(one.tick_files):
                done = candled(
                    "replay", "--db", home / "candles.db", "--symbol", f"{name}.{number}", "--timeframes", TIMEFRAMES,
                    "--empty", mode, "--flat-limit", "0", "--strict", "-", stdin=one.text(path))
                assert done.code == 0, (name, done)
        daemon = Daemon(home, {"timeframes": TIMEFRAMES.split(",")}).start()
        daemons.append(daemon)
        modes[mode] = daemon
    yield modes
    for daemon in daemons:
        daemon.end()


def all_candles(daemon, symbol, timeframe):
    candles, start = [], 0
    while start is not None:
        page = daemon.page(symbol, timeframe, limit=10_000, indicators=0, **{"from": start})
        candles += page["candles"]
        start = page["next"]
    return candles


@pytest.mark.parametrize("name", data.ALL_PAIRS)
def test_replayed_ticks_yield_the_candles_of_their_source(replayed, name):
    one = pair(name)
    for number, path in enumerate(one.tick_files):
        for timeframe, expected in one.expected().items():
            got = by_time(all_candles(replayed["none"], f"{name}.{number}", timeframe))
            short = one.short_volumes(lambda time: model.open_time(time, timeframe))
            assert not data.differences(one, timeframe, expected, got, short), path.name
            rows = replayed["none"].sql(
                "SELECT open_time, open, high, low, close, volume FROM candles WHERE symbol = ? AND timeframe = ?",
                f"{name}.{number}", timeframe)
            for row in rows:
                candle = got[row["open_time"]]
                for key in data.FIELDS:
                    assert row[key] == pytest.approx(float(candle[key]), rel=1e-15, abs=0), (row, candle)


@pytest.mark.parametrize("name", data.ALL_PAIRS)
def test_replayed_ticks_with_flat_candles_fill_every_empty_interval(replayed, name):
    one = pair(name)
    with_empty = one.expected_with_empty()
    daemon = replayed["flat"]
    if with_empty is not None:
        got = by_time(all_candles(daemon, f"{name}.0", "M1"))
        assert not data.differences(one, "M1", with_empty, got, {})
    for timeframe, expected in one.expected().items():
        candles = all_candles(daemon, f"{name}.0", timeframe)
        times = [candle["open_time"] for candle in candles]
        interval = model.INTERVALS[timeframe]
        assert times == list(range(times[0], times[-1] + 1, interval)), "an interval has no candle"
        filled = [candle for candle in candles if candle["origin"] == "ticks"]
        short = one.short_volumes(lambda time: model.open_time(time, timeframe))
        assert not data.differences(one, timeframe, expected, by_time(filled), short)
        for before, candle in zip(candles, candles[1:]):
            if candle["origin"] == "flat":
                close = before["close"]
                assert model.content(candle) == (close, close, close, close, 0, 0, 0)


LIVE = [(name, size) for name in data.ALL_PAIRS for size in (1, 37) if not (name.startswith("dukascopy") and size == 1)]


@pytest.mark.parametrize("name, lines_a_frame", LIVE)
def test_a_live_feed_yields_the_candles_of_its_source(feed_daemon, name, lines_a_frame):
    one = pair(name)
    expected = one.expected()
    feed = feed_daemon(
        {
            "timeframes": list(expected), "clock": {"source": "feed"},
            "settlement": {"empty_candles": "none"}, "indicators": {"ma": [5]},
        }, symbol=name, timestamp="ms")
    lines = one.lines()
    if name.startswith("dukascopy"):
        lines_a_frame = 500
    frames = ["\n".join(lines[at:at + lines_a_frame]) for at in range(0, len(lines), lines_a_frame)]
    feed.send(*frames)
    # Some recordings end inside their last bar: a tick of the next day settles it.
    end = int(float(lines[-1].split(",")[0])) // model.DAY * model.DAY + 2 * model.DAY
    feed.send(f"{end},{lines[-1].split(',')[1]}")
    feed.wait(len(lines) + 1)
    assert feed.daemon.refused() == {}
    for timeframe, bars in expected.items():
        last = max(bars)

        def stored():
            newest = feed.daemon.candles(name, timeframe, limit=1, indicators=0)
            return newest and newest[-1]["open_time"] >= last

        eventually(stored, f"the stored candle {timeframe} {last}")
        got = by_time(all_candles(feed.daemon, name, timeframe))
        short = one.short_volumes(lambda time: model.open_time(time, timeframe))
        assert not data.differences(one, timeframe, bars, got, short)


# Roll-ups: the source has candles of two lengths and no ticks. Each short candle is written as four ticks that have
# its open, high, low and close, the volume on the first; the long candles must then be the source's.

ROLLUPS = {
    "dukascopy_btcusd_20230219": ("m1", ["m5", "m15", "m30"]),
    "lean_coinbase_btcusd_20161007": ("s1", ["m1"]),
    "lean_coinbase_btcusd_20161008": ("s1", ["m1"]),
    "lean_coinbase_btcusd_20161009": ("s1", ["m1"]),
}


@pytest.mark.parametrize("name", data.ALL_ROLLUPS)
def test_longer_candles_of_a_source_are_the_fold_of_its_shorter_ones(tmp_path, name):
    folder = data.rollup_folder(name)
    if folder is None:
        pytest.skip(f"the set {name} is not here: set CANDLED_DATA to the folder with all sets")
    short, longer = ROLLUPS[name]
    bars = data.read_bars(folder / f"{short}.csv")
    interval = model.INTERVALS[short.upper()]
    lines = []
    for at, bar in bars.items():
        for offset, key in ((0, "open"), (interval // 4, "high"), (interval // 2, "low"), (interval - 1, "close")):
            volume = bar.get("volume", Decimal(0)) if key == "open" else 0
            lines.append(f"{at + offset},{bar[key]},{volume}")
    timeframes = [short.upper(), *(one.upper() for one in longer)]
    done = candled(
        "replay", "--db", tmp_path / "candles.db", "--symbol", "X", "--timeframes", ",".join(timeframes),
        "--empty", "none", "--strict", "-", stdin="\n".join(lines))
    assert done.code == 0, done
    daemon = Daemon(tmp_path, {"timeframes": timeframes}).start()
    try:
        source = SimpleNamespace(volume_tolerance=lambda volume: 0)
        for timeframe in timeframes:
            expected = data.read_bars(folder / f"{timeframe.lower()}.csv")
            got = by_time(all_candles(daemon, "X", timeframe))
            assert not data.differences(source, timeframe, expected, got, {})
            assert set(got) == set(expected)
    finally:
        daemon.end()


def test_more_than_half_of_the_ticks_of_one_instant_keep_their_order(tmp_path):
    """Binance spot over a midnight: two thirds of the trades share their millisecond with the one before."""
    full = data.full_data()
    if full is None:
        pytest.skip("the set ticks/binance_spot_ethusdt_20240808 is not here")
    compare_with_model(tmp_path, (full / "ticks" / "binance_spot_ethusdt_20240808.csv").read_text(), ["S1", "M1", "M5", "D1"])


def test_twelve_decimals_and_gaps_of_days_fold_exactly(tmp_path):
    """Bitstamp 2011-12: stamps of a second, twelve decimals, gaps of days, a trade of size zero."""
    full = data.full_data()
    if full is None:
        pytest.skip("the set ticks/bitstamp_btcusd_2011_2012 is not here")
    compare_with_model(tmp_path, (full / "ticks" / "bitstamp_btcusd_2011_2012.csv").read_text(), ["M1", "H1", "D1", "W1"])


def compare_with_model(folder, text, timeframes):
    done = candled(
        "replay", "--db", folder / "candles.db", "--symbol", "X", "--timeframes", ",".join(timeframes),
        "--empty", "none", "--strict", "-", stdin=text)
    assert done.code == 0, done
    ticks = [line.split(",") for line in text.split()]
    daemon = Daemon(folder, {"timeframes": timeframes}).start()
    try:
        for timeframe in timeframes:
            expected = model.fold(ticks, timeframe)
            got = by_time(all_candles(daemon, "X", timeframe))
            assert list(got) == list(expected)
            for at, candle in expected.items():
                assert model.content(got[at]) == model.content(candle), (timeframe, at)
    finally:
        daemon.end()
