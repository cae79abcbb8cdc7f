"""The inputs of docs/spec/golden.md: elements of each type and kind, and segments."""

import functools
import itertools

from spec.numbers import M64, NAN, TYPES

SECOND = 2**32  # added to the stream of an input beside the elements


def word(stream, k):
    z = stream + (k + 1) * 0x9E3779B97F4A7C15 & M64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def integer_of_kind(t, kind, u, v):
    if kind in ("edges", "special"):
        return (0, 1, 2, -1, t.sign, t.sign + 1, t.sign - 1, t.sign - 2)[u % 8] & t.mask
    small, few = u % 201 - 100 * t.signed, u % 5 - 2 * t.signed
    kinds = {"odd": u | 1, "small": small, "few": few, "times6": 6 * (u % 20), "minus0": 0}
    return kinds.get(kind, u) & t.mask


def float_of_kind(t, kind, u, v):
    m, high, sign, fraction = t.fraction, u >> 32, t.sign * (u >> 63), v % (1 << t.fraction)
    if kind == "bits":
        return v & t.mask
    if kind == "special" and high % 32 < 3:
        return (t.nan, t.infinity, t.infinity | t.sign)[high % 32]
    if kind in ("edges", "special"):
        edges = (0, 1, (1 << m) - 1, 1 << m, t.bias << m, t.infinity - 1)
        return edges[u % 12 // 2] | t.sign * (u % 2)
    if kind == "wide":
        return sign | (u >> 8) % (t.infinity >> m) << m | fraction
    if kind == "scattered":
        h = 4 if t.name == "f16" else 20
        exponent = t.bias - h + (u >> 8) % (2 * h + 1)
        return sign | (0 if high % 50 == 0 else exponent << m | fraction)
    if kind == "near1":
        return sign | t.pattern(((901 << m >> 10) + v % (251 << m >> 10)) / (1 << m))
    few = (-1.0, -0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0 if high % 16 else NAN)[u % 8]
    values = {"few": few, "small": u % 201 - 100, "unit": fraction / (1 << m), "minus0": -0.0}
    return t.pattern(values[kind])


@functools.lru_cache(maxsize=500)
def inputs(type_name, kind, n, stream=0):
    """The bits and the values of the elements 0 ... n - 1 and, as `initial`s, of eight more."""
    shape, _, number = type_name.rpartition("-")
    t, parts = TYPES[number], {"": 1, "map": 2, "xy": 2, "mat": 4}[shape]
    words = [word(n + stream, k) for k in range(2 * (n + 8) * parts)]
    pairs = list(zip(words[::2], words[1::2]))
    if type_name == "text":
        texts = [bytes(97 + (v >> 8 * j & 255) % 26 for j in range(u % 4)) for u, v in pairs]
        return texts, texts
    of_kind, kinds = float_of_kind if t.is_float else integer_of_kind, kind.split("/")
    bits = [of_kind(t, kind, u, v) for kind, (u, v) in zip(itertools.cycle(kinds), pairs)]
    values = [t.value(b) for b in bits]
    return bits, values if parts == 1 else list(zip(*[iter(values)] * parts))


def segment_starts(n, cut):
    """The starts of segments, and n; the last one is empty."""
    starts, mixed = [0], [1] * 3 + [8] * 5 + [50] * 5 + [400] * 2 + [3000]
    while starts[-1] < n:
        w = word(n + SECOND, len(starts) - 1)
        length = (w >> 8) % (4 if cut == "short" else mixed[w % 16])
        starts.append(min(n, starts[-1] + length))
    return starts + [n]


def run_starts(keys):
    return [i for i in range(len(keys)) if i == 0 or not keys[i - 1] == keys[i]]
