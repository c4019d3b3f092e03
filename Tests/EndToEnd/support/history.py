"""A market that goes on whether anybody listens or not, and a history source that tells its candles, wrongly too."""

import http.server
import json
import random
import threading
import time
import urllib.parse
from decimal import Decimal

from . import model
from .waiting import wall_ms


class Market:
    """Every trade, in its order: `(time_ms, price, volume, id)`."""

    def __init__(self):
        self.trades = []
        self._lock = threading.Lock()

    def add(self, trade):
        with self._lock:
            self.trades.append(trade)

    def all(self):
        with self._lock:
            return list(self.trades)

    def candles(self, timeframe):
        return model.fold(self.all(), timeframe)


class LiveMarket(Market):
    """Trades at the time of the wall clock and sends them to whoever listens on a path of an exchange."""

    def __init__(self, exchange, path="/ticks", every=0.02, prices=None):
        super().__init__()
        self.exchange = exchange
        self.path = path
        self.every = every
        self._random = random.Random(7)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._price = Decimal("100")

    def begin(self):
        self._thread.start()
        return self

    def end(self):
        self._stopped.set()
        self._thread.join(10)

    def _run(self):
        number = 0
        while not self._stopped.wait(self.every):
            number += 1
            self._price += Decimal(self._random.randint(-9, 9)) / 100
            trade = (wall_ms(), self._price, Decimal(self._random.randint(1, 900)) / 1000, number)
            self.add(trade)
            line = ",".join(str(field) for field in trade)
            for connection in self.exchange.of(self.path):
                if connection.is_open:
                    try:
                        connection.send(line)
                    except Exception:  # noqa: BLE001 - nobody hears it
                        pass


def zxkline(candle, timeframe):
    return ",".join(
        str(field) for field in (
            candle["open_time"] // 1000, candle["close"], candle["open"], candle["high"], candle["low"], candle["volume"]))


def binance(candle, timeframe):
    last = candle["open_time"] + model.INTERVALS[timeframe] - 1
    return [
        candle["open_time"], *(str(candle[key]) for key in ("open", "high", "low", "close", "volume")), last,
        str(candle["turnover"]), candle["ticks"], "0", "0", "0"]


class HistorySource:
    """An HTTP server with the candles of a market.

    `fault(number, rows, body)` may return `(status, body)` instead of the answer; requests are numbered from 1.
    """

    def __init__(self, market, form=zxkline, fault=None):
        self.market = market
        self.form = form
        self.fault = fault
        self.requests = []
        source = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # noqa: N802 - the library's name
                status, body = source.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/history"

    def end(self):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
        self.requests.append(query)
        if "interval" in query:
            name = query["interval"]
            timeframe = {"1s": "S1", "1m": "M1", "5m": "M5"}[name]
            start, end = int(query["startTime"]), int(query["endTime"]) + 1
        else:
            timeframe, start, end = query["timeframe"], int(query["from"]), int(query["to"])
        candles = [
            candle for at, candle in sorted(self.market.candles(timeframe).items()) if start <= at < end]
        rows = [self.form(candle, timeframe) for candle in candles]
        body = json.dumps(rows).encode()
        if self.fault:
            changed = self.fault(len(self.requests), rows, body)
            if changed:
                return changed
        return 200, body


def wait_for_whole_seconds(count=1):
    """Until so many whole seconds of the wall clock have passed, and their grace."""
    time.sleep(count)
