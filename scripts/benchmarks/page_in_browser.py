"""usage: page_in_browser.py URL CANDLES: one round with the live page, as a line of JSON; started by page.py."""

import json
import statistics
import sys
import time

from playwright.sync_api import sync_playwright

#: Seconds of dragging.
DRAG = 3.0

COUNT_FRAMES = """() => { const times = []; let on = true;
  const frame = (time) => { times.push(time); if (on) requestAnimationFrame(frame); };
  requestAnimationFrame(frame); globalThis.stopFrames = () => { on = false; return times; }; }"""


def wait(check, seconds=60):
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            raise TimeoutError("the page did not get there")
        time.sleep(0.01)


def painted(page):
    return page.evaluate("() => performance.getEntriesByName('candled:painted')[0]?.startTime ?? null")


def load(browser, url):
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(url)
    wait(lambda: painted(page) is not None)
    return page


def drag(page):
    """Frames a second while a pointer drags the chart to and fro, and how long the slower ones took."""
    box = page.locator("#chart").bounding_box()
    y = box["y"] + 200
    page.mouse.move(box["x"] + 300, y)
    page.evaluate(COUNT_FRAMES)
    page.mouse.down()
    end = time.monotonic() + DRAG
    step = 0
    while time.monotonic() < end:
        step += 1
        way = step * 12 % 1600
        page.mouse.move(box["x"] + 300 + (way if way < 800 else 1600 - way), y)
    times = page.evaluate("() => stopFrames()")
    page.mouse.up()
    lengths = [after - before for before, after in zip(times, times[1:])]
    return {
        "frames": 1000 * len(lengths) / (times[-1] - times[0]), "slow": statistics.quantiles(lengths, n=20)[-1],
    }


def main(url, candles):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        # The browser's own start is not the page's.
        load(browser, url).close()
        page = load(browser, url)
        figures = {"paint": painted(page)}

        def all_loaded():
            page.keyboard.press("Home")
            return page.evaluate("() => candled.candles().length") >= candles

        wait(all_loaded)
        page.keyboard.press("End")
        # To the middle of what is loaded, so that both directions have candles.
        for _ in range(200):
            page.keyboard.press("Shift+ArrowLeft")
        figures["near"] = drag(page)
        for _ in range(12):
            page.keyboard.press("-")
        figures["far"] = drag(page)
        browser.close()
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
