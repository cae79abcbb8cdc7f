"""The inputs of the golden set, made from integers alone: the tables of docs/spec/golden.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

try:
    from ml_dtypes import bfloat16 as _bfloat16

    bfloat16 = np.dtype(_bfloat16)
except ImportError:
    bfloat16 = None

M64 = 2**64 - 1
NAMES = {"i": "int", "u": "uint", "f": "float"}
FRACTION_BITS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}


def type_named(name: str) -> np.dtype:
    """The type "i8" ... "f64"; without ml_dtypes NumPy has no bf16, and KeyError is raised."""
    if name == "bf16" and bfloat16 is not None:
        return bfloat16
    return np.dtype(f"{NAMES[name[0]]}{name[1:]}")


def words(stream: int, count: int) -> Array:
    """The first words of a stream (splitmix64)."""
    k = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(stream & M64) + k * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def patterns_of(x: Array, canonical: bool = False) -> Array:
    """The bits of numbers, NaN with one pattern if `canonical`."""
    bits = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")
    if canonical and x.dtype.kind not in "iub":
        bits = np.where(x != x, _Layout(x.dtype).nan, bits).astype(bits.dtype)
    return bits


class _Layout:
    """How a floating-point type is laid out."""

    def __init__(self, dtype: np.dtype) -> None:
        self.m, self.bits = FRACTION_BITS[dtype.name], 8 * dtype.itemsize
        self.exponents = 1 << (self.bits - 1 - self.m)
        self.bias, self.sign = self.exponents // 2 - 1, 1 << (self.bits - 1)
        self.infinity = (self.exponents - 1) << self.m
        self.nan = self.infinity | 1 << (self.m - 1)


def elements(
    dtype: np.dtype, kind: str, n: int, more: int, stream: int = 0, parts: int = 1
) -> Array:
    """The numbers of n + `more` elements of a stream, `parts` of each."""
    both = words(n + (stream << 32), 2 * parts * (n + more))
    u, v = both[::2], both[1::2]
    bits = f"u{dtype.itemsize}"
    if dtype.kind in "iu":
        return _integers(dtype, kind, u).astype(bits).view(dtype)
    made = _floats(dtype, kind, u, v)
    if made.dtype == np.float64:  # values that the type has
        return made.astype(dtype)
    return made.astype(bits).view(dtype)


def _integers(dtype: np.dtype, kind: str, u: Array) -> Array:
    top, shift = 1 << (8 * dtype.itemsize - 1), dtype.kind == "i"
    if kind in ("edges", "special"):
        table = [0, 1, 2, M64, top, top + 1, top - 1, top - 2]
        return np.array(table, np.uint64)[(u % np.uint64(8)).astype(np.intp)]
    if kind == "minus0":
        return np.zeros_like(u)
    if kind == "odd":
        return u | np.uint64(1)
    if kind in ("small", "few"):
        count, less = (201, 100) if kind == "small" else (5, 2)
        return (u % np.uint64(count)).astype(np.int64) - (less if shift else 0)
    return u % np.uint64(20) * np.uint64(6) if kind == "times6" else u


def _floats(dtype: np.dtype, kind: str, u: Array, v: Array) -> Array:
    """Bits as uint64, or values as float64."""
    f, m = _Layout(dtype), np.uint64(FRACTION_BITS[dtype.name])
    one = 1 << int(m)
    sign = (u >> np.uint64(63)) << np.uint64(f.bits - 1)
    fraction, rare = v & np.uint64(one - 1), u >> np.uint64(32)
    if kind == "bits":
        return v & np.uint64(2 * f.sign - 1)
    if kind == "scattered":
        half = 4 if dtype == np.float16 else 20
        exponent = np.uint64(f.bias - half) + (u >> np.uint64(8)) % np.uint64(2 * half + 1)
        return np.where(rare % np.uint64(50) == 0, sign, sign | exponent << m | fraction)
    if kind == "wide":
        return sign | (u >> np.uint64(8)) % np.uint64(f.exponents - 1) << m | fraction
    if kind == "unit":
        return fraction.astype(np.float64) / one
    if kind == "near1":
        low, width = 901 * one // 1024, 251 * one // 1024
        value = (np.uint64(low) + v % np.uint64(width)).astype(np.float64) / one
        return np.where(sign != 0, -value, value)
    if kind == "small":
        return (u % np.uint64(201)).astype(np.float64) - 100
    if kind == "few":
        table = np.array([-1, -0.0, 0, 0, 1, 1, 2, 2])
        some_nan = (u % np.uint64(8) == 7) & (rare % np.uint64(16) == 0)
        return np.where(some_nan, np.nan, table[(u % np.uint64(8)).astype(np.intp)])
    if kind == "minus0":
        return np.full_like(u, f.sign)
    finite = np.array([0, 1, one - 1, one, f.bias << int(m), f.infinity - 1], np.uint64)
    twelve = (u % np.uint64(12)).astype(np.intp)
    edge = finite[twelve // 2] | (twelve % 2).astype(np.uint64) << np.uint64(f.bits - 1)
    if kind == "special":
        for which, bits in enumerate((f.nan, f.infinity, f.infinity | f.sign)):
            edge = np.where(rare % np.uint64(32) == which, np.uint64(bits), edge)
    return edge


def segment_offsets(n: int, cut: str) -> Array:
    """The borders of the segments of n elements."""
    w = words(n + 2**32, 4 * n + 64).tolist()  # more than the segments of any n of the recipe
    offsets = [0]
    for word in w:
        if offsets[-1] >= n:
            break
        kind, length = word & 15, word >> 8
        if cut == "short":
            length %= 4
        else:
            length %= (
                1
                if kind < 3
                else 8
                if kind < 8
                else 50
                if kind < 13
                else 400
                if kind < 15
                else 3000
            )
        offsets.append(min(n, offsets[-1] + length))
    return np.array([*offsets, n], np.int64)
