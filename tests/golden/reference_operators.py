"""The operators of docs/spec/operators.md, for reference.py."""

import math

from reference_moments import DERIVED, statistics, stretches
from reference_numbers import F32, F64, INF, M64, NAN, U8, U64, selected, widened
from reference_simple import Operator, Refused, max_number, maximum, min_number, minimum
from reference_simple import precedes, product_of, simple, sum_of

NO_INDEX = M64


def arg_extremum(t, largest, last):
    def wins(a, b):  # whether a wins over b
        a_nan, b_nan = a[0] != a[0], b[0] != b[0]
        if a_nan != b_nan:
            return a_nan
        if not a_nan:
            if precedes(a[0], b[0]):
                return not largest
            if precedes(b[0], a[0]):
                return largest
        return a[1] + 1 & M64 > b[1] + 1 & M64 if last else a[1] < b[1]

    a = selected(t)
    identity = (a.least if largest else a.greatest, NO_INDEX)
    op = Operator(t, (a, U64), identity, lambda x, y: y if wins(y, x) else x, lambda x, i: (x, i))
    op.refuses_empty = True
    return op


def checked(t, neutral):
    """The accumulator is the total, or the position of the element that made it overflow."""
    a = widened(t)

    def op(x, y):
        if x[0] is None:
            return x
        total = x[0] * y[0] if neutral else x[0] + y[0]
        return (total, y[1]) if a.least <= total <= a.greatest else (None, y[1])

    def finish(x):
        if x[0] is None:
            raise Refused("overflow@%d" % x[1])
        return x[0]

    made = Operator(t, (a,), (neutral, NO_INDEX), op, lambda x, i: (x, i), finish)
    made.left_fold = True
    return made


def exact_sum(t):
    r = F32 if t.is_float and t is not F64 else F64
    unit = r.digits + r.bias - 2  # the smallest subnormal is 2 ** -unit
    nan, plus_inf, minus_inf, minus_0, other = 1, 2, 4, 8, 16

    def lift(x, i):
        if not t.is_float:
            return x << unit, other
        if x != x:
            return 0, nan
        if x in (INF, -INF):
            return 0, plus_inf if x > 0 else minus_inf
        numerator, denominator = x.as_integer_ratio()
        is_minus_0 = x == 0 and math.copysign(1, x) < 0
        return numerator * ((1 << unit) // denominator), minus_0 if is_minus_0 else other

    def finish(a):
        total, notes = a
        if notes & nan or notes & 6 == 6:
            return NAN
        if notes & 6:
            return INF if notes & plus_inf else -INF
        if total == 0:
            return -0.0 if notes == minus_0 else 0.0
        kept, cut = abs(total), max(0, abs(total).bit_length() - r.digits)
        rest, half = kept & (1 << cut) - 1, 1 << cut >> 1
        kept >>= cut
        kept += cut > 0 and (rest > half or (rest == half and kept & 1))
        too_large = kept.bit_length() + cut - unit > r.bias + 1
        size = INF if too_large else math.ldexp(float(kept), cut - unit)
        return -size if total < 0 else size

    return Operator(t, (r,), (0, 0), lambda a, b: (a[0] + b[0], a[1] | b[1]), lift, finish)


LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
LOG2_E, SQRT_HALF = float.fromhex("0x1.71547652b82fep+0"), 0x3FE6A09E667F3BCD


def portable_exp(x):
    if not x <= 709.8:
        return INF if x > 709.8 else x
    if x < -745.2:
        return 0.0
    n = int(x * LOG2_E + (-0.5 if x < 0 else 0.5))
    high = x - n * LN2_HIGH
    low = n * LN2_LOW
    r = high - low
    c = (high - r) - low
    z = r * r
    even = odd = 0.0
    for k in (12, 10, 8, 6, 4, 2):
        even = 1.0 / math.factorial(k) + z * even if k < 12 else 1.0 / math.factorial(k)
        odd = 1.0 / math.factorial(k + 1) + z * odd if k < 12 else 1.0 / math.factorial(k + 1)
    y = 1 + (r + (z * (even + r * odd) + (c + c * r)))
    if n < -1021:
        return y * math.ldexp(1.0, n + 1000) * math.ldexp(1.0, -1000)
    return y * math.ldexp(1.0, n - 1) * 2 if n > 1023 else y * math.ldexp(1.0, n)


def portable_log(x):
    if not x > 0:
        return -INF if x == 0 else NAN
    if x == INF:
        return x
    n = 0
    if x < 2.0**-1022:
        x, n = x * 2.0**54, -54
    bits = F64.pattern(x)
    exponent = (bits - SQRT_HALF) >> 52
    n += exponent
    f = F64.value(bits - (exponent << 52)) - 1
    s = f / (2 + f)
    half_square = 0.5 * f * f
    z = s * s
    w = z * z
    odd = 2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19))))
    even = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21))))
    correction = s * (half_square + z * (odd + z * even)) + n * LN2_LOW
    return n * LN2_HIGH - ((half_square - correction) - f)


def log_sum_exp(t):
    a = F32 if t.is_float and t is not F64 else F64
    r = a.round

    def op(x, y):
        if x[0] > y[0]:
            return x[0], r(x[1] + r(y[1] * r(portable_exp(r(y[0] - x[0])))))
        if y[0] > x[0]:
            return y[0], r(r(x[1] * r(portable_exp(r(x[0] - y[0])))) + y[1])
        return x[0] if x[0] == y[0] else r(x[0] + y[0]), r(x[1] + y[1])

    return Operator(
        t,
        (a,),
        (-INF, 0.0),
        op,
        lambda x, i: (r(float(x)) + 0.0, 1.0),
        lambda x: r(x[0] + r(portable_log(x[1]))),
    )


def affine(t):
    a, r = widened(t), widened(t).round
    return Operator(
        t,
        (a, a),
        (a.round(1), a.round(0)),
        lambda x, y: (r(y[0] * x[0]), r(r(y[0] * x[1]) + y[1])),
    )


def matrix2x2(t):
    a, r = widened(t), widened(t).round

    def op(x, y):
        (a0, b0, c0, d0), (a1, b1, c1, d1) = x, y
        return (
            r(r(a0 * a1) + r(b0 * c1)),
            r(r(a0 * b1) + r(b0 * d1)),
            r(r(c0 * a1) + r(d0 * c1)),
            r(r(c0 * b1) + r(d0 * d1)),
        )

    return Operator(t, (a,) * 4, (a.round(1), a.round(0), a.round(0), a.round(1)), op)


def maybe(t, op):
    """(1, value), or (0, 0) for nothing."""
    zero = t.round(0)
    return Operator(t, (U8, t), (0, zero), op, lambda x, i: (1, x))


def named(name, t):
    """The operator of that name over elements of type t (of their numbers, for pairs)."""
    name, _, parameter = name.partition(":")
    a, s = widened(t), selected(t)
    truth = lambda x, i: int(x != 0)  # noqa: E731
    least = NAN if t.is_float else s.greatest
    most = NAN if t.is_float else s.least
    makers = {
        "sum": simple(t, (a,), a.round(0), sum_of(t)),
        "product": simple(t, (a,), a.round(1), product_of(t)),
        "min": simple(t, (s,), s.greatest, minimum),
        "max": simple(t, (s,), s.least, maximum),
        "min-number": simple(t, (s,), least, min_number),
        "max-number": simple(t, (s,), most, max_number),
        "bit-and": simple(t, (t,), -1, lambda x, y: x & y),
        "bit-or": simple(t, (t,), 0, lambda x, y: x | y),
        "bit-xor": simple(t, (t,), 0, lambda x, y: x ^ y),
        "all": simple(t, (U8,), 1, lambda x, y: x & y, truth),
        "any": simple(t, (U8,), 0, lambda x, y: x | y, truth),
        "parity": simple(t, (U8,), 0, lambda x, y: x ^ y, truth),
        "argmin": lambda: arg_extremum(t, False, False),
        "argmax": lambda: arg_extremum(t, True, False),
        "argmin-last": lambda: arg_extremum(t, False, True),
        "argmax-last": lambda: arg_extremum(t, True, True),
        "gcd": simple(t, (U64,), 0, math.gcd, lambda x, i: abs(x)),
        "checked-sum": lambda: checked(t, 0),
        "checked-product": lambda: checked(t, 1),
        "exact-sum": lambda: exact_sum(t),
        "minmax": simple(
            t,
            (s, s),
            (s.greatest, s.least),
            lambda x, y: (minimum(x[0], y[0]), maximum(x[1], y[1])),
            lambda x, i: (x, x),
        ),
        "first": lambda: maybe(t, lambda x, y: x if x[0] else y),
        "last": lambda: maybe(t, lambda x, y: y if y[0] else x),
        "log-sum-exp": lambda: log_sum_exp(t),
        "affine": lambda: affine(t),
        "matrix2x2": lambda: matrix2x2(t),
        "sessions": lambda: stretches(t, lambda x, y: y - x > t.round(int(parameter))),
        "run-number": lambda: stretches(t, lambda x, y: x != y),
        **statistics(t),
    }
    if name in DERIVED:
        source, result = DERIVED[name]
        of = named(source, t)
        return Operator(t, (F64,), of.identity, of.op, of.lift, result)
    return makers[name]()


class Recurrence(Operator):
    """y[i] = x[i] + a[0] y[i-1] + ... in type t; the accumulator is (y[0], ...), length."""

    continues = True

    def __init__(self, t, coefficients):
        order, zero = len(coefficients), t.round(0)
        self.order, self.zero, self.rounded = order, zero, t.round
        unit = [[t.round(int(c == r - 1)) for c in range(order)] for r in range(1, order)]
        self.powers = [[list(coefficients)] + unit]  # of the companion matrix, for lengths 2 ** j
        super().__init__(
            t,
            (t,),
            ((zero,) * order, 0),
            self.join,
            lambda x, i: ((t.round(x + zero),) + (zero,) * (order - 1), 1),
            lambda a: a[0][0],
        )

    def row_times(self, row, column):
        total = self.zero
        for factor, x in zip(row, column):
            total = self.rounded(total + self.rounded(factor * x))
        return total

    def power(self, j):
        while len(self.powers) <= j:
            last = self.powers[-1]
            columns = list(zip(*last))
            self.powers.append([[self.row_times(row, c) for c in columns] for row in last])
        return self.powers[j]

    def join(self, earlier, later):
        if earlier[1] == 0 or later[1] == 0:
            return later if earlier[1] == 0 else earlier
        y, length = earlier[0], later[1]
        for j in range(length.bit_length()):
            if length >> j & 1:
                y = [self.row_times(row, y) for row in self.power(j)]
        return tuple(self.rounded(p + q) for p, q in zip(y, later[0])), earlier[1] + length
