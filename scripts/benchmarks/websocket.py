"""candled on its sockets: ticks in on one WebSocket, forming M1 candles with indicators out on others.

All daemons get the same ticks: first a history of 34 or more minutes, so that every indicator has values. In the floods
a message is told by the open time of its candle: the last tick opens a new one, and its message ends the run. For the
latencies it must be known which tick a message is of. The peers say its time; candled says how many ticks its candle
has, so the candle gets as many ticks beforehand as its time in milliseconds says.
"""

import csv
import os
import tempfile

from daemons import Candled, Peer, Running
from running import Scratch, bench, rounds

#: Begin of a minute with 40 minutes of history before it, in Unix milliseconds.
FLOOD_BEGIN = 1_700_002_440_000
#: Ticks of the floods are a millisecond apart.
TICKS_A_MINUTE = 60_000
#: The minute of the latencies, in Unix milliseconds: early in 1970, so that its candle can hold as many ticks.
LATENCY_MINUTE = 2_100_000

FLOOD_COLUMNS = [
    ("ticks_per_s", "ticks/s", ",.0f"), ("cpu_us", "CPU µs a tick", ".2f"), ("messages_per_tick", "messages a tick", ".2f"),
    ("silence_ms", "longest silence ms", ".0f"), ("memory", "peak MiB", ".0f"), ("complete", "complete", ".0f")]
LATENCY_COLUMNS = [
    ("p50_us", "p50 µs", ".0f"), ("p99_us", "p99 µs", ".0f"), ("msgs_per_s", "messages/s", ",.0f"),
    ("cpu_us", "CPU µs a tick", ".1f"), ("seen", "ticks shown", ".3f"), ("complete", "complete", ".0f"),
    ("memory", "peak MiB", ".0f"), ("gen_lag_p99_us", "sender late p99 µs", ".0f")]


def run(peers, report):
    load = peers.program("wsload")
    if load is None:
        peers.skipped["websocket"] = "no load generator"
        return
    limit = peers.program("limit")
    script = peers.source("ws/py_picows.py")
    python = peers.python("picows", "uvloop", "orjson") if script else None
    daemons = {"candled": Candled()}
    if limit:
        daemons["C limit"] = Peer(limit)
    if python:
        daemons["picows"] = Peer(python, script)
    fast = {name: daemon for name, daemon in daemons.items() if name != "picows"}
    minutes = 5 if report.quick else 15

    compare(peers, report, "Flood, one tick a frame, one subscriber", "As fast as the socket takes them. The C program sends a message for each tick, picows too; candled lets a newer "
            "forming message take the place of one that still waits.", {
        name: (lambda daemon=daemon, name=name: flood(daemon, load, 1 if name == "picows" else minutes))
        for name, daemon in daemons.items()
    }, FLOOD_COLUMNS, [("ticks_per_s", "ticks/s"), ("cpu_us", "CPU")])
    compare(peers, report, "Flood, 100 ticks a frame, one subscriber",
            "The peers read one tick a frame; beside it stands candled's parser alone.", {
        "candled": lambda: flood(daemons["candled"], load, minutes * 2, multi=100),
        "parser alone": lambda: parser(400_000 if report.quick else 1_200_000),
    }, FLOOD_COLUMNS[:2], [("ticks_per_s", "ticks/s"), ("cpu_us", "CPU")])
    count = 10_000 if report.quick else 30_000
    compare(peers, report, "Latency at 10,000 ticks/s, one subscriber", "From the moment a tick was due.", {
        name: (lambda daemon=daemon: latency(daemon, load, 1, count)) for name, daemon in daemons.items()
    }, LATENCY_COLUMNS, [("p50_us", "p50"), ("p99_us", "p99"), ("cpu_us", "CPU")])
    compare(peers, report, "Fan-out of 10,000 ticks/s to 100 subscribers", "", {
        name: (lambda daemon=daemon: latency(daemon, load, 100, count // 3)) for name, daemon in fast.items()
    }, LATENCY_COLUMNS, [("msgs_per_s", "messages/s"), ("p50_us", "p50"), ("p99_us", "p99"), ("cpu_us", "CPU")])


def compare(peers, report, title, note, contestants, columns, ratios):
    results, failures = rounds(report.rounds, contestants, warm_up=False)
    peers.skipped.update({f"{name} ({title})": why for name, why in failures.items()})
    if results:
        report.table(title, note, results, columns, ratios)


def flood(daemon, load, minutes, multi=1):
    count = minutes * TICKS_A_MINUTE + 1
    with Scratch() as scratch, Running(daemon, load, scratch.path) as running, tempfile.TemporaryDirectory() as folder:
        running.send(base_ts=FLOOD_BEGIN - 40 * 60_000, step_ms=1_000, n=40 * 60)
        dump = os.path.join(folder, "arrivals.csv")
        seen = running.measure(
            daemon.open_key, 1, base_ts=FLOOD_BEGIN, step_ms=1, n=count, rate=0, multi=multi, dump=dump)
        return {
            "ticks_per_s": seen["ticks_per_s"], "cpu_us": seen["srv_cpu_s"] / count * 1e6,
            "messages_per_tick": seen["msgs"] / count, "silence_ms": longest_silence(dump), "memory": seen["srv_peak_MiB"],
            "complete": seen["complete"]}


def longest_silence(dump):
    """The longest time without a message while ticks came in, in milliseconds."""
    # Line by line: what this process once needed would count as the peak of its later children.
    longest = previous = None
    with open(dump, newline="", encoding="ascii") as file:
        for row in csv.reader(file):
            if len(row) != 5:
                continue
            begin, arrival = (int(row[3]) if previous is None else previous), int(row[4])
            longest, previous = max(longest or 0, arrival - begin), arrival
    return None if longest is None else longest / 1e6


def parser(ticks):
    cost = bench("parse", "--ticks", ticks)
    return {"ticks_per_s": 1e9 / cost["wall_ns_per_tick_100_a_frame"], "cpu_us": cost["cpu_ns_per_tick_100_a_frame"] / 1e3}


def latency(daemon, load, subscribers, count, rate=10_000):
    with Scratch() as scratch, Running(daemon, load, scratch.path) as running:
        # A tick a second up to the minute that is measured.
        running.send(base_ts=60_000, step_ms=1_000, n=LATENCY_MINUTE // 1_000 - 60)
        if daemon.needs_filling:
            running.send(base_ts=LATENCY_MINUTE, step_ms=0, n=LATENCY_MINUTE, multi=1_000)
        seen = running.measure(
            daemon.tick_key, subscribers, base_ts=LATENCY_MINUTE + 1, step_ms=1, n=count, rate=rate)
        return {
            "p50_us": seen["p50_us"], "p99_us": seen["p99_us"], "msgs_per_s": seen["msgs_per_s"],
            "cpu_us": seen["srv_cpu_s"] / count * 1e6, "seen": seen["ticks_seen_frac"], "complete": seen["complete"],
            "memory": seen["srv_peak_MiB"], "gen_lag_p99_us": seen["gen_lag_p99_us"]}
