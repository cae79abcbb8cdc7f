"""The errors of exp, log, softplus and sigmoid of float32, against NumPy's functions of float64.

    python function_errors.py [STRIDE [NAME ...]]

takes each STRIDE-th of the 2^32 floats, by default all.
"""

import sys

import numpy as np

from upsweep import _core
from upsweep._settings import default_settings

PART = 1 << 16  # fits caches


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "softplus": softplus,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


def parts(stride):
    """Each stride-th float that is not NaN, in arrays."""
    for begin in range(0, 1 << 32, stride * PART):
        bits = np.arange(begin, min(begin + stride * PART, 1 << 32), stride, dtype=np.uint64)
        x = bits.astype(np.uint32).view(np.float32)
        x = x[~np.isnan(x)]
        if x.size:
            yield x


def computed(name, x):
    y = np.empty_like(x)
    _core.elementwise(name, False, x, y, default_settings())
    return y


def errors(name, x):
    """The distances of results from the right ones, in units in the last place of float32 (those of
    the smallest numbers if subnormal), where the right ones are finite floats; and whether the
    other results are right."""
    y = computed(name, x)
    with np.errstate(all="ignore"):
        right = FUNCTIONS[name](x.astype(np.float64))
        beyond = ~(np.abs(right) < 2.0**128 - 2.0**103)
        power = np.maximum(right.view(np.int64) >> 52 & 0x7FF, 1023 - 126)  # of two, and 1023
        unit = (power - 23 << 52).view(np.float64)
        distance = np.abs(y.astype(np.float64) - right) / unit
        special = True
        if beyond.any():
            special = np.array_equal(y[beyond], right[beyond].astype(np.float32), equal_nan=True)
            distance[beyond] = 0
    return distance, special


def largest(name, stride):
    """The largest error, its argument, the number of arguments, and whether infinities and NaNs are
    right."""
    worst, at, count, right = 0.0, 0.0, 0, True
    for x in parts(stride):
        distance, special = errors(name, x)
        i = int(distance.argmax())
        if distance[i] > worst:
            worst, at = float(distance[i]), float(x[i])
        count, right = count + x.size, right and special
    return worst, at, count, right


def main(stride=1, *names):
    print(f"{'function':10} {'floats':>12} {'largest error':>16}  at")
    for name in names or FUNCTIONS:
        worst, at, count, right = largest(name, stride)
        note = "" if right else "  wrong infinities or NaNs"
        print(f"{name:10} {count:12} {worst:12.9f} ulp  {at!r}{note}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
