"""KLineChart itself, version 10 in a headless browser, by the script of docs/clients/klinecharts.md."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from support.browser import browser
from support.model import MINUTE
from support.paths import ROOT
from support.waiting import PATIENCE, eventually, wall_ms

BY_TICK = {"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}


@pytest.fixture
def chart_script():
    found = importlib.util.find_spec("dash_kline_charts")
    if found is None:
        pytest.skip("dash-kline-charts, which holds KLineChart, is not installed")
    return Path(found.origin).parent / "klinecharts.min.js"


def documented(port):
    text = (ROOT / "docs" / "clients" / "klinecharts.md").read_text()
    (code,) = re.findall(r"^```js\n(.*?)^```$", text, re.S | re.M)
    return code.replace("127.0.0.1:8787", f"127.0.0.1:{port}").replace("// chart.", "chart.")


def test_the_chart_shows_history_and_stream(feed_daemon, chart_script):
    feed = feed_daemon(BY_TICK, symbol="BTCUSDT")
    daemon = feed.daemon
    at = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
    feed.ticks(*[f"{at + n * MINUTE},{100 + n % 9}.5,1.25" for n in range(700)])
    eventually(lambda: len(daemon.candles("BTCUSDT", "M1", limit=1000)) == 699, "699 candles")
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1400, "height": 700})
        page.set_default_timeout(PATIENCE * 1000)
        failures = []
        page.on("pageerror", lambda error: failures.append(error))
        page.goto(f"http://127.0.0.1:{daemon.port}/healthz")
        page.add_script_tag(path=chart_script)
        assert page.evaluate("klinecharts.version()").startswith("10.")
        page.evaluate("""() => {
          document.body.innerHTML = '<div id="box" style="width: 1300px; height: 600px"></div>'
          window.chart = klinecharts.init('box')
        }""")
        page.evaluate(f"async () => {{ {documented(daemon.port)}; window.whenOpen = () => socket?.readyState === 1 }}")
        page.wait_for_function("chart.getDataList().length >= 500 && whenOpen()")
        feed.ticks(f"{at + 700 * MINUTE},77.75,1", f"{at + 701 * MINUTE},78.75,1")
        page.wait_for_function("chart.getDataList().at(-1).close === 78.75")
        shown = page.evaluate("chart.getDataList()")
        newest = daemon.get("/v1/candles", symbol="BTCUSDT", timeframe="M1", format="klinecharts", forming=1, limit=10_000)
        expected = json.loads(newest.text)[-len(shown):]
        assert len(shown) >= 502 and shown == expected
        assert {"ma5", "macd_dif", "turnover"} <= set(shown[-1])
        # At the left edge the chart asks for what is older, until there is nothing.
        page.evaluate("chart.scrollToDataIndex(0)")
        page.wait_for_function("chart.getDataList().length === 702")
        assert failures == []
