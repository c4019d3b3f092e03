"""What docs/clients shows runs as it stands there, against a daemon at another address."""

import re
import subprocess
import sys

import pytest

from support.browser import browser
from support.paths import ROOT
from support.waiting import PATIENCE, eventually, wall_ms

#: The daemon of the documents, and one that others may run.
ADDRESS = "127.0.0.1:8787"


def blocks(page, language):
    text = (ROOT / "docs" / "clients" / f"{page}.md").read_text()
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)
    assert found, f"{page} shows no {language}"
    return found


@pytest.fixture
def lively(feed_daemon):
    """A daemon whose feed goes on while a block runs, and its address."""
    feed = feed_daemon({"stream": {"forming_interval": 0}}, symbol="BTCUSDT")
    now = wall_ms()
    for n in (2, 1, 0):
        feed.ticks(f"{now - n * 10_000},{100 + n}.25,1.5")

    def tick():
        feed.send(f"{wall_ms()},101.5,0.25")

    return feed.daemon, tick


@pytest.mark.parametrize("page, number, module", [("binance", 0, "binance"), ("binance", 1, "ccxt"), ("csv", 0, "csv")])
def test_python(lively, page, number, module):
    pytest.importorskip(module, reason=f"{module} is not installed")
    daemon, tick = lively
    code = blocks(page, "python")[number].replace(ADDRESS, f"127.0.0.1:{daemon.port}")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        def ended():
            tick()
            return process.poll() is not None

        eventually(ended, "the end of the program", timeout=PATIENCE * 2, interval=0.1)
        output = process.stdout.read()
    finally:
        process.kill()
    assert process.returncode == 0, output
    assert page == "csv" or "101.5" in output, output


@pytest.mark.parametrize("page", ["tradingview", "zxkline", "rhlineplot"])
def test_shell(lively, page):
    daemon, _ = lively
    for block in blocks(page, "sh"):
        for line in block.strip().splitlines():
            done = subprocess.run(
                ["bash", "-c", line.replace("curl ", "curl --fail ").replace(ADDRESS, f"127.0.0.1:{daemon.port}")],
                capture_output=True, text=True, timeout=PATIENCE)
            assert done.returncode == 0 and done.stdout and "error" not in done.stdout, (line, done)


@pytest.mark.parametrize("page, made", [("kline-view", "modelArray"), ("klinecharts", "bars")])
def test_script(lively, page, made):
    """In a browser, where `fetch` and `WebSocket` are; what is the chart's own stands in comments there."""
    daemon, tick = lively
    (code,) = blocks(page, "js")
    if page == "klinecharts":
        code += """
          const bars = []
          await new Promise(done => loader.getBars({ type: 'init', callback: all => { bars.push(...all); done() } }))
          const older = await new Promise(done => loader.getBars({ type: 'forward', timestamp: bars[0].timestamp, callback: done }))
          if (older.length) throw new Error('older than the first')
          loader.subscribeBar({ callback: bar => { bars.push(bar) } })
        """
    code += f"\nwindow.closes = () => {made}.map(bar => bar.close)"
    with browser() as chromium:
        window = chromium.new_page()
        window.goto(f"http://127.0.0.1:{daemon.port}/healthz")
        failures = []
        window.on("pageerror", lambda error: failures.append(error))
        window.evaluate(f"async () => {{ {code.replace(ADDRESS, f'127.0.0.1:{daemon.port}')} }}")
        assert window.evaluate("closes()")[-1] == 100.25

        def has_newest():
            tick()
            return window.evaluate("closes()")[-1] == 101.5

        eventually(has_newest, "a tick in the chart's data", interval=0.1)
        assert failures == []


def test_the_script_for_lightweight_charts_is_the_one_that_is_tested():
    (code,) = blocks("lightweight-charts", "js")
    tested = (ROOT / "Tests" / "EndToEnd" / "test_lightweight_charts.py").read_text()
    for line in ("series.setData(bars)", "last = Math.max(last, bar.time)"):
        assert line in code and line in tested
    assert "series.update(bar, bar.time < last)" in code and "series.update(bar, bar.time < last)" in tested
