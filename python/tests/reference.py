"""Expected values that owe nothing to the library: the combine tree of docs/contracts.md in plain
Python, and inputs that no order of addition agrees about.
"""

import math
import sys
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
sys.path.insert(0, str(GOLDEN))

from spec import cases, tree  # noqa: E402, F401, the program that made the golden set


def prefixes(x, op):
    """prefix(1) ... prefix(n) of the combine tree."""
    return tree.prefixes(tree.Operator([], None, op), list(x))[1:]


def tree_sums(x):
    """The running sums of an array of floats in its own type, or of float16 in float32."""
    dtype = np.float32 if x.dtype == np.float16 else x.dtype
    with np.errstate(all="ignore"):
        return np.array(prefixes(x.astype(dtype), lambda a, b: a + b), dtype=dtype)


def scattered(n, dtype=np.float64, seed=1):
    """Numbers of both signs and many magnitudes."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) * np.exp2(rng.integers(-20, 20, n))
    if np.dtype(dtype).kind == "f":
        return (x if np.dtype(dtype).itemsize > 2 else rng.standard_normal(n)).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


def layouts(x):
    """The same numbers in one dimension, in memory of every kind."""
    n = len(x)
    yield "contiguous", x
    spread = np.zeros(3 * n, x.dtype)
    spread[::3] = x
    yield "strided", spread[::3]
    yield "backwards", x[::-1].copy()[::-1]
    columns = np.zeros((n, 2), x.dtype)
    columns[:, 1] = x
    yield "column", columns[:, 1]
    raw = np.zeros(n * x.itemsize + 1, np.uint8)
    raw[1:] = x.view(np.uint8)
    yield "misaligned", raw[1:].view(x.dtype)
    yield "swapped", x.astype(x.dtype.newbyteorder())
    frozen = x.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


SIZES = [0, 1, 2, 3, 31, 32, 33, 100, 1000, 4095, 4096, 4097, 20011]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


def wrapped(value, dtype):
    """A Python integer in 64 bits, as sums of integers wrap."""
    bits = value % 2**64
    return bits - 2**64 if np.dtype(dtype).kind == "i" and bits >= 2**63 else bits


def fsum(x):
    return math.fsum(float(v) for v in x)
