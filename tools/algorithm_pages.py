#!/usr/bin/env python3
"""Writes the measured tables and the pictures of docs/algorithms from runs of the tool, and the
gallery of all algorithms.

    tools/algorithm_pages.py [--tool build/bin/upsweep] [--check] [--proofs] [STEM...]

Running it again changes nothing unless a kernel, the emulator or a page's template has changed.
--check writes nothing and fails if a page is out of date. --proofs only proves the kernels, which
takes a minute, and writes what that shows into their pages.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import look_back_figure
from page_writer import DOCS, arguments, filled, finish, marks

PAGES = DOCS / "algorithms"
TRACE = '<script id="trace" type="application/json">'
SIZES = [256, 1024, 65536]
# The rows of a page's table, by the counter's name in the tool's JSON. Polls depend on the schedule
# and are not shown.
ROWS = [
    ("applications", "applications"),
    ("span", "span: the longest chain of them"),
    ("steps", "warp instructions"),
    ("efficiency", "active lanes"),
    ("divergent_steps", "divergent instructions"),
    ("barriers", "barriers"),
    ("cluster_barriers", "cluster barriers"),
    ("warp_syncs", "warp barriers"),
    ("shuffles", "shuffles"),
    ("votes", "votes and warp reductions"),
    ("shared_loads", "local elements read"),
    ("shared_stores", "local elements written"),
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
# A core of tasklets has neither warps nor banks nor sectors.
OF_WARPS = {
    "steps",
    "efficiency",
    "divergent_steps",
    "shared_requests",
    "shared_wavefronts",
    "shared_conflicts",
    "sectors_loaded",
    "sectors_stored",
    "lines_loaded",
    "lines_stored",
}
OF_TASKLETS = {"shared_loads", "shared_stores"}
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
    tasklets = runs[0]["stem"].startswith("tasklet_")
    heads = [f"n = {run['n']:,}" + ("" if tasklets else f", T = {run['block']}") for run in runs]
    lines += ["| counted | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(runs)]
    lines.append("| launches | " + " | ".join(str(len(run["launches"])) for run in runs) + " |")
    for key, title in ROWS:
        if any(run["total"][key] for run in runs) and not (
            key in (OF_WARPS if tasklets else OF_TASKLETS)
        ):
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


def proof_text(proof):
    """What `upsweep prove` has shown, for a page."""
    begin = f"`upsweep prove {proof['what']}`"
    if proof["operators"] == "none":
        return f"Not proved for every operator: {proof['why']}."
    if not proof["proved"]:
        sys.exit(f"algorithm_pages.py: {proof['what']}: n = {proof['n']}: {proof['failure']}")
    lines = [
        f"{begin}: right for every {proof['operators']} operator, and free of races,\n"
        "at all of these sizes and on all of these schedules:",
        "",
    ]
    for size in proof["sizes"]:
        block = f", in blocks of {size['block']} threads" if "block" in size else ""
        lines.append(f"- n = {size['n']}{block}")
    schedules = ", ".join(proof["schedules"])
    lines.append(f"- {len(proof['schedules'])} schedules: {schedules}")
    text = "\n".join(lines)
    if proof["why"]:
        text += f"\n\nNot for operators that do not commute: {proof['why']}."
    return text


def with_proof(page, text):
    """The page with the text after its table, or instead of the one that is there."""
    begin, end = marks("proved")
    if begin in page:
        return filled(page, "proved", text)
    measured = marks("measured")[1]
    return page.replace(measured, f"{measured}\n\n{begin}\n{text}\n{end}", 1)


def proved_pages(tool, stems):
    """The pages with what a proof of each kernel shows. Some are not proved, which is no error."""
    done = subprocess.run(
        [tool.path, "prove", *(stems or ["all"]), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"algorithm_pages.py: prove: {done.stderr}{done.stdout[-500:]}")
    files = {}
    for line in done.stdout.splitlines():
        proof = json.loads(line)
        page = PAGES / f"{proof['what']}.md"
        files[page] = with_proof(page.read_text(encoding="utf-8"), proof_text(proof))
    return files


def one_instruction(n):
    """The tree of a reduction that the hardware makes at once: a chain that is drawn flat."""
    leaves = [{"column": i, "level": 0, "left": -1, "right": -1, "result": False} for i in range(n)]
    root = {"column": 0, "level": 1, "left": 0, "right": 0, "result": True}
    return [*leaves, *({**root, "right": i} for i in range(1, n))]


def paths(drawn):
    """A path for each color."""
    return [f'<path d="{d}" stroke="{color}"/>' for color, d in drawn.items() if d]


def thumbnail(trace):
    """The combining tree without numbers: a dot for each combination, a ring for each result."""
    nodes, edge = trace["nodes"], 8
    nodes = nodes or one_instruction(look_back_figure.elements_of(trace))
    columns = max(1, max(n["column"] for n in nodes))
    levels = max(1, max(n["level"] for n in nodes))
    pitch, step = round(184 / columns), round(104 / levels)  # whole numbers keep the file small
    width, height = 2 * edge + columns * pitch, 2 * edge + levels * step

    def at(n):
        return edge + n["column"] * pitch, edge + n["level"] * step

    # Dots are ends of lines of no length: a path has all of one kind.
    lines = {"#8a939d": "", "#0072b2": ""}  # from right operands and left ones
    dots = {"#0072b2": "", "#007a5a": "", "#c43d00": ""}  # elements, combinations, results
    for n in nodes:
        x, y = at(n)
        for side, color in zip(("right", "left"), lines):
            if n[side] >= 0:
                x0, y0 = at(nodes[n[side]])
                lines[color] += f"M{x0} {y0}V{y}" if x == x0 else f"M{x0} {y0}L{x} {y}"
        color = "#0072b2" if n["left"] < 0 else "#c43d00" if n["result"] else "#007a5a"
        dots[color] += f"M{x} {y}h0"
    elements = dots.pop("#0072b2")
    width_of_dots = 7.4 if columns <= 24 else 5.4
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-label="{trace["stem"]}">',
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            '<g fill="none" stroke-width="1.2">',
            *paths(lines),
            f'</g><g stroke-linecap="round" stroke-width="{width_of_dots}">',
            f'<defs><path id="elements" d="{elements}"/></defs>',
            '<use href="#elements" stroke="#0072b2"/>',
            *paths(dots),
            f'<use href="#elements" stroke="#fff" stroke-width="{width_of_dots - 2.8:.1f}"/>',
            "</g></svg>",
            "",
        ]
    )


def picture_grid(rows):
    """Thumbnails with names, five in a row."""
    lines = ['<table class="gallery">']
    for first in range(0, len(rows), 5):
        lines.append("<tr>")
        for row in rows[first : first + 5]:
            stem = row["stem"]
            lines.append(
                f'<td align="center"><a href="{stem}.md"><img src="pictures/{stem}-tree.svg" '
                f'width="160" alt="combining tree of {stem}"><br><code>{stem}</code></a></td>'
            )
        lines.append("</tr>")
    return [*lines, "</table>"]


def gallery(rows, runs):
    """docs/algorithms/README.md: the families, first as pictures, then as tables."""
    families = [
        (
            title,
            [
                r
                for r in rows
                if r["what"] == what and (r["reach"] == "array") == (reach == "array")
            ],
        )
        for what, reach, title in GROUPS
    ]
    lines = [
        "# The textbook's reductions and scans",
        "",
        "Every algorithm is one short file of plain CUDA C++. It runs on a GPU. It also runs on "
        "the\n"
        "emulator, which counts its operations and checks it. `upsweep explain STEM` shows its "
        "page in a\nterminal. `upsweep trace STEM -o page.html` writes an interactive page.",
        "",
        "<!-- generated by tools/algorithm_pages.py -->",
        "",
        "The pictures show which elements a kernel combines. Time goes down; each column is an "
        "element.\nWhite nodes are elements, green nodes are applications of the operator, and "
        "orange nodes are\nresults. A blue line leads from the earlier (left) operand.",
    ]
    for title, chosen in families:
        lines += ["", f"## {title}", "", *picture_grid(chosen)]
    lines += [
        "",
        "## What they cost",
        "",
        "- *Applications* are calls of the operator: the work.\n"
        "- *Span* is the longest chain of dependent applications.\n"
        "- *Elements moved* are read or written in global memory. An element that several lanes of "
        "a warp\n  read together counts once.\n\n"
        f"All counts are for {SIZES[1]:,} elements.",
    ]
    for title, chosen in families:
        lines += [
            "",
            f"### {title}",
            "",
            "| algorithm | what it does | applications | span | elements moved |",
            "|---|---|---:|---:|---:|",
        ]
        for row in chosen:
            total = runs[row["stem"]][1]["total"]
            moved = total["elements_loaded"] + total["global_stores"]
            lines.append(
                f"| [{row['stem']}]({row['stem']}.md) | {row['sentence']} | "
                f"{total['applications']:,} | {total['span']:,} | {moved:,} |"
            )
    return "\n".join(lines) + "\n"


def page_data(tool, folder, stem, *args):
    """The data of a trace page."""
    page = os.path.join(folder, f"{stem}.html")
    tool("trace", stem, *args, "-o", page, "--force")
    data = Path(page).read_text(encoding="utf-8").split(TRACE, 1)[1]
    return json.loads(data.split("</script>", 1)[0])


def pictures_of(tool, stem):
    """The SVG of a small run, one tile of a block's kernel or several of an array's; the thumbnail
    of its combining tree; the flags of a look-back.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.svg")
        tool("trace", stem, "-o", path)
        found = {
            stem: Path(path).read_text(encoding="utf-8"),
            f"{stem}-tree": thumbnail(page_data(tool, folder, stem)),
        }
        if stem in look_back_figure.RUNS:
            trace = page_data(tool, folder, stem, *look_back_figure.RUNS[stem])
            found[f"{stem}-flags"] = look_back_figure.figure(trace)
        return found


def measured_pages(tool, rows, options):
    """The pages with their tables, their pictures, and the gallery."""
    files, runs = {}, {}
    for row in rows:
        stem = row["stem"]
        if options.stems and stem not in options.stems:
            continue
        runs[stem] = [tool.measured(row, n) for n in SIZES]
        page = PAGES / f"{stem}.md"
        files[page] = filled(page.read_text(encoding="utf-8"), "measured", table(runs[stem]))
        for name, drawn in pictures_of(tool, stem).items():
            files[PAGES / "pictures" / f"{name}.svg"] = drawn
    if not options.stems:
        files[PAGES / "README.md"] = gallery(rows, runs)
    return files


def main():
    parser = arguments(__doc__, tool=True)
    parser.add_argument("stems", nargs="*", metavar="STEM")
    parser.add_argument("--proofs", action="store_true")
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
    files = (
        proved_pages(tool, options.stems) if options.proofs else measured_pages(tool, rows, options)
    )
    again = f"tools/algorithm_pages.py{' --proofs' if options.proofs else ''}"
    return finish(files, options.check, again)


if __name__ == "__main__":
    sys.exit(main())
