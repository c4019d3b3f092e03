"""Presets with a history source: what a disconnect lost is filled from candles in the venue's own words."""

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from support.waiting import eventually, wall_ms

SECOND = 1_000


def okx(query):
    """Newest first, both ends exclusive; the last one is still forming."""
    asked = range(int(query["before"][0]) // SECOND * SECOND + SECOND, int(query["after"][0]), SECOND)
    rows = [[str(at), "7", "9", "6", "8", "2.5", "2.5", "20", "1" if at + SECOND <= wall_ms() else "0"] for at in asked]
    return {"code": "0", "msg": "", "data": rows[::-1]}


@pytest.fixture
def source():
    """An HTTP server that keeps what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            parts = urllib.parse.urlsplit(self.path)
            asked.append((parts.path, urllib.parse.parse_qs(parts.query)))
            body = json.dumps(okx(asked[-1][1])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = asked
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def test_what_a_disconnect_lost_is_filled_from_the_venues_candles(make_daemon, exchange, source):
    entry = {
        "name": "f", "preset": "okx", "url": exchange.url("/venue"),
        "symbols": [{"venue": "btc-usdt", "name": "BTCUSDT"}],
        "history": {"url": f"http://127.0.0.1:{source.server_port}/candles", "format": "okx"}}
    daemon = make_daemon({"feeds": [entry], "timeframes": ["S1"]}).start().wait_ready()

    def trade(number):
        return json.dumps({"arg": {"channel": "trades", "instId": "BTC-USDT"}, "data": [{
            "instId": "BTC-USDT", "tradeId": str(number), "px": "7", "sz": "1", "side": "buy", "ts": str(wall_ms())}]})

    exchange.connection("/venue").send(trade(1))
    eventually(lambda: daemon.accepted() == 1, "the trade")
    exchange.shut()
    # Two whole seconds without the venue.
    until = wall_ms() + 3 * SECOND
    eventually(lambda: wall_ms() > until, "the time that is lost")
    exchange.open()
    exchange.connection("/venue", number=2).send(trade(2))

    def filled():
        return [c for c in daemon.candles("BTCUSDT", "S1", indicators=0) if c["origin"] == "history"]

    eventually(lambda: len(filled()) >= 2, "filled candles")
    for candle in filled():
        assert [str(candle[key]) for key in ("open", "high", "low", "close", "volume", "turnover")] == [
            "7", "9", "6", "8", "2.5", "20"]
        assert candle["complete"] and candle["ticks"] is None and candle["taker_buy_volume"] is None
    path, query = source.asked[0]
    assert (path, query["instId"], query["bar"]) == ("/candles", ["BTC-USDT"], ["1s"])
