"""Pieces of a table or an array that are reduced apart, joined and continued. What comes of them is
compared with one `upsweep reduce` or `upsweep scan` of the whole.
"""

import base64
import fractions
import gzip
import itertools
import os
import random
import statistics
import struct
import unittest
import zlib

from support import SEED, ToolTest, npy, numbers
from support import lines as lines_of

OPS = (
    "sum:x,exact-sum:x,product:x,mean:x,std:x,ema:0.1:x,min:x,argmax:x,argmin-last:x,first:x,"
    "last:x,recurrence:0.5:0.25:x,sum:k as total,max:k,mean:k,count,min:day,last:day,"
    "distinct:day,distinct:x,concat:+:day"
)


def table(n, seed=SEED, late=False):
    """The header and the lines of a table; with `late` only the last value of k has decimals."""
    source = random.Random(seed)
    lines = []
    for i, x in enumerate(numbers(n, seed)):
        k = source.randint(-50, 50) + (0.5 if late and i == n - 1 else 0)
        lines.append(f"{x!r},{k},2015-{source.randint(1, 9):02}-01,{source.choice('abc')}\n")
    return "x,k,day,g\n", lines


# Parts of the rows a,1.5; b,0.1; a,2; b,3e10 that the first version wrote, and that must be
# readable for ever. They were alone in their files, and did not say how many groups they have.
FIRST_PARTS = {
    "sum(x),mean(x),max(x),first(g)\n30000000003.6,7500000000.900001,30000000000,a\n": (
        b"eNqtUr1OG0EQPkMqCkRPg6ZeozOyKLYDpYvyBJZlbew5e8Xt3WZ/8FnIr5DXSEoegURCoqanpEVIlDTM3p7tYA"
        b"JEUba4nb/v25n5zms7RdR7WhgnRW63WkkredhI6nMGPqaBQ7rf2U+BgSmnFngvZd0+A3sitcYR8JQS+NWjdZTr"
        b"Qbtdaqq1XvGKKRRFuERF30wa6/gY+ixUfZlRVWMPy9yrYuXnksiW3sjNNK7c8HBbSWtlMV6LhgbbU+kmL/O/B6"
        b"h7X+hcDEP7GU2ODKgd3qNEbCWMeQaFUEjjVwSKPXDIDrvkTYQdnIqcZgbujMc5AR1WLsAgDAhKzAZTOcIiFjAo"
        b"vEIjh4NSoxGuNM9eoGURK+lArkNDEVh00rxfugnWGOIWNhYIWng6Z0uWsOz/QSOqf2Zp9vDnKWv936Aev0dt0P"
        b"q8XnIvqpaSttHqLK0DsuqVp0HnrDQq4GFoT4OMmEsl49MsCIliFJxaxF/xz09+JG+fD82919yttfg42z7/dv94"
        b"tHl7fXPx6fjja/idNXxW43aP/7aeTl3fWgTEIvzzjn/furr8/AT/WQkg"
    ),
    "g,exact-sum(x),count\na,3.5,2\nb,30000000000.1,2\n": (
        b"eNrNUs1Kw0AQTsWLgj8oePEie05KhOIhd0F8hVLqNpk0i9nsuj9NSvEVfJOCj6Zv4Gx+atWW3qRzynwz8803X9"
        b"ZKXQLIG0mVYTTXxz2v5z0eeHUsiG3KJCJh/7YfEp8oUWoSDUN/MPKJfmZSQkKiEAvwYkEbrA1JEAiJvVDR2ATa"
        b"8qjyY2ELQ0a+K07mWJy2SSxyywsE2jxnSLLKEjOX8J26hQFnWrNi+gt1woKSmexvfR1A1baQOY2dbKMs+ATlRM"
        b"NaD2nEuAMXpKAc8PAKxxoVEUnvBphlVI9nNMdrG4ZXHDRQGb2i4XQ+LlkCRbeisBwUi8dCgqJGqB8bVjYhN/4H"
        b"BA0oxEmnp1UhTAb1JG6gummgaHjYCdhM3zi/nXojs6NUoG1eXzVM8WmAH6Kd9T2hszEVirv1JNYz5xHkjLOG3n"
        b"cuAU1cUjvUax6UR5/ar4cO2RLtC/Ru2r4d7f8cp3uj5My78M7X/Oqi82uyy/Bu8HA/Dc/SOrz3t4/rPTH8cqPh"
        b"n0cns+XV8v4L4hrL5w=="
    ),
}


def with_checksum(body):
    """The bytes of a part that ends with its checksum, FNV-1a."""
    sum_of = 0xCBF29CE484222325
    for byte in body:
        sum_of = (sum_of ^ byte) * 0x100000001B3 % 2**64
    return bytes(body) + struct.pack("<Q", sum_of)


class PieceTool(ToolTest):
    def part(self, begin, content, *args, suffix="csv"):
        """The partial of a piece whose first row is row `begin` of the whole."""
        name = f"{begin}-{len(os.listdir(self.path))}"
        self.file(f"{name}.{suffix}", content)
        self.run_tool(
            "reduce", *args, "--partial", f"{name}.part", "--from-row", str(begin),
            f"{name}.{suffix}",
        )  # fmt: skip
        return f"{name}.part"

    def parts(self, header, lines, cuts, *args, suffix="csv"):
        ends = [0, *cuts, len(lines)]
        return [
            self.part(a, header + "".join(lines[a:b]), *args, suffix=suffix)
            for a, b in itertools.pairwise(ends)
        ]

    def whole(self, header, lines, *args):
        return self.text("reduce", *args, self.file("whole.csv", header + "".join(lines)))


class PiecesTest(PieceTool):
    def test_runs_of_texts_go_on_in_the_next_piece(self):
        days = ["b", "b", "a", "a", "b", "b"]
        runs = str(len(list(itertools.groupby(days)))) + "\n"
        lines = [f"{day}\n" for day in days]
        for cuts in itertools.combinations_with_replacement(range(7), 2):
            parts = self.parts("k\n", lines, cuts, "--op", "run:k")
            self.assertEqual(self.text("merge", *reversed(parts)), runs, cuts)

    def test_a_small_table_can_be_cut_at_every_two_rows(self):
        header, lines = table(7)
        expected = self.whole(header, lines, "--op", OPS)
        made = {
            (a, b): self.part(a, header + "".join(lines[a:b]), "--op", OPS)
            for a in range(8)
            for b in range(a, 8)
        }
        for a, b in itertools.combinations_with_replacement(range(8), 2):
            parts = [made[b, 7], made[0, a], made[a, b]]
            self.assertEqual(self.text("merge", *parts), expected, (a, b))

    def test_random_pieces_join_in_any_order_and_grouping(self):
        source = random.Random(SEED)
        for n, late in ((0, False), (1, False), (999, False), (2500, True)):
            header, lines = table(n, seed=n, late=late)
            ops = "sum:x,count,mean:k" if n == 0 else OPS
            expected = self.whole(header, lines, "--op", ops)
            cuts = sorted(source.choices(range(n + 1), k=6))
            parts = self.parts(header, lines, cuts, "--op", ops)
            joined = set()
            for _ in range(3):
                source.shuffle(parts)
                self.assertEqual(self.text("merge", *parts), expected, (n, cuts))
            for k in range(1, 6):
                in_order = sorted(parts, key=lambda name: int(name.split("-")[1].split(".")[0]))
                self.run_tool("merge", "--partial", "left", *in_order[:k], "--force")
                self.run_tool("merge", "--partial", "right", *in_order[k:], "--force")
                self.run_tool("merge", "--partial", "all", "right", "left", "--force")
                joined.add(self.content("all"))
                self.assertEqual(self.text("merge", "all"), expected)
            self.assertEqual(len(joined), 1, "the bytes of what is joined depend on the grouping")

    def test_the_results_are_written_as_those_of_the_whole(self):
        header, lines = table(40)
        for args in ([], ["--op", "max:k"], ["--op", "sum:x,count"], ["--no-header"]):
            columns = [] if "--op" in args else ["-c", "2"]
            head = "" if "--no-header" in args else header
            parts = self.parts(head, lines, [11], *args, *columns)
            for out in ([], ["--to", "tsv"], ["--number-format", "%.3f"], ["--to", "npy"]):
                if out == ["--to", "npy"] and "sum:x,count" in args:
                    continue  # two types
                whole = self.file("whole.csv", head + "".join(lines))
                expected = self.run_tool("reduce", *args, *columns, whole, *out)
                self.assertEqual(self.run_tool("merge", *parts, *out), expected, (args, out))
        got = self.text("merge", *parts, "--json").replace("2 parts", "whole.csv")
        self.assertEqual(got, self.text("reduce", *args, *columns, "whole.csv", "--json"))

    def test_other_formats_and_types(self):
        x = numbers(500)
        for dtype, op in (("f32", "sum,moments"), ("f64", "sum"),
                          ("i16", "sum,min,gcd,bit-xor,bit-and"),
                          ("f16", "sum,max"), ("bool", "any,parity")):  # fmt: skip
            values = [int(a * 100) % 100 for a in x] if dtype in ("i16", "f16") else x
            values = [bool(int(a) % 2) for a in x] if dtype == "bool" else values
            expected = self.text("reduce", "--op", op, self.file("whole.npy", npy(dtype, values)))
            parts = [
                self.part(a, npy(dtype, values[a:b]), "--op", op, suffix="npy")
                for a, b in ((0, 130), (130, 131), (131, 500))
            ]
            self.assertEqual(self.text("merge", *reversed(parts)), expected, dtype)
        packed = [
            self.part(a, gzip.compress("".join(f"{v!r}\n" for v in x[a:b]).encode()), suffix="gz")
            for a, b in ((0, 77), (77, 500))
        ]
        expected = self.text("reduce", self.file("x.txt", "".join(f"{v!r}\n" for v in x)))
        self.assertEqual(self.text("merge", *packed), expected)
        # Several files of one command are one piece; a part may come from a pipe.
        first = self.run_tool("reduce", "--partial", "-", stdin="".join(f"{v!r}\n" for v in x[:99]))
        self.file("a.txt", "".join(f"{v!r}\n" for v in x[99:200]))
        self.file("b.txt", "".join(f"{v!r}\n" for v in x[200:]))
        self.run_tool("reduce", "--partial", "ab.part", "--from-row", "99", "a.txt", "b.txt")
        self.assertEqual(self.text("merge", "ab.part", "-", stdin=first), expected)

    def test_an_initial_value_comes_before_all_pieces(self):
        header, lines = table(900)
        ops = ("sum:x,product:k,max:x,exact-sum:x,sum:k", "min:k")
        for op, by in itertools.product(ops, ((), ("--by", "g"))):
            if by and op != "min:k":
                op = "exact-sum:x,sum:k,max:x"
            parts = self.parts(header, lines, [0, 401, 402], "--op", op, *by)
            expected = self.whole(header, lines, "--op", op, "--init", "7", *by)
            self.assertEqual(self.text("merge", *parts, "--init", "7"), expected, (op, by))
        a = self.part(0, header + "".join(lines), "--op", "ema:0.1:x")
        self.fails(2, "merge", a, "--init", "1", says="ema")
        self.fails(2, "merge", a, "--init", "1", "--partial", "p", says="--init")

    def test_groups_of_exact_operators(self):
        header, lines = table(300)
        ops = "sum:k,exact-sum:x,min:x,argmax:x,first:x,last:day,count,count:x,distinct:k"
        ops += ",concat:+:day"
        expected = self.whole(header, lines, "--by", "g", "--op", ops)
        parts = self.parts(header, lines, [3, 3, 120, 299], "--by", "g", "--op", ops)
        self.assertEqual(self.text("merge", *parts), expected)
        self.assertEqual(self.text("merge", *reversed(parts), "--json").count("\n"), 3)
        self.fails(
            2, "reduce", "--by", "g", "--op", "sum:x", "--partial", "p", "whole.csv", "--from-row",
            "9", says=["sum of 'x' as f64", "exact-sum", "--after"],
        )  # fmt: skip
        self.assertFalse(os.path.exists(os.path.join(self.path, "p")))

    def test_missing_values_of_exact_operators(self):
        source = random.Random(SEED)
        rows = [
            ",".join(source.choice([str(source.randint(0, 99)), "", "-"]) for _ in "ab") + "\n"
            for _ in range(60)
        ]
        rows[20:40] = [",1\n"] * 20  # a piece without a value of a
        for how in ("--skip-missing", "--skip-rows-with-missing"):
            args = [how, "--missing=-", "--op", "sum:a,max:b,argmin:b,argmax:a,exact-sum:a,count:a"]
            expected = self.whole("a,b\n", rows, *args)
            for cuts in ([20, 40], [1, 22, 23], [33]):
                parts = self.parts("a,b\n", rows, cuts, *args)
                self.assertEqual(self.text("merge", *parts), expected, (how, cuts))
        got = self.text("merge", *parts, "--json").replace("2 parts", "whole.csv")
        self.assertEqual(got, self.text("reduce", *args, "whole.csv", "--json"))

    def test_a_scan_continues_after_the_pieces_before_it(self):
        header, lines = table(900)
        ops = "sum:x,exact-sum:x,ema:0.1:x,max:k,sum:k,argmax:x,mean:k,first:x,count"
        whole = self.text("scan", "--op", ops, self.file("w.csv", header + "".join(lines)))
        first = self.text("scan", "--op", "sum:x,count", "--exclusive", "w.csv")
        for a, b in ((0, 10), (1, 900), (640, 641), (333, 777), (900, 900)):
            before = self.part(0, header + "".join(lines[:a]), "--op", ops)
            rows = self.file("rows.csv", header + "".join(lines[a:b]))
            got = self.text("scan", "--op", ops, "--after", before, rows)
            self.assertEqual(got.splitlines()[1:], whole.splitlines()[a + 1 : b + 1], (a, b))
            before = self.part(0, header + "".join(lines[:a]), "--op", "sum:x,count")
            got = self.text("scan", "--exclusive", "--op", "sum:x,count", "--after", before, rows)
            self.assertEqual(got.splitlines()[1:], first.splitlines()[a + 1 : b + 1], (a, b))
        later = self.part(10, "x\n1\n")
        self.fails(3, "scan", "--after", later, self.file("y", "x\n1\n"), says="row 10")
        self.fails(3, "scan", "--after", before, rows, "--op", "max:x", says=["--op", "max:x"])
        self.fails(2, "scan", "--after", before, rows, "--op", "sum:x", "--reverse", says="--after")

    def test_what_does_not_fit_is_refused(self):
        a, b, c = (self.part(i, f"x\n{i}\n") for i in (0, 1, 3))
        self.fails(3, "merge", a, c, says=["rows 1 to 2", a, c])
        self.fails(3, "merge", a, b, a, says=["row 0", a])
        self.fails(3, "merge", b, says=["row 0", b])
        self.run_tool("merge", b, "--partial", "later")
        for args, says in ((["--op", "max"], "--op 'max'"), (["--dtype", "f32"], "--dtype 'f32'"),
                           (["-c", "x"], "--column 'x'")):  # fmt: skip
            self.fails(3, "merge", a, self.part(1, "x\n1\n", *args), says=[says, a])
        self.fails(3, "merge", a, self.part(1, "y\n1\n"), says="'y'")
        text = [self.part(i, f"x\n{x}\n", "--header", "--op", "max") for i, x in enumerate("b1")]
        self.fails(3, "merge", *text, says="column")
        large = [self.part(0, f"x\n{2**64 - 1}\n"), self.part(1, "x\n-1\n")]
        self.fails(3, "merge", *large, says=["u64", "i64", "--dtype"])
        self.file("x.csv", "x\n1\n")
        for args in (["--to", "csv"], ["--json"], ["-o", "y"]):
            self.fails(2, "reduce", "--partial", "p", *args, "x.csv", says="--partial")
        self.fails(2, "reduce", "--partial", "p", "--init", "1", "x.csv", says="upsweep merge")
        self.fails(2, "reduce", "--partial", "p", "--axis", "0", "x.csv", says="needs a .npy file")
        self.fails(2, "reduce", "--from-row", "1", "x.csv", says="--partial")
        self.fails(4, "reduce", "--partial", a, "x.csv", says="exists")
        self.fails(2, "merge", says="PARTIAL")

    def test_parts_may_follow_each_other_in_a_file(self):
        header, rows = table(60)
        args = ["--by", "g", "--op", "count,exact-sum:x"]
        parts = self.parts(header, rows, [13, 40], *args)
        self.file("all", b"".join(self.content(part) for part in reversed(parts)))
        self.assertEqual(self.text("merge", "all"), self.whole(header, rows, *args))

    def test_parts_of_the_first_version_are_read(self):
        for expected, part in FIRST_PARTS.items():
            self.file("part", zlib.decompress(base64.b64decode(part)))
            self.assertEqual(self.text("merge", "part"), expected)

    def test_parts_have_the_lowest_format_that_describes_them(self):
        for x, op, number in (
            (1.5, "exact-sum", 2),
            (1.5, "sum,exact-sum", 2),
            (1.5, "sum,drawdown,run", 1),
            (1, "sum,run", 1),
            (1, "sum,max-drawdown", 3),
            (1, "relative-drawdown,exact-sum", 3),
            (1, "drawdown", 3),
        ):
            part = self.part(0, f"x\n{x}\n2\n", "--op", op)
            self.assertEqual(struct.unpack_from("<H", self.content(part), 17), (number,))

    def test_parts_do_not_depend_on_threads(self):
        header, rows = table(5000)
        for op in ("exact-sum:x", "drawdown:x,run:k,session:0.5:x,rms:x", "max:x,argmin:x,std:x"):
            contents = set()
            for threads in ("1", "2", "7"):
                part = self.part(0, header + "".join(rows), "--op", op, "--threads", threads)
                contents.add(self.content(part))
            self.assertEqual(len(contents), 1, op)

    def test_different_strings_have_one_state_in_any_order_of_rows(self):
        days = ["tue", "mon", "tue", "wed"]
        states = {
            self.content(self.part(0, "day\n" + "\n".join(order) + "\n", "--op", "distinct:day"))
            for order in itertools.permutations(days)
        }
        self.assertEqual(len(states), 1)

    def test_a_mean_of_functions_of_an_earlier_format_is_refused(self):
        name = self.part(0, "x\n1.5\n2\n", "--op", "sum,rms")
        body = self.content(name)[:-8]
        body = body[:17] + struct.pack("<H", 3) + body[19:]
        self.file("earlier", with_checksum(body))
        self.fails(3, "merge", "earlier", says=["rms of an earlier version", "--partial"])
        name = self.part(0, "x\n1.5\n2\n", "--op", "sum")
        self.assertEqual(self.content(name)[17:19], struct.pack("<H", 1))

    def test_a_damaged_part_is_refused(self):
        name = self.part(0, "x\n1.5\n2\n", "--op", "sum,first,distinct,exact-sum")
        whole = self.content(name)
        for end in [*range(0, 40), *range(40, len(whole), 29), len(whole) - 1]:
            self.file("cut", whole[:end])
            self.fails(3, "merge", "cut", says="cut")
        for at in [*range(0, 40), *range(40, len(whole), 29), len(whole) - 1]:
            self.file("changed", whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            self.fails(3, "merge", "changed", says="changed")
        self.file("longer", whole + b"\0")
        self.fails(3, "merge", "longer")
        self.file("newer", whole[:17] + struct.pack("<H", 6) + whole[19:])
        self.fails(3, "merge", "newer", says="format 6")
        # Someone may write a right checksum of a wrong content: no crash.
        source = random.Random(SEED)
        for _ in range(60):
            body = bytearray(whole[:-8])
            body[source.randrange(21, len(body))] = source.randrange(256)
            self.file("wrong", with_checksum(body))
            with self.subTest(bytes(body)):
                try:
                    self.run_tool("merge", "wrong")
                except AssertionError:
                    self.assertRegex(self.errors, r"\Aupsweep: [^\n]+\n\Z")

    def test_lines_along_the_first_axis_of_an_array(self):
        """https://github.com/NVIDIA/cccl/issues/10675: sums along an axis that pieces cut."""
        shape, cuts = (50, 3, 5), [0, 0, 17, 18, 50]
        x = numbers(50 * 15)
        whole = self.file("whole.npy", npy("f64", x, shape))
        pieces = [
            self.file(f"{a}-{b}.npy", npy("f64", x[15 * a : 15 * b], (b - a, 3, 5)))
            for a, b in itertools.pairwise(cuts)
        ]
        for op in ("sum", "mean,max,argmin,std,first", "exact-sum"):
            parts = []
            for begin, piece in zip(cuts, pieces, strict=False):
                parts.append(f"{len(parts)}.part")
                self.run_tool("reduce", "--axis", "0", "--op", op, piece, "--from-row", str(begin),
                              "--partial", parts[-1], "--force")  # fmt: skip
            for out in (
                [],
                ["--to", "csv"],
                ["--json"],
                *([["--to", "npy"]] if op == "sum" else []),
            ):
                expected = self.run_tool("reduce", "--axis=-3", "--op", op, whole, *out)
                self.assertEqual(self.run_tool("merge", *reversed(parts), *out), expected, op)
            scan = ["scan", "--axis", "0", "--op", op, "--to", "text"]
            expected = self.text(*scan, whole).splitlines()[-750:]
            for k in (1, 2, 3):
                self.run_tool("merge", "--partial", "front", *parts[:k], "--force")
                got = self.text(*scan, "--after", "front", pieces[k]).splitlines()
                rows = expected[15 * cuts[k] : 15 * cuts[k + 1]]
                self.assertEqual(got[len(got) - len(rows) :], rows)
        how = ["--op", op, "--axis", "0"]
        expected = self.text("reduce", *how, "--init", "3", whole)
        self.assertEqual(self.text("merge", "--init", "3", *parts), expected)
        fortran = self.file("fortran.npy", npy("f64", x[:6], (2, 3), fortran=True))
        self.run_tool("reduce", *how, fortran, "--partial", "f.part")
        self.assertEqual(self.text("merge", "f.part"), self.text("reduce", *how, fortran))
        other = self.file("other.npy", npy("f64", x[:15], (1, 5, 3)))
        self.run_tool("reduce", *how, other, "--partial", "o.part", "--from-row", "50")
        self.fails(3, "merge", *parts, "o.part", says=["o.part", "dimensions"])
        self.fails(3, "scan", *how, "--after", parts[0], other, says="dimensions")
        self.fails(3, "scan", "--op", op, "--after", parts[0], pieces[1], says="--axis")
        self.fails(2, "reduce", "--axis", "1", "--partial", "p", whole, says="along axis 0")
        self.fails(2, "scan", "--axis", "1", "--after", parts[0], whole, says="along axis 0")

    def test_standard_deviations_do_not_depend_on_partitions(self):
        """https://github.com/dask/dask/issues/6306: equal values deviate by nothing;
        xarray-contrib/flox/issues/422: a large mean and small deviations.
        """
        source = random.Random(SEED)
        large = [1e6 + source.random() / 100 for _ in range(1000)]
        for x in ([0.011] * 10, [0.002] * 11, [source.random() for _ in range(30)], large):
            expected = statistics.pstdev(map(fractions.Fraction, x))
            n = len(x)
            for cuts in ([0, n // 2, n], [0, 3, 6, n]):
                parts = [
                    self.part(a, lines_of(x[a:b]), "--op", "std")
                    for a, b in itertools.pairwise(cuts)
                ]
                got = self.text("merge", *parts)
                self.assertEqual(
                    got, self.text("reduce", "--op", "std", self.file("w", lines_of(x)))
                )
                self.assertAlmostEqual(float(got), float(expected), delta=1e-9 * float(expected))


if __name__ == "__main__":
    unittest.main()
