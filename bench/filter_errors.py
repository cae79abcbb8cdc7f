#!/usr/bin/env python3
"""The errors of filters by SciPy, by upsweep's lfilter and by a scan, beside exact integers.

.venv/bin/pip install scipy && .venv/bin/python bench/filter_errors.py
"""

import sys
from pathlib import Path

import numpy as np
import upsweep
from scipy import signal
from upsweep import _core
from upsweep._settings import default_settings

sys.path.append(str(Path(__file__).resolve().parents[1] / "python" / "tests"))
from test_recurrences import exactly  # noqa: E402

FILTERS = [(2, 0.1), (2, 0.01), (2, 0.001), (3, 0.01), (4, 0.1), (4, 0.01)]


def scanned(b, a, x):
    """The filter as a scan in the type of `x`."""
    terms = np.convolve(b.astype(x.dtype), x)[: len(x)].reshape(1, -1)
    name, how = {4: "f32", 8: "f64"}[x.itemsize], default_settings()
    _core.recurrence(name, (-a[1:]).tolist(), terms, terms, how, False, False, None)
    return terms[0]


def main():
    x = np.random.default_rng(1).random(3000)
    print("| filter of scipy.signal | g | SciPy | `lfilter` | of float32 | scan | scan, float32 |")
    print("|---|---|---|---|---|---|---|")
    for order, edge in FILTERS:
        b, a = signal.butter(order, edge)
        impulse = np.zeros(1024)
        impulse[0] = 1
        expected = exactly(b, a, x)
        cells = [f"{np.abs(signal.lfilter([1], a, impulse)).max():.3g}"]
        narrow = x.astype(np.float32)
        for call, elements in (
            (signal.lfilter, x),
            (upsweep.lfilter, x),
            (upsweep.lfilter, narrow),
            (scanned, x),
            (scanned, narrow),
        ):
            try:
                error = np.abs(call(b, a, elements) - expected).max() / np.abs(expected).max()
                cells.append(f"{error:.1e}")
            except ValueError:  # its powers overflow
                cells.append("refused")
        print(f"| `butter({order}, {edge})` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
