"""Samples, tables and convolutions beside NumPy and plain loops."""

import math

import numpy as np
import pytest
import upsweep
from reference import layouts, same_bits, scattered, tree_sums


def test_distributions_never_decrease():
    w = np.abs(scattered(5000))
    for layout, a in layouts(w):
        for threads in (1, 2):
            result = upsweep.cumulative_distribution(a, threads=threads)
            assert same_bits(result, np.maximum.accumulate(tree_sums(w))), layout
    with pytest.raises(ValueError, match="1"):
        upsweep.cumulative_distribution([1.0, -1.0])


def test_samples_are_where_the_distribution_says():
    w = np.abs(scattered(1000, "int8").astype(float))
    w[::3] = 0
    sample = upsweep.weighted_sample(w, 5000, seed=7)
    u = np.random.default_rng(7).random(5000)
    edges = upsweep.cumulative_distribution(w)
    expected = np.searchsorted(edges, u * edges[-1], side="right")
    assert same_bits(sample, expected)
    assert same_bits(sample, upsweep.weighted_sample(w, 5000, seed=7, threads=2))
    assert (w[sample] > 0).all()


def test_systematic_samples_have_their_share():
    w = np.abs(scattered(100, "int8").astype(float))
    counts = np.bincount(upsweep.weighted_sample(w, 1000, seed=3, systematic=True), minlength=100)
    shares = 1000 * w / w.sum()
    assert ((counts >= np.floor(shares)) & (counts <= np.ceil(shares))).all()
    for weights in ([0.0, 0.0], [math.inf], []):
        with pytest.raises(ValueError, match="weighted_sampler"):
            upsweep.weighted_sample(weights, 3)
    with pytest.raises(ValueError, match="size=-1"):
        upsweep.weighted_sample(w, -1)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "float64"])
def test_tables_are_sums_of_boxes(dtype):
    for shape in [(30,), (7, 11), (3, 4, 5), (0, 3)]:
        x = (scattered(math.prod(shape), "int8")).astype(dtype).reshape(shape)
        wide = x if x.dtype.kind in "iu" else x.astype(float)
        expected = wide
        for axis in range(len(shape)):
            expected = np.cumsum(expected, axis=axis)
        assert same_bits(upsweep.summed_area_table(x), expected)
        assert same_bits(upsweep.summed_area_table(np.asfortranarray(x)), expected)
    with pytest.raises(ValueError, match="x is a number"):
        upsweep.summed_area_table(3)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_convolutions_add_in_the_order_of_the_filter(mode, dtype):
    for n, m in [(1, 1), (5, 3), (3, 5), (1000, 7), (2000, 64)]:
        x, f = scattered(n, dtype), scattered(m, dtype, seed=2)
        full = np.zeros(n + m - 1, dtype)
        for j in range(m):
            full[j : j + n] += f[j] * x
        close = np.convolve(x.astype("f8"), f.astype("f8"), mode)
        first = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
        expected = full[first : first + len(close)]
        for layout, a in layouts(x):
            result = upsweep.convolve(a, f, mode)
            assert same_bits(result, expected), (n, m, layout)
        scale = np.convolve(np.abs(x.astype("f8")), np.abs(f.astype("f8")), mode)
        assert (np.abs(result - close) <= m * np.finfo(dtype).eps * scale).all()


def test_images_are_convolved():
    x, f = scattered(12 * 9, "float16").reshape(12, 9), scattered(6, "float16").reshape(3, 2)
    expected = np.zeros((14, 10))
    for i in range(3):
        for j in range(2):
            expected[i : i + 12, j : j + 9] += float(f[i, j]) * x.astype(float)
    np.testing.assert_allclose(upsweep.convolve(x, f), expected, rtol=1e-12, atol=1e-12)
    assert upsweep.convolve([1, 2], [3]).dtype == np.float64
    for wrong in ([[1.0]], [], 3.0):
        with pytest.raises(ValueError, match="convolve"):
            upsweep.convolve([1.0, 2.0], wrong)
    with pytest.raises(ValueError, match="mode='half'"):
        upsweep.convolve([1.0], [1.0], "half")
