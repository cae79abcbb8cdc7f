"""Results where another extension has changed the rounding of the process, or where it flushes
subnormals to zero, as gevent 20.6 to 21.8 did."""

import ctypes
import ctypes.util
import platform

import numpy as np
import pytest
import upsweep

MODES = {"down": 0x400, "up": 0x800, "to zero": 0xC00}  # <fenv.h> of x86-64
X = np.random.default_rng(1).normal(size=1001) * 1.7
Y = X / 3 + np.random.default_rng(2).normal(size=1001)

CALLS = {
    "sum": lambda: upsweep.sum(X),
    "cumulative_sum": lambda: upsweep.cumulative_sum(X),
    "mean": lambda: upsweep.mean(X),
    "var": lambda: upsweep.var(X),
    "std": lambda: upsweep.std(X),
    "std of lines": lambda: upsweep.std(X.reshape(77, 13), axis=1),
    "skew": lambda: upsweep.skew(X),
    "kurtosis": lambda: upsweep.kurtosis(X),
    "covariance": lambda: upsweep.covariance(X, Y),
    "correlation": lambda: upsweep.correlation(X, Y),
    "harmonic_mean": lambda: upsweep.harmonic_mean(X),
    "rms": lambda: upsweep.rms(X),
    "median": lambda: upsweep.median(X),
}


@pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() != "x86_64",
    reason="the numbers of rounding modes are those of Linux on x86-64",
)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_the_rounding_mode(name, mode):
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    expected = np.asarray(CALLS[name]()).tobytes()
    assert libm.fesetround(MODES[mode]) == 0
    try:
        result = CALLS[name]()
        assert libm.fegetround() == MODES[mode]
    finally:
        libm.fesetround(0)
    assert np.asarray(result).tobytes() == expected
