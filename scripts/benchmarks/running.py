"""Commands and what they cost."""

import json
import os
import shutil
import subprocess
import tempfile
import time

from peers import BENCH, BUILD


class Failed(Exception):
    pass


def measured(command, timeout=300):
    """Runs a command to its end: wall and CPU seconds, peak memory in MiB."""
    with tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise Failed(f"{command[0]}: {errors.read().decode(errors='replace')[-300:].strip()}")
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}


def bench(*arguments):
    """The figures of one run of candled-bench."""
    done = subprocess.run([BENCH, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"candled-bench {arguments[0]}: {done.stderr[-300:]}")
    return json.loads(done.stdout)


def rounds(count, contestants, warm_up=True):
    """Runs all contestants in turn, `count` times: {name: [figures, …]}. One that fails once is left out.

    contestants: {name: a function that gives figures}.
    """
    results = {name: [] for name in contestants}
    failures = {}
    for number in range(-1 if warm_up else 0, count):
        for name, run in contestants.items():
            if name in failures:
                continue
            try:
                figures = run()
            except (Failed, subprocess.TimeoutExpired, ValueError) as error:
                failures[name] = str(error)
                continue
            if number >= 0:
                results[name].append(figures)
    return {name: figures for name, figures in results.items() if name not in failures}, failures


class Scratch:
    """A folder in memory where that is possible, for databases: the disk is not what is measured."""

    def __enter__(self):
        parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else BUILD
        self.path = tempfile.mkdtemp(prefix="candled-bench-", dir=parent)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.path, name)

    def clear(self, name):
        for ending in ("", "-wal", "-shm", ".lock", ".wal"):
            try:
                os.remove(self.file(name) + ending)
            except OSError:
                pass
