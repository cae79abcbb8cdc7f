"""What an operator is, sums, products and extrema, for reference.py."""

import math

from reference_numbers import F64, widened


class Refused(Exception):
    """The call has no result; the text says why."""


class Operator:
    """An operator over elements of type t: `parts` are the types of a result's numbers."""

    identity = 0
    continues = False
    refuses_empty = False

    def __init__(self, t, parts, identity, op, lift=lambda x, i: x, finish=lambda a: a):
        self.t, self.parts, self.identity = t, parts, identity
        self.op, self.lift = op, lift
        self.finish = (lambda a: (finish(a),)) if len(parts) == 1 else finish


def sum_of(t):
    a = widened(t)
    if a is F64:
        return lambda x, y: x + y
    r = a.round
    return lambda x, y: r(x + y)


def product_of(t):
    r = widened(t).round
    return lambda x, y: r(x * y)


def precedes(a, b):
    if a == b:
        return isinstance(a, float) and math.copysign(1, a) < math.copysign(1, b)
    return a < b


def minimum(a, b):
    return a if a != a else b if b != b or precedes(b, a) else a


def maximum(a, b):
    return a if a != a else b if b != b or precedes(a, b) else a


def min_number(a, b):
    return a if b != b else b if a != a or precedes(b, a) else a


def max_number(a, b):
    return a if b != b else b if a != a or precedes(a, b) else a


def simple(t, parts, identity, op, lift=lambda x, i: x, finish=lambda a: a):
    return lambda: Operator(t, parts, identity, op, lift, finish)
