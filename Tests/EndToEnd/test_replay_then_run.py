"""A database that a replay has made, and a daemon that goes on with it (contract, section 3, rules 6, 7 and 11).

What the end of the input has cut forms again: a longer candle holds the recorded ticks and the live ones.
"""

import pytest

from support import model
from support.daemon import candled
from support.model import MINUTE, SECOND
from support.waiting import eventually, wall_ms

TIMEFRAMES = ("M1", "M5", "M15")
SETTINGS = {"timeframes": list(TIMEFRAMES), "settlement": {"max_ahead": "1d", "grace": "1s"}}


def ticks(begin, *spans):
    """One each 20 seconds."""
    found = []
    for first, last in spans:
        for at in range(first, last, 20):
            found.append((begin + at * SECOND, 100 + at * 7 % 23, 1 + at % 3))
    return found


@pytest.fixture
def replayed(feed_daemon):
    """Replays to 7:30 into a quarter of an hour and runs a daemon on it."""

    def make(clock="system"):
        begin = (wall_ms() // (15 * MINUTE) + 2) * 15 * MINUTE
        feed = feed_daemon({**SETTINGS, "clock": {"source": clock}}, start=False)
        recorded = ticks(begin, (0, 450))
        lines = "".join(f"{at},{price},{volume}\n" for at, price, volume in recorded)
        done = candled("replay", "--db", feed.daemon.database, "--symbol", "TEST", "-", stdin=lines)
        assert done.code == 0, done.error
        feed.daemon.start().wait_ready()
        feed.exchange.connection()
        return feed, begin, recorded

    return make


def stored(daemon, timeframe):
    return {row["open_time"]: row for row in daemon.candles("TEST", timeframe, limit=10_000)}


def same(daemon, all_ticks, begin, until):
    """The stored candles are those of one pass."""
    for timeframe in TIMEFRAMES:
        expected = model.fold(all_ticks, timeframe)
        found = stored(daemon, timeframe)
        for at, candle in expected.items():
            if at + model.INTERVALS[timeframe] > until:
                continue
            assert model.content(found[at]) == model.content(candle), (timeframe, (at - begin) / MINUTE)


@pytest.mark.parametrize("clock", ["system", "feed"])
def test_live_ticks_go_on_in_the_candles_that_the_end_of_a_replay_has_cut(replayed, clock):
    feed, begin, recorded = replayed(clock)
    stream = feed.daemon.subscriber()
    stream.subscribe("candle.*.TEST", snapshot=50)
    cut = {"M1": begin + 7 * MINUTE, "M5": begin + 5 * MINUTE, "M15": begin}
    for timeframe, at in cut.items():
        # What forms is told once, as what it is.
        snapshot = stream.wait(
            lambda m: m["type"] == "snapshot" and m["topic"] == f"candle.{timeframe}.TEST")["candles"]
        assert [c["open_time"] for c in snapshot] == sorted({c["open_time"] for c in snapshot})
        assert (snapshot[-1]["open_time"], snapshot[-1]["state"]) == (at, "forming")
        for query in ({}, {"format": "klinecharts"}):
            answer = feed.daemon.get("/v1/candles", symbol="TEST", timeframe=timeframe, forming=1, **query).json
            rows = answer["candles"] if not query else answer
            assert len(rows) == len(snapshot)
    live = ticks(begin, (460, 960))
    feed.ticks(*live)
    for timeframe, at in cut.items():
        # It was settled before, so this is its next revision.
        candle = stream.wait_candle("corrected", timeframe, at, revision=1)
        assert candle["settled_by"] == "end" and candle["complete"] is False
    stream.wait_candle("closed", "M5", begin + 10 * MINUTE)
    same(feed.daemon, recorded + live, begin, begin + 15 * MINUTE)
    closed = stream.candles("closed")
    assert [c["open_time"] for c in closed if c["timeframe"] == "M1"] == [
        begin + minute * MINUTE for minute in range(8, 15)]
    # Nothing is made ahead of the ticks, and nothing is late.
    assert {c["origin"] for c in stored(feed.daemon, "M1").values()} == {"ticks"}
    assert feed.daemon.refused() == {}
    assert candled("verify", "--db", feed.daemon.database).code == 0


def test_a_daemon_that_is_killed_in_such_a_candle_goes_on_with_it(replayed):
    feed, begin, recorded = replayed()
    live = ticks(begin, (460, 960))
    cuts = [1, 5, 20]
    done = 0
    for number, cut in enumerate(cuts):
        feed.ticks(*live[done:cut])
        eventually(lambda: feed.daemon.get("/v1/symbols").json["symbols"][0]["last_tick"] == live[cut - 1][0], "the ticks")
        done = cut
        feed.daemon.process.kill()
        feed.daemon.process.wait()
        feed.daemon.start().wait_ready()
        feed.exchange.connection(number=number + 2)
        # The longer candle is still open: it differs from its parts, and that is in order.
        assert candled("verify", "--db", feed.daemon.database).code == 0
    feed.ticks(*live[done:])
    eventually(lambda: stored(feed.daemon, "M15").get(begin, {}).get("revision") == 1, "the quarter of an hour")
    same(feed.daemon, recorded + live, begin, begin + 15 * MINUTE)


def test_the_time_between_a_replay_and_the_run_is_a_gap(replayed):
    feed, begin, _ = replayed("feed")
    gaps = feed.daemon.get("/v1/gaps", symbol="TEST").json["gaps"]
    assert [(gap["from"], gap["reason"]) for gap in gaps] == [(begin + 7 * MINUTE, "restart")]
