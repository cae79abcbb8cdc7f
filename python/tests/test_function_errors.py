"""exp, log, softplus and sigmoid of float32 are right to half a unit in the last place.

UPSWEEP_FLOAT_STRIDE=1 takes all 2^32 floats instead of 43,000: ten minutes on one core.
"""

import math
import os

import function_errors
import numpy as np
import pytest

STRIDE = int(os.environ.get("UPSWEEP_FLOAT_STRIDE", "99991"))
# docs/torch.md states it. The functions are computed in float64 and rounded once.
BOUND = 0.5000001


@pytest.mark.parametrize("name", function_errors.FUNCTIONS)
def test_functions_of_floats_are_rounded_once(name):
    worst, at, count, right = function_errors.largest(name, STRIDE)
    assert worst < BOUND, f"{name}({at!r}) is wrong by {worst} units in the last place"
    assert right, f"{name} has wrong infinities or NaNs"
    assert count > (2**32 - 2**24) // STRIDE - 10


@pytest.mark.parametrize("name", function_errors.FUNCTIONS)
def test_functions_of_special_floats_and_beside_limits_are_right(name):
    inf = math.inf
    x = [0.0, -0.0, inf, -inf, math.nan, 1.0, 2.0**-149, 2.0**-126, 1 - 2.0**-24]
    limits = [88.72283, -87.33655, -103.972084, 16.635532, -16.635532, 104.0, 3.4028235e38]
    x = np.array([*x, *limits, *(-y for y in limits)], np.float32)
    with np.errstate(over="ignore"):
        x = np.concatenate([x, np.nextafter(x, np.float32(inf)), np.nextafter(x, -x)])
    distance, right = function_errors.errors(name, x)
    assert right and (distance < BOUND).all()
