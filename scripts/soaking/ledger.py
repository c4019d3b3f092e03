"""Ticks that were acknowledged, and what the daemon told of their candles: the two must agree."""

import asyncio
import json
import random

from support.model import INTERVALS, fold
from support.raw import frame, frames, upgrade
from support.wire import parse
from venues import now


class Ledger:
    """A producer that sends what is not acknowledged again, with the same trade ids, until it knows."""

    LINES = 10

    def __init__(self, symbol, seed):
        self.symbol = symbol
        self.random = random.Random(seed)
        self.port = None
        self.number = 0
        #: By trade id: (time, price, volume).
        self.accepted = {}
        self.waiting = {}
        #: How often each of these was sent.
        self.sendings = {}
        #: Ticks that were refused, though an earlier sending without an answer may have been taken.
        self.doubts = []
        self.refused = {}
        self.ended = False

    def ticks(self):
        made = {}
        for _ in range(self.LINES):
            self.number += 1
            late = self.random.choice((0, 0, 0, 0, 0, 0, 500, 3_000, 15_000))
            made[self.number] = (now() - late, f"{100 + self.random.randrange(1_000) / 100:.2f}", self.random.randrange(1, 5))
        return made

    async def run(self):
        while not self.ended:
            try:
                await self.connection()
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                pass
            await asyncio.sleep(0.3)

    async def connection(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(upgrade(f"/v1/ingest/{self.symbol}?ack=1", self.port))
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
            if b" 101 " not in head:
                return
            sent = []
            ids = sorted(self.waiting)
            for start in range(0, len(ids), self.LINES):
                self.send(writer, sent, {id: self.waiting[id] for id in ids[start:start + self.LINES]})
            reading = asyncio.create_task(self.answers(reader, writer, sent))
            try:
                while not self.ended and not reading.done():
                    # Nobody waits for a disk that is full with more and more.
                    if len(self.waiting) < 2_000:
                        ticks = self.ticks()
                        self.waiting.update(ticks)
                        self.send(writer, sent, ticks)
                        await asyncio.wait_for(writer.drain(), 10)
                    await asyncio.sleep(0.05)
                while self.waiting and not reading.done():
                    await asyncio.sleep(0.05)
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
        finally:
            writer.transport.abort()

    def send(self, writer, sent, ticks):
        sent.append(list(ticks))
        for id in ticks:
            self.sendings[id] = self.sendings.get(id, 0) + 1
        writer.write(frame("\n".join(f"{at},{price},{volume},{id}" for id, (at, price, volume) in ticks.items()).encode()))

    async def answers(self, reader, writer, sent):
        data, refused = bytearray(), {}
        while True:
            chunk = await reader.read(1 << 16)
            if not chunk:
                return
            data += chunk
            found, used = frames(data)
            del data[:used]
            for opcode, payload in found:
                if opcode == 9:
                    writer.write(frame(payload).replace(b"\x81", b"\x8a", 1))
                elif opcode == 1:
                    self.answer(json.loads(payload), sent, refused)

    def answer(self, answer, sent, refused):
        if answer["type"] == "error":
            refused[answer["frame"], answer["line"]] = answer["code"]
            return
        for line, id in enumerate(sent[answer["frame"] - 1], 1):
            code = refused.pop((answer["frame"], line), None)
            tick = self.waiting.pop(id, None)
            if tick is None:
                continue
            if code in (None, "duplicate"):
                self.accepted[id] = tick
                del self.sendings[id]
                continue
            self.refused[code] = self.refused.get(code, 0) + 1
            if self.sendings.pop(id) > 1:
                self.doubts.append(tick)


class Recorder:
    """A subscriber of everything that resumes where it was; keeps the latest state of each candle by version."""

    def __init__(self):
        self.port = None
        self.epoch = None
        self.version = 0
        self.candles = {}
        self.wrong = []
        self.messages = 0
        self.ended = False

    async def run(self):
        while not self.ended:
            try:
                await self.connection()
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                pass
            await asyncio.sleep(0.2)

    async def connection(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        try:
            writer.write(upgrade("/v1/stream", self.port))
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
            if b" 101 " not in head:
                return
            request = {"op": "subscribe", "topics": ["closed.*.*"]}
            if self.epoch:
                request["since"] = {"epoch": self.epoch, "version": self.version}
            writer.write(frame(json.dumps(request).encode()))
            data = bytearray()
            while True:
                chunk = await reader.read(1 << 18)
                if not chunk:
                    return
                data += chunk
                found, used = frames(data)
                del data[:used]
                for opcode, payload in found:
                    if opcode == 9:
                        writer.write(frame(payload).replace(b"\x81", b"\x8a", 1))
                    elif opcode == 1:
                        self.take(parse(payload.decode()))
        finally:
            writer.transport.abort()

    def take(self, message):
        self.messages += 1
        kind = message["type"]
        if kind == "subscribed":
            if self.epoch not in (None, message["epoch"]):
                self.wrong.append("the epoch changed")
            if self.epoch is None:
                self.epoch, self.version = message["epoch"], message["version"]
        elif kind == "error":
            self.wrong.append(f"error {message}")
        elif kind in ("closed", "corrected"):
            candle = message["candle"]
            if candle["version"] <= self.version:
                self.wrong.append(f"version {candle['version']} after {self.version}")
            self.version = max(self.version, candle["version"])
            key = (candle["symbol"], candle["timeframe"], candle["open_time"])
            if kind == "closed" and key in self.candles:
                self.wrong.append(f"closed twice: {key}")
            self.candles[key] = candle
        elif kind == "gap":
            self.version = max(self.version, message["version"])


def compare(ledger, recorder, timeframes):
    """(candles compared, texts of what is wrong, candles left out for doubtful ticks)."""
    wrong, compared, left_out = [], 0, 0
    ticks = [(at, price, volume, id) for id, (at, price, volume) in ledger.accepted.items()]
    for timeframe in timeframes:
        interval = INTERVALS[timeframe]
        doubtful = {at // interval * interval for at, _, _ in ledger.doubts}
        expected = fold(ticks, timeframe)
        found = {key[2]: candle for key, candle in recorder.candles.items() if key[:2] == (ledger.symbol, timeframe)}
        last = max(found, default=0)
        for at, want in expected.items():
            if at in doubtful:
                left_out += 1
                continue
            if at > last:
                continue
            have = found.get(at)
            compared += 1
            if have is None:
                wrong.append(f"{ledger.symbol} {timeframe} {at}: missing, {want['ticks']} ticks")
                continue
            for key, value in want.items():
                if have[key] != value:
                    wrong.append(f"{ledger.symbol} {timeframe} {at}: {key} is {have[key]}, not {value}")
        for at, have in found.items():
            if have["ticks"] and at not in expected and at not in doubtful:
                wrong.append(f"{ledger.symbol} {timeframe} {at}: nobody sent its {have['ticks']} ticks")
    return compared, wrong, left_out
