"""What users reported about other libraries: the right values, which these calls must keep."""

import math

import numpy as np
import pytest
import upsweep


def test_running_sums_of_float32_end_at_the_sum():
    """https://github.com/pandas-dev/pandas/issues/47488, numpy/numpy/issues/14909"""
    x = (np.random.default_rng(1).integers(0, 10_000, 1_000_000) / 1e4).astype("float32")
    assert upsweep.cumulative_sum(x)[-1] == upsweep.sum(x)
    assert upsweep.sum(x) == pytest.approx(math.fsum(x), rel=1e-6)
    ones = np.ones(2**25, np.float32)
    assert upsweep.cumulative_sum(ones)[-1] == 2**25


def test_running_sums_of_float16_do_not_stop_at_2048():
    """https://github.com/numpy/numpy/issues/24443"""
    x = np.random.default_rng(1).uniform(0, 1, 100_000).astype(np.float16)
    assert upsweep.cumulative_sum(x)[-1] == pytest.approx(math.fsum(x), rel=1e-6)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_sums_do_not_depend_on_the_shape(axes):
    """https://github.com/numpy/numpy/issues/20458 and 22956"""
    x = np.full((2**24, 2), 2.0**-25, np.float32)
    first, _ = axes
    assert upsweep.sum(upsweep.sum(x, axis=first)) == 1
    assert upsweep.mean(x, axis=0).tolist() == [2.0**-25] * 2


def test_windows_forget_what_has_left_them():
    """https://github.com/pandas-dev/pandas/issues/38488"""
    x = np.random.default_rng(1).random(20)
    x[:10] *= 1e6
    x[10:] = 0
    assert upsweep.windowed(x, 6)[10:].tolist() == [0] * 5
    x[10:] = 1e-13
    assert upsweep.windowed(x, 2)[10:].tolist() == [2e-13] * 9


def test_a_group_does_not_depend_on_the_others():
    """https://github.com/pandas-dev/pandas/issues/38752 and 38778"""
    keys = np.arange(4000) % 2
    x = np.where(keys == 0, np.exp(np.arange(4000) % 40), 1e-13)
    sums = upsweep.group_reduce(keys, x).values
    assert sums.tolist() == [upsweep.sum(x[::2]), upsweep.sum(x[1::2])]
    assert sums[1] == pytest.approx(2e-10, rel=1e-13)
    assert upsweep.group_scan(keys, x)[-1] == sums[1]


def test_groups_of_large_integers_are_exact():
    """https://github.com/pandas-dev/pandas/issues/34681"""
    for bits in range(63):
        total = upsweep.group_reduce(["A", "A"], np.array([14, 2**bits])).values[0]
        assert int(total) == 14 + 2**bits
