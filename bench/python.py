#!/usr/bin/env python3
"""The Python package beside NumPy and the libraries of tables, in one run: medians of alternating
calls, as Markdown tables.

    bench/python.py [--sizes 1000 1000000 10000000] [--write docs/python.md]

Run it with a Python that has the package; `--sizes 1000` takes half a minute. A ratio above 1 says
how many times faster upsweep is. Rows of math.fsum and SciPy are compared with those. Peers that
are not installed have no column.
"""

import argparse
import importlib
import importlib.metadata
import math
import re
import statistics
import time
from pathlib import Path

import numpy as np
import upsweep


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


scipy_signal = installed("scipy.signal")
PEERS = ("pandas", "polars", "pyarrow", "scipy", "jax", "bottleneck", "numbagg", "numba")


def of_jax(name, x, *more):
    """A call of a function of JAX over its own array, until the result is there, or None."""
    jax = installed("jax")
    if jax is None:
        return None
    jax.config.update("jax_enable_x64", True)
    function = jax.jit({"cummax": jax.lax.cummax}.get(name) or getattr(jax.numpy, name))
    a = jax.numpy.asarray(x)
    return lambda: function(a, *more).block_until_ready()


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
    yield "max f64, axis 0", lambda: np.max(square, axis=0), lambda: upsweep.max(square, axis=0)
    yield "mean f64, axis 0", lambda: np.mean(square, axis=0), lambda: upsweep.mean(square, axis=0)
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
    if scipy_signal is not None:
        yield (
            "ema f64 (scipy.signal.lfilter)",
            lambda: scipy_signal.lfilter([0.1], [1, -0.9], f64),
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


def peer_rows(n, rng):
    """Name, the calls of each peer, ours. Columns are in each library's own memory."""
    pd, pl = installed("pandas"), installed("polars")
    f64, keys = rng.standard_normal(n), rng.integers(0, 1000, n)
    yield from peer_scans(f64, pd and pd.Series(f64), pl and pl.Series(f64))
    yield from peer_windows(f64, pd and pd.Series(f64), pl and pl.Series(f64))
    yield from peer_statistics(f64, pd and pd.Series(f64), pl and pl.Series(f64))
    texts = np.array([f"key {k}" for k in range(1000)])[keys]
    for name, by in (
        ("sorted keys", np.sort(keys)),
        ("any keys", keys),
        ("keys far apart", keys * 10**12),
        ("strings as keys", texts),
    ):
        yield f"group sums, {name}", group_peers(pd, pl, by, f64), group_call(by, f64)


def peer_scans(f64, s, p):
    bn, nb, pa = installed("bottleneck"), installed("numba"), installed("pyarrow.compute")
    a, ng = pa and installed("pyarrow").array(f64), installed("numbagg")
    yield (
        "sum f64",
        {
            "pandas": s is not None and (lambda: s.sum()),
            "polars": p is not None and (lambda: p.sum()),
            "pyarrow": pa and (lambda: pa.sum(a)),
            "jax": of_jax("sum", f64),
            "bottleneck": bn and (lambda: bn.nansum(f64)),
            "numbagg": ng and (lambda: ng.nansum(f64)),
        },
        lambda: upsweep.sum(f64),
    )
    yield (
        "cumulative_sum f64",
        {
            "pandas": s is not None and (lambda: s.cumsum()),
            "polars": p is not None and (lambda: p.cum_sum()),
            "pyarrow": pa and (lambda: pa.cumulative_sum(a)),
            "jax": of_jax("cumsum", f64),
            "numba": nb and numba_loop(nb, f64),
        },
        lambda: upsweep.cumulative_sum(f64),
    )
    yield (
        "cummax f64",
        {
            "pandas": s is not None and (lambda: s.cummax()),
            "polars": p is not None and (lambda: p.cum_max()),
            "pyarrow": pa and (lambda: pa.cumulative_max(a)),
            "jax": of_jax("cummax", f64),
        },
        lambda: upsweep.cummax(f64),
    )


def peer_windows(f64, s, p):
    bn, ng, images = installed("bottleneck"), installed("numbagg"), installed("scipy.ndimage")
    yield (
        "windowed sum, 20",
        {
            "pandas": s is not None and (lambda: s.rolling(20).sum()),
            "polars": p is not None and (lambda: p.rolling_sum(20)),
            "scipy": images and (lambda: images.uniform_filter1d(f64, 20)),
            "bottleneck": bn and (lambda: bn.move_sum(f64, 20)),
            "numbagg": ng and (lambda: ng.move_sum(f64, window=20)),
        },
        lambda: upsweep.windowed(f64, 20),
    )
    yield (
        "windowed max, 20",
        {
            "pandas": s is not None and (lambda: s.rolling(20).max()),
            "polars": p is not None and (lambda: p.rolling_max(20)),
            "scipy": images and (lambda: images.maximum_filter1d(f64, 20)),
            "bottleneck": bn and (lambda: bn.move_max(f64, 20)),
        },
        lambda: upsweep.windowed(f64, 20, "max"),
    )
    yield (
        "ema f64",
        {
            "pandas": s is not None and (lambda: s.ewm(alpha=0.1, adjust=False).mean()),
            "polars": p is not None and (lambda: p.ewm_mean(alpha=0.1, adjust=False)),
            "scipy": scipy_signal and (lambda: scipy_signal.lfilter([0.1], [1, -0.9], f64)),
            "numbagg": ng and (lambda: ng.move_exp_nanmean(f64, alpha=0.1)),
        },
        lambda: upsweep.ema(f64, 0.1),
    )
    polars = p is not None
    peers = {"polars": polars and (lambda: p.sort()), "jax": of_jax("sort", f64)}
    yield "sort f64", peers, lambda: upsweep.sort(f64)
    peers = {"polars": polars and (lambda: p.median()), "jax": of_jax("median", f64)}
    yield "median f64", peers, lambda: upsweep.median(f64)


def peer_statistics(f64, s, p):
    gaps = np.where(np.random.default_rng(1).random(f64.size) < 0.3, np.nan, f64)
    s_gaps = s is not None and installed("pandas").Series(gaps)
    p_gaps = p is not None and installed("polars").Series(gaps, nan_to_null=True)
    ng, stats = installed("numbagg"), installed("scipy.stats")
    yield (
        "ffill, 30 % missing",
        {
            "pandas": s is not None and (lambda: s_gaps.ffill()),
            "polars": p is not None and (lambda: p_gaps.forward_fill()),
            "numbagg": ng and (lambda: ng.ffill(gaps)),
        },
        lambda: upsweep.ffill(gaps),
    )
    yield (
        "interpolate, 30 % missing",
        {
            "pandas": s is not None and (lambda: s_gaps.interpolate()),
            "polars": p is not None and (lambda: p_gaps.interpolate()),
        },
        lambda: upsweep.interpolate(gaps),
    )
    for name, scipys in (("rank", "rankdata"), ("skew", "skew")):
        yield (
            f"{name} f64",
            {
                "pandas": s is not None and getattr(s, name),
                "polars": p is not None and getattr(p, name),
                "scipy": stats and (lambda of=scipys: getattr(stats, of)(f64)),
            },
            lambda name=name: getattr(upsweep, name)(f64),
        )


def group_call(by, x):
    return lambda: upsweep.group_reduce(by, x)


def group_peers(pd, pl, by, x):
    table = pd and pd.DataFrame({"key": by, "x": x})
    frame = pl and pl.DataFrame({"key": by, "x": x})
    ng = by.dtype.kind == "i" and by.max() < by.size and installed("numbagg")
    return {
        "numbagg": ng and (lambda: ng.group_nansum(x, by)),
        "pandas": pd and (lambda: table.groupby("key")["x"].sum()),
        "polars": pl and (lambda: frame.group_by("key").agg(pl.col("x").sum())),
    }


def numba_loop(nb, x):
    """The loop that one writes with numba, compiled."""

    @nb.njit
    def cumulative_sum(x):
        out = np.empty_like(x)
        total = 0.0
        for i in range(len(x)):
            total += x[i]
            out[i] = total
        return out

    cumulative_sum(x)
    return lambda: cumulative_sum(x)


clock = time.perf_counter


def seconds(call, repeats):
    begin = clock()
    for _ in range(repeats):
        call()
    return (clock() - begin) / repeats


def medians(theirs, ours):
    """The median time of a call of each, alternating for about half a second."""
    once = seconds(theirs, 1) + seconds(ours, 1)
    repeats = max(1, int(0.002 / once))
    rounds = min(max(5, int(0.5 / (once * repeats))), 100)
    times = [(seconds(theirs, repeats), seconds(ours, repeats)) for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def numpy_table(sizes):
    ratios = {}
    for n in sizes:
        for name, theirs, ours in rows(n, np.random.default_rng(1)):
            their_time, our_time = medians(theirs, ours)
            ratios.setdefault(name, []).append(f"{their_time / our_time:.2g}")
    version = upsweep.__version__
    yield f"Time of NumPy {np.__version__} / time of Upsweep {version}, by number of elements:"
    yield ""
    yield "| call | " + " | ".join(f"{n:,}" for n in sizes) + " |"
    yield "|---|" + "---|" * len(sizes)
    for name, cells in ratios.items():
        yield f"| {name} | " + " | ".join(cells) + " |"


def peer_table(n):
    peers = [name for name in PEERS if installed(name)]
    yield f"Other libraries with {n:,} elements, their time / time of Upsweep:"
    yield ""
    versions = (f"{name} {importlib.metadata.version(name)}" for name in peers)
    yield "| call | " + " | ".join(versions) + " |"
    yield "|---|" + "---|" * len(peers)
    for name, calls, ours in peer_rows(n, np.random.default_rng(1)):
        cells = []
        for peer in peers:
            if not calls.get(peer):
                cells.append("")
                continue
            calls[peer]()  # compiles what numba and JAX have to
            their_time, our_time = medians(calls[peer], ours)
            cells.append(f"{their_time / our_time:.2g}")
        yield f"| {name} | " + " | ".join(cells) + " |"


def write(page, script, text):
    """Replaces what the page has between the marks of a script."""
    marks = rf"(<!-- {re.escape(script)} -->\n).*?(\n<!-- end -->)"
    page.write_text(re.sub(marks, lambda m: m[1] + text + m[2], page.read_text(), flags=re.S))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**3, 10**6, 10**7])
    parser.add_argument("--write", type=Path, help="a page with the marks of the table")
    arguments = parser.parse_args()
    table = [*numpy_table(arguments.sizes), "", *peer_table(10**6)]
    text = "\n".join(table)
    print(text)
    if arguments.write:
        write(arguments.write, "bench/python.py", text)


if __name__ == "__main__":
    main()
