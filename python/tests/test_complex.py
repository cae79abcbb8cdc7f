"""Sums and products of complex numbers."""

import numpy as np
import pytest
import upsweep
from reference import layouts, prefixes, same_bits, scattered, tree_sums


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_have_the_bits_of_the_tree(dtype):
    part = "float32" if dtype == "complex64" else "float64"
    x = np.empty(1000, dtype)
    x.real, x.imag = scattered(1000, part), scattered(1000, part, seed=2)
    expected = np.empty(1000, dtype)
    expected.real, expected.imag = tree_sums(x.real), tree_sums(x.imag)
    for layout, a in layouts(x):
        assert same_bits(upsweep.cumulative_sum(a), expected), layout
        assert same_bits(upsweep.sum(a), expected[-1]), layout
    square = x.reshape(10, 100)
    for axis in (0, 1):
        result = upsweep.sum(square, axis=axis, keepdims=True)
        assert result.shape == np.sum(square, axis=axis, keepdims=True).shape
        np.testing.assert_allclose(result, np.sum(square, axis=axis, keepdims=True), rtol=1e-3)
    assert same_bits(upsweep.sum(x, initial=1 + 2j), np.dtype(dtype).type(1 + 2j) + expected[-1])
    first = upsweep.cumulative_sum(x, include_initial=True)
    assert first[0] == 0 and same_bits(first[1:], expected)
    assert upsweep.sum(x[:3], dtype="complex128").dtype == np.complex128


def turns(n, dtype):
    """Numbers whose products neither overflow nor vanish."""
    rng = np.random.default_rng(n)
    return (np.exp(6j * rng.random(n)) * np.exp2(rng.random(n) - 0.5)).astype(dtype)


@pytest.mark.parametrize("dtype, part", [("complex64", np.float32), ("complex128", np.float64)])
def test_products_have_the_bits_of_the_tree(dtype, part):
    def times(a, b):  # each operation rounded in the type of the parts
        return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]

    x = turns(1000, dtype)
    pairs = prefixes([(part(v.real), part(v.imag)) for v in x], times)
    expected = np.empty(1000, dtype)
    expected.real, expected.imag = np.transpose(pairs)
    for layout, a in layouts(x):
        assert same_bits(upsweep.cumulative_prod(a), expected), layout
        assert same_bits(upsweep.prod(a), expected[-1]), layout
    first = upsweep.cumulative_prod(x, include_initial=True)
    assert first[0] == 1 and same_bits(first[1:], expected)
    exclusive = upsweep.scan(x, "product", exclusive=True, reverse=True)
    np.testing.assert_allclose(exclusive[:-1], np.cumprod(x[::-1])[-2::-1], rtol=1e-3)
    square = x.reshape(10, 100)
    for axis in (0, 1, None):
        ours, theirs = (m.prod(square, axis=axis, keepdims=True) for m in (upsweep, np))
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_products_take_the_options_of_the_others():
    x = turns(20, complex)
    assert upsweep.prod(x[:0]) == 1
    np.testing.assert_allclose(upsweep.multiply.accumulate(x), np.cumprod(x))
    assert upsweep.prod([2j, 3.0], initial=1j) == -6
    assert upsweep.prod(x.astype("complex64"), dtype=complex).dtype == np.complex128
    out = np.zeros(20, complex)
    assert upsweep.cumulative_prod(x, out=out) is out and out[-1] == upsweep.prod(x)
    with pytest.raises(ValueError, match="has the shape"):
        upsweep.cumulative_prod(x, out=out[1:])
    with pytest.raises(TypeError, match="dtype=float64 cannot hold results"):
        upsweep.prod(x, dtype=float)


def test_complex_numbers_are_flags_and_exact():
    x = np.array([0, 1j, 0, 0])
    assert upsweep.any(x) and not upsweep.all(x) and upsweep.count_nonzero(x) == 1
    assert upsweep.exact_sum([1e16 + 1j, 1.0, -1e16]) == 1 + 1j
    out = np.zeros(4, complex)
    assert upsweep.cumulative_sum(x, out=out) is out and out.tolist() == [0, 1j, 1j, 1j]
    with pytest.raises(TypeError, match="dtype=float64 cannot hold results of complex128"):
        upsweep.sum(x, dtype=float)
    with pytest.raises(TypeError, match="does not hold complex128"):
        upsweep.sum([x], axis=0, out=np.zeros(4))


def test_chosen_elements_are_summed_by_parts():
    x = np.array([[1 + 1j, 2 - 3j], [np.nan + 1j, 0]])
    where = np.array([[True, False], [False, True]])
    assert upsweep.sum(x, where=where) == np.sum(x, where=where)
    assert upsweep.sum(x, axis=1, where=where).tolist() == np.sum(x, axis=1, where=where).tolist()
    assert upsweep.sum(x, skipna=True) == np.nansum(x)
    assert upsweep.sum(x, where=where, initial=1j) == np.sum(x, where=where, initial=1j)
    for ours, theirs in ((upsweep.any, np.any), (upsweep.all, np.all)):
        assert ours(x, axis=0, where=where).tolist() == theirs(x, axis=0, where=where).tolist()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_chosen_elements_are_multiplied(dtype):
    x = turns(60, dtype).reshape(5, 12)
    where = np.random.default_rng(3).random(x.shape) < 0.5
    where[2] = False
    expected = [upsweep.prod(line[flags]) for line, flags in zip(x, where)]
    assert same_bits(upsweep.prod(x, axis=1, where=where), np.array(expected))
    assert same_bits(upsweep.prod(x, where=where), upsweep.prod(x[where]))
    close = {"rtol": 1e-5}
    np.testing.assert_allclose(
        upsweep.prod(x, axis=0, where=where, initial=2j, keepdims=True),
        np.prod(x, axis=0, where=where, initial=2j, keepdims=True),
        **close,
    )
    missing = x.copy()
    missing[~where] = np.nan
    assert same_bits(upsweep.prod(missing, skipna=True), upsweep.prod(x[where]))


def test_initial_values_are_numbers():
    for call in (upsweep.sum, upsweep.prod, upsweep.cumulative_sum, upsweep.cumulative_prod):
        for initial in ("a", [1, 2], np.array(["1"])):
            with pytest.raises(TypeError, match="initial=.* is not of complex128, the type of"):
                call(np.array([1j]), initial=initial)
    assert upsweep.sum(np.array([1j]), initial=2**70) == complex(2**70, 1)
