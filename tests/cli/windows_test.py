"""scan --op window, lag, diff and recurrence; reduce --op polynomial."""

import unittest

from support import ToolTest, add, lines, numbers, prefix


class Windows(ToolTest):
    def scan(self, op, x, *flags):
        return [float(v) for v in self.text("scan", "--op", op, *flags, stdin=lines(x)).split()]

    def test_each_window_has_the_bits_of_its_reduction(self):
        x = numbers(300)
        self.file("x.txt", lines(x))
        for width in [1, 3, 64, 299, 300, 500]:
            windows = [x[max(0, i + 1 - width) : i + 1] for i in range(len(x))]
            expected = [float(prefix(w, add("f64"))) for w in windows]
            self.assertEqual(self.scan(f"window:{width}:sum", x), expected, width)
            self.assertEqual(self.scan(f"window:{width}:max", x), [max(w) for w in windows], width)
            got = self.text("scan", "--op", f"window:{width}:min", "x.txt", "--threads", "3")
            self.assertEqual([float(v) for v in got.split()], [min(w) for w in windows], width)

    def test_counts_are_those_of_the_rows_in_each_window(self):
        for width in (1, 2, 7, 100_000):
            got = self.scan(f"window:{width}:count", range(40_000))
            self.assertEqual(got, [min(i + 1, width) for i in range(40_000)], width)

    def test_exclusive_scans_have_the_results_before_each_row_or_are_refused(self):
        self.assertEqual(self.scan("session:30", [1, 2, 100, 101], "--exclusive"), [0, 1, 1, 2])
        for op in ("drawdown", "ema:0.5", "first"):
            says = f"{op.split(':')[0]}: the first result of an exclusive scan is undefined"
            self.fails(2, "scan", "--exclusive", "--op", op, stdin="1\n2\n", says=says)

    def test_means_are_those_of_reduce(self):
        x = numbers(200)
        got = self.scan("window:5:std", x)
        for i in [0, 3, 4, 77, 199]:
            window = lines(x[max(0, i - 4) : i + 1])
            self.assertEqual(got[i], float(self.text("reduce", "--op", "std", stdin=window)))

    def test_lag_and_diff(self):
        self.assertEqual(
            self.text("scan", "--op", "lag:2,diff:2", stdin="1\n2\n4\n8\n"),
            "nan\tnan\nnan\tnan\n1\t3\n2\t6\n",
        )
        self.assertEqual(
            self.text("scan", "--op", "lag,diff", "--init", "9223372036854775807", stdin="1\n2\n"),
            "9223372036854775807\t-9223372036854775806\n1\t1\n",
        )
        n = 300000
        got = self.text(
            "scan", "--op", "lag:1000", "--init=-1", stdin="\n".join(map(str, range(n)))
        )
        self.assertEqual([int(v) for v in got.split()], [-1] * 1000 + list(range(n - 1000)))
        got = self.text("scan", "--op", f"lag:{2**40}", stdin="1\n2\n")
        self.assertEqual(got, "nan\nnan\n")

    def test_lag_and_diff_of_integers_are_exact_or_refused(self):
        for low in (2**53, -(2**60), 2**63 - 2048):
            x = [low, low + 1, low + 8]
            got = self.text("scan", "--op", "diff,diff:2", stdin=lines(x))
            self.assertEqual(got, "nan\tnan\n1\tnan\n7\t8\n")
            got = self.text("scan", "--op", "lag,lead", "--init", "0", stdin=lines(x))
            self.assertEqual(got, f"0\t{x[1]}\n{x[0]}\t{x[2]}\n{x[1]}\t0\n")
            for op in ("lag", "lead"):
                says = f"{x[1]} is beyond 2^53, and f64 would round it; give --init 0"
                self.fails(3, "scan", "--op", op, stdin=lines([*x[:2], x[1]]), says=says)
        got = self.text("scan", "--op", "lag,lead", stdin=lines([2**53, 2**53 + 2, -(2**63)]))
        right = [["nan", 2**53 + 2], [2**53, -(2**63)], [2**53 + 2, "nan"]]
        got = [
            [v if v == "nan" else int(float(v)) for v in line.split()] for line in got.splitlines()
        ]
        self.assertEqual(got, right)
        self.fails(3, "scan", "--op", "diff", stdin=lines([-(2**63), 1]), says="beyond 2^53")

    def test_recurrences(self):
        x = numbers(500, spread=2)
        for a in [[0.5], [1.5, -0.5625], [0.1, 0.2, 0.3, 0.1]]:
            y = []
            for i, v in enumerate(x):
                y.append(v + sum(c * y[i - 1 - k] for k, c in enumerate(a) if i - 1 - k >= 0))
            got = self.scan("recurrence:" + ":".join(map(str, a)), x)
            for i, (g, e) in enumerate(zip(got, y)):
                self.assertLessEqual(abs(g - e), 1e-11 * max(map(abs, y)), (a, i))
        self.assertEqual(self.text("reduce", "--op", "polynomial:3", stdin="2\n0\n1\n"), "19\n")

    def test_the_column_follows_if_there_is_no_distance(self):
        table = "k,x,y\na,1,10\na,3,20\nb,6,50\n"
        got = self.text("scan", "--op", "lag:x,diff:y,sum:x,lag:2:x", "--init", "0", stdin=table)
        self.assertEqual(got, "lag(x),diff(y),sum(x),lag:2(x)\n0,10,1,0\n1,10,4,0\n3,30,10,1\n")
        got = self.text("scan", "--by", "k", "--op", "diff:y as d", "--init", "0", stdin=table)
        self.assertEqual(got, "k,d\na,10\na,10\nb,50\n")
        self.fails(2, "scan", "--op", "lag:z", stdin=table, says="no column 'z'")
        self.fails(2, "scan", "--op", "lag:-1", stdin="1\n", says="does not fit u64.")

    def test_mistakes(self):
        for op, says in [
            ("window", "window:W:OPERATOR"),
            ("window:3", "window:3:mean"),
            ("window:0:sum", "from 1"),
            ("window:-1:sum", "window"),
            ("window:3:gcd", "sample-std"),
            ("lag:0", "from 1"),
            (f"lag:{2**40 + 1}", "from 1 to 2^40"),
            ("recurrence:1:2:3:4:5", "four"),
            ("recurrence:x", "recurrence"),
            ("recurrence:nan", "finite"),
            ("median", "upsweep reduce"),
        ]:
            self.fails(2, "scan", "--op", op, stdin="1\n2\n", says=says)
        self.fails(2, "scan", "--op", "lag", "--exclusive", stdin="1\n", says="--exclusive")
        self.fails(2, "scan", "--op", "window:2:sum", "--init", "1", stdin="1\n", says="--init")


if __name__ == "__main__":
    unittest.main()
