#!/usr/bin/env python3
"""The combine tree's bits for fixed inputs, computed without any of the library's code: an oracle
for tests/golden/golden.cpp.

    golden.py            prints the table that is kept as golden.txt
    golden.py FILE       exits with 1 and a sentence if FILE is not that table

A line of the table is

    TYPE OPERATION N INITIAL reduce=BITS inclusive=HASH exclusive=HASH middle=BITS

with f32 or f64; sum or affine; the number of elements; "none" or the bits of the initial value; the
bits of the reduction; hashes of all bits of both scans; and the bits of inclusive element N // 2.
Of an affine map a*x + b, the bits of a stand before those of b.
"""

import struct
import sys

MASK = (1 << 64) - 1


def random_words(seed):
    """xorshift64* (Vigna 2016)."""
    state = seed
    while True:
        state ^= state >> 12
        state ^= (state << 25) & MASK
        state ^= state >> 27
        yield (state * 0x2545F4914F6CDD1D) & MASK


class Binary32:
    """IEEE binary32 numbers, held in Python floats. Sums and products of two of them are exact
    or correctly rounded in binary64, whose 53 bits are more than 2 * 24 + 1, so rounding once
    more gives the correctly rounded binary32 result.
    """

    name = "f32"
    normal = 2.0**-126

    @staticmethod
    def round(x):
        return struct.unpack("<f", struct.pack("<f", x))[0]

    @staticmethod
    def bits(x):
        return struct.unpack("<I", struct.pack("<f", x))[0]

    @staticmethod
    def text(x):
        return "%08x" % Binary32.bits(x)

    @staticmethod
    def scattered(next_word):
        """Random sign, 41 binades around 1, one in fifty a signed zero."""
        u = next(next_word)
        sign = u >> 63 << 31
        if (u >> 32) % 50 == 0:
            pattern = sign
        else:
            pattern = sign | (127 - 20 + (u >> 52) % 41) << 23 | u & 0x7FFFFF
        return struct.unpack("<f", struct.pack("<I", pattern))[0]

    @staticmethod
    def near_one(next_word):
        """Random sign, uniform in [0.88, 1.125), where the logarithm's mean is 0: long products
        neither vanish nor explode.
        """
        u = next(next_word)
        magnitude = ((901 << 13) + (u >> 1) % (251 << 13)) * 2.0**-23
        return -magnitude if u & 1 else magnitude


class Binary64:
    name = "f64"
    normal = 2.0**-1022

    @staticmethod
    def round(x):
        return x

    @staticmethod
    def bits(x):
        return struct.unpack("<Q", struct.pack("<d", x))[0]

    @staticmethod
    def text(x):
        return "%016x" % Binary64.bits(x)

    @staticmethod
    def scattered(next_word):
        u = next(next_word)
        sign = u >> 63 << 63
        if (u >> 32) % 50 == 0:
            pattern = sign
        else:
            pattern = sign | (1023 - 20 + (u >> 52) % 41) << 52 | next(next_word) & 0xFFFFFFFFFFFFF
        return struct.unpack("<d", struct.pack("<Q", pattern))[0]

    @staticmethod
    def near_one(next_word):
        u = next(next_word)
        magnitude = ((901 << 42) + (u >> 1) % (251 << 42)) * 2.0**-52
        return -magnitude if u & 1 else magnitude


class Sum:
    name = "sum"

    def __init__(self, real):
        self.real = real
        self.identity = 0.0

    def __call__(self, earlier, later):
        return self.real.round(earlier + later)

    def element(self, next_word):
        return self.real.scattered(next_word)

    def words(self, x):
        return (self.real.bits(x),)

    def text(self, x):
        return self.real.text(x)


class Affine:
    """Maps x -> a*x + b, the earlier one applied first; each product and each sum is rounded."""

    name = "affine"

    def __init__(self, real):
        self.real = real
        self.identity = (1.0, 0.0)

    def __call__(self, earlier, later):
        rounded = self.real.round
        return rounded(later[0] * earlier[0]), rounded(rounded(later[0] * earlier[1]) + later[1])

    def element(self, next_word):
        a = self.real.near_one(next_word)
        return a, self.real.scattered(next_word)

    def words(self, x):
        # The table is also checked by programs that flush subnormal numbers to zero, so it must not
        # contain any.
        assert all(part == 0.0 or abs(part) >= self.real.normal for part in x)
        return self.real.bits(x[0]), self.real.bits(x[1])

    def text(self, x):
        return self.real.text(x[0]) + self.real.text(x[1])


def prefixes(x, op):
    """prefix(1) ... prefix(n): the fold, largest block first, of the aligned blocks of the
    binary digits of m.
    """
    levels = [x]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([op(below[2 * j], below[2 * j + 1]) for j in range(len(below) // 2)])
    result = []
    for m in range(1, len(x) + 1):
        lowest = m & -m
        total = levels[lowest.bit_length() - 1][(m - lowest) // lowest]
        result.append(total if m == lowest else op(result[m - lowest - 1], total))
    return result


def block(x, k, j, op):
    return x[j] if k == 0 else op(block(x, k - 1, 2 * j, op), block(x, k - 1, 2 * j + 1, op))


def prefix_by_definition(x, m, op):
    start, fold = 0, None
    while start < m:
        k = (m - start).bit_length() - 1
        total = block(x, k, start >> k, op)
        fold = total if fold is None else op(fold, total)
        start += 1 << k
    return fold


def digest(values, op):
    """FNV-1a over the words of all values, one word a step."""
    h = 0xCBF29CE484222325
    for value in values:
        for word in op.words(value):
            h = ((h ^ word) * 0x100000001B3) & MASK
    return "%016x" % h


def row(op, n, with_initial):
    next_word = random_words(n + 0x5EED)
    x = [op.element(next_word) for _ in range(n)]
    initial = op.element(next_word) if with_initial else None
    inclusive = prefixes(x, op)
    if n <= 300:
        assert inclusive == [prefix_by_definition(x, m, op) for m in range(1, n + 1)]
    first = op.identity
    if with_initial:
        inclusive = [op(initial, p) for p in inclusive]
        first = initial
    return "%s %s %d %s reduce=%s inclusive=%s exclusive=%s middle=%s" % (
        op.real.name,
        op.name,
        n,
        op.text(initial) if with_initial else "none",
        op.text(inclusive[-1]),
        digest(inclusive, op),
        digest([first] + inclusive[:-1], op),
        op.text(inclusive[n // 2]),
    )


SMALL = [
    1,
    2,
    3,
    5,
    8,
    13,
    16,
    17,
    31,
    32,
    33,
    64,
    100,
    127,
    128,
    129,
    1000,
    1024,
    1025,
    4095,
    4096,
    4097,
    10007,
]
LARGE = [65535, 65536, 65543]
LARGEST = {"sum": 262151, "affine": 131101}  # several threads' worth


def table():
    for real in (Binary32, Binary64):
        for operation in (Sum, Affine):
            op = operation(real)
            for n in SMALL + LARGE + [LARGEST[op.name]]:
                yield row(op, n, False)
            for n in (1, 17, 1000, 4097):
                yield row(op, n, True)


def compare(arguments, lines):
    """Prints the lines of a table, or compares them with the file that the arguments name."""
    if len(arguments) < 2:
        print("\n".join(lines))
        return 0
    with open(arguments[1], encoding="ascii") as file:
        kept = file.read().splitlines()
    if kept == lines:
        return 0
    different = [
        i for i in range(max(len(kept), len(lines))) if kept[i : i + 1] != lines[i : i + 1]
    ]
    print(
        "%s: line %d of %d differs from what the tree's definition gives"
        % (arguments[1], different[0] + 1, len(lines))
    )
    return 1


if __name__ == "__main__":
    sys.exit(compare(sys.argv, list(table())))
