#!/usr/bin/env python3
"""How far Apache DataSketches (pip install datasketches numpy) is from exact, and whether pieces
joined in another order, or a second run, give the same: see docs/design/0016-shell.md.
"""

import datasketches
import numpy

PIECES = 16


def distinct(values):
    """Estimates of the number of different values by pieces that are joined in two orders."""
    pieces = []
    for part in numpy.array_split(values, PIECES):
        sketch = datasketches.hll_sketch(12)
        for value in part.tolist():
            sketch.update(value)
        pieces.append(sketch)
    found = []
    for order in (pieces, pieces[::-1]):
        union = datasketches.hll_union(12)
        for piece in order:
            union.update(piece)
        found.append(union.get_result())
    return found


def quantiles(values, k):
    whole = datasketches.kll_doubles_sketch(k)
    for part in numpy.array_split(values, PIECES):
        piece = datasketches.kll_doubles_sketch(k)
        piece.update(part)
        whole.merge(piece)
    return whole


def main():
    source = numpy.random.default_rng(20240229)
    for n in (1000, 100_000):
        trials = [distinct(source.integers(0, 2**62, n)) for _ in range(20)]
        error = max(abs(a.get_estimate() / n - 1) for a, _ in trials)
        same = sum(a.get_estimate() == b.get_estimate() for a, b in trials)
        size = len(trials[0][0].serialize_compact())
        print(f"HLL, {n} values: error up to {error:.1%}, {size} bytes, {same} of 20 in any order")
    x = source.lognormal(5, 1, 1_000_000)
    ordered = numpy.sort(x)
    for k in (200, 800):
        runs = [quantiles(x, k) for _ in range(10)]
        error = max(
            abs(numpy.searchsorted(ordered, run.get_quantile(p)) / len(x) - p)
            for run in runs
            for p in (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
        )
        medians = len({run.get_quantile(0.5) for run in runs})
        size = len(runs[0].serialize())
        print(
            f"KLL, k {k}: rank error up to {error:.2%}, {size} bytes, {medians} medians of 10 runs"
        )


if __name__ == "__main__":
    main()
