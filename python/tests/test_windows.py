"""Statistics of windows, segments and groups beside plain loops, also of what is not NaN."""

import math
from fractions import Fraction

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered

NAN = float("nan")


def present(values):
    return [v for v in values if v == v]


def mean(values):
    return float(sum(map(Fraction, values)) / len(values)) if values else NAN


def var(values, correction=0):
    if len(values) - correction <= 0:
        return NAN
    middle = sum(map(Fraction, values)) / len(values)
    return float(sum((Fraction(v) - middle) ** 2 for v in values) / (len(values) - correction))


def median(values):
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if values else NAN


# Of a list of numbers, of which none is NaN.
REFERENCE = {
    "mean": mean,
    "var": var,
    "std": lambda values: math.sqrt(var(values)),
    "median": median,
    "count": len,
    "first": lambda values: values[0] if values else NAN,
    "last": lambda values: values[-1] if values else NAN,
    "sum": math.fsum,
    "min": lambda values: min(values, default=NAN),
    "max": lambda values: max(values, default=NAN),
    "product": math.prod,
}


def windows(x, width, min_periods=None):
    if min_periods is None:
        return [x[i : i + width] for i in range(len(x) - width + 1)]
    return [x[max(0, i + 1 - width) : i + 1] for i in range(len(x))]


def gappy(n, dtype="float64"):
    x = np.round(np.random.default_rng(n).standard_normal(n), 3).astype(dtype)
    x[np.random.default_rng(n + 1).random(n) < 0.4] = np.nan
    return x


def close(results, expected):
    expected = np.array(expected, float)
    np.testing.assert_allclose(np.asarray(results, float), expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("op", REFERENCE)
@pytest.mark.parametrize("width", [1, 2, 3, 8, 21, 40])
def test_windows_are_the_statistics_of_their_elements(op, width):
    of = REFERENCE[op]
    for n in (0, 1, width - 1, width, width + 1, 50):
        x = np.round(np.random.default_rng(n).standard_normal(n), 3)
        close(upsweep.windowed(x, width, op), [of(w) for w in windows(x.tolist(), width)])
        x = gappy(n)
        expected = [of(present(w)) for w in windows(x.tolist(), width)]
        close(upsweep.windowed(x, width, op, skipna=True), expected)
        for least in {0, 1, min(2, width), width}:
            expected = [
                of(present(w)) if len(present(w) if op != "count" else w) >= least else NAN
                for w in windows(x.tolist(), width, least)
            ]
            close(upsweep.windowed(x, width, op, min_periods=least), expected)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 64, 100])
def test_windows_have_the_bits_of_their_elements_alone(width):
    for x in (scattered(3000), scattered(3000, "float32"), scattered(3000, "int64") >> 20):
        for op in ("mean", "var", "std", "median"):
            alone = getattr(upsweep, op)
            for threads in (1, 3):
                results = upsweep.windowed(x, width, op, threads=threads)
                for i in (0, 1, 5, 2047 - width, 2048, 2901 - width, 3000 - width):
                    if 0 <= i <= 3000 - width:
                        expected = alone(x[i : i + width])
                        assert same_bits(np.array(results[i]), np.array(expected)), (op, i)


def test_windows_run_along_an_axis():
    x = gappy(60).reshape(3, 4, 5)
    for axis in (0, 1, 2, -1):
        for op in ("mean", "median", "first", "sum", "count"):
            for options in ({}, {"min_periods": 1}, {"skipna": True}):
                lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
                expected = np.array([upsweep.windowed(line, 2, op, **options) for line in lines])
                shape = *np.moveaxis(x, axis, -1).shape[:-1], expected.shape[1]
                expected = np.moveaxis(expected.reshape(shape), -1, axis)
                np.testing.assert_array_equal(
                    upsweep.windowed(x, 2, op, axis=axis, **options), expected
                )


def test_windows_of_integers_and_dates():
    assert upsweep.windowed([1, 2, 3, 4], 3, "sum", min_periods=1).tolist() == [1, 3, 6, 9]
    results = upsweep.windowed([1, 2, 3, 4], 3, "sum", min_periods=2)
    assert np.isnan(results[0]) and results[1:].tolist() == [3, 6, 9]
    assert upsweep.windowed([True, False, True], 2, "mean").tolist() == [0.5, 0.5]
    assert upsweep.windowed([1, 2, 4], 2, "median").tolist() == [1.5, 3]
    days = np.array(["2026-01-02", "NaT", "2026-01-01"], "datetime64[D]")
    last = upsweep.windowed(days, 2, "last", min_periods=1)
    assert last.tolist() == [days[0].item(), days[0].item(), days[2].item()]
    assert upsweep.windowed(days, 1, "count").tolist() == [1, 0, 1]
    assert upsweep.windowed(np.ones(3, np.float32), 2, "mean").dtype == np.float32


def test_medians_of_windows_order_zeros_and_infinities():
    x = [np.inf, -np.inf, 0.0, -0.0, np.inf, np.inf]
    results = upsweep.windowed(x, 3, "median")
    assert results.tolist() == [0, 0, 0, np.inf] and not np.signbit(results[0])
    assert upsweep.windowed([5.0, 1.0, 5.0, 1.0, 5.0], 2, "median").tolist() == [3] * 4
    x = scattered(500)
    expected = [median(w) for w in windows(x.tolist(), 31)]
    assert upsweep.windowed(x, 31, "median").tolist() == expected


@pytest.mark.parametrize("bad", [NAN, np.inf, -np.inf])
def test_variances_beside_what_is_not_finite_are_nan(bad):
    x = np.array([1.0, bad, 2.0, 3.0])
    for width in (1, 2):
        results = upsweep.windowed(x, width, "var")
        assert np.isnan(results).tolist() == [
            bad in w or bad != bad and NAN in w or not np.isfinite(w).all()
            for w in windows(x, width)
        ]
    assert np.isnan(upsweep.group_reduce([1, 2, 1, 1], x, "std").values).tolist() == [False, True]


@pytest.mark.parametrize("op", REFERENCE)
@pytest.mark.parametrize("kind", ["few", "far", "floats", "texts", "all", "sorted"])
def test_groups_are_the_statistics_of_their_elements(op, kind):
    n, rng = 300, np.random.default_rng(2)
    keys = {
        "few": rng.integers(-3, 4, n),
        "far": rng.integers(0, 20, n) * 2**40,
        "floats": rng.integers(0, 9, n) / 4,
        "texts": rng.choice(["b", "a", "ccc"], n),
        "all": rng.permutation(n),
        "sorted": np.sort(rng.integers(0, 50, n)),
    }[kind]
    x = gappy(n)
    groups: dict = {}
    for key, value in zip(keys.tolist(), x.tolist()):
        groups.setdefault(key, []).append(value)
    found = upsweep.group_reduce(keys, x, op, skipna=True)
    assert found.keys.tolist() == sorted(groups)
    close(found.values, [REFERENCE[op](present(groups[key])) for key in sorted(groups)])
    y = np.nan_to_num(x)
    found = upsweep.group_reduce(keys, y, op)
    expected = [REFERENCE[op](np.nan_to_num(groups[key]).tolist()) for key in sorted(groups)]
    close(found.values, expected)
    order = np.argsort(keys, kind="stable")
    borders = [0, *np.cumsum([len(groups[key]) for key in sorted(groups)])]
    segments = upsweep.segment_reduce(y[order], borders, op)
    assert same_bits(segments, found.values)


def test_groups_have_the_bits_of_their_elements_alone():
    x, keys = scattered(3000), np.random.default_rng(3).integers(0, 5, 3000)
    for op in ("mean", "var", "std", "median"):
        values = upsweep.group_reduce(keys, x, op).values
        assert same_bits(values, np.array([getattr(upsweep, op)(x[keys == k]) for k in range(5)]))


@pytest.mark.parametrize("kind", ["few", "far", "floats", "all", "u1"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "int64", "bool"])
def test_running_groups_are_loops(kind, dtype):
    n, rng = 500, np.random.default_rng(4)
    keys = {
        "few": rng.integers(-3, 4, n),
        "far": rng.integers(0, 20, n) * 2**40,
        "floats": rng.integers(0, 9, n) / 4,
        "all": rng.permutation(n),
        "u1": rng.integers(0, 256, n).astype(np.uint8),
    }[kind]
    x = rng.integers(-9, 9, n).astype(dtype)
    for op in ("sum", "max"):
        for exclusive in (False, True):
            state: dict = {}
            expected = []
            for key, value in zip(keys.tolist(), x.tolist()):
                before = state.get(key)
                after = (
                    value
                    if before is None
                    else before + value
                    if op == "sum"
                    else max(before, value)
                )
                state[key] = after
                expected.append(before if exclusive else after)
            got = upsweep.group_scan(keys, x, op, exclusive=exclusive).tolist()
            assert all(e is None or e == g for e, g in zip(expected, got))


def test_options_of_statistics_are_checked():
    x = [1.0, 2.0]
    for message, call in {
        "min_periods=3": lambda: upsweep.windowed(x, 2, min_periods=3),
        "min_periods=-1": lambda: upsweep.windowed(x, 2, min_periods=-1),
        "mean takes no initial": lambda: upsweep.windowed(x, 2, "mean", initial=1),
        "count takes no initial": lambda: upsweep.group_reduce([1, 1], x, "count", initial=1),
        "mean the same; give one": lambda: upsweep.var(x, correction=1, ddof=1),
        "'average' is not an operator": lambda: upsweep.windowed(x, 2, "average"),
        "segment 0 is empty": lambda: upsweep.segment_reduce([1, 2], [0, 0, 2], "first"),
        "the last offset is 3": lambda: upsweep.segment_reduce([1, 2], [0, 3], "mean"),
        "is less than the one": lambda: upsweep.segment_reduce([1, 2], [0, 2, 1, 2], "median"),
        "method='best'": lambda: upsweep.quantile(x, 0.5, method="best"),
        "between 0 and 100": lambda: upsweep.percentile(x, 101),
    }.items():
        with pytest.raises(ValueError, match=message):
            call()
    assert np.isnan(upsweep.segment_reduce(x, [0, 0, 2], "first")[0])
    for op in ("mean", "var", "median"):
        assert np.isnan(upsweep.segment_reduce([1, 2], [0, 0, 2], op)[0])
    assert upsweep.segment_reduce([1, 2], [0, 0, 2], "count").tolist() == [0, 2]


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "var", "std", "median"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_reductions_leave_nan_out(name):
    x = gappy(60).reshape(3, 4, 5)
    x[0, 0] = np.nan
    ours, theirs = getattr(upsweep, name), getattr(np, f"nan{name}")
    for axis in (None, 0, 1, 2, (0, 2)):
        for keepdims in (False, True):
            close(ours(x, axis, skipna=True, keepdims=keepdims), theirs(x, axis, keepdims=keepdims))
    whole = np.arange(6)
    assert ours(whole, skipna=True) == ours(whole)
    if name in ("var", "std"):
        close(ours(x, 1, skipna=True, ddof=1), theirs(x, 1, ddof=1))
        close(ours(x, 1, ddof=1), ours(x, 1, correction=1))
    if name not in ("median", "min", "max"):
        flags = x > -0.5
        close(ours(x, 2, where=flags), getattr(np, name)(x, 2, where=flags))
        alone = ours(x[flags])
        assert ours(x, where=flags) == alone and ours(x, where=x > -0.5, skipna=True) == alone


def test_extrema_of_dates_leave_nat_out():
    days = np.array(["2026-01-02", "NaT", "2026-01-01"], "datetime64[D]")
    assert upsweep.min(days, skipna=True) == days[2] and upsweep.max(days, skipna=True) == days[0]
    assert np.isnan(upsweep.max([NAN, NAN], skipna=True))


METHODS = [
    "linear",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore")
def test_quantiles_have_numpys_methods(method):
    shares = [0, 0.1, 0.125, 0.25, 0.375, 0.5, 0.7, 0.75, 0.99, 1]
    for n in (1, 2, 3, 4, 5, 8, 9):
        x = np.random.default_rng(n).integers(-9, 9, (3, n)).astype(float)
        for axis in (None, 0, 1):
            close(
                upsweep.quantile(x, shares, axis, method=method),
                np.quantile(x, shares, axis, method=method),
            )
        percents = np.multiply(shares, 100)
        close(
            upsweep.percentile(x, percents, 1, method=method),
            np.percentile(x, percents, 1, method=method),
        )
        x[0, 0] = np.nan
        for axis in (None, 0, 1):
            close(
                upsweep.quantile(x, shares, axis, method=method),
                np.quantile(x, shares, axis, method=method),
            )
            close(
                upsweep.quantile(x, shares, axis, method=method, skipna=True),
                np.nanquantile(x, shares, axis, method=method),
            )
    assert upsweep.quantile([-np.inf, 1.0, np.inf], 0.25, method="hazen") == -np.inf
