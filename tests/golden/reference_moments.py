"""Moments, sequences and means of docs/spec/operators.md, for reference.py."""

import math

from reference_numbers import F64, INF, NAN, U64
from reference_simple import maximum, minimum, simple


def joint_mean(earlier, later, left, right):
    apart = later - earlier
    return earlier + apart * right if apart - apart == 0 else earlier * left + later * right


def moments_and_more(a, b, powers):
    """Of `powers` 2 the moments, of 4 the central moments."""
    l, r = float(a[0]) / float(a[0] + b[0]), float(b[0]) / float(a[0] + b[0])
    d = b[1] - a[1]
    q = d * d
    g = q * (float(a[0]) * r)
    joined = a[0] + b[0], joint_mean(a[1], b[1], l, r), a[2] + b[2] + g
    if powers == 2:
        return joined
    m3 = a[3] + b[3] + d * (g * (l - r) + 3 * (l * b[2] - r * a[2]))
    inner = g * (l * l - l * r + r * r) + 6 * (l * l * b[2] + r * r * a[2])
    return joined + (m3, a[4] + b[4] + q * inner + 4 * d * (l * b[3] - r * a[3]))


def join_comoments(a, b):
    l, r = float(a[0]) / float(a[0] + b[0]), float(b[0]) / float(a[0] + b[0])
    p, dx, dy = float(a[0]) * r, b[1] - a[1], b[2] - a[2]
    means = joint_mean(a[1], b[1], l, r), joint_mean(a[2], b[2], l, r)
    xx, yy, xy = (a[3 + k] + b[3 + k] + s * p for k, s in enumerate((dx * dx, dy * dy, dx * dy)))
    return (a[0] + b[0],) + means + (xx, yy, xy)


def join_weighted_moments(a, b):
    weight = a[0] + b[0]
    right, d = b[0] / weight, b[1] - a[1]
    mean = joint_mean(a[1], b[1], a[0] / weight, right)
    return weight, mean, a[2] + b[2] + d * d * (a[0] * right)


def join_drawdown(a, b):
    fall = 0.0 if a[1] == b[2] else a[1] - b[2]
    deepest = maximum(maximum(a[4], b[4]), fall)
    return a[0] + b[0], maximum(a[1], b[1]), minimum(a[2], b[2]), b[3], deepest


def unless_empty(join):
    """An operand with count (or weight) 0, its first number, gives the other one."""
    return lambda a, b: b if a[0] == 0 else a if b[0] == 0 else join(a, b)


def weighted(e, i):
    return (float(e[1]), float(e[0]), 0.0) if e[1] != 0 else (0.0, 0.0, 0.0)


def counted(t, parts, join, lift, finish=lambda a: a):
    """An operator whose accumulator begins with a count; its identity has count 0."""
    zeros = (0,) + (0.0,) * (parts - 1)
    result = (F64,) if finish(zeros) != zeros else (U64,) + (F64,) * (parts - 1)
    return simple(t, result, zeros, unless_empty(join), lift, finish)


def stretches(t, separate):
    def join(a, b):
        return a[0] + b[0] - (not separate(a[2], b[1])), a[1], b[2]

    made = counted(t, 3, join, lambda x, i: (1, x, x))()
    made.parts, made.finish = (U64,), lambda a: (a[0],)
    return made


def mean_of(t, to, back):
    def join(a, b):
        return a[0] + b[0], a[1] + b[1]

    def finish(a):
        return back(a[1] / a[0]) if a[0] else NAN

    return counted(t, 2, join, lambda x, i: (1, to(float(x))), finish)


def inverse(x):
    return 1 / x if x else math.copysign(INF, x)


def root(x):
    return math.sqrt(x) if x >= 0 else NAN


def ratio(a, b, *means):
    return a / b if b > 0 and all(m - m == 0 for m in means) else NAN


def skewness(c):
    return root(float(c[0])) * c[3] / (c[2] * root(c[2])) if c[2] > 0 else NAN


def kurtosis(c):
    return float(c[0]) * c[4] / (c[2] * c[2]) - 3 if c[2] > 0 else NAN


def sample_skewness(c):
    n = float(c[0])
    return skewness(c) * root(n * (n - 1)) / (n - 2) if n > 2 else NAN


def sample_kurtosis(c):
    n = float(c[0])
    return ((n + 1) * kurtosis(c) + 6) * (n - 1) / ((n - 2) * (n - 3)) if n > 3 else NAN


def correlation(c):
    return c[5] / (root(c[3]) * root(c[4])) if c[3] > 0 and c[4] > 0 else NAN


DERIVED = {
    "mean": ("moments", lambda m: m[1]),
    "var": ("moments", lambda m: ratio(m[2], m[0], m[1])),
    "std": ("moments", lambda m: root(ratio(m[2], m[0], m[1]))),
    "sample-var": ("moments", lambda m: ratio(m[2], m[0] - 1, m[1])),
    "sample-std": ("moments", lambda m: root(ratio(m[2], m[0] - 1, m[1]))),
    "skewness": ("central-moments", skewness),
    "kurtosis": ("central-moments", kurtosis),
    "sample-skewness": ("central-moments", sample_skewness),
    "sample-kurtosis": ("central-moments", sample_kurtosis),
    "covariance": ("comoments", lambda c: ratio(c[5], c[0], c[1], c[2])),
    "sample-covariance": ("comoments", lambda c: ratio(c[5], c[0] - 1, c[1], c[2])),
    "correlation": ("comoments", correlation),
    "slope": ("comoments", lambda c: ratio(c[5], c[3], c[1], c[2])),
    "intercept": ("comoments", lambda c: c[2] - ratio(c[5], c[3], c[1], c[2]) * c[1]),
    "weighted-mean": ("weighted-moments", lambda w: w[1]),
    "weighted-var": ("weighted-moments", lambda w: ratio(w[2], w[0], w[1], w[0])),
    "weighted-std": ("weighted-moments", lambda w: root(ratio(w[2], w[0], w[1], w[0]))),
}


def statistics(t):
    """Makers of these operators, by name."""
    return {
        "harmonic-mean": mean_of(t, inverse, inverse),
        "rms": mean_of(t, lambda x: x * x, root),
        "moments": counted(
            t, 3, lambda x, y: moments_and_more(x, y, 2), lambda x, i: (1, float(x), 0.0)
        ),
        "central-moments": counted(
            t, 5, lambda x, y: moments_and_more(x, y, 4), lambda x, i: (1, float(x), 0.0, 0.0, 0.0)
        ),
        "comoments": counted(
            t, 6, join_comoments, lambda e, i: (1, float(e[0]), float(e[1]), 0.0, 0.0, 0.0)
        ),
        "weighted-moments": simple(
            t, (F64,) * 3, (0.0,) * 3, unless_empty(join_weighted_moments), weighted
        ),
        "drawdown": counted(t, 5, join_drawdown, lambda x, i: (1,) + (float(x),) * 3 + (0.0,)),
    }
