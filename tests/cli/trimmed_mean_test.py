"""upsweep reduce --op trimmed-mean: against exact fractions, and results of scipy."""

import math
import random
import unittest
from fractions import Fraction

from support import SEED, ToolTest, lines, npy, read_npy

# trim_mean([i * i for i in range(1, n + 1)], percent / 100) of scipy 1.17.1.
OF_SCIPY = {
    (1, 10): 1.0,
    (9, 10): 31.666666666666668,
    (10, 10): 35.5,
    (11, 10): 42.666666666666664,
    (19, 5): 130.0,
    (20, 5): 137.16666666666666,
    (100, 29): 2711.5,  # 28 at each end: 0.29 * 100 is below 29 in f64
    (1000, 12.5): 297375.1666666667,
    (1000, 0.1): 333500.5,
    (3, 49): 4.0,
}


def trimmed_mean(x, percent):
    """The exact mean without the first and the last int(percent / 100 * n) values in order."""
    cut = int(percent / 100 * len(x))
    kept = [Fraction(v) for v in sorted(x)[cut : len(x) - cut]]
    return sum(kept) / len(kept)


class TrimmedMean(ToolTest):
    def value(self, percent, stdin, *args):
        return float(self.text("reduce", "--op", f"trimmed-mean:{percent}", *args, stdin=stdin))

    def test_it_is_the_mean_of_the_values_between_the_cuts(self):
        source = random.Random(SEED)
        for n in (1, 2, 3, 9, 10, 11, 1000, 70001):
            x = [source.gauss(0, 1) * 10 ** source.randint(-3, 3) for _ in range(n)]
            largest = max(map(abs, x))
            for percent in (0, 0.1, 5, 10, 12.5, 29, 33.4, 49.999):
                expected = trimmed_mean(x, percent)
                error = abs(Fraction(self.value(percent, lines(x))) - expected)
                self.assertLessEqual(error, Fraction(largest) / 10**14, (n, percent, SEED))

    def test_results_of_scipy(self):
        for (n, percent), expected in OF_SCIPY.items():
            x = [i * i for i in range(1, n + 1)]
            random.Random(SEED).shuffle(x)
            got = self.value(percent, lines(x))
            self.assertAlmostEqual(got, expected, delta=expected * 1e-15, msg=(n, percent))

    def test_special_values(self):
        for x, percent, expected in (
            ([7], 0, 7),
            ([7], 49, 7),
            ([1, 2, 4], 49, 2),
            ([math.inf, 1, 2, -math.inf], 25, 1.5),
            ([math.inf, 1, 2], 0, math.inf),
            ([1.7e308] * 3, 0, 1.7e308),
            ([2**53 + 1] * 3, 0, 2.0**53),
        ):
            self.assertEqual(self.value(percent, lines(x)), expected, (x, percent))
        for x, percent in (([1, math.nan, 2, 3, 4], 40), ([math.inf, -math.inf], 0)):
            self.assertTrue(math.isnan(self.value(percent, lines(x))), x)

    def test_the_bits_depend_neither_on_the_order_nor_on_threads(self):
        source = random.Random(SEED)
        x = [source.uniform(-1, 1) for _ in range(5000)]
        found = set()
        for threads in ("1", "2", "7"):
            source.shuffle(x)
            found.add(self.value(3, lines(x), "--threads", threads))
        self.assertEqual(len(found), 1, SEED)

    def test_groups_lines_and_names(self):
        table = "k,x\na,9\nb,2\na,1\nc,\na,3\na,2\n"
        flags = ["reduce", "--by", "k", "--skip-missing", "--op"]
        got = self.text(*flags, "trimmed-mean:25:x,trimmed-mean:0:x as all,count:x", stdin=table)
        expected = "k,trimmed-mean:25(x),all,count(x)\na,2.5,3.75,4\nb,2,2,1\nc,,,0\n"
        self.assertEqual(got, expected)
        self.file("x.npy", npy("f32", [1, 2, 30, 10, 20, 60], shape=(2, 3)))
        self.run_tool("reduce", "--axis", "1", "--op", "trimmed-mean:40", "x.npy", "-o", "out.npy")
        self.assertEqual(read_npy(self.content("out.npy")), ("f64", (2,), [2, 20]))

    def test_pieces_and_late_decimals(self):
        whole = self.value(10, "1\n" * 700000 + "0.5\n")
        self.assertEqual(whole, 1)
        rows = [f"{k},{x}\n" for k, x in zip("abacbaabca", [9, 1, 2, 4, 0.5, 7, 3, 8, 1, 6])]
        flags = ["--by", "k", "--op", "trimmed-mean:30:x,exact-sum:x"]
        expected = self.text("reduce", *flags, stdin="k,x\n" + "".join(rows))
        for first, end in ((0, 3), (3, 4), (4, 10)):
            piece = self.file("piece.csv", "k,x\n" + "".join(rows[first:end]))
            place = ["--from-row", str(first), "--partial", f"{first}.part"]
            self.run_tool("reduce", *flags, piece, *place)
        self.assertEqual(self.text("merge", "4.part", "0.part", "3.part"), expected)
        self.file("log.csv", "k,x\n" + "".join(rows[:4]))
        self.run_tool("reduce", *flags, "log.csv", "--resume", "state")
        self.file("log.csv", "k,x\n" + "".join(rows))
        self.assertEqual(self.text("reduce", *flags, "log.csv", "--resume", "state"), expected)

    def test_errors(self):
        for op, says in (
            ("trim_mean", "did you mean 'trimmed-mean:P'?"),
            ("trimmed-mean", "as in --op trimmed-mean:10."),
            ("trimmed-mean:y", "as in --op trimmed-mean:10:y."),
            ("trimmed-mean:50", "from 0 to below 50"),
            ("trimmed-mean:-1", "from 0 to below 50"),
            ("trimmed-mean:nan", "from 0 to below 50"),
            ("trimmed-mean:y", "needs a number of percent"),
            ("trimmed-mean:10:y", "no column 'y'"),
        ):
            self.fails(2, "reduce", "--op", op, stdin="x\n1\n", says=says)
        self.fails(2, "reduce", "--op", "trimmed-mean:1", "--init", "3", stdin="1\n", says="--init")
        self.fails(2, "scan", "--op", "trimmed-mean:1", stdin="1\n", says="upsweep reduce")
        self.fails(3, "reduce", "--op", "trimmed-mean:1", stdin="", says="no values")
        self.fails(3, "reduce", "--op", "trimmed-mean:1", stdin="1\nab\n", says="'ab'")


if __name__ == "__main__":
    unittest.main()
