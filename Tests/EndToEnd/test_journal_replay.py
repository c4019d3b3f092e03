"""Stream = batch, checked by the operator: `replay` reads the segments that `journal.keep` holds (contract, section 8)."""

import random
import signal
import time

from support.daemon import candled, sql
from support.waiting import wall_ms

QUERY = """SELECT timeframe, open_time, open, high, low, close, volume, turnover, ticks, complete, origin FROM candles
           WHERE open_time < ? ORDER BY timeframe, open_time"""


def test_the_candles_of_a_daemon_equal_a_replay_of_its_journal(feed_daemon):
    feed = feed_daemon({
        "timeframes": ["S1", "S5"], "journal": {"keep": "1h"},
        "settlement": {"grace": "200ms", "correction_window": "3s"}})
    chance = random.Random(3)
    for round in range(3):
        for _ in range(60):
            at = wall_ms() - chance.choice([0, 0, 0, 0, 700, 1900])
            feed.connection.send(f"{at},{100 + chance.randint(-50, 50) / 10},{chance.randint(1, 9)}")
            time.sleep(0.05)
        if round == 0:
            number = len(feed.exchange.of())
            feed.connection.drop()
            feed.exchange.connection(number=number + 1)
        if round == 1:
            feed.daemon.stop(signal.SIGKILL)
            number = len(feed.exchange.of())
            feed.daemon.start().wait_ready()
            feed.exchange.connection(number=number + 1)
    assert feed.daemon.stop() == 0
    replayed = feed.daemon.folder / "replayed.db"
    done = candled(
        "replay", "--db", replayed, "--timeframes", "S1,S5", "--correction-window", "3s",
        feed.daemon.folder / "candles.db.journal")
    assert done.code == 0, done.error
    last = sql(feed.daemon.database, "SELECT max(open_time) AS last FROM candles WHERE timeframe = 'S1'")[0]["last"]
    until = last // 5_000 * 5_000
    expected = sql(replayed, QUERY, until)
    assert sql(feed.daemon.database, QUERY, until) == expected
    assert len(expected) > 5 and any(row["complete"] == 0 for row in expected)


def test_what_is_no_journal_is_said(tmp_path):
    (tmp_path / "empty").mkdir()
    done = candled("replay", "--db", tmp_path / "a.db", tmp_path / "empty")
    assert done.code == 65 and "journal" in done.error
