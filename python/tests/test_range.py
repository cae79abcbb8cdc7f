"""Statistics of numbers at the borders of their types' range, beside exact arithmetic: Python's
fractions, and decimals of 60 digits for roots, logarithms and exponentials."""

import decimal
import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import upsweep

CASES = 700  # of each of the 15 kinds below: more than 10,000
EPSILON = 2.0**-52
SMALLEST = 5e-324
INTEGERS = {"int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1)}

decimal.setcontext(decimal.Context(prec=60, Emin=-9999, Emax=9999))


@pytest.mark.parametrize("bins", [1, 2, 4, 7, 30])
def test_even_bins_wider_than_the_range_of_float64(bins):
    largest = np.finfo(np.float64).max
    rng = random.Random(bins)
    x = [rng.uniform(-1, 1) * largest for _ in range(300)] + [-largest, largest]
    counts, edges = upsweep.histogram(x, bins)
    sums, same = upsweep.weighted_histogram(x, np.ones(len(x)), bins, (-largest, largest))
    assert edges.tolist() == same.tolist() and sums.tolist() == counts.tolist()
    assert edges[0] == -largest and edges[-1] == largest
    for b, edge in enumerate(edges.tolist()):
        exact_edge = Fraction(-largest) + 2 * Fraction(largest) * Fraction(b, bins)
        assert abs(Fraction(edge) - exact_edge) <= Fraction(largest) / 2**50
    inside = [sum(low <= v < high for v in x) for low, high in itertools.pairwise(edges)]
    inside[-1] += x.count(largest)
    assert counts.tolist() == inside


def cases(seed):
    """Random generators, each of a case that a failure names."""
    for case in range(CASES):
        yield case, random.Random(f"{seed} {case}")


def number(rng, scale):
    if rng.random() < 0.05:
        return rng.choice([0.0, -0.0])
    if scale == "special":
        return rng.choice([-1, 1]) * rng.choice(
            [
                SMALLEST,
                2.0**-1022,
                1.0,
                2.0**53,
                2.0**53 + 2,
                2.0**63,
                2.0**64,
                1.7976931348623157e308,
            ]
        )
    return rng.choice([-1, 1]) * rng.uniform(1, 8) * scale


def floats(rng, least=1):
    """Some numbers of about one size, or of two."""
    sizes = [1.0, 1e308 / 8, 1e-308, 1e-320, 1e200, 1e-200, 1e110, 1e-110, 1e75, 2.0**53, "special"]
    chosen = rng.sample(sizes, rng.choice([1, 1, 1, 2]))
    return [number(rng, rng.choice(chosen)) for _ in range(rng.randint(least, 9))]


def integers(rng, dtype, least=1):
    low, high = INTEGERS[dtype]
    borders = [0, 2**53, -(2**53), 2**62, 2**63, -(2**63), 2**64]
    some = []
    while len(some) < rng.randint(least, 9):
        value = rng.choice(borders) + rng.randint(-4, 4)
        if low <= value <= high:
            some.append(value)
    return some


def rounded(value):
    """The nearest double of a Fraction or Decimal, also beyond the range."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def root(value):
    """Of a Fraction."""
    return (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()


def exact(values):
    return [Fraction(v) for v in values]


def moments(values):
    """The mean, and the means of powers of the distances from it."""
    x = exact(values)
    mean = sum(x) / len(x)
    return mean, *(sum((v - mean) ** k for v in x) / len(x) for k in (2, 3, 4))


def condition(mean, variance):
    """How much rounding of the elements costs in what depends on their distances."""
    return 1 + rounded(root(mean * mean / variance)) if variance else math.inf


def expect(case, values, got, right, relative, absolute=0.0):
    """`got` is near a right value of arbitrary precision, which may be out of range."""
    near = rounded(right)
    if math.isinf(near):
        assert got == near or abs(got) >= 1.79e308, (case, values, got, near)
        return
    error = abs(Fraction(float(got)) - Fraction(right)) if math.isfinite(got) else None
    allowed = abs(Fraction(right)) * Fraction(relative) + Fraction(absolute) + Fraction(SMALLEST)
    assert error is not None and error <= allowed, (case, values, float(got), near)


def test_means():
    for case, rng in cases("mean"):
        values = floats(rng)
        size = max(abs(v) for v in values)
        right = sum(exact(values)) / len(values)
        expect(case, values, upsweep.mean(values), right, 0, 8 * EPSILON * size)


def test_variances_and_standard_deviations():
    for case, rng in cases("var"):
        values, correction = floats(rng, 2), rng.choice([0, 1])
        mean, variance, *_ = moments(values)
        right = variance * len(values) / (len(values) - correction)
        tolerance = 16 * EPSILON * condition(mean, variance) if variance else 0
        got = upsweep.var(values, correction=correction)
        expect(case, values, got, right, tolerance)
        got = upsweep.std(values, correction=correction)
        expect(case, values, got, root(right), tolerance)


def spread_of(values, correction):
    """The variance and its root, exactly, and how far rounding may be off; None for no variance."""
    if len(values) <= correction:
        return None
    mean, variance, *_ = moments(values)
    right = variance * len(values) / (len(values) - correction)
    tolerance = 16 * EPSILON * condition(mean, variance) if variance else 0
    return right, root(right), tolerance


def expect_spreads(case, parts, correction, got_vars, got_stds):
    """Of each part, which is a window, a segment or a group."""
    assert len(parts) == len(got_vars) == len(got_stds), (case, parts)
    for values, var, std in zip(parts, got_vars, got_stds):
        right = spread_of(values, correction)
        if right is None:
            assert math.isnan(var) and math.isnan(std), (case, values, var, std)
            continue
        expect(case, values, var, right[0], right[2])
        expect(case, values, std, right[1], right[2])


def test_variances_of_windows():
    for case, rng in cases("windows"):
        values, width, correction = floats(rng, 2), rng.randint(1, 4), rng.choice([0, 1])
        got = [upsweep.windowed(values, width, op, ddof=correction) for op in ("var", "std")]
        parts = [values[i : i + width] for i in range(len(values) - width + 1)]
        expect_spreads(case, parts, correction, *got)
        alone = [upsweep.var(part, correction=correction) for part in parts]
        np.testing.assert_array_equal(got[0], alone)  # bits
        options = {"min_periods": 0, "ddof": correction}
        got = [upsweep.windowed(values, width, op, **options) for op in ("var", "std")]
        parts = [values[max(0, i + 1 - width) : i + 1] for i in range(len(values))]
        expect_spreads(case, parts, correction, *got)
        gaps = [math.nan if rng.random() < 0.2 else v for v in values]
        got = [upsweep.windowed(gaps, width, op, **options) for op in ("var", "std")]
        parts = [gaps[max(0, i + 1 - width) : i + 1] for i in range(len(values))]
        parts = [[v for v in part if v == v] for part in parts]
        expect_spreads(case, parts, correction, *got)
        got = upsweep.windowed(values, width, "mean")
        for i, result in enumerate(got):
            part = values[i : i + width]
            size = max(abs(v) for v in part)
            expect(case, part, result, sum(exact(part)) / width, 0, 8 * EPSILON * size)


def test_variances_of_segments_groups_and_chosen_elements():
    for case, rng in cases("segments"):
        parts, correction = [floats(rng, 0) for _ in range(rng.randint(1, 4))], rng.choice([0, 1])
        values = [v for part in parts for v in part]
        offsets = [0, *itertools.accumulate(map(len, parts))]
        x = np.array(values)
        got = [upsweep.segment_reduce(x, offsets, op, ddof=correction) for op in ("var", "std")]
        expect_spreads(case, parts, correction, *got)
        filled = [part for part in parts if part]
        keys = [k for k, part in enumerate(filled) for _ in part]
        places = rng.sample(range(len(values)), len(values))  # rows of groups in any order
        if values:
            rows = sorted(range(len(values)), key=lambda i: places[i])
            shuffled = np.array([values[i] for i in rows]), [keys[i] for i in rows]
            filled = [[v for v, k in zip(*shuffled) if k == key] for key in range(len(filled))]
            got = [
                upsweep.group_reduce(shuffled[1], shuffled[0], op, ddof=correction).values
                for op in ("var", "std")
            ]
            expect_spreads(case, filled, correction, *got)
        flags = [rng.random() < 0.7 for _ in values]
        chosen = [v for v, flag in zip(values, flags) if flag]
        got = [
            upsweep.var(x, where=np.array(flags, bool), correction=correction),
            upsweep.std(x, where=np.array(flags, bool), correction=correction),
        ]
        expect_spreads(case, [chosen], correction, *([result] for result in got))


def test_skewness_and_kurtosis():
    for case, rng in cases("shape"):
        values = floats(rng, 4)
        mean, second, third, fourth = moments(values)
        if not second or condition(mean, second) > 1e6:
            continue
        tolerance = 256 * EPSILON * condition(mean, second)
        skew = Decimal(third.numerator) / Decimal(third.denominator) / root(second**3)
        expect(case, values, upsweep.skew(values), skew, tolerance, 4 * tolerance)
        kurtosis = fourth / second**2 - 3
        expect(case, values, upsweep.kurtosis(values), kurtosis, tolerance, 8 * tolerance)


def test_root_mean_squares():
    for case, rng in cases("rms"):
        values = floats(rng)
        right = root(sum(v * v for v in exact(values)) / len(values))
        expect(case, values, upsweep.rms(values), right, 8 * EPSILON)


def test_harmonic_means():
    for case, rng in cases("harmonic"):
        values = [abs(v) for v in floats(rng)]
        right = len(values) / sum(1 / v for v in exact(values)) if all(values) else Fraction(0)
        expect(case, values, upsweep.harmonic_mean(values), right, 8 * EPSILON)


def test_geometric_means():
    for case, rng in cases("geometric"):
        values = [abs(v) for v in floats(rng)]
        right = Decimal(0)
        if all(values):
            right = (sum(Decimal(v).ln() for v in values) / len(values)).exp()
        expect(case, values, upsweep.geometric_mean(values), right, 2000 * EPSILON, SMALLEST)


def test_statistics_of_two_arrays():
    for case, rng in cases("comoments"):
        x = floats(rng, 3)
        y = [number(rng, rng.choice([1.0, 1e200, 1e-200, 1e300, 1e-300])) for _ in x]
        (mean_x, xx, *_), (mean_y, yy, *_) = moments(x), moments(y)
        if not xx or not yy or max(condition(mean_x, xx), condition(mean_y, yy)) > 1e6:
            continue
        xy = sum((a - mean_x) * (b - mean_y) for a, b in zip(exact(x), exact(y))) / len(x)
        tolerance = Fraction(64 * EPSILON * max(condition(mean_x, xx), condition(mean_y, yy)))
        size = Fraction(root(xx)) * Fraction(root(yy))
        expect(case, (x, y), upsweep.covariance(x, y), xy, tolerance, tolerance * size)
        expect(case, (x, y), upsweep.correlation(x, y), xy / size, tolerance, tolerance)
        slope, intercept = xy / xx, mean_y - xy / xx * mean_x
        got = upsweep.linear_regression(x, y)
        expect(case, (x, y), got.slope, slope, tolerance, tolerance * size / xx)
        size = abs(mean_y) + size / xx * abs(mean_x)
        expect(case, (x, y), got.intercept, intercept, tolerance, tolerance * size)


def test_logarithms_of_sums_of_exponentials():
    for case, rng in cases("logsumexp"):
        largest = rng.choice([0.0, -0.0, 1e-300, -1e-3, 0.05, -0.06, 700.0, -700.0, 1e308, -1e308])
        values = [largest, *(largest - abs(rng.gauss(20, 30)) for _ in range(rng.randint(0, 6)))]
        rng.shuffle(values)
        right = Decimal(max(values))
        right += sum((Decimal(v) - right).exp() for v in values).ln()
        absolute = 0 if max(values) > -1 / 16 and abs(right) < 1 / 16 else 16 * EPSILON
        expect(case, values, upsweep.logsumexp(values), right, 16 * EPSILON, absolute)


def test_quantiles_of_floats():
    for case, rng in cases("quantile"):
        values, q = floats(rng), rng.choice([0.0, 0.25, 0.5, 0.9, 1.0])
        ordered = sorted(exact(values))
        place = Fraction(q * (len(values) - 1))
        low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
        right = low + (high - low) * (place - math.floor(place))
        absolute = 2 * Fraction(EPSILON) * max(abs(low), abs(high))
        expect(case, values, upsweep.quantile(values, q), right, 0, absolute)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_medians_and_quantiles_of_integers_are_rounded_once(dtype):
    for case, rng in cases(dtype):
        values = integers(rng, dtype)
        ordered, q = sorted(values), rng.choice([0.25, 0.5, 0.75])
        middle = Fraction(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2], 2)
        got = upsweep.median(np.array(values, dtype))
        assert got == float(middle), (case, values, got, float(middle))
        place = Fraction(q) * (len(values) - 1)
        low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
        right = float(low + (high - low) * (place - math.floor(place)))
        got = upsweep.quantile(np.array(values, dtype), q)
        if max(abs(low), abs(high)) > 2**52:
            assert got == right, (case, values, q, got, right)
        expect(case, values, got, right, 2 * EPSILON)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_medians_of_windows_of_integers_are_rounded_once(dtype):
    for case, rng in cases(f"windows {dtype}"):
        values, width = integers(rng, dtype), rng.choice([1, 2, 3, 4])
        for periods in (None, 1):
            got = upsweep.windowed(np.array(values, dtype), width, "median", min_periods=periods)
            ends = range(width if periods is None else 1, len(values) + 1)
            for end, median in zip(ends, got.tolist()):
                window = sorted(values[max(0, end - width) : end])
                right = Fraction(window[(len(window) - 1) // 2] + window[len(window) // 2], 2)
                assert median == float(right), (case, values, width, end)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_counted_between_exact_borders(dtype):
    low, high = INTEGERS[dtype]
    for case, rng in cases(f"histogram {dtype}"):
        values, weights = integers(rng, dtype), np.arange(1, 10)
        edges = sorted(set(integers(rng, dtype) + [low, high]))
        if rng.random() < 0.5:
            edges = edges[1:-1] if len(edges) > 3 else edges
        x = np.array(values, dtype)
        counts, got_edges = upsweep.histogram(x, np.array(edges, dtype))
        bins = list(itertools.pairwise(edges))
        inside = [
            [k for k, v in enumerate(values) if a <= v < b or v == b == edges[-1]] for a, b in bins
        ]
        assert counts.tolist() == [len(k) for k in inside], (case, values, edges)
        assert [int(e) for e in got_edges] == edges, (case, edges)
        sums, _ = upsweep.weighted_histogram(x, weights[: len(x)], np.array(edges, dtype))
        assert sums.tolist() == [sum(i + 1 for i in k) for k in inside], (case, values, edges)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_even_bins_of_integers_are_exact(dtype):
    low, high = INTEGERS[dtype]
    for case, rng in cases(f"even {dtype}"):
        values, bins = integers(rng, dtype), rng.randint(1, 4)
        ends = sorted(rng.sample(values, 2)) if len(values) > 1 and rng.random() < 0.5 else None
        first, last = ends or (min(values), max(values))
        if last - first < bins or max(abs(first), abs(last)) <= 2**53:
            continue
        borders = [first + Fraction((last - first) * b, bins) for b in range(bins + 1)]
        right = [
            sum(a <= v < b or v == b == last for v in values)
            for a, b in itertools.pairwise(borders)
        ]
        counts, _ = upsweep.histogram(np.array(values, dtype), bins, ends)
        assert counts.tolist() == right, (case, values, bins, ends)


def test_values_on_the_line_between_two():
    for case, rng in cases("interpolate"):
        first, last = number(rng, 1.7e307), number(rng, rng.choice([1.7e307, 1.0, 1e-308]))
        gap = rng.randint(1, 5)
        got = upsweep.interpolate([first] + [math.nan] * gap + [last])
        size = max(abs(first), abs(last))
        for k in range(gap + 2):
            right = Fraction(first) + (Fraction(last) - Fraction(first)) * Fraction(k, gap + 1)
            expect(
                case, (first, last, gap), got[k], right, 0, 4 * Fraction(EPSILON) * Fraction(size)
            )
