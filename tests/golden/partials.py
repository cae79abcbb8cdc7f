#!/usr/bin/env python3
"""The bytes of partials of exact operators for fixed inputs, by docs/spec/partial_bytes.md and
without any of the library's code: an oracle for tests/golden/partials.cpp.

    partials.py               prints the table that is kept as partials.txt
    partials.py --check FILE  exits with 1 and the first line of FILE that differs from that table

The lines of the table are

    OPERATOR TYPE BEGIN ELEMENTS BYTES

where TYPE is that of the elements, BEGIN the position of the first one, ELEMENTS their bits in
hexadecimal with commas between them (those of a decimal as UNITS/SCALE), and BYTES the partial.
"""

import math
import struct
import sys
from fractions import Fraction

from reference import report

MAGIC, TREE = b"upsweep partial\n", 1
CANONICAL, PLAIN = 2, 1  # formats
FLOATS = {  # bits of the fraction, bits of the exponent
    "f64": (52, 11),
    "f32": (23, 8),
    "f16": (10, 5),
    "bf16": (7, 8),
}
UNIT = {"f64": 1074, "f32": 149, "f16": 149, "bf16": 149, "i64": 1074, "u8": 1074}


def random_words(seed):
    """xorshift64* (Vigna 2016)."""
    state = seed
    while True:
        state ^= state >> 12
        state ^= state << 25 & 2**64 - 1
        state ^= state >> 27
        yield state * 0x2545F4914F6CDD1D % 2**64


def u64(x):
    return struct.pack("<Q", x)


def text(s):
    return struct.pack("<I", len(s)) + s.encode()


def partial(operator, element, begin, size, total, parameters=b"", tree_format=PLAIN):
    body = MAGIC + struct.pack("<HH", tree_format, TREE) + text(element) + text(operator)
    body += struct.pack("<I", len(parameters)) + parameters + u64(begin) + u64(begin + size)
    body += u64(1) + total
    checksum = 0xCBF29CE484222325
    for byte in body:
        checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
    return body + u64(checksum)


def value(element, bits):
    """What the bits mean: a Fraction, or one of the words nan, inf, -inf, -0."""
    if element in ("i64", "u8"):
        return Fraction(bits - 2**64 if element == "i64" and bits >> 63 else bits)
    fraction_bits, exponent_bits = FLOATS[element]
    fraction = bits & (2**fraction_bits - 1)
    exponent = bits >> fraction_bits & (2**exponent_bits - 1)
    negative = bits >> (fraction_bits + exponent_bits)
    if exponent == 2**exponent_bits - 1:
        return "nan" if fraction else ("-inf" if negative else "inf")
    if exponent == 0 and fraction == 0 and negative:
        return "-0"
    significand = fraction + (2**fraction_bits if exponent else 0)
    scale = max(exponent, 1) - (2 ** (exponent_bits - 1) - 1) - fraction_bits
    return (-1 if negative else 1) * significand * Fraction(2) ** scale


def exact_sum(element, words):
    values = [value(element, w) for w in words]
    if "nan" in values or ("inf" in values and "-inf" in values):
        return b"\x01"
    if "inf" in values:
        return b"\x02"
    if "-inf" in values:
        return b"\x04"
    if all(v == "-0" for v in values):
        return b"\x08"
    units = sum(v for v in values if v != "-0") * 2 ** UNIT[element]
    assert units == int(units)
    units = int(units)
    if units == 0:
        return b"\x10\0\0"
    low = 0
    while units % 2**64 == 0:
        units //= 2**64
        low += 1
    count = 1
    while not -(2 ** (64 * count - 1)) <= units < 2 ** (64 * count - 1):
        count += 1
    return bytes([0x10, low, count]) + units.to_bytes(8 * count, "little", signed=True)


def f64(x):
    return b"\0\0\0\0\0\0\xf8\x7f" if math.isnan(x) else struct.pack("<d", x)


def drawdown(element, words):
    x = [struct.unpack("<d", u64(w))[0] for w in words]
    deepest = max((x[i] - x[j] for j in range(len(x)) for i in range(j)), default=0.0)
    return u64(len(x)) + f64(max(x)) + f64(min(x)) + f64(x[-1]) + f64(max(deepest, 0.0))


def stretch(element, words, separate):
    x = [w - 2**64 if w >> 63 else w for w in words]
    count = 1 + sum(separate(a, b) for a, b in zip(x, x[1:], strict=False))
    return u64(words[0]) + u64(words[-1]) + u64(count)


def decimal_total(numbers, operation):
    """Of (units, scale), as they are written."""
    if operation == "product":
        units, scale = 1, 0
        for u, s in numbers:
            units, scale = units * u, scale + s
    else:
        scale = max(s for _, s in numbers)
        units = sum(u * 10 ** (scale - s) for u, s in numbers)
    state = units.to_bytes(16, "little", signed=True) + struct.pack("<I", scale)
    return state + (u64(len(numbers)) if operation == "mean" else b"")


def random_float(element, next_word, kind):
    fraction_bits, exponent_bits = FLOATS[element]
    bits = fraction_bits + exponent_bits + 1
    infinity = (2**exponent_bits - 1) << fraction_bits
    word = next(next_word)
    special = {"minus zeros": 1 << (bits - 1), "zeros": (word & 1) << (bits - 1)}.get(kind)
    if special is not None:
        return special
    if kind == "infinities" and word % 5 == 0:
        return infinity | (1 << (bits - 1))
    if kind == "not numbers" and word % 5 == 0:
        return infinity | (1 + word // 5 % (2**fraction_bits - 1)) | (word >> 63) << (bits - 1)
    if kind == "beyond the largest":
        return infinity - 1 - word % 4
    if kind == "subnormal":
        return word % 2**fraction_bits | (word >> 63) << (bits - 1)
    while True:
        found = next(next_word) >> (64 - bits)
        if found & infinity != infinity:
            return found


def row(operator, element, begin, words, total, **more):
    shown = ",".join("%x" % w if isinstance(w, int) else "%d/%d" % w for w in words)
    made = partial(operator, element, begin, len(words), total, **more)
    return f"{operator.replace(' ', '_')} {element} {begin} {shown} {made.hex()}"


def exact_rows(next_word):
    kinds = ("any", "zeros", "minus zeros", "infinities", "not numbers", "beyond the largest",
             "subnormal")  # fmt: skip
    for element in FLOATS:
        for kind in kinds:
            for n in (1, 2, 5, 13):
                words = [random_float(element, next_word, kind) for _ in range(n)]
                if kind == "any" and n == 13:  # a sum that cancels to few words, or to zero
                    sign = 1 << (sum(FLOATS[element]))
                    words = [*words[:6], *(w ^ sign for w in words[1:6]), words[0] ^ sign]
                begin = next(next_word) % 1000
                yield row("exact-sum", element, begin, words, exact_sum(element, words),
                          tree_format=CANONICAL)  # fmt: skip
    for element, bits in (("i64", 64), ("u8", 8)):
        for n in (1, 3, 30):
            words = [next(next_word) >> (64 - bits) for _ in range(n)]
            yield row("exact-sum", element, n, words, exact_sum(element, words),
                      tree_format=CANONICAL)  # fmt: skip


def other_rows(next_word):
    for n in (1, 2, 9):
        words = [
            struct.unpack("<Q", struct.pack("<d", next(next_word) % 1000 / 8 - 60))[0]
            for _ in range(n)
        ]
        yield row("drawdown", "f64", n, words, drawdown("f64", words))
        times = [next(next_word) % 3 + 4 * i for i in range(n)]
        yield row("sessions i64", "i64", n, times, stretch("i64", times, lambda a, b: b - a > 4),
                  parameters=u64(4))  # fmt: skip
        runs = [next(next_word) % 2 + 2**64 - 1 & 2**64 - 1 for _ in range(n)]
        yield row("run-number", "i64", n, runs, stretch("i64", runs, lambda a, b: a != b))
        decimals = [(next(next_word) % 2001 - 1000, next(next_word) % 4) for _ in range(n)]
        for operation in ("sum", "product", "mean"):
            total = decimal_total(decimals, operation)
            yield row(f"decimal-{operation}", "decimal", n, decimals, total)


def table():
    yield from exact_rows(random_words(61))
    yield from other_rows(random_words(62))


if __name__ == "__main__":
    sys.exit(report(sys.argv[1:], (line + "\n" for line in table())))
