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
