"""WebSocket on plain sockets, for tests that need many connections or many bytes: little work for each message."""

import asyncio
import base64
import json
import os
import select
import socket
import time

from .waiting import PATIENCE
from .wire import parse


def frame(payload):
    """A text frame of a client. Its mask is zero, so that a large payload costs no masking."""
    length = len(payload)
    if length < 126:
        head = bytes([0x81, 0x80 | length])
    elif length < 65536:
        head = bytes([0x81, 0xFE]) + length.to_bytes(2, "big")
    else:
        head = bytes([0x81, 0xFF]) + length.to_bytes(8, "big")
    return head + b"\0\0\0\0" + payload


def upgrade(path, port):
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()


def frames(data):
    """[(opcode, payload)] of the whole frames of a server in `data`, and the bytes they take."""
    found, at, end = [], 0, len(data)
    while at + 2 <= end:
        length, body = data[at + 1], at + 2
        if length == 126:
            if at + 4 > end:
                break
            length, body = int.from_bytes(data[at + 2:at + 4], "big"), at + 4
        elif length == 127:
            if at + 10 > end:
                break
            length, body = int.from_bytes(data[at + 2:at + 10], "big"), at + 10
        if body + length > end:
            break
        found.append((data[at] & 0x0F, bytes(data[body:body + length])))
        at = body + length
    return found, at


class Gone(Exception):
    """The other side ended the connection."""


class RawProducer:
    """A producer that wants acknowledgements; `answers` holds them by frame, `errors` the refusals."""

    def __init__(self, port, path="", query="?ack=1"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent = 0
        self.answers = {}
        self.errors = []
        self._data = bytearray()
        self._rest = b""
        try:
            self.socket.sendall(upgrade(f"/v1/ingest{path}{query}", port))
            while b"\r\n\r\n" not in self._data:
                chunk = self.socket.recv(4096)
                if not chunk:
                    raise Gone()
                self._data += chunk
        except (ConnectionError, TimeoutError):
            raise Gone() from None
        head, _, rest = bytes(self._data).partition(b"\r\n\r\n")
        assert b" 101 " in head, head
        self._data = bytearray(rest)

    def send(self, payload):
        """Sends one frame, reading answers while the socket takes nothing more."""
        data = memoryview(frame(payload))
        self.sent += 1
        self.socket.setblocking(False)
        deadline = time.monotonic() + PATIENCE
        while data:
            readable, writable, _ = select.select([self.socket], [self.socket], [], 1)
            if readable:
                self._read()
            if writable:
                try:
                    data = data[self.socket.send(data):]
                except BlockingIOError:
                    pass
                except ConnectionError:
                    raise Gone() from None
            if time.monotonic() > deadline:
                raise AssertionError("the daemon takes nothing more")

    def send_what_fits(self, payload):
        """Sends of a frame what the kernel takes now; `finish` sends the rest."""
        self.finish(0)
        if self._rest:
            return False
        self._rest = memoryview(frame(payload))
        self.sent += 1
        self.finish(0)
        return True

    def finish(self, timeout=PATIENCE):
        """Sends what `send_what_fits` left."""
        self.socket.setblocking(False)
        deadline = time.monotonic() + timeout
        while self._rest:
            try:
                self._rest = self._rest[self.socket.send(self._rest):]
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return
                select.select([], [self.socket], [], 0.1)

    def _read(self):
        try:
            chunk = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        except ConnectionError:
            raise Gone() from None
        if not chunk:
            raise Gone()
        self._data += chunk
        found, used = frames(self._data)
        del self._data[:used]
        for opcode, payload in found:
            if opcode == 8:
                raise Gone()
            if opcode == 1:
                answer = parse(payload.decode())
                if answer["type"] == "ack":
                    assert answer["frame"] == len(self.answers) + 1, "acknowledgements out of order"
                    self.answers[answer["frame"]] = answer
                else:
                    self.errors.append(answer)

    def poll(self, timeout=0.0):
        """Takes the answers that are there, waiting at most so long for the first."""
        self.socket.setblocking(False)
        while select.select([self.socket], [], [], timeout)[0]:
            self._read()
            timeout = 0.0

    def drain(self):
        """Reads what a peer that died had sent."""
        try:
            while True:
                self.poll(1)
        except Gone:
            pass

    def wait(self, count, timeout=PATIENCE):
        """Waits for so many acknowledgements."""
        deadline = time.monotonic() + timeout
        while len(self.answers) < count:
            rest = deadline - time.monotonic()
            assert rest > 0, f"{len(self.answers)} of {count} frames were acknowledged within {timeout} s"
            self.poll(min(rest, 0.5))
        return self.answers.get(count)

    def close(self):
        self.socket.close()


class SharedStream:
    """The bytes that all readers of the same topics get; whoever is ahead extends them, the others must match."""

    def __init__(self):
        self.data = bytearray()
        self.messages = 0
        self._parsed = 0

    def count(self):
        """Whole messages so far."""
        data, at, end = self.data, self._parsed, len(self.data)
        while at + 4 <= end:
            length = data[at + 1]
            step = length + 2 if length < 126 else int.from_bytes(data[at + 2:at + 4], "big") + 4
            if length == 127:
                step = int.from_bytes(data[at + 2:at + 10], "big") + 10
            if at + step > end:
                break
            at += step
            self.messages += 1
        self._parsed = at
        return self.messages

    def texts(self):
        return [payload for _, payload in frames(self.data)[0]]


class CheapReader(asyncio.Protocol):
    """A subscriber that compares its bytes with those of the others instead of reading the messages."""

    #: The daemon's ping, bytes that no message of it holds, and the answer.
    PING, PONG = b"\x89\x01c", b"\x8a\x81\0\0\0\0c"

    def __init__(self, shared, port, topics, path="/v1/stream"):
        self.shared, self.port, self.topics, self.path = shared, port, topics, path
        self.position = 0
        self.time = 0.0
        self.wrong = None
        #: A bytearray collects what comes from now on, uncompared.
        self.kept = None
        self.ended = False
        self.subscribed = asyncio.get_running_loop().create_future()
        self._head = bytearray()
        self._stage = 0

    def connection_made(self, transport):
        self.transport = transport
        transport.write(upgrade(self.path, self.port))

    def data_received(self, chunk):
        if self._stage < 2:
            self._head += chunk
            if self._stage == 0:
                at = self._head.find(b"\r\n\r\n")
                if at < 0:
                    return
                assert b" 101 " in self._head[:at], bytes(self._head)
                del self._head[:at + 4]
                self._stage = 1
                self.transport.write(frame(json.dumps({"op": "subscribe", "id": 1, "topics": self.topics}).encode()))
            if len(self._head) < 4:
                return
            length = self._head[1]
            step = length + 2 if length < 126 else int.from_bytes(self._head[2:4], "big") + 4
            if len(self._head) < step:
                return
            found, _ = frames(self._head[:step])
            self.subscribed.set_result(parse(found[0][1].decode()))
            self._stage = 2
            chunk = bytes(self._head[step:])
            self._head = None
            if not chunk:
                return
        if self.kept is not None:
            self.kept += chunk
            return
        if self.PING in chunk:
            self.transport.write(self.PONG)
            chunk = chunk.replace(self.PING, b"")
            if not chunk:
                return
        self.time = time.monotonic()
        shared, at = self.shared.data, self.position
        end = at + len(chunk)
        known = min(end, len(shared))
        if shared[at:known] != chunk[:known - at] and self.wrong is None:
            self.wrong = at
        if end > known:
            shared += chunk[known - at:]
        self.position = end

    def connection_lost(self, _):
        self.ended = True
        if not self.subscribed.done():
            self.subscribed.set_exception(Gone())


class RawReader:
    """A subscriber that keeps versions and no messages: for replays of many rows."""

    def __init__(self, port, topics, since):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE * 2)
        self.socket.sendall(upgrade("/v1/stream", port))
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.socket.recv(1)
        assert b" 101 " in data, data
        self.versions = []
        self.bytes = 0
        #: Seconds until the first row came.
        self.first = None
        self._data = bytearray()
        self._begin = time.monotonic()
        self.socket.sendall(frame(json.dumps({"op": "subscribe", "id": 1, "topics": topics, "since": since}).encode()))

    def read(self, last):
        """Reads until the row with a version came; seconds since the subscription."""
        while not self.versions or self.versions[-1] < last:
            chunk = self.socket.recv(1 << 20)
            assert chunk, "the stream ended"
            self.bytes += len(chunk)
            self._data += chunk
            found, used = frames(self._data)
            del self._data[:used]
            for opcode, payload in found:
                if opcode == 9:
                    self.socket.sendall(frame(payload).replace(b"\x81", b"\x8A", 1))
                    continue
                assert opcode == 1, (opcode, payload)
                if payload.startswith((b'{"type":"closed"', b'{"type":"corrected"')):
                    at = payload.rindex(b'"version":') + 10
                    self.versions.append(int(payload[at:payload.index(b",", at)]))
            if self.versions and self.first is None:
                self.first = time.monotonic() - self._begin
        return time.monotonic() - self._begin

    def close(self):
        self.socket.close()
