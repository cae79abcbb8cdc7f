#!/usr/bin/env python3
"""Writes docs/generated/performance_verbs.md, and its figures in docs/generated/speed/, from the
runs of `upsweep bench verbs --json` in bench/results/verbs/. --keep FILE stores a run there first;
--check only compares.
"""

import pathlib
import re
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import results  # noqa: E402
from peers_figure import peers_figure  # noqa: E402
from page_writer import GENERATED, RESULTS, arguments, finish, power, table, words_of  # noqa: E402
from performance import load, machine_rows  # noqa: E402
from performance_goals import median  # noqa: E402

SELECTIONS = ["select", "select_positions", "partition", "unique", "run_starts", "runs"]
PARTS = ["reduce_runs", "scan_runs", "reduce_segments", "scan_segments"]
HISTOGRAMS = ["histogram", "count_indices"]
SORTS = ["sort", "sort_by_key", "sort_by_order", "argsort"]
ON_ONE_THREAD = ["std-serial", "ips4o-serial", "pdqsort", "x86-simd-sort", "numpy"]
PARALLEL = ["std", "tbb", "thrust-omp", "parlay", "ips4o"]
LOOPS = ["loop", "std-serial"]


ROLES = ("limit", "peer")


class Verbs:
    """A run, with the timings of each cell by name."""

    def __init__(self, report):
        self.data, self.role, self.title = report.data, report.role, report.title
        self.best, self.ratio = report.best, report.ratio
        self.limits, self.peers = (
            [n for n in report.order if report.role[n] == role] for role in ("limit", "peer")
        )
        self.cells = [
            {**c, "all": {s["name"]: s["seconds"] for s in c["all"] if s["seconds"]}}
            for c in self.data["verbs"]
        ]

    def names(self, others):
        return {"limit": self.limits, "peer": self.peers}[others] if others in ROLES else others

    def sizes(self):
        return sorted({c["n"] for c in self.cells})


def name_of(cell):
    op = f" {cell['op']}" if cell["op"] else ""
    data = f", {cell['data']}" if cell["data"] else ""
    return f"{cell['verb']}{op} {cell['type']}{data}"


def is_hot(cell):
    return "all in one" in cell["data"] or "all equal" in cell["data"]


def average(cell):
    """The average number of elements in the runs or segments of a cell; None for others."""
    found = re.fullmatch(r"(?:runs of|average) (\d+)(?:\^(\d+))?", cell["data"])
    return int(found[1]) ** int(found[2] or 1) if found else None


@dataclass
class Goal:
    """Upsweep at least `least` times as fast as the best of `others`: names, "limit" or "peer"."""

    work: str
    wanted: str
    applies: object
    ours: str
    others: object
    least: float

    def value(self, run, cell):
        """The ratio in one cell, or GB/s; None if the goal does not apply or was not measured."""
        if not self.applies(cell) or self.ours not in cell["all"]:
            return None
        if self.others is None:
            return cell["n"] / median(cell["all"][self.ours]) * 1e-9
        return run.ratio(cell, self.ours, run.best(cell, run.names(self.others)))


def selects(cell):
    return cell["verb"] in SELECTIONS


def is_predictable(cell):
    """Whether nearly all elements are kept, or nearly none, so that branches cost little."""
    return cell["data"] in ("1 % kept", "99 % kept")


def selects_half(cell):
    return selects(cell) and not is_predictable(cell)


def is_long(cell):
    return cell["verb"] in PARTS and (average(cell) or 0) >= 10


ALL, ONE = "upsweep", "upsweep-serial"
GOALS = [
    Goal("selections in memory", "≥ 0.75 of memcpy", lambda c: selects(c) and c["cold"],
         ALL, "limit", 0.75),
    Goal("selections of half in a cache", "one thread ≥ 4 × std::",
         lambda c: selects_half(c) and not c["cold"], ONE, ["std-serial"], 4),
    Goal("selections of half in a cache", "≥ 3 × the best peer",
         lambda c: selects_half(c) and not c["cold"], ALL, "peer", 3),
    Goal("selections of 1 % and 99 % in a cache", "one thread ≥ std::",
         lambda c: selects(c) and is_predictable(c) and not c["cold"], ONE, ["std-serial"], 1),
    Goal("pad and unpad in memory", "≥ 0.75 of memcpy",
         lambda c: c["verb"] in ("pad", "unpad") and c["cold"], ALL, "limit", 0.75),
    Goal("histograms", "≥ the best peer",
         lambda c: c["verb"] in HISTOGRAMS and not is_hot(c), ALL, "peer", 1),
    Goal("histograms, all in one bin", "≥ 5 × the best peer",
         lambda c: c["verb"] in HISTOGRAMS and is_hot(c), ALL, "peer", 5),
    Goal("runs and segments of 10 and more", "one thread ≥ 1.5 × the loop", is_long,
         ONE, ["loop"], 1.5),
    Goal("runs and segments of 1", "one thread ≥ 0.8 × the loop",
         lambda c: c["verb"] in PARTS and average(c) == 1, ONE, ["loop"], 0.8),
    Goal("windows", "one thread ≥ 2 × the loop that adds again",
         lambda c: c["verb"] == "windowed", ONE, ["loop"], 2),
    Goal("windows", "≥ 3 × pandas and bottleneck", lambda c: c["verb"] == "windowed",
         ALL, ["pandas", "bottleneck"], 3),
    Goal("sorts", "one thread ≥ 0.9 × the best peer on one",
         lambda c: c["verb"] in SORTS, ONE, ON_ONE_THREAD, 0.9),
    Goal("sorts", "≥ 1.3 × the best parallel peer", lambda c: c["verb"] in SORTS,
         ALL, PARALLEL, 1.3),
    Goal("recurrences", "≥ 5 × scipy.signal.lfilter", lambda c: c["verb"] == "recurrence",
         ALL, ["scipy"], 5),
    Goal("CSV", "one thread ≥ 1 GB/s", lambda c: c["verb"] == "csv", ONE, None, 1),
]  # fmt: skip


def goal_rows(run):
    for goal in GOALS:
        found = [(goal.value(run, c), c) for c in run.cells]
        found = sorted(((v, c) for v, c in found if v is not None), key=lambda f: f[0])
        if not found:
            yield [goal.work, goal.wanted, "not measured", ""]
            continue
        worst, cell = found[0]
        missed = sum(v < goal.least for v, _ in found)
        span = f" (up to {found[-1][0]:.3g})" if len(found) > 1 else ""
        yield [
            goal.work,
            goal.wanted,
            f"**{worst:.3g}**{span} at {name_of(cell)}, {power(cell['n'])}",
            f"**missed** by {missed} of {len(found)}" if missed else f"met by {len(found)}",
        ]


def nanoseconds(cell, name):
    if name not in cell["all"]:
        return "–"
    value = median(cell["all"][name]) * 1e9 / cell["n"]
    return f"{value:.3f}" if value < 0.095 else f"{value:.2f}" if value < 9.95 else f"{value:.1f}"


def times(run, cell, ours, others):
    value = run.ratio(cell, ours, run.best(cell, others))
    return "–" if value is None else f"{value:.2f}"


def shortfalls(run, cell):
    found = []
    for goal in GOALS:
        value = goal.value(run, cell)
        if value is not None and value < goal.least:
            found.append(f"**{value:.2f}**: {goal.wanted}")
    return "; ".join(found)


HEAD = [
    "verb and data", "ns", "1 thread, ns", "GB/s", "of memcpy", "1 thread × loop",
    "best peer", "its ns", "× best peer", "falls short",
]  # fmt: skip


def size_rows(run, n):
    for cell in run.cells:
        if cell["n"] != n:
            continue
        peer = run.best(cell, run.peers)
        timed = ALL in cell["all"]
        yield [
            name_of(cell),
            nanoseconds(cell, ALL),
            nanoseconds(cell, ONE),
            f"{cell['traffic'] / median(cell['all'][ALL]) * 1e-9:.3g}" if timed else "–",
            times(run, cell, ALL, run.limits),
            times(run, cell, ONE, LOOPS),
            run.title[peer] if peer else "–",
            nanoseconds(cell, peer),
            times(run, cell, ALL, run.peers),
            shortfalls(run, cell),
        ]


def wrong_rows(run):
    found = [
        f"- {run.title[s['name']]}: {name_of(c)}, n = {power(c['n'])}: {s['difference']}"
        for c in run.data["verbs"]
        for s in c["all"]
        if not s["correct"]
    ]
    return ["Wrong results, which were not timed:", "", *found, ""] if found else []


def gains(run):
    """For each verb pairs of a size and how many times as fast as the best peer it is."""
    found = {}
    for cell in run.cells:
        gain = run.ratio(cell, ALL, run.best(cell, run.peers))
        if gain is not None:
            found.setdefault(cell["verb"], []).append((cell["n"], gain))
    return found


def section(stem, run):
    m = run.data["machine"]
    parts = [
        f"## {m['cpu']}, {run.data['threads']} threads",
        "",
        f"From `bench/results/verbs/{stem}.json.bz2`.",
        "",
        table(["", ""], [list(row) for row in machine_rows(run)], left=2),
        "",
        "### Goals",
        "",
        table(["work", "goal", "measured, worst first", "verdict"], list(goal_rows(run)), left=4),
        "",
        *wrong_rows(run),
    ]
    if gains(run):
        parts += [f"![Every verb beside the best of the peers](speed/{stem}-peers.svg)", ""]
    for n in run.sizes():
        cold = any(c["cold"] for c in run.cells if c["n"] == n)
        where = ", in memory" if cold else ", in a cache"
        parts += [f"### {power(n)} elements{where}", "", table(HEAD, list(size_rows(run, n))), ""]
    return parts


PREFACE = """\
<!-- Generated by tools/performance_verbs.py from bench/results/verbs/; do not edit. -->
# The other verbs on a CPU

Measured by `upsweep bench verbs --peers all`: Upsweep on all threads and on one, plain loops, the
standard library, other libraries and copies of memory run in turn within one process. Libraries of
Python run in processes of their own. Before anything is timed, every result is compared with that
of the standard library or a loop.

- Times are medians over the rounds, in ns per element (for segments that are all empty, per
  segment). Ratios are computed within each round. In memory, consecutive calls use different
  memory.
- GB/s counts the bytes that a call must read and write. memcpy is the fastest of the copies that
  move as many bytes, on one thread or all, with ordinary or non-temporal stores.
- The loop is the faster of a plain loop and an algorithm of the standard library. It is compared
  with Upsweep on one thread. The best peer is the fastest of all others, on any number of threads.
- A goal for several rows is judged by the worst of them. Goals against loops, std:: and peers on
  one thread are for Upsweep on one thread, others for all. The last column has the goals that a
  row misses.

To measure your machine:

    upsweep bench verbs --peers all --json build/verbs.json
    tools/performance_verbs.py --keep build/verbs.json
"""


def page(runs):
    if not runs:
        return PREFACE + "\nThere are no runs yet.\n"
    lines = [line for stem, run in runs for line in section(stem, run)]
    return PREFACE + "\n" + "\n".join(lines).rstrip() + "\n"


def loaded(path):
    report = load(path)
    if not report.data.get("verbs"):
        raise SystemExit(f"performance_verbs.py: {path} is no run of `upsweep bench verbs`")
    return Verbs(report)


def kept_name(run):
    cpu = words_of(run.data["machine"]["cpu"])
    return f"{run.data['date'][:10]}-{cpu}-{run.data['threads']}-threads"


def main():
    parser = arguments(__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS / "verbs")
    parser.add_argument("--out", type=pathlib.Path, default=GENERATED / "performance_verbs.md")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    if options.keep:
        results.keep(options.keep, options.results, kept_name(loaded(options.keep)))
    runs = [(stem, loaded(path)) for stem, path in results.runs(options.results)]
    runs.sort(key=lambda r: r[1].data["date"], reverse=True)
    files = {options.out: page(runs)}
    for stem, run in runs:
        if found := gains(run):
            files[options.out.parent / "speed" / f"{stem}-peers.svg"] = peers_figure(found)
    return finish(files, options.check, "tools/performance_verbs.py")


if __name__ == "__main__":
    sys.exit(main())
