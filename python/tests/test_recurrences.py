"""Recurrences beside loops of Python; a loop adds in another order, so results are close to it."""

from fractions import Fraction

import numpy as np
import pytest
import upsweep
from reference import layouts, same_bits, scattered


def looped(a, b, initial):
    x, out = initial, []
    for factor, term in zip(a.tolist(), b.tolist()):
        x = factor * x + term
        out.append(x)
    return out


@pytest.mark.parametrize("n", [0, 1, 2, 33, 5000])
def test_linear_recurrence_is_the_loop(n):
    a, b = np.random.default_rng(n).uniform(-1, 1, n), scattered(n, "float16").astype(float)
    for initial in (0.0, 2.5):
        expected = looped(a, b, initial)
        results = []
        for (_, first), (_, second) in zip(layouts(a), layouts(b)):
            result = upsweep.linear_recurrence(first, second, initial=initial)
            np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)
            results.append(result.tobytes())
        assert len(set(results)) == 1


def test_integers_in_recurrences_are_exact():
    ones = np.ones(60)
    expected = looped(2 * ones[:50], ones[:50], 1.0)
    assert upsweep.linear_recurrence(2 * ones[:50], ones[:50], initial=1).tolist() == expected
    assert upsweep.linear_recurrence(2.0, ones[:50], initial=1).tolist() == expected
    backwards = upsweep.linear_recurrence(2 * ones[:5], ones[:5], reverse=True)
    assert backwards.tolist() == [31, 15, 7, 3, 1]


def test_inputs_are_left_alone():
    x = scattered(100)
    before = x.copy()
    upsweep.linear_recurrence(0.5, x)
    upsweep.linear_recurrence(x, x)
    upsweep.ema(x, 0.5)
    upsweep.lfilter([1.0], [1.0, 0.5], x)
    upsweep.lfilter([1.0], [1.0], x)
    assert same_bits(x, before)


def test_recurrences_run_along_an_axis():
    a, b = scattered(60, "float16").reshape(6, 10) / 8, np.ones((6, 10))
    for axis in (0, 1):
        rows = np.moveaxis(np.broadcast_to(a, b.shape), axis, -1)
        expected = np.array([upsweep.linear_recurrence(row, np.ones(len(row))) for row in rows])
        result = upsweep.linear_recurrence(a.astype("f8"), b, axis=axis)
        assert same_bits(result, np.ascontiguousarray(np.moveaxis(expected, -1, axis)))


def test_moving_averages_are_the_loop():
    x = scattered(3000, "float16").astype(float)
    y, expected = x[0], []
    for value in x.tolist():
        y = 0.9 * y + 0.1 * value
        expected.append(y)
    np.testing.assert_allclose(upsweep.ema(x, 0.1), expected, rtol=1e-9, atol=1e-12)
    assert upsweep.ema(x, 0.1)[0] == x[0]
    assert upsweep.ema([4.0], 0.25, initial=8.0).tolist() == [7.0]
    assert upsweep.ema(x.astype("float32"), 0.1).dtype == np.float32
    with pytest.raises(ValueError, match="weight=2"):
        upsweep.ema(x, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 2, 33, 5000])
def test_moving_averages_have_the_bits_of_the_recurrence_of_their_terms(dtype, n):
    x, of = scattered(n, dtype), np.dtype(dtype).type
    terms = x * of(0.3)
    expected = upsweep.linear_recurrence(of(0.7), terms, initial=2)
    assert same_bits(upsweep.ema(x, 0.3, initial=2), expected)
    terms[0] = x[0]
    assert same_bits(upsweep.ema(x, 0.3), upsweep.linear_recurrence(of(0.7), terms))


@pytest.mark.parametrize(
    "b, a",
    [
        ([1.0], [1.0]),
        ([0.5, 0.25, 0.25], [1.0]),
        ([1.0], [1.0, -0.5]),
        ([2.0, 1.0], [2.0, -0.5, 0.25]),
        ([0.1, 0.2, 0.1], [1.0, 0.3, -0.2, 0.1, 0.05]),
        ([1.0, 0.5], [2.0, 0.3, -0.2, 0.1, 0.05, -0.1, 0.2, 0.05]),
    ],
)
def test_filters_are_the_difference_equation(b, a):
    x = scattered(500, "float16").astype(float)
    y = []
    for n in range(len(x)):
        forward = sum(b[k] * x[n - k] for k in range(len(b)) if k <= n)
        back = sum(a[k] * y[n - k] for k in range(1, len(a)) if k <= n)
        y.append((forward - back) / a[0])
    for _, layout in layouts(x):
        np.testing.assert_allclose(upsweep.lfilter(b, a, layout), y, rtol=1e-9, atol=1e-12)
    columns = np.stack([x, -x], axis=1)
    both = upsweep.lfilter(b, a, columns, axis=0)
    assert upsweep.lfilter(b, a, x.astype("float32")).dtype == np.float32
    np.testing.assert_allclose(both[:, 1], -both[:, 0], rtol=0)


def test_filters_divide_by_a_number():
    with pytest.raises(ValueError, match=r"a\[0\] is 0"):
        upsweep.lfilter([1.0], [0.0, 1.0], np.ones(10))


def exactly(b, a, x):
    """The filter in integers of 2^-400, of which more than 300 bits are right."""
    one = 1 << 400
    b, a, x = ([int(Fraction(float(v)) * one) for v in values] for values in (b, a, x))
    y = []
    for n in range(len(x)):
        total = sum(c * x[n - k] for k, c in enumerate(b) if k <= n)
        total -= sum(c * y[n - k] for k, c in enumerate(a[1:], 1) if k <= n)
        y.append(total // a[0])
    return np.array([v / one for v in y])


@pytest.mark.parametrize("order", [2, 3, 4, 8])
@pytest.mark.parametrize("pole", [0.5, 0.9, 0.99])
def test_filters_with_poles_in_one_place_keep_their_digits(order, pole):
    a = np.poly([pole] * order)  # a scan of 0.99 has errors of 1e-4, one of floats of 1e20
    b, x = [a.sum()], scattered(400, "float16").astype(float)
    expected = exactly(b, a, x)
    near = np.abs(expected).max()
    lost = np.abs(upsweep.lfilter(b, a, x) - expected).max() / near
    assert lost < max(1e-11, 20 * 2.0**-53 / abs(a.sum()))
    narrow = upsweep.lfilter(b, a, x.astype(np.float32))
    assert np.abs(narrow - expected).max() / near < max(1e-7, 2 * lost)


def test_coefficients_whose_products_overflow_give_nan():
    a, b = np.array([1e200, 1e200, 1e-200, 1e-200]), np.array([1.0, 0.0, 0.0, 1.0])
    assert np.isfinite(upsweep.linear_recurrence(a[1:], b[1:])).all()
    assert np.isnan(upsweep.linear_recurrence(a, b)[1:]).any()


def loops(filters, x, dtype):
    """The transposed direct form II of many filters side by side."""
    size = max(max(len(b), len(a)) for b, a in filters)
    b, a = np.zeros((size, len(filters)), dtype), np.zeros((size, len(filters)), dtype)
    for k, (ahead, back) in enumerate(filters):
        b[: len(ahead), k] = np.asarray(ahead, dtype) / dtype(back[0])
        a[: len(back), k] = np.asarray(back, dtype) / dtype(back[0])
    state, out = np.zeros((size, len(filters)), dtype), []
    for value in x.astype(dtype):
        y = b[0] * value + state[0]
        state[:-1] = state[1:] + b[1:] * value - a[1:] * y
        out.append(y)
    return np.array(out).T


def designs():
    signal = pytest.importorskip("scipy.signal")
    kinds = [
        ("butter", ()),
        ("cheby1", (1,)),
        ("cheby2", (40,)),
        ("ellip", (1, 40)),
        ("bessel", ()),
    ]
    for name, ripples in kinds:
        for order in range(1, 13):
            for cutoff in (0.0003, 0.003, 0.01, 0.03, 0.1, 0.3, 0.8):
                for kind in ("low", "high"):
                    yield getattr(signal, name)(order, *ripples, cutoff, kind)
    for cutoff in (0.001, 0.01, 0.1, 0.3, 0.5):
        for quality in (0.7, 5, 100):
            yield signal.iirnotch(cutoff, quality)
            yield signal.iirpeak(cutoff, quality)
    for band in ([0.01, 0.02], [0.1, 0.2], [0.2, 0.21]):
        for order in (1, 2, 3):
            yield signal.butter(order, band, "bandpass")
            yield signal.ellip(order, 1, 40, band, "bandstop")


@pytest.mark.filterwarnings("ignore")
def test_filters_have_the_error_of_a_loop():
    stable = [
        (b, a)
        for b, a in designs()
        if np.isfinite([*b, *a]).all() and np.abs(np.roots(a)).max(initial=0) < 1
    ]
    assert len(stable) > 600
    rng, scans = np.random.default_rng(1), 0
    for x in (rng.standard_normal(1500), np.cumsum(rng.standard_normal(1500))):
        right, looped_ones = loops(stable, x, np.longdouble), loops(stable, x, np.float64)
        for (b, a), exact, loop in zip(stable, right, looped_ones):
            result = upsweep.lfilter(b, a, x)
            least = np.abs(exact).max() * 2.0**-53
            assert np.abs(result - exact).max() <= 10 * max(least, np.abs(loop - exact).max()), a
            scans += not same_bits(result, loop)
            assert len(a) <= 5 or same_bits(result, loop)
    assert scans > 200  # filters whose feedback is short do not all become loops


@pytest.mark.parametrize(
    "below, above",
    [  # the energy is 1 / (1 - a^2), and of two equal poles (1 + p^2) / (1 - p^2)^3
        ([1, -0.9989], [1, -0.9991]),
        ([1, 0.9989], [1, 0.9991]),
        (np.poly([0.7357, 0.7357]), np.poly([0.7361, 0.7361])),
    ],
)
def test_filters_are_scans_up_to_an_energy_of_the_feedback(below, above):
    x = scattered(5000, "float16").astype(float)
    for a, is_loop in ((below, False), (above, True)):
        assert same_bits(upsweep.lfilter([1], a, x), loops([([1], a)], x, np.float64)[0]) == is_loop


def test_filters_with_a_pole_of_one_are_running_sums_and_others_overflow():
    x = scattered(3000)
    assert same_bits(upsweep.lfilter([1], [1, -1], x), upsweep.linear_recurrence(1.0, x))
    growing = upsweep.lfilter([1], [1, -2], np.ones(2000))
    assert growing[9] == 1023 and np.isinf(growing[-1])
    assert upsweep.lfilter([1], [1, -2, 0.5], np.ones(3)).tolist() == [1, 3, 6.5]


@pytest.mark.parametrize("b, a", [([2.0], [1.0]), ([1.0, 2.0, 3.0], [2.0])])
@pytest.mark.parametrize("feedback", [[], [0.5], [0.1, 0.2], [0.1, 0.0], [1.6, -0.9, 0.1, 0, 0.2]])
def test_filters_continue_from_a_state(b, a, feedback):
    a = [*a, *feedback]
    memory = max(len(a), len(b)) - 1
    x, first = scattered(40, "float16").astype(float), np.arange(1.0, memory + 1)
    whole, last = upsweep.lfilter(b, a, x, zi=first)
    state, expected = [*(first * a[0]), 0.0], []  # of integers and halves: exact
    for value in x.tolist():
        y = (b[0] * value + state[0]) / a[0]
        b_and_a = zip([*b[1:], *[0] * memory], [*a[1:], *[0] * memory], state[1:])
        state = [*(s + p * value - q * y for p, q, s in b_and_a), 0.0]
        expected.append(y)
    np.testing.assert_allclose(whole, expected, rtol=1e-12)
    np.testing.assert_allclose(last, np.array(state[:memory]) / a[0], rtol=1e-9, atol=1e-12)
    for cut in (0, 1, 2, 30, 40):
        y, state = upsweep.lfilter(b, a, x[:cut], zi=first)
        rest, state = upsweep.lfilter(b, a, x[cut:], zi=state)
        np.testing.assert_allclose([*y, *rest], whole, rtol=1e-12)
        np.testing.assert_allclose(state, last, rtol=1e-12, atol=1e-15)
    columns = np.stack([x, 2 * x, 3 * x], axis=1)
    y, state = upsweep.lfilter(b, a, columns, axis=0, zi=np.outer(first, [1, 2, 3]))
    np.testing.assert_allclose(y[:, 1], 2 * whole, rtol=1e-12)
    np.testing.assert_allclose(state[:, 2], 3 * last, rtol=1e-12, atol=1e-12)
    if memory:
        with pytest.raises(ValueError, match="zi has the shape"):
            upsweep.lfilter(b, a, x, zi=np.ones(memory + 1))
        with pytest.raises(ValueError, match="zi has the shape"):
            upsweep.lfilter(b, a, columns, zi=first)


def averaged(x, weight, initial=None):
    """pandas' documented weights: each missing element makes the older ones count for less."""
    y, old, out = initial, Fraction(1), []
    for value in x:
        old *= 1 - weight
        if not np.isnan(value):
            y = (
                Fraction(float(value))
                if y is None
                else (old * y + weight * Fraction(float(value))) / (old + weight)
            )
            old = Fraction(1)
        out.append(np.nan if y is None else float(y))
    return out


@pytest.mark.parametrize(
    "x",
    [
        [1, np.nan, 3, 5],
        [np.nan, np.nan, 2, np.nan, np.nan, np.nan, 8, 1, np.nan],
        [np.nan],
        [np.nan, np.nan],
        [np.nan, 4],
        [4, np.nan],
        [*range(50), np.nan, *range(50), np.nan, np.nan, 7],
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moving_averages_leave_missing_elements_out(x, dtype):
    weights = [Fraction(1, 2), Fraction(1, 8), Fraction(1)]
    for weight in weights:
        expected = averaged(x, weight)
        a = np.array(x, dtype)
        close = {"rtol": 1e-5 if dtype == "float32" else 1e-13}
        np.testing.assert_allclose(upsweep.ema(a, float(weight)), expected, **close)
        np.testing.assert_allclose(upsweep.ema(x, float(weight)), expected, rtol=1e-13)
        columns = np.stack([a, np.arange(a.size, dtype=dtype)], axis=1)
        both = upsweep.ema(columns, float(weight), axis=0)
        np.testing.assert_allclose(both[:, 0], expected, **close)
        np.testing.assert_allclose(both[:, 1], averaged(columns[:, 1], weight), **close)
        for initial in (0, 3):
            expected = averaged(x, weight, Fraction(initial))
            given = upsweep.ema(a, float(weight), initial=initial)
            np.testing.assert_allclose(given, expected, **close)


def test_moving_averages_of_infinities_are_no_gaps():
    assert upsweep.ema([1.0, np.inf, 2.0], 0.5).tolist() == [1, np.inf, np.inf]
    assert np.isnan(upsweep.ema([np.inf, -np.inf, 1.0], 0.5)[1:]).all()
    assert upsweep.ema([np.nan, 3.0, np.nan], 0.0).tolist()[1:] == [3, 3]
