"""The types of elements and the inputs of the golden set (docs/spec/golden.md), for reference.py.

Numbers are exact: 16- and 32-bit floats are held in Python floats (binary64), and the result of
each operation is rounded once more, which gives the correctly rounded sum, difference or product.
"""

import ctypes
import functools
import math
import struct

M64 = (1 << 64) - 1
NAN, INF = math.nan, math.inf


# ---- Types of elements: spec, "Numbers" ----


class Integer:
    is_float = False

    def __init__(self, name):
        self.name, self.bits, self.signed = name, int(name[1:]), name[0] == "i"
        self.mask = (1 << self.bits) - 1
        self.least = -(1 << self.bits - 1) if self.signed else 0
        self.greatest = self.mask >> self.signed
        self.bytes = self.bits // 8

    def value(self, pattern):
        return pattern - (pattern >> self.bits - 1 << self.bits) if self.signed else pattern

    def pattern(self, value):
        return value & self.mask

    def round(self, value):
        return self.value(value & self.mask)


class Float:
    is_float = True
    least, greatest = -INF, INF

    def __init__(self, name, bits, digits, code):
        self.name, self.bits, self.digits, self.code = name, bits, digits, code
        self.mask, self.bytes = (1 << bits) - 1, bits // 8
        self.exponents = bits - digits  # bits of the exponent
        self.bias = (1 << self.exponents - 1) - 1
        self.nan = ((1 << self.exponents + 1) - 1) << digits - 2

    def value(self, pattern):
        if self.name == "bf16":
            pattern <<= 16
        return struct.unpack(
            "<" + self.code, pattern.to_bytes(struct.calcsize(self.code), "little")
        )[0]

    def pattern(self, value):
        """The bits of the nearest number, ties to even. All NaN are one."""
        if value != value:
            return self.nan
        if self.name == "bf16":
            wide = F32.pattern(value)
            return (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
        try:
            return int.from_bytes(struct.pack("<" + self.code, value), "little")
        except OverflowError:
            return self.value_of_infinity(value < 0)

    def value_of_infinity(self, negative):
        return negative << self.bits - 1 | ((1 << self.exponents) - 1) << self.digits - 1

    def round(self, value):
        if self.bits == 32:
            return ctypes.c_float(value).value
        return value if self.bits == 64 else self.value(self.pattern(F32.round(value)))


TYPES = {name: Integer(name) for name in "i8 i16 i32 i64 u8 u16 u32 u64".split()}
for _name, _digits, _code in ("f16", 11, "e"), ("bf16", 8, "f"), ("f32", 24, "f"), ("f64", 53, "d"):
    TYPES[_name] = Float(_name, int(_name.lstrip("bf")), _digits, _code)
I64, U8, U64, F32, F64 = (TYPES[name] for name in ("i64", "u8", "u64", "f32", "f64"))


def widened(t):
    """The accumulator of sums and products."""
    if t.is_float:
        return F64 if t is F64 else F32
    return I64 if t.signed else U64


def selected(t):
    """The accumulator of operators that choose one of their operands."""
    return widened(t) if t.is_float else t


# ---- Inputs: golden.md, "Inputs" ----


def word(stream, k):
    z = (stream + (k + 1) * 0x9E3779B97F4A7C15) & M64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def integer_pattern(t, kind, u):
    kind = {"scattered": "bits", "wide": "bits", "unit": "bits", "special": "edges"}.get(kind, kind)
    if kind == "edges":
        top = 1 << t.bits - 1
        return (0, 1, 2, t.mask, top, top + 1, top - 1, top - 2)[u % 8]
    if kind == "minus0":
        return 0
    value = {
        "bits": u,
        "odd": u | 1,
        "small": u % 201 - (100 if t.signed else 0),
        "few": u % 5 - (2 if t.signed else 0),
        "times6": u % 20 * 6,
    }[kind]
    return value & t.mask


def float_edges(t):
    one, normal = t.bias << t.digits - 1, 1 << t.digits - 1
    finite = [0, 1, normal - 1, normal, one, t.value_of_infinity(False) - 1]
    return [sign << t.bits - 1 | x for x in finite for sign in (0, 1)]


def float_pattern(t, kind, u, v):
    m = t.digits - 1
    sign = u >> 63 << t.bits - 1
    fraction = v & (1 << m) - 1
    if kind == "bits":
        return v & t.mask
    if kind == "scattered":
        half = 4 if t.name == "f16" else 20
        if (u >> 32) % 50 == 0:
            return sign
        return sign | (t.bias - half + (u >> 8) % (2 * half + 1)) << m | fraction
    if kind == "wide":
        return sign | (u >> 8) % ((1 << t.exponents) - 1) << m | fraction
    if kind == "edges":
        return float_edges(t)[u % 12]
    if kind == "special":
        rare = (u >> 32) % 32
        return (t.nan, *map(t.value_of_infinity, (False, True)), float_edges(t)[u % 12])[
            min(rare, 3)
        ]
    if kind == "minus0":
        return 1 << t.bits - 1
    if kind == "few":
        c = u % 8
        if c == 7 and (u >> 32) % 16 == 0:
            return t.nan
        return t.pattern((-1.0, -0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0)[c])
    if kind == "small":
        return t.pattern(float(u % 201 - 100))
    if kind == "unit":
        return t.pattern(fraction * 2.0**-m)
    assert kind == "near1"
    low, width = (901 << m >> 10), (251 << m >> 10)
    return sign | t.pattern((low + v % width) * 2.0**-m)


def number_pattern(t, kind, u, v):
    return float_pattern(t, kind, u, v) if t.is_float else integer_pattern(t, kind, u)


def split_type(name):
    """map-f32: two numbers of type f32."""
    shape, _, number = name.rpartition("-")
    return shape, TYPES[number], {"": 1, "map": 2, "xy": 2, "mat": 4}[shape]


@functools.lru_cache(maxsize=500)
def patterns(name, kind, n, stream):
    """Elements 0 ... n - 1 and, as `initial`s, the eight behind them."""
    seed = n + (stream << 32)
    shape, t, parts = split_type(name)
    kinds = kind.split("/") * (parts if "/" not in kind else 1)
    made = []
    for i in range(n + 8):
        one = []
        for c in range(parts):
            k = 2 * (i * parts + c)
            one.append(number_pattern(t, kinds[c], word(seed, k), word(seed, k + 1)))
        made.append(one[0] if parts == 1 else tuple(one))
    return made


@functools.lru_cache(maxsize=500)
def values(name, kind, n, stream=0):
    shape, t, parts = split_type(name)
    made = patterns(name, kind, n, stream)
    return [t.value(p) if parts == 1 else tuple(map(t.value, p)) for p in made]


def texts(n):
    made = []
    for i in range(n):
        u, v = word(n, 2 * i), word(n, 2 * i + 1)
        made.append(bytes(97 + (v >> 8 * j & 255) % 26 for j in range(u % 4)))
    return made
