"""A plain Python model of tables with gaps and of what operators make of them. The numbers are
exact in binary."""

import csv
import io
import math
import random
import statistics

WORDS = ["", "NA", "n/a", "NULL", "Null"]
OWN = ["-", "?", "None", "#N/A", "\\N", "-999"]


class Table:
    """Columns k (group), a (integers), b (multiples of 1/8), t (strings), all but k with gaps."""

    def __init__(self, seed, rows=60, groups=5, own=False):
        self.source = source = random.Random(seed)
        words = WORDS + (OWN if own else [])
        gaps = source.choice([0.05, 0.4, 0.8])
        self.rows = []
        lines = []
        for _ in range(rows):
            row = {
                "k": f"g{source.randrange(groups)}",
                "a": source.randint(-50, 50),
                "b": source.randint(-800, 800) / 8,
                "t": source.choice(["x", "yy", "zebra", "m n"]),
            }
            written = {name: str(value) for name, value in row.items()}
            for name in "abt":
                if source.random() < gaps:
                    row[name] = None
                    written[name] = source.choice(words)
            self.rows.append(row)
            lines.append([written[name] for name in "kabt"])
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([list("kabt"), *lines])
        self.text = out.getvalue()

    def groups(self):
        found = {}
        for i, row in enumerate(self.rows):
            found.setdefault(row["k"], []).append((i, row))
        return found


def reduced(op, rows):
    """The result of an operator over (number, row) pairs; None if it has none."""
    name, _, column = op.partition(":")
    if name == "count" and not column:
        return len(rows)
    present = [(i, row[column]) for i, row in rows if row[column] is not None]
    values = [v for _, v in present]
    if name == "count":
        return len(values)
    if name == "distinct":
        return len(set(values))
    if name == "sum":
        return sum(values)
    if name == "concat":
        return "+".join(values)
    if name == "distinct-list":
        return "+".join(dict.fromkeys(values))
    if name == "mean":
        return sum(values) / len(values) if values else math.nan
    if not values:
        return None
    if name == "argmax":
        best = max(values)
        return next(i for i, v in present if v == best)
    of = {"min": min, "max": max, "median": statistics.median}
    return of[name](values) if name in of else values[0 if name == "first" else -1]


REDUCED = [
    "sum:a",
    "mean:b",
    "count",
    "count:a",
    "count:t",
    "min:b",
    "max:a",
    "first:t",
    "last:a",
    "median:b",
    "distinct:a",
    "distinct:t",
    "argmax:b",
    "min:t",
    "concat:t",
    "distinct-list:t",
]


def spelled(op):
    return op.replace("concat:", "concat:+:").replace("list:", "list:+:")


def scanned(op, values):
    """The results beside the values, in order; None beside a gap."""
    name, *parameter = op.split(":")
    past, out = [], []
    for i, v in enumerate(values):
        if name == "rows":
            out.append(i + 1)
            continue
        if v is None:
            out.append(None)
            continue
        past.append((i, v))
        seen = [x for _, x in past]
        if name == "sum":
            out.append(sum(seen))
        elif name == "max":
            out.append(max(seen))
        elif name == "count":
            out.append(len(seen))
        elif name == "first":
            out.append(seen[0])
        elif name == "last":
            out.append(seen[-1])
        elif name == "mean":
            out.append(sum(seen) / len(seen))
        elif name == "argmax":
            out.append(next(j for j, x in past if x == max(seen)))
        elif name == "window":
            out.append(sum(seen[-int(parameter[0]) :]))
        elif name == "lag":
            out.append(seen[-2] if len(seen) > 1 else math.nan)
        elif name == "ema":
            mean = seen[0]
            for x in seen[1:]:
                mean = 0.5 * x + 0.5 * mean
            out.append(mean)
    return out


SCANNED = [
    ("sum:a", "a"),
    ("max:b", "b"),
    ("count:a", "a"),
    ("first:t", "t"),
    ("last:t", "t"),
    ("mean:b", "b"),
    ("argmax:a", "a"),
    ("window:3:sum:b", "b"),
    ("lag:b", "b"),
    ("ema:0.5:b", "b"),
]
