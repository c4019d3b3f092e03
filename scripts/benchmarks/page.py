"""The live page in Debian's Chromium: how soon candles are on the screen, and how smoothly 10,000 of them move."""

import json
import os
import random
import socket
import subprocess
import sys
import time
import venv

from peers import CANDLED
from running import Failed, Scratch

CHROMIUM = "/usr/bin/chromium"
ENVIRONMENT = os.path.abspath(".venv")
START = 1_700_006_400_000
CANDLES = 10_000


def run(peers, report):
    if not os.path.exists(CHROMIUM):
        peers.skipped["page"] = f"no {CHROMIUM}: scripts/setup --tests"
        return
    python = environment()
    with Scratch() as scratch:
        port, process = daemon(scratch)
        try:
            figures = [measure(python, port) for _ in range(1 if report.quick else report.rounds)]
        finally:
            process.terminate()
            process.wait(10)
    report.table(
        "The live page, first useful paint",
        "From the navigation in a browser context of its own (nothing cached) until candles are on the screen; loopback.",
        {"candled": [{"paint": one["paint"]} for one in figures]}, [("paint", "ms", ".0f")], [])
    for zoom, words in (("near", "160 candles in sight"), ("far", "1,300 in sight")):
        report.table(
            f"The live page, dragging {CANDLES:,} candles, {words}",
            "Volume, MACD and MA drawn; 1440×900, software rendering. 60 frames a second is what the browser offers.",
            {"candled": [one[zoom] for one in figures]},
            [("frames", "frames/s", ".1f"), ("slow", "95th percentile of a frame, ms", ".1f")], [])


def environment():
    """The interpreter that scripts/test uses, with what it installs."""
    python = os.path.join(ENVIRONMENT, "bin", "python")
    if not os.path.exists(python):
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "-r", "Tests/EndToEnd/requirements.txt"], stdout=sys.stderr, check=True)
    return python


def daemon(scratch):
    """A daemon on 10,000 candles of a random walk; its port and process."""
    dice = random.Random(1)
    price, lines = 36_500.0, []
    for number in range(CANDLES + 1):
        for second in (1, 20, 45):
            price += dice.gauss(0, 5)
            lines.append(f"{START + number * 60_000 + second * 1000},{price:.2f},{dice.random():.3f}")
    ticks, database = scratch.file("ticks.csv"), scratch.file("candles.db")
    with open(ticks, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    done = subprocess.run([CANDLED, "replay", "--db", database, "--symbol", "X", ticks], capture_output=True, text=True)
    if done.returncode:
        raise Failed("candled replay: " + done.stderr[-300:])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = scratch.file("candled.yaml")
    with open(configuration, "w", encoding="utf-8") as file:
        json.dump({"listen": f"127.0.0.1:{port}", "database": database, "clock": {"source": "feed"}}, file)
    process = subprocess.Popen(
        [CANDLED, "run", "--config", configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return port, process
        except OSError:
            time.sleep(0.02)
    process.kill()
    raise Failed("the daemon did not start")


def measure(python, port):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_in_browser.py")
    done = subprocess.run(
        [python, script, f"http://127.0.0.1:{port}/", str(CANDLES)], capture_output=True, text=True, timeout=180)
    if done.returncode:
        raise Failed("browser: " + done.stderr[-300:])
    return json.loads(done.stdout)
