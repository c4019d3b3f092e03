"""A naive batch model of candles, written apart from the daemon: exact decimals, one pass."""

from decimal import Decimal

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

INTERVALS = {
    "S1": SECOND, "S5": 5 * SECOND, "S15": 15 * SECOND, "S30": 30 * SECOND, "M1": MINUTE, "M3": 3 * MINUTE,
    "M5": 5 * MINUTE, "M15": 15 * MINUTE, "M30": 30 * MINUTE, "H1": HOUR, "H2": 2 * HOUR, "H4": 4 * HOUR,
    "H6": 6 * HOUR, "H8": 8 * HOUR, "H12": 12 * HOUR, "D1": DAY, "W1": 7 * DAY,
}

#: 1970-01-05, a Monday.
FIRST_MONDAY = 4 * DAY


def open_time(time, timeframe):
    interval = INTERVALS[timeframe]
    shift = FIRST_MONDAY if timeframe == "W1" else 0
    return (time - shift) // interval * interval + shift


def fold(ticks, timeframe):
    """Candles by open time of `(time_ms, price, volume[, id])` in the order of rule 2 (sorted here, stably by time)."""
    ordered = sorted(ticks, key=lambda tick: (Decimal(str(tick[0])), tick[3] if len(tick) > 3 else 0))
    candles = {}
    for time, price, volume, *_ in ordered:
        price, volume = Decimal(str(price)), Decimal(str(volume))
        at = open_time(int(Decimal(str(time)).__floor__()), timeframe)
        candle = candles.get(at)
        if candle is None:
            candles[at] = {
                "open_time": at, "open": price, "high": price, "low": price, "close": price, "volume": volume,
                "turnover": price * volume, "ticks": 1}
        else:
            candle["high"] = max(candle["high"], price)
            candle["low"] = min(candle["low"], price)
            candle["close"] = price
            candle["volume"] += volume
            candle["turnover"] += price * volume
            candle["ticks"] += 1
    return candles


CONTENT = ("open", "high", "low", "close", "volume", "turnover", "ticks")


def content(candle, keys=CONTENT):
    return tuple(candle[key] for key in keys)
