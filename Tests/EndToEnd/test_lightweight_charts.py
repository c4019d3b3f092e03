"""lightweight-charts itself, version 5 in a headless browser, takes histories and streams (contract, section 7)."""

import functools
import http.server
import importlib.util
import threading
from pathlib import Path

import pytest

from support.browser import browser
from support.model import MINUTE
from support.waiting import PATIENCE, eventually, wall_ms

BY_TICK = {"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}

#: As in docs/clients/lightweight-charts.md.
PAGE = """
async ([address, format, kind, corrections]) => {
  const chart = LightweightCharts.createChart(document.body, { width: 600, height: 300 })
  const series = chart.addSeries(LightweightCharts[kind])
  const load = async () => {
    const bars = await (await fetch(`http://${address}/v1/candles?symbol=BTCUSDT&timeframe=M1&format=${format}&forming=1`)).json()
    series.setData(bars)
    return bars.length ? bars[bars.length - 1].time : 0
  }
  let last = await load()
  window.got = []
  window.errors = []
  const socket = new WebSocket(`ws://${address}/v1/stream?format=${format}&topic=candle.M1.BTCUSDT${corrections}`)
  socket.onmessage = event => {
    const bar = JSON.parse(event.data)
    window.got.push(bar)
    try {
      series.update(bar, bar.time < last)
    } catch (error) {
      window.errors.push(String(error))
    }
    last = Math.max(last, bar.time)
  }
  window.bars = () => series.data()
  await new Promise(resolve => { socket.onopen = resolve })
}
"""


@pytest.fixture(scope="module")
def script():
    found = importlib.util.find_spec("akquant_lwc")
    if found is None:
        pytest.skip("akquant-lwc, which holds lightweight-charts, is not installed")
    return Path(found.origin).parent / "assets" / "lightweight-charts.standalone.production.js"


@pytest.fixture(scope="module")
def chromium():
    with browser() as running:
        yield running


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """Another origin than the daemon's, where the user's page is."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "index.html").write_text("<!doctype html><title>chart</title>")
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(chromium, script, origin):
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(origin)
    page.add_script_tag(path=script)
    assert page.evaluate("LightweightCharts.version()").startswith("5.")
    yield page
    page.close()


@pytest.mark.parametrize("format, kind, field", [("lightweight", "CandlestickSeries", "close"), ("line", "LineSeries", "value")])
@pytest.mark.parametrize("corrections", ["", "&corrections=1"])
def test_the_chart_takes_everything(feed_daemon, page, format, kind, field, corrections):
    feed = feed_daemon(BY_TICK, symbol="BTCUSDT")
    daemon = feed.daemon
    at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
    feed.ticks(*[f"{at + n * MINUTE},{100 + n}.5,1" for n in range(31)])
    eventually(lambda: len(daemon.candles("BTCUSDT", "M1")) == 30, "30 candles")
    page.evaluate(PAGE, [f"127.0.0.1:{daemon.port}", format, kind, corrections])
    assert page.evaluate("bars().length") == 31

    def newest(minute):
        page.wait_for_function("time => got.some(bar => bar.time === time)", arg=(at + minute * MINUTE) // 1000)

    feed.ticks(f"{at + 30 * MINUTE + 20_000},77.25,2")
    newest(30)
    feed.ticks(f"{at + 31 * MINUTE},50.25,2")
    # What is older than the newest bar that the chart was sent is left out.
    newest(31)
    # Late ticks: of an old candle, of the last closed one, and one that all later candles have passed.
    feed.ticks(f"{at + 10 * MINUTE + 30_000},500.75,3")
    feed.ticks(f"{at + 30 * MINUTE + 40_000},400.75,3")
    feed.ticks(f"{at + 32 * MINUTE},51.25,2", f"{at + 33 * MINUTE},52.25,2")
    newest(33)
    assert page.evaluate("errors") == []
    bars = page.evaluate("bars()")
    candles = daemon.candles("BTCUSDT", "M1", forming=1)
    assert [bar["time"] for bar in bars] == [candle["open_time"] // 1000 for candle in candles]
    different = [
        n for n, (bar, candle) in enumerate(zip(bars, candles)) if bar[field] != float(candle["close"])]
    assert different == ([] if corrections else [10, 30])
    if corrections and format == "lightweight":
        for bar, candle in zip(bars, candles):
            assert all(bar[key] == float(candle[key]) for key in ("open", "high", "low", "close"))


def test_a_candle_that_is_new_between_older_ones_comes_with_the_next_history(feed_daemon, page):
    """A late tick where there was no candle: the chart would throw on a new bar between two others."""
    feed = feed_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": "none"}}, symbol="BTCUSDT")
    at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
    feed.ticks(*[f"{at + n * MINUTE},{100 + n}.5,1" for n in (0, 1, 2, 5, 6)])
    eventually(lambda: len(feed.daemon.candles("BTCUSDT", "M1")) == 4, "4 candles")
    page.evaluate(PAGE, [f"127.0.0.1:{feed.daemon.port}", "lightweight", "CandlestickSeries", "&corrections=1"])
    feed.ticks(f"{at + 3 * MINUTE},55.5,1")
    feed.ticks(f"{at + 3 * MINUTE + 1_000},56.5,1")
    feed.ticks(f"{at + 1 * MINUTE + 30_000},33.5,1")
    page.wait_for_function("time => got.some(bar => bar.time === time && bar.close === 33.5)", arg=(at + MINUTE) // 1000)
    assert page.evaluate("errors") == [] and page.evaluate("bars().length") == 5
    page.evaluate(PAGE, [f"127.0.0.1:{feed.daemon.port}", "lightweight", "CandlestickSeries", "&corrections=1"])
    assert page.evaluate("bars().length") == 6 and page.evaluate("bars()[3].close") == 56.5
