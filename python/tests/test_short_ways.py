"""Calls that have a way of their own in the extension have the results of the others."""

import math

import numpy as np
import pytest
import upsweep
from reference import FLOATS, INTEGERS, same_bits, scattered

NAN = math.nan


def key_of(v):
    """The place of a number in the library's order, in which -0 comes before +0."""
    return (v, math.copysign(1, v)) if isinstance(v, float) else v


def in_order(line, descending):
    """The positions of the numbers of a line, sorted by Python, which is stable."""
    numbers = line.astype(np.float64 if line.dtype.kind == "f" else object).tolist()
    low = [i for i, v in enumerate(numbers) if v != v and np.signbit(line[i])]
    high = [i for i, v in enumerate(numbers) if v != v and not np.signbit(line[i])]
    rest = [i for i, v in enumerate(numbers) if v == v]
    if descending:
        return high + sorted(rest, key=lambda i: key_of(numbers[i]), reverse=True) + low
    return low + sorted(rest, key=lambda i: key_of(numbers[i])) + high


def same_numbers(a, b):
    """The same bits, but for those of NaN, which are outside of the contract."""
    a, b = np.asarray(a), np.asarray(b)
    plain = (np.where(v != v, NAN, v).astype(v.dtype) for v in (a, b))
    return same_bits(*plain)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("descending", [False, True])
def test_short_lines_are_sorted_as_others(dtype, descending):
    """Up to 128 elements; few lines, and those after the last full block of lines."""
    for size in (1, 2, 3, 7, 8, 17, 50, 64, 100, 127, 128, 129):
        lines = 3 + 64 // np.dtype(dtype).itemsize
        x = scattered(lines * size, dtype, seed=size).reshape(lines, size)
        x[:, ::3] = x[:, :1]  # equal elements keep their order
        if x.dtype.kind == "f":
            x[1, ::4], x[1, 1::4], x[2, ::5], x[2, 1::5] = 0.0, -0.0, np.inf, -np.inf
            x[-1, ::6], x[0, ::7] = np.nan, np.copysign(np.nan, -1)
        for some in (x, x[:2], x[: lines // 2], x.reshape(-1, 1, size), np.asfortranarray(x)):
            order = upsweep.argsort(some, descending=descending)
            expected = [in_order(line, descending) for line in some.reshape(-1, size)]
            assert order.reshape(-1, size).tolist() == expected, size
            found = upsweep.sort(some, descending=descending)
            assert same_bits(found, np.take_along_axis(some, order, -1)), size


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_quantiles_of_short_lines_are_those_of_each(dtype):
    shares = [0.0, 0.3, 0.5, 1.0, 0.99]
    for size in (1, 2, 3, 50, 127, 128, 129):
        x = scattered(70 * size, dtype, seed=size).reshape(70, size)
        if x.dtype.kind == "f":
            x[3, 0], x[4, -1], x[5, :] = np.nan, np.copysign(np.nan, -1), np.inf
        for q in (shares[1], shares):
            found = upsweep.quantile(x, q, axis=1)
            each = [upsweep.quantile(line, q) for line in x]
            assert same_bits(found, np.array(each).T), size
    with pytest.raises(ValueError, match="not between 0 and 1"):
        upsweep.quantile(np.ones((70, 3)), 1.5, axis=1)


@pytest.mark.parametrize("axis", [0, -1, np.int64(0), True, (0,), 1, None, 0.0])
def test_axes_of_one_dimension(axis):
    """An axis beside an array of one dimension, of two, and one that does not exist."""
    x = np.array([3.0, 1.0, 2.0])
    calls = {
        "sort": lambda a: upsweep.sort(a, axis=axis),
        "argsort": lambda a: upsweep.argsort(a, axis=axis),
        "ema": lambda a: upsweep.ema(a, 0.5, axis=axis),
        "linear_recurrence": lambda a: upsweep.linear_recurrence(0.5, a, axis=axis),
    }
    for name, call in calls.items():
        try:
            expected = call(x.tolist())
        except Exception as e:
            with pytest.raises(type(e)):
                call(x)
        else:
            assert same_bits(call(x), expected), name


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("op", ["sum", "product", "min", "max", "any", "all", "bit_xor"])
def test_options_of_reductions_and_scans_are_those_of_the_long_way(op, dtype):
    """What is not contiguous takes the long way."""
    if dtype.startswith("float") and op == "bit_xor":
        return
    x = scattered(24, "int8").astype(dtype)
    apart = np.zeros(48, dtype)[::2]
    apart[:] = x
    options = [{}, {"keepdims": True}, {"reverse": True}, {"axis": 0}, {"axis": -1}]
    options += [{"initial": v} for v in (0, 1, 3, 1.5, 2**53, 2**53 + 1, -1, True)]
    for given in options:
        for verb in ("reduce", "scan"):
            for scanned in ({"exclusive": True}, {}) if verb == "scan" else ({},):
                both = given | scanned
                if verb == "scan" and "keepdims" in both:
                    continue
                function = getattr(upsweep, verb)
                try:
                    expected = function(apart, op, **both)
                except Exception as e:
                    with pytest.raises(type(e)):
                        function(x, op, **both)
                else:
                    assert same_bits(function(x, op, **both), expected), (verb, both)


@pytest.mark.parametrize("function", ["cumulative_sum", "cumulative_prod"])
def test_scans_after_the_initial_value(function):
    call = getattr(upsweep, function)
    for dtype in ("float64", "float32", "int64", "uint8", "bool"):
        x = (scattered(9, "int8") % 5).astype(dtype)
        for initial in (None, 2):
            expected = call(x.tolist() if dtype == "int64" else x[None], include_initial=True,
                            initial=initial, axis=-1)  # fmt: skip
            found = call(x, include_initial=True, initial=initial)
            assert same_bits(found, np.asarray(expected).reshape(-1)), (dtype, initial)
            assert same_bits(found[1:], call(x, initial=initial))
    two = call(np.ones((2, 3)), axis=1, include_initial=True)
    assert two.shape == (2, 4) and (two[:, 0] == (0 if function == "cumulative_sum" else 1)).all()
    with pytest.raises(TypeError):
        upsweep.cummax([1.0], include_initial=True)
    with pytest.raises(TypeError):
        upsweep.add.accumulate(np.array([1.0]), include_initial=True)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_elements_without_nan(dtype):
    x = scattered(60, dtype)
    gaps = x.copy()
    gaps[[0, 7, 8, 59]] = NAN
    kept = gaps[~np.isnan(gaps)]
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "median"):
        call = getattr(upsweep, name)
        assert same_bits(call(gaps, skipna=True), call(kept)), name
        assert same_bits(call(gaps.reshape(6, 10), skipna=True), call(kept)), name
        assert same_bits(call(x, skipna=True), call(x)), name
        rows = gaps.reshape(6, 10)
        each = np.array([call(r[~np.isnan(r)]) for r in rows])
        assert same_bits(call(rows, axis=1, skipna=True), each), name
        down = np.array([call(r[~np.isnan(r)]) for r in rows.T])
        assert same_bits(call(rows, axis=0, skipna=True), down), name
        assert call(rows, skipna=True, keepdims=True).shape == (1, 1), name
        nothing = call(np.full(3, NAN, dtype), skipna=True)
        np.testing.assert_equal(float(nothing), {"sum": 0.0, "prod": 1.0}.get(name, NAN), name)
    assert np.isnan(upsweep.sum(np.array([np.inf, 1, -np.inf], dtype), skipna=True))
    assert np.isnan(upsweep.prod(np.array([np.inf, 0], dtype), skipna=True))
    assert upsweep.sum(np.array([1, 2]), skipna=True) == 3
    assert upsweep.max(np.array([1, 2]), skipna=True) == 2
    assert upsweep.min(gaps, skipna=True, initial=-4096.0) == min(-4096.0, kept.min())
    assert upsweep.sum(gaps, skipna=True, where=~np.isnan(gaps)) == upsweep.sum(kept)
    for name in ("any", "all", "argmax", "exact_sum"):
        with pytest.raises(TypeError):
            getattr(upsweep, name)(gaps, skipna=True)
    with pytest.raises(TypeError):
        upsweep.add.reduce(gaps, skipna=True)


def test_flags_and_counts_along_an_axis():
    x = (scattered(7000, "int8") % 3).reshape(70, 100)
    for a in (x, x.astype(np.float32), x > 0, x.astype(np.uint16), np.where(x > 0, NAN, 0.0)):
        for axis in (0, 1, None):
            assert same_bits(upsweep.any(a, axis=axis), np.any(a, axis=axis))
            assert same_bits(upsweep.all(a, axis=axis), np.all(a, axis=axis))
            count = upsweep.count_nonzero(a, axis=axis)
            assert same_bits(count, np.asarray(np.count_nonzero(a, axis=axis)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rows", [1, 2, 33, 100])
def test_columns_are_reduced_as_lines(dtype, rows):
    """Products that overflow before a zero, extrema beside NaN, and lines of up to 64 elements."""
    x = scattered(rows * 40, dtype, seed=rows).reshape(rows, 40)
    x[:, 3], x[0, 4] = np.finfo(dtype).max, NAN
    x[:, 5] = np.finfo(dtype).max
    x[-1, 5] = 0
    x[:, 6] = NAN
    x[::2, 7], x[1::2, 7] = 0.0, -0.0
    for op in ("product", "min_number", "max_number", "min", "max", "sum"):
        for initial in (None, 2.0):
            each = [upsweep.reduce(line.copy(), op, initial=initial) for line in x.T]
            down = upsweep.reduce(x, op, axis=0, initial=initial)
            across = upsweep.reduce(np.ascontiguousarray(x.T), op, axis=1, initial=initial)
            assert same_numbers(down, each) and same_numbers(across, each), (op, initial)
    for name in ("mean", "var", "std", "argmin", "argmax"):
        call = getattr(upsweep, name)
        each = [call(line.copy()) for line in x.T]
        assert same_numbers(call(x, axis=0), each), name
        assert same_numbers(call(np.ascontiguousarray(x.T), axis=1), each), name
