"""Statistics of one and two columns: against Python's `statistics` and exact fractions."""

import csv
import functools
import io
import math
import random
import statistics
import unittest
from collections import Counter
from fractions import Fraction

from support import SEED, ToolTest


def total_of(x, f):
    """The exact sum of f(v), once for each different number: there may be tens of thousands."""
    return sum(count * f(Fraction(v)) for v, count in Counter(x).items())


def moment(x, power):
    mean = total_of(x, lambda v: v) / Fraction(len(x))
    return total_of(x, lambda v: (v - mean) ** power) / len(x)


def weighted_mean(x, y):
    return float(
        sum(map(Fraction.__mul__, map(Fraction, x), map(Fraction, y))) / sum(map(Fraction, y))
    )


MODELS = {
    "sum": lambda x, _: sum(x),
    "covariance": lambda x, y: statistics.covariance(x, y) * (len(x) - 1) / len(x),
    "sample-covariance": statistics.covariance,
    "correlation": statistics.correlation,
    "slope": lambda x, y: statistics.linear_regression(x, y).slope,
    "intercept": lambda x, y: statistics.linear_regression(x, y).intercept,
    "weighted-mean": weighted_mean,
    "skewness": lambda x, _: float(moment(x, 3)) / float(moment(x, 2)) ** 1.5,
    "kurtosis": lambda x, _: float(moment(x, 4) / moment(x, 2) ** 2) - 3,
}
ONE = ("sum", "skewness", "kurtosis")


def rounded(x):
    """A fraction as a float; infinity if it is too large."""
    try:
        return float(x)
    except OverflowError:
        return math.inf


def root(x):
    """The square root of a fraction."""
    digits = 160 + x.denominator.bit_length() - x.numerator.bit_length()
    shift = max(0, digits + digits % 2)
    return rounded(Fraction(math.isqrt(math.floor(x * 2**shift)), 2 ** (shift // 2)))


def running(x):
    """mean, var, std, sample-std, rms and harmonic-mean by their definitions."""
    n = len(x)
    if n == 0 or any(map(math.isnan, x)):
        return [math.nan] * 6
    if any(map(math.isinf, x)):
        sum_of_all = sum(v for v in x if math.isinf(v))
        total = functools.reduce(lambda a, b: a + b, (1 / v for v in x))
        harmonic = n / total if total else math.copysign(math.inf, total)
        return [sum_of_all, math.nan, math.nan, math.nan, math.inf, harmonic]
    m2 = moment(x, 2) * n
    sample = root(m2 / (n - 1)) if n > 1 else math.nan
    zeros = {math.copysign(1.0, v) for v in x if v == 0}
    if zeros:  # whose reciprocals are infinite
        harmonic = math.nan if len(zeros) == 2 else 0.0 * zeros.pop()
    else:
        harmonic = rounded(n / total_of(x, lambda v: 1 / v))
    squares = total_of(x, lambda v: v * v) / n
    mean = rounded(total_of(x, lambda v: v) / n)
    return [mean, rounded(m2 / n), root(m2 / n), sample, root(squares), harmonic]


def use(op, x="x", y="y"):
    return f"{op}:{x}" if op in ONE else f"{op}:{x}:{y}"


class Statistics(ToolTest):
    def table(self, *args, stdin):
        return list(csv.reader(io.StringIO(self.text(*args, "--to", "csv", stdin=stdin))))

    def expect(self, ops, got, x, y, what):
        for op, value in zip(ops, got, strict=True):
            expected = MODELS[op](x, y)
            self.assertAlmostEqual(float(value), expected, 9, f"{op} {what} seed {SEED}")

    def test_numbers_whose_powers_leave_the_range(self):
        x, y = [3.0, 4.0, 9.0, 5.0], [1.0, 2.0, 2.0, 7.0]
        ops = "mean,var,std,sample-std,skewness,kurtosis,rms"
        pairs = "covariance,correlation,slope,intercept"
        for zeros in (0, 5, 200_000):
            values = [0.0] * zeros + x if zeros else x
            right = self.statistics(ops, values)
            for scale in (1e300, 1e200, 1e110, 1e-110, 1e-200, 1e-300):
                got = self.statistics(ops, [v * scale for v in values])
                powers = [scale, scale * scale, scale, scale, 1, 1, scale]
                for op, a, b, power in zip(ops.split(","), got, right, powers, strict=True):
                    if power not in (0, float("inf")):
                        self.assertAlmostEqual(a / (b * power), 1, 12, (op, scale, zeros))
        for zeros in (0, 70_000):  # of x, in a chunk of their own
            x, y = [0.0] * zeros + x, [i % 7 / 8 for i in range(zeros)] + y
            right = self.statistics(pairs, x, y)
            for scale in (1e300, 1e200, 1e-200, 1e-300):
                got = self.statistics(pairs, [v * scale for v in x], [v / scale for v in y])
                powers = [1, 1, scale**-1 / scale, 1 / scale]
                for op, a, b, power in zip(pairs.split(","), got, right, powers, strict=True):
                    if power not in (0, float("inf")):
                        self.assertAlmostEqual(a / (b * power), 1, 12, (op, scale, zeros))
            got = self.statistics(pairs, [v * 1e-200 for v in x], y)
            for op, a, b, power in zip(pairs.split(","), got, right, (1e-200, 1, 1e200, 1)):
                self.assertAlmostEqual(a / (b * power), 1, 12, (op, zeros))

    def statistics(self, ops, *columns):
        rows = "".join(",".join(map(repr, row)) + "\n" for row in zip(*columns, strict=True))
        chosen = ["--column", "1,2"] if len(columns) == 2 else []
        text = self.text("reduce", "--op", ops, *chosen, stdin=rows)
        return [float(v) for v in text.replace(",", " ").split()]

    def expect_running(self, values, *options, before=0):
        """The statistics of each prefix of `values`, beside fractions."""
        ops = "mean,var,std,sample-std,rms,harmonic-mean"
        key = options.index("--by") + 1 if "--by" in options else None
        rows = "".join(("a," if key else "") + f"{v!r}\n" for v in values)
        column = ["--column", "2", "--no-header"] if key else []
        text = self.text("scan", "--op", ops, *column, *options, "--to", "csv", stdin=rows)
        got = [row[-6:] for row in csv.reader(io.StringIO(text))][-len(values) :]
        for i, row in enumerate(got):
            if i < before:
                continue
            seen = values[: i + (0 if "--exclusive" in options else 1)]
            for op, value, right in zip(ops.split(","), row, running(seen), strict=True):
                got_value, what = float(value), (op, seen[-9:], options)
                if math.isnan(right) or math.isinf(right) or right == 0:
                    self.assertEqual(repr(got_value), repr(right), what)
                else:
                    least = 1e-12 * abs(right) + 1e-323
                    self.assertLess(abs(Fraction(got_value) - Fraction(right)), least, what)

    def test_running_statistics_of_numbers_whose_powers_leave_the_range(self):
        for scale in (1e307, 1e200, 1e150, 1.0, 1e-150, 1e-200, 1e-307, 1e-310):
            values = [v * scale for v in (3.0, 4.0, 9.0, 5.0, 4.0)]
            for options in ([], ["--exclusive"], ["--by", "1"]):
                self.expect_running(values, *options)
            self.expect_running([1.0, 2.0, 8.0, *values])
            self.expect_running([0.0, -0.0, *values])
            self.expect_running([values[0]] * 9)
        self.expect_running([1e200, -1e-200, 2.0, 1e200, 3e-310])
        for odd in (math.nan, math.inf, -math.inf):
            self.expect_running([1e200, 2e200, odd, 1.0])
            self.expect_running([odd, 1e-200, 2e-200])
        # The first of them after a whole chunk of other numbers.
        self.expect_running([1.0, 3.0] * 33_000 + [3e200, 1e200], before=66_000)
        self.expect_running([0.0] * 66_001 + [3e-200, 1e-200], before=66_001)

    def test_infinity_beside_numbers_whose_powers_leave_the_range(self):
        self.assertEqual(self.text("reduce", "--op", "rms", stdin="inf\n1e200\n"), "inf\n")
        self.assertEqual(self.text("reduce", "--op", "rms", stdin="1e200\nnan\n"), "nan\n")
        text = self.text("reduce", "--op", "harmonic-mean", stdin="1e-310\n2e-310\n")
        self.assertAlmostEqual(float(text) / 1.333333333333335e-310, 1, 12)

    def random_rows(self, n, gaps):
        source = random.Random(SEED)
        rows = []
        for _ in range(n):
            x, y = source.randint(-50, 50), source.randint(1, 99)
            lack = source.random() if gaps else 1
            rows.append(
                (
                    "abc"[source.randrange(3)],
                    x if lack > 0.1 else "",
                    y if lack < 0.1 or lack > 0.2 else "",
                )
            )
        return rows

    def csv(self, rows):
        return "k,x,y\n" + "".join(f"{k},{x},{y}\n" for k, x, y in rows)

    def test_products_that_overflow_before_they_meet_a_zero(self):
        numbers = [*range(1, 700), -1e200, 0, *range(700, 1320)]
        lines = "".join(f"{i % 2},{v}\n" for i, v in enumerate(numbers))
        column = ("--column", "2")
        self.assertEqual("-0\n", self.text("reduce", "--op", "product", *column, stdin=lines))
        groups = self.text("reduce", "--op", "product", *column, "--by", "1", stdin=lines)
        of_zero = numbers.index(0) % 2
        self.assertEqual(f"{of_zero},0", groups.splitlines()[of_zero])
        running = self.text("scan", "--op", "product", *column, stdin=lines).splitlines()
        zero = numbers.index(0)
        self.assertEqual(["-0"] * (len(numbers) - zero), running[zero:])
        self.assertNotIn("nan", running)
        windows = self.text("scan", "--op", "window:600:product", *column, stdin=lines).splitlines()
        self.assertEqual({"-0", "0"}, set(windows[zero : zero + 600]))
        infinite = "inf\n1e200\n0\n"
        self.assertEqual("nan\n", self.text("reduce", "--op", "product", stdin=infinite))

    def test_all_in_one_pass_by_groups_in_any_order(self):
        rows = self.random_rows(3000, gaps=False)
        ops = list(MODELS)
        for order in (rows, sorted(rows)):
            got = self.table(
                "reduce", "--by", "k", "--op", ",".join(map(use, ops)), stdin=self.csv(order)
            )
            self.assertEqual(got[0][1:4], ["sum(x)", "covariance(x,y)", "sample-covariance(x,y)"])
            for key, *values in got[1:]:
                x, y = zip(*((r[1], r[2]) for r in order if r[0] == key), strict=True)
                self.expect(ops, values, x, y, key)
        self.assertEqual(len(got), 4)

    def test_a_pair_without_one_of_its_values_is_left_out_and_the_others_keep_theirs(self):
        rows = self.random_rows(500, gaps=True)
        ops = ["sum", "slope", "weighted-mean", "correlation"]
        got = self.table(
            "reduce", "--skip-missing", "--op", ",".join(map(use, ops)), stdin=self.csv(rows)
        )[1]
        pairs = [(x, y) for _, x, y in rows if x != "" and y != ""]
        self.assertLess(len(pairs), 480)
        self.expect(ops[1:], got[1:], *zip(*pairs, strict=True), "with gaps")
        self.assertEqual(float(got[0]), sum(x for _, x, _ in rows if x != ""))

    def test_running_results_and_names(self):
        rows = self.random_rows(60, gaps=False)
        got = self.table(
            "scan", "--op", "slope:y:x as trend,sum:x,correlation:x:y", stdin=self.csv(rows)
        )
        self.assertEqual(got[0], ["trend", "sum(x)", "correlation(x,y)"])
        for n in (2, 17, 60):
            x, y = zip(*((r[1], r[2]) for r in rows[:n]), strict=True)
            self.assertAlmostEqual(float(got[n][0]), MODELS["slope"](y, x), 9)
            self.assertAlmostEqual(float(got[n][2]), MODELS["correlation"](x, y), 9)
            self.assertEqual(float(got[n][1]), sum(x))

    def test_columns_by_option_and_decimals_that_come_late(self):
        data = "x,y\n1,1\n2,3\n3,2\n4,4.5\n"
        by_option = self.text("reduce", "--column", "x,y", "--op", "slope,intercept", stdin=data)
        named = self.text("reduce", "--op", "slope:x:y,intercept:x:y", stdin=data)
        self.assertEqual(by_option, named)
        self.assertEqual(
            self.text("reduce", "--op", "matrix2x2:1:2:3:4,sum:1", stdin="1 2 3 4\n5 6 7 8\n"),
            self.text(
                "reduce",
                "--op",
                "matrix2x2:1:2:3:4,sum:1",
                "--dtype",
                "i64",
                stdin="1 2 3 4\n5 6 7 8\n",
            ),
        )
        five = self.text("reduce", "--op", "central-moments", stdin="1\n1\n1\n5\n").split()
        self.assertEqual(five[:3], ["4", "2", "3"])

    def test_what_is_refused(self):
        data = "x,y\n1,1\n2,3\n"
        for op, says in [
            ("slope:x", "write --op slope:X:Y"),
            ("slope:x:y:x", "slope takes 2 columns"),
            ("slope:x:", "write --op slope:X:Y"),
            ("matrix2x2:x:y", "write --op matrix2x2:A:B:C:D"),
            ("slope:x:z", "z"),
            ("comoments:x:y as all", "several results"),
        ]:
            self.fails(2, "reduce", "--op", op, stdin=data, says=says)
        self.fails(2, "reduce", "--op", "slope:x:y", "--init", "1", stdin=data, says="omit --init")


if __name__ == "__main__":
    unittest.main()
