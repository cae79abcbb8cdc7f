"""upsweep check: rounding against the exact sum, the effect of order, overflow and its row."""

import json
import math
import unittest

from support import SEED, ToolTest, add, lines, npy, numbers, prefix, rounded


class Check(ToolTest):
    def sums(self, *args, stdin="", status=0):
        got = json.loads(self.text("check", "--json", *args, stdin=stdin, status=status))
        return [{s["order"]: s for s in column["sums"]} for column in got["columns"]]

    def test_compares_every_order_with_the_correctly_rounded_sum(self):
        x = numbers(3000)
        [sums] = self.sums("--seed", "7", stdin=lines(x))
        exact = math.fsum(x)

        def loop(values):
            total = values[0]
            for v in values[1:]:
                total += v
            return total

        self.assertEqual(float(sums["exact"]["sum"]), exact, f"seed {SEED}")
        for order, value in [
            ("tree", prefix(x, add("f64"))),
            ("left to right", loop(x)),
            ("right to left", loop(x[::-1])),
            ("ascending", loop(sorted(x))),
            ("growing magnitude", loop(sorted(x, key=abs))),
        ]:
            self.assertEqual(float(sums[order]["sum"]), value, f"{order} seed {SEED}")
            self.assertEqual(float(sums[order]["error"]), value - exact, order)
            self.assertEqual(
                float(sums[order]["ulps"]), abs(value - exact) / math.ulp(exact), order
            )
        self.assertEqual(
            [o for o in sums if o.startswith("shuffle")],
            [f"shuffle {i} of seed 7" for i in (1, 2, 3)],
        )
        self.assertEqual(self.sums("--seed", "7", stdin=lines(x)), [sums])
        shuffled = lambda s: [s[o]["sum"] for o in s if o.startswith("shuffle")]
        self.assertNotEqual(shuffled(self.sums("--seed", "8", stdin=lines(x))[0]), shuffled(sums))

    def test_a_sum_that_lost_its_digits_is_wrong(self):
        text = self.text("check", stdin="1e16\n1\n-1e16\n", status=1)
        self.assertIn("more than half of the digits are lost", text)
        self.assertEqual(self.errors, "")
        self.text("check", "--tolerance", "2", stdin="1e16\n1\n-1e16\n")
        self.text("check", "--tolerance", "1e-18", stdin="0.1\n0.2\n0.3\n", status=1)
        self.text("check", stdin="0.1\n0.2\n0.3\n")

    def test_float32_sums_that_stop_growing_are_found(self):
        n = 2**24 + 200000  # of ones: the loop stops at 2^24, the tree does not
        self.file("ones.npy", npy("f32", [1.0] * n))
        [sums] = self.sums("--shuffles", "0", "ones.npy", status=1)
        self.assertEqual(float(sums["exact"]["sum"]), rounded("f32", n))
        self.assertEqual(sums["tree"]["error"], "0")
        self.assertEqual(float(sums["left to right"]["sum"]), 2**24)
        self.assertIn("half of the digits", sums["left to right"]["remark"])

    def test_integer_overflow_has_its_row(self):
        [sums] = self.sums("--dtype", "i8", stdin="100\n27\n1\n-1\n", status=6)
        self.assertEqual(
            (sums["exact"]["sum"], sums["in i8"]["sum"], sums["in i8"]["remark"]),
            ("127", "127", "overflows at row 2"),
        )
        self.assertEqual(sums["in i64"]["remark"], "")
        [sums] = self.sums(stdin=lines([2**63 - 1, 2**63 - 1, 5]), status=6)
        self.assertEqual(
            (sums["exact"]["sum"], sums["in i64"]["sum"], sums["in i64"]["remark"]),
            (str(2**64 + 3), "3", "overflows at row 1"),
        )
        [sums] = self.sums("--dtype", "u8", stdin="100\n100\n")
        self.assertEqual(sums["in u8"]["remark"], "")

    def test_values_that_are_no_numbers_are_counted(self):
        [sums] = self.sums(stdin="1.5\nnan\ninf\nnan\n")
        self.assertEqual(
            (sums["NaN values"]["sum"], sums["NaN values"]["remark"]), ("2", "first at row 1")
        )
        self.assertEqual(
            (sums["infinite values"]["sum"], sums["infinite values"]["remark"]),
            ("1", "first at row 2"),
        )
        self.assertEqual(sums["tree"]["sum"], "nan")

    def test_rows_have_their_number_in_the_file_where_values_are_skipped(self):
        text = f"1\nNA\n{2**63 - 1}\n5\n"
        [sums] = self.sums("--skip-missing", stdin=text, status=6)
        self.assertEqual(sums["in i64"]["remark"], "overflows at row 2")
        [sums] = self.sums("--skip-missing", stdin="1.5\nNA\nNA\nnan\n")
        self.assertEqual(sums["NaN values"]["remark"], "first at row 3")

    def test_an_intermediate_overflow_to_infinity_is_wrong(self):
        [sums] = self.sums(
            "--shuffles", "0", stdin="1.7e308\n1.7e308\n-1.7e308\n-1.7e308\n", status=1
        )
        self.assertEqual(
            (sums["exact"]["sum"], sums["left to right"]["sum"], sums["left to right"]["error"]),
            ("0", "inf", "inf"),
        )

    def test_several_columns_and_no_rows(self):
        self.assertEqual(len(self.sums("-c", "a,b", stdin="a,b\n1,2.5\n2,3\n")), 2)
        [sums] = self.sums(stdin="")
        self.assertEqual(sums["exact"]["sum"], "0")


if __name__ == "__main__":
    unittest.main()
