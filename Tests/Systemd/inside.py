"""Runs inside the container that scripts/test-systemd boots, as a service of it; each step goes on from the one before."""

import json
import os
import signal
import traceback
from pathlib import Path

import machine
from machine import PACKAGES, STATE, Disk, Traffic, candled, control, eventually, journal, ready, run, show, status_is

VERSION = os.environ["CANDLED_VERSION"]
STEPS = []
#: Longer than WatchdogSec and what follows it.
WATCHDOG = 90


def step(function):
    STEPS.append(function)
    return function


def configure(**more):
    Path("/etc/candled/candled.yaml").write_text(json.dumps({**machine.CONFIGURATION, **more}))


@step
def the_package_installs_and_the_service_starts_with_the_installed_configuration(world):
    world.disk = Disk()
    run("dpkg", "-i", PACKAGES / f"candled_{VERSION}_amd64.deb")
    assert show("ActiveState") == "active" and show("UnitFileState") == "enabled", show("ActiveState", "UnitFileState")
    assert show("StatusText").startswith("No feeds, 0 producers"), show("StatusText")
    assert ready() == 200
    assert run("candled", "version").strip() == f"candled {VERSION}", run("candled", "version")


@step
def the_service_is_nobody_and_its_files_are_its_own(world):
    status = Path(f"/proc/{machine.process()}/status").read_text()
    user = int(next(line.split()[1] for line in status.splitlines() if line.startswith("Uid:")))
    assert user > 60000, status
    assert (STATE / "candles.db").stat().st_mode & 0o077 == 0
    configuration = Path("/etc/candled/candled.yaml")
    assert configuration.stat().st_mode & 0o777 == 0o640 and configuration.group() == "candled-config"


@step
def the_manual_pages_are_there(world):
    for page in ("candled", "candled.yaml"):
        assert run("man", "-w", page).strip().endswith(".gz")


@step
def a_wrong_configuration_ends_the_service_at_once_and_is_not_tried_again(world):
    configure(timeframe=["M1"])
    control("restart", check=False)
    eventually(lambda: show("ActiveState") == "failed", "the unit to fail")
    assert show("ExecMainStatus") == "78", show("ExecMainStatus", "NRestarts")
    configure()
    assert any("timeframe" in entry["MESSAGE"] and entry["PRIORITY"] == "3" for entry in journal()), journal()[-5:]


@step
def what_producers_send_streams(world):
    control("reset-failed")
    control("restart")
    world.traffic = Traffic()
    world.traffic.start()
    world.reader = candled().subscriber("candle.S1.TEST")
    world.reader.wait_candle("forming", "S1")
    world.reader.wait_candle("closed", "S1")
    eventually(lambda: "1 producers, 1 symbols, 1 subscribers" in show("StatusText"), "the status line")


@step
def a_reload_adds_a_feed_and_keeps_every_socket(world):
    process = machine.process()
    exchange = machine.Exchange()
    configure(feeds=[{"name": "local", "url": exchange.url(), "symbol": "OTHER"}])
    control("reload")
    eventually(lambda: exchange.connections, "the feed to be dialled")
    status_is("1 of 1 feeds connected")
    assert machine.process() == process and show("ActiveState", "SubState") == ["active", "running"]
    world.reader.sync()
    world.traffic.wait_for_more()
    assert world.traffic.connects == 1
    exchange.end()
    status_is("Not ready: no feed is connected")
    assert ready() == 503


@step
def a_reload_of_a_wrong_configuration_is_refused_and_the_service_goes_on(world):
    Path("/etc/candled/candled.yaml").write_text("listen: [nowhere\n")
    before = len(journal())
    control("reload")
    eventually(lambda: any("the old one stays" in entry["MESSAGE"] for entry in journal()[before:]), "the log line")
    assert show("ActiveState", "SubState") == ["active", "running"]
    configure()
    control("reload")
    status_is("No feeds")
    world.traffic.wait_for_more()


@step
def log_lines_have_the_priorities_of_the_journal(world):
    entries = journal()
    assert {entry["PRIORITY"] for entry in entries} >= {"3", "4", "5", "6"}
    assert not any(entry["MESSAGE"].startswith("<") for entry in entries)


@step
def a_killed_daemon_is_back_with_every_acknowledged_tick(world):
    process = machine.process()
    os.kill(process, signal.SIGKILL)
    eventually(lambda: int(show("MainPID")) not in (process, 0) and ready() == 200, "the service to be back")
    assert show("NRestarts") == "1", show("NRestarts")
    world.traffic.wait_for_more()
    gaps = candled().get("/v1/gaps", symbol="TEST").json["gaps"]
    assert [gap for gap in gaps if gap["reason"] == "restart" and gap["to"]], gaps


@step
def the_watchdog_ends_a_daemon_whose_loop_does_not_turn(world):
    process = machine.process()
    os.kill(process, signal.SIGSTOP)
    eventually(lambda: int(show("MainPID")) not in (process, 0) and ready() == 200, "the watchdog to act", timeout=WATCHDOG)
    assert any("watchdog" in entry["MESSAGE"].lower() for entry in journal()), journal()[-10:]
    world.traffic.wait_for_more()


@step
def a_full_disk_is_told_and_overcome(world):
    process = machine.process()
    world.disk.fill()
    world.traffic.symbols = 300
    eventually(lambda: ready() == 503, "/readyz to say that the disk is full", timeout=120)
    status_is("Not ready: ")
    assert candled().get("/healthz").status == 200
    assert any(entry["PRIORITY"] == "3" and "pending_bytes" in entry["MESSAGE"] or "no ticks" in entry["MESSAGE"]
               for entry in journal()), journal()[-5:]
    world.traffic.symbols = 1
    world.disk.empty()
    eventually(lambda: ready() == 200, "the daemon to take writes again", timeout=60)
    status_is("No feeds")
    world.traffic.wait_for_more()
    assert machine.process() == process, "nothing was restarted for it"


@step
def an_upgrade_keeps_configuration_and_data(world):
    process = machine.process()
    epoch = candled().get("/v1/status").json["epoch"]
    configuration = Path("/etc/candled/candled.yaml").read_text()
    candles = candled().candles("TEST", "S1", limit=10000)
    run("dpkg", "-i", PACKAGES / f"candled_{VERSION}+next_amd64.deb")
    assert run("dpkg-query", "-W", "-f", "${Version}", "candled") == f"{VERSION}+next"
    assert show("ActiveState") == "active" and machine.process() != process
    assert Path("/etc/candled/candled.yaml").read_text() == configuration
    assert Path("/etc/candled/candled.yaml").stat().st_mode & 0o777 == 0o640
    assert candled().get("/v1/status").json["epoch"] == epoch
    after = {candle["open_time"]: candle for candle in candled().candles("TEST", "S1", limit=10000)}
    # The last ones may have been corrected by ticks that were under way.
    for candle in candles[:-2]:
        assert after[candle["open_time"]] == candle
    world.traffic.wait_for_more()


@step
def no_acknowledged_tick_is_missing_after_all_of_this(world):
    sent = world.traffic.stop()
    # Nobody sends any more, so nothing follows the candle of the newest tick.
    newest = max(sent) // 1000 * 1000
    eventually(lambda: candled().candles("TEST", "S1")[-1]["open_time"] >= newest, "the last candle to settle")
    stored = {}
    for row in candled().sql("SELECT open_time, ticks FROM candles WHERE symbol = 'TEST' AND timeframe = 'S1'"):
        stored[row["open_time"]] = row["ticks"]
    seconds = {}
    for time in sent:
        seconds[time // 1000 * 1000] = seconds.get(time // 1000 * 1000, 0) + 1
    missing = {second: (count, stored.get(second)) for second, count in seconds.items() if (stored.get(second) or 0) < count}
    assert not missing, f"of {len(sent)} acknowledged ticks, by second (acknowledged, stored): {missing}"
    run("candled", "verify", "--db", STATE / "candles.db")


@step
def a_stop_is_clean_and_quick(world):
    reader = candled().subscriber("candle.S1.TEST")
    begun = machine.time.monotonic()
    control("stop")
    assert machine.time.monotonic() - begun < 8
    reader.wait_end()
    assert reader.close_code == 1001, reader.close_code
    assert show("ActiveState", "Result", "ExecMainStatus") == ["inactive", "success", "0"]


@step
def removing_the_package_stops_the_service_and_keeps_the_data(world):
    control("start")
    run("dpkg", "--remove", "candled")
    assert show("ActiveState") == "inactive", show("ActiveState")
    assert Path("/etc/candled/candled.yaml").exists() and (STATE / "candles.db").exists()
    run("dpkg", "--purge", "candled")
    assert not Path("/etc/candled").exists() and (STATE / "candles.db").exists()


class World:
    """What one step leaves for the next."""


def main():
    world = World()
    passed = failed = 0
    for function in STEPS:
        name = function.__name__.replace("_", " ")
        try:
            function(world)
            passed += 1
            print(f"ok      {name}")
        except BaseException:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}")
    run("sh", "-c", "journalctl -u candled --no-pager -o short-precise > /test/results/journal")
    print(f"{passed} passed, {failed} failed")
    Path("/test/results/failed").write_text(str(failed))


main()
