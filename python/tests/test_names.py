"""What people type who come from NumPy: its names, its functions as operators, options in short
calls, and what Python's tools expect of a function.
"""

import gc
import math
import operator
import pickle
import weakref
from fractions import Fraction

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered

OPERATORS = [
    "add",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "gcd",
]


@pytest.mark.parametrize("name", OPERATORS)
def test_numpys_functions_are_our_operators(name):
    ours, theirs = getattr(upsweep, name), getattr(np, name)
    x = np.array([4, 6, 2, 8, 0], np.int16)
    assert same_bits(upsweep.reduce(x, theirs), upsweep.reduce(x, ours))
    assert same_bits(upsweep.scan(x, theirs), upsweep.scan(x, ours))
    assert same_bits(upsweep.scan(x.tolist(), theirs), upsweep.scan(x.tolist(), ours))
    assert same_bits(upsweep.windowed(x, 2, theirs), upsweep.windowed(x, 2, ours))
    borders = [0, 2, 5]
    assert same_bits(
        upsweep.segment_reduce(x, borders, theirs), upsweep.segment_reduce(x, borders, ours)
    )
    keys = [1, 2, 1, 2, 1]
    for verb in (upsweep.group_reduce, upsweep.group_scan):
        assert repr(verb(keys, x, theirs)) == repr(verb(keys, x, ours))
    assert repr(upsweep.Stream(theirs, x.dtype)) == repr(upsweep.Stream(ours, x.dtype))
    assert ours(4, 6) == theirs(4, 6)
    assert ours(x, 2, dtype=theirs(x, 2).dtype).tolist() == theirs(x, 2).tolist()


def test_numpys_functions_of_objects_are_called():
    assert upsweep.reduce(["a", "b"], operator.add) == "ab"
    halves = [Fraction(1, 2), Fraction(1, 3)]
    assert upsweep.reduce(halves, np.add) == Fraction(5, 6)
    assert upsweep.scan(np.array(halves, object), np.maximum)[1] == Fraction(1, 2)
    assert upsweep.reduce([1.0, 2.0], np.hypot) == np.hypot(1, 2)  # not one of our operators
    with pytest.raises(TypeError, match="not an operator of the library"):
        upsweep.windowed([1.0, 2.0], 2, np.hypot)


def test_other_libraries_names_have_a_hint():
    for name, hint in {
        "cumsum": "cumulative_sum",
        "cumprod": "cumulative_prod",
        "nansum": "where=~numpy.isnan",
        "nanmean": "skipna=True",
        "nanmedian": "median.x, skipna=True",
        "nanargmin": "argmin.numpy.where",
        "nanargmax": "-inf",
        "nancumsum": "cumulative_sum",
        "amax": "upsweep.max",
        "rolling": "windowed",
        "groupby": "group_reduce",
        "ewm": "upsweep.ema",
        "rankdata": "upsweep.rank",
        "cov": "covariance",
        "value_counts": "unique",
        "ptp": "minmax",
    }.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}'; .*{hint}"):
            getattr(upsweep, name)
    for name in ("nothing", "nan", "nanthing", "_cumsum"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'$"):
            getattr(upsweep, name)


def test_functions_are_what_tools_expect():
    for function in (
        upsweep.sum,
        upsweep.cummax,
        upsweep.windowed,
        upsweep.add,
        upsweep.add.reduce,
    ):
        assert weakref.ref(function)() is function
        assert pickle.loads(pickle.dumps(function)) is function
    assert upsweep.add.reduce.__name__ == "reduce" and "ufunc" in upsweep.add.reduce.__doc__
    gc.collect()
    assert upsweep.add.reduce([1, 2]) == 3


# Options, and whether NumPy's function takes them.
X, M = scattered(8), scattered(12).reshape(3, 4)
OPTIONS = [
    (M, {"axis": 0, "keepdims": True}),
    (M, {"axis": 1, "keepdims": True}),
    (M, {"axis": -1, "keepdims": False}),
    (M, {"keepdims": True}),
    (M, {"axis": (0, 1)}),
    (M, {"axis": (1, 0)}),
    (M, {"axis": (-1,)}),
    (M, {"axis": (0, -1), "keepdims": True}),
    (M, {"axis": None}),
    (X, {"axis": 0, "keepdims": True}),
    (X, {"dtype": np.float64}),
    (X, {"dtype": "float64"}),
    (X, {"dtype": np.dtype(float)}),
    (X, {"dtype": None, "out": None, "where": True}),
    (X, {"where": X > 0}),
    (M, {"where": M > 0}),
    (M, {"where": M > 0, "axis": (0, 1)}),
    (M, {"where": M > 0, "keepdims": True}),
    (M, {"where": M[0] > 0}),
    (X, {"where": (X > 0).astype(object).astype(bool)}),
    (X, {"initial": 2.0}),
    (X, {"initial": 2}),
    (M, {"axis": 0, "initial": 2.5}),
    (M, {"axis": 1, "initial": np.float64(2.5)}),
    (X.tolist(), {}),
    (M.tolist(), {"axis": 0}),
    ([1, 2, 3], {"initial": 4}),
    ([], {}),
    ([True, False], {}),
]


@pytest.mark.parametrize("x, options", OPTIONS, ids=lambda v: str(v)[:40])
@pytest.mark.parametrize("name", ["sum", "prod", "max"])
def test_options_of_short_calls_mean_what_they_mean_in_numpy(name, x, options):
    if name == "max" and ("dtype" in options or not len(x)):
        return
    if name == "max" and "where" in options and "initial" not in options:
        options = {**options, "initial": -1e300}
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, **options)
    result = getattr(upsweep, name)(x, **options)
    assert type(result) is type(expected) and result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert np.shape(result) == np.shape(expected)
    if "where" not in options:
        rest = {key: value for key, value in options.items() if key != "initial"}
        out = np.empty(np.shape(expected), expected.dtype)
        if out.ndim and "out" not in options:
            assert getattr(upsweep, name)(x, **{**options, "out": out}) is out
            assert same_bits(out, result)
        assert same_bits(
            getattr(upsweep, name)(np.asarray(x), **options, threads=2),
            getattr(upsweep, name)(np.asarray(x), **{**rest, **options}),
        )


def test_outputs_that_do_not_fit_are_refused_or_filled_elsewhere():
    for out in (np.empty(3), np.empty((1, 4)), np.empty((4, 1))):
        with pytest.raises(ValueError, match="out has the shape"):
            upsweep.sum(M, axis=0, out=out)
    with pytest.raises(TypeError, match="does not hold float64"):
        upsweep.sum(M, axis=0, out=np.empty(4, int))
    wide = np.empty((4, 2))
    assert upsweep.sum(M, axis=0, out=wide[:, 0]).tolist() == upsweep.sum(M, axis=0).tolist()
    narrow = np.empty(4, np.float32)
    assert upsweep.sum(M, axis=0, out=narrow).dtype == np.float32
    square = np.arange(16.0).reshape(4, 4)
    expected = square.sum(axis=0)
    assert upsweep.sum(square, axis=0, out=square[0]).tolist() == expected.tolist()
    kept = np.arange(4.0)
    kept.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        upsweep.sum(M, axis=0, out=kept)
    one = np.empty(())
    assert upsweep.sum(M, out=one) is one and one == upsweep.sum(M)


def test_short_lists_are_not_rounded():
    assert upsweep.sum([2**53 + 1, -1]) == 2**53
    assert upsweep.max([2.0**53, 1.0]) == 2.0**53
    for x in ([2**63, -1], [2**63 + 1, 1, 2.5, 2**64]):
        with pytest.raises((TypeError, OverflowError)):
            upsweep.exact_sum(x, dtype="int64")
    with pytest.raises(TypeError):
        upsweep.sum(["a"])
    with pytest.raises(ValueError, match="inhomogeneous"):
        upsweep.sum([[1], [1, 2]])
    assert upsweep.sum([0.5] * 64) == 32 and upsweep.sum([0.5] * 65) == 32.5


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_methods_of_operators_run_along_the_first_axis(method):
    ours, theirs = getattr(upsweep.add, method), getattr(np.add, method)
    for x in (X, M, scattered(24).reshape(2, 3, 4), M.tolist(), [1, 2]):
        assert same_bits(np.asarray(ours(x)), ours(x, axis=0))
        np.testing.assert_allclose(ours(x), theirs(x))
        np.testing.assert_allclose(ours(x, dtype=None), theirs(x, dtype=None))
        np.testing.assert_allclose(ours(x, -1), theirs(x, -1))
    np.testing.assert_allclose(upsweep.add.reduce(M, axis=None), np.add.reduce(M, axis=None))
    with pytest.raises(ValueError, match="give the axis"):
        upsweep.add.accumulate(M, axis=None)


def test_stretches_of_many_lines_are_those_of_each():
    x = scattered(600).reshape(20, 30)
    for at in ([0, 10, 20], [3, 10], [5, 2, 7, 7], [29], [0]):
        for ours, theirs in ((upsweep.add, np.add), (upsweep.maximum, np.maximum)):
            results = ours.reduceat(x, at, axis=1)
            np.testing.assert_allclose(results, theirs.reduceat(x, at, axis=1), rtol=1e-9)
            assert same_bits(results, np.stack([ours.reduceat(row, at) for row in x]))
            assert same_bits(ours.reduceat(x.T, at, axis=0), np.ascontiguousarray(results.T))
    assert upsweep.add.reduceat(np.ones((0, 3)), [0, 1], axis=1).shape == (0, 2)
    assert upsweep.add.reduceat(np.ones((2, 3)), np.empty(0, int), axis=1).shape == (2, 0)


def test_counts_of_lists_and_weights():
    for weights in (None, [0.5, 1.5, 2.0], np.array([1, 2, 3]), np.array([0.5, 1, 2], np.float32)):
        for x in ([1, 3, 1], np.array([1, 3, 1]), np.array([1, 3, 1], np.uint8)):
            for least in (0, 2, 9):
                np.testing.assert_array_equal(
                    upsweep.bincount(x, weights=weights, minlength=least),
                    np.bincount(x, weights, least),
                )
    for x, weights in (([1.0], None), ([-1], [1.0]), ([1, 2], [1.0]), (["a"], None), (None, None)):
        with pytest.raises((ValueError, TypeError), match="bincount"):
            upsweep.bincount(x, weights)
    assert upsweep.bincount([], [], 2).tolist() == [0, 0]


def test_flags_of_columns_are_all_or_any():
    for shape in ((3, 20), (100, 9), (2, 8), (1, 30), (50, 1)):
        for share in (0.02, 0.5, 0.98):
            flags = np.random.default_rng(shape[0]).random(shape) < share
            for name in ("all", "any"):
                for axis in (0, 1):
                    result = getattr(upsweep, name)(flags, axis=axis)
                    expected = getattr(np, name)(flags, axis=axis)
                    assert result.dtype == bool and result.tolist() == expected.tolist()
                    result = getattr(upsweep, name)(flags.astype(np.uint8) * 6, axis=axis)
                    assert result.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "function, give",
    [
        (sum, "builtins.sum .* give 'sum'"),
        (np.max, "numpy.max .* give 'max'"),
        (np.cumsum, "numpy.cumsum .* give 'sum'"),
        (math.fsum, "math.fsum .* give 'exact_sum'"),
        (upsweep.prod, "upsweep.prod .* give 'product'"),
        (
            np.mean,
            "numpy.mean .* give 'mean' in segments, groups and windows, or call upsweep.mean",
        ),
    ],
)
def test_functions_of_arrays_are_no_operators(function, give):
    for call in (
        lambda: upsweep.reduce([1.0, 2.0], function),
        lambda: upsweep.scan([1.0, 2.0], function),
        lambda: upsweep.Stream(function),
        lambda: upsweep.windowed([1.0, 2.0], 2, function),
        lambda: upsweep.group_reduce([1, 1], [1.0, 2.0], function),
    ):
        with pytest.raises(TypeError, match=give.replace(" .* ", " is a function of an array.* ")):
            call()
    assert upsweep.reduce([3, 1], max) == upsweep.reduce([3, 1], upsweep.monoid(max)) == 3
    assert upsweep.reduce([[1, 2], [3, 1]], np.convolve).tolist() == [3, 7, 2]


def test_operators_of_other_functions_have_no_name():
    for call in (upsweep.reduce, upsweep.scan):
        with pytest.raises(ValueError, match="'affine' is not an operator; the operators are"):
            call([1.0, 2.0], "affine")
    with pytest.raises(ValueError, match="'affine' is not an operator"):
        upsweep.Stream("affine")
    with pytest.raises(TypeError, match="sin is not a function of two operands"):
        upsweep.reduce([1.0, 2.0], np.sin)
    for least in (1.5, "a"):
        with pytest.raises(TypeError, match="windowed: min_periods=.* is not an integer"):
            upsweep.windowed([1.0, 2.0], 2, min_periods=least)
