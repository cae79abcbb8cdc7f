#!/usr/bin/env python3
"""Writes docs/generated/performance.md and the figures of docs/generated/speed/ from the runs in
bench/results/ (reports of `upsweep bench all --peers all --json`).

    tools/performance.py                  write the page from the stored runs
    tools/performance.py --keep FILE      first store FILE as bench/results/DATE-CPU.json.bz2
    tools/performance.py --check          change nothing; exit status 1 if the page is out of date

Every number is a median over the rounds of one run. Ratios are computed within each round, so both
sides were measured under the same conditions.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gpu_performance  # noqa: E402
import results  # noqa: E402
from page_writer import GENERATED, RESULTS, arguments, finish, table, words_of  # noqa: E402
from performance_figure import figure, thread_figure  # noqa: E402
from performance_goals import GOALS, Report, power, spread_of, median  # noqa: E402

FORMAT = 1
THREADS = "-by-threads"  # the end of the name of a figure of speed against threads
SIZES = [2**k for k in (4, 10, 14, 18, 20, 22, 24, 26, 28)]


def load(path):
    report = results.load(path)
    if report.get("format") != FORMAT:
        raise SystemExit(
            f"performance.py: {path} has format {report.get('format')!r}, expected {FORMAT}; "
            "run the benchmark again"
        )
    return Report(report)


def goal_rows(report):
    for goal in GOALS:
        found = goal.evaluate(report)
        if not found:
            yield [goal.work, goal.wanted, "not measured", ""]
            continue
        worst = found[0]
        span = "" if len(found) == 1 else f" (up to {found[-1].text()})"
        yield [
            goal.work,
            goal.wanted,
            f"**{worst.text()}**{span} at {worst.where}",
            goal.verdict(worst),
        ]


def gigabytes(cell, name):
    series = cell["all"].get(name)
    if not series:
        return "–"
    speeds = [cell["traffic"] / s * 1e-9 for s in series]
    wide = spread_of(speeds)
    return f"{median(speeds):.3g}" + (f" ± {wide:.0%}".replace("%", " %") if wide >= 0.05 else "")


def speed_table(report, verb, op, kind, in_place):
    cells = [c for c in report.cells(verb, op, [kind], in_place=in_place) if c["n"] in SIZES]
    names = [
        n for n in report.order if report.role[n] != "limit" and any(n in c["all"] for c in cells)
    ]
    head = ["n", "limit", *(report.title[n] for n in names), "of the limit", "× best peer"]
    rows = []
    for cell in cells:
        limit, best = report.limit(cell), report.best(cell, report.peers)
        share = report.ratio(cell, "upsweep", limit)
        gain = report.ratio(cell, "upsweep", best)
        rows.append(
            [
                power(cell["n"]),
                gigabytes(cell, limit),
                *(gigabytes(cell, n) for n in names),
                "–" if share is None else f"{share:.0%}".replace("%", " %"),
                "–" if gain is None else f"{gain:.2f}",
            ]
        )
    return table(head, rows)


TABLES = [
    ("Inclusive scan, sum", "inclusive_scan", "sum", ["f32", "f64", "i32"], False),
    ("Inclusive scan, sum, in place", "inclusive_scan", "sum", ["f32"], True),
    (
        "Inclusive scan, affine maps (first-order recurrences)",
        "inclusive_scan",
        "affine",
        ["f32"],
        False,
    ),
    ("Reduce, sum", "reduce", "sum", ["f32", "f64", "i32"], False),
    ("Reduce, exact sum", "reduce", "exact_sum", ["f64"], False),
    ("Reduce, the sum as a user's operator", "reduce", "user", ["f32", "i32"], False),
    ("Inclusive scan, the sum as a user's operator", "inclusive_scan", "user", ["f32"], False),
    ("Reduce, sum of squares (transform_reduce)", "reduce", "squares", ["f32"], False),
]


def catalog_section(report):
    """Every operator and type of a run of `upsweep bench --op every`."""
    cells = report.all_cells()
    by_key = {(c["op"], c["type"], c["verb"], c["n"]): c for c in cells}
    columns = sorted({(c["verb"], c["n"]) for c in cells}, key=lambda k: (k[0] != "reduce", k[1]))
    head = ["operator", "type"]
    for verb, n in columns:
        head += [f"{'reduce' if verb == 'reduce' else 'scan'}, {power(n)}", "of the limit"]
    rows = []
    for op, kind in dict.fromkeys((c["op"], c["type"]) for c in cells):
        row = [op, kind]
        for verb, n in columns:
            cell = by_key.get((op, kind, verb, n))
            share = report.ratio(cell, "upsweep", report.limit(cell)) if cell else None
            row += [
                gigabytes(cell, "upsweep") if cell else "–",
                "–" if share is None else f"{share:.0%}".replace("%", " %"),
            ]
        rows.append(row)
    return ["### Every operator", "", "GB/s.", "", table(head, rows, left=2), ""]


def size(count):
    return f"{count / 2**20:.0f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"


def machine_rows(report):
    m, b = report.data["machine"], report.data["build"]
    caches = ", ".join(
        f"L{c['level']} {size(c['bytes'])}"
        + (f" for {c['shared_by']} CPUs" if c["shared_by"] > 1 else "")
        for c in m["caches"]
    )
    quota = f", cgroup quota {m['quota']:g}" if m["quota"] else ""
    yield (
        "Processor",
        f"{m['cpu']} ({m['family']})" + (", in a virtual machine" if m["virtual"] else ""),
    )
    yield "Threads", f"{report.data['threads']} of {m['online']} CPUs{quota}"
    yield "SIMD", m["simd"] or "unknown"
    yield "Caches", caches or "unknown"
    if m.get("real_time"):
        yield "Priority", "real-time (`chrt -f 5`), so that other programs could not preempt it"
    yield "Memory", f"{m['memory'] / 2**30:.0f} GiB, huge pages: {m['huge_pages'] or 'unknown'}"
    yield "System", f"{m['distribution']}, {m['system']}"
    yield "Compiler", f"{b['compiler']}, `{b['flags']}`; peers with `{b['peer_flags']}`"
    yield "Upsweep", f"{b['version']} ({b['revision']})"
    yield "Date", report.data["date"][:10]
    if report.data["absent"]:
        absent = report.data["absent"]
        yield "Not available", "; ".join(f"{a['name']}: {a['reason']}" for a in absent)


def thread_rows(report, index):
    """Speeds by threads of the reduction and the scan at one of their sizes."""
    reduction, scan = report.by_threads("reduce")[index], report.by_threads("inclusive_scan")[index]

    def speed(cell, name, threads):
        series = cell["all"].get((name, threads))
        return f"{cell['traffic'] / median(series) * 1e-9:.3g}" if series else "–"

    for threads in sorted({t for _, t in reduction["all"]}):
        yield [
            str(threads),
            *(speed(reduction, name, threads) for name in ("read", "upsweep")),
            *(speed(scan, name, threads) for name in ("copy", "stream", "upsweep")),
        ]


def thread_section(report, picture):
    if not report.compares_threads():
        return []
    head = ["threads", "read loop", "reduce", "memcpy", "non-temporal copy", "inclusive scan"]
    cache, memory = (power(c["n"]) for c in report.by_threads("reduce"))
    parts = [
        "### Threads",
        "",
        "GB/s of f32 sums, and of the limits with the same number of threads.",
        "",
    ]
    if picture:
        parts += [f"![Speed against threads, reduce and scan of float sums]({picture})", ""]
    parts += [f"In memory, n = {memory}:", "", table(head, list(thread_rows(report, 1)), left=0)]
    parts += [
        "",
        f"In a cache, n = {cache}:",
        "",
        table(head, list(thread_rows(report, 0)), left=0),
    ]
    return [*parts, ""]


def wrong_results(report):
    lines = [
        f"- {report.title[s['name']]}: {c['verb']} {c['op']} of {c['type']}, n = {power(c['n'])}"
        for c in report.data["cells"]
        for s in c["all"]
        if not s["correct"]
    ]
    return ["Wrong results, which were not timed:", "", *lines, ""] if lines else []


def section(report, source, picture, thread_picture):
    m = report.data["machine"]
    parts = [
        f"## {m['cpu']}, {report.data['threads']} threads"
        + (", every operator" if report.is_catalog() else ""),
        "",
        f"From `{source}`.",
        "",
        table(["", ""], [list(row) for row in machine_rows(report)], left=2),
        "",
    ]
    if report.is_catalog():
        return parts + wrong_results(report) + catalog_section(report)
    head = ["work", "goal", "measured, worst first", "verdict"]
    parts += [
        "### Goals",
        "",
        "A goal for several sizes or types is judged by the worst of them.",
        "",
        table(head, list(goal_rows(report)), left=4),
        "",
    ]
    parts += wrong_results(report)
    if picture:
        parts += [f"![Speed against size, reduce and scan of float sums]({picture})", ""]
    parts += thread_section(report, thread_picture)
    for title, verb, op, kinds, in_place in TABLES:
        for kind in kinds:
            if any(report.cells(verb, op, [kind], in_place=in_place)):
                parts += [
                    f"### {title}, {kind}",
                    "",
                    "GB/s.",
                    "",
                    speed_table(report, verb, op, kind, in_place),
                    "",
                ]
    return parts


PREFACE = """\
<!-- Generated by tools/performance.py from bench/results/; do not edit. -->
# Speed

`make bench` measured these tables. It runs Upsweep, the limits of the machine and other libraries
in turn within one process. Before anything is timed, every result is compared bit for bit with a
serial loop.

- A number is the median over the rounds. ± is half the interquartile range if that is 5 % or more.
  Ratios are computed within each round.
- GB/s counts the bytes that a call must move: the input, and for a scan also the output.
- From 2^24 elements on, or if the data exceed the caches, consecutive calls use different memory.
- The limit is the fastest of a read loop (reduce), a copy with ordinary or non-temporal stores
  (scan) and an update loop (scan in place), on one thread and on all. For a few dozen elements it
  is the time of a call, not of memory. With many threads it is too low for arrays in a cache,
  because the loops take longer to start than Upsweep does: shares above 100 % are such cases.

This page has reductions and scans. Other pages have [the other verbs on a
CPU](performance_verbs.md) and [on a GPU](performance_gpu_verbs.md), [tables in a
shell](performance_shell.md) and [the applications](performance_apps.md).

To measure your machine:

    make bench        # about ten minutes; make bench QUICK=1 takes one
    xdg-open build/bench.html

`tools/performance.py --keep build/bench.json` stores a run in `bench/results/` and updates this
page. It also takes a run of every operator: `upsweep bench --op every --type every --json FILE`.
"""


def page(reports, figures):
    if not reports:
        return PREFACE + "\nThere are no runs yet.\n"
    lines = []
    for stem, report in reports:
        by_size, by_threads = figures.get(stem, (None, None))
        lines += section(
            report,
            f"bench/results/{stem}.json.bz2",
            f"speed/{stem}.svg" if by_size else None,
            f"speed/{stem}{THREADS}.svg" if by_threads else None,
        )
    return PREFACE + "\n" + "\n".join(lines).rstrip() + "\n"


def drawn(report):
    """The figures of a run: speed against size and against threads; None for one that it lacks."""
    return figure(report), thread_figure(report)


def kept_name(report):
    cpu = words_of(report.data["machine"]["cpu"])
    what = "-every-operator" if report.is_catalog() else ""
    return f"{report.data['date'][:10]}-{cpu}-{report.data['threads']}-threads{what}"


def main():
    parser = arguments(__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--out", type=pathlib.Path, default=GENERATED / "performance.md")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    if options.keep:
        results.keep(options.keep, options.results, kept_name(load(options.keep)))
    reports = [(stem, load(path)) for stem, path in results.runs(options.results)]
    # The newest run is first; runs of every operator, which have no figures, are last.
    reports.sort(key=lambda r: (not r[1].is_catalog(), r[1].data["date"]), reverse=True)
    figures = {stem: drawn(report) for stem, report in reports if not report.is_catalog()}
    try:
        gpu, gpu_drawing = gpu_performance.section(options.results / "gpu")
    except gpu_performance.Refused as problem:
        raise SystemExit(f"performance.py: {problem}") from problem
    files = {options.out: gpu_performance.with_section(page(reports, figures), gpu)}
    for stem, drawings in figures.items():
        for drawing, suffix in zip(drawings, ("", THREADS), strict=True):
            files[options.out.parent / "speed" / f"{stem}{suffix}.svg"] = drawing
    files[options.out.with_name(gpu_performance.FIGURE)] = gpu_drawing
    drawn_files = {path: text for path, text in files.items() if text}
    return finish(drawn_files, options.check, "tools/performance.py")


if __name__ == "__main__":
    sys.exit(main())
