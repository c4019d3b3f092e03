"""Feeds: how the daemon dials, subscribes, redials and verifies (contract, section 2)."""

import time

import pytest

from support import tls
from support.daemon import TickFeed
from support.model import MINUTE
from support.waiting import eventually, wall_ms

AHEAD = {"settlement": {"max_ahead": "1d"}, "timeframes": ["M1"], "stream": {"forming_interval": "0ms"}}


def minute_ahead(minutes=10):
    return (wall_ms() // MINUTE + minutes) * MINUTE


def test_a_single_text_to_subscribe_is_sent_after_connecting(feed_daemon):
    feed = feed_daemon(subscribe="hello exchange")
    eventually(lambda: feed.connection.received == ["hello exchange"], "the subscription")


def test_a_list_of_texts_to_subscribe_is_sent_in_its_order_and_again_after_every_redial(feed_daemon):
    texts = ['{"op":"subscribe","channel":"trades"}', "second ✓", "third"]
    feed = feed_daemon(subscribe=texts)
    eventually(lambda: feed.connection.received == texts, "the subscriptions")
    feed.connection.drop()
    again = feed.exchange.connection(number=2)
    eventually(lambda: again.received == texts, "the subscriptions of the second connection")


def test_pings_of_the_exchange_are_answered(feed_daemon):
    feed = feed_daemon()
    feed.connection.ping()


def test_pings_are_answered_while_ticks_flow(feed_daemon):
    """S112."""
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    for _ in range(50):
        feed.send("\n".join([f"{at},100,1"] * 1000))
    feed.connection.ping()
    feed.wait(50_000)


@pytest.mark.parametrize("how", ["drop", "close"])
def test_a_feed_that_ends_is_dialled_again_and_goes_on(feed_daemon, how):
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(f"{at},100,1")
    getattr(feed.connection, how)()
    feed.exchange.connection(number=2)
    feed.ticks(f"{at},101,1")
    candle = feed.daemon.candles("TEST", "M1", forming=1)[-1]
    assert (candle["ticks"], candle["close"]) == (2, 101)


def test_an_exchange_that_is_not_there_yet_is_found_when_it_comes(make_daemon, make_exchange):
    exchange = make_exchange()
    exchange.shut()
    daemon = make_daemon({"feeds": [{"name": "f", "url": exchange.url(), "format": "csv", "symbol": "TEST"}]}).start()
    answer = eventually(lambda: (r := daemon.get("/readyz")).status == 503 and r, "a failed dial")
    assert answer.text.strip()
    exchange.open()
    daemon.wait_ready()
    assert exchange.connection().is_open


def test_redials_back_off_with_growing_delays(feed_daemon):
    feed = feed_daemon(start=False)
    feed.exchange.refusing = True
    feed.daemon.start()
    eventually(lambda: len(feed.exchange.attempts) >= 5, "five attempts")
    times = [at for at, _ in feed.exchange.attempts]
    delays = [later - earlier for earlier, later in zip(times, times[1:])]
    assert delays[0] > 0.05, f"redials follow each other at once: {delays}"
    assert delays[3] > delays[0], f"delays do not grow: {delays}"
    assert feed.daemon.get("/readyz").status == 503


def test_two_daemons_do_not_redial_in_step(make_daemon, exchange):
    """The backoff has jitter: of two daemons at one exchange the delays differ."""
    exchange.refusing = True
    daemons = []
    for name in "ab":
        entry = {"name": "f", "url": exchange.url(f"/{name}"), "format": "csv", "symbol": "TEST"}
        daemons.append(make_daemon({"feeds": [entry]}).start())

    def delays(path):
        times = [at for at, tried in exchange.attempts if tried == path]
        return [later - earlier for earlier, later in zip(times, times[1:])][:3]

    eventually(lambda: len(delays("/a")) == 3 and len(delays("/b")) == 3, "four attempts each")
    assert max(abs(a - b) for a, b in zip(delays("/a"), delays("/b"))) > 0.005


def test_a_socket_without_a_message_for_so_long_is_dropped_and_dialled_again(feed_daemon):
    feed = feed_daemon(silence="500ms")
    feed.exchange.connection(number=3)
    assert not feed.exchange.of()[0].is_open


def test_messages_keep_a_socket_from_being_silent(feed_daemon):
    feed = feed_daemon(silence="3s")
    end = time.monotonic() + 5
    while time.monotonic() < end:
        feed.send(f"{wall_ms()},100,1")
        time.sleep(0.1)
    assert len(feed.exchange.of()) == 1


def test_silence_0_never_drops_a_socket(feed_daemon):
    feed = feed_daemon(silence=0)
    time.sleep(1.5)
    assert len(feed.exchange.of()) == 1 and feed.connection.is_open


def test_a_certificate_of_a_private_authority_is_trusted_with_ca(feed_daemon, make_exchange, make_daemon, tmp_path):
    ca = tls.authority(tmp_path)
    exchange = make_exchange(ssl=tls.server_context(tmp_path))
    entry = {"name": "f", "url": exchange.url(), "format": "csv", "symbol": "TEST", "ca": str(ca)}
    daemon = make_daemon({"feeds": [entry], **AHEAD}).start().wait_ready()
    feed = TickFeed(daemon, exchange)
    at = minute_ahead()
    feed.ticks(f"{at},100,1")
    assert daemon.candles("TEST", "M1", forming=1)[-1]["close"] == 100


def refused_certificate(make_exchange, make_daemon, context, **feed):
    exchange = make_exchange(ssl=context)
    entry = {"name": "f", "url": exchange.url(), "format": "csv", "symbol": "TEST", **feed}
    daemon = make_daemon({"feeds": [entry]}).start()
    eventually(lambda: "not connected" in daemon.log(), "the failed dial in the log")
    assert exchange.attempts == [] and exchange.connections == []
    assert daemon.get("/readyz").status == 503
    return daemon


def test_a_certificate_of_an_unknown_authority_is_refused(make_exchange, make_daemon, tmp_path):
    tls.authority(tmp_path)
    refused_certificate(make_exchange, make_daemon, tls.server_context(tmp_path))


def test_a_certificate_of_another_authority_than_ca_is_refused(make_exchange, make_daemon, tmp_path):
    tls.authority(tmp_path)
    other = tls.authority(tmp_path, "other")
    refused_certificate(make_exchange, make_daemon, tls.server_context(tmp_path), ca=str(other))


def test_a_certificate_for_another_host_is_refused(make_exchange, make_daemon, tmp_path):
    ca = tls.authority(tmp_path)
    context = tls.server_context(tmp_path, host="DNS:elsewhere.example,IP:127.0.0.2")
    refused_certificate(make_exchange, make_daemon, context, ca=str(ca))


def test_a_duplicate_id_is_known_over_reconnects(feed_daemon):
    """S63: old trades arrive on each connect; only new ones are added, older ones fill holes."""
    feed = feed_daemon(AHEAD)
    at = minute_ahead()
    feed.ticks(f"{at},100,1,1", f"{at},101,1,2", f"{at},102,1,5")
    feed.connection.drop()
    feed.exchange.connection(number=2)
    feed.ticks(f"{at},100,1,1", f"{at},101,1,2", f"{at},103,1,3", f"{at},102,1,5", f"{at},104,1,6")
    assert feed.daemon.refused() == {"duplicate": 3}
    candle = feed.daemon.candles("TEST", "M1", forming=1)[-1]
    assert (candle["volume"], candle["open"], candle["close"]) == (5, 100, 104)


def two_feeds(make_daemon, exchange, **more):
    entries = [{"name": name, "url": exchange.url(f"/{name}"), "format": "csv", "symbol": "TEST"} for name in "ab"]
    daemon = make_daemon({"feeds": entries, **AHEAD, **more}).start().wait_ready()
    feeds = [TickFeed(daemon, exchange, name, f"/{name}") for name in "ab"]
    for feed in feeds:
        exchange.connection(feed.path)
    return daemon, *feeds


def test_two_csv_feeds_of_a_symbol_are_one_venue_for_trade_ids(make_daemon, exchange):
    daemon, a, b = two_feeds(make_daemon, exchange)
    at = minute_ahead()
    a.ticks(f"{at},100,1,1", f"{at},101,1,2")
    b.ticks(f"{at},100,1,1", f"{at},102,1,3")
    assert daemon.refused("b") == {"duplicate": 1}
    assert daemon.candles("TEST", "M1", forming=1)[-1]["volume"] == 3


def test_a_daemon_with_one_feed_of_two_connected_is_ready(make_daemon, exchange, make_exchange):
    gone = make_exchange()
    gone.shut()
    entries = [
        {"name": "a", "url": exchange.url(), "format": "csv", "symbol": "TEST"},
        {"name": "b", "url": gone.url(), "format": "csv", "symbol": "TEST"},
    ]
    make_daemon({"feeds": entries}).start().wait_ready()
