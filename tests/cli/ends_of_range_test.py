"""Quotients whose divisor leaves the range of double although they do not: shares, relative
drawdowns and even bins, beside exact fractions."""

import json
import math
import random
import unittest
from fractions import Fraction

from support import SEED, ToolTest, lines

LARGEST = 1.7976931348623157e308
TABLES = [
    [1e308, 1e308],
    [-1.7e308, 1.7e308, 1.7e308, 1.7e308],
    [1e-300, 1.5e308, 1.5e308, 5e-324, -1e308],
    [LARGEST] * 100,
    [1.0, 1.7e308, 1.7e308, -1.7e308, 1.0],
    [5e-324, 5e-324, 1.5e-323],
    [-LARGEST, -LARGEST],
]


def random_numbers(source):
    n = source.choice([2, 5, 70, 3000])
    return [source.uniform(0.1, 1) * LARGEST for _ in range(n)]


class EndsOfRange(ToolTest):
    def tables(self):
        source = random.Random(SEED)
        return TABLES + [random_numbers(source) for _ in range(12)]

    def near(self, got, exact, what):
        """Within a few units in the last place of the exact quotient."""
        error = abs(Fraction(got) - exact)
        self.assertLessEqual(error, abs(exact) * Fraction(1, 2**49) + Fraction(5e-324), (what, got))

    def results(self, op, x):
        got = self.text("scan", "--op", op, "--from", "text", "--no-header", stdin=lines(x))
        return [float(word) for word in got.split()]

    def test_shares(self):
        for x in self.tables():
            total, running = sum(map(Fraction, x)), Fraction()
            got = self.results("share", x), self.results("cumulative-share", x)
            for value, share, cumulative in zip(x, *got):
                running += Fraction(value)
                self.near(share, Fraction(value) / total, x[:5])
                self.near(cumulative, running / total, x[:5])

    def test_shares_of_groups_and_of_infinities(self):
        rows = "".join(f"{k},{v}\n" for k, v in zip("abab", ["1e308", "1", "1e308", "3"]))
        got = self.text("scan", "--by", "k", "--op", "share", stdin="k,v\n" + rows)
        self.assertEqual(
            [float(line.split(",")[1]) for line in got.splitlines()[1:]], [0.5, 0.25, 0.5, 0.75]
        )
        got = self.results("share", [math.inf, 1.0, 1e308])
        self.assertEqual([str(v) for v in got], ["nan", "0.0", "0.0"])

    def test_relative_drawdowns(self):
        for x in [[1.7e308, -1.7e308, 1e308], [LARGEST, -LARGEST], [5e-324, 0.0], [1e308, 5e307]]:
            for i, got in enumerate(self.results("relative-drawdown", x)):
                highest = Fraction(max(x[: i + 1]))
                self.near(got, (highest - Fraction(x[i])) / highest, x)

    def test_even_bins(self):
        source = random.Random(SEED)
        for bins in (1, 2, 4, 7, 30):
            x = [source.uniform(-1, 1) * LARGEST for _ in range(200)] + [-LARGEST, LARGEST]
            found = json.loads(
                self.text("histogram", "--bins", str(bins), "--json", stdin=lines(x))
            )
            levels, counts = found["levels"], found["counts"]
            for b, level in enumerate(levels):
                exact = Fraction(-LARGEST) + Fraction(b, bins) * 2 * Fraction(LARGEST)
                self.assertLessEqual(abs(Fraction(level) - exact), Fraction(LARGEST) / 2**50)
            self.assertEqual((levels[0], levels[-1]), (-LARGEST, LARGEST))
            pairs = list(zip(levels, levels[1:]))
            expected = [sum(lo <= v < hi for v in x) for lo, hi in pairs]
            expected[-1] += x.count(LARGEST)
            self.assertEqual(counts, expected, bins)
        given = ["--range", "-1.7e308,1.7e308", "--bins", "2", "--json"]
        found = json.loads(self.text("histogram", *given, stdin="-1e308\n1\n1e308\n1.75e308\n"))
        self.assertEqual(found["counts"], [1, 2])


if __name__ == "__main__":
    unittest.main()
