"""The golden bits of the library's tests, through NumPy arrays of every layout."""

import numpy as np
import pytest
import reference
import upsweep
from reference import golden

TABLE = (reference._path.parent / "golden.txt").read_text().splitlines()
REAL = {"f32": (golden.Binary32, np.float32), "f64": (golden.Binary64, np.float64)}


def rows():
    for line in TABLE:
        real, op, n, initial, *results = line.split()
        yield real, op, int(n), initial != "none", dict(r.split("=") for r in results)


def inputs(operator, n, dtype):
    words = golden.random_words(n + 0x5EED)
    x = np.array([operator.element(words) for _ in range(n)], dtype)
    return x, dtype(operator.element(words))


@pytest.mark.parametrize("real, with_initial", [(r, i) for r in REAL for i in (False, True)])
def test_sums_have_the_golden_bits_in_every_layout(real, with_initial):
    seen = 0
    for row_real, op, n, has_initial, expected in rows():
        if (row_real, op, has_initial) != (real, "sum", with_initial):
            continue
        numbers, dtype = REAL[real]
        operator = golden.Sum(numbers)
        x, initial = inputs(operator, n, dtype)
        options = {"initial": float(initial)} if has_initial else {}
        for layout, array in reference.layouts(x):
            where = f"{real} {n} {layout}"
            total = upsweep.sum(array, **options)
            assert operator.text(float(total)) == expected["reduce"], where
            if n <= 4096 or layout == "contiguous":
                inclusive = upsweep.scan(array, **options)
                exclusive = upsweep.scan(array, exclusive=True, **options)
                assert golden.digest(inclusive.tolist(), operator) == expected["inclusive"], where
                assert golden.digest(exclusive.tolist(), operator) == expected["exclusive"], where
        seen += 1
    assert seen >= 4


@pytest.mark.parametrize("real", REAL)
def test_recurrences_have_the_golden_bits_of_affine_maps(real):
    """From x[-1] = 0 a recurrence is the second part of the composed maps."""
    numbers, dtype = REAL[real]
    affine = golden.Affine(numbers)
    seen = 0
    for row_real, op, n, has_initial, expected in rows():
        if (row_real, op, has_initial) != (real, "affine", False) or n > 5000:
            continue
        words = golden.random_words(n + 0x5EED)
        maps = np.array([affine.element(words) for _ in range(n)], dtype)
        x = upsweep.linear_recurrence(maps[:, 0], maps[:, 1])
        middle = numbers.text(float(x[n // 2]))
        last = numbers.text(float(x[-1]))
        assert expected["middle"].endswith(middle), n
        assert expected["reduce"].endswith(last), n
        seen += 1
    assert seen > 5
