"""What the service manager is told, and what the unit allows (contract, section 8, signals; systemd/candled.service)."""

import json
import os
import re
import shutil
import signal
import subprocess

import pytest

from support.notify import ServiceManager
from support.paths import ROOT, binary
from support.waiting import eventually

UNIT = ROOT / "systemd" / "candled.service"
analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")


@pytest.fixture
def manage(make_daemon, tmp_path):
    managers = []

    def make(configuration=None, **options):
        folder = tmp_path / f"manager{len(managers)}"
        folder.mkdir()
        managers.append(ServiceManager(folder, **options))
        daemon = make_daemon(configuration)
        daemon.environment = managers[-1].environment
        return daemon, managers[-1]

    yield make
    for manager in managers:
        manager.end()


def test_a_daemon_without_feeds_is_ready_once_it_serves(manage):
    daemon, manager = manage()
    daemon.start()
    manager.wait("READY")
    manager.wait_status("No feeds, 0 producers, 0 symbols, 0 subscribers")
    assert manager.count("READY") == 1


def test_a_feed_that_does_not_answer_does_not_keep_the_service_from_starting(manage, exchange):
    exchange.shut()
    daemon, manager = manage({"feeds": [{"name": "f", "url": exchange.url(), "symbol": "TEST"}]})
    daemon.start()
    manager.wait("READY")
    manager.wait_status("Not ready: no feed is connected")
    exchange.open()
    manager.wait_status("1 of 1 feeds connected")
    assert manager.count("READY") == 1


def test_a_reload_is_told_from_its_beginning_to_its_end(manage, exchange):
    daemon, manager = manage()
    daemon.start()
    manager.wait("READY")
    daemon.configuration["feeds"] = [{"name": "f", "url": exchange.url(), "symbol": "TEST"}]
    (daemon.folder / "candled.yaml").write_text(json.dumps(daemon.configuration))
    daemon.process.send_signal(signal.SIGHUP)
    manager.wait("READY", 2)
    order = [name for message in manager.messages for name in message if name in ("READY", "RELOADING")]
    assert order == ["READY", "RELOADING", "READY"], manager.messages
    reloading = next(message for message in manager.messages if "RELOADING" in message)
    assert int(reloading["MONOTONIC_USEC"]) > 0
    manager.wait_status("1 of 1 feeds connected")


def test_a_refused_configuration_ends_the_reload_too(manage):
    daemon, manager = manage()
    daemon.start()
    manager.wait("READY")
    (daemon.folder / "candled.yaml").write_text("listen: [\n")
    daemon.process.send_signal(signal.SIGHUP)
    manager.wait("READY", 2)
    assert manager.count("RELOADING") == 1 and "the old one stays" in daemon.log()


def test_signs_of_life_come_while_the_process_runs_and_only_then(manage):
    daemon, manager = manage(watchdog=0.2)
    daemon.start()
    manager.wait("WATCHDOG", 3)
    daemon.pause()
    eventually(lambda: re.search(r"State:\s+T", open(f"/proc/{daemon.process.pid}/status").read()), "the process to stand")
    before = manager.count("WATCHDOG")
    daemon.resume()
    manager.wait("WATCHDOG", before + 3)


def test_an_idle_daemon_is_not_woken_for_signs_that_nobody_wants(manage):
    daemon, manager = manage()
    daemon.start()
    manager.wait("READY")
    assert manager.count("WATCHDOG") == 0


def test_a_stop_is_told(manage):
    daemon, manager = manage()
    daemon.start()
    manager.wait("READY")
    assert daemon.stop() == 0
    manager.wait("STOPPING")


def test_a_log_that_takes_nothing_does_not_end_the_daemon(make_daemon):
    daemon = make_daemon()
    (daemon.folder / "candled.yaml").write_text(json.dumps({**daemon.configuration, "listen": "127.0.0.1:0"}))
    with open("/dev/full", "wb") as full:
        process = subprocess.Popen([binary(), "run"], cwd=daemon.folder, stdout=full, stderr=full, stdin=subprocess.DEVNULL)
    try:
        eventually(lambda: (daemon.folder / "candles.db").exists(), "the database")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()


def test_priorities_are_for_the_journal_alone(make_daemon):
    # The variable is inherited by whatever a service starts; what it names is another file.
    daemon = make_daemon()
    daemon.environment = {"JOURNAL_STREAM": "1:2"}
    daemon.start()
    assert "notice: serving" in daemon.log() and "<5>" not in daemon.log()
    daemon.stop()
    # The log of a daemon in a test is a file; its device and inode are known beforehand.
    status = os.stat(daemon.log_path)
    daemon.environment = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
    daemon.start()
    assert re.search(r"^<5>serving ", daemon.log(), re.M) and "notice:" not in daemon.log()


@analyze
def test_the_unit_is_exposed_as_little_as_promised(tmp_path):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", UNIT], capture_output=True,
        text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert "Overall exposure level" in done.stdout, done.stderr
    assert done.returncode == 0, done.stdout


@analyze
def test_the_unit_has_no_mistake(tmp_path):
    # The program and its pages are looked for where the package would put them.
    text = re.sub(r"^Documentation=.*\n", "", UNIT.read_text().replace("/usr/bin/candled", binary()), flags=re.M)
    copy = tmp_path / "candled.service"
    copy.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout + done.stderr == "", done.stdout + done.stderr
