#!/usr/bin/env python3
"""A second implementation of the library's results, made from docs/spec/ alone: it expands
recipe.txt as docs/spec/golden.md says and computes the result of each case.

    reference.py                        prints the golden set
    reference.py --hash                 prints its SHA-256
    reference.py --check FILE [EVERY]   exits with 1 and the first line of FILE that differs from
        the set; computes one result of EVERY (1), and compares the cases of all
    reference.py ... RECIPE             does the same for another recipe of this folder
"""

import bisect
import ctypes
import functools
import hashlib
import itertools
import math
import operator
import pathlib
import struct
import sys
from fractions import Fraction
from typing import NamedTuple

NAN, INF, M64, SECOND = math.nan, math.inf, 2**64 - 1, 2**32


# ---- README.md: numbers ----
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


# ---- operators.md ----
class Refused(Exception):
    """The call has no result; the text says why."""


class Operator(NamedTuple):
    types: list  # of the numbers of a result
    identity: object
    join: object
    lift: object = lambda x, i: x
    finish: object = lambda a: a
    trait: str = ""  # "left fold", "initial is first" in the fold, or "some" elements are required


def rank(x, sign, nan=1):
    """Of two numbers the one of higher rank is chosen, the smaller one if `sign` is -1."""
    return (nan, 0, 0) if x != x else (0, sign * x, sign * math.copysign(1, x))


def better(a, b, sign, nan=1):
    return max(a, b, key=lambda x: rank(x, sign, nan))


def extremum(t, sign, nan=1):
    identity = NAN if nan < 0 and t.is_float else t.least if sign > 0 else t.greatest
    return Operator([t.selected], identity, lambda a, b: better(a, b, sign, nan))


def minmax(t):
    join = lambda a, b: (better(a[0], b[0], -1), better(a[1], b[1], 1))
    return Operator([t.selected] * 2, (t.greatest, t.least), join, lambda x, i: (x, x))


def arg_extremum(t, sign, last=False):
    identity = t.least if sign > 0 else t.greatest, M64
    key = lambda a: (rank(a[0], sign), a[1] + 1 & M64 if last else -a[1])
    join, lift = lambda a, b: max(a, b, key=key), lambda x, i: (x, i)
    return Operator([t.selected, U64], identity, join, lift, trait="some")


def checked(t, neutral, combine):
    def join(a, b):
        total = combine(a[0], b[0])
        if not t.widened.least <= total <= t.widened.greatest:
            raise Refused("overflow@%d" % b[1])
        return total, b[1]

    lift, finish = lambda x, i: (x, i), lambda a: a[0]
    return Operator([t.widened], (neutral, M64), join, lift, finish, "left fold")


def product(t):
    """The accumulator of floats has whether an infinity in it is an element and no overflow."""
    if not t.is_float:
        return Operator([t], 1, lambda a, b: t.round(a * b))

    def join(a, b):
        (x, of_x), (y, of_y) = a, b
        value, given = t.round(x * y), of_x or of_y
        if x == x and y == y and value != value and not given:
            value = math.copysign(0, x) * math.copysign(1, y)
        return value, given

    return Operator([t], (1.0, False), join, lambda x, i: (x, math.isinf(x)), lambda a: a[0])


def exact_sum(t):
    """The accumulator is the sum of the finite elements in units of the smallest subnormal, the sum
    of the others, and whether all elements are -0.
    """
    unit = 1 << t.real.bias + t.real.fraction - 1

    def lift(x, i):
        is_minus_0 = t.is_float and x == 0 and math.copysign(1, x) < 0
        return (0, x, False) if x - x != 0 else (int(Fraction(x) * unit), 0, is_minus_0)

    def finish(a):
        total, others, minus_0 = a
        if others != 0 or total == 0:
            return others or (-0.0 if minus_0 else 0.0)
        cut = max(0, total.bit_length() - t.real.fraction - 1)
        try:
            return t.real.round((round(Fraction(total, 1 << cut)) << cut) / unit)
        except OverflowError:
            return INF if total > 0 else -INF

    join = lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] and b[2])
    return Operator([t.real], (0, 0, False), join, lift, finish)


LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
LOG2_E, ROOT_HALF = float.fromhex("0x1.71547652b82fep+0"), float.fromhex("0x1.6a09e667f3bcdp-1")


def polynomial(x, coefficients):
    """c[0] + x * (c[1] + x * ...)"""
    return functools.reduce(lambda total, c: c + x * total, reversed(coefficients))


def portable_exp(x):
    if not -745.2 <= x <= 709.8:
        return x if x != x else INF if x > 0 else 0.0
    n = int(x * LOG2_E + (-0.5 if x < 0 else 0.5))
    high, low = x - n * LN2_HIGH, n * LN2_LOW
    r = high - low
    c = (high - r) - low
    z = r * r
    even = polynomial(z, [1 / math.factorial(k) for k in range(2, 13, 2)])
    odd = polynomial(z, [1 / math.factorial(k) for k in range(3, 14, 2)])
    y = 1 + (r + (z * (even + r * odd) + (c + c * r)))
    if n < -1021:
        return y * 2.0 ** (n + 1000) * 2.0**-1000
    return y * 2.0 ** (n - 1) * 2 if n > 1023 else y * 2.0**n


def portable_log(x):
    if not 0 < x < INF:
        return x if x == INF else -INF if x == 0 else NAN
    x, n = (x * 2.0**54, -54) if x < 2.0**-1022 else (x, 0)
    e = (F64.pattern(x) - F64.pattern(ROOT_HALF)) >> 52
    n += e
    f = math.ldexp(x, -e) - 1
    s = f / (2 + f)
    h = 0.5 * f * f
    z = s * s
    odd = polynomial(z * z, [2 / k for k in range(3, 20, 4)])
    even = polynomial(z * z, [2 / k for k in range(5, 22, 4)])
    return n * LN2_HIGH - ((h - (s * (h + z * (odd + z * even)) + n * LN2_LOW)) - f)


def log_sum_exp(t):
    r = t.real.round

    def join(a, b):
        if a[0] > b[0]:
            return a[0], r(a[1] + r(b[1] * r(portable_exp(r(b[0] - a[0])))))
        if b[0] > a[0]:
            return b[0], r(r(a[1] * r(portable_exp(r(a[0] - b[0])))) + b[1])
        return a[0] if a[0] == b[0] else r(a[0] + b[0]), r(a[1] + b[1])

    finish = lambda a: r(a[0] + r(portable_log(a[1])))
    return Operator([t.real], (-INF, 0.0), join, lambda x, i: (r(x + 0.0), 1.0), finish)


def affine(t):
    r = t.widened.round
    join = lambda a, b: (r(b[0] * a[0]), r(r(b[0] * a[1]) + b[1]))
    return Operator([t.widened] * 2, (1, 0), join)


def matrix2x2(t):
    r = t.widened.round

    def join(left, right):
        rows, columns = (left[:2], left[2:]), (right[::2], right[1::2])
        return tuple(r(r(u[0] * v[0]) + r(u[1] * v[1])) for u in rows for v in columns)

    return Operator([t.widened] * 4, (1, 0, 0, 1), join)


def recurrence(t, coefficients):
    """The accumulator is the vector y and its length."""
    columns = range(len(coefficients))
    zeros = (0,) * (len(coefficients) - 1)
    powers = [[coefficients] + [[int(c == r) for c in columns] for r in columns[:-1]]]

    def times(row, column):
        total = t.round(0)
        for factor, x in zip(row, column):
            total = t.round(total + t.round(factor * x))
        return total

    def join(a, b):
        (y, length), (later, later_length) = a, b
        for j in range(later_length.bit_length()):
            if j == len(powers):
                last = powers[-1]
                powers.append([[times(row, column) for column in zip(*last)] for row in last])
            if later_length >> j & 1:
                y = [times(row, y) for row in powers[j]]
        return tuple(t.round(p + q) for p, q in zip(y, later)), length + later_length

    lift, finish = lambda x, i: ((t.round(x + 0), *zeros), 1), lambda a: a[0][0]
    return Operator([t], ((0, *zeros), 0), join, lift, finish, "initial is first")


def counted(size, join, lift, types=None, finish=tuple):
    """The accumulator begins with a count or weight; an operand where that is 0 is ignored."""
    either = lambda a, b: b if a[0] == 0 else a if b[0] == 0 else join(a, b)
    return Operator(types or [U64] + [F64] * (size - 1), (0,) * size, either, lift, finish)


def join_means(a, b, means=1):
    """n, l and r of moments, and the count and the means of both operands."""
    n, m = float(a[0]), float(b[0])
    l, r = n / (n + m), m / (n + m)
    both = [a[0] + b[0]]
    for x, y in zip(a[1 : means + 1], b[1:]):
        d = y - x
        both.append(x + d * r if d - d == 0 else x * l + y * r)
    return n, l, r, both


def join_moments(a, b):
    """Of moments, weighted moments or central moments."""
    n, l, r, both = join_means(a, b)
    d = b[1] - a[1]
    q = d * d
    g = q * (n * r)
    both.append(a[2] + b[2] + g)
    if len(a) == 3:
        return both
    m3 = a[3] + b[3] + d * (g * (l - r) + 3 * (l * b[2] - r * a[2]))
    inner = g * (l * l - l * r + r * r) + 6 * (l * l * b[2] + r * r * a[2])
    return both + [m3, a[4] + b[4] + q * inner + 4 * d * (l * b[3] - r * a[3])]


def join_comoments(a, b):
    n, l, r, both = join_means(a, b, means=2)
    dx, dy, p = b[1] - a[1], b[2] - a[2], n * r
    xx, yy, xy = a[3] + b[3] + dx * dx * p, a[4] + b[4] + dy * dy * p, a[5] + b[5] + dx * dy * p
    return both + [xx, yy, xy]


def finite(*means):
    return all(mean - mean == 0 for mean in means)


def of_moments(n, mean, m2):
    known = finite(n, mean)
    var, sample_var = quotient(m2, n, n > 0 and known), quotient(m2, n - 1, n > 1 and known)
    return mean, var, root(var), sample_var, root(sample_var)


def of_central_moments(n, mean, m2, m3, m4):
    skewness = quotient(root(n) * m3, m2 * root(m2), m2 > 0)
    kurtosis = quotient(n * m4, m2 * m2, m2 > 0) - 3
    sample_skewness = quotient(skewness * root(n * (n - 1)), n - 2, n > 2)
    scaled = ((n + 1) * kurtosis + 6) * (n - 1)
    return skewness, kurtosis, sample_skewness, quotient(scaled, (n - 2) * (n - 3), n > 3)


def of_comoments(n, x, y, xx, yy, xy):
    known = finite(x, y)
    covariance, of_sample = quotient(xy, n, n > 0 and known), quotient(xy, n - 1, n > 1 and known)
    slope = quotient(xy, xx, xx > 0 and known)
    correlation = quotient(xy, root(xx) * root(yy), xx > 0 and yy > 0)
    return covariance, of_sample, correlation, slope, y - slope * x


def join_drawdown(a, b):
    fall = 0.0 if a[1] == b[2] else a[1] - b[2]
    deepest = better(better(a[4], b[4], 1), fall, 1)
    return a[0] + b[0], better(a[1], b[1], 1), better(a[2], b[2], -1), b[3], deepest


def stretches(separate):
    """Sessions and runs: count, first, last."""
    join = lambda a, b: (a[0] + b[0] - (not separate(a[2], b[1])), a[1], b[2])
    return counted(3, join, lambda x, i: (1, x, x), [U64], lambda a: a[0])


def mean_by(to, back):
    join = lambda a, b: (a[0] + b[0], a[1] + b[1])
    finish = lambda a: back(a[1] / a[0]) if a[0] else NAN
    return counted(2, join, lambda x, i: (1, to(x)), [F64], finish)


OPERATORS = {
    "sum": lambda t: Operator([t.widened], 0, lambda a, b: t.widened.round(a + b)),
    "product": lambda t: product(t.widened),
    "min": lambda t: extremum(t, -1),
    "max": lambda t: extremum(t, 1),
    "min-number": lambda t: extremum(t, -1, nan=-1),
    "max-number": lambda t: extremum(t, 1, nan=-1),
    "minmax": minmax,
    "argmin": lambda t: arg_extremum(t, -1),
    "argmax": lambda t: arg_extremum(t, 1),
    "argmin-last": lambda t: arg_extremum(t, -1, last=True),
    "argmax-last": lambda t: arg_extremum(t, 1, last=True),
    "bit-and": lambda t: Operator([t], -1, operator.and_),
    "bit-or": lambda t: Operator([t], 0, operator.or_),
    "bit-xor": lambda t: Operator([t], 0, operator.xor),
    "all": lambda t: Operator([U8], 1, operator.and_, lambda x, i: int(x != 0)),
    "any": lambda t: Operator([U8], 0, operator.or_, lambda x, i: int(x != 0)),
    "parity": lambda t: Operator([U8], 0, operator.xor, lambda x, i: int(x != 0)),
    "gcd": lambda t: Operator([U64], 0, math.gcd, lambda x, i: abs(x)),
    "checked-sum": lambda t: checked(t, 0, operator.add),
    "checked-product": lambda t: checked(t, 1, operator.mul),
    "exact-sum": exact_sum,
    "first": lambda t: Operator(
        [U8, t], (0, 0), lambda a, b: a if a[0] else b, lambda x, i: (1, x)
    ),
    "last": lambda t: Operator([U8, t], (0, 0), lambda a, b: b if b[0] else a, lambda x, i: (1, x)),
    "log-sum-exp": log_sum_exp,
    "moments": lambda t: counted(3, join_moments, lambda x, i: (1, float(x), 0)),
    "central-moments": lambda t: counted(5, join_moments, lambda x, i: (1, float(x), 0, 0, 0)),
    "comoments": lambda t: counted(6, join_comoments, lambda e, i: (1, *map(float, e), 0, 0, 0)),
    "weighted-moments": lambda t: counted(
        3, join_moments, lambda e, i: (e[1], e[0] if e[1] else 0, 0), [F64] * 3
    ),
    "affine": affine,
    "matrix2x2": matrix2x2,
    "concat": lambda t: Operator([U8], b"", operator.add),
    "drawdown": lambda t: counted(5, join_drawdown, lambda x, i: (1, x, x, x, 0)),
    "sessions:3": lambda t: stretches(lambda a, b: b - a > 3),
    "run-number": lambda t: stretches(operator.ne),
    "harmonic-mean": lambda t: mean_by(lambda x: quotient(1, x), lambda mean: quotient(1, mean)),
    "rms": lambda t: mean_by(lambda x: x * x, root),
}
DERIVED = {  # how, and the names of the results
    "moments": (of_moments, "mean var std sample-var sample-std"),
    "weighted-moments": (of_moments, "weighted-mean weighted-var weighted-std"),
    "central-moments": (of_central_moments, "skewness kurtosis sample-skewness sample-kurtosis"),
    "comoments": (of_comoments, "covariance sample-covariance correlation slope intercept"),
}


def operator_named(name, t):
    """The operator over elements of type t, or over pairs or maps of numbers of type t."""
    for source, (results, names) in DERIVED.items():
        if name in names.split():
            finish = lambda a: results(float(a[0]), *a[1:])[names.split().index(name)]
            return OPERATORS[source](t)._replace(types=[F64], finish=finish)
    return OPERATORS[name](t)


# ---- README.md: the combine tree ----
def prefixes(op, x, initial=None):
    """The result of no elements and those of the first 1, 2, ..., n, before `finish`."""
    first = op.identity if initial is None else initial
    if op.trait == "left fold":
        return list(itertools.accumulate(x, op.join, initial=first))
    levels = [x]
    while len(levels[-1]) > 1:
        levels.append(list(map(op.join, levels[-1][::2], levels[-1][1::2])))
    folds = [initial if op.trait == "initial is first" else None]
    for m in range(1, len(x) + 1):
        lowest = m & -m
        block, before = levels[lowest.bit_length() - 1][m // lowest - 1], folds[m - lowest]
        folds.append(block if before is None else op.join(before, block))
    if initial is not None and op.trait != "initial is first":
        folds[1:] = [op.join(initial, fold) for fold in folds[1:]]
    return [first] + folds[1:]


def combined(verb, op, x, pieces, initial=None, backwards=False):
    """Reduces or scans the elements at the positions of each piece as a whole input."""
    rows = {}
    for number, piece in enumerate(pieces):
        if op.trait == "some" and verb[:6] == "reduce" and not piece and initial is None:
            raise Refused("refused")
        places = range(len(piece))[::-1] if backwards else range(len(piece))
        lifted = [op.lift(x[piece[i]], i) for i in places]
        if "scan" not in verb:
            rows[number] = prefixes(op, lifted, initial)[-1]
        elif verb.startswith("inclusive"):
            rows.update(zip((piece[i] for i in places), prefixes(op, lifted, initial)[1:]))
        else:
            rows.update(zip((piece[i] for i in places), prefixes(op, lifted[:-1], initial)))
    return [op.finish(rows[i]) for i in sorted(rows)]


# ---- golden.md: inputs ----
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


# ---- golden.md: verbs and results ----
def array(rows, types=(U64,)):
    """The text of an array of numbers or tuples of numbers."""
    rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
    data = [t.pattern(x).to_bytes(t.bits // 8, "big") for row in rows for t, x in zip(types, row)]
    if len(data) > 6:
        return "#" + hashlib.sha256(b"".join(x[::-1] for x in data)).hexdigest()[:16]
    texts = zip(*[iter([x.hex() for x in data])] * len(types))
    return ",".join(map(":".join, texts)) or "-"


class Case:
    def __init__(self, verb, words):
        self.verb = verb
        self.words = {"initial": "none", "reverse": "no", "out": "result", "closed": "no"} | words
        self.shape = [int(s) for s in self.words.get("shape", words.get("n")).split("x")]
        self.n = math.prod(self.shape)
        self.t = TYPES[words["type"].rpartition("-")[2]]
        self.bits, values = inputs(words["type"], words["kind"], self.n)
        self.x, self.behind = values[: self.n], values[self.n :]

    def __getitem__(self, key):
        return int(self.words[key]) if self.words[key].isdigit() else self.words[key]

    def operator(self):
        if "op" in self.words:
            return operator_named(self["op"], self.t)
        given = map(float if self.t.is_float else int, self.words["coefficients"].split(":"))
        return recurrence(self.t, [self.t.round(a) for a in given])

    def initial(self, op):
        if self["initial"] == "none":
            return None
        if op.trait == "initial is first":
            return self.behind[: len(op.identity[0])], 1
        return op.lift(self.behind[0], M64)

    def pieces(self):
        """The positions of the elements of each reduction or scan."""
        starts = [0, self.n]
        if self.verb == "windowed":
            return [range(i, i + self["width"]) for i in range(self.n - self["width"] + 1)]
        if self.verb.endswith("_lines"):
            stride, length = math.prod(self.shape[self["axis"] + 1 :]), self.shape[self["axis"]]
            firsts = [i for i in range(self.n) if i // stride % length == 0]
            return [range(i, i + length * stride, stride) for i in firsts]
        if self.verb.endswith("_segments"):
            starts = segment_starts(self.n, self["cut"])
        if self.verb.endswith("_runs"):
            starts = run_starts(self.keys()[0]) + [self.n]
        return list(map(range, starts, starts[1:]))

    def keys(self):
        if self["keys"] == "few":
            return inputs("f64", "few", self.n, SECOND)[1][: self.n], F64
        starts = segment_starts(self.n, self["keys"])
        return [(bisect.bisect(starts, i) - 1) % 3 for i in range(self.n)], I32

    def results(self):
        """Of reductions and scans."""
        op, pieces, backwards = self.operator(), self.pieces(), self["reverse"] == "yes"
        rows = combined(self.verb, op, self.x, pieces, self.initial(op), backwards)
        rows = rows[0] if self["type"] == "text" else rows
        text = array(rows, [self.t] if self["out"] == "element" else op.types)
        if self.verb != "reduce_runs":
            return text
        keys, t = self.keys()
        return array([keys[piece[0]] for piece in pieces], [t]) + " " + text

    def bins(self):
        """The bin of each element, or where it is else."""
        k, (edges, *ends) = self["bins"], self["edges"].split(":")
        borders = [-50 + 0.375 * b * (b + 1) / 2 for b in range(k + 1)]
        if edges == "even":
            low, high = map(float, ends)
            borders = [low + b * ((high - low) / k) for b in range(k)] + [high]
        places = ["below", *range(k), "above"]
        for x in self.x:
            at_end = self["closed"] == "right" and x == borders[-1]
            yield "NaN" if x != x else k - 1 if at_end else places[bisect.bisect(borders, x)]

    def histogram(self):
        bins = list(self.bins())
        results = array(map(bins.count, range(self["bins"])))
        if self.verb == "weighted_histogram":
            weights = inputs(self["weights"], self["wkind"], self.n, SECOND)[1]
            pieces = [[i for i, b in enumerate(bins) if b == k] for k in range(self["bins"])]
            op = operator_named(self["op"], TYPES[self["weights"]])
            results = array(combined("reduce", op, weights, pieces), op.types)
        return results + " " + array(map(bins.count, ("below", "above", "NaN")))

    def count_indices(self):
        indices = [b % self["bins"] for b in self.bits[: self.n]]
        return array(map(indices.count, range(self["bins"])))

    def moved(self, positions):
        """The text of elements that keep all their bits."""
        return array([self.bits[i] for i in positions], [TYPES["u%d" % self.t.bits]])

    def passing(self):
        """The positions of the elements that pass, and of those that do not."""
        passes = [b & 1 == 1 for b in self.bits[: self.n]]
        if self["test"] == "positive":
            passes = [x > 0 for x in self.x]
        return [[i for i, y in enumerate(passes) if y == wanted] for wanted in (True, False)]

    def runs(self):
        starts = run_starts(self.x if self["equal"] == "value" else self.bits[: self.n])
        lengths = map(operator.sub, starts[1:] + [self.n], starts)
        return " ".join([self.moved(starts), array(starts), array(lengths)])

    def order(self, order):
        """The positions of the sorted elements."""
        keys, t = self.x, self.t
        if t.is_float:
            keys = [b ^ (t.mask if b & t.sign else t.sign) for b in self.bits]
        return sorted(range(self.n), key=keys.__getitem__, reverse=order == "down")

    def quantile(self):
        if self.n == 0:
            raise Refused("refused")
        s = [float(self.x[i]) for i in self.order("up")]
        place = float(self["q"]) * (self.n - 1)
        k = min(math.floor(place), self.n - 1)
        part, lower, upper = place - k, s[k], s[min(k + 1, self.n - 1)]
        d = upper - lower
        if any(x != x for x in s):
            return NAN
        if lower == upper or part == 0:
            return lower
        if not d < INF:
            return lower * (1 - part) + upper * part
        return lower + d * part if part < 0.5 else upper - d * (1 - part)

    def cumulative_distribution(self):
        op = operator_named("sum", self.t)
        sums = combined("inclusive_scan", op, self.x, [range(self.n)], self.initial(op))
        return array(itertools.accumulate(sums, max), op.types)

    def rows(self, length):
        """The positions of rows of that length; those of added elements are n."""
        rows, columns = self.shape
        place = lambda r, c: r * columns + c if c < columns else self.n
        return [place(r, c) for r in range(rows) for c in range(length)]


VERBS = {  # those that are neither reductions nor scans
    "histogram": Case.histogram,
    "weighted_histogram": Case.histogram,
    "count_indices": Case.count_indices,
    "select": lambda c: c.moved(c.passing()[0]),
    "select_positions": lambda c: array(c.passing()[0]),
    "partition": lambda c: " ".join(map(c.moved, c.passing())),
    "runs": Case.runs,
    "sort": lambda c: c.moved(c.order(c["order"])) + " " + array(c.order(c["order"])),
    "top": lambda c: c.moved(c.order(c["order"])[: c["count"]]),
    "quantile": lambda c: array([c.quantile()], [F64]),
    "cumulative_distribution": Case.cumulative_distribution,
    "pad": lambda c: c.moved(c.rows(c["padded"])),
    "unpad": lambda c: c.moved(c.rows(c["columns"])),
}


# ---- golden.md: the recipe ----
def cases_of_recipe(name):
    """Each case as its text, its verb and its words."""
    lists = {}
    entries = lambda text: [e for name in text.split(",") for e in lists.get(name, [name])]
    recipe = pathlib.Path(__file__).with_name(name).read_text(encoding="ascii")
    lines = [line.split() for line in recipe.splitlines() if line[0] != "#"]
    for first, *more in lines:
        if first == "list":
            lists["@" + more[0]] = entries(more[1])
            continue
        keys, values = zip(*[word.split("=") for word in more])
        for verb, *chosen in itertools.product(*map(entries, (first, *values))):
            words = dict(zip(keys, chosen))
            yield " ".join([verb] + ["%s=%s" % word for word in words.items()]), verb, words


def golden_set(recipe, every=1):
    """The lines of the set; those that are not one of `every` end before their result."""
    for number, (text, verb, words) in enumerate(cases_of_recipe(recipe)):
        if number % every != 0:
            yield text + " => "
            continue
        try:
            result = VERBS.get(verb, Case.results)(Case(verb, words))
        except Refused as reason:
            result = reason
        yield "%s => %s\n" % (text, result)


def report(arguments, lines):
    """Prints the lines, or their SHA-256 (--hash), or the first that is not in a file (--check)."""
    if arguments[:1] == ["--hash"]:
        print(hashlib.sha256("".join(lines).encode()).hexdigest())
    elif arguments[:1] == ["--check"]:
        with open(arguments[1], encoding="ascii") as file:
            for number, (kept, made) in enumerate(itertools.zip_longest(file, lines), 1):
                if kept is None or made is None or not kept.startswith(made):
                    print("%s:%d: is\n  %sbut should be\n  %s" % (arguments[1], number, kept, made))
                    return 1
    else:
        sys.stdout.writelines(lines)
    return 0


def main(arguments):
    named = bool(arguments) and arguments[-1].endswith("recipe.txt")
    recipe = arguments.pop() if named else "recipe.txt"
    return report(arguments, golden_set(recipe, *map(int, arguments[2:])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
