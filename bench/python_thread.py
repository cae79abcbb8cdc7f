#!/usr/bin/env python3
"""The Python package on one thread beside NumPy, pandas and SciPy, where calls are short or lines
are many: processor time, medians of alternating calls in one run, as a Markdown table.

    bench/python_thread.py [--write docs/python.md]

Run it with a Python that has the package, pandas and SciPy; it takes half a minute.
"""

import os

os.environ["UPSWEEP_NUM_THREADS"] = "1"

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.signal
import upsweep
import python


def short_calls():
    x, m, out = np.arange(8.0), np.ones((4, 4)), np.empty(4)
    for name, a, options in (
        ("sum", x, {}),
        ("sum, keepdims", m, {"axis": 0, "keepdims": True}),
        ("sum, axis=(0, 1)", m, {"axis": (0, 1)}),
        ("sum, out", m, {"axis": 0, "out": out}),
        ("sum, where", x, {"where": x > 2}),
        ("sum, dtype", x, {"dtype": np.float64}),
        ("sum, initial", x, {"initial": 1.0}),
        ("sum of a list", [1.0, 2.0], {}),
    ):
        yield name, "8 elements", lambda: np.sum(a, **options), lambda: upsweep.sum(a, **options)
    window = np.ones(3)
    yield (
        "windowed sum (numpy.convolve)",
        "8 elements",
        lambda: np.convolve(x, window, "valid"),
        lambda: upsweep.windowed(x, 3),
    )
    yield (
        "maximum.accumulate",
        "8 elements",
        lambda: np.maximum.accumulate(x),
        lambda: upsweep.maximum.accumulate(x),
    )
    yield (
        "bincount of lists, weights",
        "2 elements",
        lambda: np.bincount([0, 1], [1.0, 2.0]),
        lambda: upsweep.bincount([0, 1], [1.0, 2.0]),
    )


def long_calls(rng):
    n = 10**6
    keys, x = rng.integers(0, 1000, n), rng.standard_normal(n)
    groups, s = pd.DataFrame({"key": keys, "x": x}), pd.Series(x)
    yield (
        "bincount, weights",
        "10^6",
        lambda: np.bincount(keys, x),
        lambda: upsweep.bincount(keys, x),
    )
    yield (
        "group_scan (pandas)",
        "10^6",
        lambda: groups.groupby("key").x.cumsum(),
        lambda: upsweep.group_scan(keys, x),
    )
    for op in ("mean", "std", "median"):
        yield (
            f"group_reduce {op} (pandas)",
            "10^6",
            lambda: getattr(groups.groupby("key").x, op)(),
            lambda: upsweep.group_reduce(keys, x, op),
        )
        yield (
            f"windowed {op}, 20 (pandas)",
            "10^6",
            lambda: getattr(s.rolling(20), op)(),
            lambda: upsweep.windowed(x, 20, op),
        )
    for name, order, cutoff in (
        ("biquad", 2, 0.3),
        ("narrow biquad", 2, 0.01),
        ("order 8", 8, 0.3),
    ):
        b, a = scipy.signal.butter(order, cutoff)
        yield (
            f"lfilter, {name} (SciPy)",
            "10^6",
            lambda: scipy.signal.lfilter(b, a, x),
            lambda: upsweep.lfilter(b, a, x),
        )
    yield "reduce by numpy.add", "10^6", lambda: np.add.reduce(x), lambda: upsweep.reduce(x, np.add)


def many_lines(rng):
    x, at = rng.standard_normal((100_000, 50)), np.arange(0, 50, 10)
    flags, (b, a) = x > 0, scipy.signal.butter(2, 0.3)
    for name, theirs, ours in (
        (
            "add.reduceat",
            lambda: np.add.reduceat(x, at, axis=1),
            lambda: upsweep.add.reduceat(x, at, axis=1),
        ),
        ("sort", lambda: np.sort(x), lambda: upsweep.sort(x)),
        ("argsort", lambda: np.argsort(x), lambda: upsweep.argsort(x)),
        ("quantile", lambda: np.quantile(x, 0.5, axis=1), lambda: upsweep.quantile(x, 0.5, axis=1)),
        ("argmax", lambda: np.argmax(x, axis=1), lambda: upsweep.argmax(x, axis=1)),
        ("all, axis 0", lambda: np.all(flags, axis=0), lambda: upsweep.all(flags, axis=0)),
        ("all, axis 1", lambda: np.all(flags, axis=1), lambda: upsweep.all(flags, axis=1)),
        (
            "lfilter (SciPy)",
            lambda: scipy.signal.lfilter(b, a, x),
            lambda: upsweep.lfilter(b, a, x),
        ),
    ):
        yield name, "100,000 rows of 50", theirs, ours


def table():
    rng = np.random.default_rng(1)
    yield f"One thread, time of NumPy or the named library / time of Upsweep {upsweep.__version__}:"
    yield ""
    yield "| call | elements | ratio |"
    yield "|---|---|---|"
    for part in (short_calls(), long_calls(rng), many_lines(rng)):
        for name, size, theirs, ours in part:
            their_time, our_time = python.medians(theirs, ours)
            yield f"| {name} | {size} | {their_time / our_time:.2g} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", type=Path, help="replace the table in this page")
    page = parser.parse_args().write
    python.clock = time.process_time
    lines = "\n".join(table())
    if page:
        python.write(page, "bench/python_thread.py", lines)
    else:
        print(lines)
