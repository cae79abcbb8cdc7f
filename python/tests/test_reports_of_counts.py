"""Public reports about counts, outputs, empty signals, time spans and gaps, with right values."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
import upsweep


def test_running_counts_fit_unsigned_outputs():
    """numpy/numpy#20455: np.cumsum of Booleans with an `out` of uint32 stopped at 1."""
    flags = np.ones(300, bool)
    for dtype in ("uint32", "uint64", "uint16"):
        out = np.zeros(300, dtype)
        assert upsweep.cumulative_sum(flags, out=out) is out
        assert out.tolist() == list(range(1, 301))
        total = np.zeros((), dtype)
        assert upsweep.sum(flags, out=total) == 300
        assert upsweep.sum(flags, where=flags, out=total) == 300
    out = np.zeros(350, np.uint32)
    assert upsweep.cumulative_sum(np.ones(350, np.uint8), out=out)[-1] == 350
    at = np.zeros(2, np.uint32)
    assert upsweep.add.reduceat(flags, [0, 100], out=at).tolist() == [100, 200]
    with pytest.raises(TypeError, match="out has the type uint32, which does not hold int64"):
        upsweep.sum(np.ones(3, np.int8), out=np.zeros((), np.uint32))
    with pytest.raises(TypeError, match="out has the type uint32, which does not hold int8"):
        upsweep.reduce(-np.ones(3, np.int8), "max", out=np.zeros((), np.uint32))


def test_indices_may_be_unsigned():
    """numpy/numpy#28354 and #17760: np.bincount refused uint64."""
    x = np.array([0, 1, 1, 5], np.uint64)
    assert upsweep.bincount(x).tolist() == [1, 2, 0, 0, 0, 1]
    assert upsweep.bincount(x, [0.5, 1.0, 2.0, 4.0], minlength=7).tolist() == [
        *(0.5, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0),
    ]


@pytest.mark.parametrize("weights", [None, [1.0]])
def test_counts_of_huge_numbers_are_refused(weights):
    for largest in (2**64 - 1, 2**63, 2**61):
        with pytest.raises(ValueError, match=f"the result would have {largest + 1} elements"):
            upsweep.bincount(np.array([largest], np.uint64), weights)
    for minlength in (2**62, 2**63, 2**64):
        with pytest.raises(ValueError, match="give smaller integers"):
            upsweep.bincount([1], weights, minlength=minlength)
        with pytest.raises(ValueError, match="give smaller integers"):
            upsweep.bincount([], minlength=minlength)


def test_sizes_of_counts_are_whole_numbers():
    """numpy/numpy#4542: errors of a wrong minlength named dimensions, or nothing."""
    assert upsweep.bincount([], minlength=0).tolist() == []
    assert upsweep.bincount([], minlength=3).tolist() == [0, 0, 0]
    for wrong, error in (("foobar", TypeError), (2.5, TypeError), (-1, ValueError)):
        with pytest.raises(error, match="minlength="):
            upsweep.bincount([1, 2], minlength=wrong)


def test_filters_of_nothing_keep_their_state():
    """scipy/scipy#22571: lfilter of an empty signal returned the state of an earlier call."""
    b, a, state = [1.0, 2.0, -1.0], [1.0, 0.5], np.array([0.25, 0.5])
    for back in (a, [1.0]):
        upsweep.lfilter(b, back, [7.0], zi=[3.0, 4.0])
        y, after = upsweep.lfilter(b, back, [], zi=state)
        assert y.shape == (0,) and after.tolist() == state.tolist()
    y, after = upsweep.lfilter(b, a, np.empty((3, 0)), zi=np.arange(6.0).reshape(3, 2))
    assert y.shape == (3, 0) and after.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_states_of_filters_are_broadcast():
    """scipy/scipy#4681 and #4612: states of one dimension belonged to other signals."""
    state = np.ones((3, 1, 4)) * np.array([1.0, 2.0, 3.0])[:, None, None]
    y, after = upsweep.lfilter(np.ones(5), [1, 0], np.zeros((3, 2, 5)), -1, state)
    assert y[:, :, :4].tolist() == [[[k] * 4] * 2 for k in (1.0, 2.0, 3.0)]
    assert after.shape == (3, 2, 4) and not after.any()
    with pytest.raises(ValueError, match=r"zi has the shape \(4, 1\); give \(2, 1\)"):
        upsweep.lfilter([1, -1], [1.0], np.zeros((2, 5)), 1, np.ones((4, 1)))


def test_coefficients_may_be_numbers():
    """scipy/scipy#11359: lfilter refused a coefficient without dimensions."""
    y = upsweep.lfilter(1.0, [1, -0.5, 0.5], np.array([1.0, 1.0, 1.0]))
    assert y.tolist() == [1.0, 1.5, 1.25]
    assert upsweep.lfilter(np.array(2.0), 4, [1.0, 2.0]).tolist() == [0.5, 1.0]


@pytest.mark.parametrize("method", ["accumulate", "reduce", "reduceat"])
def test_outputs_of_another_shape_are_refused_and_released(method):
    """numpy/numpy#32545 and #31691: they crashed, were filled in part, or were never freed."""
    x, at = np.arange(3.0), ([0, 1],) if method == "reduceat" else ()
    texts = np.empty(2 if at else 3, "U5")
    for out, error in ((np.full((2, 2), 99.0), ValueError), (texts, (TypeError, ValueError))):
        before = sys.getrefcount(out)
        for _ in range(10):
            with pytest.raises(error, match="out has"):
                getattr(upsweep.add, method)(x, *at, out=out)
        assert sys.getrefcount(out) == before
        assert out.dtype.kind == "U" or (out == 99).all()


MOST = 2**63 - 1


@pytest.mark.parametrize(
    "spans", [[2**53 + 1, 0], [2**62 + 1, -(2**62)], [-MOST], [MOST, -MOST, MOST], [MOST, -1]]
)
def test_sums_of_spans_are_not_rounded(spans):
    """pandas-dev/pandas#66582: sums of time spans were added in float64."""
    x, total = np.array(spans, "m8[ns]"), np.timedelta64(sum(spans), "ns")
    keys = np.zeros(len(spans), int)
    assert upsweep.sum(x) == upsweep.cumulative_sum(x)[-1] == total
    assert upsweep.group_reduce(keys, x).values == upsweep.group_scan(keys, x)[-1] == total
    assert upsweep.windowed(x, len(x)) == upsweep.sum(x, where=x == x) == total


@pytest.mark.parametrize("spans", [[MOST, MOST], [2**62] * 3, [-(2**62)] * 2])
def test_sums_of_spans_do_not_become_others(spans):
    """pandas-dev/pandas#66551, #66576 and #66587: they wrapped, or were NaT."""
    x, keys = np.array(spans, "m8[ns]"), np.zeros(len(spans), int)
    for call in (
        lambda: upsweep.sum(x),
        lambda: upsweep.sum(x, skipna=True),
        lambda: upsweep.sum(x[1:], initial=x[0]),
        lambda: upsweep.cumulative_sum(x),
        lambda: upsweep.group_reduce(keys, x),
        lambda: upsweep.group_reduce(keys, x, skipna=True),
        lambda: upsweep.group_scan(keys, x),
        lambda: upsweep.segment_reduce(x, [0, len(x)]),
        lambda: upsweep.windowed(x, len(x)),
        lambda: upsweep.windowed(x, len(x), min_periods=1),
    ):
        with pytest.raises(OverflowError):
            call()


@pytest.mark.parametrize("weight", [Fraction(1, 2), Fraction(1, 4), Fraction(499, 1000)])
def test_averages_are_continuous_in_their_weight(weight):
    """pandas-dev/pandas#66523: with the weight 1/2, and with no other, gaps counted otherwise."""
    old = (1 - weight) ** 2
    expected = (old * 1 + weight * 5) / (old + weight)
    result = upsweep.ema([1.0, np.nan, 5.0], float(weight))
    np.testing.assert_allclose(result, [1.0, 1.0, float(expected)], rtol=1e-15)


def test_outputs_may_be_rows_apart():
    """numpy/numpy#8036: rows between those of the output were written."""
    x = np.ones((7, 13, 8), np.int16)[4:6, 1:11:6, 1:5].transpose(1, 2, 0)
    base = np.ones((4, 4), np.int64)
    assert (upsweep.add.reduce(x, out=base[::2], axis=2) == 2).all()
    assert base.tolist() == [[2] * 4, [1] * 4, [2] * 4, [1] * 4]


def test_slices_may_be_stored_over_the_elements():
    """numpy/numpy#7465: reduceat into its own argument freed what it still had to read."""
    x = np.arange(4.0)
    expected = np.add.reduceat(x.copy(), [3, 2, 1, 0])
    assert upsweep.add.reduceat(x, [3, 2, 1, 0], out=x) is x and x.tolist() == expected.tolist()


def test_windows_forget_infinities_and_large_numbers():
    """Questions about pandas' rolling means, which keep the rounding errors of earlier windows."""
    x = [1e16, 1.0, 1.0, np.inf, 2.0, 4.0]
    expected = [math.fsum(x[i : i + 2]) / 2 for i in range(5)]
    assert upsweep.windowed(x, 2, "mean").tolist() == expected
