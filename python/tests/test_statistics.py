"""Skewness, kurtosis, covariance, other means, ranks and the mode, beside exact arithmetic and
pandas."""

import itertools
import math
import statistics
import warnings
from fractions import Fraction

import numpy as np
import pytest
import upsweep
from reference import scattered

pd = pytest.importorskip("pandas")


def moment(x, k):
    """The k-th central moment of floats, exactly."""
    values = [Fraction(float(v)) for v in x]
    mean = sum(values) / len(values)
    return sum((v - mean) ** k for v in values) / len(values)


def shapes(x):
    """g1 and g2, rounded a few times at the end."""
    m2, m3, m4 = (moment(x, k) for k in (2, 3, 4))
    return float(m3 / m2) / math.sqrt(m2), float(m4 / m2**2 - 3)


@pytest.mark.parametrize("offset", [0, 1e6])
@pytest.mark.parametrize("n", [4, 5, 33, 1000])
def test_shapes_are_those_of_exact_arithmetic(n, offset):
    x = np.random.default_rng(n).gamma(2, size=n) + offset
    g1, g2 = shapes(x)
    near = pytest.approx if offset == 0 else lambda v: pytest.approx(v, rel=1e-7)
    assert upsweep.skew(x) == near(g1) and upsweep.kurtosis(x) == near(g2)
    if offset == 0:
        assert upsweep.skew(x, bias=False) == pytest.approx(pd.Series(x).skew())
        assert upsweep.kurtosis(x, bias=False) == pytest.approx(pd.Series(x).kurt())


def test_shapes_along_axes_in_narrow_types_and_into_out():
    x = np.random.default_rng(1).gamma(2, size=(6, 50)).astype(np.float32)
    out = np.empty((6, 1), np.float32)
    assert upsweep.skew(x, axis=1, keepdims=True, out=out) is out
    assert out.ravel() == pytest.approx([shapes(row)[0] for row in x], rel=1e-6)
    assert upsweep.kurtosis(x.T, axis=0).dtype == np.float32
    assert upsweep.skew([1, 2, 9], axis=0).dtype == np.float64
    for nothing in ([], [3.0], [2, 2, 2]):
        assert math.isnan(upsweep.skew(nothing)) and math.isnan(upsweep.kurtosis(nothing))
    assert math.isnan(upsweep.skew([1, 2], bias=False))
    assert math.isnan(upsweep.kurtosis([1, 2, 4], bias=False))


def test_pairs_are_those_of_numpy_and_pandas():
    x, y = scattered(1000, "float32"), scattered(1000, seed=2)
    y += 3 * x
    assert upsweep.covariance(x, y) == pytest.approx(np.cov(x, y, ddof=0)[0, 1])
    assert upsweep.covariance(x, y, correction=1) == pytest.approx(pd.Series(x).cov(pd.Series(y)))
    assert upsweep.correlation(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    slope, intercept = upsweep.linear_regression(x, y)
    line = statistics.linear_regression(x.tolist(), y.tolist())
    assert slope == pytest.approx(line.slope) and intercept == pytest.approx(line.intercept)
    a, b = x.reshape(10, 100), y.reshape(10, 100)
    rows = upsweep.correlation(a, b, axis=1, keepdims=True)
    assert rows.shape == (10, 1) and rows[3, 0] == upsweep.correlation(a[3], b[3])
    assert upsweep.covariance(x, x).dtype == np.float32
    assert upsweep.linear_regression(a, b, axis=0).slope.shape == (100,)
    assert math.isnan(upsweep.correlation([1, 1], [1, 2]))
    assert math.isnan(upsweep.covariance([1], [2], correction=1))
    with pytest.raises(ValueError, match=r"correlation: x and y have the shapes \(2,\) and \(3,\)"):
        upsweep.correlation([1, 2], [1, 2, 3])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_means_are_those_of_the_standard_library(dtype):
    x = np.random.default_rng(1).integers(1, 1000, (4, 300)).astype(dtype)
    near = {"rel": 1e-6 if dtype == "float32" else 1e-13}
    for name in ("geometric_mean", "harmonic_mean"):
        means = getattr(upsweep, name)(x, axis=1)
        expected = [getattr(statistics, name)(row.tolist()) for row in x]
        assert means == pytest.approx(expected, **near), name
    squares = [math.sqrt(math.fsum(v * v for v in row) / 300) for row in x.tolist()]
    assert upsweep.rms(x, axis=1) == pytest.approx(squares, **near)
    assert upsweep.geometric_mean([0.0, 4.0]) == 0
    assert math.isnan(upsweep.geometric_mean([-1.0, 4.0]))
    assert math.isnan(upsweep.harmonic_mean([]))


METHODS = {"average": "average", "min": "min", "max": "max", "dense": "dense", "ordinal": "first"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64", "bool"])
def test_ranks_are_those_of_pandas(method, descending, dtype):
    x = np.random.default_rng(1).integers(0, 20, (3, 100)).astype(dtype)
    if dtype.startswith("float"):
        x[x == 3] = -0.0  # equals 0
    found = upsweep.rank(x, method=method, descending=descending)
    assert found.dtype == (np.float64 if method == "average" else np.int64)
    frame = pd.DataFrame(x.astype(float) + 0.0).rank(1, METHODS[method], ascending=not descending)
    assert np.array_equal(found, frame)
    assert np.array_equal(upsweep.rank(x.T, 0, method=method, descending=descending), found.T)


def test_ranks_of_nan_dates_and_series():
    assert upsweep.rank([np.nan, 1.0, -np.nan]).tolist() == [2.5, 1, 2.5]
    assert upsweep.rank([np.nan, 1.0], descending=True).tolist() == [1, 2]
    assert upsweep.rank(np.array(["2020-02", "2020-01"], "M8[M]")).tolist() == [2, 1]
    assert upsweep.rank([[2, 1], [1, 3]], None).tolist() == [3, 1.5, 1.5, 4]
    assert upsweep.rank([]).tolist() == [] and upsweep.rank(np.ones((2, 0))).shape == (2, 0)
    series = pd.Series([3, 1], index=["a", "b"])
    assert upsweep.rank(series).to_dict() == {"a": 2, "b": 1}
    with pytest.raises(ValueError, match="method='first'; give 'average'"):
        upsweep.rank([1], method="first")


def test_the_mode_is_the_smallest_of_several():
    assert upsweep.mode([2, 3, 3, 2, 1]) == (2, 2)
    assert upsweep.mode(["b", "a", "b"]) == ("b", 2)
    value, count = upsweep.mode([np.nan, 1.0, np.nan])
    assert math.isnan(value) and count == 2
    x = scattered(1000, "int8")
    assert upsweep.mode(x).value == pd.Series(x).mode()[0]
    with pytest.raises(ValueError, match="mode: x has no elements"):
        upsweep.mode([])


SPECIAL = [1.0, 4.0, math.nan, math.inf, -math.inf]
SEQUENCES = [list(x) for n in (1, 2, 3) for x in itertools.product(SPECIAL, repeat=n)]


def deviations(x, root, correction=0):
    """With two passes, as NumPy has them."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (np.std if root else np.var)(x.astype(float), ddof=correction)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("op", ["var", "std"])
def test_spreads_of_infinities_and_nan_are_nan_from_one_element_on(op, dtype):
    of, root = getattr(upsweep, op), op == "std"

    def equal(got, right):
        np.testing.assert_allclose(got, right, rtol=1e-6)

    for values in SEQUENCES:
        x = np.array(values, dtype)
        for correction in (0, 1):
            right = deviations(x, root, correction)
            equal(of(x, correction=correction), right)
            equal(of(list(x), correction=correction), right)
            equal(of(x[:, None], axis=0, correction=correction), [right])
            equal(of(x[None], axis=1, correction=correction), [right])
            equal(of(x[None], axis=1, keepdims=True, correction=correction), [[right]])
            equal(of(np.tile(x[:, None], 20), axis=0, correction=correction), [right] * 20)
            equal(of(x, where=np.ones(len(x), bool), correction=correction), right)
            equal(upsweep.windowed(x, len(x), op, ddof=correction), [right])
            equal(upsweep.segment_reduce(x, [0, len(x)], op, ddof=correction), [right])
            equal(upsweep.group_reduce([7] * len(x), x, op, ddof=correction).values, [right])
        parts = [x[: k + 1] for k in range(len(x))]
        right = [deviations(part, root) for part in parts]
        equal(upsweep.windowed(x, 3, op, min_periods=1, skipna=False), right)


def test_statistics_of_infinities_and_nan_are_nan_from_one_pair_on():
    for odd in (math.nan, math.inf, -math.inf):
        for x, y in (
            ([odd], [1.0]),
            ([1.0], [odd]),
            ([1.0, odd], [2.0, 5.0]),
            ([1.0, 2.0], [odd, 5.0]),
        ):
            assert math.isnan(upsweep.covariance(x, y)), (x, y)
            assert math.isnan(upsweep.correlation(x, y)), (x, y)
            assert all(math.isnan(v) for v in upsweep.linear_regression(x, y)), (x, y)
            both = upsweep.Partial("comoments").push(x, y).result()
            assert all(math.isnan(v) for v in both[3:]), (x, y)
        for x in [odd], [1.0, odd], [odd, odd, 2.0], [1.0, odd, 2.0, 3.0, 4.0]:
            assert math.isnan(upsweep.skew(x)) and math.isnan(upsweep.kurtosis(x))
            for op in "moments", "central_moments":
                assert all(math.isnan(v) for v in upsweep.Partial(op).push(x).result()[2:]), x
