"""Recorded sockets: their messages, the trades in them as an independent reader saw them, and taker sides."""

import csv
import gzip
import json
from collections import namedtuple
from datetime import datetime, timezone
from decimal import Decimal

from . import data

Trade = namedtuple("Trade", "symbol id time price volume")


def folder():
    """The whole captures where they are, else the slices of the repository. Both hold the same trades."""
    full = data.full_data()
    return full / "ws" if full and (full / "ws").is_dir() else data.fixtures() / "ws"


def lines(name):
    return gzip.open(folder() / f"{name}.jsonl.gz", "rt").read().splitlines()


def timed(name, faster):
    """Messages in groups that came within a tick of the test's clock: (seconds since the first, lines)."""
    times = [float(text) for text in gzip.open(folder() / f"{name}.recv.gz", "rt").read().split()]
    groups = {}
    for time, line in zip(times, lines(name), strict=True):
        groups.setdefault(round((time - times[0]) / faster, 2), []).append(line)
    return sorted(groups.items())


def trades(name):
    """What `.ticks.csv` says, in the order of arrival; times in milliseconds with their fraction."""
    with open(folder() / f"{name}.ticks.csv", newline="") as file:
        return [Trade(row[1].removeprefix("live_trades_"), row[2], row[3], row[4], row[5]) for row in csv.reader(file)]


def number(text):
    """JSON numbers with their digits."""
    return json.loads(text, parse_float=Decimal)


def dumps(value):
    """The text of a message whose numbers keep their digits."""
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(key) + ":" + dumps(item) for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def bybit_v5(line):
    """A message of Bybit's API before v5, said as v5 says it; what is no trade stays as it is."""
    message = number(line)
    if not str(message.get("topic", "")).startswith("trade."):
        return line
    rows = [
        {
            "T": trade["trade_time_ms"], "s": trade["symbol"], "S": trade["side"], "v": str(trade["size"]),
            "p": str(trade["price"]), "L": trade["tick_direction"], "i": trade["trade_id"], "BT": False,
            "seq": trade["cross_seq"],
        }
        for trade in message["data"]
    ]
    topic = message["topic"].replace("trade.", "publicTrade.")
    return dumps({"topic": topic, "type": "snapshot", "ts": rows[-1]["T"], "data": rows})


def kraken_v2(line):
    """A message of Kraken's API v1, said as v2 says it. v1 has no trade ids, so that there are none here."""
    message = number(line)
    if not (isinstance(message, list) and message[2] == "trade"):
        return line
    rows = []
    for price, volume, time, side, kind, _ in message[1]:
        seconds, fraction = time.split(".")
        moment = datetime.fromtimestamp(int(seconds), timezone.utc)
        rows.append({
            "symbol": message[3], "side": {"b": "buy", "s": "sell"}[side], "price": Decimal(price), "qty": Decimal(volume),
            "ord_type": {"m": "market", "l": "limit"}[kind], "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction}Z"})
    return dumps({"channel": "trade", "type": "update", "data": rows})


def bought(name):
    """(symbol, time in ms, volume) of every trade whose taker bought, read from the messages themselves, once each."""
    seen = {}
    for line in lines(name):
        message = number(line)
        if isinstance(message, list):
            for row in message[1]:
                seen[len(seen)] = (message[3], Decimal(row[2]) * 1000, row[1], row[3] == "b")
        elif name.startswith("BINANCE"):
            one = message.get("data", message)
            if one.get("e") == "aggTrade":
                seen[one["s"], one["a"]] = (one["s"], Decimal(one["T"]), one["q"], not one["m"])
        elif name.startswith("BITSTAMP") and message.get("event") == "trade":
            one, symbol = message["data"], message["channel"].removeprefix("live_trades_")
            seen[one["id"]] = (symbol, Decimal(one["microtimestamp"]) / 1000, one["amount_str"], one["type"] == 0)
        elif name.startswith("BYBIT") and str(message.get("topic")).startswith("trade."):
            for one in message["data"]:
                seen[one["trade_id"]] = (one["symbol"], Decimal(one["trade_time_ms"]), one["size"], one["side"] == "Buy")
        elif name.startswith("COINBASE") and message.get("type") in ("match", "last_match"):
            time = datetime.fromisoformat(message["time"].replace("Z", "+00:00")).timestamp() * 1000
            # The side is the maker's.
            seen[message["product_id"], message["trade_id"]] = (
                message["product_id"], Decimal(time), message["size"], message["side"] == "sell")
        elif name.startswith("OKX") and message.get("arg", {}).get("channel") == "trades" and "data" in message:
            for one in message["data"]:
                seen[one["instId"], one["tradeId"]] = (one["instId"], Decimal(one["ts"]), one["sz"], one["side"] == "buy")
    return [(symbol, time, Decimal(str(volume))) for symbol, time, volume, is_buy in seen.values() if is_buy]
