#!/usr/bin/env python3
"""Every function of the Python package on one thread beside NumPy, pandas or SciPy, over arrays of
several shapes: processor time, medians of alternating calls in one run, as a Markdown table.

    bench/python_shapes.py [--only cummax] [--shapes 4] [--all] [--write docs/python.md]

Run it with a Python that has the package, pandas and SciPy; it takes five minutes. The table has
the calls that are slower than their peer for a shape, or with --all every call; the times of slower
calls are printed as they are found.
"""

import os

os.environ["UPSWEEP_NUM_THREADS"] = "1"

import argparse
import sys
import time
import warnings
from pathlib import Path

import upsweep
import python
from python_calls import calls

# The name of each shape, the shape, and the axis of calls.
SHAPES = (
    ("8", (8,), 0),
    ("10^6", (10**6,), 0),
    ("100,000 x 50, axis 1", (100_000, 50), 1),
    ("100,000 x 50, axis 0", (100_000, 50), 0),
    ("1000 x 1000, axis 1", (1000, 1000), 1),
    ("1000 x 1000, axis 0", (1000, 1000), 0),
)


def ratios(only, shapes):
    """The ratio of each call by shape, in the order in which calls come first."""
    rows = {}
    for column, (name, shape, axis) in enumerate(SHAPES[:shapes]):
        for call, theirs, ours in calls(shape, axis):
            if not theirs or not call.startswith(tuple(only)):
                continue
            their_time, our_time = python.medians(theirs, ours)
            ratio = their_time / our_time
            rows.setdefault(call, [None] * shapes)[column] = ratio
            if ratio < 1:
                times = f"{their_time * 1e6:.4g} us, ours {our_time * 1e6:.4g} us"
                print(f"{ratio:.2f} {call}, {name}: {times}", file=sys.stderr, flush=True)
    return rows


def table(only, shapes, every):
    rows = ratios(only, shapes)
    cells = [ratio for row in rows.values() for ratio in row if ratio is not None]
    slower = sum(ratio < 1 for ratio in cells)
    version = upsweep.__version__
    yield f"One thread, time of NumPy or the named library / time of Upsweep {version}."
    yield f"Of {len(cells)} calls {len(cells) - slower} are as fast or faster. The others:"
    yield ""
    yield "| call | " + " | ".join(name for name, _, _ in SHAPES[:shapes]) + " |"
    yield "|---|" + "---|" * shapes
    for call, row in rows.items():
        shown = [f"{r:.2g}" if r is not None and (every or r < 1) else "" for r in row]
        if any(shown):
            yield f"| {call} | " + " | ".join(shown) + " |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", default=[""], help="calls that begin so")
    parser.add_argument("--shapes", type=int, default=len(SHAPES), help="only the first ones")
    parser.add_argument("--all", action="store_true", help="a row for each call")
    parser.add_argument("--write", type=Path, help="replace the table in this page")
    given = parser.parse_args()
    python.clock = time.process_time
    warnings.simplefilter("ignore")  # of products that overflow
    lines = "\n".join(table(given.only, given.shapes, given.all))
    if given.write:
        python.write(given.write, "bench/python_shapes.py", lines)
    else:
        print(lines)
