"""`candled replay` of a file of ticks into a database, beside programs that do the same."""

import os
import subprocess

from peers import BUILD, CANDLED
from running import Scratch, measured, rounds

#: Name: (symbols, ticks a second, seed) of a generated file.
INPUTS = {"one": (1, 20, 1), "multi": (1_000, 500, 2)}
#: Ticks of a file; of a quick run.
TICKS = {False: 10_000_000, True: 1_000_000}


def run(peers, report):
    ticks = TICKS[report.quick]
    for kind, (symbols, _, _) in INPUTS.items():
        path = data(peers, kind, ticks)
        if path is None:
            peers.skipped["replay"] = "no generator of ticks"
            return
        for indicators in (False, True):
            with Scratch() as scratch:
                results, failures = rounds(
                    report.rounds, contestants(peers, scratch, path, kind, indicators), warm_up=not report.quick)
            peers.skipped.update(failures)
            what = "with 19 indicator values" if indicators else "closed candles only"
            report.table(
                f"Replay, {ticks / 1e6:g}M ticks of {symbols:,} symbol{'s' * (symbols > 1)}, {what}",
                "M1, M5 and M15 to a database in memory (tmpfs); whole processes.", results,
                [("cpu", "CPU s", ".2f"), ("wall", "wall s", ".2f"), ("memory", "peak MiB", ".0f")],
                [("cpu", "CPU"), ("wall", "wall")])


def data(peers, kind, ticks):
    """The file of ticks, generated once; the C program's random walk."""
    path = os.path.join(BUILD, f"{kind}-{ticks}.csv")
    if os.path.exists(path):
        return path
    generator = peers.program("gen_ticks")
    if generator is None:
        return None
    symbols, rate, seed = INPUTS[kind]
    with open(path + ".part", "wb") as file:
        subprocess.run([generator, str(ticks), str(symbols), str(rate), str(seed)], stdout=file, check=True)
    os.rename(path + ".part", path)
    return path


def contestants(peers, scratch, path, kind, indicators):
    many = kind == "multi"

    def process(name, command):
        def once():
            scratch.clear(name)
            return measured([*command, scratch.file(name)])

        return once

    own = [CANDLED, "replay", path, *([] if many else ["--symbol", "X"]), *(["--indicators"] if indicators else [])]
    found = {"candled": process("candled.db", [*own, "--db"])}
    program = peers.program("candles")
    if program:
        options = (["--symbols", "--sorted"] if many else []) + (["--ind"] if indicators else [])
        found["C → sqlite"] = process("c.db", [program, path, *options, "--db"])
    script = peers.source("batch/peers.py")
    task = ["--task", "2" if indicators else "1", *(["--symbols"] if many else [])]
    for tool in ("polars", "duckdb"):
        modules = [tool, "numpy", "talib"] if tool == "duckdb" and indicators else [tool]
        python = peers.python(*modules) if script else None
        if python is None:
            continue
        sink, kind_of_sink = ("natural", "parquet") if tool == "polars" and many else ("sqlite", "sqlite")
        if tool == "duckdb":
            sink, kind_of_sink = "natural", "duckdb"
        found[f"{tool} → {kind_of_sink}"] = process(
            f"{tool}.db", [python, script, tool, path, *task, "--threads", "2", "--sink", sink, "--db"])
    return found
