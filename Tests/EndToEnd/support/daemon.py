"""A running candled with a configuration of its own in a folder of its own."""

import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import urllib.parse
from collections import namedtuple

from .paths import binary
from .stream import DeafSubscriber, Subscriber
from .waiting import PATIENCE, eventually
from .wire import parse

Response = namedtuple("Response", "status headers text json")

#: What a daemon of the tests is configured with where a test does not say otherwise.
# Tests that ask without a pause are not what the limit is for; those of the limit set it.
STANDARD = {"listen": "127.0.0.1:0", "database": "candles.db", "limits": {"requests_per_second": 1_000_000}}


def merged(base, more):
    result = dict(base)
    for key, value in more.items():
        result[key] = merged(result[key], value) if isinstance(value, dict) and isinstance(result.get(key), dict) else value
    return result


def candled(*arguments, cwd=None, stdin=None, timeout=PATIENCE * 4, environment=None):
    """Runs a command to its end; `stdin` is a text or bytes."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [binary(), *map(str, arguments)], cwd=cwd, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=timeout, env={**os.environ, **(environment or {})})
    return namedtuple("Done", "code out error")(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


class Daemon:
    def __init__(self, folder, configuration=None):
        self.folder = folder
        #: A dictionary, or the text of a file as it is.
        self.configuration = configuration if isinstance(configuration, str) else merged(STANDARD, configuration or {})
        self.process = None
        self.port = None
        #: Variables that the process gets beside those of the test.
        self.environment = {}
        self._log_start = 0
        self._subscribers = []

    # Life

    @property
    def log_path(self):
        return self.folder / "candled.log"

    @property
    def database(self):
        return self.folder / (STANDARD if isinstance(self.configuration, str) else self.configuration)["database"]

    def log(self):
        """What it logged since it was started last."""
        if not self.log_path.exists():
            return ""
        return self.log_path.read_bytes()[self._log_start:].decode(errors="replace")

    def spawn(self):
        """Starts the process and waits for nothing."""
        text = self.configuration if isinstance(self.configuration, str) else json.dumps(self.configuration, indent=1)
        (self.folder / "candled.yaml").write_text(text)
        self._log_start = self.log_path.stat().st_size if self.log_path.exists() else 0
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [binary(), "run", "--config", "candled.yaml"], cwd=self.folder, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, env={**os.environ, **self.environment})
        return self

    def start(self):
        self.spawn()

        def address():
            if self.process.poll() is not None:
                raise RuntimeError(f"candled ended with {self.process.returncode}:\n{self.log()}")
            found = re.search(r"serving.*?address\S*?127\.0\.0\.1:(\d+)", self.log())
            return found and int(found.group(1))

        self.port = eventually(address, "the daemon's address in its log")
        eventually(lambda: self.get("/healthz").status == 200, "/healthz")
        return self

    def wait_ready(self):
        eventually(lambda: self.get("/readyz").status == 200, "/readyz")
        return self

    def stop(self, sign=signal.SIGTERM, timeout=PATIENCE):
        """Ends it; the exit code."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(sign)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
            raise AssertionError(f"candled did not end within {timeout} s of signal {sign}:\n{self.log()[-2000:]}")
        self.process = None
        return code

    def end(self):
        """At the end of a test, whatever happened."""
        for subscriber in self._subscribers:
            subscriber.close()
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)

    def reload(self):
        """Gives it the configuration as it is now, and waits until it says that it took it."""
        (self.folder / "candled.yaml").write_text(json.dumps(self.configuration, indent=1))
        before = self.log().count("configuration reloaded")
        self.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.log().count("configuration reloaded") > before, "the new configuration in the log")

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    # HTTP

    def request(self, method, path, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        kind = answer.getheader("Content-Type") or ""
        return Response(answer.status, answer.headers, text, parse(text) if "json" in kind and text else None)

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        return self.request("GET", path + ("?" + query if query else ""))

    def page(self, symbol, timeframe, **parameters):
        answer = self.get("/v1/candles", symbol=symbol, timeframe=timeframe, **parameters)
        assert answer.status == 200, answer
        return answer.json

    def candles(self, symbol, timeframe, **parameters):
        return self.page(symbol, timeframe, **parameters)["candles"]

    def metrics(self):
        """Value by name with labels as they are written, like `candled_symbols`, `candled_x_total{feed="f"}`."""
        found = {}
        for line in self.get("/metrics").text.splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                found[name] = float(value)
        return found

    def refused(self, feed="f"):
        """Refused ticks by reason, without those that are 0."""
        found = {}
        for name, value in self.metrics().items():
            match = re.fullmatch(r"candled_ticks_refused_total\{(.*)\}", name)
            if match:
                labels = dict(re.findall(r'(\w+)="([^"]*)"', match.group(1)))
                if labels["feed"] == feed and value:
                    found[labels["reason"]] = int(value)
        return found

    def accepted(self, feed="f"):
        return int(self.metrics().get(f'candled_ticks_accepted_total{{feed="{feed}"}}', 0))

    # Stream and SQL

    def subscriber(self, *topics, query="", **more):
        """A connection to the stream, subscribed if topics are given."""
        subscriber = Subscriber(f"ws://127.0.0.1:{self.port}/v1/stream{query}")
        self._subscribers.append(subscriber)
        if topics:
            subscriber.subscribe(*topics, **more)
        return subscriber

    def subscriber_at(self, path):
        """A connection to another path, as Binance's clients and charts open it."""
        subscriber = Subscriber(f"ws://127.0.0.1:{self.port}{path}")
        self._subscribers.append(subscriber)
        return subscriber

    def deaf_subscriber(self, *topics):
        subscriber = DeafSubscriber(self.port, list(topics))
        self._subscribers.append(subscriber)
        return subscriber

    def sql(self, query, *values):
        return sql(self.database, query, *values)


def sql(path, query, *values):
    """Rows as dictionaries, read as any other program would."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=PATIENCE)
    try:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query, values)]
    finally:
        connection.close()


class TickFeed:
    """A feed of the fake exchange as the test drives it: sends lines and waits until they are counted."""

    def __init__(self, daemon, exchange, name="f", path="/ticks"):
        self.daemon = daemon
        self.exchange = exchange
        self.name = name
        self.path = path

    @property
    def connection(self):
        return self.exchange.connection(self.path)

    def counted(self):
        return self.daemon.accepted(self.name) + sum(self.daemon.refused(self.name).values())

    def send(self, *frames):
        """Sends frames as they are."""
        self.connection.send(*frames)

    def ticks(self, *lines):
        """Sends one frame of lines (texts, or tuples of fields) and waits until each is accepted or refused."""
        texts = [line if isinstance(line, str) else ",".join(str(field) for field in line) for line in lines]
        before = self.counted()
        self.send("\n".join(texts))
        self.wait(before + len(texts))

    def wait(self, count):
        eventually(lambda: self.counted() >= count, f"{count} counted ticks of feed {self.name}")
