"""The numbers of docs/spec/README.md: their values, their bits, and how they are rounded."""

import ctypes
import math
import struct

NAN, INF, M64 = math.nan, math.inf, 2**64 - 1


class Number:
    """Values are Python ints or floats. These are binary64, which has more than twice the digits of
    narrower floats, so rounding the result of an operation once more rounds it correctly.
    """

    def __init__(self, name, code):
        self.name, self.code, self.bits = name, "<" + code, int(name.lstrip("biuf"))
        self.is_float, self.signed = code in "efd", code in "bhiq"
        self.sign, self.mask = 1 << self.bits - 1, (1 << self.bits) - 1
        self.least, self.greatest = -self.sign * self.signed, self.mask >> self.signed
        if self.is_float:
            self.least, self.greatest = -INF, INF
            self.fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[name]
            self.infinity = self.sign - (1 << self.fraction)
            self.nan = self.infinity | 1 << self.fraction - 1
            self.bias = self.infinity >> self.fraction + 1

    def value(self, pattern):
        wide = pattern << 16 if self.name == "bf16" else pattern
        return struct.unpack(self.code, wide.to_bytes(struct.calcsize(self.code), "little"))[0]

    def pattern(self, value):
        """The bits of the nearest number, ties to even. All NaN are one."""
        if not self.is_float:
            return value & self.mask
        if value != value:
            return self.nan
        try:
            wide = int.from_bytes(struct.pack(self.code, value), "little")
        except OverflowError:
            return self.infinity | self.sign * (value < 0)
        return wide + 0x7FFF + (wide >> 16 & 1) >> 16 if self.name == "bf16" else wide

    def round(self, value):
        if self.name == "f32":
            return ctypes.c_float(value).value
        return value if self.name == "f64" else self.value(self.pattern(value))


NAMES = "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64"
TYPES = {name: Number(name, code) for name, code in zip(NAMES.split(), "bhiqBHIQeffd")}
I32, I64, U8, U64, F32, F64 = map(TYPES.get, ("i32", "i64", "u8", "u64", "f32", "f64"))
for _t in TYPES.values():
    _t.real = F32 if _t.is_float and _t is not F64 else F64
    _t.widened = _t.real if _t.is_float else I64 if _t.signed else U64
    _t.selected = _t.real if _t.is_float else _t
TYPES["text"] = U8  # of the bytes of a string


def quotient(a, b, defined=True):
    return NAN if not defined else a / b if b else a * math.copysign(INF, b)


def root(x):
    return math.sqrt(x) if x >= 0 else NAN
