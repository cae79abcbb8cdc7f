"""Pieces of a table that are reduced apart, joined, continued and kept as the state of a file that
grows. What comes of them is compared with one `upsweep reduce` or `upsweep scan` of the whole.
"""

import gzip
import itertools
import os
import random
import re
import struct
import unittest

from support import SEED, ToolTest, npy, numbers, raw

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


class PiecesTest(ToolTest):
    def part(self, begin, content, *args, suffix="csv"):
        """The partial of a piece whose first row is row `begin` of the whole."""
        name = f"{begin}-{len(os.listdir(self.path))}"
        self.file(f"{name}.{suffix}", content)
        self.run_tool(
            "reduce", *args, "--partial", f"{name}.part", "--from-row", str(begin),
            f"{name}.{suffix}",
        )  # fmt: skip
        return f"{name}.part"

    def parts(self, header, lines, cuts, *args):
        ends = [0, *cuts, len(lines)]
        return [
            self.part(a, header + "".join(lines[a:b]), *args) for a, b in itertools.pairwise(ends)
        ]

    def whole(self, header, lines, *args):
        return self.text("reduce", *args, self.file("whole.csv", header + "".join(lines)))

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

    def test_an_initial_value_is_in_front_of_all_pieces(self):
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
            2, "reduce", "--by", "g", "--op", "sum:x", "--partial", "p", "whole.csv",
            says=["sum of 'x' as f64", "exact-sum"],
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

    def test_a_scan_continues_behind_the_pieces_before_it(self):
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
        text = [self.part(0, "x\nb\n", "--op", "max"), self.part(1, "x\n1\n", "--op", "max")]
        self.fails(3, "merge", *text, says="column")
        large = [self.part(0, f"x\n{2**64 - 1}\n"), self.part(1, "x\n-1\n")]
        self.fails(3, "merge", *large, says=["u64", "i64", "--dtype"])
        self.file("x.csv", "x\n1\n")
        for args in (["--to", "csv"], ["--json"], ["-o", "y"]):
            self.fails(2, "reduce", "--partial", "p", *args, "x.csv", says="--partial")
        self.fails(2, "reduce", "--partial", "p", "--init", "1", "x.csv", says="upsweep merge")
        self.fails(2, "reduce", "--partial", "p", "--axis", "0", "x.csv", says="several pieces")
        self.fails(2, "reduce", "--partial", "p", "--op", "median", "x.csv", says="median of 'x'")
        self.fails(2, "reduce", "--from-row", "1", "x.csv", says="--partial")
        self.fails(4, "reduce", "--partial", a, "x.csv", says="exists")
        self.fails(2, "merge", says="PARTIAL")

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
        self.file("newer", whole[:17] + struct.pack("<H", 2) + whole[19:])
        self.fails(3, "merge", "newer", says="format 2")
        # Someone may write a right checksum of a wrong content: no crash.
        source = random.Random(SEED)
        for _ in range(60):
            body = bytearray(whole[:-8])
            body[source.randrange(21, len(body))] = source.randrange(256)
            sum_of = 0xCBF29CE484222325
            for byte in body:
                sum_of = (sum_of ^ byte) * 0x100000001B3 % 2**64
            self.file("wrong", bytes(body) + struct.pack("<Q", sum_of))
            with self.subTest(bytes(body)):
                try:
                    self.run_tool("merge", "wrong")
                except AssertionError:
                    self.assertRegex(self.errors, r"\Aupsweep: [^\n]+\n\Z")


class GrowingFileTest(ToolTest):
    def grow(self, text):
        with open(os.path.join(self.path, "log.csv"), "a", encoding="utf-8") as f:
            f.write(text)

    def resume(self, *args, status=0):
        return self.text("reduce", "--resume", "state", *args, "log.csv", status=status)

    def test_each_run_reads_what_is_new_and_prints_the_total_of_everything(self):
        header, lines = table(400, late=True)
        source = random.Random(SEED)
        for args in (["--op", OPS], ["--by", "g", "--op", "count,exact-sum:x,last:day"]):
            for name in ("log.csv", "state"):
                if os.path.exists(os.path.join(self.path, name)):
                    os.remove(os.path.join(self.path, name))
            self.grow(header + "".join(lines[:2]))
            at = 2
            while at < len(lines):
                self.assertEqual(self.resume(*args), self.text("reduce", *args, "log.csv"))
                n = source.choice([0, 1, 5, 100])
                self.grow("".join(lines[at : at + n]))
                at += n
            self.assertEqual(self.resume(*args), self.text("reduce", *args, "log.csv"))
            self.assertEqual(self.resume(*args), self.text("reduce", *args, "log.csv"))

    def test_an_initial_value_is_in_front_of_everything_each_time(self):
        self.grow("0.1\n0.2\n")
        how = ["--op", "sum,max", "--init", "3"]
        self.assertEqual(self.resume(*how), self.text("reduce", *how, "log.csv"))
        self.grow("0.3\n")
        self.assertEqual(self.resume(*how), self.text("reduce", *how, "log.csv"))
        self.assertEqual(self.resume("--op", "sum,max"), "0.6000000000000001,0.3\n")
        self.fails(2, "reduce", "--resume", "s", "--op", "ema:0.5", "--init", "1", "log.csv",
                   says="ema")  # fmt: skip

    def test_nothing_before_the_end_of_the_last_time_is_read(self):
        self.grow("x\n" + "1\n" * 10000)
        self.assertEqual(self.resume(), "10000\n")
        with open(os.path.join(self.path, "log.csv"), "r+b") as f:
            f.seek(9000)
            f.write(b"9")
        self.grow("3\n")
        self.assertEqual(self.resume(), "10003\n")  # the change in the middle is not seen
        self.grow("bad\n")
        state = self.content("state")
        self.assertEqual(self.resume(status=3), "")
        self.assertIn("log.csv:10003", self.errors)
        self.assertEqual(self.content("state"), state)

    def test_operators_for_integers_only_accept_that_nothing_is_new(self):
        self.grow("5\n6\n")
        self.assertEqual(self.resume("--op", "checked-sum"), "11\n")
        self.assertEqual(self.resume("--op", "checked-sum"), "11\n")
        self.grow("7\n")
        self.assertEqual(self.resume("--op", "checked-sum"), "18\n")

    def test_a_line_that_is_not_complete_waits(self):
        self.file("log.csv", "")
        self.assertEqual(self.resume(), "0\n")
        self.grow("x")
        self.assertEqual(self.resume(), "0\n")
        self.grow("\n1\n2")
        self.assertEqual(self.resume(), "1\n")
        self.grow("0\n")
        self.assertEqual(self.resume(), "21\n")
        self.assertEqual(self.resume(), "21\n")

    def test_raw_values_that_are_whole_are_read(self):
        x = numbers(300)
        for at, how in ((0, ["log.f64"]), (5, ["log", "--dtype", "f64", "--offset", "5"])):
            content = b"-" * at + raw("f64", x)
            for end in (3, at + 8, at + 8, at + 1003, at + 2400):
                self.file(how[0], content[:end])
                whole = [*how, "--count", str(max(0, end - at) // 8)]
                self.assertEqual(
                    self.text("reduce", "--op", "sum,count", "--resume", f"state{at}", *how),
                    self.text("reduce", "--op", "sum,count", *whole) if end >= at else "0\t0\n",
                    (how, end),
                )

    def test_a_file_that_was_truncated_or_rewritten_is_refused(self):
        self.grow("x\n1\n2\n")
        self.assertEqual(self.resume(), "3\n")
        state = self.content("state")
        for content, says in (("x\n1\n", "shrunk"), ("x\n1\n3\n4\n", "rewritten"),
                              ("y\n1\n2\n4\n", "rewritten"), ("", "shrunk")):  # fmt: skip
            self.file("log.csv", content)
            self.fails(3, "reduce", "--resume", "state", "log.csv", says=["log.csv", says])
            self.assertEqual(self.content("state"), state)
        self.file("log.csv", "x\n1\n2\n")
        self.fails(3, "reduce", "--resume", "state", "--op", "max", "log.csv", says="--op")
        self.run_tool("reduce", "--partial", "other", "log.csv")
        self.fails(3, "reduce", "--resume", "other", "log.csv", says="--resume")
        self.fails(2, "reduce", "--resume", "s", "log.csv", "log.csv", says="one FILE")
        self.fails(2, "reduce", "--resume", "s", stdin="1\n", says="one FILE")
        self.file("log.gz", gzip.compress(b"x\n1\n"))
        self.fails(2, "reduce", "--resume", "s", "log.gz", says="not compressed")
        self.file("log.f64", raw("f64", [1.0]))
        self.file("log.npy", npy("f64", [1.0, 2.0]))
        self.fails(2, "reduce", "--resume", "s", "log.npy", says="text, CSV or raw")
        self.fails(2, "reduce", "--resume", "s", "log.f64", "--count", "1", says="--count")

    def test_a_state_is_a_part_of_the_whole(self):
        self.grow("1\n2\n")
        self.resume()
        self.file("more", "3.25\n")
        self.run_tool("reduce", "--partial", "more.part", "--from-row", "2", "more")
        self.assertEqual(self.text("merge", "more.part", "state"), "6.25\n")


if __name__ == "__main__":
    unittest.main()
