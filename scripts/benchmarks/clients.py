"""Plain WebSocket clients for what the load generator does not do: many symbols, acknowledgements, idle readers."""

import socket
import struct


class Client:
    """One connection; frames are masked with zeros, which leaves their bytes as they are."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self._read()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise OSError(head.decode(errors="replace")[:200])

    def _read(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise OSError("the connection ended")
        self.buffer += piece

    def send(self, text):
        payload = text if isinstance(text, bytes) else text.encode()
        count = len(payload)
        if count < 126:
            head = struct.pack("!BB", 0x81, 0x80 | count)
        elif count < 65_536:
            head = struct.pack("!BBH", 0x81, 0xFE, count)
        else:
            head = struct.pack("!BBQ", 0x81, 0xFF, count)
        self.socket.sendall(head + b"\0\0\0\0" + payload)

    def receive(self):
        """The payload of the next text message; answers pings."""
        while True:
            opcode, payload = self._frame()
            if opcode == 1:
                return payload
            if opcode == 9:
                self.socket.sendall(struct.pack("!BB", 0x8A, 0x80 | len(payload)) + b"\0\0\0\0" + payload)
            if opcode == 8:
                raise OSError("closed: " + payload[2:].decode(errors="replace"))

    def _frame(self):
        self._need(2)
        length, start = self.buffer[1] & 127, 2
        if length == 126:
            self._need(4)
            length, start = struct.unpack("!H", self.buffer[2:4])[0], 4
        elif length == 127:
            self._need(10)
            length, start = struct.unpack("!Q", self.buffer[2:10])[0], 10
        self._need(start + length)
        opcode, payload = self.buffer[0] & 15, self.buffer[start:start + length]
        self.buffer = self.buffer[start + length:]
        return opcode, payload

    def _need(self, count):
        while len(self.buffer) < count:
            self._read()

    def count(self, mark, wanted):
        """Reads until a mark has come `wanted` times; messages are not looked at otherwise."""
        seen, tail = self.buffer.count(mark), self.buffer[-len(mark) + 1:]
        self.buffer = b""
        while seen < wanted:
            piece = tail + self.socket.recv(1 << 20)
            if piece == tail:
                raise OSError("the connection ended")
            seen += piece.count(mark)
            tail = piece[-len(mark) + 1:]
        return seen

    def close(self):
        self.socket.close()
