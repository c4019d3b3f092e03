"""The stream: requests, topics, snapshots, replays, conflation, order, slow readers (contract, section 5)."""

import json
import random
import threading
import time

import pytest

from support import model
from support.daemon import TickFeed
from support.model import MINUTE, SECOND
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5", "M15"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


def closes(feed, at, count, first=0):
    """One tick a minute, so that `count` candles of M1 close and one forms."""
    lines = [f"{at + number * MINUTE},{100 + number % 50},1" for number in range(first, first + count + 1)]
    feed.send(*lines)


# Requests


@pytest.mark.parametrize("id", [7, "seven", 0, -3, 1.5, "", "ünï"])
def test_the_answer_repeats_the_id_of_the_request(feed_daemon, id):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    for request, type in [
        ({"op": "subscribe", "topics": ["candle.M1.TEST"]}, "subscribed"), ({"op": "ping"}, "pong"),
        ({"op": "unsubscribe", "topics": ["candle.M1.TEST"]}, "unsubscribed"),
        ({"op": "subscribe", "topics": ["nonsense"]}, "error"),
    ]:
        start = len(stream.messages)
        stream.send({**request, "id": id})
        answer = stream.wait(lambda m: m["type"] == type, type, after=start)
        assert answer["id"] == id, answer


def test_a_request_without_an_id_is_answered_without_one(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    stream.send({"op": "ping"})
    assert "id" not in stream.wait(lambda m: m["type"] == "pong")


def test_subscribed_carries_topics_epoch_version_and_convention(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    topics = ["candle.M1.TEST", "closed.*.TEST", "closed.M5.*"]
    answer = stream.subscribe(*topics)
    assert answer["topics"] == topics
    assert isinstance(answer["epoch"], str) and answer["epoch"]
    assert isinstance(answer["version"], int)
    assert answer["convention"] == "tdx" == feed.daemon.get("/v1/status").json["convention"]


def test_pong_carries_the_server_time(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    before = wall_ms()
    answer = stream.ask({"op": "ping"})
    assert before - 1000 <= answer["time"] <= wall_ms() + 1000


BAD_TOPICS = [
    "", "candle", "candle.M1", "candle.M1.", "ticks.M1.TEST", "candle.M2.TEST", "candle.H1.TEST", "candle.m1.TEST",
    "Candle.M1.TEST", "candle..TEST", "candle.M1.BAD SYMBOL", "candle.M1.*X", "candle.M1.-X", "candle.M1." + "X" * 65, "*.M1.TEST",
]


@pytest.mark.parametrize("op", ["subscribe", "unsubscribe"])
def test_a_bad_topic_is_named_and_none_of_the_request_is_taken(feed_daemon, op):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    for bad in BAD_TOPICS:
        answer = stream.ask({"op": op, "topics": ["candle.M1.TEST", bad]})
        assert (answer["type"], answer["code"]) == ("error", "bad_topic"), (bad, answer)
        assert bad in answer["message"]
    feed.ticks((ahead(), 100, 1))
    stream.sync()
    assert stream.of("forming") == []


BAD_REQUESTS = [
    "hello", "", "[]", "null", "42", '"subscribe"', "{", '{"op":"subscribe"', '{"op":"subscribe","topics":["candle.M1.TEST"]} x',
    {}, {"op": "dance"}, {"op": 3}, {"op": "subscribe"}, {"op": "subscribe", "topics": []}, {"op": "subscribe", "topics": "candle.M1.TEST"},
    {"op": "unsubscribe", "topics": []},
    {"op": "subscribe", "topics": ["candle.M1.TEST"], "snapshot": 5, "since": {"epoch": "x", "version": 1}},
    {"op": "subscribe", "topics": ["candle.M1.TEST"], "snapshot": -1},
    {"op": "subscribe", "topics": ["candle.M1.TEST"], "snapshot": "many"},
    {"op": "subscribe", "topics": ["candle.M1.TEST"], "since": 5},
    {"op": "subscribe", "topics": ["candle.M1.TEST"], "since": {"version": 5}},
]


def test_a_bad_request_is_answered_and_the_connection_stays_open(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    for bad in BAD_REQUESTS:
        start = len(stream.messages)
        stream.send(bad)
        answer = stream.wait(lambda m: True, f"an answer to {bad}", after=start)
        assert (answer["type"], answer["code"]) == ("error", "bad_request"), (bad, answer)
        assert answer["message"]
    stream.sync()
    feed.ticks((ahead(), 100, 1))
    stream.sync()
    assert stream.of("forming") == [], "a refused request subscribed"


def test_a_topic_that_is_no_text_is_refused(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    for bad in (5, None, ["candle.M1.TEST"], {"a": 1}):
        answer = stream.ask({"op": "subscribe", "topics": [bad]})
        assert answer["type"] == "error" and answer["code"] in ("bad_topic", "bad_request")


def test_unsubscribe_ends_what_subscribe_began_and_only_that(feed_daemon):
    feed = feed_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": "none"}})
    stream = feed.daemon.subscriber("candle.M1.TEST", "candle.M5.TEST")
    at = ahead()
    feed.ticks((at, 100, 1))
    stream.wait_candle("forming", "M1", at)
    answer = stream.ask({"op": "unsubscribe", "topics": ["candle.M1.TEST"]})
    assert (answer["type"], answer["topics"]) == ("unsubscribed", ["candle.M1.TEST"])
    start = len(stream.messages)
    feed.ticks((at + MINUTE, 101, 1))
    stream.wait_candle("forming", "M5", at, close=101)
    stream.sync()
    assert {m["topic"] for m in stream.messages[start:] if "topic" in m} == {"candle.M5.TEST"}
    # Twice, or never subscribed to: no error.
    assert stream.ask({"op": "unsubscribe", "topics": ["candle.M1.TEST", "closed.M1.OTHER"]})["type"] == "unsubscribed"


def test_subscribing_twice_to_a_topic_sends_each_message_once(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST")
    stream.subscribe("closed.M1.TEST", "closed.M1.TEST")
    at = ahead()
    feed.ticks((at, 100, 1), (at + MINUTE, 101, 1))
    stream.wait_candle("closed", "M1", at)
    stream.sync()
    assert len(stream.candles("closed")) == 1


def test_the_stream_path_refuses_what_is_no_upgrade_and_other_paths_refuse_an_upgrade(feed_daemon):
    feed = feed_daemon(BY_TICK)
    assert 400 <= feed.daemon.get("/v1/stream").status < 500
    with pytest.raises(Exception) as caught:
        feed.daemon.subscriber().__class__(f"ws://127.0.0.1:{feed.daemon.port}/v1/nowhere")
    assert "404" in str(caught.value)


# Topics


def two_symbols(make_daemon, exchange, configuration=BY_TICK):
    entries = [{"name": name, "url": exchange.url(f"/{name}"), "format": "csv", "symbol": name} for name in ("AAA", "BBB")]
    daemon = make_daemon({"feeds": entries, **configuration}).start().wait_ready()
    feeds = [TickFeed(daemon, exchange, name, f"/{name}") for name in ("AAA", "BBB")]
    for feed in feeds:
        exchange.connection(feed.path)
    return daemon, *feeds


def test_a_topic_carries_its_series_only(make_daemon, exchange):
    daemon, a, b = two_symbols(make_daemon, exchange)
    stream = daemon.subscriber("candle.M5.AAA")
    at = ahead()
    for feed in (b, a):
        feed.ticks((at, 100, 1), (at + 5 * MINUTE, 101, 1))
    stream.wait_candle("closed", "M5", at)
    stream.sync()
    assert {(c["symbol"], c["timeframe"]) for c in stream.candles("forming", "closed")} == {("AAA", "M5")}


def test_stars_stand_for_every_timeframe_and_every_symbol(make_daemon, exchange):
    daemon, a, b = two_symbols(make_daemon, exchange)
    both, frames, symbols = daemon.subscriber("closed.*.*"), daemon.subscriber("closed.*.BBB"), daemon.subscriber("closed.M1.*")
    at = ahead()
    for feed in (a, b):
        feed.ticks((at, 100, 1), (at + 15 * MINUTE, 101, 1))
    for stream, timeframe in ((both, "M15"), (frames, "M15"), (symbols, "M1")):
        stream.wait_candle("closed", timeframe, at, "BBB")
        stream.sync()

    def series(stream):
        return {(c["symbol"], c["timeframe"]) for c in stream.candles("closed")}

    every = {(s, t) for s in ("AAA", "BBB") for t in ("M1", "M5", "M15")}
    assert series(both) == every
    assert series(frames) == {one for one in every if one[0] == "BBB"}
    assert series(symbols) == {one for one in every if one[1] == "M1"}


def test_messages_name_the_topic_of_their_series(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.*.*", "closed.*.*")
    at = ahead()
    feed.ticks((at, 100, 1), (at + MINUTE, 101, 1))
    stream.wait(lambda m: m["type"] == "closed" and m["topic"] == "closed.M1.TEST")
    stream.wait(lambda m: m["type"] == "closed" and m["topic"] == "candle.M1.TEST")


def test_overlapping_topics_send_a_closed_candle_once_for_each_kind(feed_daemon):
    """S119: "give me only closed candles": exactly one message per candle and revision."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.M1.TEST", "closed.*.TEST", "closed.M1.*", "closed.*.*")
    at = ahead()
    closes(feed, at, 5)
    stream.wait_candle("closed", "M1", at + 4 * MINUTE)
    feed.ticks((at + 1, 200, 1))
    stream.wait_candle("corrected", "M1", at)
    stream.sync()
    seen = [(c["timeframe"], c["open_time"], c["revision"]) for c in stream.candles("closed", "corrected")]
    assert len(seen) == len(set(seen))
    assert stream.of("forming") == []


def test_a_closed_topic_never_sends_what_forms(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("closed.*.*", snapshot=10)
    at = ahead()
    closes(feed, at, 5)
    stream.wait_candle("closed", "M1", at + 4 * MINUTE)
    stream.sync()
    assert {m["type"] for m in stream.messages} <= {"subscribed", "snapshot", "closed", "pong"}
    later = feed.daemon.subscriber("closed.M1.TEST", snapshot=10)
    snapshot = later.wait(lambda m: m["type"] == "snapshot")
    assert {c["state"] for c in snapshot["candles"]} == {"closed"}


# Snapshot


def test_a_snapshot_has_the_last_closed_candles_oldest_first_and_the_forming_one_on_top(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    watcher = feed.daemon.subscriber("closed.M1.TEST")
    closes(feed, at, 12)
    watcher.wait_candle("closed", "M1", at + 11 * MINUTE)
    for count in (0, 1, 5, 12, 500):
        stream = feed.daemon.subscriber("candle.M1.TEST", snapshot=count)
        snapshot = stream.wait(lambda m: m["type"] == "snapshot")
        assert snapshot["topic"] == "candle.M1.TEST"
        times = [c["open_time"] for c in snapshot["candles"]]
        first = max(0, 12 - count)
        assert times == [at + n * MINUTE for n in range(first, 13)], count
        assert [c["state"] for c in snapshot["candles"]] == ["closed"] * min(count, 12) + ["forming"]


def test_a_snapshot_comes_before_anything_live_of_its_topics(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    closes(feed, at, 3)
    feed.wait(4)
    stream = feed.daemon.subscriber("candle.*.TEST", snapshot=10)
    feed.ticks((at + 4 * MINUTE, 100, 1))
    stream.wait_candle("forming", "M1", at + 4 * MINUTE)
    types = [m["type"] for m in stream.messages]
    last = len(types) - 1 - types[::-1].index("snapshot")
    assert set(types[:last]) <= {"subscribed", "snapshot"}
    assert sorted(m["topic"] for m in stream.of("snapshot")) == ["candle.M1.TEST", "candle.M15.TEST", "candle.M5.TEST"]


class Pump:
    """Ticks from a thread: one close in every few messages, some of them late."""

    def __init__(self, feed, at, seed=5, pause=0.002):
        self.feed, self.at, self.pause = feed, at, pause
        self.random = random.Random(seed)
        self.sent = 0
        self.minute = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.is_set():
            offset = self.random.randrange(60_000)
            late = self.minute > 3 and self.random.random() < 0.2
            minute = self.minute - self.random.randrange(1, 3) if late else self.minute
            self.feed.send(f"{self.at + minute * MINUTE + offset},{self.random.randrange(90, 110)},1")
            self.sent += 1
            if self.random.random() < 0.2:
                self.minute += 1
            time.sleep(self.pause)

    def stop(self):
        self._stop.set()
        self._thread.join(30)
        self.feed.wait(self.sent)
        end = self.at + (self.minute + 2) * MINUTE
        self.feed.ticks((end, 100, 1))
        return end


def apply(copy, candle):
    """A reader's copy: the newest version of each candle; versions of one candle only rise."""
    key = (candle["timeframe"], candle["open_time"])
    if key in copy:
        assert candle["version"] > copy[key]["version"], f"{key} came twice or went back"
    copy[key] = candle


def assert_equals_database(copy, daemon, timeframe, first, end):
    rows = daemon.sql(
        "SELECT open_time, version, close, volume FROM candles WHERE timeframe = ? AND open_time >= ? AND open_time < ?",
        timeframe, first, end)
    mine = {at: c for (name, at), c in copy.items() if name == timeframe and first <= at < end}
    assert sorted(mine) == sorted(row["open_time"] for row in rows)
    for row in rows:
        candle = mine[row["open_time"]]
        assert (candle["version"], float(candle["close"]), float(candle["volume"])) == (row["version"], row["close"], row["volume"])


def test_snapshot_then_live_has_no_hole_and_no_double_under_load(feed_daemon):
    """S40."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    pump = Pump(feed, at)
    readers = []
    for _ in range(12):
        readers.append(feed.daemon.subscriber("candle.M1.TEST", snapshot=500))
        time.sleep(0.15)
    end = pump.stop()
    for stream in readers:
        stream.wait_candle("closed", "M1", end - MINUTE)
        stream.sync()
        copy = {}
        snapshot, = stream.of("snapshot")
        for candle in snapshot["candles"]:
            if candle["state"] != "forming":
                apply(copy, candle)
        seam = stream.messages.index(snapshot)
        for message in stream.messages[seam:]:
            if message["type"] in ("closed", "corrected"):
                apply(copy, message["candle"])
        assert_equals_database(copy, feed.daemon, "M1", 0, end)


def test_after_a_snapshot_the_forming_candle_goes_on_from_where_the_snapshot_has_it(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    feed.ticks((at, 100, 1), (at, 101, 1))
    stream = feed.daemon.subscriber("candle.M1.TEST", snapshot=5)
    first = stream.wait(lambda m: m["type"] == "snapshot")["candles"][-1]
    assert (first["ticks"], first["close"]) == (2, 101)
    feed.ticks((at + 1, 102, 1))
    assert stream.wait_candle("forming", "M1", at)["ticks"] == 3


# Since


def test_since_replays_what_is_above_the_version_once_in_version_order_and_goes_live(feed_daemon):
    """S113."""
    feed = feed_daemon(BY_TICK)
    first = feed.daemon.subscriber()
    answer = first.subscribe("closed.*.TEST")
    at = ahead()
    closes(feed, at, 6)
    seen = first.wait_candle("closed", "M1", at + 2 * MINUTE)
    first.wait_candle("closed", "M1", at + 5 * MINUTE)
    feed.ticks((at + 1, 300, 1))
    first.wait_candle("corrected", "M5", at)
    first.sync()
    stream = feed.daemon.subscriber("closed.*.TEST", since={"epoch": answer["epoch"], "version": seen["version"]})
    feed.ticks((at + 7 * MINUTE, 100, 1))
    stream.wait_candle("closed", "M1", at + 6 * MINUTE)
    replayed = stream.candles("closed", "corrected")
    versions = [c["version"] for c in replayed]
    assert versions == sorted(set(versions)) and versions[0] > seen["version"]
    rows = feed.daemon.sql("SELECT timeframe, open_time, version FROM candles WHERE version > ? ORDER BY version", seen["version"])
    assert [(c["timeframe"], c["open_time"], c["version"]) for c in replayed] == [tuple(row.values()) for row in rows]
    # Each once in its latest state: what was corrected comes as corrected only.
    types = {(m["candle"]["timeframe"], m["candle"]["open_time"]): m["type"] for m in stream.of("closed", "corrected")}
    assert types[("M1", at)] == "corrected"
    assert types[("M1", at + 6 * MINUTE)] == "closed"


def test_since_the_newest_version_replays_nothing(feed_daemon):
    feed = feed_daemon(BY_TICK)
    watcher = feed.daemon.subscriber("closed.*.*")
    at = ahead()
    closes(feed, at, 3)
    watcher.wait_candle("closed", "M1", at + 2 * MINUTE)
    answer = watcher.subscribe("closed.*.*")
    stream = feed.daemon.subscriber("closed.*.*", since={"epoch": answer["epoch"], "version": answer["version"]})
    stream.sync()
    assert stream.of("closed", "corrected") == []


def test_since_version_0_replays_everything(feed_daemon):
    feed = feed_daemon(BY_TICK)
    watcher = feed.daemon.subscriber()
    epoch = watcher.subscribe("closed.*.*")["epoch"]
    at = ahead()
    closes(feed, at, 700)
    watcher.wait_candle("closed", "M1", at + 699 * MINUTE)
    stream = feed.daemon.subscriber("closed.M1.*", since={"epoch": epoch, "version": 0})
    stream.wait_candle("closed", "M1", at + 699 * MINUTE)
    assert [c["open_time"] for c in stream.candles("closed")] == [at + n * MINUTE for n in range(700)]


def test_an_unknown_epoch_is_refused_and_subscribes_to_nothing(feed_daemon):
    """S117."""
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber()
    answer = stream.ask({"op": "subscribe", "topics": ["closed.*.*"], "since": {"epoch": "feedface", "version": 0}})
    assert (answer["type"], answer["code"]) == ("error", "unknown_epoch")
    at = ahead()
    closes(feed, at, 2)
    feed.wait(3)
    stream.sync()
    assert stream.of("closed") == []


def test_a_replayed_candle_that_was_first_published_as_corrected_comes_as_corrected(feed_daemon):
    feed = feed_daemon({**BY_TICK, "settlement": {"max_ahead": "1d", "empty_candles": "none"}})
    watcher = feed.daemon.subscriber()
    epoch = watcher.subscribe("closed.M1.*")["epoch"]
    at = ahead()
    feed.ticks((at, 100, 1), (at + 3 * MINUTE, 101, 1))
    feed.ticks((at + MINUTE, 100, 1))
    watcher.wait_candle("corrected", "M1", at + MINUTE, revision=0)
    stream = feed.daemon.subscriber("closed.M1.*", since={"epoch": epoch, "version": 0})
    stream.wait_candle("corrected", "M1", at + MINUTE, revision=0)
    assert [c["open_time"] for c in stream.candles("closed")] == [at]


def test_a_reader_that_reconnects_with_since_at_random_moments_under_load_has_what_the_database_has(feed_daemon):
    """S110, S113: with corrections and gaps between, no hole, no double."""
    feed = feed_daemon(BY_TICK)
    at = ahead()
    stream = feed.daemon.subscriber()
    answer = stream.subscribe("closed.*.*")
    epoch, version = answer["epoch"], answer["version"]
    pump = Pump(feed, at, seed=9)
    generator = random.Random(2)
    copy = {}
    end = None
    for round in range(15):
        time.sleep(generator.random() * 0.25)
        if round == 14:
            end = pump.stop()
            stream.wait_candle(("closed", "corrected"), "M1", end - MINUTE)
            stream.sync()
        stream.close()
        last = version
        for message in stream.of("closed", "corrected", "gap"):
            number = message["candle"]["version"] if "candle" in message else message["version"]
            assert number > last, "versions of one reader do not rise"
            last = number
            if "candle" in message:
                apply(copy, message["candle"])
        version = last
        if end is None:
            stream = feed.daemon.subscriber("closed.*.*", since={"epoch": epoch, "version": version})
    for timeframe in ("M1", "M5", "M15"):
        assert_equals_database(copy, feed.daemon, timeframe, 0, end)


# Order and conflation


def test_one_reader_gets_its_closed_and_corrected_messages_in_version_order_over_all_series(make_daemon, exchange):
    daemon, a, b = two_symbols(make_daemon, exchange)
    stream = daemon.subscriber("candle.*.*")
    at = ahead()
    pumps = [Pump(a, at, seed=1), Pump(b, at, seed=2)]
    time.sleep(1.5)
    ends = [pump.stop() for pump in pumps]
    for name, end in zip(("AAA", "BBB"), ends):
        stream.wait_candle(("closed", "corrected"), "M1", end - MINUTE, name)
    versions = [c["version"] for c in stream.candles("closed", "corrected")]
    assert versions == sorted(set(versions)) and len(versions) > 100
    rows = daemon.sql("SELECT max(version) AS last FROM candles")
    assert versions[-1] <= rows[0]["last"]
    for name in ("AAA", "BBB"):
        for timeframe in ("M1", "M5", "M15"):
            times = [c["open_time"] for c in stream.candles("closed", topic=f"candle.{timeframe}.{name}")]
            assert times == sorted(set(times))


def test_forming_messages_are_at_most_one_per_interval_and_the_first_comes_at_once(feed_daemon):
    feed = feed_daemon({"timeframes": ["M1"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": "400ms"}})
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    began = time.monotonic()
    feed.ticks((at, 100, 1))
    stream.wait_candle("forming", "M1", at)
    number = 0
    while time.monotonic() < began + 3:
        feed.send(f"{at + number},{100 + number % 10},1")
        number += 1
        time.sleep(0.002)
    feed.wait(number + 1)
    last = stream.wait_candle("forming", "M1", at, ticks=number + 1)
    assert last["ticks"] == number + 1, "the newest state is shown in the end"
    elapsed = time.monotonic() - began
    assert 3 <= len(stream.candles("forming")) <= elapsed / 0.4 + 2


def test_forming_interval_0_shows_every_frame(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    feed.send(*[f"{at + number},{100 + number},1" for number in range(50)])
    stream.wait_candle("forming", "M1", at, ticks=50)
    assert [c["ticks"] for c in stream.candles("forming")] == list(range(1, 51))


def test_numbers_of_a_message_have_the_exact_digits_that_were_sent(feed_daemon):
    feed = feed_daemon(BY_TICK)
    stream = feed.daemon.subscriber("candle.M1.TEST")
    at = ahead()
    texts = ["36500.25", "0.00002400", "12123500811184481.00", "999999999999999999", "0.000000000000000001", "1e-8", "0.1", "0.30000000000000004"]
    for number, text in enumerate(texts):
        feed.ticks((at + number * MINUTE, text, text))
        candle = stream.wait_candle("forming", "M1", at + number * MINUTE)
        raw = stream.texts[next(i for i, m in enumerate(stream.messages) if m.get("candle") == candle)]
        shown = json.loads(raw, parse_float=str, parse_int=str)["candle"]
        exact = model.Decimal(text)
        for key in ("open", "high", "low", "close", "volume"):
            assert model.Decimal(shown[key]) == exact, (key, shown[key])
        assert model.Decimal(shown["turnover"]) == exact * exact


# Readers that are slow


#: Recorded data, whose clock runs as fast as it comes.
RECORDED = {"timeframes": ["M1", "M5"], "clock": {"source": "feed"}}
START = 1_600_000_200_000


def flood(feed, reader, minutes, first=0, size=40):
    """Many closes, a tick a minute, as fast as a good reader takes them."""
    for start in range(first, first + minutes, size):
        feed.send("\n".join(f"{START + n * MINUTE},{100 + n % 50}.{n % 97:02},1" for n in range(start, start + size)))
        reader.wait_candle("closed", "M1", START + (start + size - 2) * MINUTE, after=max(0, len(reader.messages) - 200))


def test_a_slow_reader_is_cut_with_1013_while_others_miss_nothing_and_it_resumes_whole(feed_daemon):
    """S110."""
    feed = feed_daemon({**RECORDED, "stream": {"max_backlog": "128KiB"}})
    epoch = feed.daemon.subscriber().subscribe("closed.*.*")["epoch"]
    deaf = [feed.daemon.deaf_subscriber("closed.*.*") for _ in range(5)]
    reader = feed.daemon.subscriber("closed.*.*")
    minutes = 0
    while feed.daemon.metrics()["candled_stream_slow_consumers_total"] < 5:
        assert minutes < 40_000, "nobody was cut"
        flood(feed, reader, 1000, first=minutes)
        minutes += 1000
    every = [START + n * MINUTE for n in range(minutes - 1)]
    assert [c["open_time"] for c in reader.candles("closed", topic="closed.M1.TEST")] == every
    for one in deaf[:2]:
        texts, code, reason = one.read_to_end()
        # What was delivered is whole; the close frame came if it could be delivered within 5 s.
        if code is not None:
            assert (code, reason) == (1013, "slow consumer")
        seen = [json.loads(text) for text in texts]
        versions = [m["candle"]["version"] for m in seen if m["type"] in ("closed", "corrected")]
        assert versions == sorted(set(versions))
        last = versions[-1] if versions else 0
        again = feed.daemon.subscriber("closed.M1.TEST", since={"epoch": epoch, "version": last})
        if every[-1] not in (had := {m["candle"]["open_time"] for m in seen if m.get("topic") == "closed.M1.TEST"}):
            again.wait_candle("closed", "M1", every[-1])
        rest = [c["open_time"] for c in again.candles("closed")]
        assert sorted([*had, *rest]) == every


def test_a_slow_reader_that_reads_again_within_5_s_sees_the_close_code_and_reason(feed_daemon):
    feed = feed_daemon({**RECORDED, "stream": {"max_backlog": "64KiB"}})
    deaf = feed.daemon.deaf_subscriber("closed.*.*")
    reader = feed.daemon.subscriber("closed.*.*")
    sent = 0
    while not feed.daemon.metrics()["candled_stream_slow_consumers_total"]:
        assert sent < 40_000, "nobody was cut"
        flood(feed, reader, 400, first=sent)
        sent += 400
    texts, code, reason = deaf.read_to_end()
    assert (code, reason) == (1013, "slow consumer")
    for text in texts:
        json.loads(text)


def test_forming_messages_never_make_a_reader_slow(feed_daemon):
    """A reader that lags gets the newest forming state only, and is not cut for it."""
    feed = feed_daemon({**BY_TICK, "stream": {"forming_interval": 0, "max_backlog": "128KiB"}})
    deaf = feed.daemon.deaf_subscriber("candle.M1.TEST")
    at = ahead()
    count = 20_000
    for start in range(0, count, 500):
        feed.send(*[f"{at + number % 60_000},{100 + number % 9},1" for number in range(start, start + 500)])
    feed.wait(count)
    assert feed.daemon.metrics()["candled_stream_slow_consumers_total"] == 0
    newest = f'"ticks":{feed.daemon.candles("TEST", "M1", forming=1)[-1]["ticks"]},'.encode()
    deaf.socket.settimeout(30)
    data = b""
    while newest not in data:
        data += deaf.socket.recv(65536)
    assert data.count(b'"type":"forming"') < count


def test_a_connection_has_at_most_as_many_topics_as_the_limit(feed_daemon):
    feed = feed_daemon({**BY_TICK, "limits": {"topics_per_connection": 3}})
    stream = feed.daemon.subscriber("candle.M1.A", "candle.M1.B")
    answer = stream.ask({"op": "subscribe", "topics": ["candle.M1.C", "candle.M1.D"]})
    assert answer["type"] == "error" and answer["code"]
    stream.subscribe("candle.M1.C")
    assert stream.ask({"op": "unsubscribe", "topics": ["candle.M1.A"]})["type"] == "unsubscribed"
    stream.subscribe("candle.M1.D")


def test_a_subscription_while_live_adds_its_topics_without_a_hole_in_the_others(feed_daemon):
    feed = feed_daemon(BY_TICK)
    at = ahead()
    stream = feed.daemon.subscriber("closed.M1.TEST")
    pump = Pump(feed, at, seed=21)
    for topic in ("closed.M5.TEST", "candle.M15.TEST", "candle.M1.TEST", "closed.*.OTHER"):
        time.sleep(0.2)
        stream.subscribe(topic, snapshot=20)
        stream.wait(lambda m, t=topic: m["type"] == "snapshot" and m["topic"] == t if "OTHER" not in t else True)
    end = pump.stop()
    stream.wait(lambda m: m["type"] == "closed" and m["topic"] == "closed.M1.TEST" and m["candle"]["open_time"] == end - MINUTE)
    stream.sync()
    copy = {}
    for message in stream.of("closed", "corrected", topic="closed.M1.TEST"):
        apply(copy, message["candle"])
    assert_equals_database(copy, feed.daemon, "M1", 0, end)


def test_fifty_readers_that_stop_reading_delay_nobody(feed_daemon):
    """The many others get every close soon after it was settled."""
    feed = feed_daemon({**RECORDED, "stream": {"max_backlog": "64KiB"}})
    readers = [feed.daemon.subscriber("closed.*.*") for _ in range(20)]
    deaf = [feed.daemon.deaf_subscriber("closed.*.*") for _ in range(50)]
    minutes = 0
    while feed.daemon.metrics()["candled_stream_slow_consumers_total"] < 50:
        assert minutes < 40_000, "not all were cut"
        flood(feed, readers[0], 400, first=minutes)
        minutes += 400
    every = [START + n * MINUTE for n in range(minutes - 1)]
    for reader in readers:
        reader.wait_candle("closed", "M1", every[-1], after=max(0, minutes - 100))
        assert [c["open_time"] for c in reader.candles("closed", topic="closed.M1.TEST")] == every
    for one in deaf:
        one.close()
