"""What happens at each limit of docs/limits.md: the refusal, the metric, the log line; and that others go on."""

import json
import os
import re
import socket
import time

import pytest
import websockets

from support.paths import ROOT
from support.producer import Producer
from support.stream import Subscriber
from support.waiting import PATIENCE, eventually, wall_ms


def reached(daemon, limit):
    return daemon.metrics()[f'candled_limit_reached_total{{limit="{limit}"}}']


def dialled(daemon):
    return socket.create_connection(("127.0.0.1", daemon.port), timeout=30)


def ended(connection):
    """Whether the daemon ended it, without a byte."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def assert_told(daemon, limit, count=1, rest=r"bound=\d+"):
    """That it is counted, and logged with the address and what else belongs to it."""
    eventually(lambda: reached(daemon, limit) >= count, f"the metric of {limit}")
    assert re.search(rf"a limit is reached limit={limit} address=127\.0\.0\.1 {rest} left_out=0", daemon.log()), daemon.log()


@pytest.mark.parametrize("key", ["connections", "connections_per_address"])
def test_a_connection_too_many_is_ended_and_one_that_goes_makes_room(make_daemon, key):
    daemon = make_daemon({"limits": {key: 4}}).start()

    def kept():
        """A connection that is in, and stays."""
        connection = dialled(daemon)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection if connection.recv(1) else None

    held = [eventually(kept, "a connection") for _ in range(4)]
    more = dialled(daemon)
    assert ended(more)
    for connection in held:
        connection.close()
    eventually(lambda: daemon.get("/healthz").status == 200, "room again")
    assert_told(daemon, f"limits.{key}", rest="bound=4")


def test_who_does_not_finish_the_head_is_cut_and_who_does_in_time_is_not(make_daemon):
    daemon = make_daemon({"limits": {"handshake_time": "300ms"}}).start()
    slow = dialled(daemon)
    slow.sendall(b"GET /v1/time HTTP/1.1\r\nHost: x\r\n")
    stream = daemon.subscriber("closed.*.*")
    assert ended(slow)
    assert_told(daemon, "limits.handshake_time", rest="bound=300")
    stream.sync()
    assert reached(daemon, "limits.handshake_time") == 1


def test_a_head_over_its_size_ends_its_connection_and_one_below_is_answered(make_daemon):
    daemon = make_daemon({"limits": {"header": "2KiB"}}).start()
    assert daemon.request("GET", "/v1/time", {"X-Long": "x" * 1_500}).status == 200
    for path, header in (("/" + "p" * 4_000, ""), ("/v1/time", "Origin: " + "o" * 4_000), ("/v1/stream", "Cookie: " + "c" * 9_000)):
        long = dialled(daemon)
        long.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n".encode())
        answer = b""
        try:
            while chunk := long.recv(4096):
                answer += chunk
        except ConnectionError:
            pass
        assert b" 200 " not in answer and b" 101 " not in answer, answer
    assert_told(daemon, "limits.header", rest="bound=2048")
    assert daemon.get("/v1/time").status == 200


def test_a_message_over_its_size_closes_its_connection_with_1009(make_daemon):
    daemon = make_daemon({"limits": {"max_message": "64KiB"}}).start()
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    other = Producer(daemon.port, "/TEST", "?ack=1")
    producer.send(" " * (65 << 10))
    assert producer.wait_end() == 1009
    other.send(f"{wall_ms()},1")
    assert other.ack(1)["ticks"] == 1
    other.close()
    assert_told(daemon, "limits.max_message", rest="bound=65536")


def test_beyond_its_requests_an_address_gets_429_and_when_to_come_again(make_daemon):
    daemon = make_daemon({"limits": {"requests_per_second": 5}}).start()
    stream = daemon.subscriber("closed.*.*")

    def refused():
        answer = daemon.get("/v1/time")
        return answer if answer.status == 429 else None

    answer = eventually(refused, "429", interval=0)
    assert answer.json["error"]["code"] == "too_many_requests"
    wait = int(answer.headers["Retry-After"])
    assert 1 <= wait <= 2
    # The service manager's questions are free, and who is connected notices nothing.
    assert daemon.get("/healthz").status == 200 and daemon.get("/readyz").status == 200
    stream.sync()
    time.sleep(wait)
    eventually(lambda: daemon.get("/v1/time").status == 200, "an answer after the wait")
    eventually(lambda: daemon.get("/metrics").status == 200 and reached(daemon, "limits.requests_per_second") >= 1, "the metric", interval=1)
    assert_told(daemon, "limits.requests_per_second", rest="bound=5")


def test_guesses_of_a_token_are_counted_as_requests_and_good_handshakes_are_not(make_daemon):
    daemon = make_daemon({"limits": {"requests_per_second": 5}, "stream": {"tokens": ["s3cret"]}}).start()
    url = f"ws://127.0.0.1:{daemon.port}/v1/stream?token="
    for _ in range(30):
        with Subscriber(url + "s3cret").socket:
            pass
    seen = []
    for number in range(40):
        with pytest.raises(websockets.InvalidStatus) as caught:
            Subscriber(url + f"guess{number}")
        seen.append(caught.value.response)
        if seen[-1].status_code == 429:
            break
    assert seen[0].status_code == 401 and seen[-1].status_code == 429
    assert int(seen[-1].headers["Retry-After"]) >= 1


def test_topics_and_candles_over_their_number_are_refused_counted_and_logged(make_daemon):
    daemon = make_daemon({"limits": {"topics_per_connection": 2, "snapshot": 5}}).start()
    stream = daemon.subscriber()
    answer = stream.ask({"op": "subscribe", "topics": ["candle.M1.A", "candle.M1.B", "candle.M1.C"]})
    assert answer["code"] == "too_many_topics"
    answer = stream.ask({"op": "subscribe", "topics": ["candle.M1.A"], "snapshot": 6})
    assert answer["code"] == "bad_request"
    stream.subscribe("candle.M1.A", "candle.M1.B", snapshot=5)
    assert reached(daemon, "limits.topics_per_connection") == 1 and reached(daemon, "limits.snapshot") == 1
    assert_told(daemon, "limits.topics_per_connection", rest="value=3 bound=2")
    assert_told(daemon, "limits.snapshot", rest="value=6 bound=5")


@pytest.mark.parametrize("path", [
    "/v1/stream?topic=candle.M1.A&topic=candle.M1.B&topic=candle.M1.C", "/stream?streams=a@kline_1m/b@kline_1m/c@kline_1m",
    "/ws/a@kline_1m/b@kline_1m/c@kline_1m"])
def test_an_address_that_names_too_many_topics_is_refused_counted_and_logged(make_daemon, path):
    daemon = make_daemon({"limits": {"topics_per_connection": 2}}).start()
    with pytest.raises(websockets.InvalidStatus) as caught:
        Subscriber(f"ws://127.0.0.1:{daemon.port}{path}")
    assert caught.value.response.status_code == 400 and b"too_many_topics" in caught.value.response.body
    assert_told(daemon, "limits.topics_per_connection", rest="bound=2")
    fewer = path.replace("&topic=candle.M1.C", "").replace("/c@kline_1m", "")
    with Subscriber(f"ws://127.0.0.1:{daemon.port}{fewer}").socket:
        assert reached(daemon, "limits.topics_per_connection") == 1


def test_a_reader_that_is_too_slow_is_counted_and_logged(make_daemon):
    """What it asks for and does not read counts as what it is sent."""
    daemon = make_daemon({"stream": {"max_backlog": "64KiB"}}).start()
    slow = daemon.deaf_subscriber("closed.*.*")
    # The answer repeats it.
    request = json.dumps({"op": "subscribe", "topics": ["nothing" * 2_000]})

    def cut():
        try:
            slow.send(request)
        except OSError:
            pass
        return reached(daemon, "stream.max_backlog")

    eventually(cut, "a reader that is cut", interval=0)
    assert_told(daemon, "stream.max_backlog", rest=r"value=\d{5,} bound=65536")
    assert daemon.metrics()["candled_stream_slow_consumers_total"] == 1


def test_ticks_of_a_symbol_too_many_are_refused(make_daemon):
    daemon = make_daemon({"limits": {"symbols": 2}}).start()
    producer = Producer(daemon.port, "", "?ack=1")
    now = wall_ms()
    producer.send("\n".join(f"{name},{now},1" for name in ("A", "B", "C", "D", "A")))
    assert producer.ack(1) == {"type": "ack", "frame": 1, "ticks": 3, "refused": 2}
    assert daemon.refused("ingest") == {"unknown_symbol": 2}
    assert reached(daemon, "limits.symbols") == 2 and daemon.metrics()["candled_symbols"] == 2
    assert_told(daemon, "limits.symbols", rest="symbol=C value=2 bound=2")
    producer.close()


def lines(symbol, at, count):
    return "\n".join(f"{symbol},{at + i // 1000},{1 + i % 7},1" for i in range(count))


def test_beyond_the_journals_size_ticks_are_refused_as_storage_until_there_is_room(make_daemon):
    """The correction window holds the segments; once it is over they go, and ticks are taken again."""
    daemon = make_daemon({
        "clock": {"source": "system"}, "timeframes": ["S1"], "limits": {"journal": "64MiB", "max_message": "8MiB"},
        # Long enough for what fills it.
        "settlement": {"correction_window": f"{PATIENCE * 2 / 3:.0f}s", "max_ahead": "1d", "empty_candles": "none"}}).start()
    producer = Producer(daemon.port, "", "?ack=1")
    frame = 0

    def send():
        nonlocal frame
        frame += 1
        producer.send(lines("TEST", wall_ms(), 100_000))
        return producer.ack(frame)

    assert send() == {"type": "ack", "frame": 1, "ticks": 100_000, "refused": 0}
    eventually(lambda: send()["refused"] == 100_000, "refused ticks", interval=0)
    assert {message["code"] for message in producer.messages if message["type"] == "error"} == {"storage"}
    answer = daemon.get("/readyz")
    assert answer.status == 503 and "limits.journal is reached" in answer.text
    assert reached(daemon, "limits.journal") >= 100_000
    assert "no more ticks are taken until there is room limit=limits.journal" in daemon.log()
    assert re.search(r"tick refused feed=ingest reason=storage .* limit=limits\.journal", daemon.log())
    assert daemon.metrics()["candled_journal_bytes"] < 400 << 20
    eventually(lambda: daemon.get("/readyz").status == 200, "room", timeout=PATIENCE * 3, interval=0.2)
    assert send()["refused"] == 0
    assert "there is room again" in daemon.log()
    producer.close()


def test_beyond_the_databases_size_ticks_are_refused_as_storage_until_the_limit_is_raised(make_daemon):
    daemon = make_daemon({
        "clock": {"source": "feed"}, "timeframes": ["S1"], "limits": {"database": "1MiB"}, "settlement": {"empty_candles": "none"},
        "indicators": {"ma": [5]}}).start()
    producer = Producer(daemon.port, "", "?ack=1")
    at, frame = 1_600_000_000_000, 0

    def send():
        nonlocal at, frame
        frame += 1
        producer.send("\n".join(f"TEST,{at + i * 1000},1" for i in range(2_000)))
        at += 2_000_000
        return producer.ack(frame)

    assert send()["refused"] == 0
    eventually(lambda: send()["refused"] == 2_000, "refused ticks")
    answer = daemon.get("/readyz")
    assert answer.status == 503 and "limits.database is reached" in answer.text
    assert daemon.metrics()["candled_store_bytes"] > 1 << 20
    assert reached(daemon, "limits.database") >= 2_000
    daemon.configuration["limits"]["database"] = "1GiB"
    daemon.reload()
    eventually(lambda: send()["refused"] == 0, "ticks that are taken")
    assert daemon.get("/readyz").status == 200
    producer.close()


def test_every_limit_of_the_metric_is_in_the_documentation(make_daemon):
    daemon = make_daemon().start()
    found = {match.group(1) for name in daemon.metrics() if (match := re.fullmatch(r'candled_limit_reached_total\{limit="(.*)"\}', name))}
    text = open(os.path.join(ROOT, "docs", "limits.md")).read()
    rows = set(re.findall(r"^\| `([a-z_.]+)` \|", text, re.MULTILINE))
    assert found and found <= rows and all(row.startswith(("limits.", "stream.")) for row in rows)
