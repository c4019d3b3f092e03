"""Real ticks and the source's own candles: the sets, and how to compare with them."""

import csv
import gzip
import json
import os
import re
from decimal import Decimal
from pathlib import Path

from .paths import HERE, ROOT

FIELDS = ("open", "high", "low", "close", "volume")


def _candidates():
    if "CANDLED_DATA" in os.environ:
        yield Path(os.environ["CANDLED_DATA"])
    yield ROOT.parent / "shared" / "data"


def full_data():
    """The folder with every set, or None where only the fixtures of the repository are there."""
    for folder in _candidates():
        if (folder / "pairs").is_dir():
            return folder
    return None


def fixtures():
    for folder in [HERE / "fixtures", HERE.parent / "fixtures", HERE.parent / "Fixtures" / "pairs"]:
        if folder.is_dir():
            return folder
    return HERE / "fixtures"


#: Every set there is; those that are no fixtures are skipped where the full data is missing.
ALL_PAIRS = [
    "bitfinex_etheur_20210110", "dukascopy_eurusd_20190204", "hitbtc_crdteth", "hitbtc_dntbtc", "hitbtc_eursusd",
    "hitbtc_grtbtc", "hitbtc_gvteth", "hitbtc_insurbtc", "hitbtc_mtxusd", "hitbtc_ornbtc", "hitbtc_polybtc",
    "hitbtc_vetbtc", "lean_comex_gc201311_201310", "lean_comex_gc201402_201310", "lean_oanda_eurusd_20140504_bid",
    "phemex_enjusd", "phemex_slinkusdt", "phemex_yfiusd",
]
ALL_ROLLUPS = [
    "dukascopy_btcusd_20230219", "lean_coinbase_btcusd_20161007", "lean_coinbase_btcusd_20161008",
    "lean_coinbase_btcusd_20161009",
]


def pair_folder(name):
    """None if the set is not here."""
    full = full_data()
    for folder in [full / "pairs" / name if full else None, fixtures() / name]:
        if folder and (folder / "pair.json").exists():
            return folder
    return None


def rollup_folder(name):
    full = full_data()
    folder = full / "rollup" / name if full else None
    return folder if folder and folder.is_dir() else None


def read_bars(path):
    """Bars by open time; numbers as decimals; `volume` only where the file has it."""
    with open(path, newline="") as file:
        return {
            int(row["open_ms"]): {key: Decimal(row[key]) for key in FIELDS if key in row}
            for row in csv.DictReader(file)
        }


class Pair:
    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.info = json.loads((folder / "pair.json").read_text())

    @property
    def tick_files(self):
        """Files with the same ticks; the exact ones have fractions of milliseconds."""
        return [path for path in (self.folder / "ticks.csv", self.folder / "ticks.csv.gz", self.folder / "ticks_exact.csv") if path.exists()]

    @staticmethod
    def text(path):
        return gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()

    def lines(self):
        return self.text(self.tick_files[0]).split()

    def expected(self):
        """Bars by timeframe, empty ones left out."""
        found = {}
        for timeframe in ("M1", "M5", "M15", "H1"):
            for kind in ("expected", "derived"):
                path = self.folder / f"{kind}_{timeframe.lower()}.csv"
                if path.exists():
                    found.setdefault(timeframe, read_bars(path))
        return found

    def expected_with_empty(self):
        path = self.folder / "expected_m1_with_empty.csv"
        return read_bars(path) if path.exists() else None

    def volume_tolerance(self, volume):
        text = self.info["volume_tolerance"]
        number = Decimal(re.search(r"\d+(?:\.\d+)?(?:e-?\d+)?", text.replace("float32", "")).group())
        return number * volume if "relative" in text else number

    def short_volumes(self, timeframe_of):
        """What a bar's volume may lack, by open time: a known defect of the source, the last tick of each day file."""
        if "last tick's size is missing" not in self.info["known_mismatches"]:
            return {}
        last = {}
        for line in self.lines():
            time, _, size = line.split(",")[:3]
            last[int(time) // 86_400_000] = (int(time), Decimal(size))
        return {timeframe_of(time): size for time, size in last.values()}


def differences(pair, timeframe, expected, got, short):
    """Texts of what differs; `got` maps open times to candles with decimals."""
    found = []
    first, last = min(expected), max(expected)
    extra = [at for at in got if first <= at <= last and at not in expected]
    if extra:
        found.append(f"{timeframe}: {len(extra)} bars the source does not have: {sorted(extra)[:5]}")
    for at, bar in expected.items():
        candle = got.get(at)
        if candle is None:
            found.append(f"{timeframe} {at} is missing")
            continue
        for key in FIELDS:
            if key not in bar:
                continue
            allowed = pair.volume_tolerance(bar[key]) if key == "volume" else 0
            if abs(candle[key] - bar[key]) <= allowed:
                continue
            if key == "volume" and candle[key] - bar[key] == short.get(at):
                continue
            found.append(f"{timeframe} {at} {key}: {candle[key]}, the source says {bar[key]}")
    return found
