"""Segments, groups, windows and histograms: the bits of each alone, and NumPy's counts."""

import numpy as np
import pytest
import upsweep
from reference import FLOATS, INTEGERS, layouts, same_bits, scattered, tree_sums

BORDERS = [0, 0, 5, 6, 40, 40, 4200, 5000, 5000]


def stretches(x, borders=BORDERS):
    return [x[a:b] for a, b in zip(borders, borders[1:])]


@pytest.mark.parametrize("dtype", FLOATS)
def test_segments_have_the_bits_of_their_own_sum(dtype):
    x = scattered(5000, dtype)
    result_dtype = np.float32 if dtype == "float16" else dtype
    sums = np.array([tree_sums(s)[-1] if len(s) else 0 for s in stretches(x)], result_dtype)
    scans = np.concatenate([tree_sums(s) for s in stretches(x)])
    for layout, a in layouts(x):
        for borders in (BORDERS, np.array(BORDERS), np.array(BORDERS, "uint64")):
            for threads in (None, 1, 2):
                assert same_bits(upsweep.segment_reduce(a, borders, threads=threads), sums), layout
                assert same_bits(upsweep.segment_scan(a, borders, threads=threads), scans), layout


@pytest.mark.parametrize("op", ["sum", "product", "min", "max", "any", "all"])
@pytest.mark.parametrize("dtype", INTEGERS + ["bool"])
def test_segments_are_numpys_reductions(op, dtype):
    x = scattered(5000, "int8") > 0 if dtype == "bool" else scattered(5000, dtype)
    numpy_name = {"product": "prod"}.get(op, op)
    borders = [0, 5, 6, 40, 4200, 5000]
    expected = [getattr(np, numpy_name)(s) for s in stretches(x, borders)]
    assert same_bits(upsweep.segment_reduce(x, borders, op), np.array(expected))


def test_empty_segments_have_the_initial_value():
    assert upsweep.segment_reduce([1.0], [0, 0, 1], initial=5).tolist() == [5, 6]
    assert upsweep.segment_scan([1, 2, 3], [0, 1, 3], exclusive=True).tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    "error, sentence, offsets",
    [
        (ValueError, "offsets is empty", np.empty(0, int)),
        (ValueError, r"offsets\[0\] is 1", [1, 3]),
        (ValueError, "", [0, 2]),
        (ValueError, "", [0, 2, 1, 3]),
        (ValueError, "", [0, 4]),
        (ValueError, "", [0, -1, 3]),
        (TypeError, "integers", [0.0, 3.0]),
    ],
)
def test_wrong_offsets_are_refused(error, sentence, offsets):
    with pytest.raises(error, match=sentence or "offset|border|segment"):
        upsweep.segment_reduce([1, 2, 3], offsets)
    with pytest.raises(error, match=sentence or "offset|border|segment"):
        upsweep.segment_scan(np.array([1, 2, 3]), np.array(offsets))


KEYS = {
    "integers": lambda n: scattered(n, "int8") % 7,
    "negative integers": lambda n: -(10**18) - scattered(n, "int64") % 7,
    "integers far apart": lambda n: scattered(n, "int64") // 2**61 * 2**61,
    "unsigned integers": lambda n: (scattered(n, "uint64") % 7 + 2**63).astype("uint64"),
    "zeros of both signs": lambda n: np.array([-0.0, 0.0, 1.0, -1.0])[scattered(n, "int8") % 4],
    "floats": lambda n: scattered(n, "int8") % 7 / 2.0,
    "booleans": lambda n: scattered(n, "int8") > 0,
    "ascending": lambda n: np.sort(scattered(n, "int16") % 7),
    "texts": lambda n: np.array(["a", "b", "long", ""])[scattered(n, "int8") % 4],
    "bytes": lambda n: np.array([b"a", b"ab", b"\xff"])[scattered(n, "int8") % 3],
    "dates": lambda n: (scattered(n, "int8") % 7).astype("datetime64[D]"),
    "objects": lambda n: np.array(["x", "y"], object)[scattered(n, "int8") % 2],
    "complex numbers": lambda n: np.array([1 + 2j, 1, 2j])[scattered(n, "int8") % 3],
    "texts of any size": lambda n: np.array(["x" * 40, "y", ""], "T")[scattered(n, "int8") % 3],
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_groups_have_the_bits_of_their_own_elements(kind, dtype):
    for n in (0, 1, 2, 100, 5000):
        keys, x = KEYS[kind](n), scattered(n, dtype)
        found, totals = upsweep.group_reduce(keys, x)
        scans = upsweep.group_scan(keys, x)
        assert found.tolist() == np.unique(keys).tolist(), n
        for key, total in zip(found, totals):
            own = x[keys == key]
            sums = tree_sums(own) if dtype == "float32" else np.cumsum(own)
            assert same_bits(total, sums[-1]), (n, key)
            assert same_bits(scans[keys == key], sums), (n, key)


@pytest.mark.parametrize("spread", [1, -(10**12)])
@pytest.mark.parametrize("groups", [1, 40, 300, 2000, 40000])
def test_groups_may_be_few_or_many(groups, spread):
    n = 20011
    keys = np.random.default_rng(groups).integers(0, groups, n) * spread
    x = scattered(n, "float32")
    order = np.argsort(keys, kind="stable")
    expected, first = np.unique(keys[order], return_index=True)
    own = np.split(x[order], first[1:])
    sums = np.array([tree_sums(s)[-1] for s in own])
    for threads in (1, 2, 3):
        found, totals = upsweep.group_reduce(keys, x, threads=threads)
        assert same_bits(found, expected) and same_bits(totals, sums)
    assert same_bits(upsweep.group_reduce(keys, x, "max").values, np.array([s.max() for s in own]))
    positions = upsweep.group_reduce(keys, x, "argmin").values  # without an engine of its own
    assert positions.tolist() == [int(np.argmin(s)) for s in own]
    narrow = upsweep.group_reduce(keys, np.ones(n, "int8")).values
    assert same_bits(narrow, np.array([len(s) for s in own]))
    started = upsweep.group_reduce(keys, x, initial=np.float32(0.1)).values
    assert same_bits(started, np.float32(0.1) + sums)


@pytest.mark.parametrize(
    "error, sentence, keys",
    [
        (ValueError, "group_reduce: a key is None", ["a", None]),
        (ValueError, "group_reduce: a key is nan", np.array([1, np.nan], object)),
        (TypeError, "hash and an order: '<' not supported", np.array(["a", 1], object)),
        (TypeError, "hash and an order: unhashable", np.array([[1], [2, 3]], object)),
        (ValueError, r"keys have the shape \(1, 2\)", [["a", "b"]]),
    ],
)
def test_what_is_no_key_is_refused(error, sentence, keys):
    with pytest.raises(error, match=sentence):
        upsweep.group_reduce(keys, [1, 2])


def test_operators_of_groups_see_elements_in_their_order():
    keys, x = [2, 1, 2, 1, 2], np.array([5.0, 1.0, 9.0, 2.0, 1.0])
    assert upsweep.group_reduce(keys, x, "argmax").values.tolist() == [1, 1]
    assert upsweep.group_reduce(keys, x, "argmax", initial=None).keys.tolist() == [1, 2]
    assert upsweep.group_reduce(keys, x, initial=100).values.tolist() == [103, 115]
    assert upsweep.group_scan(keys, x, "max").tolist() == [5, 1, 9, 2, 9]
    assert upsweep.group_scan(keys, x, exclusive=True, initial=1).tolist() == [1, 1, 6, 2, 15]


def test_wrong_keys_are_refused():
    with pytest.raises(ValueError, match="a key is NaN"):
        upsweep.group_reduce([1.0, np.nan], [1, 2])
    with pytest.raises(ValueError, match=r"shape \(3,\), but x has \(2,\)"):
        upsweep.group_reduce([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="x has 2 dimensions"):
        upsweep.group_reduce([1], [[1]])


@pytest.mark.parametrize("width", [1, 2, 7, 100, 5000, 5001])
def test_windows_have_the_bits_of_their_own_elements(width):
    x = scattered(5000, "float32")
    expected = [tree_sums(x[i : i + width])[-1] for i in range(0, max(len(x) - width + 1, 0), 97)]
    for threads in (1, 2):
        sums = upsweep.windowed(x, width, threads=threads)
        assert len(sums) == max(len(x) - width + 1, 0)
        assert same_bits(sums[::97], np.array(expected, "float32"))
        if width <= len(x):
            views = np.lib.stride_tricks.sliding_window_view(x, width)
            assert same_bits(upsweep.windowed(x, width, "max"), views.max(axis=1))


def test_windows_run_along_an_axis():
    x = scattered(60, "int16").reshape(6, 10)
    for axis in (0, 1):
        views = np.lib.stride_tricks.sliding_window_view(x, 3, axis=axis)
        assert same_bits(upsweep.windowed(x, 3, axis=axis), views.sum(axis=-1))
    with pytest.raises(ValueError, match="width=0"):
        upsweep.windowed(x, 0, axis=0)


@pytest.mark.parametrize("dtype", INTEGERS + ["float32", "float64"])
@pytest.mark.parametrize("bins", [1, 10, 1000, [-100, 0, 3, 50.5, 99]])
def test_histograms_are_numpys(dtype, bins):
    x = scattered(5000, dtype)
    if np.dtype(dtype).kind == "f":
        x = np.clip(x, -120, 120)
    elif x.itemsize == 8:
        x = x // 2**12  # what float64 holds
    for limits in (None, (0, 100), (-3.5, 7.25)):
        expected, edges = np.histogram(x.astype("f8"), bins, limits)
        for layout, a in layouts(x):
            counts, ours = upsweep.histogram(a, bins, limits)
            assert same_bits(ours, edges.astype("f8")), layout
            assert same_bits(counts, expected), layout
    shares = upsweep.histogram(x, bins, density=True)[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        np.testing.assert_array_equal(shares, np.histogram(x.astype("f8"), bins, density=True)[0])


def test_no_integer_falls_off_the_ends_of_a_histogram():
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        x = np.array([info.min, info.max, info.min + 1, info.max - 1], dtype)
        assert upsweep.histogram(x, 2)[0].tolist() == [2, 2], dtype
    assert upsweep.histogram(np.array([2**62]), 1)[0].tolist() == [1]
    for x in ([-(2**63) + 600, 0], [0, 2**63 - 600]):  # float64 rounds them to the inside
        assert upsweep.histogram(np.array(x), 2)[0].tolist() == [1, 1]


def test_weights_of_bins_have_the_bits_of_their_sum():
    x, weights = scattered(5000, "float16"), scattered(5000, "float32")
    sums, edges = upsweep.histogram(x, 6, (-2, 2), weights=weights)
    for b in range(6):
        last = x <= edges[b + 1] if b == 5 else x < edges[b + 1]
        own = weights[(x >= edges[b]) & last]
        assert same_bits(sums[b], tree_sums(own)[-1]), b
    highest = upsweep.weighted_histogram(x, weights, edges, op="max")[0]
    assert highest[0] == weights[(x >= edges[0]) & (x < edges[1])].max()


def test_indices_are_counted():
    for dtype in INTEGERS:
        x = np.abs(scattered(3000, "int8") % 100).astype(dtype)
        assert same_bits(upsweep.bincount(x), np.bincount(x.astype(int))), dtype
        assert same_bits(upsweep.bincount(x, minlength=200), np.bincount(x.astype(int), None, 200))
        weights = np.arange(3000) % 17
        expected = np.bincount(x.astype(int), weights)
        assert same_bits(upsweep.bincount(x, weights), expected), dtype
    x, weights = np.abs(scattered(3000, "int8") % 10), scattered(3000)
    sums = [tree_sums(weights[x == k])[-1] for k in range(10)]
    assert same_bits(upsweep.bincount(x, weights), np.array(sums))
    assert upsweep.bincount(np.array([True, True])).tolist() == [0, 2]
    assert upsweep.bincount([]).tolist() == []
    with pytest.raises(ValueError, match="element -1"):
        upsweep.bincount([1, -1])
    with pytest.raises(TypeError, match="float64; give integers"):
        upsweep.bincount([1.5])
    with pytest.raises(ValueError, match="2 dimensions; give one"):
        upsweep.bincount([[1]])
    with pytest.raises(ValueError, match="2 weights, but x has 1"):
        upsweep.bincount([1], [1, 2])


@pytest.mark.parametrize("rule", ["auto", "fd", "sqrt", "sturges"])
def test_rules_for_the_number_of_bins_are_those_of_numpy(rule):
    for x in (scattered(1000, "float16").astype(float), np.arange(50) // 3):
        for limits in (None, (1, 9)):
            counts, edges = upsweep.histogram(x, rule, limits)
            expected = np.histogram(x, rule, limits)
            assert same_bits(counts, expected[0]) and same_bits(edges, expected[1])


@pytest.mark.parametrize(
    "error, sentence, arguments",
    [
        (ValueError, "at least 1 bin", {"bins": 0}),
        (ValueError, "ascending edges", {"bins": [3, 1]}),
        (ValueError, "ascending edges", {"bins": [0, 0, 1]}),
        (TypeError, "bins='auto' is a rule", {"bins": "auto", "weights": [1, 2, 3]}),
        (ValueError, "not a valid estimator", {"bins": "best"}),
        (TypeError, "lowest and the highest", {"range": (1,)}),
        (TypeError, "range=None is not a number", {"range": (None, 1)}),
        (TypeError, "bins=2.5 is not an integer", {"bins": 2.5}),
        (
            ValueError,
            "cannot distinguish the edges of 10 bins from 1.0 to 1.0000000000000002",
            {"range": (1, 1 + 2**-52)},
        ),
        (ValueError, "not a finite range", {"range": (1, 0)}),
        (ValueError, "not a finite range", {"range": (0, np.inf)}),
        (ValueError, "2 weights, but x has 3", {"weights": [1, 2]}),
    ],
)
def test_wrong_histograms_are_refused(error, sentence, arguments):
    with pytest.raises(error, match=sentence):
        upsweep.histogram([1.0, 2.0, 3.0], **arguments)
    with pytest.raises(ValueError, match="nan"):
        upsweep.histogram([1.0, np.nan])


def test_keys_that_equal_no_other_are_refused():
    for keys in (np.array(["NaT"], "M8[D]"), np.array([complex("nan")]), np.longdouble([np.nan])):
        with pytest.raises(ValueError, match="a key is Na[NT], which equals no key"):
            upsweep.group_reduce(keys, [1])


def test_weights_have_the_shape_of_the_elements():
    x = np.arange(6).reshape(2, 3)
    with pytest.raises(ValueError, match=r"weights have the shape \(3, 2\), but x has \(2, 3\)"):
        upsweep.histogram(x, 2, weights=x.T)
    with pytest.raises(ValueError, match=r"weights have the shape \(1, 2\), but x has \(2,\)"):
        upsweep.bincount([0, 1], [[1.0, 2.0]])
