"""Sums of complex numbers: those of their parts."""

import numpy as np
import pytest
import upsweep
from reference import layouts, same_bits, scattered, tree_sums


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


def test_complex_numbers_are_flags_and_exact():
    x = np.array([0, 1j, 0, 0])
    assert upsweep.any(x) and not upsweep.all(x) and upsweep.count_nonzero(x) == 1
    assert upsweep.exact_sum([1e16 + 1j, 1.0, -1e16]) == 1 + 1j
    out = np.zeros(4, complex)
    assert upsweep.cumulative_sum(x, out=out) is out and out.tolist() == [0, 1j, 1j, 1j]
    with pytest.raises(TypeError, match="dtype=float64 does not hold sums of complex128"):
        upsweep.sum(x, dtype=float)
    with pytest.raises(TypeError, match="does not hold complex128"):
        upsweep.sum([x], axis=0, out=np.zeros(4))
