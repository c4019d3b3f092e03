"""Peers that break the protocol, with the daemon under valgrind: not a byte beside its memory, and none lost at the end."""

import re
import shutil
import signal
import socket

import pytest

from support.paths import binary
from support.raw import upgrade
from support.waiting import eventually

BIG = b"2" * (1 << 20)


def head(opcode, length, final=True):
    """Of a frame of a client, with a mask of zeros."""
    first = bytes([(0x80 if final else 0) | opcode])
    if length < 126:
        return first + bytes([0x80 | length]) + bytes(4)
    if length < 65_536:
        return first + b"\xfe" + length.to_bytes(2, "big") + bytes(4)
    return first + b"\xff" + length.to_bytes(8, "big") + bytes(4)


def whole(opcode, payload, final=True):
    return head(opcode, len(payload), final) + payload


ATTACKS = {
    "one message over the limit, sent to its end": [whole(1, BIG)],
    "fragments that grow over the limit": [whole(1, BIG[:900], False), whole(0, BIG[:200_000], False), whole(0, BIG)],
    "text that is not UTF-8, then more": [whole(1, b"\xff" * 70_000), whole(1, BIG)],
    "a bad fragment, then more": [whole(1, b"\xff" * 10, False), whole(0, b"\xfe" * 100_000), whole(2, BIG)],
    "messages after a close frame": [whole(1, b"x" * 100), whole(8, b"\x03\xe8"), whole(1, BIG)],
    "pings and a message": [whole(9, b"x" * 125) * 100, whole(1, b"y" * 5_000)],
    "a length that nobody has": [head(1, 1 << 62), BIG],
    "a ping that is too long": [head(9, 126) + b"x" * 126, BIG[:100_000]],
    "opcodes that are none": [b"\x8f" * 100_000],
    "a continuation of nothing": [whole(0, BIG[:100_000])],
    "bytes without a mask": [b"\x81\x7f" + (1 << 19).to_bytes(8, "big") + BIG],
}


def attack(port, path, pieces):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
        link.sendall(upgrade(path, port))
        link.recv(4096)
        try:
            for piece in pieces:
                link.sendall(piece)
            link.shutdown(socket.SHUT_WR)
            while link.recv(65_536):
                pass
        except OSError:
            pass


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is missing")
def test_whatever_peers_send_memory_stays_whole_and_none_is_lost(make_daemon, make_exchange, tmp_path, monkeypatch):
    record = tmp_path / "valgrind.txt"
    wrapper = tmp_path / "candled"
    wrapper.write_text(
        f"#!/bin/sh\nexec valgrind --log-file={record} --error-limit=no --num-callers=20 --undef-value-errors=no --leak-check=full "
        f"--show-leak-kinds=definite --errors-for-leak-kinds=definite {binary()} \"$@\"\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("CANDLED_BINARY", str(wrapper))
    exchange = make_exchange()
    daemon = make_daemon({
        "limits": {"max_message": "128KiB"}, "stream": {"forming_interval": "0"},
        "feeds": [{"name": "f", "url": exchange.url(), "symbol": "FEED"}]}).start()
    # A feed that sends more than it may, again and again.
    for number, payload in enumerate(("1" * (1 << 20), b"\xff" * 100_000, "x" * 70_000, b"1" * (1 << 20)), 1):
        connection = eventually(lambda: exchange.of()[-1] if exchange.of() and exchange.of()[-1].is_open else None, "the feed")
        try:
            connection.send(payload)
            connection.send(payload)
        except Exception:
            # It was closed on meanwhile, which is what it is for.
            pass
        if len(payload) > 128 << 10:
            eventually(lambda: not connection.is_open, f"the end of connection {number}")
            assert connection.close_code == 1009
    stream = daemon.subscriber("candle.*.*", snapshot=10)
    for path in ("/v1/ingest/A?ack=1", "/v1/stream", "/ws/a@kline_1m"):
        for pieces in ATTACKS.values():
            attack(daemon.port, path, pieces)
    for text in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + bytes(500), b"GET /" + b"a" * 50_000, b"POST /v1/candles HTTP/1.1\r\nContent-Length: 9\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", daemon.port), timeout=30) as link:
            link.sendall(text)
    for path in ("/v1/candles?symbol=FEED&timeframe=M1", "/metrics", "/v1/status", "/api/v3/klines?symbol=A&interval=1m", "/"):
        daemon.get(path)
    stream.sync()
    assert daemon.stop(signal.SIGTERM, timeout=60) == 0
    text = record.read_text()
    found = re.findall(r"==\d+== (?:Invalid|Process terminating|Jump|Source and destination overlap|Argument).*(?:\n==\d+==    .*)*", text)
    assert not found, "\n".join(found[:3])
    assert "ERROR SUMMARY: 0 errors" in text, text[-6000:]
    lost = re.search(r"definitely lost: ([\d,]+) bytes", text)
    assert lost is None or lost.group(1) == "0", text[-6000:]
