"""Reductions beside NumPy, math.fsum, Python's integers and the combine tree."""

import copy
import inspect
import math
import pickle
import re

import numpy as np
import pytest
import upsweep
from reference import (
    FLOATS,
    INTEGERS,
    SIZES,
    fsum,
    layouts,
    same_bits,
    scattered,
    tree_sums,
    wrapped,
)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_of_integers_are_those_of_python_in_64_bits(dtype):
    for n in SIZES:
        x = scattered(n, dtype)
        for layout, a in layouts(x):
            total = upsweep.sum(a)
            assert int(total) == wrapped(sum(x.tolist()), dtype), (n, layout)
            assert total.dtype == np.sum(x).dtype, (n, layout)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_floats_are_those_of_the_tree(dtype):
    for n in SIZES[1:]:
        x = scattered(n, dtype)
        expected = tree_sums(x)[-1]
        for layout, a in layouts(x):
            for threads in (1, 2):
                assert same_bits(upsweep.sum(a, threads=threads), expected), (n, layout)


def test_products_wrap_and_widen_as_sums_do():
    x = np.array([3, 5, 7] * 20, np.int8)
    assert int(upsweep.prod(x)) == wrapped(105**20, "int64")
    assert upsweep.prod([1.5, 2.0]) == 3.0
    assert upsweep.prod(np.empty(0)) == 1.0


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_extrema_are_those_of_numpy(dtype):
    for n in SIZES[1:]:
        x = scattered(n, dtype)
        for layout, a in layouts(x):
            assert same_bits(upsweep.min(a), np.min(x)), (n, layout)
            assert same_bits(upsweep.max(a), np.max(x)), (n, layout)
            assert upsweep.argmin(a) == np.argmin(x), (n, layout)
            assert upsweep.argmax(a) == np.argmax(x), (n, layout)
            low, high = upsweep.minmax(a)
            assert (low, high) == (np.min(x), np.max(x)), (n, layout)


def test_nan_is_the_extreme_and_its_position():
    x = np.array([1.0, np.nan, 3.0, np.nan])
    assert np.isnan(upsweep.min(x)) and np.isnan(upsweep.max(x))
    assert upsweep.argmin(x) == upsweep.argmax(x) == 1
    assert upsweep.reduce(x, "max_number") == 3.0
    assert upsweep.fmin.reduce(x) == 1.0


def test_minus_zero_lies_below_zero_and_stays_in_sums():
    assert math.copysign(1, upsweep.min([0.0, -0.0])) == -1
    assert math.copysign(1, upsweep.max([-0.0, 0.0])) == 1
    assert math.copysign(1, upsweep.sum([-0.0, -0.0])) == -1


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_any_all_and_count_are_those_of_numpy(dtype):
    x = scattered(3000, dtype)
    x[::3] = 0
    for a in (x, x[1::3], x[::3], x[:0], x > 0):
        assert upsweep.any(a) == np.any(a)
        assert upsweep.all(a) == np.all(a)
        assert upsweep.count_nonzero(a) == np.count_nonzero(a)


def test_exact_sums_of_floats_are_those_of_fsum():
    for n in SIZES:
        x = scattered(n)
        for layout, a in layouts(x):
            assert upsweep.exact_sum(a) == fsum(x), (n, layout)
    x = scattered(1000, np.float32)
    assert upsweep.exact_sum(x) == np.float32(fsum(x))


def test_exact_sums_of_integers_are_exact_or_an_error():
    assert upsweep.exact_sum(np.array([2**62, 2**62 - 1])) == 2**63 - 1
    with pytest.raises(OverflowError, match="index 1|element 1|row 1|1"):
        upsweep.exact_sum(np.array([2**62, 2**62]))
    assert upsweep.exact_sum([True, True]) == 2


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "float64"])
def test_moments_are_those_of_numpy_in_double(dtype):
    for n in SIZES[1:]:
        x = scattered(n, dtype)
        if np.dtype(dtype).kind == "f":
            x = (scattered(n, "float16") + 100).astype(dtype)
        wide = x.astype(np.float64)
        rtol = 1e-6 if dtype == "float32" else 1e-12
        np.testing.assert_allclose(upsweep.mean(x), np.mean(wide), rtol=rtol)
        np.testing.assert_allclose(upsweep.var(x), np.var(wide), rtol=rtol)
        np.testing.assert_allclose(upsweep.std(x), np.std(wide), rtol=rtol)
        if n > 1:
            expected = np.var(wide, ddof=1)
            np.testing.assert_allclose(upsweep.var(x, correction=1), expected, rtol=rtol)
    assert upsweep.mean(scattered(5, "float32")).dtype == np.float32
    assert np.isnan(upsweep.mean([])) and np.isnan(upsweep.var([1.0], correction=1))


def test_log_sum_exp_is_the_logarithm_of_the_sum():
    for n in SIZES[1:]:
        x = scattered(n, "float16").astype(np.float64)
        expected = math.log(math.fsum(math.exp(v) for v in x))
        np.testing.assert_allclose(upsweep.logsumexp(x), expected, rtol=1e-13)
        np.testing.assert_allclose(
            upsweep.logsumexp(x.astype("f4")), expected, rtol=1e-5, atol=1e-5
        )
    assert upsweep.logsumexp([]) == -np.inf
    assert upsweep.logsumexp([-5000, -5000]) == -5000 + math.log(2)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 2), (1, 2), (2, 0), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_are_numpys(axis, keepdims):
    x = scattered(5 * 7 * 9, "int32").reshape(5, 7, 9)
    for a in (x, np.asfortranarray(x), x.transpose(2, 0, 1), x[::2, ::-1]):
        for name in ("sum", "prod", "min", "max", "any", "all"):
            expected = getattr(np, name)(a, axis=axis, keepdims=keepdims)
            result = getattr(upsweep, name)(a, axis=axis, keepdims=keepdims)
            assert same_bits(result, expected), name
        expected = np.count_nonzero(a, axis=axis, keepdims=keepdims)
        assert same_bits(upsweep.count_nonzero(a, axis=axis, keepdims=keepdims), np.int64(expected))


@pytest.mark.parametrize(
    "axis", [(0, 2), (1, 3), (0, 1), (2, 3), (0, 2, 3), (0, 3), (1,), (3, 0, 1)]
)
def test_moments_along_several_axes_of_any_layout_are_numpys(axis):
    x = scattered(4 * 6 * 5 * 3, "float64").reshape(4, 6, 5, 3) / 7
    for a in (x, np.asfortranarray(x), x[::-1, ::2], x[..., 1:], np.broadcast_to(x[:1], x.shape)):
        expected = np.mean(a, axis=axis), np.var(a, axis=axis), np.max(a, axis=axis)
        found = upsweep.mean(a, axis=axis), upsweep.var(a, axis=axis), upsweep.max(a, axis=axis)
        for result, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-12, atol=1e-14)


def test_means_along_an_axis_have_the_bits_of_each_line_alone():
    for shape in ((31, 33), (1000, 9), (9, 1000), (3, 5, 64)):
        for dtype in ("float32", "float64", "int32"):
            x = scattered(math.prod(shape), dtype).reshape(shape)
            for axis in range(len(shape)):
                lines = np.moveaxis(x, axis, -1).reshape(-1, shape[axis])
                for function in (upsweep.mean, upsweep.var, upsweep.std):
                    alone = np.array([function(np.ascontiguousarray(line)) for line in lines])
                    for options in ({}, {"threads": 1}):
                        results = function(x, axis=axis, **options)
                        assert results.dtype == alone.dtype
                        assert same_bits(results.ravel(), alone), (function, shape, dtype, axis)


def test_fields_of_structures_are_lines_too():
    x = np.zeros((6, 4), np.dtype([("a", "u1"), ("b", "f8"), ("c", "u1")]))  # 10 bytes apart
    x["b"] = scattered(24, "float64").reshape(6, 4)
    assert same_bits(upsweep.sum(x["b"], axis=0), upsweep.sum(x["b"].copy(), axis=0))


def test_elements_of_several_axes_are_in_the_order_of_their_indices():
    x = scattered(5 * 7 * 90, "float32").reshape(5, 7, 90)
    for axes in ((0, 2), (2, 0), (-1, -3)):
        expected = [tree_sums(x[:, j, :].ravel())[-1] for j in range(7)]
        assert same_bits(upsweep.sum(x, axis=axes), np.array(expected)), axes


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_bits_of_a_line_are_those_of_the_line_alone(axis):
    x = scattered(300 * 40, "float32").reshape(300, 40)
    lines = {None: [x.ravel()], 0: list(x.T), 1: list(x)}[axis]
    expected = np.array([tree_sums(line)[-1] for line in lines])
    for a in (x, np.asfortranarray(x)):
        for threads in (1, 2):
            result = upsweep.sum(a, axis=axis, threads=threads)
            assert same_bits(np.ravel(result), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64", "int32"])
@pytest.mark.parametrize("shape", [(0, 9), (1, 8), (7, 8), (8, 128), (100, 129), (1025, 300)])
def test_columns_are_summed_along_the_tree(dtype, shape):
    x = scattered(shape[0] * shape[1], dtype).reshape(shape)
    y = np.stack([x, x[::-1]])
    for threads in (1, 2):
        for options in ({}, {"initial": 3}):
            for axis, array, columns in ((0, x, x.T), (1, y, np.concatenate([x.T, x[::-1].T]))):
                result = upsweep.sum(array, axis=axis, threads=threads, **options).ravel()
                expected = [upsweep.sum(column.copy(), **options) for column in columns]
                assert same_bits(result, np.array(expected)), (threads, options, axis)
    if shape[0] and dtype.startswith("float"):
        assert same_bits(upsweep.sum(x, axis=0)[-1], tree_sums(x[:, -1])[-1])
    zeros = np.full((3, 16), -0.0)
    assert np.signbit(upsweep.sum(zeros, axis=0)).all()


def plain_nan(a):
    """The same with one NaN: which payload and sign a result has is open."""
    return np.where(np.isnan(a), np.array(np.nan, a.dtype), a) if a.dtype.kind == "f" else a


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int32", "uint32", "int64", "uint64", "uint8", "int16"]
)
@pytest.mark.parametrize("shape", [(1, 8), (7, 8), (8, 128), (31, 129), (33, 9), (1025, 300)])
def test_columns_and_short_lines_have_the_results_of_lines_alone(dtype, shape):
    x = scattered(shape[0] * shape[1], dtype).reshape(shape)
    if dtype.startswith("float"):
        values = [np.nan, np.inf, -np.inf, 0.0, -0.0]
        x[:, ::3] = np.random.default_rng(1).choice(values, x[:, ::3].shape)
        x[:, 1] = np.copysign(0, x[:, 1])
    for name in ("min", "max", "argmin", "argmax", "mean", "var"):
        function = getattr(upsweep, name)
        expected = np.array([function(column.copy()) for column in x.T])
        for a, axis in ((x, 0), (np.ascontiguousarray(x.T), 1)):
            for threads in (1, 2):
                results = function(a, axis=axis, threads=threads)
                assert same_bits(plain_nan(results), plain_nan(expected)), (name, axis, threads)


@pytest.mark.parametrize(
    "source, dtype",
    [
        ("int8", "int64"),
        ("int64", "int32"),
        ("uint8", "uint16"),
        ("int32", "float32"),
        ("int64", "float64"),
        ("float32", "float64"),
        ("float16", "float32"),
        ("bool", "uint8"),
        ("bool", "float64"),
    ],
)
def test_dtype_is_the_type_of_the_result(source, dtype):
    x = scattered(1000, "float32") > 0 if source == "bool" else scattered(1000, source)
    result = upsweep.sum(x, dtype=dtype)
    assert result.dtype == dtype
    if np.dtype(dtype).kind == "f":
        assert same_bits(result, tree_sums(x.astype(dtype))[-1])
    else:
        assert same_bits(result, np.sum(x, dtype=dtype))


def test_narrow_results_are_rounded_at_the_end():
    x = np.ones(65536, np.float16)
    assert upsweep.sum(x) == 65536 and upsweep.sum(x).dtype == np.float32
    x = np.full(5000, 0.1, np.float16)
    assert same_bits(upsweep.sum(x, dtype="float16"), np.float16(upsweep.sum(x)))


def test_initial_stands_on_the_left():
    x = scattered(1000)
    assert same_bits(upsweep.sum(x, initial=3.5), np.float64(3.5) + tree_sums(x)[-1])
    assert upsweep.max([], initial=7) == 7
    assert upsweep.sum(np.empty((3, 0), "int32"), axis=1, initial=2).tolist() == [2, 2, 2]
    assert upsweep.reduce([0, 0], "any", initial=True)


def test_out_is_filled_and_returned():
    x = scattered(60, "int16").reshape(6, 10)
    for out in (np.zeros(6, "int64"), np.zeros((6, 2), "int64")[:, 1], np.zeros(6, "float64")):
        result = upsweep.sum(x, axis=1, out=out)
        assert result is out
        assert out.tolist() == np.sum(x, axis=1).tolist()
    out = np.zeros(())
    assert upsweep.sum([1.5, 2.0], out=out) is out and out == 3.5
    x = np.arange(12.0).reshape(3, 4)
    expected = x.sum(axis=1)
    assert upsweep.sum(x, axis=1, out=x[:, 1]).tolist() == expected.tolist()


def test_functions_that_are_called_without_python_are_functions():
    for function in (upsweep.sum, upsweep.cummin):
        assert pickle.loads(pickle.dumps(function)) is copy.deepcopy(function) is function
        assert next(iter(inspect.signature(function).parameters)) == "x"
        assert inspect.isroutine(function) and function.__doc__
        assert type("Own", (), {"of": function})().of.__self__
    x = np.arange(6.0).reshape(2, 3)
    for wrong in ({"axis": 2}, {"axis": "0"}, {"axes": 0}, {"axis": 2**70}):
        with pytest.raises((TypeError, ValueError, OverflowError)) as general:
            upsweep.sum.__wrapped__(x, **wrong)
        with pytest.raises(general.type, match=f"^{re.escape(str(general.value))}$"):
            upsweep.sum(x, **wrong)
    with pytest.raises(TypeError, match="positional"):
        upsweep.sum()


def test_all_ways_of_a_call_have_the_same_results():
    for dtype in ("bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64"):
        x = scattered(60, dtype if dtype != "bool" else "int8").astype(dtype).reshape(3, 4, 5)
        for function in (upsweep.sum, upsweep.max, upsweep.argmin, upsweep.any, upsweep.prod):
            for axis in (None, 0, 1, -1):
                got, same = function(x, axis=axis), function(x, axis=axis, threads=1)
                assert same_bits(got, same) and type(got) is type(same), (function, dtype, axis)
        for function in (upsweep.mean, upsweep.var, upsweep.std):
            got, same = function(x), function(x, threads=1)
            assert same_bits(got, same) and type(got) is type(same), (function, dtype)
        assert np.isnan(upsweep.var(x[0, 0, :1], correction=1))
        for function in (upsweep.cumulative_sum, upsweep.cummax):
            for axis in (0, 1, -1):
                assert same_bits(function(x, axis=axis), function(x, axis=axis, threads=1))
            assert same_bits(function(x[0, 0]), function(x[0, 0], threads=1))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_where_chooses_the_elements(axis, keepdims):
    random = np.random.default_rng(1)
    x, where = random.integers(-50, 50, (30, 20)), random.random((30, 20)) < 0.4
    how = {"axis": axis, "keepdims": keepdims}
    for flags in (where, where[0], where[:, :1]):
        for name in ("sum", "prod", "any", "all"):
            expected = getattr(np, name)(x, where=flags, **how)
            assert np.array_equal(getattr(upsweep, name)(x, where=flags, **how), expected)
        for name in ("min", "max"):
            expected = getattr(np, name)(x, where=flags, initial=7, **how)
            result = getattr(upsweep, name)(x, where=flags, initial=7, **how)
            assert np.array_equal(result, expected)
    expected = np.add.reduce(x, axis=axis, where=where)
    assert np.array_equal(upsweep.add.reduce(x, axis=axis, where=where), expected)


def test_sums_of_chosen_elements_have_the_bits_of_these_alone():
    x = scattered(3000).reshape(3, 1000)
    where = np.random.default_rng(2).random(x.shape) < 0.5
    alone = [upsweep.sum(row[flags]) for row, flags in zip(x, where, strict=True)]
    assert upsweep.sum(x, axis=1, where=where).tolist() == alone
    assert upsweep.sum(x, where=where) == upsweep.sum(x[where])
    assert upsweep.sum(x, where=True) == upsweep.sum(x)


def test_wrong_flags_are_refused():
    with pytest.raises(ValueError, match="max: no element of where is true"):
        upsweep.max([[1, 2], [3, 4]], axis=1, where=[[True, False], [False, False]])
    with pytest.raises(TypeError, match="sum: where has the type int64; give Booleans"):
        upsweep.sum([1, 2], where=[0, 1])
    with pytest.raises(ValueError, match=r"\(3,\), which does not broadcast to \(2,\)"):
        upsweep.sum([1, 2], where=[True] * 3)
