#!/usr/bin/env python3
"""Writes cases for tests/fortran: elements as bits, and the exact results, which Python's integers
and fractions compute. Those of running sums have a file of their own.

Usage: cases.py FILE RUNNING_FILE
"""

import math
import random
import struct
import sys
from fractions import Fraction

# By bits of the format: struct's letters, digits, exponent of the smallest subnormal.
FORMATS = {"r8": ("<d", "<Q", 53, -1074, 1024), "r4": ("<f", "<I", 24, -149, 128)}
INFINITY = math.inf


def bits(kind, x):
    as_float, as_int, *_ = FORMATS[kind]
    return struct.unpack(as_int, struct.pack(as_float, x))[0]


def rounded(kind, exact):
    """The number nearest to a fraction, ties to even."""
    _, _, digits, smallest, limit = FORMATS[kind]
    if exact == 0:
        return 0.0
    magnitude = abs(exact)
    top = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** top:
        top -= 1
    unit = Fraction(2) ** max(top - digits + 1, smallest)
    units = round(magnitude / unit)  # of a fraction: ties to even
    if units * unit >= Fraction(2) ** limit:
        return INFINITY if exact > 0 else -INFINITY
    return float(units * unit) if exact > 0 else -float(units * unit)


def total(kind, values):
    """The sum of numbers or of pairs (x, y), which are products."""
    plain = [v if isinstance(v, float) else v[0] * v[1] for v in values]
    specials = special(values)
    if specials:
        return sum(specials)
    if values and all(is_negative_zero(v) for v in values):
        return -0.0
    return rounded(kind, sum((exact(v) for v in values), Fraction(0))) if plain else 0.0


def parts(v):
    return (v,) if isinstance(v, float) else v


def special(values):
    """The elements or products that are not finite because a factor is not."""
    return [math.prod(parts(v)) for v in values if not all(map(math.isfinite, parts(v)))]


def is_negative_zero(v):
    signs = sum(math.copysign(1, x) < 0 for x in parts(v))
    return any(x == 0 for x in parts(v)) and signs % 2 == 1


def exact(v):
    return math.prod(Fraction(x) for x in parts(v))


def variance(kind, values, less):
    n = len(values)
    if n <= less:
        return None
    if special(values):
        return math.nan
    x = [Fraction(v) for v in values]
    mean = sum(x) / n
    return rounded(kind, sum((e - mean) ** 2 for e in x) / (n - less))


def mean(kind, values):
    if not values:
        return None
    if special(values):
        return sum(special(values))
    return rounded(kind, sum(map(Fraction, values)) / len(values))


def extremum(values, sign):
    """(value, position from 1) of the first smallest or largest; -0 < +0; the first NaN if any."""
    if not values:
        return None, 0
    for i, v in enumerate(values):
        if math.isnan(v):
            return math.nan, i + 1
    order = [(sign * v, sign * math.copysign(1, v) if v == 0 else 0) for v in values]
    best = min(range(len(values)), key=lambda i: order[i])
    return values[best], best + 1


def random_number(random_, kind, spread):
    x = math.ldexp(random_.choice((-1, 1)) * (1 + random_.random()), random_.randint(*spread))
    return struct.unpack("<f", struct.pack("<f", x))[0] if kind == "r4" else x


def arrays(kind):
    """(name, elements, second factors) of all cases."""
    r = random.Random(65)
    _, _, digits, smallest, limit = FORMATS[kind]
    spreads = {
        "near one": (-3, 3),
        "all exponents": (smallest, limit - 2),
        "subnormal": (smallest, smallest + digits + 3),
        "huge": (limit - 4, limit - 2),
        "roots of the smallest": (smallest // 2 - 60, smallest // 2 + 60),
    }
    for name, spread in spreads.items():
        for n in (1, 2, 3, 7, 64, 257):
            yield f"{name} {n}", *([random_number(r, kind, spread) for _ in range(n)] for _ in "ab")
    for n in (2047, 2048, 2049, 5000):
        yield f"chunks {n}", *([random_number(r, kind, (-9, 9)) for _ in range(n)] for _ in "ab")
    wide = [random_number(r, kind, (-60, 60)) for _ in range(300)]
    yield "cancels", wide + [-x for x in wide] + [0.5], [1.0] * 601
    big = math.ldexp(2 - 2.0 ** (1 - digits), limit - 1)
    tiny = math.ldexp(1, smallest)
    ulp = 2.0 ** (1 - digits)
    for name, a in {
        "no elements": [],
        "tie to even": [1.0, ulp / 2],
        "tie to even, up": [1.0 + ulp, ulp / 2],
        "above a tie": [1.0, ulp / 2, tiny],
        "below a tie": [1.0, ulp / 2, -tiny],
        "overflow": [big, big],
        "overflow on the way": [big, big, -big, -big, 1.0],
        "rounds to infinity": [big, big * ulp / 4],
        "just below infinity": [big, big * ulp / 4 * (1 - ulp), -tiny],
        "negative zeros": [-0.0] * 5,
        "zeros of both signs": [-0.0, 0.0, -0.0],
        "exact zero": [1.5, -1.5],
        "smallest": [tiny, tiny, -tiny, tiny],
        "NaN": [1.0, math.nan, 2.0, math.nan, 3.0],
        "infinity": [1.0, INFINITY, 2.0, INFINITY],
        "minus infinity": [-INFINITY, 1.0, big],
        "both infinities": [INFINITY, 1.0, -INFINITY, -INFINITY],
        "NaN and infinity": [INFINITY, math.nan],
        "carries": [big, tiny, -big, -tiny] * 20 + [tiny],
        "negative carries": [-tiny, big, -big, -tiny] * 9,
        "equal": [0.1 if kind == "r8" else 0.5] * 1000,
        "the same smallest twice": [3.0, -7.0, 2.0, -7.0, 9.0, 9.0, 1.0],
    }.items():
        b = [-2.0 if i % 3 == 1 else 0.25 for i in range(len(a))]
        yield name, a, b
    yield "infinity times zero", [INFINITY, 1.0, 0.0], [0.0, 1.0, 5.0]
    yield "products beyond both ends", [big, tiny, -big, 2.0], [big, tiny, big, 3.0]
    if kind == "r8":
        x, y = math.ldexp(1 + r.random(), -505), math.ldexp(1 + r.random(), -510)
        yield "errors of small products", [x, -x * y] * 5, [y, 1.0] * 5
    factors = [1.0, math.nan, INFINITY, -2.0] * 3
    yield "factors that are not finite", [float(i) for i in range(12)], factors
    yield "products below the smallest", [tiny, tiny], [0.25, 0.5]


def write(out, kind, name, a, b, mask):
    inside = [x for x, m in zip(a, mask) if m]
    pairs = [(x, y) for x, y, m in zip(a, b, mask) if m]
    low, first_low = extremum(inside, 1)
    high, first_high = extremum(inside, -1)
    # Positions are those of the whole, masked elements included.
    positions = [i + 1 for i, m in enumerate(mask) if m]
    first_low, first_high = ((positions[p - 1] if p else 0) for p in (first_low, first_high))
    counts = [len(inside), sum(map(math.isnan, inside))]
    counts += [sum(x == INFINITY for x in inside), sum(x == -INFINITY for x in inside)]
    results = [total(kind, inside), total(kind, pairs), mean(kind, inside)]
    results += [variance(kind, inside, 0), variance(kind, inside, 1), low, high]
    text = ["-" if x is None else "NaN" if x != x else f"{bits(kind, x):016x}" for x in results]
    print(f"{kind} {len(a)} {name}", file=out)
    print(*(f"{t:>16}" for t in text), file=out)
    print(*counts, first_low, first_high, file=out)
    for x, y, m in zip(a, b, mask):
        print(f"{bits(kind, x):016x} {bits(kind, y):016x} {'FT'[m]}", file=out)


def prefixes(kind, values):
    """The exact sums of none, one, two ... of the values."""
    yield 0.0
    sum_, specials, only_negative_zeros = Fraction(0), [], True
    for value in values:
        only_negative_zeros &= is_negative_zero(value)
        if math.isfinite(value):
            sum_ += Fraction(value)
        else:
            specials.append(value)
        yield sum(specials) if specials else -0.0 if only_negative_zeros else rounded(kind, sum_)


def write_running(out, kind, name, values):
    """Elements, and their running sums with and without themselves."""
    if kind in FORMATS:
        text = ["NaN" if x != x else f"{bits(kind, x):016x}" for x in prefixes(kind, values)]
        elements = [f"{bits(kind, x):016x}" for x in values]
    else:
        sums = [sum(values[:i]) for i in range(len(values) + 1)]
        text = [f"{x % 2**64:016x}" for x in sums]
        elements = [f"{x % 2**64:016x}" for x in values]
    print(f"{kind} {len(values)} {name}", file=out)
    for x, after, before in zip(elements, text[1:], text):
        print(f"{x} {after:>16} {before:>16}", file=out)


def write_all_running(out):
    for kind in FORMATS:
        for name, values, _ in arrays(kind):
            if len(values) < 300 or "chunks 2049" in name:
                write_running(out, kind, name, values)
    r = random.Random(9)
    for kind, most in ("i8", 2**63 - 1), ("i4", 2**31 - 1):
        for n in 1, 2, 3, 64, 2049:
            small = [r.randint(-most // (2 * n), most // (2 * n)) for _ in range(n)]
            write_running(out, kind, f"integers {n}", small)
        write_running(out, kind, "both ends", [most, -most, -most - 1, most, 1, -1])
    print("end 0 end", file=out)


def main():
    with open(sys.argv[2], "w", encoding="ascii") as out:
        write_all_running(out)
    r = random.Random(12)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for kind in FORMATS:
            for name, a, b in arrays(kind):
                write(out, kind, name, a, b, [True] * len(a))
                if a:
                    positive = [0 < y < INFINITY for y in b]
                    write(out, kind, f"{name}, positive factors", a, b, positive)
                    write(out, kind, f"{name}, masked", a, b, [r.random() < 0.6 for _ in a])
        print("end 0 end", file=out)


main()
