#!/usr/bin/env python3
"""Writes the tables of docs/others_are_faster.md from all measurements that are published: every
case in which a competitor took less than 0.95 of Upsweep's time. --check only compares.
"""

import re
import sys

import page_writer
import results
from gpu_verb_tables import PROGRAMS, latest, rows_beside_cub, sections, verb_of
from page_writer import DOCS, GENERATED, RESULTS, arguments, filled, finish, power, table
from performance_goals import Report, median

PAGE = DOCS / "others_are_faster.md"
LEAST = 0.95
GPUS = ("nvidia-h200", "nvidia-h100")
OURS = ("decoupled", "chunk", "four_chunks")  # other forms of the library's own kernels


def cells(report):
    """(work, size, timings) of every comparison of a run."""
    for kind in ("cells", "verbs"):
        for cell in report.data.get(kind) or []:
            work = f"`{cell['verb']}`" + (f" {cell['op']}" if cell["op"] else "")
            words = [cell["type"], cell.get("data", "").replace("|", "/"), power(cell["n"])]
            words += ["in place"] if cell.get("in_place") else []
            words += ["in a graph"] if cell.get("launch") == "graph" else []
            timed = {s["name"]: s["seconds"] for s in cell["all"] if s["seconds"]}
            yield work, ", ".join(w for w in words if w), timed


def rows(report):
    """A row for each work with a case in which a peer was faster, the worst first."""
    peers = [p for p in report.peers if p not in OURS]
    found = {}
    for work, size, timed in cells(report):
        others = [p for p in peers if p in timed]
        if "upsweep" not in timed or not others:
            continue
        best = min(others, key=lambda p: median(timed[p]))
        pairs = zip(timed["upsweep"], timed[best], strict=True)
        ratio = median([b / a for a, b in pairs])
        found.setdefault(work, []).append((ratio, size, report.title[best]))
    for work, cases in sorted(found.items(), key=lambda item: min(item[1])):
        slower = [c for c in cases if c[0] < LEAST]
        if slower:
            ratio, size, peer = min(slower)
            yield [work, f"{len(slower)} of {len(cases)}", f"{ratio:.2f}", peer, size]


HEAD = ["work", "cases", "worst ratio", "competitor", "where"]


def machine(data):
    gpu = data.get("gpu")
    if gpu:
        return f"{gpu['name']}, {data['date'][:10]}"
    what = f"{data['machine']['cpu']}, {data['threads']} threads, {data['date'][:10]}"
    return what + (", other verbs" if data.get("verbs") else "")


def measured():
    """The tables of all runs, by machine."""
    text = ""
    folders = (RESULTS, RESULTS / "gpu", RESULTS / "verbs")
    for _, path in (run for folder in folders for run in results.runs(folder)):
        data = results.load(path)
        report = Report(data)
        found = list(rows(report))
        if found and not report.is_catalog():
            text += f"### {machine(data)}\n\n{table(HEAD, found)}\n\n"
    return text


def gpu_verb_rows():
    """A row for each of the other verbs on a GPU with a case in which CUB was faster, in calls on
    data that are in the cache or not, and in graphs.
    """
    for program in PROGRAMS:
        found = {}
        head, tables = sections(latest(RESULTS / "gpu_verbs", GPUS, program))
        for size in tables:
            for what, cells, ratio in rows_beside_cub(tables[size]):
                verb = verb_of(what, cells)
                where = [c for c in cells[1:3] if c != verb]
                found.setdefault(verb, []).append((ratio, ", ".join([*where, size])))
        gpu = re.search(r" on (NVIDIA [A-Z0-9]+)", head.replace("\n", " "))[1] if found else ""
        for verb, cases in sorted(found.items(), key=lambda item: min(item[1])):
            slower = [c for c in cases if c[0] < LEAST]
            if slower:
                ratio, where = min(slower)
                yield [verb, f"{len(slower)} of {len(cases)}", f"{ratio:.2f}", gpu, where]


def cells_of(text):
    """The rows of the tables in a text: lists of cells, under the head of each table."""
    head = None
    for line in text.splitlines():
        parts = page_writer.cells(line)
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = parts
        elif not re.fullmatch(r"[-:| ]+", line):
            yield head, parts


def between(page, begin):
    return (DOCS / page).read_text().partition(begin)[2].partition("<!-- end")[0]


def python_rows():
    """The rows of the tables of docs/python.md in which another package is faster."""
    for head, row in cells_of(between("python.md", "<!-- bench/python.py -->")):
        for where, value in zip(head[1:], row[1:], strict=False):
            if value and float(value) < LEAST:
                yield [row[0], value, where if "." in where else f"NumPy, {where} elements"]
    for head, row in cells_of(between("python.md", "<!-- bench/python_cuda.py -->")):
        for peer, value in zip(head[3:5], row[3:5], strict=True):
            if value != "–" and float(value) < LEAST:
                yield [f"{row[0]}, on an H200", value, f"{peer}, {row[1]} elements"]


def application_rows():
    """The applications that take longer than what a user would pick instead, on one thread."""
    text = (GENERATED / "performance_apps.md").read_text()
    speeds, times = text.split("## Structure")
    for part, power_of_time in ((speeds, -1), (times, 1)):
        for _, (name, data, ours, instead) in cells_of(part):
            for other, number in re.findall(r"([^,]*?) ([\d.]+)(?:, |$)", instead):
                ratio = (float(number) / float(ours)) ** power_of_time
                if ratio < LEAST and "upsweep::" not in other:
                    yield [name, data, f"{ratio:.2f}", other.strip()]


def shell_rows():
    """The tasks in a shell for which another tool takes less time."""
    text = (GENERATED / "performance_shell.md").read_text()
    for part, rows in zip(text.split("## Ten times"), ("10^6", "10^7"), strict=True):
        for head, row in cells_of(part):
            seconds = [re.sub(r"[*? ]", "", cell) for cell in row[1:]]
            for tool, other in zip(head[2:], seconds[1:], strict=True):
                ratio = float(other) / float(seconds[0]) if other != "–" else 1
                if ratio < LEAST:
                    yield [row[0], rows, f"{ratio:.2f}", tool]


def tables():
    gpu_head = ["work", "cases", "worst ratio to CUB", "GPU", "where"]
    return (
        f"## C++\n\n{measured()}### Other verbs on a GPU\n\n"
        "Compared with CUB, in calls on data that are not in the cache, on data in the cache\n"
        "(warm), and in CUDA graphs.\n\n"
        f"{table(gpu_head, list(gpu_verb_rows()))}\n\n## Python\n\n"
        "From the tables of [Python](python.md#speed).\n\n"
        + table(["call", "ratio", "competitor"], list(python_rows()))
        + "\n\n## Applications\n\nFrom [the applications](generated/performance_apps.md), on one "
        "thread.\n\n"
        + table(["application", "input", "ratio", "instead"], list(application_rows()), 2)
        + "\n\n## Shell\n\nFrom [tables in a shell](generated/performance_shell.md).\n\n"
        + table(["task", "rows", "ratio", "tool"], list(shell_rows()))
    )


def main():
    check = arguments(__doc__).parse_args().check
    page = filled(PAGE.read_text(), "measured", tables().strip())
    return finish({PAGE: page}, check, "tools/others_are_faster.py")


if __name__ == "__main__":
    sys.exit(main())
