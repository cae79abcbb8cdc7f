"""The golden bits of the library's tests, through NumPy arrays of every layout."""

import numpy as np
import pytest
import upsweep
from reference import GOLDEN, anchored, golden, layouts

TABLE = (GOLDEN / "golden.txt").read_text().splitlines()
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
        for layout, array in layouts(x):
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


def numbers_of(op, real, n, has_initial):
    """The elements of a row of anchored.txt, and its initial value or None."""
    numbers, dtype = REAL[real]
    operator = {"sum": golden.Sum, "min": anchored.Min}[op](numbers)
    x, initial = anchored.inputs(operator, n, has_initial)
    return operator, np.array(x, dtype), initial


def digest(results, operator):
    """Every NaN counts as one, as in the table."""
    return golden.digest(np.where(np.isnan(results), np.nan, results).tolist(), operator)


def anchored_rows(kind):
    for line in (GOLDEN / "anchored.txt").read_text().splitlines():
        verb, real, op, n, initial, *results = line.split()
        if verb == kind and op in ("sum", "min"):
            yield real, op, int(n), initial != "none", dict(r.split("=") for r in results)


def test_segments_and_groups_have_the_golden_bits():
    seen = 0
    for real, op, n, has_initial, expected in anchored_rows("segments"):
        operator, x, initial = numbers_of(op, real, n, has_initial)
        offsets = anchored.segment_offsets(n)
        # Keys that name the segment of each element, in a random order.
        keys = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        order = np.random.default_rng(n).permutation(n)
        back = np.argsort(keys[order], kind="stable")
        for threads in (1, 2):
            how = {"initial": initial, "threads": threads}
            totals = upsweep.segment_reduce(x, offsets, op, **how)
            assert digest(totals, operator) == expected["reduce"]
            inclusive = upsweep.segment_scan(x, offsets, op, **how)
            exclusive = upsweep.segment_scan(x, offsets, op, exclusive=True, **how)
            assert digest(inclusive, operator) == expected["inclusive"]
            assert digest(exclusive, operator) == expected["exclusive"]
            assert digest(upsweep.group_reduce(keys, x, op, **how)[1], operator) == expected["runs"]
            # The same groups far apart: elements in the order that the shuffled keys demand.
            mixed = np.empty_like(x)
            mixed[back] = x
            groups = upsweep.group_reduce(keys[order], mixed, op, **how)
            assert digest(groups.values, operator) == expected["runs"]
            scans = upsweep.group_scan(keys[order], mixed, op, **how)
            assert digest(scans[back], operator) == expected["inclusive"]
        seen += 1
    assert seen == 20


def test_windows_have_the_golden_bits():
    seen = 0
    for real, op, n, has_initial, expected in anchored_rows("windows"):
        operator, x, initial = numbers_of(op, real, n, has_initial)
        for threads in (1, 2):
            width = int(expected["width"])
            results = upsweep.windowed(x, width, op, initial=initial, threads=threads)
            assert digest(results, operator) == expected["results"]
        seen += 1
    assert seen == 44
