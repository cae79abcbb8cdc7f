#!/usr/bin/env python3
"""Writes the GPU section of docs/generated/performance.md from the runs in bench/results/gpu/
(reports of upsweep_gpu_bench --json).

    tools/gpu_performance.py                  write the section from the stored runs
    tools/gpu_performance.py --keep FILE...   first store these files as
                                              bench/results/gpu/DATE-GPU[-cccl].json.bz2
    tools/gpu_performance.py --check          change nothing; exit status 1 if the section is out of
                                              date

The section is between two markers; tools/performance.py, which writes the rest of the page, calls
section() for it. Every number is a median over the rounds of one run. A run with the toolkit's CUB
and one with a newer CCCL on the same day are shown side by side.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import results  # noqa: E402
from gpu_goals import GOALS, TYPES, WORKS, Measured  # noqa: E402
from gpu_reports import Refused, load  # noqa: E402
from page_writer import GENERATED, RESULTS, arguments, finish, power, table, words_of  # noqa: E402
from performance_figure import figure  # noqa: E402
from performance_goals import Report  # noqa: E402

SIZES = [*(2**k for k in (8, 10, 14, 16, 18, 20, 21, 22, 23, 24, 26, 28, 30)), 2**20 - 3, 2**28 - 3]
PEER_TITLES = {
    "cub": "CUB",
    "cccl": "newer CCCL",
    "thrust": "Thrust",
    "decoupled": "decoupled look-back",
    "chunk": "as a chunk",
    "four_chunks": "as four chunks",
}
FIGURE = "performance_gpu.svg"
BEGIN, END = "<!-- GPU: begin; written by tools/gpu_performance.py -->", "<!-- GPU: end -->"


def time(us):
    return "–" if us is None else f"{us:.3g}" if us < 1000 else f"{us:.0f}"


def share(ratio):
    return "–" if ratio is None else f"{ratio:.0%}".replace("%", " %")


def gain(ratio):
    return "–" if ratio is None else f"{ratio:.2f}"


def speed_rows(found, work, kind, peers):
    """A row for each n with Upsweep, the limit and the peers, for cold plain launches."""
    for n in found.sizes(work, kind):
        if n not in SIZES or found.us(work, kind, n, "upsweep") is None:
            continue
        yield [
            power(n),
            time(found.us(work, kind, n, "upsweep")),
            time(found.us(work, kind, n, "upsweep", launch="graph")),
            *(time(found.us(work, kind, n, name)) for name in peers),
            time(found.limit(work, kind, n)),
            share(found.ratio(work, kind, n, "limit")),
            *(gain(found.ratio(work, kind, n, name)) for name in peers),
        ]


def speed_tables(found):
    for work, title in WORKS.items():
        for kind, words in TYPES.items():
            peers = [name for name in PEER_TITLES if found.has(work, kind, name)]
            titles = [PEER_TITLES[name] for name in peers]
            rows = list(speed_rows(found, work, kind, peers))
            limit = "read loop" if work == "reduce" else "memcpy"
            if rows:
                head = [
                    "n",
                    "Upsweep",
                    "in a graph",
                    *titles,
                    limit,
                    f"of the {limit}",
                    *(f"× {title}" for title in titles),
                ]
                yield from [f"### {title}, {words}", "", "Microseconds.", "", table(head, rows), ""]


def machine_rows(reports):
    first = reports[0]
    yield ["GPU", f"{first['gpu']} ({first.get('processors', '?')} multiprocessors)"]
    yield ["Driver", first["driver"]]
    yield ["CUDA", first["cuda"]]
    yield ["Peers", ", ".join(dict.fromkeys(r["cub"] for r in reports))]
    yield [
        "Upsweep",
        ", ".join(dict.fromkeys(f"{r.get('version', '?')} ({r['revision']})" for r in reports)),
    ]
    yield ["Date", first["date"][:10]]


def host_rows(found):
    for (work, kind), times in sorted(found.host.items()):
        yield [
            WORKS.get(work, work),
            TYPES.get(kind, kind),
            *(time(times.get(name)) for name in ("upsweep", "cub", "memcpy")),
        ]


def remarks(reports):
    wrong = [
        f"- {w['work']} {w['type']}, n = {power(w['n'])}: {w['sentence']}"
        for r in reports
        for w in r.get("wrong", [])
    ]
    if wrong:
        yield from ["Wrong results, which were not timed:", "", *wrong, ""]
    skipped = sum(len(r.get("skipped", [])) for r in reports)
    if skipped:
        yield from [
            (f"Planned configurations that were not measured: {skipped} (listed in the report)."),
            "",
        ]


def day_section(names, reports, figure_name):
    found = Measured(reports)
    lines = [
        f"## {reports[0]['gpu']}",
        "",
        "From " + " and ".join(f"`{name}`" for name in names) + ".",
        "",
        table(["", ""], list(machine_rows(reports)), left=2),
        "",
        "### Goals",
        "",
        "A goal for several sizes or types is judged by the worst of them. Numbers are ratios of "
        "times of\ncold calls, launched without a graph unless stated. The limit of a scan is a "
        "`cudaMemcpyAsync` of\nthe same n from device to device; the limit of a reduction is a "
        "read loop.",
        "",
    ]
    lines.append(
        table(
            ["work", "goal", "measured, worst first", "met?"],
            [goal.row(found) for goal in GOALS],
            left=4,
        )
    )
    lines += ["", *remarks(reports)]
    if figure_name:
        lines += [
            f"![Speed against size, reduce and scan of float sums on the GPU]({figure_name})",
            "",
        ]
    lines += speed_tables(found)
    host = list(host_rows(found))
    if host:
        lines += [
            "### Host time of a call",
            "",
            "Microseconds, n = 2^10.",
            "",
            table(["work", "elements", "Upsweep", "CUB", "memcpy"], host, left=2),
            "",
        ]
    return lines


PREFACE = """\
## On GPUs

Measured by `upsweep_gpu_bench`, which runs all competitors in turn within one process. Before that,
it compares Upsweep's result with CUB's bit for bit, on data for which every order is exact. Cold
calls use different memory each time, six times the size of the L2 cache in total. A number is the
median over the rounds; a round is a batch of back-to-back calls between two events.
`tools/gpu_check.sh` runs this benchmark and everything else that needs a GPU;
`tools/gpu_performance.py --keep FILE` stores a run in `bench/results/gpu/` and updates this
section.

Upsweep's kernels start before the previous call has ended (programmatic dependent launch). In
back-to-back calls this saves about a microsecond at every size. The copy and the read loop use
ordinary launches, so they are what a user gets without Upsweep, not a strict bound.

Both of Upsweep's modes take the same path on a GPU, so there is no column for `fast`. "Decoupled
look-back" is the kernel for large scans with decoupled look-back instead of Upsweep's look-back
([why](../design/0004-cuda.md)). Its float sums are not reproducible. "As a chunk" and "as four
chunks" are calls of `scan_stream` that continue from call to call; three of the four chunks begin
inside a tile.
"""


def kept_name(report):
    newer = "-cccl" if report["cub"].startswith("cccl") else ""
    return f"{report['date'][:10]}-{words_of(report['gpu'])}{newer}"


def picture(reports):
    """The figure of float sums, for cold plain launches, with one line per competitor and run;
    None if they were not measured.
    """
    titles = {
        "upsweep": "Upsweep",
        **PEER_TITLES,
        "memcpy": "memcpy",
        "read_4": "read",
        "read_8": "read",
    }
    cells = {}
    for row in (row for report in reports for row in report["rows"]):
        if (
            row["type"] == "f32"
            and row["launch"] == "plain"
            and row["cold"]
            and row["n"].bit_count() == 1
        ):
            cell = cells.setdefault(
                (row["work"], row["n"]),
                {
                    "verb": row["work"],
                    "op": "sum",
                    "type": "f32",
                    "in_place": False,
                    "n": row["n"],
                    "all": {},
                    "traffic": 4 * row["n"] * (1 if row["work"] == "reduce" else 2),
                },
            )
            cell["all"].setdefault(row["competitor"], [row["us"] * 1e-6])
    competitors = [
        {"name": name, "title": title, "role": "limit" if title in ("memcpy", "read") else "peer"}
        for name, title in titles.items()
        if any(name in cell["all"] for cell in cells.values())
    ]
    all_cells = [
        {
            **cell,
            "all": [{"name": name, "seconds": seconds} for name, seconds in cell["all"].items()],
        }
        for cell in cells.values()
    ]
    return figure(Report({"competitors": competitors, "cells": all_cells}))


def kept_days(folder):
    """The stored runs, newest day first, grouped by day and GPU: lists of (name, report). Raises
    Refused.
    """
    days = {}
    for _, path in results.runs(folder):
        report = load(path)
        days.setdefault((report["date"][:10], report["gpu"]), []).append(
            (f"bench/results/gpu/{path.name}", report)
        )
    return [
        sorted(days[key], key=lambda pair: pair[1]["cub"].startswith("cccl"))
        for key in sorted(days, reverse=True)
    ]


def section(folder):
    """The section with its markers, and the figure; empty if no run is stored. Raises Refused."""
    days = kept_days(folder)
    if not days:
        return "", None
    drawing = picture([report for _, report in days[0]])
    lines = []
    for i, kept in enumerate(days):
        lines += day_section(
            [name for name, _ in kept],
            [report for _, report in kept],
            FIGURE if drawing and i == 0 else None,
        )
    return f"{BEGIN}\n" + PREFACE + "\n" + "\n".join(lines).rstrip() + f"\n{END}\n", drawing


def with_section(page, text):
    """The page with the section between the markers replaced by `text`, or with `text` appended."""
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < 0:
        return page.rstrip("\n") + "\n" + (f"\n{text}" if text else "")
    behind = page[end + len(END) :].lstrip("\n")
    return (
        page[:begin].rstrip("\n")
        + "\n"
        + (f"\n{text}" if text else "")
        + (f"\n{behind}" if behind else "")
    )


def main():
    parser = arguments(__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS / "gpu")
    parser.add_argument("--out", type=pathlib.Path, default=GENERATED / "performance.md")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE", nargs="+", default=[])
    options = parser.parse_args()
    try:
        for path in options.keep:
            results.keep(path, options.results, kept_name(load(path)))
        text, drawing = section(options.results)
    except Refused as problem:
        print(f"gpu_performance.py: {problem}", file=sys.stderr)
        return 3
    page = options.out.read_text() if options.out.exists() else ""
    files = {options.out: with_section(page, text), options.out.with_name(FIGURE): drawing}
    drawn_files = {path: text for path, text in files.items() if text}
    return finish(drawn_files, options.check, "tools/gpu_performance.py")


if __name__ == "__main__":
    sys.exit(main())
