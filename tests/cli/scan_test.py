"""upsweep scan: prefixes of tables and streams, against plain Python."""

import itertools
import json
import os
import random
import select
import statistics
import struct
import subprocess
import threading
import unittest

from support import (
    SEED,
    TOOL,
    ToolTest,
    add,
    lines,
    npy,
    numbers,
    prefix,
    prefixes,
    raw,
    read_npy,
    rounded,
)


class Scan(ToolTest):
    def column(self, op, values, *args):
        return self.text("scan", "--op", op, *args, stdin=lines(values)).split()

    def test_running_values(self):
        x = [3, -1, 4, 1, -5, 9, 2, 6]
        for op, f in [
            ("sum", lambda a, b: a + b),
            ("product", lambda a, b: a * b),
            ("min", min),
            ("max", max),
            ("last", lambda a, b: b),
            ("first", lambda a, b: a),
            ("bit-xor", lambda a, b: a ^ b),
            ("checked-sum", lambda a, b: a + b),
        ]:
            self.assertEqual(self.column(op, x), [str(v) for v in itertools.accumulate(x, f)], op)
        self.assertEqual(self.column("argmax", x), ["0", "0", "2", "2", "2", "5", "5", "5"])
        self.assertEqual(self.column("argmax", []), [])
        self.assertEqual(self.column("count", x), [str(i + 1) for i in range(8)])
        for i, v in enumerate(self.column("mean", x)):
            self.assertAlmostEqual(float(v), statistics.fmean(x[: i + 1]), places=12)
        self.assertEqual(self.column("any", [0, 2, 0]), ["false", "true", "true"])
        self.assertEqual(self.column("exact-sum", [1e16, 1.0, -1e16]), ["1e+16", "1e+16", "1"])

    def test_running_sums_of_floats_have_the_bits_of_the_combine_tree(self):
        x = numbers(700)
        self.assertEqual(
            [float(v) for v in self.column("sum", x)], prefixes(x, add("f64")), f"seed {SEED}"
        )

    def test_a_scan_ends_where_reduce_ends_whatever_the_threads_and_the_way_in(self):
        x = numbers(200000)
        self.file("x.npy", npy("f64", x))
        expected = self.run_tool("scan", "x.npy", "--threads", "1")
        self.assertEqual(read_npy(expected)[2][-1], prefix(x, add("f64")), f"seed {SEED}")
        self.assertEqual(self.run_tool("scan", "x.npy", "--threads", "3"), expected)
        self.assertEqual(
            self.run_tool("scan", "--to", "raw", stdin=lines(x)), expected[-8 * len(x) :]
        )
        self.assertEqual(
            self.run_tool("scan", "--from", "raw", "--dtype", "f64", stdin=raw("f64", x)),
            expected[-8 * len(x) :],
        )

    def test_exclusive(self):
        self.assertEqual(self.column("sum", [5, 6, 7], "--exclusive"), ["0", "5", "11"])
        self.assertEqual(
            self.column("sum", [5, 6, 7], "--exclusive", "--init", "100"), ["100", "105", "111"]
        )
        self.assertEqual(self.column("max", [5.0, 6.5], "--exclusive"), ["-inf", "5"])
        self.assertEqual(
            self.column("last", [5, 6, 7], "--exclusive", "--init", "-1"), ["-1", "5", "6"]
        )
        self.assertEqual(self.column("argmin", [5, 6], "--exclusive"), ["-1", "0"])
        for op in ["first", "last", "ema:0.5"]:
            self.fails(2, "scan", "--op", op, "--exclusive", stdin="1\n2\n", says="--init")

    def test_an_exclusive_maximum_of_a_narrow_type_begins_with_its_smallest_value(self):
        self.file("x.npy", npy("i8", [1, 2]))
        self.assertEqual(
            read_npy(self.run_tool("scan", "--op", "max", "--exclusive", "x.npy")),
            ("i8", (2,), [-128, 1]),
        )
        self.assertEqual(
            read_npy(self.run_tool("scan", "--op", "min", "--exclusive", "x.npy")),
            ("i8", (2,), [127, 1]),
        )

    def test_reverse(self):
        x = [3, 1, 4, 1, 5]
        self.assertEqual(self.column("sum", x, "--reverse"), ["14", "11", "10", "6", "5"])
        self.assertEqual(
            self.column("sum", x, "--reverse", "--exclusive"), ["11", "10", "6", "5", "0"]
        )
        self.assertEqual(self.column("argmin", x, "--reverse"), ["1", "1", "3", "3", "4"])
        self.assertEqual(self.column("argmin-last", x, "--reverse"), ["3", "3", "3", "3", "4"])
        y = numbers(150000)
        self.file("y.npy", npy("f64", y))
        got = read_npy(self.run_tool("scan", "--reverse", "y.npy"))[2]
        for start in [0, 1, 77777, 149990]:
            self.assertEqual(
                got[start], prefix(y[start:][::-1], add("f64")), f"from {start} seed {SEED}"
            )
        self.assertEqual(
            self.run_tool("scan", "--reverse", "--to", "raw", stdin=lines(y)), raw("f64", got)
        )
        self.assertEqual(self.text("scan", "--reverse", stdin=""), "")

    def test_recurrences(self):
        x = [8.0, 0.0, 4.0, 6.0]
        y = [x[0]]
        for v in x[1:]:
            y.append(0.75 * y[-1] + 0.25 * v)
        self.assertEqual([float(v) for v in self.column("ema:0.25", x)], y)
        self.assertEqual(self.column("ema:0.5", [4, 4], "--init", "0"), ["2", "3"])
        self.assertEqual(self.column("ema:0.5", [4, 4], "--init", "0", "--exclusive"), ["0", "2"])
        self.assertEqual(
            self.text(
                "scan",
                "--op",
                "affine",
                "--column",
                "b,a",
                "--init",
                "3",
                stdin="a,b\n1,2\n1,-1\n4,0\n",
            ),
            '"affine(b,a)"\n7\n-6\n4\n',
        )

    def test_matrix_products_keep_their_order(self):
        table = "a,b,c,d\n" + "1,1,1,0\n" * 5 + "2,0,1,1\n"
        got = [
            [int(v) for v in line.split(",")]
            for line in self.text(
                "scan", "--op", "matrix2x2", "-c", "a,b,c,d", stdin=table
            ).split()[1:]
            if "." not in line
        ]
        self.assertEqual(
            got[:5], [[1, 1, 1, 0], [2, 1, 1, 1], [3, 2, 2, 1], [5, 3, 3, 2], [8, 5, 5, 3]]
        )
        self.assertEqual(got[5], [8 * 2 + 5, 5, 5 * 2 + 3, 3])
        self.assertEqual(
            self.text("reduce", "--op", "matrix2x2", "-c", "a,b,c,d", "--to", "text", stdin=table),
            "21\t5\t13\t3\n",
        )

    def test_a_moving_average_of_ones_stays_at_one_for_a_million_rows(self):
        self.file("x.npy", npy("f64", [1.0] * 1000000))
        got = read_npy(self.run_tool("scan", "--op", "ema:0.1", "x.npy"))[2]
        self.assertLess(max(abs(v - 1) for v in got), 1e-12)

    def test_monotone_is_the_running_maximum_of_the_results_and_never_decreases(self):
        source = random.Random(SEED)
        n, width = 20000, 4
        x = [rounded("f32", source.lognormvariate(0, 3)) for _ in range(n)]
        self.file("x.npy", npy("f32", x))
        self.file("lines.npy", npy("f32", x, (n // width, width)))
        self.file("x.raw", raw("f32", x))
        self.file("x.csv", "k,x\n" + "".join(f"{i // 5000},{v!r}\n" for i, v in enumerate(x)))
        table = ["x.csv", "--dtype", "f32", "-c", "x", "--to", "raw"]

        def scanned(args):
            got = self.run_tool("scan", *args)
            return list(struct.unpack(f"<{n}f", got[-4 * n :]))

        def running_maximum(results, lines):
            out = [None] * n
            for line in lines:
                for i, v in zip(line, itertools.accumulate((results[i] for i in line), max)):
                    out[i] = v
            return out

        whole, columns = [range(n)], [range(c, n, width) for c in range(width)]
        groups = [range(g, g + 5000) for g in range(0, n, 5000)]
        backwards = lambda lines: [line[::-1] for line in lines]
        for args, lines in [
            (["x.npy"], whole),
            (["x.raw", "--dtype", "f32"], whole),
            (table, whole),
            (["x.npy", "--exclusive"], whole),
            (["x.npy", "--reverse"], backwards(whole)),
            ([*table, "--reverse"], backwards(whole)),
            (["lines.npy", "--axis", "0"], columns),
            (["lines.npy", "--axis", "0", "--reverse"], backwards(columns)),
        ]:
            plain, rising = scanned(args), scanned([*args, "--monotone"])
            self.assertTrue(
                any(plain[a] > plain[b] for line in lines for a, b in zip(line, line[1:])),
                f"{args} seed {SEED}",
            )
            self.same(rising, running_maximum(plain, lines), f"{args} seed {SEED}")
        by = ["scan", "--by", "k", *table[:-2]]
        column = lambda text: [float(line.split(",")[1]) for line in text.splitlines()[1:]]
        for args in [by, [*by, "--exclusive"]]:
            self.same(
                column(self.text(*args, "--monotone")),
                running_maximum(column(self.text(*args)), groups),
                f"{args} seed {SEED}",
            )

    def test_monotone_goes_on_in_the_next_chunk_and_for_each_column_by_itself(self):
        n = 300000
        table = "a,b\n" + "7,-1\n" + "-1,2\n" * n
        got = self.text(
            "scan", "--monotone", "--op", "sum,max", "-c", "a,b", stdin=table
        ).splitlines()
        self.same(
            got,
            ["sum(a),max(a),sum(b),max(b)", "7,7,-1,-1"]
            + [f"7,7,{2 * i - 1},2" for i in range(1, n + 1)],
            "rows",
        )

    def test_monotone_refuses_results_that_have_no_order(self):
        for op in ["argmax", "any", "bit-xor", "matrix2x2"]:
            self.fails(2, "scan", "--monotone", "--op", op, stdin="1 2\n", says=["--monotone", op])

    def test_output_takes_the_format_of_the_input_or_of_its_name(self):
        table = "day;x\n1;2\n2;3\n"
        self.assertEqual(
            self.text("scan", "-c", "x", "--from", "csv", stdin=table), "sum(x)\n2\n5\n"
        )
        self.assertEqual(
            self.text("scan", "-c", "x", "--keep", "day", "--from", "csv", stdin=table),
            "day;sum(x)\n1;2\n2;5\n",
        )
        self.assertEqual(
            self.text("scan", "-c", "2", "--from", "csv", "--no-header", stdin="1;2\n2;3\n"),
            "2\n5\n",
        )
        self.assertEqual(
            self.text("scan", "-c", "x", "--from", "csv", "--to", "text", stdin=table), "2\n5\n"
        )
        self.text("scan", "-c", "x", "--from", "csv", "-o", "out.npy", stdin=table)
        self.assertEqual(read_npy(self.content("out.npy")), ("i64", (2,), [2, 5]))
        self.file("in.f32", raw("f32", [1, 2]))
        self.assertEqual(self.run_tool("scan", "in.f32", "--dtype", "f32"), raw("f32", [1, 3]))
        self.assertEqual(
            self.run_tool(
                "scan",
                "--from",
                "raw",
                "--dtype",
                "i32",
                "--endian",
                "big",
                stdin=raw("i32", [1, 2], ">"),
            ),
            raw("i64", [1, 3], ">"),
        )

    def test_several_results(self):
        self.assertEqual(self.text("scan", "--op", "sum,max", stdin="1\n2\n"), "1\t1\n3\t2\n")
        self.assertEqual(
            self.text("scan", "--op", "minmax", "-c", "a,b", stdin="a,b\n1,2\n0,5\n"),
            "min(a),max(a),min(b),max(b)\n1,1,2,2\n0,1,2,5\n",
        )
        self.assertEqual(
            read_npy(self.run_tool("scan", "--op", "sum,max", "--to", "npy", stdin="1\n2\n")),
            ("i64", (2, 2), [1, 1, 3, 2]),
        )

    def test_json_is_an_object_a_row(self):
        got = self.text(
            "scan", "--json", "--op", "sum,mean", "-c", "x", "--keep", "k", stdin="k,x\na,1\nb,2\n"
        ).splitlines()
        self.assertEqual(
            [json.loads(line) for line in got],
            [{"k": "a", "sum(x)": 1, "mean(x)": 1.0}, {"k": "b", "sum(x)": 3, "mean(x)": 1.5}],
        )

    def test_checked_sums_name_the_row_that_overflows(self):
        self.fails(
            6,
            "scan",
            "--op",
            "checked-sum",
            "-o",
            "out.txt",
            stdin=lines([2**63 - 2, 1, 1]),
            says=["row 2", "overflows i64"],
        )
        self.assertEqual(os.listdir(self.path), [])

    def test_narrow_types_widen_or_stay(self):
        self.file("x.npy", npy("f16", [rounded("f16", 0.1)] * 3))
        h = rounded("f16", 0.1)
        self.assertEqual(
            read_npy(self.run_tool("scan", "x.npy")), ("f32", (3,), prefixes([h] * 3, add("f32")))
        )
        self.file("y.npy", npy("u8", [200, 100]))
        self.assertEqual(read_npy(self.run_tool("scan", "y.npy")), ("u64", (2,), [200, 300]))

    def test_a_slow_pipe_shows_each_result_at_once(self):
        with subprocess.Popen(
            [TOOL, "scan"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as tool:
            watchdog = threading.Timer(
                60, tool.kill
            )  # keeps a delayed result from blocking the tests
            watchdog.start()
            got = []
            for text in [b"1\n", b"2\n3\n", b"0.5\n", b"4\n"]:
                tool.stdin.write(text)
                tool.stdin.flush()
                got += [tool.stdout.readline() for _ in text.splitlines()]
            tool.stdin.close()
            watchdog.cancel()
        self.assertEqual(got, [b"1\n", b"3\n", b"6\n", b"6.5\n", b"10.5\n"])

    def test_a_pipe_gives_what_the_file_gives_where_decimals_come_late(self):
        table = (
            "k,x,n\n"
            + "".join(f"{i // 100000},{i},{i % 7}\n" for i in range(200000))
            + "2,0.5,3\n2,-7,4\n"
        )
        self.assertGreater(len(table), 3 << 19, "far behind the sample")
        self.file("t.csv", table)
        every = "sum,max,argmax,mean,count,minmax,any"
        for args in [
            ["reduce", "-c", "x,n", "--op", every],
            ["reduce", "-c", "x,n", "--by", "k", "--op", every],
            ["reduce", "--op", "affine", "-c", "n,x"],
            ["scan", "-c", "x,n", "--op", every],
            ["scan", "-c", "n,x", "--by", "k", "--exclusive", "--init", "2"],
        ]:
            self.assertEqual(
                self.text(*args, "--from", "csv", stdin=table), self.text(*args, "t.csv"), args
            )
        self.assertEqual(self.text("reduce", stdin="1\n" * 600000 + "0.5\n"), "600000.5\n")
        for args in [
            ["reduce", "-c", "x", "--op", "gcd"],
            ["reduce", "-c", "x", "--op", "checked-sum"],
        ]:
            self.fails(2, *args, "--from", "csv", stdin=table, says="takes integers")

    def test_a_relative_fall_of_zero_below_a_negative_value_has_no_sign(self):
        for rows in ("-5\n-3\n", "-5\n-3\n0.5\n", "-5.5\n-3\n"):
            got = self.text("scan", "--op", "relative-drawdown", stdin=rows)
            self.assertEqual(set(got.split()), {"0"}, rows)

    def test_decimals_after_integers_that_they_would_have_rounded_are_an_error(self):
        late = "1\n" * 600000 + "0.5\n"
        self.assertEqual(
            self.text("reduce", stdin=f"{2**53 + 1}\n{late}"), f"{2.0**53 + 600000:.0f}\n"
        )
        self.text("scan", "-o", "out.txt", stdin=f"{2**53 - 600000}\n{late}")
        self.fails(
            3,
            "scan",
            "-o",
            "over.txt",
            stdin=f"{2**53 + 1}\n{late}",
            says=["above 2^53", "--dtype f64"],
        )
        self.fails(3, "scan", "-o", "out.npy", stdin=late, says=[":600001:1: '0.5'", "--dtype f64"])
        self.text("scan", "-o", "f64.npy", "--dtype", "f64", stdin=late)

    def test_results_come_while_the_input_is_still_open(self):
        with subprocess.Popen(
            [TOOL, "scan"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.path
        ) as tool:
            feeder = threading.Thread(
                target=lambda: (tool.stdin.write(b"1\n" * 600000), tool.stdin.flush())
            )
            feeder.start()  # more than the sample that determines the type
            seen = b""
            while seen.count(b"\n") < 600000:
                ready, _, _ = select.select([tool.stdout], [], [], 20)
                self.assertTrue(ready, "results did not come before the input ended")
                seen += os.read(tool.stdout.fileno(), 1 << 16)
            feeder.join()
            rest, _ = tool.communicate(b"5\n")
            self.assertEqual((seen + rest).split()[-1], b"600005")


if __name__ == "__main__":
    unittest.main()
