"""The speed goals of Upsweep as data, and the comparison of a report with them."""

import statistics
from dataclasses import dataclass

from page_writer import power

LIBRARIES = ["std", "tbb", "thrust-tbb", "thrust-omp", "numpy"]
WITH_GOALS = {"sum", "max", "affine", "exact_sum", "user", "user_in_large_file", "squares"}

median = statistics.median


def quantile(values, q):
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def spread_of(values):
    """Half the interquartile range, as a fraction of the median."""
    return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)


class Report:
    """A run written by `upsweep bench --json`, with the timings of each cell by name."""

    def __init__(self, data):
        self.data = data
        self.order = [c["name"] for c in data["competitors"]]
        self.title = {c["name"]: c["title"] for c in data["competitors"]}
        self.role = {c["name"]: c["role"] for c in data["competitors"]}
        self.peers = [n for n in self.order if self.role[n] == "peer"]
        self._cells = [
            {**c, "all": {s["name"]: s["seconds"] for s in c["all"] if s["seconds"]}}
            for c in data["cells"]
        ]
        self._by_threads = [
            {
                **c,
                "all": {(s["name"], s["threads"]): s["seconds"] for s in c["all"] if s["seconds"]},
            }
            for c in data.get("by_threads", [])
        ]

    def all_cells(self):
        return self._cells

    def is_catalog(self):
        """Whether it is a run of `upsweep bench --op every`, which has no goals."""
        return any(c["op"] not in WITH_GOALS for c in self._cells)

    def by_threads(self, verb):
        """The comparisons of numbers of threads, from the smallest n to the largest; their timings
        are by name and number of threads.
        """
        return sorted((c for c in self._by_threads if c["verb"] == verb), key=lambda c: c["n"])

    def compares_threads(self):
        """Whether it has numbers of threads in a cache and in memory."""
        return all(len(self.by_threads(verb)) == 2 for verb in ("reduce", "inclusive_scan"))

    def cells(self, verb, op, types, sizes=(0, 2**60), in_place=False):
        key = lambda c: (types.index(c["type"]), c["n"])  # noqa: E731
        return sorted(
            (
                c
                for c in self._cells
                if c["verb"] == verb
                and c["op"] == op
                and c["type"] in types
                and c["in_place"] == in_place
                and sizes[0] <= c["n"] <= sizes[1]
            ),
            key=key,
        )

    def best(self, cell, names):
        """The fastest of `names` in this cell, or None."""
        timed = [n for n in names if n in cell["all"]]
        return min(timed, key=lambda n: median(cell["all"][n])) if timed else None

    def limit(self, cell):
        return self.best(cell, [n for n in self.order if self.role[n] == "limit"])

    @staticmethod
    def ratio(cell, ours, other):
        """The speed-up of `ours` over `other`: the median of the ratios of the rounds. None if
        one of them is missing.
        """
        if other is None or ours not in cell["all"] or other not in cell["all"]:
            return None
        return median(b / a for a, b in zip(cell["all"][ours], cell["all"][other], strict=True))


@dataclass
class Finding:
    value: float
    where: str
    unit: str = ""

    def text(self):
        return f"{self.value:.3g}{self.unit}"


@dataclass
class Goal:
    """A ratio of at least `least`, or a time of at most `most` nanoseconds."""

    work: str
    verb: str
    op: str
    types: list
    sizes: tuple
    least: float = 0
    most: float = 0
    what: str = ""  # a key of OTHERS

    @property
    def wanted(self):
        return f"≤ {self.most:g} ns" if self.most else f"≥ {self.least:g} {self.what}"

    def value(self, report, cell):
        """The time or the ratio in one cell; None if it was not measured."""
        if "upsweep" not in cell["all"]:
            return None
        if self.most:
            return median(cell["all"]["upsweep"]) * 1e9
        others = OTHERS[self.what]
        if isinstance(others, str):  # Upsweep's call by that operator
            beside = report.cells(self.verb, others, [cell["type"]], (cell["n"], cell["n"]))
            if not beside or "upsweep" not in beside[0]["all"]:
                return None
            return median(beside[0]["all"]["upsweep"]) / median(cell["all"]["upsweep"])
        other = report.best(cell, others) if others else report.limit(cell)
        return report.ratio(cell, "upsweep", other)

    def evaluate(self, report):
        """The findings, worst first."""
        found = []
        for cell in report.cells(self.verb, self.op, self.types, self.sizes):
            where = f"{power(cell['n'])}" + (f" {cell['type']}" if len(self.types) > 1 else "")
            value = self.value(report, cell)
            if value is not None:
                found.append(Finding(value, where, " ns" if self.most else ""))
        return sorted(found, key=lambda f: f.value, reverse=bool(self.most))

    def verdict(self, worst):
        if self.most:
            return (
                "met"
                if worst.value <= self.most
                else f"{worst.value / self.most - 1:.0%} over".replace("%", " %")
            )
        return (
            "met"
            if worst.value >= self.least
            else f"{1 - worst.value / self.least:.0%} short".replace("%", " %")
        )


def ratios(work, verb, op, types, sizes, **least):
    """A goal for each of `least`, by the short names of OTHERS."""
    return [Goal(work, verb, op, types, sizes, of, what=NAMES[name]) for name, of in least.items()]


SCAN, SUMS, FLOATS = "inclusive_scan", ["f32", "f64", "i32", "i64"], ["f32", "f64"]
# What a goal compares with: competitors, the fastest of which counts; none for the limit; or
# another operator of Upsweep.
OTHERS = {
    "of the limit": [],
    "of a non-temporal copy": ["stream", "stream-all"],
    "× the best peer": [*LIBRARIES, "openmp", "openmp-simd", "loop"],
    "× par_unseq": ["std"],
    "× the loop": ["loop"],
    "× mode fast": ["upsweep-fast"],
    "× one thread": ["upsweep-serial"],
    "of the built-in sum": "sum",
    "of a small file": "user",
}
NAMES = dict(
    zip(
        ("limit", "copy", "peer", "par_unseq", "loop", "fast", "serial", "built_in", "small"),
        OTHERS,
        strict=True,
    )
)
END = 2**40
IN_CACHE, IN_MEMORY = (2**10, 2**18), (2**24, END)
GOALS = [
    *ratios("scan, sum, 2^10 … 2^16", SCAN, "sum", SUMS, (2**10, 2**16), peer=1.3),
    *ratios("scan, sum, f32, 2^10 … 2^16", SCAN, "sum", ["f32"], (2**10, 2**16), loop=5),
    *ratios("scan, sum, 2^17 … 2^24", SCAN, "sum", SUMS, (2**17, 2**24), peer=1.25),
    *ratios("scan, sum, n > 2^24", SCAN, "sum", SUMS, (2**24 + 1, END), copy=0.85, peer=1.6),
    *ratios("scan, sum, every n", SCAN, "sum", SUMS, (0, END), serial=0.95),
    *ratios("reduce, sum, n ≥ 2^14", "reduce", "sum", SUMS, (2**14, END), peer=0.97),
    *ratios("reduce, max, n ≥ 2^14", "reduce", "max", SUMS, (2**14, END), peer=0.97),
    *ratios("reduce, sum, n ≥ 2^24", "reduce", "sum", SUMS, IN_MEMORY, limit=0.97),
    *ratios("reduce, max, n ≥ 2^24", "reduce", "max", SUMS, IN_MEMORY, limit=0.97),
    *ratios("reduce, sum, n ≥ 2^16", "reduce", "sum", FLOATS, (2**16, END), fast=0.97),
    *ratios("reduce, sum of squares, every n", "reduce", "squares", ["f32"], (0, END), par_unseq=1),
    *ratios(
        "reduce, sum of squares, n ≥ 2^16", "reduce", "squares", ["f32"], (2**16, END), built_in=0.9
    ),
    *ratios(
        "reduce, user's sum, in a cache", "reduce", "user", ["f32"], IN_CACHE, loop=4, built_in=0.3
    ),
    *ratios(
        "reduce, user's sum, n ≥ 2^24",
        "reduce",
        "user",
        ["f32"],
        IN_MEMORY,
        built_in=0.9,
        par_unseq=1,
    ),
    *ratios(
        "scan, user's sum, in a cache", SCAN, "user", ["f32"], IN_CACHE, loop=1.5, built_in=0.25
    ),
    *ratios(
        "scan, user's sum, n ≥ 2^24", SCAN, "user", ["f32"], IN_MEMORY, built_in=0.9, par_unseq=1
    ),
    *ratios(
        "reduce, user's sum in a large file",
        "reduce",
        "user_in_large_file",
        ["f32"],
        (2**10, END),
        small=0.9,
    ),
    *ratios(
        "scan, user's sum in a large file",
        SCAN,
        "user_in_large_file",
        ["f32"],
        (2**10, END),
        small=0.9,
    ),
    *ratios("scan, affine, f32, 2^10 … 2^20", SCAN, "affine", ["f32"], (2**10, 2**20), loop=1.8),
    *ratios(
        "reduce, exact sum, f64, n ≥ 2^24", "reduce", "exact_sum", ["f64"], IN_MEMORY, limit=0.7
    ),
    Goal("reduce of 16 floats", "reduce", "sum", ["f32"], (16, 16), most=12),
    Goal("inclusive scan of 16 floats", SCAN, "sum", ["f32"], (16, 16), most=16),
]
