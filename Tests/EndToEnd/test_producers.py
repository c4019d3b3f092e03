"""Producers on `/v1/ingest` (contract, section 2)."""

import socket
import urllib.parse

import pytest

from support import model
from support.model import MINUTE, SECOND
from support.producer import Producer, Refused
from support.waiting import eventually, wall_ms

BY_TICK = {"timeframes": ["M1", "M5"], "settlement": {"max_ahead": "1d"}, "stream": {"forming_interval": 0}}


def ahead(intervals=2):
    return (wall_ms() // (15 * MINUTE) + intervals) * 15 * MINUTE


@pytest.fixture
def produce(make_daemon):
    """Starts a daemon and connects producers to it."""
    made = []

    class Maker:
        def __init__(self):
            self.daemon = None

        def start(self, **configuration):
            self.daemon = make_daemon({**BY_TICK, **configuration}).start()
            return self.daemon

        def __call__(self, path="", query="?ack=1", **options):
            if self.daemon is None:
                self.start()
            made.append(Producer(self.daemon.port, path, query, **options))
            return made[-1]

    yield Maker()
    for producer in made:
        producer.close()


def forming(daemon, symbol="TEST", timeframe="M1"):
    return daemon.candles(symbol, timeframe, forming=1)[-1]


def test_a_producer_of_a_symbol_sends_the_text_format(produce):
    producer = produce("/TEST")
    at = ahead()
    producer.send(f"{at},100,1\n{at},101,2,7")
    assert producer.ack(1) == {"type": "ack", "frame": 1, "ticks": 2, "refused": 0}
    candle = forming(produce.daemon)
    assert (candle["close"], candle["volume"]) == (101, 3)


def test_a_producer_of_many_symbols_names_each(produce):
    producer = produce()
    at = ahead()
    producer.send(f"AAA,{at},100,1\nBBB,{at},200,2,7\nBTC/USD,{at},300")
    assert producer.ack(1)["ticks"] == 3
    assert forming(produce.daemon, "BBB")["close"] == 200
    assert forming(produce.daemon, "BTC/USD")["close"] == 300
    assert {one["symbol"] for one in produce.daemon.get("/v1/symbols").json["symbols"]} == {"AAA", "BBB", "BTC/USD"}


def test_a_symbol_in_the_path_is_percent_encoded(produce):
    producer = produce("/" + urllib.parse.quote("BTC/USD:x", safe=""))
    producer.send(f"{ahead()},100,1")
    producer.ack(1)
    assert forming(produce.daemon, "BTC/USD:x")["close"] == 100


@pytest.mark.parametrize("path", ["/-X", "/A%20B", "/" + "X" * 65, "/A,B"])
def test_a_symbol_that_is_none_is_refused_before_the_upgrade(produce, path):
    with pytest.raises(Refused) as caught:
        produce(path)
    assert 400 <= caught.value.status < 500
    assert produce.daemon.get("/v1/symbols").json["symbols"] == []


def test_frames_are_counted_per_connection_and_acknowledged_in_their_order(produce):
    one, other = produce("/TEST"), produce("/TEST")
    at = ahead()
    for number in range(50):
        one.send(f"{at + number},100,1")
    other.send(f"{at},100,1")
    assert other.ack(1)["frame"] == 1
    one.ack(50)
    assert [m["frame"] for m in one.messages] == list(range(1, 51))


def test_without_ack_nothing_is_answered(produce):
    producer = produce("/TEST", query="")
    producer.send(f"{ahead()},100,1", "nonsense")
    eventually(lambda: produce.daemon.refused("ingest") == {"malformed": 1}, "the refusal")
    assert forming(produce.daemon)["close"] == 100
    assert producer.messages == []


def test_an_acknowledgement_counts_what_was_refused_and_each_refused_line_is_answered(produce):
    producer = produce("/TEST")
    at = ahead()
    producer.send(f"{at},100,1", f"{at},100,1\n\nnonsense\n{at},0,1\n{at},101,1")
    assert producer.ack(2) == {"type": "ack", "frame": 2, "ticks": 2, "refused": 2}
    errors = [m for m in producer.messages if m["type"] == "error"]
    assert [(m["code"], m["frame"], m["line"]) for m in errors] == [("malformed", 2, 3), ("bad_price", 2, 4)]
    assert all(m["message"] for m in errors)
    assert produce.daemon.refused("ingest") == {"malformed": 1, "bad_price": 1}


def test_at_most_ten_refused_lines_of_a_frame_are_answered(produce):
    producer = produce("/TEST")
    producer.send("\n".join(["nonsense"] * 25), "nonsense")
    assert producer.ack(1) == {"type": "ack", "frame": 1, "ticks": 0, "refused": 25}
    producer.ack(2)
    errors = [m["frame"] for m in producer.messages if m["type"] == "error"]
    assert errors == [1] * 10 + [2]


def test_an_empty_frame_is_acknowledged_with_nothing(produce):
    producer = produce("/TEST")
    producer.send("", "\n\n", b"")
    assert [producer.ack(number) for number in (1, 2, 3)] == [
        {"type": "ack", "frame": number, "ticks": 0, "refused": 0} for number in (1, 2, 3)]


@pytest.mark.parametrize("line, code", [
    ("{at}", "malformed"), ("soon,1,1", "bad_timestamp"), ("{at},x,1", "bad_price"), ("{at},1,x", "bad_volume"),
    ("{at},1.2345678901234567890,1", "precision"), ("{far},1,1", "too_far_ahead"), ("{old},1,1", "too_late"), ("{at},1,1,1", "duplicate"),
])
def test_the_reasons_are_those_of_feeds(produce, line, code):
    producer = produce("/TEST")
    at = ahead()
    producer.send(f"{at},1,1,1", line.format(at=at, far=wall_ms() + 2 * model.DAY, old=wall_ms() - 10 * MINUTE))
    assert producer.ack(2)["refused"] == 1
    assert [m["code"] for m in producer.messages if m["type"] == "error"] == [code]


def test_all_producers_are_one_venue_for_trade_ids(produce):
    one, other = produce("/TEST"), produce("")
    at = ahead()
    one.send(f"{at},100,1,1")
    one.ack(1)
    other.send(f"TEST,{at},100,1,1\nTEST,{at},100,1,2")
    assert other.ack(1) == {"type": "ack", "frame": 1, "ticks": 1, "refused": 1}
    assert forming(produce.daemon)["volume"] == 2


def test_a_producer_and_a_feed_are_two_venues_for_trade_ids(produce, exchange):
    daemon = produce.start(feeds=[{"name": "f", "url": exchange.url(), "format": "csv", "symbol": "TEST"}])
    daemon.wait_ready()
    at = ahead()
    exchange.connection().send(f"{at},100,1,1")
    eventually(lambda: daemon.accepted() == 1, "the tick of the feed")
    producer = produce("/TEST")
    producer.send(f"{at},100,1,1")
    assert producer.ack(1)["ticks"] == 1


def test_an_acknowledged_closed_candle_is_published_as_any_other(produce):
    daemon = produce.start()
    stream = daemon.subscriber("closed.M1.*")
    producer = produce("/TEST")
    at = ahead()
    producer.send(f"{at},100,1", f"{at + MINUTE},101,1")
    assert stream.wait_candle("closed", "M1", at, "TEST")["close"] == 100


def test_a_symbol_that_appears_later_is_on_wildcard_topics(produce):
    daemon = produce.start()
    stream = daemon.subscriber("candle.*.*")
    one = daemon.subscriber("closed.M1.NEW")
    producer = produce("")
    at = ahead()
    producer.send(f"NEW,{at},100,1\nNEW,{at + MINUTE},101,1")
    stream.wait_candle("closed", "M1", at, "NEW")
    stream.wait_candle("forming", "M1", at + MINUTE, "NEW")
    one.wait_candle("closed", "M1", at, "NEW")


def test_more_symbols_than_the_limit_are_refused_as_unknown(produce):
    produce.start(limits={"symbols": 3})
    producer = produce("")
    at = ahead()
    producer.send("\n".join(f"S{number},{at},100,1" for number in range(5)))
    assert producer.ack(1) == {"type": "ack", "frame": 1, "ticks": 3, "refused": 2}
    assert {m["code"] for m in producer.messages if m["type"] == "error"} == {"unknown_symbol"}


def test_a_bad_symbol_is_malformed(produce):
    producer = produce("")
    at = ahead()
    producer.send(f"A B,{at},100,1\n,{at},100,1\n-X,{at},100,1\n{'X' * 65},{at},100,1\n{'X' * 64},{at},100,1")
    assert producer.ack(1) == {"type": "ack", "frame": 1, "ticks": 1, "refused": 4}
    assert produce.daemon.refused("ingest") == {"malformed": 4}


# Who may


def test_with_tokens_a_producer_needs_one_and_401_says_so_before_the_upgrade(produce):
    produce.start(ingest={"tokens": ["first", "second"]})
    for query, headers in [("", {}), ("?token=wrong", {}), ("?token=", {}), ("", {"Authorization": "Bearer wrong"}), ("", {"Authorization": "first"})]:
        with pytest.raises(Refused) as caught:
            produce("/TEST", query=query, additional_headers=headers)
        assert caught.value.status == 401
    for query, headers in [("?ack=1&token=first", {}), ("?ack=1", {"Authorization": "Bearer second"})]:
        producer = produce("/TEST", query=query, additional_headers=headers)
        producer.send(f"{ahead()},1,1")
        assert producer.ack(1)["ticks"] == 1
    assert "second" not in produce.daemon.log()


def test_a_handshake_with_an_origin_is_403_unless_it_is_listed(produce):
    produce.start(ingest={"allowed_origins": ["https://good.example"]})
    with pytest.raises(Refused) as caught:
        produce("/TEST", origin="https://evil.example")
    assert caught.value.status == 403
    producer = produce("/TEST", origin="https://good.example")
    producer.send(f"{ahead()},1,1")
    assert producer.ack(1)["ticks"] == 1


def test_a_get_of_the_ingest_path_is_refused(produce):
    assert 400 <= produce.start().get("/v1/ingest/TEST").status < 500


# Limits


def test_a_message_over_the_limit_closes_with_1009_and_others_go_on(produce):
    produce.start(limits={"max_message": "1KiB"})
    big, small = produce("/TEST"), produce("/TEST")
    at = ahead()
    big.send("\n".join([f"{at},100,1"] * 200))
    assert big.wait_end() == 1009
    small.send(f"{at},100,1")
    assert small.ack(1)["ticks"] == 1


def test_a_message_over_the_limit_in_fragments_closes_with_1009(produce):
    produce.start(limits={"max_message": "1KiB"})
    producer = produce("/TEST")
    at = ahead()
    try:
        producer.socket.send(f"{at},100,1\n" for _ in range(200))
    except Exception:
        pass
    assert producer.wait_end() == 1009


def raw_producer(port, path, receive_buffer=None):
    """A socket after its handshake, for what no client library would do."""
    raw = socket.socket()
    if receive_buffer:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    raw.settimeout(30)
    raw.connect(("127.0.0.1", port))
    raw.sendall((
        f"GET /v1/ingest{path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += raw.recv(1)
    return raw


def test_text_that_is_no_utf8_closes_with_1007(produce):
    raw = raw_producer(produce.start().port, "/TEST")
    raw.sendall(bytes([0x81, 0x83, 0, 0, 0, 0]) + b"\xff\xfe1")
    frame = raw.recv(4)
    assert frame[0] == 0x88 and int.from_bytes(frame[2:4], "big") == 1007
    raw.close()


def test_a_producer_that_does_not_read_its_answers_harms_nobody(produce):
    daemon = produce.start()
    raw = raw_producer(daemon.port, "/DEAF?ack=1", receive_buffer=4096)
    raw.settimeout(1)
    at = ahead()
    line = f"{at},1,1".encode()
    frame = bytes([0x82, 0x80 | len(line), 0, 0, 0, 0]) + line
    try:
        for _ in range(300):
            raw.sendall(frame * 1000)
    except TimeoutError:
        pass
    producer = produce("/TEST")
    for number in range(20):
        producer.send(f"{at},100,1")
        producer.ack(number + 1)
    raw.close()


def test_text_pings_of_a_producer_are_answered(produce):
    producer = produce("/TEST")
    assert producer.socket.ping().wait(30)


def test_a_symbol_is_listened_to_while_a_producer_that_has_sent_it_is_open(produce):
    daemon = produce.start(timeframes=["S1"], settlement={"grace": "100ms"})
    stream = daemon.subscriber("closed.S1.TEST")
    producer = produce("")
    producer.send(f"TEST,{wall_ms()},100,1")
    whole = stream.wait_candle("closed", "S1", origin="flat")
    assert whole["complete"] is True
    producer.close()
    gap = stream.wait(lambda m: m["type"] == "gap", "the gap")
    assert (gap["symbol"], gap["reason"], gap["to"]) == ("TEST", "disconnect", None)
    begin = wall_ms()
    eventually(lambda: wall_ms() > begin + 2500, "two seconds")
    late = [c for c in daemon.candles("TEST", "S1", forming=1) if c["open_time"] > gap["from"]]
    assert late == []
    again = produce("/TEST")
    again.send(f"{wall_ms()},105,1")
    ended = stream.wait(lambda m: m["type"] == "gap" and m["to"] is not None, "the end")
    assert ended["from"] == gap["from"]


def test_many_producers_of_one_symbol_are_one_series(produce):
    daemon = produce.start()
    at = ahead()
    producers = [produce("/TEST") for _ in range(10)]
    for number in range(30):
        for place, producer in enumerate(producers):
            producer.send(f"{at + number * SECOND},{100 + place},1,{number * 10 + place}")
    for producer in producers:
        producer.ack(30)
    candle = forming(daemon)
    assert (candle["ticks"], candle["open"], candle["close"]) == (300, 100, 109)
