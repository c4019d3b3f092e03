"""A subscriber of `/v1/stream`, and one that does not read."""

import base64
import json
import os
import socket
import threading
import time

import websockets
from websockets.sync.client import connect

from .waiting import PATIENCE
from .wire import parse


class Subscriber:
    """Keeps every message in order: `messages` parsed with exact numbers, `texts` as they came."""

    def __init__(self, url):
        self.socket = connect(url, max_size=None, compression=None, ping_interval=None, close_timeout=2).__enter__()
        self.messages = []
        self.texts = []
        self.times = []
        self.close_code = None
        self.close_reason = None
        self._changed = threading.Condition()
        self._ended = False
        self._ids = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            for text in self.socket:
                try:
                    message = parse(text)
                except ValueError:
                    # Some formats for charts are no JSON.
                    message = text
                with self._changed:
                    self.messages.append(message)
                    self.texts.append(text)
                    self.times.append(time.monotonic())
                    self._changed.notify_all()
        except (websockets.ConnectionClosed, OSError):
            pass
        with self._changed:
            self._ended = True
            received = self.socket.protocol.close_rcvd
            if received is not None:
                self.close_code, self.close_reason = received.code, received.reason
            self._changed.notify_all()

    def send(self, request):
        self.socket.send(request if isinstance(request, (str, bytes)) else json.dumps(request))

    def wait(self, matches, what="a message", after=0, timeout=PATIENCE):
        """The first message from position `after` on that `matches`."""
        deadline = time.monotonic() + timeout
        at = after
        with self._changed:
            while True:
                while at < len(self.messages):
                    if matches(self.messages[at]):
                        return self.messages[at]
                    at += 1
                if self._ended:
                    raise AssertionError(f"the stream ended ({self.close_code} {self.close_reason}) before {what}: {self.tail()}")
                rest = deadline - time.monotonic()
                if rest <= 0:
                    raise AssertionError(f"{what} did not come within {timeout} s; received {self.tail()}")
                self._changed.wait(rest)

    def tail(self):
        return f"{len(self.texts)} messages, the last " + "\n".join(text[:400] for text in self.texts[-8:])

    def wait_end(self, timeout=PATIENCE):
        with self._changed:
            if not self._changed.wait_for(lambda: self._ended, timeout):
                raise AssertionError(f"the stream did not end within {timeout} s")

    def ask(self, request):
        """Sends a request with an id of its own and returns the answer."""
        self._ids += 1
        number = f"ask-{self._ids}"
        self.send({**request, "id": number})
        return self.wait(lambda message: isinstance(message, dict) and message.get("id") == number, f"the answer to {request}")

    def subscribe(self, *topics, **more):
        answer = self.ask({"op": "subscribe", "topics": list(topics), **more})
        assert answer["type"] == "subscribed", answer
        return answer

    def sync(self):
        """Returns when all that was sent before has arrived."""
        answer = self.ask({"op": "ping"})
        assert answer["type"] == "pong", answer

    # What came

    def of(self, *types, topic=None):
        return [
            message for message in list(self.messages)
            if message["type"] in types and (topic is None or message.get("topic") == topic)
        ]

    def candles(self, *types, topic=None):
        return [message["candle"] for message in self.of(*types, topic=topic)]

    def wait_candle(self, kind, timeframe=None, open_time=None, symbol=None, revision=None, after=0, timeout=PATIENCE, **fields):
        """The candle of the first message of a type (or types) that fits."""
        kinds = (kind,) if isinstance(kind, str) else kind

        def matches(message):
            if message["type"] not in kinds:
                return False
            candle = message["candle"]
            wanted = {"timeframe": timeframe, "open_time": open_time, "symbol": symbol, "revision": revision}
            wanted = {key: value for key, value in wanted.items() if value is not None} | fields
            return all(candle[key] == value for key, value in wanted.items())

        return self.wait(matches, f"{kind} {timeframe} {open_time} {fields}", after, timeout)["candle"]

    def close(self):
        try:
            self.socket.close()
        except OSError:
            pass
        self._thread.join(5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class DeafSubscriber:
    """Subscribes on a raw socket with a small receive buffer and then reads nothing until told to."""

    def __init__(self, port, topics, path="/v1/stream"):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.socket.recv(1)
        assert b" 101 " in head.split(b"\r\n")[0] + b" ", head
        self.send(json.dumps({"op": "subscribe", "id": 1, "topics": topics}))

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        assert len(data) < 65536
        head = bytes([0x81, 0x80 | len(data)]) if len(data) < 126 else bytes([0x81, 0x80 | 126]) + len(data).to_bytes(2, "big")
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def read_to_end(self):
        """Reads all that is left, up to the close frame or the end: (texts, close code or None, close reason)."""
        texts, code, reason = [], None, ""
        data = bytearray()
        while code is None:
            try:
                chunk = self.socket.recv(65536)
            except (ConnectionError, TimeoutError):
                break
            if not chunk:
                break
            data += chunk
            at = 0
            while (frame := self._frame(data, at)) is not None:
                opcode, payload, at = frame
                if opcode == 1:
                    texts.append(payload.decode())
                elif opcode == 8:
                    code, reason = int.from_bytes(payload[:2], "big"), payload[2:].decode()
            del data[:at]
        return texts, code, reason

    @staticmethod
    def _frame(data, at):
        """(opcode, payload, end), or None while it is not whole."""
        if at + 2 > len(data):
            return None
        opcode, length = data[at] & 0x0F, data[at + 1] & 0x7F
        at += 2
        size = {126: 2, 127: 8}.get(length, 0)
        if size:
            length = int.from_bytes(data[at:at + size], "big")
            at += size
        return (opcode, bytes(data[at:at + length]), at + length) if at + length <= len(data) else None

    def close(self):
        self.socket.close()
