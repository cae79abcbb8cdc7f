"""upsweep reduce --op median and quantile: against exact interpolation in fractions."""

import json
import math
import random
import unittest
from fractions import Fraction

from support import SEED, ToolTest, lines, npy, read_npy


def quantile(ordered, q):
    """Exact linear interpolation between the elements next to the rank q (n - 1)."""
    place = Fraction(q) * (len(ordered) - 1)
    rank = int(place)
    lower, upper = (Fraction(v) for v in (ordered[rank], ordered[min(rank + 1, len(ordered) - 1)]))
    return lower + (upper - lower) * (place - rank)


class Quantiles(ToolTest):
    def values(self, op, stdin="", *args):
        return [float(v) for v in self.text("reduce", "--op", op, *args, stdin=stdin).split()]

    def test_they_lie_between_the_neighbors_of_the_rank(self):
        source = random.Random(SEED)
        qs = [0, 0.25, 0.5, 0.9, 0.99, 1]
        op = ",".join(f"quantile:{q}" for q in qs)
        for n in [1, 2, 3, 10, 1000, 200001]:
            x = [source.gauss(0, 1) for _ in range(n)]
            got = self.values(op, lines(x))
            ordered = sorted(x)
            for q, v in zip(qs, got, strict=True):
                exact = quantile(ordered, q)
                self.assertLessEqual(abs(Fraction(v) - exact), Fraction(2, 10**15), (n, q, SEED))

    def test_large_integers_are_rounded_once(self):
        source = random.Random(SEED)
        for n in [2, 3, 4, 1000]:
            for first in (2**52, 2**53, 2**62, 2**63 - n * 3, -(2**63), 2**64 - n * 3):
                x = [first + source.randrange(n * 3) for _ in range(n)]
                got = self.values("median,quantile:0.25", lines(x))
                right = [float(quantile(sorted(x), q)) for q in (0.5, 0.25)]
                self.assertEqual(got, right, (n, first, SEED))

    def test_known_results(self):
        # of numpy.quantile
        x = lines(range(1, 1001))
        self.assertEqual(self.values("median,quantile:0.99", x), [500.5, 990.01])
        self.assertEqual(self.text("reduce", "--op", "median", stdin="3\n1\n2\n"), "2\n")
        self.assertTrue(math.isnan(self.values("median", "1\nnan\n2\n")[0]))
        self.assertEqual(self.values("quantile:1", "1\ninf\n2\n"), [math.inf])
        self.assertEqual(self.values("median", f"{2**63 - 1}\n-{2**63}\n{2**60}\n"), [2.0**60])

    def test_beside_other_operators_and_columns(self):
        self.assertEqual(
            self.text(
                "reduce",
                "-c",
                "a,b",
                "--op",
                "sum,quantile:0.25,mean,median",
                stdin="a,b\n1,5\n2,7\n",
            ),
            "sum(a),quantile:0.25(a),mean(a),median(a),sum(b),quantile:0.25(b),mean(b),median(b)\n"
            "3,1.25,1.5,1.5,12,5.5,6,6\n",
        )

    def test_groups_and_lines(self):
        self.assertEqual(
            self.text(
                "reduce", "--by", "k", "-c", "x", "--op", "median", stdin="k,x\na,1\na,4\nb,7\n"
            ),
            "k,median(x)\na,2.5\nb,7\n",
        )
        self.file("x.npy", npy("f32", [1, 2, 3, 10, 20, 60], shape=(2, 3)))
        self.run_tool("reduce", "--axis", "1", "--op", "median", "x.npy", "-o", "out.npy")
        self.assertEqual(read_npy(self.content("out.npy")), ("f64", (2,), [2, 20]))

    def test_late_decimals(self):
        self.assertEqual(self.values("median,sum", "1\n" * 700000 + "0.5\n"), [1, 700000.5])

    def test_errors(self):
        for op, says in [
            ("quantile", ["a number from 0 to 1", "as in --op quantile:0.9."]),
            ("quantile:2", "from 0 to 1"),
            ("quantile:-0.1", "from 0 to 1"),
            ("quantile:nan", "from 0 to 1"),
            ("quantile:x", ["a number from 0 to 1", "as in --op quantile:0.9:x."]),
            ("quantile:half:x", "as in --op quantile:0.9:x."),
            ("median:3", "no column '3'"),
            ("medin", "median"),
        ]:
            self.fails(2, "reduce", "--op", op, stdin="1\n", says=says)
        self.fails(2, "reduce", "--op", "quantile:b", stdin="a,b\n1,2\n", says="quantile:0.9:b")
        self.fails(2, "reduce", "--op", "median", "--init", "3", stdin="1\n", says="--init")
        self.fails(2, "reduce", "--op", "median", "--on", "cuda", stdin="1\n", says="median")
        self.fails(2, "scan", "--op", "quantile:0.5", stdin="1\n", says="reduce")
        self.fails(3, "reduce", "--op", "median", stdin="", says="no values")

    def test_the_largest_integers_are_not_rounded(self):
        for low in (2**53 + 1, -(2**63) + 1, 2**63 - 9, 2**64 - 9):
            x = [low + d for d in (0, 2, 4, 7)]
            stdin = lines(random.Random(low).sample(x, 4))
            got = self.text("reduce", "--op", "top:2,smallest:1,smallest:2,median", stdin=stdin)
            self.assertEqual([int(v) for v in got.split()[:4]], [x[3], x[2], x[0], x[1]])
            self.assertEqual(float(got.split()[4]), float(x[1] + 1))
            table = "k,x\na," + "\na,".join(map(str, x)) + f"\nb,{low}\n"
            flags = ["reduce", "--by", "k", "--op", "largest:1:x,largest:2:x,count:x"]
            got = self.text(*flags, stdin=table).splitlines()[1:]
            self.assertEqual(got, [f"a,{x[3]},{x[2]},4", f"b,{low},,1"])
            got = self.text(*flags, "--json", stdin=table).splitlines()
            self.assertEqual(
                [list(json.loads(line).values()) for line in got],
                [["a", x[3], x[2], 4], ["b", low, None, 1]],
            )
        got = self.text("reduce", "--op", "largest:3,largest:2", stdin="1\n2.5\n")
        self.assertEqual(got, "NA\t1\n")


if __name__ == "__main__":
    unittest.main()
