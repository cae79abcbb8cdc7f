#!/usr/bin/env python3
"""Runs the ocean on many ranks, decompositions and threads, compares the states, and writes the
tables of README.md and difference.svg. Exits with 1 if a state of exact sums is another one.

    make && ./run.py                                     minutes on two cores
    ./run.py --ranks 1,16,64 --short "" --mpirun srun    on a cluster
"""

import argparse
import array
import collections
import hashlib
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from drawing import BLUE, GREEN, ORANGE, PURPLE, points_of, short, svg, text  # noqa: E402

LINE = re.compile(
    r"(\w+) (\w+) (\d+) ranks (\d+) threads (\d+) steps (\d+) iterations (\S+) seconds, "
    r"energy (\S+) state (\w{16})"
)
Run = collections.namedtuple(
    "Run", "sums cells ranks threads steps iterations seconds energy state sha history"
)
CELLS = ("rows", "blocks", "curve")
CELLS_COLORS = dict(zip(CELLS, (ORANGE, PURPLE, GREEN)))
WIDTH, HEIGHT, LEFT, RIGHT, TOP, ZERO = 760, 360, 62, 12, 44, 300
STATE = 3 * 64 * 48 * 8  # bytes


def integers(words):
    return [int(word) for word in words.split(",") if word]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--program", default=HERE / "ocean")
    parser.add_argument("--mpirun", default="mpirun --oversubscribe")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--every", type=int, default=10, help="steps between points of the picture")
    parser.add_argument("--ranks", type=integers, default=[1, 2, 3, 6])
    parser.add_argument("--threads", type=integers, default=[1, 2, 4])
    parser.add_argument("--short", type=integers, default=[16, 64], help="ranks with few steps")
    parser.add_argument("--short-steps", type=int, default=50)
    parser.add_argument("--cost", type=integers, default=[1, 2], help="ranks that are timed")
    parser.add_argument("--machine", default=f"{os.cpu_count()} cores")
    parser.add_argument("--check", action="store_true", help="compare only, and write nothing")
    return parser.parse_args()


def start(options, ranks, threads, *words):
    """The lines that the program prints, as lists of its values."""
    command = [*options.mpirun.split(), "-n", str(ranks), str(options.program), *words]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    out = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [match.groups() for match in LINE.finditer(out.stdout)]


def integrate(options, sums, cells, ranks, threads, steps, every=None):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "state"
        words = [f"{sums=!s}", f"{cells=!s}", f"{steps=}", f"{file=!s}", f"every={every or steps}"]
        values = start(options, ranks, threads, *words)[0]
        history = file.read_bytes()
    sha = hashlib.sha256(history[-STATE:]).hexdigest()
    run = Run(*values[:2], *map(int, values[2:6]), *values[6:], sha, history)
    print(*run[:-1], flush=True)
    return run


def matrix(options):
    """All runs: the first one is the one that the others should equal."""
    for ranks in options.ranks:
        for cells in CELLS:
            for threads in options.threads:
                for sums in ("exact", "plain"):
                    yield integrate(
                        options, sums, cells, ranks, threads, options.steps, options.every
                    )
    if options.short:
        yield integrate(options, "exact", "rows", 1, 1, options.short_steps)
        yield integrate(options, "plain", "rows", 1, 1, options.short_steps)
    for ranks in options.short:
        for cells in CELLS:
            for sums in ("exact", "plain"):
                yield integrate(options, sums, cells, ranks, 1, options.short_steps)


def states_table(runs):
    yield "| ranks | threads | cells | steps | states, plain | states, exact | SHA-256, exact |"
    yield "| --: | --: | --- | --: | --: | --: | --- |"
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run.steps, run.ranks].append(run)
    for (steps, ranks), group in groups.items():
        plain, exact = ({r.sha for r in group if r.sums == sums} for sums in ("plain", "exact"))
        threads = sorted({r.threads for r in group})
        cells = [c for c in CELLS if any(r.cells == c for r in group)]
        yield (
            f"| {ranks} | {', '.join(map(str, threads))} | {', '.join(cells)} | {steps} "
            f"| {len(plain)} | {len(exact)} | {' '.join(f'`{sha[:16]}…`' for sha in exact)} |"
        )


def cost_table(options):
    yield "| grid | ranks | threads | plain, s | exact, s | exact / plain |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for columns, rows, steps in ((64, 48, 100), (512, 384, 10)):
        for ranks in options.cost:
            words = [f"{columns=}", f"{rows=}", f"{steps=}", "sums=both", "rounds=7"]
            lines = start(options, ranks, 1, *words)
            plain, exact = ([float(v[6]) for v in lines if v[0] == s] for s in ("plain", "exact"))
            ratio = statistics.median(e / p for p, e in zip(plain, exact))
            yield (
                f"| {columns} x {rows}, {steps} steps | {ranks} | 1 "
                f"| {statistics.median(plain):.3f} | {statistics.median(exact):.3f} | {ratio:.2f} |"
            )


def differences(run, first):
    """The largest difference of any number of the state, at each point of the history."""
    mine, other = array.array("d", run.history), array.array("d", first.history)
    size = STATE // 8
    return [
        max(abs(a - b) for a, b in zip(mine[i : i + size], other[i : i + size]))
        for i in range(0, len(mine), size)
    ]


def figure(options, runs):
    """Differences from the first run with the same kind of sums, on a logarithmic axis with 0."""
    lines = []
    for sums in ("plain", "exact"):
        chosen = [r for r in runs if r.sums == sums and r.steps == options.steps and r.threads == 1]
        lines += [(r, differences(r, chosen[0])) for r in chosen[1:]]
    positive = [d for _, line in lines for d in line if d > 0]
    low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))

    def y(difference):
        if difference == 0:
            return ZERO
        return ZERO - 36 - (ZERO - 36 - TOP) * (math.log10(difference) - low) / (high - low)

    def x(step):
        return LEFT + (WIDTH - LEFT - RIGHT) * step / options.steps

    parts = [text(LEFT - 50, 22, "largest difference from the run on 1 rank (m, m/s)", "start")]
    for exponent in [*range(low, high + 1), None]:
        at = ZERO if exponent is None else y(10.0**exponent)
        parts.append(f'<path d="M{LEFT} {short(at)}H{WIDTH - RIGHT}" class="grid"/>')
        parts.append(text(LEFT - 8, at + 4, "0" if exponent is None else f"1e{exponent}", "end"))
    for step in range(0, options.steps + 1, options.steps // 5):
        parts.append(text(x(step), ZERO + 20, step, "end" if step else "start"))
    drawn = []
    for run, line in lines:
        points = points_of((x((i + 1) * options.every), y(d)) for i, d in enumerate(line))
        exact = run.sums == "exact"
        color = BLUE if exact else CELLS_COLORS[run.cells]
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{color}" '
            f'stroke-width="{3 if exact else 1.2}"/>'
        )
    parts += dict.fromkeys(drawn)  # exact runs have one line
    keys = [(f"plain, {cells}", CELLS_COLORS[cells]) for cells in CELLS]
    for i, (words, color) in enumerate([*keys, ("exact, all", BLUE), ("steps", None)]):
        at = LEFT + i * 150
        if color:
            parts.append(
                f'<path d="M{at} {HEIGHT - 18}h26" stroke="{color}" stroke-width="3" fill="none"/>'
            )
        parts.append(text(at + 34, HEIGHT - 14, words, "start"))
    return svg(WIDTH, HEIGHT, "Differences of plain and of exact sums from one rank", parts)


def wrong(runs):
    """Exact runs whose state is not that of the first one with the same number of steps."""
    first = {}
    for run in runs:
        if run.sums == "exact" and run.sha != first.setdefault(run.steps, run.sha):
            yield run


def main():
    options = arguments()
    runs = list(matrix(options))
    bad = list(wrong(runs))
    for run in bad:
        print("another state:", *run[:-1], file=sys.stderr)
    for steps in {run.steps for run in runs}:
        if len({r.sha for r in runs if r.sums == "plain" and r.steps == steps}) < 2:
            print(f"plain sums have one state after {steps} steps: no comparison", file=sys.stderr)
            bad.append(None)
    if not options.check:
        page = HERE / "README.md"
        tables = "\n".join(
            [f"On {options.machine}:", "", *states_table(runs), "", *cost_table(options)]
        )
        written = re.sub(
            r"(<!-- run.py: begin -->\n)[\s\S]*(<!-- run.py: end -->)",
            lambda m: f"{m[1]}{tables}\n{m[2]}",
            page.read_text(),
        )
        page.write_text(written)
        (HERE / "difference.svg").write_text(figure(options, runs))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
