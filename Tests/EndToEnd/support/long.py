"""`CANDLED_LONG=1` runs the robustness tests at the size of their issue; otherwise at one that fits every run."""

import os

LONG = os.environ.get("CANDLED_LONG", "") not in ("", "0")


def size(short, long):
    return long if LONG else short


def report(text):
    """A figure for whoever runs with `-s` or reads the captured output."""
    print(text, flush=True)
    name = os.environ.get("CANDLED_FIGURES")
    if name:
        with open(name, "a") as file:
            file.write(text + "\n")
