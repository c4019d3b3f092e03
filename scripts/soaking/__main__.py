"""Endurance: see scripts/soak."""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "Tests" / "EndToEnd"))

from course import Course  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak")
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("--subscribers", type=int, default=1000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of all that is drawn")
    parser.add_argument("--keep", metavar="FOLDER", help="where database and log stay; otherwise they go at the end")
    parser.add_argument("--calm", action="store_true", help="no restarts and no full disk: all of it measures memory")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="candled-soak-") as made:
        folder = Path(arguments.keep or made)
        folder.mkdir(parents=True, exist_ok=True)
        course = Course(folder, arguments.minutes * 60, arguments.subscribers, arguments.seed, arguments.calm)
        sys.exit(0 if asyncio.run(course.run()) else 1)


main()
