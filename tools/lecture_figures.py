#!/usr/bin/env python3
"""Draws the lectures' figures from runs, and writes the tables of docs/lectures.md.

    tools/lecture_figures.py [--tool build/bin/upsweep] [--check]

In docs/generated/:

- processor_and_gpu.svg, and the tutorial's table: stored runs on an H200 and a processor.
- coarsening.svg: two blocks in turn beside one coarsened block (PMPP fig. 10.16).
- tasklet_cycles.svg: SSA against RSS on a core of tasklets, by the model in tasklet_cycles.

--check writes nothing and fails if a file is out of date.
"""

import json
import math
import subprocess
import sys
from statistics import median

import gpu_reports
import results
import tasklet_cycles
from drawing import BLUE, GREEN, GRAY, ORANGE, PURPLE, points_of, short, svg, text
from page_writer import DOCS, GENERATED, ROOT, arguments, filled, finish, table

PROCESSOR = "bench/results/2026-11-27-intel-r-xeon-r-processor-16-threads.json.bz2"
GPU = "bench/results/gpu/2026-11-25-nvidia-h200.json.bz2"


def processor_times(report, verb, name):
    """{n: seconds}, medians, of sums of f32 that are not in place."""
    times = {}
    for cell in report["cells"]:
        if (cell["verb"], cell["op"], cell["type"]) == (verb, "sum", "f32") and not cell[
            "in_place"
        ]:
            for one in cell["all"]:
                if one["name"] == name:
                    times[cell["n"]] = median(one["seconds"])
    return times


def gpu_times(report, verb):
    return {
        row["n"]: row["us"] * 1e-6
        for row in report["rows"]
        if (row["work"], row["type"], row["competitor"]) == (verb, "f32", "upsweep")
        and row["launch"] == "plain"
        and row["cold"]
    }


WIDTH, HEIGHT, TOP, BOTTOM, LEFT, GAP = 920, 430, 46, 84, 66, 62
PANEL = (WIDTH - LEFT - GAP - 14) / 2
LOW, HIGH, FIRST, LAST = 1e-8, 1.0, 10, 28  # seconds; powers of two
TICKS = ["10 ns", "0.1 µs", "1 µs", "10 µs", "0.1 ms", "1 ms", "10 ms", "0.1 s", "1 s"]


def across(left, n):
    return left + PANEL * (math.log2(n) - FIRST) / (LAST - FIRST)


def down(seconds):
    share = math.log10(seconds / LOW) / math.log10(HIGH / LOW)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def axes(left, title):
    yield text(left, TOP - 16, title, "start", ' font-weight="600" font-size="15"')
    for exponent, words in zip(range(-8, 1), TICKS):
        y = down(10.0**exponent)
        yield f'<path class="grid" d="M{left} {short(y)}H{short(left + PANEL)}"/>'
        yield text(left - 6, y + 4, words, "end", ' font-size="11"')
    for power in range(FIRST, LAST + 1, 3):
        x = across(left, 2**power)
        yield f'<path class="grid" d="M{short(x)} {TOP}V{HEIGHT - BOTTOM}"/>'
        name = f'2<tspan dy="-4" font-size="9">{power}</tspan>'
        yield text(x, HEIGHT - BOTTOM + 18, name)


def line(left, times, color, dash):
    points = points_of(
        (across(left, n), down(seconds))
        for n, seconds in sorted(times.items())
        if 2**FIRST <= n <= 2**LAST and n & (n - 1) == 0
    )
    return (
        f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2.6" '
        f'stroke-dasharray="{dash}" stroke-linejoin="round"/>'
    )


def processor_and_gpu(processor, gpu):
    """Time against size, on logarithmic axes, for both verbs."""
    parts = []
    panels = [("Reduce, sum of f32", "reduce"), ("Inclusive scan, sum of f32", "inclusive_scan")]
    for i, (title, verb) in enumerate(panels):
        left = LEFT + i * (PANEL + GAP)
        parts += axes(left, title)
        parts.append(line(left, processor_times(processor, verb, "loop"), GRAY, "2 3"))
        parts.append(line(left, processor_times(processor, verb, "upsweep"), ORANGE, ""))
        parts.append(line(left, gpu_times(gpu, verb), BLUE, ""))
    parts.append(text(WIDTH / 2, HEIGHT - 40, "elements"))
    along = LEFT
    for words, color, dash in [
        ("a loop on one processor core", GRAY, "2 3"),
        (f"Upsweep on {processor['threads']} threads", ORANGE, ""),
        (f"Upsweep on an {gpu['gpu']}, data on the GPU", BLUE, ""),
    ]:
        parts.append(
            f'<path d="M{along} {HEIGHT - 16}h30" stroke="{color}" stroke-width="2.6" '
            f'stroke-dasharray="{dash}"/>' + text(along + 36, HEIGHT - 12, words, "start")
        )
        along += 70 + 7.2 * len(words)
    return svg(WIDTH, HEIGHT, "Time against the number of elements", parts)


def digits(x):
    """Three digits, never as a power of ten."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.{2 - math.floor(math.log10(x))}f}"


def table_2(processor, gpu):
    """The tutorial's table 2: n, CPU ms, GPU ms, speed-up."""
    loop = processor_times(processor, "inclusive_scan", "loop")
    threads = processor_times(processor, "inclusive_scan", "upsweep")
    device = gpu_times(gpu, "inclusive_scan")
    head = "elements, one core ms, 16 threads ms, GPU ms, one core / GPU, 16 threads / GPU"
    rows = []
    for n in sorted(set(loop) & set(device)):
        a, b, c = loop[n], threads[n], device[n]
        shown = (digits(x) for x in (a * 1e3, b * 1e3, c * 1e3, a / c, b / c))
        rows.append([f"{n:,}", *shown])
    return table(head.split(", "), rows, 0)


PATTERN = "upsweep/textbook/patterns/coarsening.cu"
PHASES = [  # what a line does, found by its text
    ("sum += in[i]", "load and add", BLUE),
    ("tile[t] = sum", "store in shared memory", PURPLE),
    ("__syncthreads()", "tree: barriers", GRAY),
    ("tile[t] += tile", "tree: additions", GREEN),
    ("atomicAdd(", "add to the total", ORANGE),
]


def phases_of(launch, source):
    """[(name, color, warp instructions of one block)] of a launch whose blocks do the same."""
    lines = source.splitlines()
    found = []
    for needle, name, color in PHASES:
        steps = sum(
            line["counters"]["steps"]
            for line in launch["lines"]
            if needle in lines[line["at"]["line"] - 1].split("//")[0]
        )
        found.append((name, color, steps // launch["blocks"]))
    return found


def coarsening(two, one, source):
    """A multiprocessor that holds one block at a time, downwards in warp instructions."""
    width, top, scale, bar = 880, 64, 1.35, 150
    parts, heights = [], []
    for left, launch, title in [
        (60, two, "factor 1: two blocks, one after the other"),
        (500, one, "factor 2: one coarsened block"),
    ]:
        parts.append(text(left, 26, title, "start", ' font-weight="600" font-size="15"'))
        y = top
        for block in range(launch["blocks"]):
            start = y
            for name, color, steps in phases_of(launch, source):
                height = steps * scale
                parts.append(
                    f'<rect x="{left}" y="{short(y)}" width="{bar}" height="{short(height)}" '
                    f'fill="{color}" stroke="#fff"/>'
                )
                if height >= 14:
                    parts.append(
                        text(
                            left + bar / 2,
                            y + height / 2 + 4,
                            f"{name}: {steps}",
                            more=' class="on"',
                        )
                    )
                y += height
            parts.append(
                text(left - 8, (start + y) / 2, f"block {block}", "end", ' font-size="11"')
            )
            y += 6
        counters = launch["counters"]
        words = [
            f"{counters['steps']} warp instructions",
            f"{counters['barriers']} barriers",
            f"{counters['atomics']} atomic" + ("s" if counters["atomics"] > 1 else ""),
        ]
        for i, line_of_words in enumerate(words):
            parts.append(text(left + bar + 16, top + 16 + 20 * i, line_of_words, "start"))
        thin = [phase for phase in phases_of(launch, source) if phase[2] * scale < 14]
        for i, (name, color, steps) in enumerate(thin):
            at = top + 92 + 20 * i
            parts.append(
                f'<rect x="{left + bar + 16}" y="{at - 10}" width="12" height="12" '
                f'fill="{color}"/>' + text(left + bar + 34, at, f"{name}: {steps}", "start")
            )
        heights.append(y)
    parts.append(text(8, top - 12, "time ↓", "start", ' font-size="11"'))
    return svg(
        width,
        int(max(heights)) + 12,
        "Hardware-serialized blocks and one coarsened block",
        parts,
    )


class Tool:
    def __init__(self, path):
        self.path = path

    def __call__(self, *args):
        done = subprocess.run(
            [self.path, *map(str, args[:1]), "--json", *map(str, args[1:])],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        if done.returncode != 0:
            sys.exit(f"lecture_figures.py: {' '.join(map(str, args))} failed: {done.stderr}")
        return json.loads(done.stdout)


def main():
    options = arguments(__doc__, tool=True).parse_args()
    tool = Tool(options.tool)
    processor, gpu = results.load(ROOT / PROCESSOR), gpu_reports.load(ROOT / GPU)
    two, one = (tool("run", PATTERN, "--", 1024, factor)["launches"][0] for factor in (1, 2))
    runs = tasklet_cycles.runs_of(tool)
    lectures = DOCS / "lectures.md"
    model = DOCS / "algorithms" / "tasklet_ssa.md"
    files = {
        GENERATED / "processor_and_gpu.svg": processor_and_gpu(processor, gpu),
        GENERATED / "coarsening.svg": coarsening(
            two, one, (ROOT / PATTERN).read_text(encoding="utf-8")
        ),
        GENERATED / "tasklet_cycles.svg": tasklet_cycles.figure(runs),
        lectures: filled(lectures.read_text(encoding="utf-8"), "table 2", table_2(processor, gpu)),
        model: filled(model.read_text(encoding="utf-8"), "cycles", tasklet_cycles.table(runs)),
    }
    return finish(files, options.check, "tools/lecture_figures.py")


if __name__ == "__main__":
    sys.exit(main())
