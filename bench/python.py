#!/usr/bin/env python3
"""The Python package beside NumPy, in one run: medians of alternating calls, as a Markdown table.

    bench/python.py [--sizes 1000 1000000 10000000] [--write docs/python.md]

Run it with a Python that has the package. A ratio above 1 says how many times faster upsweep is.
Rows of math.fsum and SciPy are compared with those.
"""

import argparse
import math
import re
import statistics
import time
from pathlib import Path

import numpy as np
import upsweep

try:
    from scipy.signal import lfilter as scipy_lfilter
except ImportError:
    scipy_lfilter = None


def rows(n, rng):
    """Name, NumPy's call, ours."""
    yield from reductions_and_scans(n, rng)
    yield from verbs_on_scan(n, rng)


def reductions_and_scans(n, rng):
    f32, f64 = rng.standard_normal(n, np.float32), rng.standard_normal(n)
    i64 = rng.integers(-1000, 1000, n)
    square = f64[: int(n**0.5) ** 2].reshape(int(n**0.5), -1)
    yield "sum f32", lambda: np.sum(f32), lambda: upsweep.sum(f32)
    yield "sum f64", lambda: np.sum(f64), lambda: upsweep.sum(f64)
    yield "sum i64", lambda: np.sum(i64), lambda: upsweep.sum(i64)
    yield "sum f64, axis 0", lambda: np.sum(square, axis=0), lambda: upsweep.sum(square, axis=0)
    yield "sum f64, axis 1", lambda: np.sum(square, axis=1), lambda: upsweep.sum(square, axis=1)
    yield "max f32", lambda: np.max(f32), lambda: upsweep.max(f32)
    yield "argmax f64", lambda: np.argmax(f64), lambda: upsweep.argmax(f64)
    yield "var f64", lambda: np.var(f64), lambda: upsweep.var(f64)
    for name, x in (("f32", f32), ("f64", f64), ("i64", i64)):
        yield (
            f"cumulative_sum {name}",
            lambda x=x: np.cumulative_sum(x),
            lambda x=x: upsweep.cumulative_sum(x),
        )
    yield (
        "cumulative_sum f64, axis 0",
        lambda: np.cumsum(square, axis=0),
        lambda: upsweep.cumulative_sum(square, axis=0),
    )
    yield "cummax f64", lambda: np.maximum.accumulate(f64), lambda: upsweep.cummax(f64)
    yield "exact_sum f64 (math.fsum)", lambda: math.fsum(f64), lambda: upsweep.exact_sum(f64)
    if scipy_lfilter is not None:
        yield (
            "ema f64 (scipy.signal.lfilter)",
            lambda: scipy_lfilter([0.1], [1, -0.9], f64),
            lambda: upsweep.ema(f64, 0.1),
        )


def verbs_on_scan(n, rng):
    f64, i64 = rng.standard_normal(n), rng.integers(-1000, 1000, n)
    keys, sorted_keys = rng.integers(0, 1000, n), np.sort(rng.integers(0, 1000, n))
    offsets = np.arange(0, n + 1, 10)
    yield (
        "segment sums f64",
        lambda: np.add.reduceat(f64, offsets[:-1]),
        lambda: upsweep.segment_reduce(f64[: offsets[-1]], offsets),
    )
    yield (
        "group sums, sorted keys",
        lambda: np.bincount(sorted_keys, f64),
        lambda: upsweep.group_reduce(sorted_keys, f64),
    )
    yield (
        "group sums, any keys",
        lambda: np.bincount(keys, f64),
        lambda: upsweep.group_reduce(keys, f64),
    )
    windows = np.lib.stride_tricks.sliding_window_view(f64, 20)
    yield "windowed max, 20", lambda: windows.max(axis=1), lambda: upsweep.windowed(f64, 20, "max")
    yield "select f64", lambda: f64[f64 > 0], lambda: upsweep.select(f64, f64 > 0)
    yield "sort f64", lambda: np.sort(f64), lambda: upsweep.sort(f64)
    yield "argsort f64", lambda: np.argsort(f64, kind="stable"), lambda: upsweep.argsort(f64)
    yield "unique i64", lambda: np.unique(i64), lambda: upsweep.unique(i64)
    yield "median f64", lambda: np.median(f64), lambda: upsweep.median(f64)
    yield (
        "histogram f64, 100 bins",
        lambda: np.histogram(f64, 100, (-3, 3)),
        lambda: upsweep.histogram(f64, 100, (-3, 3)),
    )
    yield "bincount", lambda: np.bincount(keys), lambda: upsweep.bincount(keys)


def seconds(call, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def medians(theirs, ours):
    """The median time of a call of each, alternating for about half a second."""
    once = seconds(theirs, 1) + seconds(ours, 1)
    repeats = max(1, int(0.002 / once))
    rounds = min(max(5, int(0.5 / (once * repeats))), 100)
    times = [(seconds(theirs, repeats), seconds(ours, repeats)) for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**3, 10**6, 10**7])
    parser.add_argument("--write", type=Path, help="a page with the marks of the table")
    arguments = parser.parse_args()
    ratios = {}
    for n in arguments.sizes:
        for name, theirs, ours in rows(n, np.random.default_rng(1)):
            their_time, our_time = medians(theirs, ours)
            ratios.setdefault(name, []).append(f"{their_time / our_time:.2g}")
    table = [
        f"NumPy {np.__version__}: its time over that of upsweep {upsweep.__version__}, by elements",
        "",
        "| call | " + " | ".join(f"{n:,}" for n in arguments.sizes) + " |",
        "|---|" + "---|" * len(arguments.sizes),
    ]
    table += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in ratios.items()]
    text = "\n".join(table)
    print(text)
    if arguments.write:
        page = arguments.write.read_text()
        marks = r"(<!-- bench/python.py -->\n).*?(\n<!-- end -->)"
        page = re.sub(marks, lambda m: m[1] + text + m[2], page, flags=re.S)
        arguments.write.write_text(page)


if __name__ == "__main__":
    main()
