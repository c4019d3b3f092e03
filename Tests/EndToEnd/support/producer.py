"""A producer on `/v1/ingest`."""

import threading

import websockets
from websockets.sync.client import connect

from .waiting import PATIENCE, eventually
from .wire import parse


class Refused(Exception):
    """The handshake was answered with another status than 101."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


class Producer:
    def __init__(self, port, path, query="", **options):
        try:
            self.socket = connect(
                f"ws://127.0.0.1:{port}/v1/ingest{path}{query}", max_size=None, compression=None, ping_interval=None,
                close_timeout=2, **options).__enter__()
        except websockets.InvalidStatus as error:
            raise Refused(error.response.status_code) from None
        self.messages = []
        self.close_code = None
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            for text in self.socket:
                self.messages.append(parse(text))
        except (websockets.ConnectionClosed, OSError):
            pass
        received = self.socket.protocol.close_rcvd
        self.close_code = received.code if received else None
        self.ended.set()

    def send(self, *frames):
        for frame in frames:
            self.socket.send(frame)

    def ack(self, frame):
        """The acknowledgement of the frame with a number, from 1."""
        return eventually(lambda: next((m for m in self.messages if m["type"] == "ack" and m["frame"] == frame), None), f"ack {frame}")

    def wait_end(self):
        assert self.ended.wait(PATIENCE), "the connection did not end"
        return self.close_code

    def close(self):
        try:
            self.socket.close()
        except OSError:
            pass
        self._thread.join(5)
