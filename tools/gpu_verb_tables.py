#!/usr/bin/env python3
"""Prints docs/generated/performance_gpu_verbs.md from what the programs of bench/gpu have printed.

    tools/gpu_verb_tables.py bench/results/gpu_verbs nvidia-h200 nvidia-h100 > page.md

The arguments are a folder and machines; of DATE-MACHINE-selections.md and so on the latest of all
machines is taken. The page has one small size of each program, also warm and in a graph if it was
measured so, and its largest; the files have all. Of DATE-MACHINE-selections-newer-cub.md, measured
beside a newer CUB, it has how CUB's times differ. A table in front has how many times as fast as
CUB the calls of each size are.
"""

import itertools
import pathlib
import re
import statistics
import sys

PROGRAMS = ["selections", "histograms", "segments", "windows", "tables", "recurrences", "sorts"]
SMALL = ["2^20 bytes", "2^22 bytes", "2^20 elements", "1024 rows and columns"]
BESIDE_COLD = [", warm", ", in a graph"]  # behind the size, in the names of sections
HEAD = """# Verbs on scan on a GPU

What the programs of bench/gpu printed, each on the GPU that it names, assembled by
tools/gpu_verb_tables.py: a small size and the largest. All sizes are in
[{folder}](../../{folder}); where goals are missed, and why, is in
[0004-cuda.md](../design/0004-cuda.md).
"""


def sections(text):
    """The head of a program's output, and its tables by size, in order."""
    head, *rest = text.split("\n## ")
    return head, {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in rest}


SUMMARY_HEAD = """
Times as fast as CUB, the {program}: least, median and most of all rows.

| {program} | cold | warm | in a graph |
| --- | --- | --- | --- |
"""
# Rows that a summary keeps apart: a label, and a part of the rows' names.
APART = {
    "segments": [
        ("segments", "_segments "),
        ("by key, exact", "u32 by u32"),
        ("by key, f32", "f32 by u32"),
    ]
}


def ratios_to_cub(table):
    """The name of each row that has one, and how many times as fast as CUB it is."""
    column = None
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if "times as fast" in cells:
            column = cells.index("times as fast")
        elif column and len(cells) > column and re.fullmatch(r"[0-9.]+", cells[column]):
            yield f"{cells[1]} {cells[2]}", float(cells[column])


def summary(program, tables):
    """A table of the least, median and greatest ratio to CUB of each size, in each way."""
    lines = []
    for size in (s for s in tables if not s.endswith(tuple(BESIDE_COLD))):
        for label, part in APART.get(program, [("all", "")]):
            cells = []
            for way in ["", *BESIDE_COLD]:
                rows = ratios_to_cub(tables.get(size + way, ""))
                found = [ratio for name, ratio in rows if part in name]
                three = (min(found), statistics.median(found), max(found)) if found else ()
                cells.append(", ".join(f"{x:.2f}" if x < 10 else f"{x:.0f}" for x in three))
            if cells[0]:
                name = size if label == "all" else f"{size}, {label}"
                lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def times_of_cub(table):
    """For each row with a time of CUB's, that time in microseconds."""
    lines = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    found = {}
    for cells in lines:
        if "CUB, µs" in cells:
            column = cells.index("CUB, µs")
        elif len(cells) > 5 and re.fullmatch(r"[0-9.]+", cells[column]):
            found[cells[1], cells[2]] = float(cells[column])
    return found


def beside_newer(path, size, table):
    """A sentence about the file, if it exists, which has the same table beside a newer CUB."""
    if path is None:
        return ""
    head, tables = sections(path.read_text())
    old, new = times_of_cub(table), times_of_cub(tables[size])
    ratios = sorted(new[row] / old[row] for row in old if row in new)
    version = re.search(r"CUB ([0-9.]+)", head)[1]
    return (
        f"\nBeside CUB {version} ([{path.name}](../../{path.as_posix()})) CUB's times are "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f} times as long, half of them at most "
        f"{ratios[len(ratios) // 2]:.2f} times.\n"
    )


def page(folder, machines):
    """The page as text."""

    def latest(program):
        found = (pathlib.Path(folder).glob(f"*-{m}-{program}.md") for m in machines)
        return max(itertools.chain(*found), default=None)

    parts = [HEAD.format(folder=pathlib.Path(folder).as_posix())]
    for program in PROGRAMS:
        if lines := summary(program, sections(latest(program).read_text())[1]):
            parts[0] += SUMMARY_HEAD.format(program=program) + lines + "\n"
    for program in PROGRAMS:
        head, tables = sections(latest(program).read_text())
        sizes = [size for size in tables if not size.endswith(tuple(BESIDE_COLD))]
        small = next((size for size in SMALL if size in tables), sizes[0])
        shown = [small, *(small + how for how in BESIDE_COLD if small + how in tables), sizes[-1]]
        parts.append("#" + head.strip() + "\n")
        for size in dict.fromkeys(shown):
            parts.append(f"### {size}\n\n{tables[size].strip()}\n")
        parts[-1] += beside_newer(latest(f"{program}-newer-cub"), sizes[-1], tables[sizes[-1]])
    return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.stdout.write(page(sys.argv[1], sys.argv[2:]))
