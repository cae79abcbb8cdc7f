#!/usr/bin/env python3
"""Prints docs/generated/performance_gpu_verbs.md from what the programs of bench/gpu have printed,
and writes its figure.

    tools/gpu_verb_tables.py bench/results/gpu_verbs nvidia-h200 nvidia-h100 \
      --figure docs/generated/performance_gpu_verbs.svg > docs/generated/performance_gpu_verbs.md

The arguments are a folder and machines; of DATE-MACHINE-selections.md.bz2 and so on the latest of
all machines is taken. The page has one small size of each program, also warm and in a graph if it
was measured so, and its largest; the files have all. Of DATE-MACHINE-selections-newer-cub.md.bz2 of
the same machine, measured beside a newer CUB, it has how CUB's times differ. A first table has how
many times as fast as CUB the calls of each size are; the figure has the cold calls of the sizes
that the page shows.
"""

import argparse
import itertools
import pathlib
import re
import statistics
import sys

import results
from peers_figure import peers_figure

PROGRAMS = ["selections", "histograms", "segments", "windows", "tables", "recurrences", "sorts"]
SMALL = ["2^20 bytes", "2^22 bytes", "2^20 elements", "1024 rows and columns"]
BESIDE_COLD = [", warm", ", in a graph"]  # after the size, in the names of sections
HEAD = """# The other verbs on a GPU

The output of the programs in bench/gpu, each on the GPU that it names: a small size and the
largest. tools/gpu_verb_tables.py assembles this page. All sizes are in
[{folder}](../../{folder}), compressed by bzip2.
[0013-cuda-verbs.md](../design/0013-cuda-verbs.md) says where goals are missed, and why.

![Every verb beside CUB](performance_gpu_verbs.svg)
"""


def sections(path):
    """The head of a program's output, and its tables by size, in order."""
    head, *rest = results.stored(path).split("\n## ")
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


def rows_beside_cub(table):
    """What the second column is of, and the cells and the ratio to CUB of each row that has one."""
    column = None
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if "times as fast" in cells:
            column, what = cells.index("times as fast"), cells[2]
        elif column and len(cells) > column and re.fullmatch(r"[0-9.]+", cells[column]):
            yield what, cells, float(cells[column])


def ratios_to_cub(table):
    """The name of each row that has one, and how many times as fast as CUB it is."""
    for _, cells, ratio in rows_beside_cub(table):
        yield f"{cells[1]} {cells[2]}", ratio


def verb_of(what, cells):
    """What a row's call is named in the figure."""
    if what == "segments":
        return cells[1]
    if what.startswith("weighted histogram"):
        return "weighted_histogram"
    word = re.match(r"[a-z_]+(?: [a-z]+)*", cells[2])[0]
    return f"histogram, {word}" if what == "histogram" else word


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
    head, tables = sections(path)
    old, new = times_of_cub(table), times_of_cub(tables[size])
    ratios = sorted(new[row] / old[row] for row in old if row in new)
    version = re.search(r"CUB ([0-9.]+)", head)[1]
    return (
        f"\nBeside CUB {version} ([{path.name}](../../{path.as_posix()})) CUB's times are "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f} times as long, half of them at most "
        f"{ratios[len(ratios) // 2]:.2f} times.\n"
    )


def latest(folder, machines, program):
    found = (pathlib.Path(folder).glob(f"*-{m}-{program}.md*") for m in machines)
    return max(itertools.chain(*found), default=None)


def small_and_largest(tables):
    """The names of the sizes that are shown."""
    sizes = [size for size in tables if not size.endswith(tuple(BESIDE_COLD))]
    return next((size for size in SMALL if size in tables), sizes[0]), sizes[-1]


def page(folder, machines):
    """The page as text."""
    parts = [HEAD.format(folder=pathlib.Path(folder).as_posix())]
    for program in PROGRAMS:
        if lines := summary(program, sections(latest(folder, machines, program))[1]):
            parts[0] += SUMMARY_HEAD.format(program=program) + lines + "\n"
    for program in PROGRAMS:
        path = latest(folder, machines, program)
        head, tables = sections(path)
        small, largest = small_and_largest(tables)
        shown = [small, *(small + how for how in BESIDE_COLD if small + how in tables), largest]
        parts.append("#" + head.strip() + "\n")
        for size in dict.fromkeys(shown):
            parts.append(f"### {size}\n\n{tables[size].strip()}\n")
        machine = path.name[len("2026-01-30-") :].partition(f"-{program}.")[0]
        newer = latest(folder, [machine], f"{program}-newer-cub")
        parts[-1] += beside_newer(newer, largest, tables[largest])
    return "\n".join(parts)


def figure(folder, machines):
    """Each verb beside CUB, an SVG."""
    gains = {}
    for program in PROGRAMS:
        _, tables = sections(latest(folder, machines, program))
        for place, size in enumerate(small_and_largest(tables)):
            for what, cells, ratio in rows_beside_cub(tables[size]):
                gains.setdefault(verb_of(what, cells), []).append((place, ratio))
    return peers_figure(gains, "CUB", ["1 to 8 MiB", "1 to 2 GiB"].__getitem__)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="bench/results/gpu_verbs")
    parser.add_argument("machines", nargs="+", help="as in the names of the files")
    parser.add_argument("--figure", type=pathlib.Path, help="an SVG to write")
    options = parser.parse_args()
    sys.stdout.write(page(options.folder, options.machines))
    if options.figure:
        options.figure.write_text(figure(options.folder, options.machines))


if __name__ == "__main__":
    main()
