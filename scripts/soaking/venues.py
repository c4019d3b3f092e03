"""Feeds that the daemon dials, each with a vice of its own."""

import asyncio
import json
import random
import time

import websockets
from websockets.asyncio.server import serve


def now():
    return time.time_ns() // 1_000_000


class Venues:
    """One server, a path for each kind of feed."""

    KINDS = ("good", "drop", "lag", "lie", "garbage", "flood", "silent", "binance")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.sent = dict.fromkeys(self.KINDS, 0)
        self.port = None
        self.mute = None

    async def start(self):
        self.server = await serve(
            self.serve, "127.0.0.1", 0, max_size=None, compression=None, ping_interval=None, close_timeout=1)
        self.port = self.server.sockets[0].getsockname()[1]
        # Takes connections and never says a word.
        self.mute = await asyncio.start_server(self.listen, "127.0.0.1", 0)

    def feeds(self):
        def feed(kind, **more):
            return {"name": kind, "url": f"ws://127.0.0.1:{self.port}/{kind}", "symbol": kind.upper(), "silence": "5s", **more}

        mute = self.mute.sockets[0].getsockname()[1]
        return [feed(kind) for kind in self.KINDS if kind != "binance"] + [
            {"name": "mute", "url": f"ws://127.0.0.1:{mute}/", "symbol": "MUTE"},
            {"name": "refused", "url": "ws://127.0.0.1:1/", "symbol": "REFUSED"},
            {"name": "nowhere", "url": "ws://no-such-host.invalid/", "symbol": "NOWHERE"},
            {"name": "binance", "preset": "binance", "url": f"ws://127.0.0.1:{self.port}/binance", "symbols": ["BTCUSDT"]},
        ]

    @staticmethod
    async def listen(reader, writer):
        try:
            while await reader.read(4096):
                pass
        except OSError:
            pass
        writer.close()

    async def serve(self, socket):
        kind = socket.request.path.split("?")[0].split("/")[1]
        reading = asyncio.create_task(self.drain(socket))
        try:
            await getattr(self, kind if kind in self.KINDS else "silent")(socket)
        except (websockets.ConnectionClosed, OSError, RuntimeError):
            # RuntimeError: bytes after the end, where no WebSocket stands between.
            pass
        finally:
            reading.cancel()

    async def drain(self, socket):
        try:
            async for message in socket:
                if "binance" in socket.request.path:
                    request = json.loads(message)
                    await socket.send(json.dumps({"result": None, "id": request.get("id")}))
        except (websockets.ConnectionClosed, ValueError):
            pass

    async def send(self, socket, kind, text):
        self.sent[kind] += 1
        await socket.send(text)

    def price(self):
        return f"{100 + self.random.random() * 10:.2f}"

    async def good(self, socket):
        while True:
            await self.send(socket, "good", f"{now()},{self.price()},1")
            await asyncio.sleep(0.02)

    async def drop(self, socket):
        until = time.monotonic() + self.random.uniform(1, 12)
        while time.monotonic() < until:
            await self.send(socket, "drop", f"{now()},{self.price()},1")
            await asyncio.sleep(0.05)
        socket.transport.abort()

    async def lag(self, socket):
        while True:
            late = self.random.choice((0, 0, 2_000, 20_000, 60_000))
            await self.send(socket, "lag", "\n".join(f"{now() - late - i},{self.price()},1" for i in range(10)))
            await asyncio.sleep(self.random.random())

    async def lie(self, socket):
        number = 0
        while True:
            number += 1
            line = self.random.choice((
                f"{now()},{self.price()},1,{number}", f"{now()},{self.price()},1,{number // 2}", f"{now() + 3_600_000},1,1",
                f"{now()},-1,1", f"{now()},NaN,1", f"{now()},1e400,1", f"{now()},1,-1", "0,1,1", f"{now()},{'9' * 30},1", ",,,,,"))
            await self.send(socket, "lie", line)
            await asyncio.sleep(0.02)

    async def garbage(self, socket):
        while True:
            draw = self.random.random()
            if draw < 0.01:
                await self.send(socket, "garbage", b"1" * (2 << 20))
            elif draw < 0.02:
                # No WebSocket at all.
                socket.transport.write(self.random.randbytes(100))
            elif draw < 0.5:
                await self.send(socket, "garbage", self.random.randbytes(self.random.randrange(2_000)))
            else:
                await self.send(socket, "garbage", "\n".join("x" * self.random.randrange(300) for _ in range(20)))
            await asyncio.sleep(0.05)

    async def flood(self, socket):
        while True:
            frame = "\n".join(f"{now()},{self.price()},1" for _ in range(2_000))
            for _ in range(20):
                await self.send(socket, "flood", frame)
            await asyncio.sleep(self.random.uniform(2, 8))

    async def silent(self, socket):
        await asyncio.sleep(3_600)

    async def binance(self, socket):
        number = now() * 100
        while True:
            number += 1
            trade = {"e": "trade", "E": now(), "s": "BTCUSDT", "t": number, "p": self.price(), "q": "0.5", "T": now(), "m": True, "M": True}
            text = json.dumps({"stream": "btcusdt@trade", "data": trade})
            draw = self.random.random()
            if draw < 0.05:
                text = text[:self.random.randrange(len(text))]
            elif draw < 0.1:
                text = '{"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":"x","p":[],"q":{},"T":null}}'
            await self.send(socket, "binance", text)
            await asyncio.sleep(0.02)
