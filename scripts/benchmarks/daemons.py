"""Daemons under load: started on a free port of the loopback, ended by their own process id."""

import json
import os
import signal
import socket
import subprocess
import time

from peers import CANDLED
from running import Failed

SUBSCRIBE = '{"op":"subscribe","topics":["candle.M1.X"]}'


class Candled:
    paths = ("/v1/ingest/X", "/v1/stream")
    hello = ["--sub-hello", SUBSCRIBE]
    #: What stands before the open time of a candle, and before the number that says which tick a message is of.
    open_key, tick_key = '"open_time":', '"ticks":'
    #: A message is told from the others by the number of ticks in the candle, which therefore must hold as many at the
    #: start as its time says.
    needs_filling = True

    def command(self, port, folder):
        configuration = {
            "listen": f"127.0.0.1:{port}", "database": os.path.join(folder, "candles.db"),
            "clock": {"source": "feed"}, "stream": {"forming_interval": "0ms", "max_backlog": "256MiB"}, "ingest": {"timestamp": "ms"},
            "limits": {"connections_per_address": 20000},
        }
        path = os.path.join(folder, "candled.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(configuration, file)
        return [CANDLED, "run", "--config", path]


class Peer:
    """A peer with ticks in at /in, candles out at /M1, and the time of its last tick in each message."""

    paths = ("/in", "/M1")
    hello = []
    open_key, tick_key = '"t":', '"ts":'
    needs_filling = False

    def __init__(self, *command):
        self._command = command

    def command(self, port, folder):
        return [*self._command, str(port), os.path.join(folder, "peer.db")]


class Running:
    """A daemon with a database of its own."""

    def __init__(self, daemon, load, folder):
        self.daemon = daemon
        self._load = load
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._log = open(os.path.join(folder, "log"), "w+b")
        self._process = subprocess.Popen(
            daemon.command(self.port, folder), stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.02)
        self.__exit__()
        self._log.seek(0)
        raise Failed("a daemon did not start: " + self._log.read().decode(errors="replace")[-300:])

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _url(self, path):
        return f"ws://127.0.0.1:{self.port}{path}"

    def send(self, **options):
        """Ticks without a subscriber; comes back when they are taken in."""
        self._run(["--pub", self._url(self.daemon.paths[0]), *flags(options)])
        self._settle()

    def measure(self, key, subscribers, **options):
        """Ticks with subscribers: what the load generator saw."""
        return self._run([
            "--pub", self._url(self.daemon.paths[0]), "--sub", self._url(self.daemon.paths[1]), *self.daemon.hello,
            "--subs", str(subscribers), "--key", key, "--pid", str(self._process.pid), "--drain", "3", *flags(options)])

    def _run(self, arguments):
        done = subprocess.run([self._load, *arguments], capture_output=True, text=True, timeout=120)
        lines = done.stdout.strip().splitlines()
        if not lines:
            raise Failed("load generator: " + done.stderr[-300:].strip())
        return json.loads(lines[-1])

    def memory(self):
        """Resident memory in MiB, by the names of /proc."""
        with open(f"/proc/{self._process.pid}/status", encoding="ascii") as file:
            lines = (line.split() for line in file if line.startswith(("VmRSS", "RssAnon")))
            return {fields[0].rstrip(":"): int(fields[1]) / 1_024 for fields in lines}

    def cpu(self):
        """CPU seconds so far."""
        return self._cpu() / os.sysconf("SC_CLK_TCK")

    def _settle(self):
        """Waits until it does nothing any more."""
        before = -1
        while (now := self._cpu()) != before:
            before = now
            time.sleep(0.15)

    def _cpu(self):
        with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])


def flags(options):
    return [part for name, value in options.items() for part in ("--" + name.replace("_", "-"), str(value))]
