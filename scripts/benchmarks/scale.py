"""What many symbols, many readers and many stored candles cost."""

import threading
import time

from clients import Client
from daemons import SUBSCRIBE, Candled, Peer, Running
from running import Failed, Scratch, bench, rounds
from websocket import latency

#: A quarter of an hour at which M1, M5 and M15 end together, in Unix milliseconds.
BOUNDARY = 1_700_001_000_000
#: Minutes of history before it: every default indicator has values in M1.
HISTORY = 40
SYMBOLS = 10_000


def run(peers, report):
    quick = report.quick
    growth(report, quick)
    queries(report, 1_000_000 if quick else 10_000_000)
    minute_boundary(peers, report, quick)
    idle_readers(peers, report, 1_000 if quick else 10_000)
    one_topic(peers, report, 1_000 if quick else 9_990)


def growth(report, quick):
    """Six ticks a minute of each symbol, however many there are."""
    work = {
        f"{symbols:,} symbols": lambda symbols=symbols: settled(200_000 if quick else 3_000_000, symbols)
        for symbols in (10, 100, 1_000, 10_000)
    }
    results, _ = rounds(report.rounds, work, warm_up=False)
    report.table(
        "Growth: parse + settle three timeframes, the same ticks a minute of each symbol", "", results,
        [("cpu", "CPU ns a tick", ".0f"), ("wall", "wall ns a tick", ".0f")], [("cpu", "CPU")])


def settled(ticks, symbols):
    figures = bench("settle", "--ticks", ticks, "--symbols", symbols, "--rate", min(999, max(1, symbols // 10)))
    return {"cpu": figures["cpu_ns_per_tick"], "wall": figures["wall_ns_per_tick"]}


def queries(report, rows):
    figures = bench("store", "--rows", rows, "--batch", 10_000)
    results = {
        name: [{"p50": figures[f"{key}_p50_us"], "p99": figures[f"{key}_p99_us"]}]
        for name, key in (("nothing else", "query"), ("while candles are stored", "query_while_storing"))
    }
    report.table(
        f"Newest 500 candles of a series, {rows / 1e6:g}M stored", "Once; 500 queries of 1,000 series, in memory (tmpfs).",
        results, [("p50", "p50 µs", ".0f"), ("p99", "p99 µs", ".0f")], [])


def minute_boundary(peers, report, quick):
    symbols = SYMBOLS // 5 if quick else SYMBOLS
    results, failures = rounds(
        3 if quick else report.rounds, {"candled": lambda: boundary(peers, symbols)}, warm_up=False)
    peers.skipped.update(failures)
    if results:
        report.table(
            f"The minute boundary: {symbols:,} symbols × M1, M5, M15 with indicators settle at once",
            "From the tick that moves the clock past the grace until the last of the candles, committed, is read by a "
            "subscriber of all; meanwhile ticks are acknowledged. Idle before it: what the daemon holds with all of them.",
            results, [
                ("published_ms", "published ms", ".0f"), ("first_ms", "first candle ms", ".0f"),
                ("p99_ms", "other ticks p99 ms", ".1f"), ("worst_ms", "worst ms", ".1f"),
                ("cpu", "CPU s", ".2f"), ("anonymous", "idle, own MiB", ".0f"), ("resident", "idle, resident MiB", ".0f")],
            [])


def boundary(peers, symbols):
    with Scratch() as scratch, Running(Candled(), None, scratch.path) as running:
        producer = Client(running.port, "/v1/ingest?ack=1")
        names = [b"S%05d" % number for number in range(symbols)]
        for minute in range(HISTORY, 0, -1):
            for start in range(0, symbols, 1_000):
                at = BOUNDARY - minute * 60_000 + 30_000
                producer.send(b"\n".join(
                    b"%s,%d,%d.%02d,0.5" % (name, at + start // 1_000, 100 + (minute * 7 + index) % 50, index % 100)
                    for index, name in enumerate(names[start:start + 1_000])))
                producer.receive()
        running._settle()
        memory = running.memory()
        reader = Client(running.port, "/v1/stream")
        reader.send('{"op":"subscribe","topics":["closed.*.*"]}')
        reader.receive()
        other = Client(running.port, "/v1/ingest/S00000?ack=1")
        before, begin = running.cpu(), time.monotonic()
        times = {}

        def read():
            try:
                seen = reader.count(b'"type":"closed"', 1)
                times["first"] = time.monotonic() - begin
                reader.count(b'"type":"closed"', symbols * 3 - seen)
                times["last"] = time.monotonic() - begin
            except OSError as error:
                times["error"] = str(error)

        thread = threading.Thread(target=read)
        thread.start()
        # Past the grace of a second: everything is due.
        producer.send(b"S00000,%d,120.5,1" % (BOUNDARY + 1_001))
        waits, number = [], 0
        while thread.is_alive() and time.monotonic() - begin < 20:
            sent = time.monotonic()
            other.send(b"%d,121.5,1" % (BOUNDARY + 1_002 + number))
            other.receive()
            waits.append(time.monotonic() - sent)
            number += 1
            time.sleep(0.002)
        thread.join(1)
        if "last" not in times:
            raise Failed("the candles of the boundary did not all come: " + times.get("error", "no more in time"))
        waits.sort()
        return {
            "published_ms": times["last"] * 1e3, "first_ms": times["first"] * 1e3,
            "p99_ms": waits[len(waits) * 99 // 100] * 1e3, "worst_ms": waits[-1] * 1e3,
            "cpu": running.cpu() - before, "anonymous": memory["RssAnon"], "resident": memory["VmRSS"]}


def idle_readers(peers, report, count):
    results, failures = rounds(3, {"candled": lambda: idle(count)}, warm_up=False)
    peers.skipped.update(failures)
    if results:
        report.table(
            f"{count:,} idle subscribers of one topic", "", results, [("kib", "KiB a subscriber", ".1f")], [])


def idle(count):
    with Scratch() as scratch, Running(Candled(), None, scratch.path) as running:
        before = running.memory()["RssAnon"]
        clients = []
        for _ in range(count):
            client = Client(running.port, "/v1/stream")
            client.send(SUBSCRIBE)
            client.receive()
            clients.append(client)
        after = running.memory()["RssAnon"]
        for client in clients:
            client.close()
        return {"kib": (after - before) * 1_024 / count}


def one_topic(peers, report, count):
    load, limit = peers.program("wsload"), peers.program("limit")
    if load is None:
        return
    daemons = {"candled": Candled()} | ({"C limit": Peer(limit)} if limit else {})
    results, failures = rounds(
        3 if report.quick else report.rounds, {
            name: (lambda daemon=daemon: latency(daemon, load, count, 200, rate=400)) for name, daemon in daemons.items()
        }, warm_up=False)
    peers.skipped.update(failures)
    if results:
        report.table(
            f"One topic, {count:,} subscribers, 400 ticks/s", "", results, [
                ("msgs_per_s", "messages/s", ",.0f"), ("seen", "ticks shown", ".3f"), ("memory", "peak MiB", ".0f"),
                ("cpu_us", "CPU µs a tick", ".0f")],
            [("msgs_per_s", "messages/s"), ("cpu_us", "CPU")])
