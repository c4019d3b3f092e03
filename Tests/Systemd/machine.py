"""The machine that the service runs on: its service manager, its journal, its disk, and a producer that never stops."""

import http.client
import json
import os
import subprocess
import threading
import time
from pathlib import Path

from support.daemon import Daemon
from support.exchange import Exchange  # noqa: F401
from support.producer import Producer
from support.waiting import eventually, wall_ms

PACKAGES = Path("/test/packages")
STATE = Path("/var/lib/private/candled")
PORT = 8787
CONFIGURATION = {
    "database": "/var/lib/candled/candles.db", "timeframes": ["S1", "S5", "M1"],
    "settlement": {"grace": "200ms", "correction_window": "60s"},
}


def run(*command):
    """Runs a command to its end; its output. A failure has its output in the message."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout


def control(verb, check=True):
    done = subprocess.run(["systemctl", verb, "candled"], capture_output=True, text=True, timeout=120)
    assert not check or done.returncode == 0, f"systemctl {verb}: {done.stderr}"


def show(*properties):
    """Properties of the unit: a text, or a list of them."""
    values = dict(line.split("=", 1) for line in run("systemctl", "show", "candled", "-p", ",".join(properties)).splitlines())
    found = [values.get(name, "") for name in properties]
    return found[0] if len(found) == 1 else found


def process():
    """Number of the daemon's process."""
    number = int(show("MainPID"))
    assert number > 0, "the service does not run: " + " ".join(show("ActiveState", "SubState", "Result"))
    return number


def status_is(beginning):
    eventually(lambda: show("StatusText").startswith(beginning), f"the status {beginning!r}")


def journal():
    """The unit's entries, oldest first, those of the service manager about it included."""
    lines = run("journalctl", "-u", "candled", "-o", "json", "--no-pager").splitlines()
    return [entry for entry in map(json.loads, lines) if isinstance(entry.get("MESSAGE"), str)]


def ready():
    """Status of /readyz; 0 if nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def candled():
    """The daemon as its users meet it; systemd runs it."""
    daemon = Daemon(STATE)
    daemon.port = PORT
    return daemon


class Disk:
    """A small file system for the state of the service."""

    def __init__(self, megabytes=160):
        STATE.parent.mkdir(mode=0o700, exist_ok=True)
        STATE.mkdir(exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "candled", STATE)
        self.filler = STATE / "filler"

    def fill(self):
        with open(self.filler, "ab", buffering=0) as file:
            block = 1 << 20
            while block:
                try:
                    file.write(b"x" * block)
                except OSError:
                    block //= 2

    def empty(self):
        self.filler.unlink()


class Traffic:
    """Sends ticks of TEST all the time and remembers which were acknowledged, over every restart.

    With `symbols` above 1 each frame has as many symbols, so that the disk gets work.
    """

    def __init__(self):
        self.acknowledged = []
        self.connects = 0
        self.symbols = 1
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()

    def stop(self):
        """Ends it; times of the acknowledged ticks of TEST in milliseconds."""
        self._ending.set()
        self._thread.join(60)
        return self.acknowledged

    def wait_for_more(self):
        before = len(self.acknowledged)
        eventually(lambda: len(self.acknowledged) > before + 5, "acknowledged ticks", timeout=60)

    def _run(self):
        while not self._ending.is_set():
            try:
                producer = Producer(PORT, "", "?ack=1")
            except Exception:
                time.sleep(0.1)
                continue
            self.connects += 1
            self._send(producer)
            producer.close()

    def _send(self, producer):
        sent = {}
        frame = answered = 0
        while not self._ending.is_set() and not producer.ended.is_set():
            frame += 1
            sent[frame] = wall_ms()
            lines = [f"TEST,{sent[frame]},{100 + frame % 7}"]
            lines += [f"S{number},{sent[frame]},{100 + frame % 7}" for number in range(1, self.symbols)]
            try:
                producer.send("\n".join(lines))
            except Exception:
                break
            time.sleep(0.05)
            answered = self._take(producer, answered, sent)
        # What was sent last may be answered yet.
        deadline = time.monotonic() + 5
        while answered < frame and not producer.ended.is_set() and time.monotonic() < deadline:
            time.sleep(0.05)
            answered = self._take(producer, answered, sent)
        self._take(producer, answered, sent)

    def _take(self, producer, answered, sent):
        """Takes the acknowledgements in; the number of the last frame that has one."""
        messages, producer.messages = producer.messages, []
        for message in messages:
            if message["type"] == "ack":
                answered = message["frame"]
                # TEST's tick is the first line: it is taken unless all were refused.
                if message["ticks"] > 0:
                    self.acknowledged.append(sent[answered])
        return answered
