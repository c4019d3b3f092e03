"""Metrics as Prometheus takes them: names, a real server that scrapes and evaluates the alert rules, the dashboard."""

import contextlib
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest

from support.paths import HERE, ROOT
from support.producer import Producer
from support.waiting import eventually, wall_ms

RULES = ROOT / "systemd" / "candled.rules.yml"
DASHBOARD = ROOT / "systemd" / "candled-dashboard.json"
needs_prometheus = pytest.mark.skipif(
    shutil.which("prometheus") is None or shutil.which("promtool") is None, reason="prometheus is not here")

SECONDS = {"timeframes": ["S1", "S5"], "settlement": {"grace": "100ms"}}


@pytest.fixture
def busy_daemon(make_daemon):
    """A daemon with ticks, candles of both kinds of settlement, a feed that is away and a reader."""
    daemon = make_daemon({**SECONDS, "feeds": [{"name": "away", "url": "ws://127.0.0.1:9/", "symbol": "AWAY"}]})
    daemon.start()
    reader = daemon.subscriber("candle.S1.TEST")
    producer = Producer(daemon.port, "/TEST", "?ack=1")
    producer.send(f"{wall_ms()},5,1", "x,5")
    producer.ack(2)
    reader.wait_candle("closed", "S1", settled_by="clock")
    yield daemon
    producer.close()


def value(metrics, name, **labels):
    text = ",".join(f'{key}="{content}"' for key, content in labels.items())
    return metrics[f"candled_{name}{{{text}}}" if text else f"candled_{name}"]


def test_delays_and_backlogs_are_observed(busy_daemon):
    def observed():
        metrics = busy_daemon.metrics()
        settled = value(metrics, "candles_settled_total", settled_by="clock")
        return (
            settled >= 1
            and value(metrics, "settlement_delay_seconds_count", settled_by="clock") == settled
            and value(metrics, "publish_delay_seconds_count") == value(metrics, "store_commits_total") >= 1
            and value(metrics, "stream_reader_backlog_bytes_count") >= 1)

    eventually(observed, "observations")
    metrics = busy_daemon.metrics()
    # The clock waits for the grace of 100 ms.
    assert value(metrics, "settlement_delay_seconds_bucket", settled_by="clock", le="0.05") == 0
    count = value(metrics, "settlement_delay_seconds_count", settled_by="clock")
    assert value(metrics, "settlement_delay_seconds_sum", settled_by="clock") >= 0.1 * count - 1e-9
    assert value(metrics, "settlement_delay_seconds_bucket", settled_by="clock", le="+Inf") == count


def test_what_the_process_takes_is_what_the_kernel_says(busy_daemon):
    metrics = busy_daemon.metrics()
    process = f"/proc/{busy_daemon.process.pid}"
    assert 1 << 20 < value(metrics, "process_resident_memory_bytes") < 4 << 30
    assert value(metrics, "process_cpu_seconds_total") > 0
    # The connection that asks is one more.
    assert abs(value(metrics, "process_open_fds") - len(os.listdir(f"{process}/fd"))) <= 3
    limit = re.search(r"Max open files\s+(\d+)", open(f"{process}/limits").read()).group(1)
    assert value(metrics, "process_max_fds") == int(limit)
    assert abs(value(metrics, "process_start_time_seconds") - wall_ms() / 1000) < 600
    used = eventually(lambda: busy_daemon.metrics().get("candled_store_bytes"), "a look at the database")
    with contextlib.closing(sqlite3.connect(busy_daemon.database)) as database:
        pages, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    # It grows, and nothing is ever deleted.
    assert size < used <= pages * size and used % size == 0
    room = os.statvfs(busy_daemon.folder)
    assert 0 < value(metrics, "store_available_bytes") <= room.f_blocks * room.f_frsize


@needs_prometheus
def test_names_and_help_are_as_prometheus_wants_them(busy_daemon):
    text = busy_daemon.get("/metrics").text
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout + done.stderr == "", done.stdout + done.stderr


@needs_prometheus
def test_the_alert_rules_are_valid_and_say_what_they_should(tmp_path):
    done = subprocess.run(["promtool", "check", "rules", RULES], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    cases = (HERE / "fixtures" / "candled.rules.test.yml").read_text()
    file = tmp_path / "rules.test.yml"
    file.write_text(f"rule_files: [{json.dumps(str(RULES))}]\n{cases}")
    done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Prometheus:
    """A server on loopback, in a folder of its own."""

    def __init__(self, folder, daemon):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        configuration = {
            "global": {"scrape_interval": "500ms", "evaluation_interval": "500ms", "scrape_timeout": "400ms"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "candled", "static_configs": [{"targets": [f"127.0.0.1:{daemon.port}"]}]}],
        }
        # Every JSON text is YAML.
        (folder / "prometheus.yml").write_text(json.dumps(configuration))
        self.log = open(folder / "prometheus.log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=self.log)

    def ask(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}", timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.log.close()


@pytest.fixture
def prometheus(busy_daemon, tmp_path):
    folder = tmp_path / "prometheus"
    folder.mkdir()
    server = Prometheus(folder, busy_daemon)
    yield server
    server.end()


@needs_prometheus
def test_prometheus_scrapes_every_metric_and_evaluates_every_rule(busy_daemon, prometheus):
    eventually(lambda: prometheus.query('up{job="candled"}')[0]["value"][1] == "1", "a scrape", timeout=60)
    eventually(
        lambda: float(prometheus.query('candled_candles_settled_total{settled_by="clock"}')[0]["value"][1]) >= 1,
        "a settled candle in Prometheus")
    known = set(prometheus.ask("label/__name__/values"))
    written = {re.split(r"[{ ]", line)[0] for line in busy_daemon.get("/metrics").text.splitlines() if line[:1] not in ("#", "")}
    assert written <= known, written - known

    def rules():
        found = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
        return found if found and all(rule["health"] != "unknown" for rule in found) else None

    rules = eventually(rules, "the rules to be evaluated", timeout=60)
    assert [(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"] == []
    away = eventually(
        lambda: [alert for alert in prometheus.ask("alerts")["alerts"] if alert["labels"].get("feed") == "away"],
        "an alert of the feed that is away")
    assert away[0]["labels"]["alertname"] == "CandledFeedDown" and away[0]["state"] == "pending"


@needs_prometheus
def test_every_query_of_the_dashboard_is_one(busy_daemon, prometheus):
    eventually(lambda: prometheus.query('up{job="candled"}')[0]["value"][1] == "1", "a scrape", timeout=60)
    for title, expression in expressions(json.loads(DASHBOARD.read_text())):
        for name, content in (("$instance", ".+"), ("$__rate_interval", "1m")):
            expression = expression.replace(name, content)
        try:
            prometheus.query(expression)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{title}: {expression}: {error.read().decode()}") from None


def expressions(dashboard):
    found = [(panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(found) > 20
    return found


def documented():
    return set(re.findall(r"^\| `(candled_\w+)`", (ROOT / "docs" / "metrics.md").read_text(), re.M))


@pytest.mark.parametrize("path", [RULES, DASHBOARD], ids=lambda path: path.name)
def test_only_documented_metrics_are_used(path):
    used = set(re.findall(r"\bcandled_[a-z_]+", path.read_text()))
    assert len(used) > 10
    for name in used:
        assert name in documented() or re.sub(r"_(bucket|sum|count)$", "", name) in documented(), name


def test_the_operations_page_says_of_each_alert_what_to_do():
    text = (ROOT / "docs" / "operations.md").read_text()
    names = re.findall(r"alert: (\w+)", RULES.read_text())
    assert len(names) > 10
    assert re.findall(r"^### (Candled\w+)", text, re.M) == names
