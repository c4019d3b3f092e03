"""The live page of a daemon in a browser, and what it must never do: complain, or ask another host."""

import json
import math
from urllib.parse import urlsplit

from .waiting import eventually

#: Colours of rising and falling candles on the canvas, from the page's styles.
COLORS = {"dark": {"green": "#2bb389", "red": "#ec5b6d"}, "light": {"green": "#0b8f67", "red": "#d63d52"}}


class ChartPage:
    def __init__(self, browser, daemon, series="", **context):
        self.daemon = daemon
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **context})
        self.page = self.context.new_page()
        self.problems = []
        self.strangers = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._seen(request.url))
        self.page.on("websocket", lambda socket: self._seen(socket.url))
        self.page.goto(f"http://127.0.0.1:{daemon.port}/{series}")

    def _said(self, message):
        # The tests read the canvas back, which the browser finds slow.
        if message.type in ("error", "warning") and "willReadFrequently" not in message.text:
            self.problems.append(message.text)

    def _seen(self, url):
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.strangers.append(url)

    def ask(self, script, argument=None):
        return self.page.evaluate(script, argument)

    # What it shows

    @property
    def state(self):
        return self.page.get_attribute("#status", "data-state")

    def wait_live(self):
        eventually(lambda: self.state == "live", "a live page")
        return self

    @property
    def candles(self):
        # As text: the browser driver takes a second for a few thousand objects.
        return json.loads(self.ask("() => JSON.stringify(candled.candles())"))

    @property
    def count(self):
        return self.ask("() => candled.candles().length")

    @property
    def legend(self):
        """Numbers of the legend by key, and the open time they are of."""
        return self.ask(
            """() => { const legend = document.querySelector('#legend'); const found = { time: Number(legend.dataset.time) };
            for (const part of legend.querySelectorAll('[data-key]')) found[part.dataset.key] = Number(part.textContent);
            return found; }""")

    def wait_same(self, symbol, timeframe, count=None):
        """Waits until the chart holds exactly the candles that the daemon has (at least `count`), and returns them."""
        seen = {}

        def same():
            shown = self.candles
            text = self.daemon.get(
                "/v1/candles", symbol=symbol, timeframe=timeframe, limit=max(1, len(shown)), forming=1).text
            # The limit counts closed candles; the chart may hold one that forms.
            served = json.loads(text)["candles"][-len(shown):] if shown else []
            seen["difference"] = difference(shown, served)
            return len(shown) >= (count or 1) and seen["difference"] is None and shown

        try:
            return eventually(same, "the daemon's candles on the chart", interval=0.1)
        except AssertionError as error:
            raise AssertionError(f"{error}: {seen}") from None

    def pixels(self, colors, tolerance=0, opacity=(128, 255)):
        """How many pixels of the chart have each of the colours, up to a tolerance a channel, and such an opacity."""
        return self.ask(
            """([colors, tolerance, [least, most]]) => { const near = (a, b) => Math.abs(a - b) <= tolerance; const wanted = colors.map((c) => [1, 3, 5].map((at) => parseInt(c.slice(at, at + 2), 16)));
            const counts = colors.map(() => 0);
            for (const canvas of document.querySelectorAll('#chart canvas')) {
              const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
              for (let at = 0; at < data.length; at += 4) {
                wanted.forEach(([r, g, b], index) => {
                  if (near(data[at], r) && near(data[at + 1], g) && near(data[at + 2], b) 
                    && data[at + 3] >= least && data[at + 3] <= most) counts[index] += 1;
                });
              }
            }
            return counts; }""", [colors, tolerance, list(opacity)])

    def middle(self):
        """The middle of the candles on the screen."""
        box = self.page.locator("#chart").bounding_box()
        return box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.25

    def check(self):
        """Holds at the end of every test."""
        assert not self.problems, self.problems
        assert not self.strangers, self.strangers

    def close(self):
        self.context.close()


def difference(shown, served):
    """None where both are the same: all to the digit, indicators to what is left of the history they started from."""
    if len(shown) != len(served):
        return f"{len(shown)} candles shown, {len(served)} served"
    for one, other in zip(shown, served):
        values = one.get("indicators") or {}, other.get("indicators") or {}
        if {**one, "indicators": None} != {**other, "indicators": None}:
            return f"{one} shown, {other} served"
        if values[0].keys() != values[1].keys():
            return f"{values} at {one['open_time']}"
        for key in values[0]:
            a, b = values[0][key], values[1][key]
            if (a is None) != (b is None) or (a is not None and not math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)):
                return f"{key} at {one['open_time']}: {a} shown, {b} served"
    return None
