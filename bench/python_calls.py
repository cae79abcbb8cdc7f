"""The calls of the Python package that are measured: of each its name, what does the same in NumPy,
pandas or SciPy (False where nothing does), and the call.
"""

import math

import numpy as np
import pandas as pd
import scipy.signal
import scipy.special
import scipy.stats
import upsweep


def reductions(x, axis):
    ours = axis if x.ndim > 1 else None
    for name in ("sum", "prod", "min", "max", "argmin", "argmax", "mean", "var", "std"):
        yield name, lambda: getattr(np, name)(x, ours), lambda: getattr(upsweep, name)(x, ours)
    gaps = np.where(np.random.default_rng(2).random(x.shape) < 0.1, np.nan, x)
    for kind, some in (("with NaN", gaps), ("without NaN", x)):
        for name in ("sum", "prod", "min", "max", "mean", "var", "median"):
            yield (
                f"{name}, skipna, {kind}",
                lambda: getattr(np, f"nan{name}")(some, ours),
                lambda: getattr(upsweep, name)(some, ours, skipna=True),
            )
    flags = x > 0
    for name in ("any", "all", "count_nonzero"):
        yield (
            f"{name} of Booleans",
            lambda: getattr(np, name)(flags, ours),
            lambda: getattr(upsweep, name)(flags, ours),
        )
        yield name, lambda: getattr(np, name)(x, ours), lambda: getattr(upsweep, name)(x, ours)
    yield "minmax", lambda: (x.min(ours), x.max(ours)), lambda: upsweep.minmax(x, ours)
    yield (
        "sum, where",
        lambda: np.sum(x, ours, where=flags),
        lambda: upsweep.sum(x, ours, where=flags),
    )


def statistics(x, axis):
    ours, one = (axis if x.ndim > 1 else None), x.ndim == 1
    y, positive = x[::-1].copy(), np.abs(x) + 0.5
    yield "exact_sum (math.fsum)", one and (lambda: math.fsum(x)), lambda: upsweep.exact_sum(x)
    for name, peer, some in (
        ("logsumexp", scipy.special.logsumexp, x),
        ("skew", scipy.stats.skew, x),
        ("kurtosis", scipy.stats.kurtosis, x),
        ("geometric_mean", scipy.stats.gmean, positive),
        ("harmonic_mean", scipy.stats.hmean, positive),
    ):
        yield (
            f"{name} (SciPy)",
            lambda: peer(some, ours),
            lambda: getattr(upsweep, name)(some, ours),
        )
    yield "rms", lambda: np.sqrt(np.mean(x * x, ours)), lambda: upsweep.rms(x, ours)

    def covariance():
        left, right = x - x.mean(ours, keepdims=True), y - y.mean(ours, keepdims=True)
        return np.mean(left * right, ours)

    yield "covariance", covariance, lambda: upsweep.covariance(x, y, ours)
    yield "correlation", one and (lambda: np.corrcoef(x, y)), lambda: upsweep.correlation(x, y)
    yield (
        "linear_regression (SciPy)",
        one and (lambda: scipy.stats.linregress(x, y)),
        lambda: upsweep.linear_regression(x, y),
    )


def scans(x, axis):
    for name in ("cumulative_sum", "cumulative_prod"):
        yield (
            name,
            lambda: getattr(np, name)(x, axis=axis),
            lambda: getattr(upsweep, name)(x, axis=axis),
        )
        yield (
            f"{name}, include_initial",
            lambda: getattr(np, name)(x, axis=axis, include_initial=True),
            lambda: getattr(upsweep, name)(x, axis=axis, include_initial=True),
        )
    for name, ufunc in (("cummax", np.maximum), ("cummin", np.minimum)):
        yield (
            name,
            lambda: ufunc.accumulate(x, axis),
            lambda: getattr(upsweep, name)(x, axis=axis),
        )
    yield (
        "scan, reverse",
        lambda: np.flip(np.cumsum(np.flip(x, axis), axis), axis),
        lambda: upsweep.scan(x, axis=axis, reverse=True),
    )
    yield (
        "scan, initial",
        lambda: np.cumsum(x, axis) + 1.0,
        lambda: upsweep.scan(x, axis=axis, initial=1.0),
    )
    gaps = np.where(x > 0.5, np.nan, x)
    frame = pd.DataFrame(gaps)
    for name in ("ffill", "bfill"):
        yield (
            f"{name} (pandas)",
            lambda: getattr(frame, name)(axis=axis),
            lambda: getattr(upsweep, name)(gaps, axis=axis),
        )
    yield (
        "interpolate (pandas)",
        axis == 0 and x.size <= 10**6 and (lambda: frame.interpolate()),
        lambda: upsweep.interpolate(gaps, axis=axis),
    )
    positive = np.abs(x) + 0.5
    yield (
        "drawdown",
        lambda: positive - np.maximum.accumulate(positive, axis),
        lambda: upsweep.drawdown(positive, axis=axis),
    )
    yield (
        "max_drawdown",
        lambda: np.min(positive - np.maximum.accumulate(positive, axis), axis),
        lambda: upsweep.max_drawdown(positive, axis=axis),
    )


def filters(x, axis):
    b, a = scipy.signal.butter(2, 0.3)
    frame = pd.DataFrame(x)
    yield (
        "lfilter (SciPy)",
        lambda: scipy.signal.lfilter(b, a, x, axis),
        lambda: upsweep.lfilter(b, a, x, axis),
    )
    zi = np.zeros([2 if d == axis else n for d, n in enumerate(x.shape)])
    yield (
        "lfilter, zi (SciPy)",
        lambda: scipy.signal.lfilter(b, a, x, axis, zi),
        lambda: upsweep.lfilter(b, a, x, axis, zi),
    )
    yield (
        "lfilter, 5 taps (SciPy)",
        lambda: scipy.signal.lfilter(np.ones(5), [1.0], x, axis),
        lambda: upsweep.lfilter(np.ones(5), [1.0], x, axis),
    )
    yield (
        "ema (SciPy)",
        lambda: scipy.signal.lfilter([0.1], [1, -0.9], x, axis),
        lambda: upsweep.ema(x, 0.1, axis=axis),
    )
    if axis == 0:
        yield (
            "ema (pandas)",
            lambda: frame.ewm(alpha=0.1, adjust=False).mean(),
            lambda: upsweep.ema(x, 0.1, axis=axis),
        )
    yield (
        "linear_recurrence (SciPy)",
        lambda: scipy.signal.lfilter([1.0], [1, -0.9], x, axis),
        lambda: upsweep.linear_recurrence(0.9, x, axis=axis),
    )
    yield (
        "convolve, 5 taps",
        x.ndim == 1 and (lambda: np.convolve(x, np.ones(5), "valid")),
        lambda: upsweep.convolve(x, np.ones(5), "valid"),
    )
    width = min(20, x.shape[axis] // 2)
    for op in ("sum", "mean", "std", "max", "median"):
        yield (
            f"windowed {op}, {width} (pandas)",
            axis == 0
            and (op != "median" or x.size <= 10**6)
            and (lambda: getattr(frame.rolling(width), op)()),
            lambda: upsweep.windowed(x, width, op, axis=axis),
        )
    if axis == 0 and x.size <= 10**6:
        yield (
            f"windowed mean, {width}, min_periods (pandas)",
            lambda: frame.rolling(width, min_periods=1).mean(),
            lambda: upsweep.windowed(x, width, "mean", axis=axis, min_periods=1),
        )


def orders(x, axis):
    yield "sort", lambda: np.sort(x, axis), lambda: upsweep.sort(x, axis)
    yield "argsort", lambda: np.argsort(x, axis, kind="stable"), lambda: upsweep.argsort(x, axis)
    yield "rank (SciPy)", lambda: scipy.stats.rankdata(x, axis=axis), lambda: upsweep.rank(x, axis)
    yield "quantile", lambda: np.quantile(x, 0.3, axis), lambda: upsweep.quantile(x, 0.3, axis)
    several = [0.1, 0.5, 0.9]
    yield (
        "quantile, three",
        lambda: np.quantile(x, several, axis),
        lambda: upsweep.quantile(x, several, axis),
    )
    yield (
        "percentile, nearest",
        lambda: np.percentile(x, 30, axis, method="nearest"),
        lambda: upsweep.percentile(x, 30, axis, method="nearest"),
    )
    yield "median", lambda: np.median(x, axis), lambda: upsweep.median(x, axis)
    at = np.arange(0, x.shape[axis], min(10, x.shape[axis] // 2))
    for name in ("add", "maximum"):
        op, ours = getattr(np, name), getattr(upsweep, name)
        yield f"{name}.reduce", lambda: op.reduce(x, axis), lambda: ours.reduce(x, axis)
        yield f"{name}.accumulate", lambda: op.accumulate(x, axis), lambda: ours.accumulate(x, axis)
        yield (
            f"{name}.reduceat",
            lambda: op.reduceat(x, at, axis),
            lambda: ours.reduceat(x, at, axis),
        )


def of_one_line(x, rng):
    """Selections and sorts of an array of one dimension."""
    n = x.size
    flags, count = x > 0, max(n // 1000, 4)
    keys, whole = rng.integers(0, count, n), rng.integers(0, 100, n)
    yield "select", lambda: x[flags], lambda: upsweep.select(x, flags)
    yield "partition", lambda: (x[flags], x[~flags]), lambda: upsweep.partition(x, flags)
    yield "unique", lambda: np.unique(whole), lambda: upsweep.unique(whole)
    yield (
        "unique, return_counts",
        lambda: np.unique(whole, return_counts=True),
        lambda: upsweep.unique(whole, return_counts=True),
    )
    yield "mode (SciPy)", lambda: scipy.stats.mode(whole), lambda: upsweep.mode(whole)
    yield (
        "runs",
        lambda: np.diff(np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))),
        lambda: upsweep.runs(keys),
    )
    yield "top 5", lambda: np.sort(np.partition(x, n - 5)[n - 5 :]), lambda: upsweep.top(x, 5)

    def sorted_by_key():
        order = np.argsort(keys, kind="stable")
        return keys[order], x[order]

    yield "sort_by_key", sorted_by_key, lambda: upsweep.sort_by_key(keys, x)


def counts_and_groups(x, rng):
    n = x.size
    keys, positive = rng.integers(0, max(n // 1000, 4), n), np.abs(x) + 0.5
    table = pd.DataFrame({"key": keys, "x": x})

    def groups():
        return table.groupby("key").x

    yield "histogram", lambda: np.histogram(x, 20), lambda: upsweep.histogram(x, 20)
    edges = np.array([-3, -1, -0.5, 0, 0.5, 1, 3])
    yield "histogram, edges", lambda: np.histogram(x, edges), lambda: upsweep.histogram(x, edges)
    yield (
        "weighted_histogram",
        lambda: np.histogram(x, 20, weights=positive),
        lambda: upsweep.weighted_histogram(x, positive, 20),
    )
    yield "bincount", lambda: np.bincount(keys), lambda: upsweep.bincount(keys)
    yield "bincount, weights", lambda: np.bincount(keys, x), lambda: upsweep.bincount(keys, x)
    for op in ("sum", "max", "mean", "std", "median", "count", "first"):
        yield (
            f"group_reduce {op} (pandas)",
            lambda: getattr(groups(), op)(),
            lambda: upsweep.group_reduce(keys, x, op),
        )
    yield "group_scan (pandas)", lambda: groups().cumsum(), lambda: upsweep.group_scan(keys, x)


def segments_and_pieces(x):
    n, positive = x.size, np.abs(x) + 0.5
    offsets = np.arange(0, n + 1, min(10, n // 2))
    offsets[-1] = n
    inner = offsets[:-1]
    lengths = np.diff(offsets)
    yield (
        "segment_reduce",
        lambda: np.add.reduceat(x, inner),
        lambda: upsweep.segment_reduce(x, offsets),
    )
    yield (
        "segment_reduce mean",
        lambda: np.add.reduceat(x, inner) / lengths,
        lambda: upsweep.segment_reduce(x, offsets, "mean"),
    )

    def restarted():
        total = np.cumsum(x)
        return total - np.repeat(total[inner] - x[inner], lengths)

    yield "segment_scan", restarted, lambda: upsweep.segment_scan(x, offsets)
    yield (
        "cumulative_distribution",
        lambda: np.cumsum(positive) / np.sum(positive),
        lambda: upsweep.cumulative_distribution(positive),
    )
    shares, draws = positive / positive.sum(), np.random.default_rng(1)
    yield (
        "weighted_sample",
        lambda: draws.choice(n, 1000, p=shares),
        lambda: upsweep.weighted_sample(positive, 1000, seed=1),
    )

    def streamed():
        stream = upsweep.Stream("sum")
        return stream.push(x)

    def partial():
        p = upsweep.Partial("sum")
        p.push(x)
        return p.result()

    yield "Stream of one chunk", lambda: np.cumsum(x), streamed
    yield "Partial of one chunk", lambda: np.sum(x), partial
    yield "reduce by numpy.add", lambda: np.add.reduce(x), lambda: upsweep.reduce(x, np.add)


def calls(shape, axis):
    rng = np.random.default_rng(1)
    x = rng.standard_normal(shape)
    for part in (reductions, statistics, scans, filters, orders):
        yield from part(x, axis)
    if x.ndim == 1:
        yield from of_one_line(x, rng)
        yield from counts_and_groups(x, rng)
        yield from segments_and_pieces(x)
    else:
        yield (
            "summed_area_table",
            axis == 0 and (lambda: np.cumsum(np.cumsum(x, 0), 1)),
            lambda: upsweep.summed_area_table(x),
        )
