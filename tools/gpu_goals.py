"""The speed goals of the CUDA backend on an H200, as data, and the comparison of a report with
them.
"""

from dataclasses import dataclass

from performance_goals import power

WORKS = {"inclusive_scan": "Inclusive scan", "exclusive_scan": "Exclusive scan", "reduce": "Reduce"}
TYPES = {
    "f32": "f32",
    "i32": "i32",
    "f64": "f64",
    "i64": "i64",
    "u8": "u8",
    "i16": "i16",
    "bf16": "bf16",
    "complex_f32": "complex of f32",
    "affine_f32": "affine maps of f32",
    "struct16": "a 16-byte structure with a user-defined operator",
    "exact_f64": "exact sum of f64",
    "exact_f32": "exact sum of f32",
}
BYTES = {
    "f32": 4,
    "i32": 4,
    "f64": 8,
    "i64": 8,
    "u8": 1,
    "i16": 2,
    "bf16": 2,
    "complex_f32": 8,
    "affine_f32": 8,
    "struct16": 16,
    "exact_f64": 8,
    "exact_f32": 4,
}
SUMS = [
    t for t in TYPES if not t.startswith("exact")
]  # every type that is measured with every work
SCANS = ["inclusive_scan", "exclusive_scan"]
PLAIN_TYPES = ["f32", "i32", "f64", "i64", "affine_f32"]
PEERS = {"cub": "CUB", "cccl": "the newer CCCL"}
MIB, GIB = 2**20, 2**30


class Measured:
    """The times of one or several runs on one machine, in microseconds. Two times are compared
    only if the same run has both.
    """

    def __init__(self, reports):
        self._runs, self.host = [], {}
        for report in reports:
            run = {}
            for row in report["rows"]:
                if row["launch"] == "host":
                    self.host.setdefault((row["work"], row["type"]), {}).setdefault(
                        row["competitor"], row["us"]
                    )
                else:
                    run[
                        row["work"],
                        row["type"],
                        row["n"],
                        row["competitor"],
                        row["launch"],
                        row["cold"],
                    ] = row["us"]
            self._runs.append(run)

    def has(self, work, kind, name):
        return any(key[:2] == (work, kind) and key[3] == name for run in self._runs for key in run)

    def sizes(self, work, kind):
        return sorted({key[2] for run in self._runs for key in run if key[:2] == (work, kind)})

    def us(self, work, kind, n, name, launch="plain"):
        """The cold time, from the first run that has it."""
        return next(
            (
                run[key]
                for run in self._runs
                for key in [(work, kind, n, name, launch, True)]
                if key in run
            ),
            None,
        )

    def ratio(self, work, kind, n, other, launch="plain"):
        """The speed-up of Upsweep over `other`; "limit" is the fastest limit. None if a time is
        missing.
        """
        names = (
            [other]
            if other != "limit"
            else ["read_4", "read_8"]
            if work == "reduce"
            else ["memcpy"]
        )
        for run in self._runs:
            ours = run.get((work, kind, n, "upsweep", launch, True))
            times = [
                t
                for t in (run.get((work, kind, n, name, launch, True)) for name in names)
                if t is not None
            ]
            if ours is not None and times:
                return min(times) / ours
        return None

    def limit(self, work, kind, n):
        names = ["read_4", "read_8"] if work == "reduce" else ["memcpy"]
        return min(
            (t for t in (self.us(work, kind, n, name) for name in names) if t is not None),
            default=None,
        )


@dataclass
class Goal:
    """Upsweep's speed is at least `least` times that of `against`, a competitor or "limit"; or a
    call takes at most `most` µs of host time.
    """

    work: str
    works: list
    types: list
    sizes: object  # function of the element size and n: true if the goal applies
    least: float = 0
    against: str = "limit"
    launches: tuple = ("plain",)
    most: float = 0

    def wanted(self):
        if self.most:
            return f"≤ {self.most:g} µs"
        if self.against != "limit":
            return f"≥ {self.least:g} × {PEERS[self.against]}"
        return f"≥ {self.least:g} of the {'read loop' if self.works == ['reduce'] else 'memcpy'}"

    def ratios(self, found):
        """(ratio, where), worst first."""
        ratios = []
        for kind in self.types:
            for work in self.works:
                for n in (n for n in found.sizes(work, kind) if self.sizes(BYTES[kind], n)):
                    for launch in self.launches:
                        ratio = found.ratio(work, kind, n, self.against, launch)
                        if ratio is not None:
                            where = f"{WORKS[work].lower()} {kind}, {power(n)}" + (
                                ", graph" if launch == "graph" else ""
                            )
                            ratios.append((ratio, where))
        return sorted(ratios)

    def row(self, found):
        if self.most:
            times = sorted(
                (
                    (times["upsweep"], f"{WORKS[work].lower()} {kind}")
                    for (work, kind), times in found.host.items()
                    if "upsweep" in times
                ),
                reverse=True,
            )
            return self.verdict(
                [(f"{us:.3g} µs", where) for us, where in times],
                bool(times) and times[0][0] <= self.most,
                bool(times) and f"{100 * (times[0][0] / self.most - 1):.2g} % over",
            )
        ratios = self.ratios(found)
        return self.verdict(
            [(f"{ratio:.3g}", where) for ratio, where in ratios],
            bool(ratios) and ratios[0][0] >= self.least,
            bool(ratios) and f"{100 * (1 - ratios[0][0] / self.least):.2g} % short",
        )

    def verdict(self, found, met, otherwise):
        if not found:
            return [self.work, self.wanted(), "not measured", ""]
        span = f" ({'down' if self.most else 'up'} to {found[-1][0]})" if len(found) > 1 else ""
        return [
            self.work,
            self.wanted(),
            f"**{found[0][0]}**{span} at {found[0][1]}",
            "yes" if met else otherwise,
        ]


def input_from(least):
    return lambda size, n: size * n >= least


def traffic_near(bytes_moved):
    return lambda size, n: abs(2 * size * n - bytes_moved) <= bytes_moved / 64


def between(least, most):
    return lambda size, n: least <= n <= most


BOTH = ("plain", "graph")
SMALL, MIDDLE = between(0, 2**18), between(2**20 - 3, 2**23)
LARGE = "1 GiB of input and more"
GOALS = [
    Goal(f"scan f32 i32 f64 i64 affine, {LARGE}", SCANS, PLAIN_TYPES, input_from(GIB - 64), 0.97),
    Goal(
        f"scan f32 i32 f64 i64 affine, {LARGE}",
        SCANS,
        PLAIN_TYPES,
        input_from(GIB - 64),
        1.25,
        "cub",
    ),
    Goal(
        f"scan f32 i32 f64 i64 affine, {LARGE}",
        SCANS,
        PLAIN_TYPES,
        input_from(GIB - 64),
        1.0,
        "cccl",
    ),
    Goal("the same, 128 MiB of traffic", SCANS, PLAIN_TYPES, traffic_near(128 * MIB), 0.90),
    Goal("the same, 128 MiB of traffic", SCANS, PLAIN_TYPES, traffic_near(128 * MIB), 1.25, "cub"),
    Goal("the same, 512 MiB of traffic", SCANS, PLAIN_TYPES, traffic_near(512 * MIB), 0.95),
    Goal("the same, 512 MiB of traffic", SCANS, PLAIN_TYPES, traffic_near(512 * MIB), 1.25, "cub"),
    Goal("scan i16 bf16, n = 2^28", SCANS, ["i16", "bf16"], between(2**28, 2**28), 0.97),
    Goal("scan u8, n = 2^28", SCANS, ["u8"], between(2**28, 2**28), 0.95),
    Goal(
        f"scan of complex and of a structure, {LARGE}",
        SCANS,
        ["complex_f32", "struct16"],
        input_from(GIB - 64),
        0.95,
    ),
    Goal("scan, n ≤ 2^18, plain and graph", SCANS, SUMS, SMALL, 0.92, launches=BOTH),
    Goal("scan, n ≤ 2^18, plain and graph", SCANS, SUMS, SMALL, 2, "cub", launches=BOTH),
    Goal("scan, 2^20 … 2^23, plain and graph", SCANS, SUMS, MIDDLE, 0.85, launches=BOTH),
    Goal("scan, 2^20 … 2^23, plain and graph", SCANS, SUMS, MIDDLE, 1.4, "cub", launches=BOTH),
    Goal(
        "reduce, n ≥ 2^26", ["reduce"], [t for t in SUMS if t != "u8"], between(2**26, 2**40), 0.98
    ),
    Goal("reduce u8, n ≥ 2^26", ["reduce"], ["u8"], between(2**26, 2**40), 0.96),
    Goal("reduce, n ≤ 2^20", ["reduce"], SUMS, between(0, 2**20), 0.8),
    Goal("reduce, n ≤ 2^20", ["reduce"], SUMS, between(0, 2**20), 1.9, "cub"),
    Goal("exact sum of f64, n = 2^28", ["reduce"], ["exact_f64"], between(2**28, 2**28), 0.90),
    Goal("host time of a call, n = 2^10", [], [], None, most=3),
]
