"""The live page in a browser: what it shows is what the daemon has (contract, section 9)."""

import json
import math
import os
import random
import re
import signal

import pytest

from support.browser import CHROMIUM, browser
from support.chart import COLORS, ChartPage
from support.daemon import candled
from support.model import MINUTE
from support.paths import ROOT
from support.producer import Producer
from support.waiting import eventually

pytestmark = pytest.mark.skipif(not os.path.exists(CHROMIUM), reason="chromium is missing: scripts/setup --tests")

#: Ticks settle, not the clock: what a test sees does not hang on when it looks.
BY_TICK = {"clock": {"source": "feed"}, "indicators": {"ema": [12]}, "settlement": {"grace": "1m"}}
START = 1_700_006_400_000


@pytest.fixture(scope="module")
def chromium():
    with browser() as launched:
        yield launched


@pytest.fixture
def open_page(chromium):
    """Opens pages of daemons; each is checked for complaints and for requests to other hosts at the end."""
    made = []

    def make(daemon, series="", **context):
        made.append(ChartPage(chromium, daemon, series, **context))
        return made[-1]

    yield make
    for page in made:
        page.close()
    for page in made:
        page.check()


def walk(minutes, start=START, price=100.0, seed=5):
    """Lines of a random walk, two ticks a minute."""
    dice = random.Random(seed)
    lines = []
    for minute in range(minutes):
        for second in (5, 40):
            price = max(1, price + dice.gauss(0, 0.4))
            lines.append(f"{start + minute * MINUTE + second * 1000},{price:.2f},{dice.random():.3f}")
    return lines


@pytest.fixture
def charted(feed_daemon, open_page):
    """A daemon with an hour of candles, and its page."""
    feed = feed_daemon(BY_TICK)
    feed.ticks(*walk(60))
    page = open_page(feed.daemon).wait_live()
    page.wait_same("TEST", "M1", 60)
    return feed, page


def test_the_chart_holds_what_the_daemon_has_while_ticks_come(charted):
    feed, page = charted
    assert page.ask("() => [candled.symbol, candled.timeframe]") == ["TEST", "M1"]
    for minute in range(60, 64):
        feed.ticks(*walk(1, START + minute * MINUTE, seed=minute))
        candles = page.wait_same("TEST", "M1", minute + 1)
        assert candles[-1]["state"] == "forming" and candles[-2]["state"] == "closed"
        eventually(lambda: page.legend["time"] == candles[-1]["open_time"], "the newest candle in the legend")
    assert float(page.page.text_content("#price")) == candles[-1]["close"]
    assert "TEST" in page.page.title()


def test_the_page_leaves_one_name_in_the_global_scope(charted):
    feed, page = charted
    plain = page.context.new_page()
    plain.goto(f"http://127.0.0.1:{feed.daemon.port}/healthz")
    before = set(plain.evaluate("() => Object.getOwnPropertyNames(window)"))
    assert set(page.ask("() => Object.getOwnPropertyNames(window)")) - before == {"candled"}


def test_symbol_and_timeframe_are_switched(make_daemon, open_page):
    daemon = make_daemon(BY_TICK).start()
    producer = Producer(daemon.port, "", "?ack=1")
    lines = [f"{symbol},{line}" for line in walk(40) for symbol in ("AAA-USD", "BBB/USD")]
    producer.send("\n".join(lines))
    producer.ack(1)
    page = open_page(daemon).wait_live()
    page.wait_same("AAA-USD", "M1", 40)
    page.page.select_option("#symbol", "BBB/USD")
    page.wait_live().wait_same("BBB/USD", "M1", 40)
    page.page.click('#timeframe [data-value="M5"]')
    page.wait_live().wait_same("BBB/USD", "M5", 8)
    assert page.ask("() => [candled.symbol, candled.timeframe]") == ["BBB/USD", "M5"]
    # By the keyboard: search, then the third timeframe.
    page.page.keyboard.press("/")
    page.page.keyboard.type("aausd")
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("3")
    page.wait_live().wait_same("AAA-USD", "M15", 3)
    # The choice is there again after loading.
    page.page.reload()
    page.wait_live().wait_same("AAA-USD", "M15", 3)
    producer.close()


def panes(page):
    """Charts above one another, the candles' one and the time axis among them."""
    return page.ask("() => document.querySelectorAll('#chart > div > div').length")


def test_indicators_are_chosen_and_several_below_at_once(charted):
    _, page = charted
    for value in ("EMA", "BOLL", "none", "MA"):
        page.page.click(f'#main [data-value="{value}"]')
        assert page.page.get_attribute(f'#main [data-value="{value}"]', "aria-pressed") == "true"
    page.page.click('#sub [data-value="none"]')
    eventually(lambda: page.ask("() => document.querySelectorAll('#sub [aria-pressed=true]').length") == 1, "none")
    before = panes(page)
    for number, value in enumerate(("MACD", "KDJ", "RSI", "WR"), 1):
        page.page.click(f'#sub [data-value="{value}"]')
        # Each comes with a separator.
        eventually(lambda number=number: panes(page) == before + 2 * number, f"{number} charts below")
    page.page.click('#sub [data-value="none"]')
    eventually(lambda: panes(page) == before, "no chart below")
    page.page.click("#volume")
    eventually(lambda: panes(page) == before - 2, "no volume")


def test_the_values_that_are_drawn_are_the_daemons(charted):
    _, page = charted
    # The colour of the first line: the average of MA5 is drawn where the daemon has values, and gone with its choice.
    line = "#e8b04a" if page.ask("() => document.documentElement.dataset.theme") == "dark" else "#c98a12"
    page.page.click('#sub [data-value="none"]')
    page.page.click("#volume")
    page.page.click('#main [data-value="MA"]')
    eventually(lambda: page.pixels([line])[0] > 50, "a line of MA5")
    page.page.click('#main [data-value="none"]')
    eventually(lambda: page.pixels([line])[0] == 0, "no line")


def test_an_indicator_that_the_daemon_does_not_compute_says_so(feed_daemon, open_page):
    feed = feed_daemon({**BY_TICK, "indicators": {"ema": [], "macd": None}})
    feed.ticks(*walk(3))
    page = open_page(feed.daemon).wait_live()
    page.wait_same("TEST", "M1", 3)
    for part in ("#main [data-value=EMA]", "#sub [data-value=MACD]"):
        eventually(lambda part=part: page.page.get_attribute(part, "aria-disabled") == "true", part)
    page.page.dispatch_event("#main [data-value=EMA]", "click")
    assert "indicators.ema" in page.page.text_content("#notice")


def test_the_legend_follows_the_crosshair_and_the_arrow_keys(charted):
    _, page = charted
    candles = {candle["open_time"]: candle for candle in page.candles}
    newest = max(candles)

    def is_legend_of(time):
        candle, legend = candles[time], page.legend
        return all(legend[key] == candle[name] for key, name in [
            ("open", "open"), ("high", "high"), ("low", "low"), ("closing", "close"), ("vol", "volume")])

    assert page.legend["time"] == newest and is_legend_of(newest)
    page.page.mouse.move(*page.middle())
    pointed = eventually(lambda: page.legend["time"] != newest and page.legend["time"], "another candle in the legend")
    assert is_legend_of(pointed)
    page.page.mouse.move(700, 10)
    eventually(lambda: page.legend["time"] == newest, "the newest again")
    page.page.locator("#chart > div").focus()
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("ArrowLeft")
    eventually(lambda: page.legend["time"] == newest - MINUTE, "the candle before")
    assert is_legend_of(newest - MINUTE)
    page.page.keyboard.press("Escape")
    eventually(lambda: page.legend["time"] == newest, "the newest again")


def test_a_closed_candle_is_told_in_words(charted):
    feed, page = charted
    feed.ticks(f"{START + 60 * MINUTE},222.25,1")
    closed = page.wait_same("TEST", "M1", 61)[-2]
    said = eventually(
        lambda: re.search(r"close ([\d.]+), volume ([\d.]+)", page.page.text_content("#summary")), "a summary")
    eventually(lambda: float(re.search(r"close ([\d.]+)", page.page.text_content("#summary"))[1]) == closed["close"], said)
    assert page.page.get_attribute("#summary", "aria-live") == "polite"


@pytest.fixture
def long_daemon(make_daemon):
    """A daemon on a database of 2,600 candles."""
    daemon = make_daemon({"clock": {"source": "feed"}})
    (daemon.folder / "ticks.csv").write_text("\n".join(walk(2600)) + "\n")
    done = candled("replay", "--db", daemon.database, "--symbol", "TEST", daemon.folder / "ticks.csv")
    assert done.code == 0, done.error
    return daemon.start()


def test_older_candles_come_at_the_left_edge_and_the_view_stays_there(long_daemon, open_page):
    page = open_page(long_daemon).wait_live()
    page.wait_same("TEST", "M1", 500)
    assert len(page.candles) <= 501

    def reached():
        page.page.keyboard.press("Home")
        return page.count >= 2600

    eventually(reached, "all candles", interval=0.2)
    page.wait_same("TEST", "M1", 2600)
    # Who looks at old candles is not pulled away by new ones, and is brought back by a key.
    eventually(lambda: page.page.is_visible("#newest"), "the way back")
    producer = Producer(long_daemon.port, "/TEST", "?ack=1")
    producer.send("\n".join(walk(3, START + 2600 * MINUTE)))
    producer.ack(1)
    page.wait_same("TEST", "M1", 2602)
    assert page.page.is_visible("#newest")
    page.page.keyboard.press("End")
    eventually(lambda: not page.page.is_visible("#newest"), "the newest candle in sight")
    producer.send("\n".join(walk(2, START + 2603 * MINUTE)))
    producer.ack(2)
    page.wait_same("TEST", "M1", 2604)
    assert not page.page.is_visible("#newest")
    producer.close()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_the_page_goes_on_after_a_restart_of_the_daemon(charted, sign):
    feed, page = charted
    port = feed.daemon.port
    feed.daemon.stop(sign)
    eventually(lambda: page.state != "live", "a page that is not live")
    feed.daemon.configuration["listen"] = f"127.0.0.1:{port}"
    number = len(feed.exchange.of())
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=number + 1)
    feed.ticks(*walk(5, START + 70 * MINUTE, seed=9))
    page.wait_live()
    page.wait_same("TEST", "M1", 60)
    times = [candle["open_time"] for candle in page.candles]
    assert times == sorted(set(times)) and times[0] == START
    # Refused connections are written to the console by the browser itself.
    page.problems = [text for text in page.problems if not re.search("ERR_CONNECTION|WebSocket", text)]


def test_another_database_is_loaded_from_the_start(charted):
    feed, page = charted
    port = feed.daemon.port
    feed.daemon.stop()
    feed.daemon.configuration.update(listen=f"127.0.0.1:{port}", database="other.db")
    number = len(feed.exchange.of())
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=number + 1)
    feed.ticks(*walk(5, START + 300 * MINUTE, price=500))
    page.wait_live()
    assert page.wait_same("TEST", "M1", 5)[0]["open_time"] == START + 300 * MINUTE
    page.problems = [text for text in page.problems if not re.search("ERR_CONNECTION|WebSocket", text)]


def test_a_machine_that_slept_connects_anew(charted):
    feed, page = charted
    sockets = []
    page.page.on("websocket", lambda socket: sockets.append(socket.url))
    page.ask("() => { const now = Date.now; Date.now = () => now() + 120_000; }")
    eventually(lambda: page.ask("() => 1") and sockets, "another connection")
    feed.ticks(*walk(2, START + 60 * MINUTE))
    page.wait_live().wait_same("TEST", "M1", 62)


def test_a_timeframe_that_is_gone_after_a_restart_makes_place_for_another(charted):
    feed, page = charted
    feed.daemon.configuration.update(listen=f"127.0.0.1:{feed.daemon.port}", timeframes=["M5", "M15"])
    feed.daemon.stop()
    feed.daemon.start().wait_ready()
    eventually(lambda: page.ask("() => candled.timeframe") == "M5", "the next timeframe")
    page.wait_live().wait_same("TEST", "M5", 12)
    # The daemon's refusal is a warning in the console.
    page.problems = [text for text in page.problems if not re.search("ERR_CONNECTION|WebSocket|bad_topic", text)]


def test_an_older_candle_is_corrected_in_place(feed_daemon, open_page):
    feed = feed_daemon({**BY_TICK, "settlement": {"grace": "1m", "correction_window": "1h"}})
    feed.ticks(*walk(30))
    page = open_page(feed.daemon).wait_live()
    page.wait_same("TEST", "M1", 30)
    late = START + 20 * MINUTE
    feed.ticks(f"{late + 10_000},150,7")
    eventually(
        lambda: next(c for c in page.candles if c["open_time"] == late)["high"] == 150, "the late tick on the chart")
    candles = page.wait_same("TEST", "M1", 30)
    assert next(c for c in candles if c["open_time"] == late)["revision"] == 1
    # On the canvas: the mark of a corrected candle.
    amber = "#e0a63a" if page.ask("() => document.documentElement.dataset.theme") == "dark" else "#b7791f"
    eventually(lambda: page.pixels([amber])[0] > 10, "the mark of a corrected candle")


def test_a_candle_that_comes_late_is_put_between(feed_daemon, open_page):
    feed = feed_daemon(
        {**BY_TICK, "settlement": {"grace": "1m", "correction_window": "1h", "empty_candles": "none"}})
    feed.ticks(*walk(10), *walk(10, START + 15 * MINUTE))
    page = open_page(feed.daemon).wait_live()
    assert len(page.wait_same("TEST", "M1", 20)) == 20
    feed.ticks(f"{START + 12 * MINUTE},99,1")
    assert page.wait_same("TEST", "M1", 21)[10]["open_time"] == START + 12 * MINUTE


def test_a_gap_is_shaded(charted):
    feed, page = charted
    amber = "#e0a63a" if page.ask("() => document.documentElement.dataset.theme") == "dark" else "#b7791f"

    def shaded():
        # A tenth of the colour, painted behind everything.
        return page.pixels([amber], tolerance=12, opacity=(20, 32))[0]

    assert shaded() == 0
    number = len(feed.exchange.of())
    feed.connection.drop()
    feed.exchange.connection(number=number + 1)
    feed.ticks(*walk(5, START + 65 * MINUTE, seed=3))
    eventually(lambda: shaded() > 1000, "a shaded strip")
    page.wait_same("TEST", "M1", 61)
    eventually(lambda: len(json.loads(feed.daemon.get("/v1/gaps", symbol="TEST").text)["gaps"]) >= 1, "a gap")
    page.page.click("#status")
    eventually(lambda: "disconnect" in page.page.text_content("#panel-body"), "the gap in the status view")
    assert "connected" in page.page.text_content("#panel-body")


def test_a_reload_reads_the_range_again(charted, chromium):
    feed, _ = charted
    sockets = []

    def pass_on(socket):
        sockets.append(socket)
        socket.connect_to_server()

    context = chromium.new_context()
    tab = context.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.route_web_socket(re.compile("/v1/stream"), pass_on)
    tab.goto(f"http://127.0.0.1:{feed.daemon.port}/")
    eventually(lambda: tab.evaluate("() => candled.candles().length") >= 60, "candles")
    start = START + 30 * MINUTE
    sockets[0].send(json.dumps({"type": "reload", "topic": "candle.M1.TEST", "from": start, "version": 1}))
    # The events of the tab come while it is talked to.
    eventually(lambda: tab.evaluate("1") and [url for url in asked if f"from={start}" in url], "the range is asked for")
    context.close()


def test_on_a_phone_everything_is_in_reach_and_touch_works(feed_daemon, open_page):
    feed = feed_daemon(BY_TICK)
    feed.ticks(*walk(200))
    page = open_page(feed.daemon, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).wait_live()
    page.wait_same("TEST", "M1", 200)
    assert page.ask("() => document.documentElement.scrollWidth") <= 390
    for hook in ("#chart", "#symbol", "#timeframe", "#main", "#sub", "#legend", "#status"):
        assert page.page.is_visible(hook), hook
    newest = page.legend["time"]
    page.page.touchscreen.tap(*page.middle())
    pointed = eventually(lambda: page.legend["time"] != newest and page.legend["time"], "a candle under the finger")
    candle = next(candle for candle in page.candles if candle["open_time"] == pointed)
    assert page.legend["closing"] == candle["close"]
    for part in ('#timeframe [data-value="M5"]', '#sub [data-value="WR"]', "#volume"):
        page.page.tap(part)
    page.wait_live().wait_same("TEST", "M5", 40)
    swipe(page, 250)
    eventually(lambda: page.page.is_visible("#newest"), "older candles after a swipe")


def swipe(page, distance):
    """A finger on the chart moves to the right."""
    tools = page.context.new_cdp_session(page.page)
    x, y = page.middle()
    x -= 100

    def touch(kind, *points):
        tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at, "y": y} for at in points]})

    touch("touchStart", x)
    for step in range(1, 11):
        touch("touchMove", x + distance * step / 10)
    touch("touchEnd")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_theme_and_language_follow_the_system_and_red_rises_in_chinese(feed_daemon, open_page, theme, language):
    feed = feed_daemon(BY_TICK)
    # Rising candles only.
    feed.ticks(*[f"{START + n * MINUTE + s * 30_000},{100 + 2 * n + s},1" for n in range(40) for s in (0, 1)])
    page = open_page(feed.daemon, color_scheme=theme, locale=language).wait_live()
    page.wait_same("TEST", "M1", 40)
    page.page.click('#main [data-value="none"]')
    up, down = ("red", "green") if language == "zh-CN" else ("green", "red")
    colors = COLORS[theme]
    eventually(lambda: page.pixels([colors[up]])[0] > 200, f"{up} candles")
    page.page.click('#sub [data-value="none"]')
    eventually(lambda: page.pixels([colors[down]])[0] == 0, f"nothing {down}")
    assert page.page.text_content("#status") == ("实时" if language == "zh-CN" else "live")
    assert page.ask("() => document.documentElement.lang") == ("zh-CN" if language == "zh-CN" else "en")
    dark = page.ask("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(dark[:3]) < 60) == (theme == "dark")


def test_drawings_are_kept_for_each_symbol(make_daemon, open_page):
    daemon = make_daemon(BY_TICK).start()
    producer = Producer(daemon.port, "", "?ack=1")
    producer.send("\n".join(f"{symbol},{line}" for line in walk(100) for symbol in ("AAA", "BBB")))
    producer.ack(1)
    page = open_page(daemon, "#AAA/M1", color_scheme="dark").wait_live()
    page.wait_same("AAA", "M1", 100)
    page.page.click('#main [data-value="none"]')
    page.page.click('#sub [data-value="none"]')
    page.page.click("#volume")

    def drawn():
        # The edges of a line are blended with what is behind it.
        return page.pixels(["#5c9dff"], tolerance=12)[0]

    eventually(lambda: drawn() == 0, "a chart without lines")
    page.page.click('#tools [data-tool="horizontalStraightLine"]')
    page.page.mouse.move(*page.middle())
    page.page.mouse.click(*page.middle())
    page.page.mouse.move(700, 10)
    eventually(lambda: drawn() > 500, "a line")
    page.page.reload()
    page.wait_live().wait_same("AAA", "M1", 100)
    eventually(lambda: drawn() > 500, "the line again")
    page.page.select_option("#symbol", "BBB")
    page.wait_live().wait_same("BBB", "M1", 100)
    eventually(lambda: drawn() == 0, "no line on the other symbol")
    producer.close()


def test_the_page_waits_for_the_first_tick(make_daemon, open_page):
    daemon = make_daemon(BY_TICK).start()
    page = open_page(daemon)
    eventually(lambda: page.page.is_visible("#notice"), "a word about it")
    producer = Producer(daemon.port, "/NEW", "?ack=1")
    producer.send("\n".join(walk(2)))
    producer.ack(1)
    page.wait_live().wait_same("NEW", "M1", 2)
    producer.close()


def test_where_a_token_is_asked_for_the_page_asks_its_reader(make_daemon, open_page):
    daemon = make_daemon({**BY_TICK, "stream": {"tokens": ["s3cret"]}}).start()
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    producer.send("\n".join(walk(3)))
    producer.ack(1)
    page = open_page(daemon)
    eventually(lambda: page.page.is_visible("#token"), "the question")
    for token, words in (("wrong", "not accepted"), ("s3cret", None)):
        page.page.fill("#token", token)
        page.page.keyboard.press("Enter")
        if words:
            eventually(lambda words=words: words in page.page.text_content("#access-why"), words)
    page.wait_live()
    assert eventually(lambda: len(page.candles) == 3, "candles")
    assert "s3cret" not in page.ask("() => JSON.stringify(localStorage)") and "s3cret" not in page.page.url
    # A refused request is written to the console by the browser itself.
    page.problems = [text for text in page.problems if "401" not in text]
    # In the address it is used, and taken out.
    for address in ("?token=s3cret", "#token=s3cret"):
        given = open_page(daemon, address).wait_live()
        eventually(lambda given=given: len(given.candles) == 3, "candles")
        assert "s3cret" not in given.page.url
    producer.close()


def market(minutes, price=36_500.0, seed=21):
    """Lines that look like a market: trends, and hours that are busier than others."""
    dice = random.Random(seed)
    lines, trend = [], 0.0
    for minute in range(minutes):
        trend = 0.94 * trend + dice.gauss(0, 0.22)
        busy = 1.2 + math.sin(minute / 37) * 0.7
        for second in range(2, 60, 5):
            price += trend + dice.gauss(0, 2.1) * busy
            lines.append(f"{START + minute * MINUTE + second * 1000},{price:.2f},{dice.expovariate(4) * busy:.3f}")
    return lines


@pytest.mark.parametrize("shot", ["dark", "light", "phone"])
def test_the_pictures_of_the_documents_can_be_made(feed_daemon, chromium, tmp_path, shot):
    """CANDLED_PICTURES=1 puts them into docs/images."""
    feed = feed_daemon(
        {**BY_TICK, "settlement": {"grace": "1m", "correction_window": "1h"}}, symbol="BTCUSDT")
    lines = market(420)
    split = next(n for n, line in enumerate(lines) if int(line.split(",")[0]) >= START + 360 * MINUTE)
    feed.ticks(*lines[:split])
    number = len(feed.exchange.of())
    feed.connection.drop()
    feed.exchange.connection(number=number + 1)
    # Six minutes are missing, a candle is corrected.
    after = [line for line in lines[split:] if int(line.split(",")[0]) >= START + 366 * MINUTE]
    feed.ticks(*after)
    feed.ticks(f"{START + 412 * MINUTE + 500},{after[-1].split(',')[1]},0.4")
    size = {"width": 390, "height": 844} if shot == "phone" else {"width": 1440, "height": 900}
    touch = {"has_touch": True, "is_mobile": True} if shot == "phone" else {}
    page = ChartPage(
        chromium, feed.daemon, viewport=size, color_scheme="light" if shot == "light" else "dark",
        timezone_id="UTC", **touch).wait_live()
    page.wait_same("BTCUSDT", "M1", 400)
    if shot != "phone":
        page.page.click('#sub [data-value="KDJ"]')
        page.page.mouse.move(*page.middle())
        eventually(lambda: page.legend["time"] != page.candles[-1]["open_time"], "the crosshair")
    folder = ROOT / "docs/images" if os.environ.get("CANDLED_PICTURES") else tmp_path
    folder.mkdir(exist_ok=True)
    # The canvas is drawn by frames; a picture waits for two of them.
    page.ask("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = folder / f"page-{shot}.png"
    page.page.screenshot(path=picture)
    assert picture.stat().st_size > 20_000
    page.check()
    page.close()
