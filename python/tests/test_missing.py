"""Gaps are filled as by pandas and polars, and falls below the largest so far."""

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def with_gaps(n, seed=1, dtype="float64"):
    x = scattered(n, dtype, seed)
    x[np.random.default_rng(seed).random(n) < 0.6] = np.nan
    return x


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 2, 100, 20_011])
def test_fills_are_those_of_pandas(n, dtype):
    x = with_gaps(n, dtype=dtype)
    s = pd.Series(x.astype("float64"))
    assert same_bits(upsweep.ffill(x), s.ffill().to_numpy().astype(dtype))
    assert same_bits(upsweep.bfill(x), s.bfill().to_numpy().astype(dtype))


def test_fills_run_along_an_axis():
    x = with_gaps(600).reshape(20, 30)
    frame = pd.DataFrame(x)
    for axis in (0, 1):
        assert np.array_equal(upsweep.ffill(x, axis=axis), frame.ffill(axis=axis), equal_nan=True)
        assert np.array_equal(upsweep.bfill(x, axis=axis), frame.bfill(axis=axis), equal_nan=True)
    with pytest.raises(ValueError, match="ffill: x has 2 dimensions; give the axis"):
        upsweep.ffill(x)


def test_what_is_never_missing_is_copied():
    x = np.arange(3)
    filled = upsweep.ffill(x)
    assert same_bits(filled, x) and not np.may_share_memory(filled, x)


def test_dates_are_filled():
    x = np.array(["NaT", "2020-01-01", "NaT", "2021-01-01", "NaT"], "M8[D]")
    assert same_bits(upsweep.ffill(x), pd.Series(x).ffill().to_numpy().astype("M8[D]"))
    assert same_bits(upsweep.bfill(x - x[1]), x[[1, 1, 3, 3, 4]] - x[1])
    s = pd.Series(x, index=list("abcde"))
    assert upsweep.ffill(s).equals(s.ffill())


def test_interpolation_is_between_two_elements():
    for n in (0, 1, 2, 3, 1000):
        x = with_gaps(n)
        theirs = pl.Series(x, nan_to_null=True).interpolate().to_numpy()
        assert np.allclose(upsweep.interpolate(x), theirs, rtol=1e-9, atol=1e-12, equal_nan=True)
        known = ~np.isnan(x)
        assert same_bits(upsweep.interpolate(x)[known], x[known])
    x = with_gaps(600).reshape(20, 30)
    rows = [upsweep.interpolate(row) for row in x]
    assert same_bits(upsweep.interpolate(x, axis=1), np.array(rows))
    assert same_bits(upsweep.interpolate(x.T, axis=0), np.array(rows).T.copy())
    assert upsweep.interpolate(x.astype(np.float32), axis=0).dtype == np.float32
    assert upsweep.interpolate([1, 2]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_falls_are_those_below_the_largest_so_far(dtype):
    x = np.random.default_rng(1).integers(1, 1000, (4, 300)).astype(dtype)
    highest = np.maximum.accumulate(x, axis=1)
    falls = upsweep.drawdown(x, axis=1)
    assert falls.dtype == ("float32" if dtype == "float32" else "float64")
    assert np.array_equal(falls, highest - x)
    shares = upsweep.drawdown(x, axis=1, relative=True)
    assert np.array_equal(shares, (highest - x) / highest)
    assert np.array_equal(upsweep.max_drawdown(x, 1), np.max(highest - x, axis=1))
    assert upsweep.max_drawdown(x, 0, keepdims=True).shape == (1, 300)
    flat = x.reshape(-1)
    assert upsweep.max_drawdown(x) == np.max(np.maximum.accumulate(flat) - flat)


def test_falls_of_special_values():
    inf, nan = np.inf, np.nan
    assert upsweep.drawdown([inf, inf, 1.0]).tolist() == [0, 0, inf]
    assert upsweep.drawdown([-inf, -inf, 1.0]).tolist() == [0, 0, 0]
    assert np.isnan(upsweep.drawdown([1.0, nan, 0.0])).tolist() == [False, True, True]
    assert np.isnan(upsweep.max_drawdown([1.0, nan]))
    s = pd.Series([2.0, 1.0], index=["a", "b"])
    assert upsweep.drawdown(s).to_dict() == {"a": 0, "b": 1}
    with pytest.raises(ValueError, match="max_drawdown: x has no elements"):
        upsweep.max_drawdown([])
