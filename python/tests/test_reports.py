"""What users reported about other libraries: the right values, which these calls must keep."""

import itertools
import math

import numpy as np
import pytest
import upsweep


def test_running_sums_of_float32_end_at_the_sum():
    """https://github.com/pandas-dev/pandas/issues/47488, numpy/numpy/issues/14909"""
    x = (np.random.default_rng(1).integers(0, 10_000, 1_000_000) / 1e4).astype("float32")
    assert upsweep.cumulative_sum(x)[-1] == upsweep.sum(x)
    assert upsweep.sum(x) == pytest.approx(math.fsum(x), rel=1e-6)
    ones = np.ones(2**25, np.float32)
    assert upsweep.cumulative_sum(ones)[-1] == 2**25


def test_running_sums_of_float16_do_not_stop_at_2048():
    """https://github.com/numpy/numpy/issues/24443"""
    x = np.random.default_rng(1).uniform(0, 1, 100_000).astype(np.float16)
    assert upsweep.cumulative_sum(x)[-1] == pytest.approx(math.fsum(x), rel=1e-6)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_sums_do_not_depend_on_the_shape(axes):
    """https://github.com/numpy/numpy/issues/20458 and 22956"""
    x = np.full((2**24, 2), 2.0**-25, np.float32)
    first, _ = axes
    assert upsweep.sum(upsweep.sum(x, axis=first)) == 1
    assert upsweep.mean(x, axis=0).tolist() == [2.0**-25] * 2


def test_windows_forget_what_has_left_them():
    """https://github.com/pandas-dev/pandas/issues/38488"""
    x = np.random.default_rng(1).random(20)
    x[:10] *= 1e6
    x[10:] = 0
    assert upsweep.windowed(x, 6)[10:].tolist() == [0] * 5
    x[10:] = 1e-13
    assert upsweep.windowed(x, 2)[10:].tolist() == [2e-13] * 9


def test_a_group_does_not_depend_on_the_others():
    """https://github.com/pandas-dev/pandas/issues/38752 and 38778"""
    keys = np.arange(4000) % 2
    x = np.where(keys == 0, np.exp(np.arange(4000) % 40), 1e-13)
    sums = upsweep.group_reduce(keys, x).values
    assert sums.tolist() == [upsweep.sum(x[::2]), upsweep.sum(x[1::2])]
    assert sums[1] == pytest.approx(2e-10, rel=1e-13)
    assert upsweep.group_scan(keys, x)[-1] == sums[1]


def test_groups_of_large_integers_are_exact():
    """https://github.com/pandas-dev/pandas/issues/34681"""
    for bits in range(63):
        total = upsweep.group_reduce(["A", "A"], np.array([14, 2**bits])).values[0]
        assert int(total) == 14 + 2**bits


def test_scans_of_views_are_right_on_every_processor():
    """https://github.com/numpy/numpy/issues/15597, with AVX-512; 22841 and 27820"""
    x = np.random.default_rng(1).random(1000) * np.arange(1000, 0, -1)
    corrected = upsweep.minimum.accumulate(x[::-1])[::-1]
    assert corrected.tolist() == list(itertools.accumulate(x.tolist()[::-1], min))[::-1]
    flags = np.zeros(20, bool)
    flags[[2, 7, 10, 13]] = True
    parities = [bool(k % 2) for k in itertools.accumulate(flags.tolist())]
    assert upsweep.logical_xor.accumulate(flags).tolist() == parities
    out = np.empty(1, np.int64)
    assert upsweep.min(np.flipud(np.array([8, 10])), keepdims=True, out=out).tolist() == [8]


def test_groups_keep_every_integer():
    """https://github.com/pandas-dev/pandas/issues/41743 and 16674: no float, no value for NaT"""
    pd = pytest.importorskip("pandas")
    time = 1618556707013635762
    column = pd.Series([time, time + 1], dtype="Int64")
    assert upsweep.group_reduce([2, 2], column, "min").values.tolist() == [time]
    assert upsweep.group_scan([2, 2], column, "max").tolist() == [time, time + 1]
    ends = np.array([2**63 - 1, -(2**63)])
    assert upsweep.group_reduce([1, 1], ends).values.tolist() == [-1]
    assert upsweep.group_reduce([1, 1], ends, "min").values.tolist() == [-(2**63)]


def test_keys_of_one_byte_count_beyond_a_byte():
    """https://github.com/numbagg/numbagg/issues/211"""
    for n in (127, 128, 255, 256, 1000):
        x = np.random.default_rng(n).standard_normal(n)
        found = upsweep.group_reduce(np.zeros(n, np.int8), x)
        assert found.keys.tolist() == [0] and found.values.tolist() == [upsweep.sum(x)]
        ones = upsweep.group_reduce(np.zeros(n, np.int8), np.ones(n, np.int8))
        assert ones.values.tolist() == [n]


def test_spans_of_time_do_not_wrap():
    """https://github.com/pandas-dev/pandas/pull/66587, 66582 and 66576"""
    most = np.timedelta64(2**63 - 1, "ns")
    two, quarters = np.array([most, most]), np.full(3, np.timedelta64(2**62, "ns"))
    for call in (
        lambda: upsweep.sum(two),
        lambda: upsweep.cumulative_sum(quarters),
        lambda: upsweep.group_reduce([0, 0], two),
        lambda: upsweep.group_scan([0, 0, 0], quarters),
        lambda: upsweep.sum(-quarters[:2]),  # -2^63, which is NaT
    ):
        with pytest.raises(OverflowError):
            call()
    odd = np.array([2**62 + 1, -(2**62)], "m8[ns]")
    assert upsweep.sum(odd) == np.timedelta64(1, "ns")
    assert upsweep.group_reduce(["a", "a"], odd).values.tolist() == [1]


def test_shapes_of_equal_and_of_small_numbers():
    """https://github.com/pola-rs/polars/issues/15067, scipy/scipy/issues/13245 and 11086, pandas
    11974 and 62864: no shape; 62946: the shape does not depend on the unit.
    """
    for number in (1.0042855193121334, -0.27829495, 14.3, 3075.3, 42.0):
        for n in (7, 10, 11, 300):
            assert math.isnan(upsweep.skew(np.full(n, number)))
            assert math.isnan(upsweep.kurtosis(np.full(n, number)))
    x = np.random.default_rng(505).normal(size=10)
    for power in (-40, -20, 20):
        assert upsweep.skew(x * 2.0**power) == upsweep.skew(x)
        assert upsweep.kurtosis(x * 2.0**power, bias=False) == upsweep.kurtosis(x, bias=False)


def test_correlation_of_two_points_and_of_large_numbers():
    """https://github.com/pandas-dev/pandas/issues/59652 and scipy/scipy/issues/8980"""
    a, b = [30.0, 30.100000381469727], [116.80000305175781, 116.8000030517578]
    assert upsweep.correlation(a, b) == pytest.approx(-1, rel=1e-15)
    x, y = np.array([0, 0, 0, 1, 1, 1, 1]), np.arange(7)
    expected = pytest.approx(upsweep.correlation(x, y), rel=1e-14)
    assert upsweep.correlation(x * 1e90, y * 1e90) == expected


def test_ranks_tell_near_numbers_apart():
    """https://github.com/pandas-dev/pandas/issues/8365 and 52471"""
    assert upsweep.rank([1001.0, 1001.0001, 1001.0002]).tolist() == [1, 2, 3]
    x = [5.4954145e29, -9.791984e-21, 9.3715776e-26, 1.8790257e-28]
    assert upsweep.rank(x, method="min").tolist() == [4, 1, 3, 2]
    assert upsweep.rank(2**60 + np.arange(3)).tolist() == [1, 2, 3]


def test_means_of_zeros_are_zero():
    """https://github.com/pydata/bottleneck/issues/377, pandas-dev/pandas/issues/36031"""
    for first in (1.9272201201869577, 3002399751580331.0):
        assert upsweep.windowed([first, 0.0, 0.0, 0.0], 3)[-1] / 3 == 0


def test_narrow_keys_add_the_elements_behind_the_first_8192():
    """https://github.com/numpy/numpy/issues/23457: 25 by int16 keys, 115 by int64."""
    keys, x = np.zeros(8193, np.int16), np.zeros(8193)
    x[0], x[1], x[8192] = 10, 5, 100
    assert upsweep.bincount(keys, x).tolist() == [115]
    assert upsweep.group_reduce(keys, x).values.tolist() == [115]


def test_groups_add_infinities_of_one_sign():
    """https://github.com/pandas-dev/pandas/pull/53623: NaN"""
    for x in (np.inf, -np.inf):
        assert upsweep.group_reduce([0, 1, 0, 1], [x] * 4).values.tolist() == [x, x]
        assert upsweep.group_scan([0, 1, 0, 1], [x] * 4).tolist() == [x] * 4


def test_windows_over_squares_are_not_negative_and_those_of_one_are_the_elements():
    """https://github.com/pydata/bottleneck/issues/332 and 437"""
    x = (np.random.default_rng(1).standard_normal(10_000) * np.hanning(10_000)) ** 2
    assert (upsweep.windowed(x, 2) == x[:-1] + x[1:]).all()
    assert (upsweep.windowed(x, 1) == x).all()


def test_weights_close_to_an_edge_stay_in_their_bin():
    """https://github.com/scipy/scipy/issues/14332: 0.99999999 was sorted after 1."""
    x, edges = 1 - 0.1 ** np.arange(8), np.linspace(0, 1, 10)
    sums = upsweep.weighted_histogram(x, np.ones(8), edges)[0]
    assert sums.tolist() == np.histogram(x, edges)[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 7]


def test_the_largest_float32_is_in_the_last_bin():
    """https://github.com/scipy/scipy/issues/13587: it was in none."""
    x = np.array([0, 0.42358226], np.float32)
    assert upsweep.histogram(x)[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert upsweep.weighted_histogram(x, [1, 1])[0].sum() == 2


def test_quantiles_of_infinities_are_between_them():
    """https://github.com/numpy/numpy/issues/21091 and 12282: NaN"""
    inf = np.inf
    quarters = [0, 0.25, 0.5, 0.75, 1]
    assert upsweep.quantile([1, 2, 3, inf, inf], quarters).tolist() == [1, 2, 3, inf, inf]
    assert upsweep.quantile([1, 2, inf, inf], quarters[1:4]).tolist() == [1.75, inf, inf]
    assert upsweep.quantile([-inf, -inf, 3, 4], quarters[1:4]).tolist() == [-inf, -inf, 3.25]
    assert upsweep.quantile([inf, 5, 4], 0.5) == upsweep.median([inf, 5, 4]) == 5
    assert upsweep.quantile([-inf] * 10 + [0] * 90, 0.05) == -inf
    assert upsweep.median([-1.7e308, 1.7e308]) == 0


def test_windows_forget_infinities_and_count_beyond_a_byte():
    """https://github.com/pydata/xarray/issues/8811: NaN; pola-rs/polars/issues/21318: a panic"""
    x = np.array([1, 2, 3, np.inf, 4, 5])
    assert upsweep.windowed(x, 2).tolist() == [3, 5, np.inf, np.inf, 9]
    assert upsweep.windowed(np.array([127, 1], np.int8), 2).tolist() == [128]


def test_groups_of_narrow_integers_add_up():
    """https://github.com/pola-rs/polars/issues/8570, 3175 and 1941"""
    for dtype in ("int8", "int16", "uint16", "bool"):
        keys, x = np.repeat(["a", "b"], 70_000), np.ones(140_000, dtype)
        assert upsweep.group_reduce(keys, x).values.tolist() == [70_000, 70_000], dtype


def test_columns_of_a_matrix_are_counted():
    """https://github.com/pytorch/pytorch/issues/15058: [2, 0]"""
    assert upsweep.bincount(np.array([[0, 1], [0, 1]])[:, 1]).tolist() == [0, 2]


def test_filters_of_float32_do_not_explode():
    """https://github.com/scipy/scipy/issues/15393 and 15072: 5279 for 0.526; 11359: b a number"""
    # scipy.signal.cheby1(8, 0.05, 0.8 / 20), by its poles
    order, ripple, edge = 8, np.sqrt(10**0.005 - 1), 2 * np.tan(np.pi * 0.04 / 2)
    angles = np.pi * (2 * np.arange(order) + 1) / (2 * order) + np.arcsinh(1 / ripple) / order * 1j
    poles = edge * 1j * np.cos(angles)
    poles = poles * np.sign(-poles.real)
    a = np.poly((2 + poles) / (2 - poles)).real
    b = np.poly([-1] * order) * a.sum() / 2.0**order
    x = np.random.default_rng(1).random(400)
    wide, narrow = upsweep.lfilter(b, a, x), upsweep.lfilter(b, a, x.astype(np.float32))
    assert 0.4 < np.abs(wide).max() < 0.8
    np.testing.assert_allclose(narrow, wide, atol=1e-6)
    assert upsweep.lfilter(1.0, [1, -0.5], [1.0, 0.0]).tolist() == [1, 0.5]


def test_means_over_the_first_axes_of_an_image():
    """numpy/numpy/issues/8480, pydata/bottleneck/issues/126: they were slow"""
    image = np.arange(60 * 50 * 3).reshape(60, 50, 3)
    channels = [4498.5, 4499.5, 4500.5]
    for x in (image, image.astype("float32")):
        assert upsweep.mean(x, axis=(0, 1)).tolist() == channels
        assert upsweep.mean(x.reshape(-1, 3), axis=0).tolist() == channels
        assert upsweep.max(x, axis=0)[0].tolist() == [8850, 8851, 8852]
        assert upsweep.sum(x[:, :, :2], axis=2)[0, :2].tolist() == [1, 7]


@pytest.mark.parametrize("n", [129, 5_000, 40_001])
def test_what_is_in_order_is_sorted_stably(n):
    """numpy/numpy/issues/28714, numpy/x86-simd-sort/issues/101: it was slow"""
    x = np.sort(np.random.default_rng(1).integers(0, n // 3, n))
    tail = x.copy()
    tail[-(n // 9) :] = x[: n // 9]
    for keys in (x, x[::-1], -x, tail, np.roll(x, 1), np.concatenate([x, x])):
        for dtype in ("int64", "float64", "float32", "int16"):
            a = keys.astype(dtype)
            positions = np.argsort(a, kind="stable")
            assert np.array_equal(upsweep.argsort(a), positions)
            assert np.array_equal(upsweep.sort(a), a[positions])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int16", "uint8"])
def test_quantiles_and_the_largest_among_many_equals(dtype):
    """google/guava/issues/3789, quickwit-oss/tantivy/issues/2775: they were slow"""
    random = np.random.default_rng(1)
    ranks = np.arange(66_000)
    for x in (
        ranks // 33_000,
        ranks // 33_001,
        np.maximum(ranks - 33_000, 0),
        np.minimum(ranks, 9),
    ):
        a = random.permutation(x % 251 if dtype == "uint8" else x // 2 * 2).astype(dtype)
        expected = np.sort(a)
        for q in (0, 0.25, 0.5, 0.75, 1):
            assert upsweep.quantile(a, q) == np.quantile(expected.astype("float64"), q), q
        assert upsweep.top(a, 100).tolist() == expected[::-1][:100].tolist()
        positions = np.argsort(-a.astype("float64"), kind="stable")[:100]
        assert upsweep.argsort(a, descending=True)[:100].tolist() == positions.tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_positions_along_every_axis_are_those_of_the_lines(dtype):
    """numpy/numpy/issues/18512, 25846, 9182: slow, the first by 30 for 1280 columns, not 1281"""
    for shape in ((10, 96, 128), (10, 96, 129), (3, 5000), (97, 1001)):
        x = np.random.default_rng(5).normal(60, 50, shape).astype(dtype)
        for axis in range(len(shape)):
            for a in (x, np.asfortranarray(x)):
                assert np.array_equal(upsweep.argmax(a, axis=axis), np.argmax(x, axis=axis))
                assert np.array_equal(upsweep.argmin(a, axis=axis), np.argmin(x, axis=axis))


def test_more_ones_than_float32_counts_have_the_mean_one():
    """numpy/numpy/issues/8869, 22956: 0.42 and 0.84"""
    x = np.ones((4_300_000, 4, 2), np.float32)  # 2^24 and more in each line
    assert upsweep.mean(x, axis=(0, 1)).tolist() == [1, 1]
    assert upsweep.sum(x, axis=(0, 1)).tolist() == [4 * 4_300_000] * 2


def test_deviations_of_equal_columns_are_zero():
    """numpy/numpy/issues/14691: 1.3"""
    x = np.tile(np.array([100, -100], np.float32), (300_000, 1))
    assert upsweep.std(x, axis=0).tolist() == [0, 0]
    assert upsweep.mean(x, axis=0).tolist() == [100, -100]


def test_sums_along_an_axis_do_not_depend_on_the_order_in_memory():
    """numpy/numpy/issues/13240, 25909: three different sums"""
    numbers = np.random.default_rng(42).random(200_000)
    for order in "CF":
        x = np.zeros((2, len(numbers)), order=order)
        x[0] = numbers
        assert upsweep.sum(x, axis=1)[0] == upsweep.sum(x[0]) == upsweep.sum(numbers)


def test_running_sums_in_place_are_those_of_a_copy():
    """numpy/numpy/issues/10640, cupy/cupy/issues/10241: twice as slow, and broken"""
    x = np.random.default_rng(1).random((100, 500))
    for axis in (0, 1):
        for order in "CF":
            a = x.copy(order=order)
            expected = upsweep.cumulative_sum(x, axis=axis)
            assert upsweep.cumulative_sum(a, axis=axis, out=a) is a
            assert np.array_equal(a, expected), (axis, order)


def test_fields_of_structures_are_summed_alone():
    """numpy/numpy/issues/9876: 1.7e-309 instead of 0"""
    for first in (np.int64, np.int32, np.uint8):
        x = np.zeros(1000, [("a", first), ("b", np.float64), ("c", np.int32)])
        x["a"] = np.arange(1000) % 100
        assert upsweep.sum(x["b"]) == 0
        assert upsweep.sum(x["b"].reshape(10, 100), axis=0).tolist() == [0] * 100
        assert upsweep.sum(x["a"].reshape(10, 100), axis=0).tolist() == [10 * k for k in range(100)]


def test_standard_deviations_of_huge_numbers():
    """https://github.com/JuliaStats/Statistics.jl/issues/195: infinity, as in NumPy and R"""
    assert upsweep.std([1e300, -1e300], correction=1) == pytest.approx(2**0.5 * 1e300, rel=1e-15)
    assert upsweep.std([1e300, -1e300]) == 1e300


def test_standard_deviations_of_the_largest_float32():
    """https://github.com/jax-ml/jax/issues/37993: infinity"""
    most = np.finfo(np.float32).max
    x = np.array([-most, -most, most, 1, 1, 1, 1, 1, 1, 1, most, 1, 1, 1, 1, 1], np.float32)
    assert upsweep.std(x) == pytest.approx(float(most) / 2, rel=1e-7)


@pytest.mark.parametrize("scale", [1e90, 1e300, 1e-90, 1e-170, 1e-300])
def test_correlations_do_not_depend_on_the_unit(scale):
    """https://github.com/scipy/scipy/issues/8980, and 9353 for small numbers"""
    a, b = np.array([0, 0, 0, 1, 1, 1, 1.0]), np.arange(7.0)
    right = upsweep.correlation(a, b)
    assert right == pytest.approx(3**0.5 / 2, rel=1e-15)
    assert upsweep.correlation(a * scale, b * scale) == pytest.approx(right, rel=1e-15)
    assert upsweep.correlation(a * scale, b / scale) == pytest.approx(right, rel=1e-15)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_root_mean_squares_of_huge_and_tiny_numbers_along_an_axis(axis):
    """https://github.com/scipy/scipy/issues/20136"""
    for scale in (1, 1e-210, 1e-300, 1e97, 2.0**-1022 * 1e-210):
        x = np.array([[-5e210, 5e210, 3e200, -3e200]]) * scale
        x = x if axis != 0 else x.T
        right = abs(x).max() * 2**-0.5
        assert np.ravel(upsweep.rms(x, axis=axis))[0] == pytest.approx(right, rel=1e-12)


def test_medians_of_the_ends_of_the_integers():
    """https://github.com/matrixorigin/matrixone/issues/28231, pola-rs/polars/issues/17125"""
    assert upsweep.median([-(2**63), 2**63 - 1]) == -0.5
    assert upsweep.median(np.array([10**18, 10**18 + 1, 10**18 + 2])) == 1e18
    assert upsweep.median(np.array([2**64 - 1, 2**64 - 1], np.uint64)) == 2.0**64


def test_bins_of_integers_that_float64_does_not_hold():
    """https://github.com/numpy/numpy/pull/11023, issues/8627; flex-analytics/flexviz/issues/22"""
    first = 2**53
    counts, edges = upsweep.histogram([first, first + 1], bins=[first, first + 1, first + 2])
    assert counts.tolist() == [1, 1]
    assert edges.tolist() == [first, first + 1, first + 2]
    assert upsweep.histogram([first])[0].sum() == 1
    nanoseconds = 1_700_000_000_000_000_000 + np.array([999, 1000, 1999, 2000])
    edges = 1_700_000_000_000_000_000 + np.array([0, 1000, 2000])
    assert upsweep.histogram(nanoseconds, edges)[0].tolist() == [1, 3]
    assert upsweep.weighted_histogram(nanoseconds, [1, 2, 4, 8], edges)[0].tolist() == [1, 14]


def test_bins_over_the_whole_range_of_a_type():
    """https://github.com/NVIDIA/cccl/issues/10975: all in bin 0"""
    for dtype in ("int8", "int16", "int32", "int64"):
        ends = np.iinfo(dtype)
        x = np.array([ends.min, -1, 0, ends.max], dtype)
        assert upsweep.histogram(x, 2, (int(ends.min), int(ends.max)))[0].tolist() == [2, 2]
