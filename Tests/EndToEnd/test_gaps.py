"""Gaps and completeness as far as they follow from feeds that come and go (contract, section 3, rule 8)."""

import contextlib
import sqlite3

from support import model
from support.daemon import TickFeed
from support.model import SECOND
from support.producer import Producer
from support.waiting import eventually, wall_ms

SHORT = {"timeframes": ["S1", "S5"], "settlement": {"grace": "100ms"}}


def gaps(daemon, symbol="TEST"):
    return daemon.get("/v1/gaps", symbol=symbol).json["gaps"]


def test_a_gap_is_stored_and_announced_when_it_begins_and_when_it_ends(feed_daemon):
    """S36: an outage is something else than no trades."""
    feed = feed_daemon(SHORT)
    stream = feed.daemon.subscriber("closed.S1.TEST")
    feed.ticks((wall_ms(), 100, 1))
    feed.exchange.refusing = True
    before = wall_ms()
    feed.connection.drop()
    begun = stream.wait(lambda m: m["type"] == "gap" and m["to"] is None, "the beginning of the gap")
    assert (begun["symbol"], begun["reason"]) == ("TEST", "disconnect")
    assert before - 500 <= begun["from"] <= before + 3000
    assert [(g["from"], g["to"]) for g in gaps(feed.daemon)] == [(begun["from"], None)]
    assert feed.daemon.sql("SELECT to_time FROM gaps")[0]["to_time"] is None
    feed.exchange.refusing = False
    ended = stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end of the gap")
    assert ended["from"] == begun["from"] and ended["to"] > ended["from"]
    assert ended["version"] > begun["version"]
    assert [(g["from"], g["to"], g["reason"]) for g in gaps(feed.daemon)] == [(ended["from"], ended["to"], "disconnect")]


def test_the_clock_settles_what_forms_when_the_source_goes_and_no_flat_candle_follows(feed_daemon):
    feed = feed_daemon(SHORT)
    stream = feed.daemon.subscriber("candle.S1.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1))
    feed.exchange.refusing = True
    feed.connection.drop()
    begun = stream.wait(lambda m: m["type"] == "gap", "the gap")
    at = model.open_time(now, "S1")
    closed = stream.wait_candle("closed", "S1", at)
    assert (closed["settled_by"], closed["complete"]) == ("clock", False)
    eventually(lambda: wall_ms() > begun["from"] + 3500, "some seconds of the gap")
    page = feed.daemon.candles("TEST", "S1", forming=1)
    assert [c["open_time"] for c in page if c["open_time"] > begun["from"]] == []
    assert page[-1]["state"] == "closed", "a forming flat candle is dropped"
    feed.exchange.refusing = False
    ended = stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end of the gap", timeout=40)
    feed.ticks((wall_ms(), 105, 1))
    stream.wait_candle("closed", "S1", close=105)
    inside = [c for c in feed.daemon.candles("TEST", "S1") if begun["from"] <= c["open_time"] and c["open_time"] + SECOND <= ended["to"]]
    assert inside == []


def test_a_candle_cut_by_a_disconnect_is_incomplete_and_so_is_the_longer_one_that_holds_it(feed_daemon):
    feed = feed_daemon(SHORT)
    stream = feed.daemon.subscriber("closed.*.TEST")
    feed.ticks((wall_ms(), 100, 1))
    whole = stream.wait_candle("closed", "S1", complete=True)
    now = wall_ms()
    feed.ticks((now, 101, 1))
    feed.connection.drop()
    feed.exchange.connection(number=2)
    ended = stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end of the gap")
    feed.ticks((wall_ms(), 102, 1))
    at = model.open_time(ended["from"], "S5")
    long = stream.wait_candle("closed", "S5", at)
    assert long["complete"] is False
    short = stream.wait_candle("closed", "S1", model.open_time(ended["from"], "S1"))
    assert short["complete"] is False and whole["complete"] is True


def test_silence_is_the_reason_of_a_gap(feed_daemon):
    feed = feed_daemon(SHORT, silence="700ms")
    stream = feed.daemon.subscriber("closed.S1.TEST")
    feed.ticks((wall_ms(), 100, 1))
    gap = stream.wait(lambda m: m["type"] == "gap", "the gap")
    assert gap["reason"] == "silence"


def test_two_feeds_of_a_symbol_are_replicas_so_the_loss_of_one_is_no_gap(make_daemon, exchange):
    entries = [{"name": name, "url": exchange.url(f"/{name}"), "format": "csv", "symbol": "TEST"} for name in "ab"]
    daemon = make_daemon({**SHORT, "feeds": entries}).start().wait_ready()
    a, b = (TickFeed(daemon, exchange, name, f"/{name}") for name in "ab")
    exchange.connection("/a"), exchange.connection("/b")
    stream = daemon.subscriber("closed.S1.TEST")
    a.ticks((wall_ms(), 100, 1))
    exchange.refusing = True
    a.connection.drop()
    eventually(lambda: daemon.get("/v1/status").json["feeds"][0]["state"] != "connected", "the loss")
    now = wall_ms()
    b.ticks((now, 101, 1))
    candle = stream.wait_candle("closed", "S1", model.open_time(now, "S1") + SECOND)
    assert candle["complete"] is True
    assert gaps(daemon) == [] and stream.of("gap") == []
    b.connection.drop()
    assert stream.wait(lambda m: m["type"] == "gap")["reason"] == "disconnect"


def test_a_gap_is_replayed_with_since_and_goes_to_whoever_has_a_topic_of_the_symbol(feed_daemon):
    feed = feed_daemon(SHORT)
    stream, stranger = feed.daemon.subscriber(), feed.daemon.subscriber("closed.*.OTHER")
    answer = stream.subscribe("candle.S5.TEST")
    feed.ticks((wall_ms(), 100, 1))
    feed.connection.drop()
    feed.exchange.connection(number=2)
    ended = stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end of the gap")
    again = feed.daemon.subscriber("closed.*.*", since={"epoch": answer["epoch"], "version": answer["version"]})
    replayed = again.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the replayed gap")
    assert replayed == ended
    stranger.sync()
    assert stranger.of("gap") == []


def test_a_disconnect_of_a_symbol_that_never_had_a_tick_makes_no_candle(feed_daemon):
    feed = feed_daemon(SHORT)
    feed.connection.drop()
    feed.exchange.connection(number=2)
    assert feed.daemon.candles("TEST", "S1", forming=1) == []


def test_a_process_that_stood_still_for_seconds_settles_what_is_due_once_and_in_order(feed_daemon):
    feed = feed_daemon(SHORT)
    stream = feed.daemon.subscriber("closed.*.TEST")
    feed.ticks((wall_ms(), 100, 1))
    stream.wait_candle("closed", "S1")
    stopped = wall_ms()
    feed.daemon.pause()
    eventually(lambda: wall_ms() > stopped + 4000, "four seconds")
    feed.send(f"{stopped + 2500},120,1")
    feed.daemon.resume()
    stream.wait_candle("closed", "S1", model.open_time(stopped, "S1") + 6 * SECOND)
    for timeframe in ("S1", "S5"):
        times = [c["open_time"] for c in stream.candles("closed", topic=f"closed.{timeframe}.TEST")]
        assert times == list(range(times[0], times[-1] + 1, model.INTERVALS[timeframe]))
    hit = model.open_time(stopped + 2500, "S1")
    assert [c["close"] for c in feed.daemon.candles("TEST", "S1") if c["open_time"] == hit] == [120]
    versions = [c["version"] for c in stream.candles("closed", "corrected")]
    assert versions == sorted(set(versions))


def test_a_hole_in_contiguous_ids_is_a_gap_and_clears_complete(feed_daemon):
    """S38: three trades are missing, and nobody sent them within the grace."""
    feed = feed_daemon({"timeframes": ["S1", "S5"], "settlement": {"grace": "300ms"}}, contiguous_ids=True)
    stream = feed.daemon.subscriber("closed.*.TEST")
    feed.ticks((wall_ms(), 100, 1, 100))
    stream.wait_candle("closed", "S1", complete=True)
    before = wall_ms()
    feed.ticks((before, 100, 1, 101))
    after = wall_ms()
    feed.ticks((after, 101, 1, 105))
    gap = stream.wait(lambda m: m["type"] == "gap", "the gap")
    assert gap["reason"] == "missed_trades"
    assert before <= gap["from"] <= after
    touched = model.open_time(after, "S5")
    stream.wait_candle(("closed", "corrected"), "S5", touched, complete=False)


def test_a_hole_in_contiguous_ids_that_is_filled_within_the_grace_is_no_gap(feed_daemon):
    feed = feed_daemon({"timeframes": ["S1", "S5"], "settlement": {"grace": "2s"}}, contiguous_ids=True)
    stream = feed.daemon.subscriber("closed.*.TEST")
    now = wall_ms()
    feed.ticks((now, 100, 1, 100))
    feed.ticks((now + 2, 101, 1, 103))
    feed.ticks((now + 1, 101, 1, 102), (now, 101, 1, 101))
    at = model.open_time(now, "S1")
    stream.wait_candle("closed", "S1", at + 3 * SECOND)
    assert gaps(feed.daemon) == [] and stream.of("gap") == []


def test_an_answer_has_the_newest_gaps_and_older_ones_are_paged_through(make_daemon):
    """However many there are, an answer is bounded."""
    daemon = make_daemon().start()
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    producer.send(f"{wall_ms()},1")
    producer.ack(1)
    producer.close()
    daemon.stop()
    begin, count = 1_600_000_000_000, 12_000
    with contextlib.closing(sqlite3.connect(daemon.database)) as database, database:
        database.executemany(
            "INSERT INTO gap VALUES ('TEST', ?, ?, 'missed_trades', 0, ?)", [(begin + i * 1000, begin + i * 1000 + 5, i + 1) for i in range(count)])
    daemon.start()
    newest = gaps(daemon)
    assert len(newest) == 1_000 and newest[0]["from"] > begin and newest[-1]["reason"] != "missed_trades"
    found, at = [], 0
    while page := daemon.get("/v1/gaps", symbol="TEST", **{"from": at}, limit=10_000).json["gaps"]:
        found += page
        at = page[-1]["from"] + 1
    assert [gap["from"] for gap in found if gap["reason"] == "missed_trades"] == [begin + i * 1000 for i in range(count)]
    assert found[-1000:] == newest
    page = daemon.get("/v1/gaps", symbol="TEST", to=begin + 5_000, limit=2).json["gaps"]
    assert [gap["from"] for gap in page] == [begin + 3_000, begin + 4_000]
    assert len(daemon.get("/v1/gaps").json["gaps"]) == 1_000
    for wrong in ({"limit": 10_001}, {"limit": 0}, {"symbol": "TEST", "from": "x"}, {"from": 1}):
        answer = daemon.get("/v1/gaps", **wrong)
        assert (answer.status, answer.json["error"]["code"]) == (400, "bad_parameter"), wrong


CONTIGUOUS = {"timeframes": ["S1", "S5"], "settlement": {"grace": "200ms", "correction_window": "0s"}}


def silent_loss(feed, stream):
    """A trade, seconds without one, and a connection that is found dead; returns when the trade was, and the gap."""
    at = wall_ms()
    feed.ticks((at, 100, 1, 100))
    # Candles that a late tick may correct are in memory; these are not any more.
    stream.wait_candle("closed", "S1", model.open_time(at, "S1") + 4 * SECOND, complete=True)
    feed.exchange.refusing = True
    feed.connection.drop()
    gap = stream.wait(lambda m: m["type"] == "gap" and m["to"] is None, "the gap")
    return at, gap["from"]


def test_trades_lost_before_the_loss_of_the_connection_was_noticed_clear_complete(feed_daemon):
    """Rule 8: the first id behind a gap tells that trades were missed, and they may lie before the gap."""
    feed = feed_daemon(CONTIGUOUS, contiguous_ids=True)
    stream = feed.daemon.subscriber("closed.*.TEST")
    at, lost = silent_loss(feed, stream)
    feed.exchange.refusing = False
    feed.exchange.connection(number=2)
    stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end of the gap")
    feed.ticks((wall_ms(), 101, 1, 103))
    missed = stream.wait(lambda m: m["type"] == "gap" and m["reason"] == "missed_trades", "the missed trades")
    assert (missed["from"], missed["to"]) == (at, lost)
    begin = model.open_time(at, "S1")
    # The first one may hold the start.
    for open_time in range(begin + SECOND, begin + 5 * SECOND, SECOND):
        stream.wait_candle("corrected", "S1", open_time, complete=False, revision=1)
    rows = feed.daemon.sql(
        "SELECT complete FROM candles WHERE timeframe = 'S1' AND open_time BETWEEN ? AND ?", begin, lost)
    assert len(rows) >= 5 and not any(row["complete"] for row in rows)
    longer = feed.daemon.sql("SELECT complete FROM candles WHERE timeframe = 'S5' AND open_time <= ?", lost)
    assert not any(row["complete"] for row in longer)
    assert {(g["from"], g["reason"]) for g in gaps(feed.daemon)} == {(at, "missed_trades"), (lost, "disconnect")}


def test_where_ids_go_on_behind_a_gap_nothing_was_missed_before_it(feed_daemon):
    feed = feed_daemon(CONTIGUOUS, contiguous_ids=True)
    stream = feed.daemon.subscriber("closed.*.TEST")
    at, lost = silent_loss(feed, stream)
    feed.exchange.refusing = False
    feed.exchange.connection(number=2)
    stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end of the gap")
    now = wall_ms()
    feed.ticks((now, 101, 1, 101))
    stream.wait_candle("closed", "S1", model.open_time(now, "S1") + 2 * SECOND)
    assert [g["reason"] for g in gaps(feed.daemon)] == ["disconnect"]
    begin = model.open_time(at, "S1")
    whole = feed.daemon.candles("TEST", "S1", **{"from": begin + SECOND, "to": model.open_time(lost, "S1")})
    assert whole and all(c["complete"] and c["revision"] == 0 for c in whole)


def test_trades_lost_before_a_kill_clear_complete(feed_daemon):
    """The ids go on over a restart, from the journal."""
    feed = feed_daemon(CONTIGUOUS, contiguous_ids=True)
    stream = feed.daemon.subscriber("closed.*.TEST")
    at, lost = silent_loss(feed, stream)
    feed.daemon.process.kill()
    feed.daemon.process.wait()
    feed.exchange.refusing = False
    feed.daemon.start().wait_ready()
    feed.exchange.connection(number=2)
    stream = feed.daemon.subscriber("closed.*.TEST")
    feed.ticks((wall_ms(), 101, 1, 103))
    missed = stream.wait(lambda m: m["type"] == "gap" and m["reason"] == "missed_trades", "the missed trades")
    assert (missed["from"], missed["to"]) == (at, lost)
    begin = model.open_time(at, "S1")
    stream.wait_candle("corrected", "S1", begin + 2 * SECOND, complete=False, revision=1)
