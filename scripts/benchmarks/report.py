"""Tables of medians, and the same figures as data."""

import os
import statistics


class Report:
    def __init__(self, quick):
        self.quick = quick
        self.rounds = 3 if quick else 5
        self.figures = {"rounds": self.rounds, "cores": os.cpu_count(), "tables": [], "skipped": {}}

    def skip(self, what, why):
        self.figures["skipped"][what] = why

    def print_skipped(self):
        for what, why in self.figures["skipped"].items():
            print(f"skipped: {what}: {why}")

    def table(self, title, note, results, columns, ratios):
        """Prints one row a contestant: the median of each figure, and the median of its ratio in each round.

        results: {name: [figures of a round, …]}, candled first; every round ran all of them in turn.
        columns: [(key of a figure, heading, format)].
        ratios: [(key of a figure, heading)]: candled's figure over the contestant's.
        """
        first = next(iter(results))
        rows = []
        for name, rounds in results.items():
            row = {"name": name}
            for key, _, _ in columns:
                values = [one[key] for one in rounds if one.get(key) is not None]
                row[key] = statistics.median(values) if values else None
                if values:
                    row[key + "_range"] = [min(values), max(values)]
            for key, _ in ratios:
                pairs = [
                    (ours[key], theirs[key])
                    for ours, theirs in zip(results[first], rounds)
                    if ours.get(key) is not None and theirs.get(key)
                ]
                row[key + "_ratio"] = statistics.median(a / b for a, b in pairs) if pairs else None
            rows.append(row)
        self.figures["tables"].append({"title": title, "note": note, "load": os.getloadavg()[0], "rows": rows})
        self._print(title, note, first, rows, columns, ratios)

    def _print(self, title, note, first, rows, columns, ratios):
        print(f"\n### {title}\n")
        if note:
            print(note + "\n")
        headings = ["", *(heading for _, heading, _ in columns), *(f"{first} / this: {h}" for _, h in ratios)]
        print("| " + " | ".join(headings) + " |")
        print("| --- " + "| ---: " * (len(headings) - 1) + "|")
        for row in rows:
            cells = [row["name"]]
            cells += ["–" if row[key] is None else format(row[key], form) for key, _, form in columns]
            for key, _ in ratios:
                ratio = row[key + "_ratio"]
                cells.append("–" if ratio is None or row["name"] == first else f"{ratio:.2f}")
            print("| " + " | ".join(cells) + " |", flush=True)
