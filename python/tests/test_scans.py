"""Scans beside NumPy, Python's integers and the combine tree."""

import itertools

import numpy as np
import pytest
import upsweep
from reference import FLOATS, INTEGERS, SIZES, fsum, layouts, same_bits, scattered, tree_sums


@pytest.mark.parametrize("dtype", FLOATS)
def test_running_sums_are_those_of_the_tree(dtype):
    for n in SIZES:
        x = scattered(n, dtype)
        expected = tree_sums(x)
        for layout, a in layouts(x):
            for threads in (1, 2):
                result = upsweep.cumulative_sum(a, threads=threads)
                assert same_bits(result, expected), (n, layout, threads)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_running_sums_of_integers_are_those_of_numpy(dtype):
    for n in SIZES:
        x = scattered(n, dtype)
        for layout, a in layouts(x):
            assert same_bits(upsweep.cumulative_sum(a), np.cumsum(x)), (n, layout)
            assert same_bits(upsweep.cumulative_prod(a), np.cumprod(x)), (n, layout)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_running_extrema_are_those_of_numpy(dtype):
    for n in SIZES:
        x = scattered(n, dtype)
        if n > 4000 and np.dtype(dtype).kind == "f":
            x[n // 2] = np.nan
        for layout, a in layouts(x):
            cummax, cummin = upsweep.cummax(a), upsweep.cummin(a)
            np.testing.assert_array_equal(cummax, np.maximum.accumulate(x), str((n, layout)))
            np.testing.assert_array_equal(cummin, np.minimum.accumulate(x), str((n, layout)))
            assert cummax.dtype == cummin.dtype == x.dtype


def test_an_exclusive_scan_leaves_each_element_out():
    for n in SIZES:
        x = scattered(n)
        expected = np.concatenate([[0.0], tree_sums(x)])[:-1] if n else x
        assert same_bits(upsweep.scan(x, exclusive=True), expected), n


def test_a_reverse_scan_runs_from_the_end():
    for n in SIZES:
        x = scattered(n)
        assert same_bits(upsweep.scan(x, reverse=True), tree_sums(x[::-1])[::-1]), n
    assert upsweep.scan([1, 2, 3], reverse=True, exclusive=True).tolist() == [5, 3, 0]


def test_initial_is_added_on_the_left_of_every_prefix():
    x = scattered(5000)
    expected = 2.5 + tree_sums(x)
    assert same_bits(upsweep.cumulative_sum(x, initial=2.5), expected)
    with_first = np.concatenate([[2.5], expected])
    assert same_bits(upsweep.cumulative_sum(x, initial=2.5, include_initial=True), with_first)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_axes_are_numpys(axis):
    x = scattered(5 * 7 * 9, "int32").reshape(5, 7, 9)
    for a in (x, np.asfortranarray(x), x.transpose(2, 0, 1), x[::2, ::-1], x[:, :0]):
        for include in (False, True):
            sums = upsweep.cumulative_sum(a, axis=axis, include_initial=include)
            products = upsweep.cumulative_prod(a, axis=axis, include_initial=include)
            expected = np.cumulative_sum(a, axis=axis, include_initial=include)
            assert same_bits(sums, expected)
            expected = np.cumulative_prod(a, axis=axis, include_initial=include)
            assert same_bits(products, expected)
        assert same_bits(upsweep.cummax(a, axis=axis), np.maximum.accumulate(a, axis=axis))


def test_the_bits_of_a_line_are_those_of_the_line_alone():
    x = scattered(300 * 40, "float32").reshape(300, 40)
    for a in (x, np.asfortranarray(x)):
        for threads in (1, 2):
            down = upsweep.cumulative_sum(a, axis=0, threads=threads)
            across = upsweep.cumulative_sum(a, axis=1, threads=threads)
            for j in range(40):
                assert same_bits(down[:, j], tree_sums(x[:, j]))
            for i in range(300):
                assert same_bits(across[i], tree_sums(x[i]))


@pytest.mark.parametrize("rows, columns", [(1, 8), (7, 9), (8, 130), (9, 257), (100, 8)])
def test_columns_of_any_number_have_the_bits_of_each(rows, columns):
    x = scattered(rows * columns).reshape(rows, columns)
    x[:, 0] = -0.0
    expected = np.stack([tree_sums(x[:, j]) for j in range(columns)], axis=1)
    assert same_bits(upsweep.cumulative_sum(x, axis=0), expected)
    upsweep.cumulative_sum(x, axis=0, out=x)
    assert same_bits(x, expected)


def test_the_last_of_a_scan_is_the_reduction():
    for op, dtype in itertools.product(("sum", "product", "max", "exact_sum"), FLOATS):
        x = scattered(3001, dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            last = upsweep.scan(x, op)[-1]
        assert same_bits(last, upsweep.reduce(x, op)), (op, dtype)


def test_every_operator_is_a_fold():
    folds = {
        "bit_and": np.bitwise_and,
        "bit_or": np.bitwise_or,
        "bit_xor": np.bitwise_xor,
        "gcd": np.gcd,
        "all": np.logical_and,
        "any": np.logical_or,
        "parity": np.logical_xor,
    }
    x = np.concatenate([scattered(50, "int32"), [0, 0, 3]]).astype("int32")
    for name, ufunc in folds.items():
        expected = np.abs(ufunc.accumulate(x)) if name == "gcd" else ufunc.accumulate(x)
        np.testing.assert_array_equal(upsweep.scan(x, name), expected, name)
        assert upsweep.reduce(x, name) == ufunc.reduce(x), name


def test_positions_of_running_extrema():
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6, 9])
    expected = [int(np.argmax(x[: i + 1])) for i in range(len(x))]
    assert upsweep.scan(x, "argmax").tolist() == expected


def test_exact_running_sums_are_those_of_fsum():
    x = scattered(500)
    expected = np.array([fsum(x[: i + 1]) for i in range(len(x))])
    assert same_bits(upsweep.exact_cumulative_sum(x), expected)
    with pytest.raises(OverflowError):
        upsweep.exact_cumulative_sum([2**62, 2**62])


def test_out_may_be_anything_that_holds_the_results():
    x = scattered(5000)
    expected = tree_sums(x)
    for out in (np.empty(5000), np.empty(10000)[::2], np.empty((5000, 2))[:, 0]):
        assert upsweep.cumulative_sum(x, out=out) is out
        assert same_bits(out, expected)
    narrow = np.empty(5000, np.float32)
    upsweep.cumulative_sum(x, out=narrow)
    assert same_bits(narrow, expected.astype(np.float32))


def test_out_may_overlap_the_input():
    for n in (10, 5000):
        for shift in (0, 1, -1):
            memory = scattered(n + 2)
            x, out = memory[1:-1], memory[1 + shift : n + 1 + shift]
            expected = tree_sums(x.copy())
            upsweep.cumulative_sum(x, out=out)
            assert same_bits(out, expected), (n, shift)
    x = scattered(100).reshape(10, 10)
    expected = np.array([tree_sums(row) for row in x.T])
    assert same_bits(upsweep.cumulative_sum(x.T, axis=1, out=x), expected)


def test_running_sums_of_booleans_count():
    x = np.array([True, False, True])
    assert same_bits(upsweep.cumulative_sum(x), np.array([1, 1, 2]))
    assert same_bits(upsweep.cummax(x[::-1][1:]), np.array([False, True]))


def test_ones_in_float32_are_counted_beyond_2_to_the_24():
    assert upsweep.cumulative_sum(np.ones(2**25, np.float32))[-1] == 2**25


def test_positions_of_equal_elements_are_the_first_in_both_directions():
    x = np.array([2.0, 1.0, 1.0, 2.0])
    for op, find in (("argmin", np.argmin), ("argmax", np.argmax)):
        assert upsweep.reduce(x, op, reverse=True) == find(x)
        suffixes = [i + find(x[i:]) for i in range(4)]
        assert upsweep.scan(x, op, reverse=True).tolist() == suffixes
