"""upsweep histogram: counts against plain Python, bars, tables, options and errors."""

import bisect
import fcntl
import json
import math
import os
import random
import re
import struct
import subprocess
import termios
import unittest

from support import SEED, TOOL, ToolTest, lines, npy, add, prefix, raw, read_npy


def counted(values, levels, closed_right):
    """Counts by comparison: in the bins, below, above, NaN."""
    counts, below, above, nan = [0] * (len(levels) - 1), 0, 0, 0
    for v in values:
        if math.isnan(v):
            nan += 1
        elif v < levels[0]:
            below += 1
        elif closed_right and v == levels[-1]:
            counts[-1] += 1
        elif v >= levels[-1]:
            above += 1
        else:
            counts[bisect.bisect_right(levels, v) - 1] += 1
    return counts, below, above, nan


def even(low, high, bins):
    return [low + b * ((high - low) / bins) for b in range(bins)] + [high]


class Histogram(ToolTest):
    def object(self, *args, stdin=""):
        return json.loads(self.text("histogram", "--json", *args, stdin=stdin))

    def test_integers_between_borders_that_f64_does_not_hold(self):
        first = 1_700_000_000_000_000_000
        x = [first + d for d in (-1, 0, 999, 1000, 1999, 2000, 2001)]
        borders = [first, first + 1000, first + 2000]
        for closed in ([], ["--closed-right"]):
            got = self.object("--levels", ",".join(map(str, borders)), *closed, stdin=lines(x))
            right = counted(x, borders, bool(closed))
            self.assertEqual((got["counts"], got["below"], got["above"], got["nan"]), right)
            self.assertEqual(got["levels"], borders)
        ends = f"{first + 1},{first + 7}"
        got = self.object("--range", ends, "--bins", "3", stdin=lines(first + d for d in range(9)))
        self.assertEqual((got["counts"], got["below"], got["above"]), ([2, 2, 2], 1, 2))
        top = 2**64 - 5
        got = self.object("--bins", "2", stdin=lines(top + d for d in range(5)))
        self.assertEqual((got["counts"], got["below"], got["above"]), ([2, 3], 0, 0))
        two = f"{top},{top + 1}"
        table = self.text("histogram", "--levels", two, "--to", "csv", stdin=f"{top}\n")
        self.assertIn(f"{two},1", table)
        weighted = ["--column", "1", "--weights", "2", "--levels"]
        borders = f"{first},{first + 1},{first + 2}"
        rows = f"{first},5\n{first + 1},7\n"
        self.assertEqual(self.object(*weighted, borders, stdin=rows)["sums"], [5, 7])

    def test_integers_that_no_type_holds_together(self):
        words = f"-1,{2**63},{2**64 - 1}"
        says = ["--levels: i64 does not hold all of these integers"]
        self.fails(2, "histogram", f"--levels={words}", stdin="1\n", says=says)

    def bars(self, *args, stdin="", locale="C"):
        done = subprocess.run(
            [TOOL, "histogram", *args],
            input=stdin.encode(),
            capture_output=True,
            cwd=self.path,
            timeout=300,
            env={**os.environ, "LC_ALL": locale},
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode().splitlines()

    def test_counts_are_those_of_comparisons_with_the_borders(self):
        source = random.Random(SEED)
        x = [source.choice([source.gauss(0, 3), source.randint(-5, 5) / 2]) for _ in range(70000)]
        x[100], x[200], x[300] = math.nan, math.inf, -math.inf
        self.file("x.npy", npy("f64", x))
        finite = [v for v in x if math.isfinite(v)]
        for args, levels, closed in [
            ([], even(min(finite), max(finite), 20), True),
            (["--bins", "7"], even(min(finite), max(finite), 7), True),
            (["--range=-2,2", "--bins", "16"], even(-2, 2, 16), False),
            (["--range=-2,2", "--bins", "16", "--closed-right"], even(-2, 2, 16), True),
            (["--levels=-2.5,0,0.5,3"], [-2.5, 0, 0.5, 3], False),
            (["--levels=-2.5,0,0.5,3", "--closed-right"], [-2.5, 0, 0.5, 3], True),
            (["--levels=-inf,0,inf"], [-math.inf, 0, math.inf], False),
        ]:
            counts, below, above, nan = counted(x, levels, closed)
            for way in [["x.npy"], ["x.npy", "--threads", "1"], ["--list", "--dtype", "f64"]]:
                stdin = "" if "x.npy" in way else lines(x)
                got = self.object(*args, *way, stdin=stdin)
                what = f"{args} {way} seed {SEED}"
                self.assertEqual([float(v) for v in got["levels"]], levels, what)
                self.assertEqual(got["counts"], counts, what)
                self.assertEqual(
                    (got["below"], got["above"], got["nan"]), (below, above, nan), what
                )
                self.assertEqual((got["rows"], got["closed_right"]), (len(x), closed), what)

    def test_every_type_and_format(self):
        x = [0, 1, 1, 3, 7, 7, 7, 100]
        for dtype in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"]:
            self.file("x.npy", npy(dtype, x))
            self.file("x.raw", raw(dtype, x))
            for way in [["x.npy"], ["x.raw", "--dtype", dtype]]:
                got = self.object("--levels", "0,1,7,100", *way)
                self.assertEqual((got["counts"], got["above"]), ([1, 3, 3], 1), (dtype, way))
                got = self.object("--bins", "2", *way)
                self.assertEqual((got["levels"], got["counts"]), ([0, 50, 100], [7, 1]), way)
        self.file("b.npy", npy("bool", [True, False, True]))
        self.assertEqual(self.object("--bins", "2", "b.npy")["counts"], [1, 2])

    def test_integers_are_compared_exactly(self):
        big = 2**53
        got = self.object(
            "--levels", f"{big},{big + 2}", stdin=lines([big - 1, big, big + 1, big + 2])
        )
        self.assertEqual((got["below"], got["counts"], got["above"]), (1, [2], 1))
        got = self.object("--bins", "1", stdin=lines([-(2**63), 2**63 - 1]))
        self.assertEqual((got["below"], got["counts"], got["above"]), (0, [2], 0))
        got = self.object("--bins", "1", stdin=lines([2**64 - 1, 0]))
        self.assertEqual((got["below"], got["counts"], got["above"]), (0, [2], 0))

    def test_bins_from_the_numbers_include_every_integer(self):
        source = random.Random(SEED)
        for low, high in [(2**53, 2**63 - 1), (-(2**63), -(2**53)), (2**60, 2**61), (-9, 2**62)]:
            for _ in range(50):
                x = [source.randint(low, high) for _ in range(3)]
                got = self.object("--bins", "3", stdin=lines(x))
                self.assertEqual(
                    (got["below"], sum(got["counts"]), got["above"]), (0, 3, 0), f"{x} {SEED}"
                )

    def test_one_value_and_none(self):
        got = self.object("--bins", "2", stdin="5\n")
        self.assertEqual((got["levels"], got["counts"]), ([4.5, 5, 5.5], [0, 1]))
        self.assertEqual(self.object("--range", "0,1", "--bins", "2", stdin="")["counts"], [0, 0])
        for nothing in ["", "nan\n", "inf\n-inf\n"]:
            self.fails(3, "histogram", stdin=nothing, says=["no finite number", "--range"])

    def test_a_late_decimal_of_a_stream_is_counted(self):
        x = [str(i % 10) for i in range(800000)] + ["9.5"]
        for args in [[], ["--range", "0,9.5", "--closed-right"]]:
            got = self.object("--bins", "1", *args, stdin="\n".join(x))
            self.assertEqual((got["counts"], got["levels"]), ([800001], [0, 9.5]), args)

    def test_bars(self):
        x = lines([0] * 40 + [1] * 20 + [2, -1, 5, 6, math.nan])
        got = self.bars("--levels", "0,1,2,3,4", stdin=x)
        self.assertEqual(
            got,
            [
                "below    1",
                "[0, 1)  40  " + "#" * 68,
                "[1, 2)  20  " + "#" * 34,
                "[2, 3)   1  ##",
                "[3, 4)   0",
                "above    2",
                "NaN      1",
            ],
        )
        got = self.bars("--levels", "0,1,2,3,4", stdin=x, locale="C.UTF-8")
        self.assertEqual(got[1], "[0, 1)  40  " + "\u2588" * 68)
        self.assertEqual(got[3], "[2, 3)   1  \u2588\u258a")
        got = self.bars("--range", "0,3", "--bins", "3", "--closed-right", stdin="3\n")
        self.assertEqual([line.split("  ")[0] for line in got], ["[0, 1)", "[1, 2)", "[2, 3]"])

    def test_bars_end_at_the_end_of_the_terminal(self):
        for columns, longest in [(50, 50), (200, 200), (5, 21), (0, 80)]:
            main, other = os.openpty()
            fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
            done = subprocess.run(
                [TOOL, "histogram", "--levels", "0,1,2"],
                input=b"0\n0\n1\n",
                stdout=other,
                timeout=300,
                env={**os.environ, "LC_ALL": "C"},
            )
            os.close(other)
            got = os.read(main, 65536).decode().splitlines()
            os.close(main)
            self.assertEqual((done.returncode, len(got[0])), (0, longest), got)

    def test_borders_are_shown_as_short_as_tells_them_apart(self):
        got = self.bars("--range", "0,1", "--bins", "10", stdin="")
        self.assertEqual(got[3], "[0.3, 0.4)  0")
        got = self.bars("--range", "1000000,1000001", "--bins", "4", stdin="")
        self.assertEqual(got[1], "[1000000.25, 1000000.5)  0")
        got = self.bars("--range", "0,1", "--bins", "3", "--number-format", "%.2f", stdin="")
        self.assertEqual(got[1], "[0.33, 0.67)  0")

    def test_tables(self):
        x = lines([1, 2, 4])
        self.assertEqual(
            self.text("histogram", "--bins", "2", "--to", "csv", stdin=x),
            "low,high,count\n1,2.5,2\n2.5,4,1\n",
        )
        self.assertEqual(self.text("histogram", "--bins", "2", "--counts-only", stdin=x), "2\n1\n")
        self.text("histogram", "--bins", "2", "-o", "out.csv", stdin=x)
        self.assertEqual(self.content("out.csv"), b"low,high,count\n1,2.5,2\n2.5,4,1\n")
        self.text("histogram", "--bins", "2", "--counts-only", "-o", "out.npy", stdin=x)
        self.assertEqual(read_npy(self.content("out.npy")), ("u64", (2,), [2, 1]))
        self.text("histogram", "--bins", "2", "-o", "out.hist", stdin=x)
        self.assertTrue(self.content("out.hist").startswith(b"[1, 2.5)  2  "))
        self.fails(4, "histogram", "-o", "out.hist", stdin=x, says="--force")

    def test_weights_have_the_bits_of_their_sum(self):
        source = random.Random(SEED)
        x = [source.randint(0, 3) for _ in range(3000)]
        w = [source.uniform(-1, 1) * 10 ** source.randint(-8, 8) for _ in x]
        table = "x,w\n" + "".join(f"{a},{b!r}\n" for a, b in zip(x, w))
        expected = [prefix([b for a, b in zip(x, w) if a == bin], add("f64")) for bin in range(4)]
        for args in [["--levels", "0,1,2,3,4"], ["--range", "0,4", "--bins", "4"]]:
            got = self.object("--column", "x", "--weights", "w", *args, stdin=table)
            self.assertEqual(got["sums"], expected, f"seed {SEED}")
            self.assertEqual(got["counts"], [x.count(bin) for bin in range(4)])
        got = self.text(
            "histogram",
            "-c",
            "x",
            "--weights",
            "n",
            "--levels",
            "0,1",
            "--to",
            "csv",
            stdin="x,n\n0,9223372036854775807\n0.5,1\n",
        )
        self.assertEqual(got, "low,high,sum(n)\n0,1,-9223372036854775808\n")

    def test_missing_values_may_be_skipped(self):
        table = "x\n1\nNA\n2\n"
        got = self.object("--bins", "1", "--skip-missing", stdin=table)
        self.assertEqual((got["counts"], got["skipped"]), ([2], 1))
        self.fails(3, "histogram", "--header", stdin=table, says="--skip-missing")

    def test_wrong_options(self):
        for args, says in [
            (["--bins", "0"], "--bins"),
            (["--bins", "x"], "--bins"),
            (["--range", "1"], "two finite numbers"),
            (["--range", "1,1"], "must ascend"),
            (["--range", "2,1"], "1 follows 2"),
            (["--range", "0,inf"], "two finite numbers"),
            (["--range", "0,nan"], "nan is not a border"),
            (["--range", "a,b"], "--range"),
            (["--range", "1e16,10000000000000002", "--bins", "20"], "fewer bins"),
            (["--levels", "0"], "at least two"),
            (["--levels", "0,1,1"], "1 follows 1"),
            (["--levels", "0,1", "--bins", "2"], "--bins"),
            (["--levels", "0,1", "--range", "0,1"], "--range"),
            (["--json", "--counts-only"], "--counts-only"),
            (["--weights", "w"], "--column"),
            (["--bin", "3"], "--bins"),
        ]:
            self.fails(2, "histogram", *args, stdin="1\n2\n", says=says)
        self.fails(2, "histogram", stdin="a,b\n1,2\n", says="--column")
        self.fails(2, "histogram", "-c", "a,b", stdin="a,b\n1,2\n", says="one column")

    def test_wrong_data(self):
        self.fails(3, "histogram", stdin="1\nx\n", says=":2:1")
        self.file("short.npy", npy("f64", [1.0, 2.0, 3.0])[:-4])
        self.fails(3, "histogram", "short.npy", says="truncated")
        self.fails(4, "histogram", "absent.txt", says="absent.txt")

    def test_a_full_disk_and_a_closed_pipe(self):
        for args in [[], ["--json"], ["--to", "csv"]]:
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [TOOL, "histogram", *args], input=b"1\n", stdout=full, stderr=subprocess.PIPE
                )
            self.assertEqual(done.returncode, 4, args)
            self.assertIn(b"No space left", done.stderr)
        line = f"seq 100000 | '{TOOL}' histogram --bins 100000 | head -1; echo ${{PIPESTATUS[1]}}"
        done = self.run_line(line)
        self.assertEqual((done.stdout.split()[-1], done.stderr), (b"141", b""))

    def page(self, name):
        """The tooltips of the bars in a page, and their heights in the picture."""
        with open(os.path.join(self.path, name), encoding="utf-8") as f:
            html = f.read()
        bars = re.findall(r'<rect .*?height="([\d.]+)"><title>(.*?)</title></rect>', html)
        return html, [title for _, title in bars], [float(height) for height, _ in bars]

    def test_a_page_has_a_bar_for_each_bin(self):
        x = [0, 0, 0, 1, 5, -1, 9, math.nan]
        args = ["--levels", "0,1,2,6", "--html", "h.html", "--list", "--dtype", "f64"]
        shown = self.text("histogram", *args, stdin=lines(x))
        self.assertIn("[0, 1)", shown)  # the bars are printed too
        html, titles, heights = self.page("h.html")
        self.assertEqual(titles, ["[0, 1): 3", "[1, 2): 1", "[2, 6): 1"])
        self.assertAlmostEqual(heights[0], 3 * heights[1], delta=0.1)
        self.assertIn("1 below the bins, 1 above the bins, 1 not a number (NaN).", html)
        self.assertIn("<tr><td>[2, 6)</td><td>1</td></tr>", html)
        for tag in ("html", "head", "body", "svg", "table"):
            self.assertEqual(html.count(f"<{tag}"), html.count(f"</{tag}>"), tag)

    def test_a_page_of_sums_below_zero_and_of_odd_names(self):
        self.file("<a>.csv", b"x & y,w\n1,-2\n2,4\n3,nan\n")
        self.text("histogram", "--column", "x & y", "--weights", "w", "--bins", "3", "--html",
                  "s.html", "<a>.csv")  # fmt: skip
        html, titles, heights = self.page("s.html")
        self.assertEqual([t.split(": ")[1] for t in titles], ["-2", "4"])  # NaN has no bar
        self.assertAlmostEqual(2 * heights[0], heights[1], delta=0.1)
        self.assertIn("<h1>Histogram of x &amp; y</h1>", html)
        self.assertIn("3 rows of &lt;a&gt;.csv, 3 bins, sum(w)", html)
        self.assertNotIn("<a>", html)

    def test_a_page_of_huge_and_of_no_heights(self):
        for sums in ["1e308,-1e308", "0,0", "5e-324,0"]:
            a, b = sums.split(",")
            self.text("histogram", "--column", "x", "--weights", "w", "--bins", "2", "--html",
                      "t.html", "--force", stdin=f"x,w\n1,{a}\n2,{b}\n")  # fmt: skip
            html, titles, heights = self.page("t.html")
            self.assertEqual(len(titles), 2, sums)
            self.assertTrue(all(0 <= h <= 340 for h in heights), f"{sums}: {heights}")
            self.assertNotRegex(html, r'="-?(nan|inf)"')

    def test_where_pages_go(self):
        page = self.text("histogram", "--bins", "2", "--html", "-", stdin="1\n2\n")
        self.assertTrue(page.startswith("<!doctype html>") and page.endswith("</html>\n"))
        self.text("histogram", "--html", "w.html", stdin="1\n")
        self.fails(4, "histogram", "--html", "w.html", stdin="1\n", says="--force")
        self.fails(2, "histogram", "--bins", "5001", "--html", "v.html", stdin="1\n",
                   says="at most 5000 bins")  # fmt: skip
        self.fails(2, "histogram", "--html", "v.html", "-o", "v.html", stdin="1\n",
                   says="same name")  # fmt: skip
        self.assertFalse(os.path.exists(os.path.join(self.path, "v.html")))


if __name__ == "__main__":
    unittest.main()
