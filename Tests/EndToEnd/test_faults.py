"""Faults leave a metric and a line in the log that somebody can act on, also where nothing is done about them at once."""

import re
import struct
import subprocess

import pytest
import websockets
from websockets.sync.client import connect

from support.paths import HERE
from support.producer import Producer
from support.stream import Subscriber
from support.waiting import eventually, wall_ms


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    library = tmp_path_factory.mktemp("shim") / "set_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "support" / "set_clock.c", "-ldl"], check=True)
    return library


def lines(daemon, text):
    return [line for line in daemon.log().splitlines() if text in line]


def test_a_clock_that_is_set_is_told(make_daemon, tmp_path, shim):
    clock = tmp_path / "clock"

    def set_by(seconds):
        # In place: the daemon has it in its memory.
        with open(clock, "r+b" if clock.exists() else "wb") as file:
            file.write(struct.pack("q", seconds * 1000))

    set_by(0)
    daemon = make_daemon()
    daemon.environment = {"LD_PRELOAD": str(shim), "CANDLED_CLOCK": str(clock)}
    daemon.start()
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    producer.send(f"{wall_ms()},1")
    producer.ack(1)
    assert not lines(daemon, "the clock") and not lines(daemon, "system clock")

    def told(text):
        # A request makes the loop turn.
        daemon.get("/v1/time")
        return lines(daemon, text)

    set_by(20)
    assert eventually(lambda: told("the system clock was set by more than a second"), "the step")[0].endswith("steps=1 offset_ms=0")
    assert daemon.metrics()["candled_clock_steps_total"] == 1
    gap, = eventually(lambda: told("a gap has ended symbol=TEST reason=suspended"), "the gap of the jump")
    begin, end = map(int, re.search(r"from=(\d+) to=(\d+)", gap).groups())
    assert 19_000 < end - begin
    set_by(-60)
    eventually(lambda: told("error: the clock was set back: nothing settles by clock until"), "a clock that stands")
    assert daemon.get("/readyz").status == 503 and daemon.metrics()["candled_clock_steps_total"] == 2
    set_by(20)
    eventually(lambda: told("notice: the clock goes on"), "a clock that goes on")
    eventually(lambda: daemon.get("/readyz").status == 200, "ready again")
    producer.close()


def test_gaps_are_told_at_a_limited_rate(make_daemon):
    daemon = make_daemon().start()
    stream = daemon.subscriber("closed.*.*")
    producer = Producer(daemon.port, "", "?ack=1")
    producer.send("\n".join(f"S{n},{wall_ms()},1" for n in range(20)))
    producer.ack(1)
    producer.close()
    for _ in range(20):
        stream.wait(lambda m: m["type"] == "gap" and m["to"] is None, "a gap")
    told = lines(daemon, "a gap begins")
    assert len(told) == 5 and re.search(r"notice: a gap begins symbol=S\d+ reason=disconnect from=\d+ left_out=0$", told[0])


def access(daemon):
    text = daemon.request("GET", "/metrics", {"Authorization": "Bearer reader"}).text
    return {reason: int(count) for reason, count in re.findall(r'^candled_access_refused_total\{reason="(.*)"\} (\d+)$', text, re.MULTILINE)}


def test_who_is_not_let_in_is_counted_and_logged_without_what_was_offered(make_daemon):
    daemon = make_daemon({"stream": {"tokens": ["reader"]}, "ingest": {"tokens": ["writer"]}}).start()
    assert access(daemon) == {"token": 0, "origin": 0, "not_local": 0}
    assert daemon.get("/v1/symbols", token="gu3ss").status == 401
    for path in ("/v1/stream?token=gu3ss", "/v1/ingest/TEST?token=gu3ss"):
        with pytest.raises(websockets.InvalidStatus):
            Subscriber(f"ws://127.0.0.1:{daemon.port}{path}")
    with pytest.raises(websockets.InvalidStatus):
        connect(f"ws://127.0.0.1:{daemon.port}/v1/ingest/TEST?token=writer", origin="https://evil.example").__enter__()
    assert access(daemon) == {"token": 3, "origin": 1, "not_local": 0}
    for at in ("http", "stream", "ingest"):
        assert lines(daemon, f"warning: somebody was not let in reason=token at={at} address=127.0.0.1 left_out=0"), daemon.log()
    assert lines(daemon, "somebody was not let in reason=origin at=ingest address=127.0.0.1 left_out=0")
    assert "gu3ss" not in daemon.log() and "writer" not in daemon.log()
    # Who is refused again and again does not fill the log.
    for _ in range(20):
        assert daemon.get("/v1/symbols").status == 401
    assert access(daemon)["token"] == 23 and len(lines(daemon, "reason=token")) <= 10
