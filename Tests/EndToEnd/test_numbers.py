"""Exact numbers from the digits of a tick to JSON and SQL (contract, section 3, rule 12)."""

import json
from decimal import Decimal

import pytest

from support.daemon import Daemon, candled
from support.model import MINUTE, SECOND

AT = 1_600_000_200_000


def replay(folder, lines, *more, timeframes="M1,M5"):
    done = candled(
        "replay", "--db", folder / "candles.db", "--symbol", "X", "--timeframes", timeframes, "--empty", "none", *more, "-",
        stdin=lines if isinstance(lines, (str, bytes)) else "\n".join(lines))
    assert done.code == 0, done
    return done


@pytest.fixture
def serve(tmp_path):
    running = []

    def start(timeframes=("M1", "M5")):
        running.append(Daemon(tmp_path, {"timeframes": list(timeframes)}).start())
        return running[-1]

    yield start
    for daemon in running:
        daemon.end()


def raw(daemon, **parameters):
    """Candles with every number as the text that was sent."""
    text = daemon.get("/v1/candles", symbol="X", indicators=0, **parameters).text
    return json.loads(text, parse_float=str, parse_int=str)["candles"]


def test_one_million_times_a_tenth_is_a_hundred_thousand(tmp_path, serve):
    """S70."""
    text = "".join(f"{AT + n // 20_000 * SECOND},0.1,0.1\n" for n in range(1_000_000))
    replay(tmp_path, text)
    candle = raw(serve(), timeframe="M1")[0]
    assert (candle["volume"], candle["ticks"]) == ("100000", "1000000")
    assert Decimal(candle["turnover"]) == 10_000


def test_numbers_come_back_as_the_same_value_without_dust(tmp_path, serve):
    """S70: through SQLite and JSON."""
    texts = ["0.00002400", "12123500811184481.00", "36500.25", "999999999999999999", "0.000000000000000001", "123456789.012345678", "1e-8"]
    replay(tmp_path, [f"{AT + n * MINUTE},{text},{text}" for n, text in enumerate(texts)])
    for text, candle in zip(texts, raw(serve(), timeframe="M1"), strict=True):
        for key in ("open", "high", "low", "close", "volume"):
            assert Decimal(candle[key]) == Decimal(text)
            assert len(candle[key].lstrip("-0.").replace(".", "")) <= 18, f"dust: {candle[key]}"
        assert Decimal(candle["turnover"]) == Decimal(text) ** 2


def test_a_sum_of_mixed_decimals_has_no_float_dust(tmp_path, serve):
    replay(tmp_path, [f"{AT},0.1,0.1", f"{AT + 1},0.2,0.2", f"{AT + 2},0.3,0.7"])
    candle = raw(serve(), timeframe="M1")[0]
    assert (candle["volume"], candle["turnover"]) == ("1", "0.26")


def test_longer_candles_sum_exactly(tmp_path, serve):
    """S90."""
    lines = [f"{AT + n * 7 * SECOND},{1 + n % 13}.{n % 1000:03},{n % 17}.{n:07}" for n in range(2000)]
    replay(tmp_path, lines, timeframes="M1,M5,M15")
    daemon = serve(("M1", "M5", "M15"))
    sums = {}
    for timeframe in ("M1", "M5", "M15"):
        candles = raw(daemon, timeframe=timeframe, limit=1000)
        sums[timeframe] = tuple(sum(Decimal(candle[key]) for candle in candles) for key in ("volume", "turnover", "ticks"))
    assert sums["M1"] == sums["M5"] == sums["M15"]
    assert sums["M1"][0] == sum(Decimal(line.split(",")[2]) for line in lines)


def test_a_turnover_that_does_not_fit_is_null_and_no_tick_is_refused_for_it(tmp_path, serve):
    """S72: the product near the limit never wraps."""
    most = "999999999999999999"
    done = replay(tmp_path, [f"{AT + n},{most},{most}" for n in range(200)], "--strict")
    candle = raw(serve(), timeframe="M1")[0]
    accepted = 200 - done.out.count("overflow")
    assert Decimal(candle["volume"]) == accepted * Decimal(most)
    assert candle["turnover"] is None or Decimal(candle["turnover"]) == accepted * Decimal(most) ** 2


def test_taker_buy_volume_is_null_where_the_side_is_not_known(tmp_path, serve):
    replay(tmp_path, [f"{AT},1,1"])
    assert raw(serve(), timeframe="M1")[0]["taker_buy_volume"] is None
