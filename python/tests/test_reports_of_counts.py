"""Public reports about counts, outputs and empty signals, with the values that are right."""

import sys

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
