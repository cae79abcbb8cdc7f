"""upsweep reduce: every operator, format and option, against plain Python."""

import functools
import itertools
import json
import math
import operator
import random
import re
import statistics
import unittest

from support import SEED, ToolTest, add, lines, npy, numbers, prefix, raw, read_npy, rounded


class Reduce(ToolTest):
    def one(self, op, values, *args):
        return self.text("reduce", "--op", op, *args, stdin=lines(values)).rstrip("\n")

    def test_integers_by_every_operator_that_takes_them(self):
        x = [12, -7, 12, 30, -7, 18]
        expected = {
            "sum": sum(x),
            "product": math.prod(x),
            "min": min(x),
            "max": max(x),
            "min-number": min(x),
            "max-number": max(x),
            "first": 12,
            "last": 18,
            "argmin": 1,
            "argmin-last": 4,
            "argmax": 3,
            "argmax-last": 3,
            "count": 6,
            "bit-and": functools.reduce(operator.and_, x),
            "bit-or": functools.reduce(operator.or_, x),
            "bit-xor": functools.reduce(operator.xor, x),
            "gcd": math.gcd(*x),
            "checked-sum": sum(x),
            "checked-product": math.prod(x),
        }
        for op, value in expected.items():
            self.assertEqual(self.one(op, x), str(value), op)
        self.assertEqual(self.one("argmax-last", [1, 5, 5, 2]), "2")
        self.assertEqual(self.one("argmax", [1, 5, 5, 2]), "1")
        self.assertEqual(self.one("minmax", x), "-7\t30")
        self.assertEqual(self.one("moments", [1, 2, 3, 4]), "4\t2.5\t1.25")
        self.assertAlmostEqual(float(self.one("mean", x)), statistics.fmean(x), places=14)
        self.assertAlmostEqual(float(self.one("var", x)), statistics.pvariance(x), places=10)
        self.assertAlmostEqual(float(self.one("std", x)), statistics.pstdev(x), places=12)
        self.assertAlmostEqual(float(self.one("sample-var", x)), statistics.variance(x), places=10)
        self.assertAlmostEqual(float(self.one("sample-std", x)), statistics.stdev(x), places=12)

    def test_every_operator_gives_the_result_of_its_example(self):
        listed = json.loads(self.text("list", "operators", "--json"))["operators"]
        examples = {o["name"]: o["example"] for o in listed if "example" in o}
        self.assertGreater(len(examples), 25)
        for op, example in examples.items():
            values = example["values"].split()
            columns = ",".join(str(1 + i) for i in range(1 + values[0].count(",")))
            stdin = "".join(value + "\n" for value in values).encode()
            result = self.text("reduce", "--op", op, "--column", columns, stdin=stdin)
            values, expected = (
                re.split("[ ,\t\n]+", r.strip()) for r in (result, example["result"])
            )
            self.assertEqual(values, expected, op)

    def test_truth_values(self):
        for op, x, value in [
            ("all", [1, 2], "true"),
            ("all", [1, 0], "false"),
            ("any", [0, 0], "false"),
            ("any", [0, -3], "true"),
            ("parity", [1, 0, 5], "false"),
            ("parity", [1, 1, 5], "true"),
        ]:
            self.assertEqual(self.one(op, x), value, (op, x))
        self.assertEqual(
            self.text("reduce", "--op", "all,any", stdin="true\nfalse\n"), "false\ttrue\n"
        )

    def test_float_sums_have_the_bits_of_the_combine_tree(self):
        for n in [1, 2, 3, 7, 64, 100, 1023, 5000]:
            x = numbers(n)
            self.assertEqual(self.one("sum", x), repr(prefix(x, add("f64"))), f"n {n} seed {SEED}")

    def test_narrow_floats_combine_in_f32(self):
        for dtype in ["f16", "f32"]:
            x = [rounded(dtype, v) for v in numbers(3000, spread=4)]
            self.file("x.raw", raw(dtype, x))
            got = float(self.text("reduce", "x.raw", "--dtype", dtype))
            self.assertEqual(rounded("f32", got), prefix(x, add("f32")), f"{dtype} seed {SEED}")

    def test_bits_do_not_depend_on_threads_or_on_how_the_input_comes(self):
        x = numbers(300000)
        self.file("x.npy", npy("f64", x))
        self.file("x.raw", raw("f64", x))
        self.file("x.txt", lines(x))
        ops = "sum,product,mean,std,log-sum-exp,ema:0.25"
        expected = self.text("reduce", "--op", ops, "--threads", "1", "x.npy")
        for args, stdin in [
            (["x.npy"], ""),
            (["x.txt"], ""),
            (["x.raw", "--dtype", "f64"], ""),
            (["--threads", "3", "x.npy"], ""),
            (["-", "--from", "text"], lines(x)),
            ([], npy("f64", x)),
        ]:
            self.assertEqual(self.text("reduce", "--op", ops, *args, stdin=stdin), expected, args)

    def test_exact_sum_is_correctly_rounded(self):
        x = numbers(20000, spread=40) + [1e16, 1.0, -1e16]
        self.assertEqual(self.one("exact-sum", x), repr(math.fsum(x)), f"seed {SEED}")

    def test_log_sum_exp_of_large_values_does_not_overflow(self):
        self.assertAlmostEqual(
            float(self.one("log-sum-exp", [1000, 1000.5, 999])),
            1000 + math.log(1 + math.exp(0.5) + math.exp(-1)),
            places=12,
        )

    def test_a_moving_average_reduces_to_its_last_value(self):
        y, x = 8.0, [8, 0, 4, 6]
        for v in x[1:]:
            y = 0.75 * y + 0.25 * v
        self.assertEqual(float(self.one("ema:0.25", x)), y)

    def test_a_recurrence_of_two_columns(self):
        table = "a,b\n2,1\n3,5\n-1,4\n"
        self.assertEqual(
            self.text("reduce", "--op", "affine", "--column", "a,b", "--init", "10", stdin=table),
            f"{-1 * (3 * (2 * 10 + 1) + 5) + 4}\n",
        )
        self.assertEqual(
            self.text("reduce", "--op", "affine", "--column", "a,b", "--json", stdin=table).count(
                '"a,b"'
            ),
            1,
        )

    def test_text_is_concatenated(self):
        table = 'name,x\nann,1\n"b, c",2\n'
        self.assertEqual(
            self.text("reduce", "--op", "concat:;", "--column", "name", stdin=table), "ann;b, c\n"
        )
        self.assertEqual(
            self.text("reduce", "--op", "concat", "--column", "1", "--from", "csv", stdin=table),
            "annb, c\n",
        )

    def test_several_columns_and_operators_make_a_table_with_a_header(self):
        table = "day,rain,temp\n1,0.5,3\n2,2,-1\n"
        self.assertEqual(
            self.text("reduce", "--op", "sum,max", "-c", "rain,temp", stdin=table),
            "sum(rain),max(rain),sum(temp),max(temp)\n2.5,2,2,3\n",
        )
        self.assertEqual(
            self.text("reduce", "--op", "sum", "-c", "rain", "-c", "3", "--to", "tsv", stdin=table),
            "sum(rain)\tsum(temp)\n2.5\t2\n",
        )
        self.assertEqual(self.text("reduce", "--op", "sum", "-c", "rain", stdin=table), "2.5\n")

    def test_json_has_every_result_with_its_type(self):
        table = "a,b\n1,0.1\n2,nan\n"
        got = json.loads(
            self.text("reduce", "--json", "--op", "sum,argmax,minmax", "-c", "a,b", stdin=table)
        )
        self.assertEqual(
            list(got), ["upsweep", "tree", "mode", "input", "format", "rows", "skipped", "results"]
        )
        self.assertEqual(
            (got["tree"], got["mode"], got["rows"], got["format"]), (1, "reproducible", 2, "csv")
        )
        self.assertEqual(
            [(r["op"], r["column"], r["dtype"], r["value"]) for r in got["results"]],
            [
                ("sum", "a", "i64", 3),
                ("argmax", "a", "i64", 1),
                ("min", "a", "i64", 1),
                ("max", "a", "i64", 2),
                ("sum", "b", "f64", "nan"),
                ("argmax", "b", "i64", 1),
                ("min", "b", "f64", "nan"),
                ("max", "b", "f64", "nan"),
            ],
        )

    def test_f32_values_in_json_are_the_shortest_that_read_back_equal(self):
        got = self.text("reduce", "--json", "--op", "max", "--dtype", "f32", stdin="0.1\n")
        self.assertIn('"dtype":"f32","value":0.1}', got)

    def test_an_initial_value_is_combined_on_the_left(self):
        self.assertEqual(self.one("sum", [1, 2], "--init", "10"), "13")
        self.assertEqual(self.one("sum", [1, 2], "--init=-10"), "-7")
        self.assertEqual(self.one("max", [1, 2], "--init", "10"), "10")
        self.assertEqual(self.one("exact-sum", [0.5, 2], "--init", "0.25"), "2.75")
        self.assertEqual(self.one("all", [1, 2], "--init", "false"), "false")
        self.assertEqual(self.one("ema:0.5", [4], "--init", "8"), "6")
        self.assertEqual(self.text("reduce", "--op", "max", "--init", "7", stdin=""), "7\n")

    def test_texts_and_rows_have_no_initial_value(self):
        table = "day,x\n2015-01-02,3\n2015-02-03,4\n"
        for op in ["max:day", "last:day", "distinct:day", "count:day", "concat:;:day", "count"]:
            for flags in [[], ["--by", "x"]]:
                self.fails(
                    2,
                    *("reduce", "--op", op, "--init", "9999", *flags),
                    stdin=table,
                    says="takes no initial value; omit --init",
                )

    def test_narrow_integers_combine_as_they_are_and_their_sums_do_not_wrap(self):
        source = random.Random(SEED)
        for dtype, low, high in [
            ("i8", -128, 127),
            ("u8", 0, 255),
            ("i16", -(2**15), 2**15 - 1),
            ("u16", 0, 2**16 - 1),
            ("i32", -(2**31), 2**31 - 1),
            ("u32", 0, 2**32 - 1),
        ]:
            x = [low, high] + [source.randint(low, high) for _ in range(70000)] + [high] * 300
            self.file("x.npy", npy(dtype, x))
            fold = lambda f: functools.reduce(f, x)
            self.assertEqual(
                self.text(
                    "reduce", "--op", "sum,min,max,bit-and,bit-or,bit-xor,mean", "x.npy"
                ).split()[:6],
                [
                    str(v)
                    for v in [
                        sum(x),
                        low,
                        high,
                        fold(operator.and_),
                        fold(operator.or_),
                        fold(operator.xor),
                    ]
                ],
                f"{dtype} seed {SEED}",
            )
            initial = -70000 if low < 0 else 70000
            self.assertEqual(
                self.text("reduce", f"--init={initial}", "x.npy"), f"{initial + sum(x)}\n", dtype
            )
            self.same(
                read_npy(self.run_tool("scan", "x.npy"))[2], list(itertools.accumulate(x)), dtype
            )

    def test_nothing_at_all_is_the_identity_or_an_error(self):
        for op, value in [
            ("sum", "0"),
            ("product", "1"),
            ("count", "0"),
            ("mean", "nan"),
            ("exact-sum", "0"),
            ("log-sum-exp", "-inf"),
            ("all", "true"),
            ("any", "false"),
        ]:
            self.assertEqual(self.one(op, []), value, op)
        for op in ["min", "max", "first", "last", "max-number", "ema:0.5"]:
            self.fails(3, "reduce", "--op", op, stdin="", says=["there are no values", "--init"])
            self.text("reduce", "--op", op, "--init", "1", stdin="")
        for op in [
            "argmin",
            "argmax-last",
        ]:  # the message must not suggest --init, which they reject
            self.fails(
                3,
                "reduce",
                "--op",
                op,
                stdin="",
                says=["there are no values", "give at least one value"],
            )

    def test_integers_wrap_in_64_bits_and_checked_operators_refuse_to(self):
        big = [2**63 - 1, 1]
        self.assertEqual(self.one("sum", big), str(-(2**63)))
        for name, numbers, row in [("sum", big, 1), ("product", [2**40, 2**20, 8, 0], 2)]:
            says = [f"the {name} overflows i64 at row {row} ", f"--op {name} wraps"]
            self.fails(6, "reduce", "--op", f"checked-{name}", stdin=lines(numbers), says=says)
        self.fails(
            6,
            "reduce",
            "--op",
            "checked-sum",
            "--init",
            str(2**63 - 1),
            stdin="0\n1\n",
            says="row 1",
        )
        self.assertEqual(self.one("checked-sum", [2**63 - 1, 0, -5]), str(2**63 - 6))

    def test_overflow_far_into_a_stream_names_its_row(self):
        x = [1] * 400000
        x[300001] = 2**63 - 1
        self.file("x.npy", npy("i64", x))
        self.fails(6, "reduce", "--op", "checked-sum", "x.npy", says="row 300001")
        self.fails(6, "reduce", "--op", "checked-sum", stdin=lines(x), says="row 300001")

    def test_special_values(self):
        self.assertEqual(self.one("max", [1.5, float("nan")]), "nan")
        self.assertEqual(self.one("max-number", [1.5, float("nan")]), "1.5")
        self.assertEqual(self.one("sum", [-0.0, -0.0]), "-0")
        self.assertEqual(self.one("min", [0.0, -0.0]), "-0")
        self.assertEqual(self.one("sum", [float("inf"), 1.0]), "inf")
        self.assertEqual(self.one("sum", [float("inf"), float("-inf")]), "nan")

    def test_numbers_are_the_shortest_that_read_back_equal(self):
        self.assertEqual(self.one("sum", [0.1, 0.2]), "0.30000000000000004")
        self.assertEqual(self.one("sum", [10**18, 1]), "1000000000000000001")
        self.assertEqual(self.text("reduce", "--number-format", "%.2f", stdin="1.239\n"), "1.24\n")

    def test_types_of_results(self):
        def dtype(op, type_in):
            self.file("x.npy", npy(type_in, [1, 0]))
            return json.loads(self.text("reduce", "--json", "--op", op, "x.npy"))["results"][0][
                "dtype"
            ]

        for op, type_in, type_out in [
            ("sum", "i8", "i64"),
            ("sum", "u16", "u64"),
            ("sum", "bool", "u64"),
            ("sum", "f16", "f32"),
            ("max", "i8", "i8"),
            ("max", "bool", "bool"),
            ("bit-xor", "u16", "u16"),
            ("gcd", "i32", "u64"),
            ("mean", "f32", "f64"),
            ("argmax", "f32", "i64"),
            ("all", "f64", "bool"),
            ("exact-sum", "f32", "f32"),
            ("exact-sum", "i32", "f64"),
            ("last", "i16", "i16"),
            ("ema:0.5", "f32", "f32"),
        ]:
            self.assertEqual(dtype(op, type_in), type_out, (op, type_in))

    def test_fast_mode_is_accepted_and_right(self):
        x = [float(v) for v in range(1000)]
        self.assertEqual(self.one("sum", x, "--mode", "fast"), "499500")


if __name__ == "__main__":
    unittest.main()
