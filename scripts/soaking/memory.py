"""What a process holds, and whether it grows."""

import os
import re


def private_kib(pid):
    """KiB that are the process's own: not the journal's maps, which are files."""
    text = open(f"/proc/{pid}/status").read()
    return int(re.search(r"RssAnon:\s+(\d+)", text).group(1))


def descriptors(pid):
    """Open descriptors by kind."""
    kinds = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        kind = target.split(":")[0] if ":" in target else "file"
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def slope(samples):
    """MiB an hour and its standard error, by least squares over (seconds, KiB), averaged over ten seconds each.

    Neighbouring samples are not independent, so their errors are taken from those means.
    """
    groups = {}
    for at, value in samples:
        groups.setdefault(int(at // 10), []).append((at, value))
    points = [(sum(a for a, _ in g) / len(g), sum(v for _, v in g) / len(g)) for g in groups.values()]
    n = len(points)
    if n < 4:
        return None
    middle, mean = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - middle) ** 2 for x, _ in points)
    rise = sum((x - middle) * (y - mean) for x, y in points) / spread
    rest = sum((y - mean - rise * (x - middle)) ** 2 for x, y in points)
    error = (rest / (n - 2) / spread) ** 0.5
    return rise * 3600 / 1024, error * 3600 / 1024
