"""The course of a soak: trouble with restarts first, then trouble without, then everybody goes and all is counted."""

import asyncio
import random
import re
import signal
import subprocess
import time

from crowd import Crowd
from ledger import Ledger, Recorder, compare
from memory import descriptors, private_kib, slope
from support.daemon import Daemon, candled
from venues import Venues

TIMEFRAMES = ["S1", "S5", "M1"]
#: MiB an hour that memory may grow by.
MOST_GROWTH = 1.0
#: Seconds of the part without restarts in which caches fill.
WARM_UP = 240
#: Seconds from which a slope of that size can be told from the room that one burst takes; below it only what grows by
#: MOST_STEP MiB is wrong.
JUDGED = 1200
MOST_STEP = 8


class Disk:
    """The daemon's file system: a tmpfs of its own that can be filled, where that may be mounted."""

    MEGABYTES = 192

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.is_own = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={self.MEGABYTES}m", "candled-soak", str(folder)], capture_output=True).returncode == 0

    def fill(self):
        with open(self.folder / "filler", "ab", buffering=0) as file:
            block = 1 << 20
            while block >= 4096:
                try:
                    if file.write(b"x" * block) < block:
                        block //= 2
                except OSError:
                    block //= 2

    def empty(self):
        (self.folder / "filler").unlink(missing_ok=True)

    def end(self):
        if self.is_own:
            subprocess.run(["umount", str(self.folder)], capture_output=True)


class Course:
    def __init__(self, folder, seconds, subscribers, seed, calm):
        self.is_calm = calm
        self.folder, self.seconds = folder, seconds
        self.random = random.Random(seed)
        self.venues = Venues(seed)
        self.ledgers = [Ledger(f"LEDGER{number}", seed + number) for number in range(4)]
        self.recorder = Recorder()
        self.crowd = Crowd(subscribers, ["GOOD", "DROP", "LAG", "LIE", "FLOOD", *(ledger.symbol for ledger in self.ledgers)], seed)
        self.events = []
        self.wrong = []
        self.samples = []

    async def run(self):
        self.disk = Disk(self.folder / "disk")
        try:
            await self.drive()
        finally:
            if self.daemon.process and self.daemon.process.poll() is None:
                self.daemon.process.kill()
                self.daemon.process.wait()
            self.disk.end()
        for text in self.wrong[:20]:
            print(f"WRONG: {text}")
        print("failed" if self.wrong else "all is well")
        return not self.wrong

    async def drive(self):
        await self.venues.start()
        self.daemon = Daemon(self.folder, {
            "database": str(self.folder / "disk" / "candles.db"), "timeframes": TIMEFRAMES, "feeds": self.venues.feeds(),
            "settlement": {"correction_window": "45s", "flat_limit": 60}, "stream": {"max_backlog": "256KiB", "forming_interval": "500ms"},
            # The caches of the database fill as it grows: it is kept small, so that memory can be flat.
            "retention": {"S1": "1m", "S5": "2m", "M1": "3m"}, "limits": {"requests_per_second": 0, "max_message": "1MiB"}})
        self.begin = time.monotonic()
        await self.start()
        await asyncio.sleep(3)
        self.idle = descriptors(self.daemon.process.pid)
        tasks = [asyncio.create_task(one.run()) for one in (self.recorder, *self.ledgers)]
        self.crowd.begin()
        sampling = asyncio.create_task(self.sample())
        troubled = max(60, min(self.seconds * 0.5, self.seconds - WARM_UP - 120))
        if not self.is_calm:
            await self.trouble(self.begin + troubled)
        self.calm = time.monotonic()
        self.report(f"from here on nothing is restarted; {self.crowd.present} subscribers")
        while time.monotonic() < self.begin + self.seconds:
            await asyncio.sleep(min(15, max(0.1, self.begin + self.seconds - time.monotonic())))
            self.alive()
        sampling.cancel()
        await self.finish(tasks)

    # Events

    def report(self, text):
        print(f"{time.monotonic() - self.begin:6.0f} s  {text}", flush=True)

    def count(self, name):
        self.events.append(name)
        self.report(name)

    async def start(self):
        await asyncio.to_thread(self.daemon.start)
        for one in (self.recorder, self.crowd, *self.ledgers):
            one.port = self.daemon.port

    def alive(self):
        if self.daemon.process.poll() is not None:
            raise SystemExit(f"the daemon ended by itself with {self.daemon.process.returncode}\n{self.daemon.log()[-3000:]}")

    async def trouble(self, until):
        steps = [self.kill, self.terminate, self.stall, self.reload, self.kill, self.full, self.kill, self.full_and_kill, self.terminate]
        number = 0
        # Everybody is there first.
        await asyncio.sleep(15)
        while time.monotonic() < until:
            await steps[number % len(steps)]()
            number += 1
            await asyncio.sleep(self.random.uniform(6, 18))
            self.alive()

    async def kill(self):
        self.count("kill -9")
        self.daemon.process.kill()
        self.daemon.process.wait()
        await asyncio.sleep(self.random.random() * 2)
        await self.start()

    async def terminate(self):
        self.count("SIGTERM")
        begin = time.monotonic()
        code = await asyncio.to_thread(self.daemon.stop, signal.SIGTERM, 20)
        took = time.monotonic() - begin
        if code != 0 or took > 5:
            self.wrong.append(f"SIGTERM: exit {code} after {took:.1f} s")
        await self.start()

    async def stall(self):
        self.count("SIGSTOP for 4 s")
        self.daemon.pause()
        await asyncio.sleep(4)
        self.daemon.resume()

    async def reload(self):
        self.count("SIGHUP")
        self.daemon.process.send_signal(signal.SIGHUP)
        await asyncio.sleep(1)

    async def full(self):
        if not self.disk.is_own:
            return self.report("no full disk: no file system may be mounted here")
        self.count("disk full for 10 s")
        await asyncio.to_thread(self.disk.fill)
        await asyncio.sleep(10)
        self.disk.empty()
        await self.until_ready()

    async def full_and_kill(self):
        if not self.disk.is_own:
            return
        self.count("kill -9 on a full disk")
        await asyncio.to_thread(self.disk.fill)
        await asyncio.sleep(5)
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.disk.empty()
        await self.start()

    async def until_ready(self):
        deadline = time.monotonic() + 30
        while (await asyncio.to_thread(self.daemon.get, "/readyz")).status != 200:
            if time.monotonic() > deadline:
                self.wrong.append("not ready 30 s after the disk had room")
                return
            await asyncio.sleep(0.2)

    async def sample(self):
        while True:
            await asyncio.sleep(1)
            try:
                self.samples.append((time.monotonic(), private_kib(self.daemon.process.pid)))
            except (OSError, AttributeError):
                pass

    # The end

    async def finish(self, tasks):
        text = (await asyncio.to_thread(self.daemon.get, "/metrics")).text
        await self.crowd.leave()
        for ledger in self.ledgers:
            ledger.ended = True
        await asyncio.sleep(3)
        for ledger in self.ledgers:
            if ledger.waiting:
                self.wrong.append(f"{len(ledger.waiting)} ticks of {ledger.symbol} were never answered")
        # What formed settles, and what was late is corrected.
        await asyncio.sleep(5)
        self.recorder.ended = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.check_descriptors()
        code = await asyncio.to_thread(self.daemon.stop, signal.SIGTERM, 20)
        if code != 0:
            self.wrong.append(f"the last SIGTERM: exit {code}")
        self.check_candles()
        self.check_memory()
        print(
            f"events: {', '.join(f'{self.events.count(name)} × {name}' for name in sorted(set(self.events)))}; "
            f"{self.crowd.connects} connections of {self.crowd.size} subscribers; feeds sent "
            + ", ".join(f"{name} {count}" for name, count in self.venues.sent.items()))
        print("metrics: " + ", ".join(
            line for line in text.splitlines()
            if re.match(r"candled_(stream_(messages|slow|conflated)\S*|ticks_accepted_total\{\S*|limit_reached_total\S*|store_failures\S*) ", line)
            and not line.endswith(" 0")))

    async def check_descriptors(self):
        deadline = time.monotonic() + 60
        while True:
            now = descriptors(self.daemon.process.pid)
            # Feeds come and go, and readers of the database are opened as they are needed.
            leaked = {kind: count - self.idle.get(kind, 0) for kind, count in now.items()}
            if leaked.get("socket", 0) <= 8 and leaked.get("file", 0) <= 16 and leaked.get("anon_inode", 0) <= 2:
                break
            if time.monotonic() > deadline:
                self.wrong.append(f"descriptors are left: {self.idle} before, {now} after")
                break
            await asyncio.sleep(1)
        print(f"descriptors: {self.idle} before the crowd, {now} after it")

    def check_candles(self):
        compared = left_out = 0
        for ledger in self.ledgers:
            count, wrong, doubtful = compare(ledger, self.recorder, TIMEFRAMES)
            compared, left_out = compared + count, left_out + doubtful
            self.wrong += wrong
        self.wrong += self.recorder.wrong[:10]
        ticks = sum(len(ledger.accepted) for ledger in self.ledgers)
        refused = {code: sum(ledger.refused.get(code, 0) for ledger in self.ledgers) for ledger in self.ledgers for code in ledger.refused}
        print(
            f"candles: {compared} compared with the batch result of {ticks} acknowledged ticks, {left_out} left out for doubtful ticks; "
            f"refused {refused or 'none'}; the recorder had {self.recorder.messages} messages")
        if compared < 50:
            self.wrong.append("too few candles were compared")
        verified = candled("verify", "--db", self.daemon.database)
        print(f"candled verify: exit {verified.code}: {(verified.out or verified.error).strip().splitlines()[-1:]}")
        if verified.code:
            self.wrong.append(f"candled verify: {verified.out[-500:]}")

    def check_memory(self):
        # Until then caches fill, and what a burst takes once is kept for the next.
        warm = self.calm + max(WARM_UP, (self.begin + self.seconds - self.calm) / 3)
        chosen = [(at, value) for at, value in self.samples if at > warm]
        fitted = slope(chosen)
        peak = max(value for _, value in self.samples)
        course = [value for at, value in self.samples if at > self.calm][::30]
        print("memory, MiB, every half minute: " + " ".join(f"{value / 1024:.1f}" for value in course))
        if fitted is None:
            print(f"memory: at most {peak / 1024:.0f} MiB private; too short for a slope")
            return
        rise, low, high = fitted
        print(
            f"memory: at most {peak / 1024:.0f} MiB private; in the last {chosen[-1][0] - chosen[0][0]:.0f} s from "
            f"{chosen[0][1] / 1024:.1f} to {chosen[-1][1] / 1024:.1f} MiB, slope {rise:+.2f} MiB an hour ({low:+.2f} to {high:+.2f})")
        tenth = max(1, len(chosen) // 10)
        mean = lambda part: sum(value for _, value in part) / len(part) / 1024  # noqa: E731
        grown = mean(chosen[-tenth:]) - mean(chosen[:tenth])
        if chosen[-1][0] - chosen[0][0] < JUDGED:
            print(f"memory: that is too short for a slope of {MOST_GROWTH:g} MiB an hour; only {MOST_STEP} MiB more would be wrong")
            if grown > MOST_STEP:
                self.wrong.append(f"memory grew by {grown:.1f} MiB")
        elif low > MOST_GROWTH:
            self.wrong.append(f"memory grows by {rise:.2f} MiB an hour")
