"""Runs the groups of benchmarks and prints their tables; see scripts/bench."""

import argparse
import json
import os
import signal
import sys

import indicators
import page
import parts
import replay
import scale
import websocket
from peers import Peers
from report import Report

GROUPS = {"parts": parts, "indicators": indicators, "replay": replay, "websocket": websocket, "scale": scale, "page": page}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true", help="three small rounds instead of five large ones")
    parser.add_argument("--ticks", type=int, metavar="N", help="ticks of the replays (10 million, --quick 1 million)")
    parser.add_argument("--json", metavar="FILE", help="write the figures here")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no group {', '.join(unknown)}; there are {', '.join(GROUPS)}")

    if arguments.ticks:
        replay.TICKS[arguments.quick] = arguments.ticks
    # Ended from outside it still ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    peers = Peers(os.environ.get("CANDLED_BENCH_PEERS", "../shared/bench"), quick=arguments.quick)
    report = Report(quick=arguments.quick)
    try:
        for name in arguments.groups or GROUPS:
            GROUPS[name].run(peers, report)
    finally:
        for what, why in peers.skipped.items():
            report.skip(what, why)
        report.print_skipped()
        if arguments.json:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump(report.figures, file, indent=1)
                file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
