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
