#!/usr/bin/env python3
"""Writes the measured tables and the pictures of docs/algorithms from runs of the tool, and the
gallery of all algorithms.

    tools/algorithm_pages.py [--tool build/bin/upsweep] [--check] [STEM...]

Running it again changes nothing unless a kernel, the emulator or a page's template has changed.
--check writes nothing and fails if a page is out of date.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "algorithms"
BEGIN, END = "<!-- measured:begin -->", "<!-- measured:end -->"
SIZES = [256, 1024, 65536]
# The rows of a page's table, by the counter's name in the tool's JSON. Polls depend on the schedule
# and are not shown.
ROWS = [
    ("applications", "applications"),
    ("span", "span: the longest chain of them"),
    ("steps", "warp steps"),
    ("efficiency", "lane slots used"),
    ("divergent_steps", "divergent steps"),
    ("barriers", "barriers"),
    ("cluster_barriers", "cluster barriers"),
    ("warp_syncs", "warp barriers"),
    ("shuffles", "shuffles"),
    ("votes", "votes and warp reductions"),
    ("shared_requests", "shared requests"),
    ("shared_wavefronts", "shared wavefronts"),
    ("shared_conflicts", "bank conflicts"),
    ("global_loads", "global elements read"),
    ("global_stores", "global elements written"),
    ("sectors_loaded", "sectors of 32 bytes read"),
    ("sectors_stored", "sectors written"),
    ("lines_loaded", "lines of 128 bytes read"),
    ("lines_stored", "lines written"),
    ("atomics", "atomics"),
    ("fences", "fences"),
]
GROUPS = [
    ("reduce", "block", "Reductions of a warp or block"),
    ("reduce", "array", "Reductions of a whole array"),
    ("scan", "block", "Scans of a warp or block"),
    ("scan", "array", "Scans of a whole array"),
]


class Tool:
    def __init__(self, path):
        self.path = path

    def __call__(self, *args):
        done = subprocess.run(
            [self.path, *map(str, args)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(
                f"algorithm_pages.py: {' '.join(map(str, args))} failed with status "
                f"{done.returncode}: {done.stderr}{done.stdout[:500]}"
            )
        return done.stdout

    def run(self, stem, n, block):
        return json.loads(self("run", stem, "-n", n, "--block", block, "--json"))

    def measured(self, row, n):
        """The run that shows `row` on n elements: with as few launches as its block sizes allow,
        or with blocks of 256 if many are needed anyway.
        """
        if n > 4096 or row["reach"] == "array":
            return self.run(row["stem"], n, 256 if n > 4096 else 128)
        runs = [self.run(row["stem"], n, block) for block in (128, 256, 512, 1024)]
        return min(runs, key=lambda run: (len(run["launches"]), run["block"]))


def value(run, key):
    x = run["total"][key]
    return f"{100 * x:.1f} %" if key == "efficiency" else f"{x:,}"


def table(runs):
    """The measured table of one page."""
    lines = ["Counted by the emulator on 32-bit integers:", ""]
    heads = [f"n = {run['n']:,}, T = {run['block']}" for run in runs]
    lines += ["| counted | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(runs)]
    lines.append("| launches | " + " | ".join(str(len(run["launches"])) for run in runs) + " |")
    for key, title in ROWS:
        if any(run["total"][key] for run in runs):
            lines.append(f"| {title} | " + " | ".join(value(run, key) for run in runs) + " |")
    last = runs[-1]
    lines += [
        "",
        (
            f"`upsweep run {last['stem']} -n {runs[1]['n']} --block {runs[1]['block']}` "
            "reproduces the counts; `--json` adds those of every source line."
        ),
    ]
    return "\n".join(lines)


def filled(page, text):
    """The page with `text` between its markers."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(
            f"algorithm_pages.py: a page lacks {BEGIN} and {END}; add both lines where the "
            "measured table belongs"
        )
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def gallery(rows, runs):
    """docs/algorithms/README.md."""
    lines = [
        "# The textbook's reductions and scans",
        "",
        "Every algorithm is one short file of plain CUDA C++ that runs on a GPU and, counted and "
        "checked, on\nthe emulator. `upsweep explain STEM` shows its page in a terminal;\n"
        "`upsweep trace STEM -o page.html` writes an interactive page.",
        "",
        "Applications are calls of the operator; span is the longest chain of dependent "
        "applications.\nElements moved are those read and written in global memory; an element "
        "that several lanes of a\nwarp read together counts once. All counts are for "
        f"{SIZES[1]:,} elements. The pictures show which\nelements each combination covers.",
        "",
        "<!-- generated by tools/algorithm_pages.py -->",
    ]
    for what, reach, title in GROUPS:
        chosen = [
            r for r in rows if r["what"] == what and (r["reach"] == "array") == (reach == "array")
        ]
        lines += [
            "",
            f"## {title}",
            "",
            "| algorithm | what it adds | applications | span | elements moved | |",
            "|---|---|---:|---:|---:|---|",
        ]
        for row in chosen:
            total = runs[row["stem"]][1]["total"]
            moved = total["elements_loaded"] + total["global_stores"]
            picture = (
                f'[<img src="pictures/{row["stem"]}-tree.svg" width="260" '
                f'alt="{row["stem"]}">]({row["stem"]}.md)'
            )
            lines.append(
                f"| [{row['stem']}]({row['stem']}.md) | {row['sentence']} | "
                f"{total['applications']:,} | {total['span']:,} | {moved:,} | {picture} |"
            )
    return "\n".join(lines) + "\n"


def picture(tool, stem, view):
    """The SVG of a small run: one tile of a block's kernel, several of an array's."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.svg")
        tool("trace", stem, "--view", view, "-o", path)
        return Path(path).read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("stems", nargs="*", metavar="STEM")
    parser.add_argument("--tool", default=str(ROOT / "build" / "bin" / "upsweep"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    tool = Tool(options.tool)
    rows = [
        {**row, "what": what}
        for what in ("reduce", "scan")
        for row in json.loads(tool("list", what, "--json"))
    ]
    unknown = set(options.stems) - {row["stem"] for row in rows}
    if unknown:
        sys.exit(f"algorithm_pages.py: no such algorithm: {', '.join(sorted(unknown))}")
    files, runs = {}, {}
    for row in rows:
        stem = row["stem"]
        if options.stems and stem not in options.stems:
            continue
        runs[stem] = [tool.measured(row, n) for n in SIZES]
        page = PAGES / f"{stem}.md"
        files[page] = filled(page.read_text(encoding="utf-8"), table(runs[stem]))
        files[PAGES / "pictures" / f"{stem}.svg"] = picture(tool, stem, "all")
        files[PAGES / "pictures" / f"{stem}-tree.svg"] = picture(
            tool, stem, "tree"
        )  # for the gallery
    if not options.stems:
        files[PAGES / "README.md"] = gallery(rows, runs)
    stale = [
        path
        for path, text in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if options.check:
            print(f"{path.relative_to(ROOT)} is out of date; run tools/algorithm_pages.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
