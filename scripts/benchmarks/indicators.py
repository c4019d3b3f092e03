"""The default 19 values: candled beside the C yardstick and TA-Lib's C stream handles."""

import re
import subprocess

from running import Failed, bench, rounds


def run(peers, report):
    candles = 20_000 if report.quick else 100_000
    contestants = {"candled": lambda: ours(candles)}
    program, library = peers.program("ind_bench"), peers.ta_lib()
    found = {}
    if program:
        # One run of the program measures both.
        def yardstick():
            done = subprocess.run(
                [program, library or "none", str(candles)], capture_output=True, text=True, timeout=120)
            figures = parse(done.stdout)
            if "ind.h" not in figures:
                raise Failed(done.stderr[-300:])
            found.update(figures)
            return figures["ind.h"]

        contestants["ind.h (C)"] = yardstick
        if library:
            contestants["TA-Lib C handles"] = lambda: found["TA-Lib"]
    results, failures = rounds(report.rounds, contestants)
    peers.skipped.update(failures)
    report.table(
        "Indicators: 19 values of a candle",
        f"{candles:,} candles, ten previews each; CPU nanoseconds a call. A preview is what a forming candle shows, a "
        "commit what a closed one leaves. candled's input are exact decimals, theirs are doubles.",
        results, [("preview", "preview ns", ".0f"), ("commit", "commit ns", ".0f")],
        [("preview", "preview"), ("commit", "commit")])


def ours(candles):
    figures = bench("indicators", "--candles", candles)
    return {"preview": figures["cpu_ns_per_preview"], "commit": figures["cpu_ns_per_commit"]}


def parse(text):
    figures = {}
    match = re.search(r"ind\.h: ([\d.]+) ns per forming refresh, ([\d.]+) ns per closed", text)
    if match:
        figures["ind.h"] = {"preview": float(match[1]), "commit": float(match[2])}
    match = re.findall(r"TA-Lib C stream: ([\d.]+) ns per (forming|closed)", text)
    if len(match) == 2:
        times = {kind: float(value) for value, kind in match}
        figures["TA-Lib"] = {"preview": times["forming"], "commit": times["closed"]}
    return figures
