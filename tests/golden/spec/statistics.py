"""The statistics of docs/spec/operators.md: accumulators that begin with a count or weight."""

from spec.numbers import F64, NAN, U64, quotient, root
from spec.tree import Operator


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


def separated(separate):
    """Sessions and runs: count, first, last."""
    join = lambda a, b: (a[0] + b[0] - (not separate(a[2], b[1])), a[1], b[2])
    return counted(3, join, lambda x, i: (1, x, x), [U64], lambda a: a[0])


def mean_by(to, back):
    join = lambda a, b: (a[0] + b[0], a[1] + b[1])
    finish = lambda a: back(a[1] / a[0]) if a[0] else NAN
    return counted(2, join, lambda x, i: (1, to(x)), [F64], finish)
