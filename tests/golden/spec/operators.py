"""The operators of docs/spec/operators.md, by name."""

import functools
import math
import operator
from fractions import Fraction

from spec.numbers import F64, INF, M64, NAN, U8, U64, quotient, root
from spec.statistics import (
    counted,
    join_comoments,
    join_moments,
    mean_by,
    of_central_moments,
    of_comoments,
    of_moments,
    separated,
)
from spec.tree import Operator, Refused


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


def join_drawdown(a, b):
    fall = 0.0 if a[1] == b[2] else a[1] - b[2]
    deepest = better(better(a[4], b[4], 1), fall, 1)
    return a[0] + b[0], better(a[1], b[1], 1), better(a[2], b[2], -1), b[3], deepest


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
    "sessions:3": lambda t: separated(lambda a, b: b - a > 3),
    "run-number": lambda t: separated(operator.ne),
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
