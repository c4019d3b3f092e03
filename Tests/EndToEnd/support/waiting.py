"""Waiting for conditions: generous deadlines, short polls."""

import os
import time

#: Seconds. Long enough for a loaded machine; only a failing test waits this long. A daemon built with a sanitizer needs more.
PATIENCE = float(os.environ.get("CANDLED_PATIENCE", 30))


def eventually(check, what="the condition", timeout=PATIENCE, interval=0.02):
    """Calls `check` until it returns something true, and returns that."""
    deadline = time.monotonic() + timeout
    last = None
    while True:
        try:
            last = check()
            if last:
                return last
        except (AssertionError, OSError, KeyError, IndexError) as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come to be within {timeout} s; last seen: {last!r}")
        time.sleep(interval)


def wall_ms():
    return time.time_ns() // 1_000_000
