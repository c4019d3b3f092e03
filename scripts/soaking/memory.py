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
    """MiB an hour and the bounds that it lies between 19 times of 20, of (seconds, KiB); None if they are too few.

    The median of the slopes between any two means of ten seconds (Theil 1950, Sen 1968): what is taken once, for a burst, and
    kept for the next one is a step, which hardly moves it, while a leak moves every one of them. The bounds are ranks among
    these slopes by the variance of Kendall's tau.
    """
    groups = {}
    for at, value in samples:
        groups.setdefault(int(at // 10), []).append((at, value))
    points = [(sum(a for a, _ in g) / len(g), sum(v for _, v in g) / len(g)) for _, g in sorted(groups.items())]
    n = len(points)
    if n < 6:
        return None
    slopes = sorted(
        (points[j][1] - points[i][1]) / (points[j][0] - points[i][0]) * 3600 / 1024 for i in range(n) for j in range(i + 1, n))
    count = len(slopes)
    half = 1.96 * (n * (n - 1) * (2 * n + 5) / 18) ** 0.5 / 2
    return (
        (slopes[(count - 1) // 2] + slopes[count // 2]) / 2, slopes[max(0, int(count / 2 - half))],
        slopes[min(count - 1, int(count / 2 + half) + 1)])
