"""Subscribers of every kind, and HTTP clients that misbehave."""

import asyncio
import json
import random
import socket

from support.raw import frame, upgrade

PING, PONG = b"\x89\x01c", b"\x8a\x81\0\0\0\0c"


class Member(asyncio.Protocol):
    """One subscriber; it looks at nothing it gets but pings."""

    def __init__(self, port, topics, leaves_after=None, stalls_after=None):
        self.port, self.topics = port, topics
        self.leaves_after, self.stalls_after = leaves_after, stalls_after
        self.bytes = 0
        self.gone = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(upgrade("/v1/stream", self.port))
        self.say({"op": "subscribe", "topics": self.topics, "snapshot": 5})

    def say(self, request):
        self.transport.write(frame(request if isinstance(request, bytes) else json.dumps(request).encode()))

    def data_received(self, chunk):
        self.bytes += len(chunk)
        if PING in chunk:
            self.transport.write(PONG)
        if self.leaves_after is not None and self.bytes > self.leaves_after:
            self.transport.abort()
        elif self.stalls_after is not None and self.bytes > self.stalls_after:
            self.transport.pause_reading()

    def connection_lost(self, _):
        if not self.gone.done():
            self.gone.set_result(None)


class Crowd:
    def __init__(self, size, symbols, seed):
        self.size, self.symbols = size, symbols
        self.random = random.Random(seed)
        self.port = None
        self.connects = 0
        self.present = 0
        self.leaving = False
        self.tasks = []

    def begin(self):
        kinds = ["steady"] * 85 + ["stalls"] * 5 + ["leaves"] * 5 + ["asks"] * 5
        self.tasks = [asyncio.create_task(self.live(kinds[number % 100])) for number in range(self.size)]
        self.tasks += [asyncio.create_task(self.surf()) for _ in range(4)]

    async def live(self, kind):
        """Comes again and again, until the crowd leaves."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self.random.random() * 5)
        while not self.leaving:
            symbols = self.random.sample(self.symbols, 2)
            topics = [f"closed.S1.{symbols[0]}", f"candle.M1.{symbols[1]}"]
            options = {}
            if kind == "leaves":
                options["leaves_after"] = self.random.randrange(200, 20_000)
            if kind == "stalls":
                topics, options["stalls_after"] = ["candle.*.*"], self.random.randrange(1_000, 50_000)
            try:
                link = socket.socket()
                link.setblocking(False)
                if kind == "stalls":
                    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
                await loop.sock_connect(link, ("127.0.0.1", self.port))
                _, member = await loop.create_connection(lambda: Member(self.port, topics, **options), sock=link)
            except OSError:
                link.close()
                await asyncio.sleep(0.5 + self.random.random())
                continue
            self.connects += 1
            self.present += 1
            try:
                await self.stay(kind, member)
            finally:
                self.present -= 1
                member.transport.abort()
            await asyncio.sleep(0.2 + self.random.random() * 2)

    async def stay(self, kind, member):
        if kind == "stalls":
            await asyncio.wait([member.gone], timeout=self.random.uniform(5, 60))
        elif kind == "asks":
            while not member.gone.done() and not self.leaving:
                member.say(self.random.choice((
                    {"op": "subscribe", "topics": ["closed.*.*"], "snapshot": self.random.randrange(200)}, {"op": "ping", "id": 1},
                    {"op": "unsubscribe", "topics": ["closed.*.*"]}, {"op": "subscribe", "topics": ["nothing"]}, b"no json",
                    {"op": "subscribe", "topics": [f"closed.S1.NONE{i}" for i in range(1_100)]}, b"[" * 100)))
                await asyncio.wait([member.gone], timeout=self.random.random() * 2)
        else:
            await member.gone

    async def surf(self):
        """Asks over HTTP: rightly, wrongly, and not to the end."""
        paths = (
            "/v1/candles?symbol=GOOD&timeframe=S1&limit=500&forming=1", "/v1/status", "/metrics", "/v1/symbols", "/v1/gaps", "/readyz",
            "/api/v3/klines?symbol=GOOD&interval=1m", "/udf/history?symbol=GOOD&resolution=1&to=9999999999&countback=100", "/nowhere",
            "/v1/candles?symbol=%00&timeframe=M1", "/v1/candles?" + "a" * 20_000)
        while not self.leaving:
            try:
                reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 5)
                request = f"GET {self.random.choice(paths)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
                if self.random.random() < 0.2:
                    request = request[:self.random.randrange(1, len(request))]
                writer.write(request)
                if self.random.random() < 0.7:
                    await asyncio.wait_for(reader.read(1 << 20), 2)
                writer.transport.abort()
            except (OSError, asyncio.TimeoutError):
                pass
            await asyncio.sleep(0.05)

    async def leave(self):
        self.leaving = True
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
