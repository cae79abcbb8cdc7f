"""The speed goals of Upsweep as data, and the comparison of a report with them."""

import statistics
from dataclasses import dataclass, field

LIBRARIES = ["std", "tbb", "thrust-tbb", "thrust-omp", "numpy"]
LARGE = (2**24, 2**40)
MIDDLE = (2**14, 2**20)
WITH_GOALS = {"sum", "max", "affine", "exact_sum", "user", "user_in_large_file", "squares"}
NUMBERS = ["f32", "f64", "i32", "i64"]

median = statistics.median


def power(n):
    k = n.bit_length() - 1
    return f"2^{k}" if n == 2**k else f"{n:,}"


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
    against: object = "limit"  # "limit", "fast", or names, the fastest of which counts
    what: str = "of the limit"
    ours: str = "upsweep"
    extra: dict = field(default_factory=dict)

    @property
    def wanted(self):
        return f"≤ {self.most:g} ns" if self.most else f"≥ {self.least:g} {self.what}"

    def other(self, report, cell):
        if self.against == "limit":
            return report.limit(cell)
        return report.best(cell, self.against)

    def evaluate(self, report):
        """The findings, worst first."""
        found = []
        for cell in report.cells(self.verb, self.op, self.types, self.sizes):
            if "bytes" in self.extra and cell["traffic"] > self.extra["bytes"](report):
                continue
            where = f"{power(cell['n'])}" + (f" {cell['type']}" if len(self.types) > 1 else "")
            if self.most:
                if self.ours in cell["all"]:
                    found.append(Finding(median(cell["all"][self.ours]) * 1e9, where, " ns"))
                continue
            value = report.ratio(cell, self.ours, self.other(report, cell))
            if value is not None:
                found.append(Finding(value, where))
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


def first_cache(report):
    sizes = [c["bytes"] for c in report.data["machine"]["caches"] if c["level"] == 1]
    return sizes[0] / 2 if sizes else 2**14


SCAN, STREAM, DIRECTIVES = "inclusive_scan", ["stream", "stream-all"], ["openmp", "openmp-simd"]
FAST = ["upsweep-fast"]
COPY = "of a non-temporal copy"
GOALS = [
    Goal("scan, sum, f32, n ≥ 2^24", SCAN, "sum", ["f32"], LARGE, 0.85, against=STREAM, what=COPY),
    Goal("scan, sum, f64, n ≥ 2^24", SCAN, "sum", ["f64"], LARGE, 0.85, against=STREAM, what=COPY),
    Goal(
        "scan, sum, f32, n ≥ 2^24",
        SCAN,
        "sum",
        ["f32"],
        LARGE,
        2,
        against=LIBRARIES,
        what="× the best library",
    ),
    Goal(
        "scan, sum, f64, n ≥ 2^24",
        SCAN,
        "sum",
        ["f64"],
        LARGE,
        1.3,
        against=LIBRARIES,
        what="× the best library",
    ),
    Goal(
        "scan, sum, f32, 2^14 … 2^20",
        SCAN,
        "sum",
        ["f32"],
        MIDDLE,
        4,
        against=["tbb", "std"],
        what="× TBB and par_unseq",
    ),
    Goal(
        "scan, sum, f64, 2^14 … 2^20",
        SCAN,
        "sum",
        ["f64"],
        MIDDLE,
        2.5,
        against=["tbb", "std"],
        what="× TBB and par_unseq",
    ),
    Goal(
        "scan, sum, 2^14 … 2^20",
        SCAN,
        "sum",
        ["f32", "f64"],
        MIDDLE,
        2,
        against=DIRECTIVES,
        what="× the OpenMP scan directive",
    ),
    Goal(
        "scan, sum, f32, n = 2^10",
        SCAN,
        "sum",
        ["f32"],
        (2**10, 2**10),
        7,
        against=["loop"],
        what="× the loop",
    ),
    Goal(
        "scan, sum, f64, n = 2^10",
        SCAN,
        "sum",
        ["f64"],
        (2**10, 2**10),
        4,
        against=["loop"],
        what="× the loop",
    ),
    Goal(
        "scan, affine, f32, 2^10 … 2^20",
        SCAN,
        "affine",
        ["f32"],
        (2**10, 2**20),
        3.5,
        against=["loop"],
        what="× the loop",
    ),
    Goal(
        "scan, affine, f32, n ≥ 2^24",
        SCAN,
        "affine",
        ["f32"],
        LARGE,
        2,
        against=["loop"],
        what="× the loop",
    ),
    Goal("reduce, sum, n ≥ 2^24", "reduce", "sum", NUMBERS, LARGE, 0.97),
    Goal("reduce, max, n ≥ 2^24", "reduce", "max", NUMBERS, LARGE, 0.97),
    Goal(
        "reduce, sum, n ≥ 2^24",
        "reduce",
        "sum",
        NUMBERS,
        LARGE,
        0.97,
        against=[*LIBRARIES, *DIRECTIVES, "loop"],
        what="× the best peer",
    ),
    Goal(
        "reduce, max, n ≥ 2^24",
        "reduce",
        "max",
        NUMBERS,
        LARGE,
        0.97,
        against=[*LIBRARIES, *DIRECTIVES, "loop"],
        what="× the best peer",
    ),
    Goal("reduce, sum, 2^16 … 2^20", "reduce", "sum", NUMBERS, (2**16, 2**20), 0.85),
    Goal(
        "reduce, sum, in L1, fast",
        "reduce",
        "sum",
        ["f32", "f64"],
        (2**10, 2**13),
        0.85,
        ours="upsweep-fast",
        extra={"bytes": first_cache},
    ),
    Goal(
        "reduce, sum, in L1",
        "reduce",
        "sum",
        ["f32", "f64"],
        (2**10, 2**13),
        0.40,
        extra={"bytes": first_cache},
    ),
    Goal(
        "scan, sum, every n",
        SCAN,
        "sum",
        ["f32", "f64"],
        (0, 2**40),
        0.95,
        against=FAST,
        what="× mode fast",
    ),
    Goal(
        "reduce, sum, n ≥ 2^20",
        "reduce",
        "sum",
        ["f32", "f64"],
        (2**20, 2**40),
        0.95,
        against=FAST,
        what="× mode fast",
    ),
    Goal("reduce, exact sum, f64, n ≥ 2^24", "reduce", "exact_sum", ["f64"], LARGE, 0.5),
    Goal("reduce of 16 floats", "reduce", "sum", ["f32"], (16, 16), most=20),
    Goal("inclusive scan of 16 floats", SCAN, "sum", ["f32"], (16, 16), most=30),
]
