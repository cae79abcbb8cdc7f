#!/usr/bin/env python3
"""The times of NumPy and SciPy for the rows of bench/apps_numeric.cpp: ns an element, medians.

python3 -m venv venv && venv/bin/pip install numpy scipy && venv/bin/python bench/apps_numeric.py
"""

import statistics
import time

import numpy as np
import scipy
from scipy import ndimage, signal, sparse


def row(name, n, call):
    times = []
    while len(times) < 5 or (sum(times) < 0.5 and len(times) < 101):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    print(f"| {name} | {1e9 * statistics.median(times) / n:.2f} |")


def main():
    random = np.random.default_rng(1)
    n = 1 << 22
    x = random.random(n, dtype=np.float32)
    image = x.reshape(2048, 2048)
    print(f"NumPy {np.__version__}, SciPy {scipy.__version__}: ns an element\n")
    print("| call | ns |\n| --- | --- |")
    row(
        "image.cumsum(0, dtype=np.float64).cumsum(1)",
        n,
        lambda: image.cumsum(0, dtype=np.float64).cumsum(1),
    )
    row("ndimage.uniform_filter1d(x, 17)", n, lambda: ndimage.uniform_filter1d(x, 17))
    row("ndimage.uniform_filter(image, 17)", n, lambda: ndimage.uniform_filter(image, 17))
    for sigma in (5, 50):
        row(
            f"ndimage.gaussian_filter(image, {sigma})",
            n,
            lambda: ndimage.gaussian_filter(image, sigma),
        )
    row("ndimage.gaussian_filter1d(x, 5)", n, lambda: ndimage.gaussian_filter1d(x, 5))
    part, five = x[: 1 << 20].reshape(1024, 1024), x[:25].reshape(5, 5)
    row(
        "signal.convolve2d(image, 5 x 5, 'valid')",
        1020 * 1020,
        lambda: signal.convolve2d(part, five, "valid"),
    )
    m = 1 << 20
    weights = x[:m].astype(np.float64) / x[:m].sum(dtype=np.float64)
    row("weights.cumsum()", m, lambda: weights.cumsum())
    row("rng.choice(m, m, p=weights)", m, lambda: random.choice(m, m, p=weights))
    places = np.arange(1, n + 1)
    row(
        "slopes > np.maximum.accumulate(slopes) in front",
        n,
        lambda: (lambda s: s[1:] > np.maximum.accumulate(s)[:-1])((x - 0.5) / places),
    )
    height = 1 << 17
    rows = random.integers(0, height, n)
    columns = random.integers(0, height, n)
    matrix = sparse.csr_matrix((x.astype(np.float64), (rows, columns)), (height, height))
    vector = np.full(height, 0.5)
    row("matrix @ x, rows of about 32", n, lambda: matrix @ vector)
    b, a = [0.0675, 0.1349, 0.0675], [1, -1.143, 0.4128]
    y = x.astype(np.float64)
    row("signal.lfilter, one biquad", n, lambda: signal.lfilter(b, a, y))


if __name__ == "__main__":
    main()
