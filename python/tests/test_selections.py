"""Selections, runs and sorts beside NumPy."""

import numpy as np
import pytest
import upsweep
from reference import FLOATS, INTEGERS, SIZES, layouts, same_bits, scattered


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ["bool"])
def test_selections_are_numpys(dtype):
    for n in SIZES:
        x = scattered(n, "int8") > 0 if dtype == "bool" else scattered(n, dtype)
        flags = scattered(n, "int8", seed=2) % 3
        for layout, a in layouts(x):
            chosen = flags != 0
            assert same_bits(upsweep.select(a, flags), x[chosen]), (n, layout)
            assert same_bits(upsweep.select(a, chosen), x[chosen]), (n, layout)
            yes, no = upsweep.partition(a, chosen)
            assert same_bits(yes, x[chosen]) and same_bits(no, x[~chosen]), (n, layout)


def test_selections_take_arrays_in_the_order_of_their_indices():
    x = scattered(60, "int32").reshape(6, 10)
    assert same_bits(upsweep.select(x.T, x.T > 0), x.T[x.T > 0])
    with pytest.raises(ValueError, match=r"shape \(3,\), but x has \(2,\)"):
        upsweep.select([1, 2], [True, False, True])


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ["bool"])
def test_runs_end_where_neighbors_differ(dtype):
    for n in SIZES:
        x = np.repeat(scattered(n, "int8") % 2 if dtype == "bool" else scattered(n, dtype), 2)
        x = x.astype(dtype)[:n]
        starts = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if n else np.arange(0)
        values, lengths = upsweep.runs(x)
        assert same_bits(values, x[starts]), n
        assert lengths.tolist() == np.diff(np.append(starts, n)).tolist(), n


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ["bool"])
def test_unique_elements_are_numpys(dtype):
    for n in SIZES:
        x = (scattered(n, "int8") % 5).astype(dtype)
        values, counts = upsweep.unique(x, return_counts=True)
        expected, expected_counts = np.unique(x, return_counts=True)
        assert same_bits(values, expected) and same_bits(counts, expected_counts), n
        assert same_bits(upsweep.unique(x), expected), n


def test_every_nan_is_one_unique_element():
    x = np.array([np.nan, 1.0, -np.nan, 1.0, np.inf])
    np.testing.assert_array_equal(upsweep.unique(x), np.unique(x))
    np.testing.assert_array_equal(
        upsweep.unique(x, return_counts=True)[1], np.unique(x, return_counts=True)[1]
    )


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_sorts_are_numpys(dtype):
    for n in SIZES:
        x = scattered(n, dtype)
        for layout, a in layouts(x):
            assert same_bits(upsweep.sort(a), np.sort(x)), (n, layout)
            assert same_bits(upsweep.sort(a, descending=True), np.sort(x)[::-1]), (n, layout)
            expected = np.argsort(x, kind="stable")
            assert same_bits(upsweep.argsort(a), expected), (n, layout)
        few = x % 4
        for descending in (False, True):
            keys, values = upsweep.sort_by_key(few, np.arange(n), descending=descending)
            positions = upsweep.argsort(few, descending=descending)
            assert same_bits(few[positions], keys) and same_bits(values, positions), n
            assert (np.diff(values)[keys[1:] == keys[:-1]] > 0).all(), n
        k = n // 3
        assert same_bits(upsweep.top(x, k), np.sort(x)[::-1][:k]), n
        assert same_bits(upsweep.top(x, k, smallest=True), np.sort(x)[:k]), n


@pytest.mark.parametrize("clusters", [81, 797])
@pytest.mark.parametrize("low", [10, 2**27])
def test_keys_that_share_their_leading_bits_are_sorted_stably(clusters, low):
    for n in (4000, 40000):
        far_apart = np.arange(n) % clusters * 2**45
        x = far_apart + np.random.default_rng(n).integers(0, low, n)
        assert same_bits(upsweep.argsort(x, threads=1), np.argsort(x, kind="stable"))


def test_sorts_run_along_an_axis_and_leave_the_input_alone():
    x = scattered(60, "int32").reshape(6, 10)
    before = x.copy()
    for axis in (0, 1, -1, None):
        assert same_bits(upsweep.sort(x, axis=axis), np.sort(x, axis=axis))
        expected = np.argsort(x, axis=axis, kind="stable")
        assert same_bits(upsweep.argsort(x, axis=axis), expected)
    assert same_bits(x, before)


def test_nan_and_zeros_have_a_place_in_the_order():
    x = np.array([np.nan, 0.0, -np.inf, -0.0, np.copysign(np.nan, -1)])
    ordered = upsweep.sort(x)
    assert np.isnan(ordered[[0, 4]]).all() and np.signbit(ordered).tolist() == [1, 1, 1, 0, 0]


def test_wrong_sorts_are_refused():
    with pytest.raises(ValueError, match="count=4, but x has 3"):
        upsweep.top([1, 2, 3], 4)
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        upsweep.sort_by_key([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="x is a number"):
        upsweep.sort(3)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "float64"])
def test_quantiles_are_numpys(dtype):
    q = [0, 0.1, 0.25, 0.5, 0.999, 1]
    for n in SIZES[1:]:
        x = scattered(n, dtype)
        wide = x.astype(np.float64)
        for layout, a in layouts(x):
            expected = np.quantile(wide, q)
            np.testing.assert_array_max_ulp(upsweep.quantile(a, q), expected, maxulp=1)
            assert upsweep.median(a) == np.median(wide), (n, layout)
    x = scattered(60, dtype).reshape(6, 10)
    for axis in (None, 0, 1, (0, 1)):
        for keepdims in (False, True):
            result = upsweep.quantile(x, [[0.5, 0.25]], axis=axis, keepdims=keepdims)
            expected = np.quantile(x.astype("f8"), [[0.5, 0.25]], axis=axis, keepdims=keepdims)
            assert result.shape == expected.shape
            np.testing.assert_allclose(result, expected, rtol=1e-15)


def test_quantiles_may_be_stored():
    out = np.zeros(3)
    assert upsweep.median([[1, 2, 3], [3, 4, 6]], axis=0, out=out) is out
    assert out.tolist() == [2, 3, 4.5]
    assert upsweep.quantile([1, 2], [0, 0.5, 1], out=out).tolist() == [1, 1.5, 2]


def test_quantiles_without_an_answer():
    assert np.isnan(upsweep.median([1.0, np.nan]))
    with pytest.raises(ValueError, match="median: x has no elements"):
        upsweep.median([])
    for q in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            upsweep.quantile([1, 2], q)


def test_bfloat16_is_sorted_and_selected():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    wide = np.round(scattered(1000, "float16").astype("float32") * 8) / 8
    x = wide.astype(ml_dtypes.bfloat16)
    x = x + x.dtype.type(0)  # no -0, which has its own position in the order
    wide = x.astype("float32")
    assert upsweep.sort(x).dtype == x.dtype
    np.testing.assert_array_equal(upsweep.sort(x).astype("float32"), np.sort(wide))
    np.testing.assert_array_equal(upsweep.argsort(x), np.argsort(wide, kind="stable"))
    np.testing.assert_array_equal(upsweep.unique(x).astype("float32"), np.unique(wide))
    np.testing.assert_array_equal(upsweep.select(x, wide > 0).astype("float32"), wide[wide > 0])
    np.testing.assert_array_equal(upsweep.top(x, 5).astype("float32"), np.sort(wide)[:-6:-1])
    assert upsweep.median(x) == np.median(wide.astype(float))
    values, lengths = upsweep.runs(upsweep.sort(x))
    assert values.dtype == x.dtype and lengths.sum() == 1000
    keys = np.arange(1000) % 3
    assert same_bits(upsweep.group_reduce(keys, x).values, upsweep.group_reduce(keys, wide).values)
    found = upsweep.group_reduce(x, np.ones(1000)).keys
    assert found.dtype == x.dtype and len(found) == len(np.unique(wide))
    largest = upsweep.windowed(x, 10, "max")
    np.testing.assert_array_equal(largest, upsweep.windowed(wide, 10, "max"))
    assert largest.dtype == x.dtype
    assert upsweep.exact_sum(x) == np.float32(wide.astype(float).sum())
    assert upsweep.Stream("sum", x.dtype).push(x).result() == upsweep.sum(x)
    counts = upsweep.histogram(x, 10, (-3, 3))[0]
    assert same_bits(counts, upsweep.histogram(wide, 10, (-3, 3))[0])
    assert upsweep.cummax(x).dtype == x.dtype and upsweep.max(x, axis=0) == wide.max()


@pytest.mark.parametrize("dtype", ["U", "S", "T", object, "datetime64[s]"])
def test_texts_and_dates_are_elements(dtype):
    x = np.array(["2020", "1999", "1999", "2020", "1999"]).astype(dtype)
    values, counts = upsweep.unique(x.reshape(1, 5), return_counts=True)
    assert values.dtype == x.dtype
    assert values.tolist() == np.unique(x).tolist() and counts.tolist() == [3, 2]
    values, lengths = upsweep.runs(x)
    assert values.tolist() == x[[0, 1, 3, 4]].tolist() and lengths.tolist() == [1, 2, 1, 1]
