"""Files that grow: their state, and what comes of it, compared with one `upsweep reduce` of all."""

import gzip
import os
import random
import unittest

from pieces_test import OPS, table
from support import SEED, ToolTest, lines, npy, numbers, raw


class GrowingFileTest(ToolTest):
    def grow(self, text):
        with open(os.path.join(self.path, "log.csv"), "a", encoding="utf-8") as f:
            f.write(text)

    def resume(self, *args, status=0):
        return self.text("reduce", "--resume", "state", *args, "log.csv", status=status)

    def test_each_run_reads_what_is_new_and_prints_the_total_of_everything(self):
        header, lines = table(400, late=True)
        source = random.Random(SEED)
        for args in (
            ["--op", OPS],
            ["--by", "g", "--op", "count,exact-sum:x,last:day,mean:x,std:x,sum:k"],
        ):
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

    def test_an_initial_value_comes_first_each_time(self):
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
        self.fails(2, "reduce", "--resume", "s", "log.csv", "-", says="standard input")
        self.fails(2, "reduce", "--resume", "s", stdin="1\n", says="standard input")
        self.file("log.gz", gzip.compress(b"x\n1\n"))
        self.fails(2, "reduce", "--resume", "s", "log.gz", says="not compressed")
        self.file("log.f64", raw("f64", [1.0]))
        self.fails(2, "reduce", "--resume", "s", "log.f64", "--count", "1", says="--count")

    def test_a_state_is_a_part_of_the_whole(self):
        self.grow("1\n2\n")
        self.resume()
        self.file("more", "3.25\n")
        self.run_tool("reduce", "--partial", "more.part", "--from-row", "2", "more")
        self.assertEqual(self.text("merge", "more.part", "state"), "6.25\n")

    def test_rows_of_an_array_whose_header_changes(self):
        x = numbers(600)
        for how in ([], ["-c", "2"], ["--axis", "0"], ["--axis", "0", "--to", "npy"]):
            if os.path.exists(os.path.join(self.path, "state")):
                os.remove(os.path.join(self.path, "state"))
            for rows in (0, 3, 3, 77, 150):
                whole = npy("f64", x[: 4 * rows], (rows, 4))
                self.file("x.npy", whole)
                expected = self.run_tool("reduce", *how, "x.npy")
                if rows == 77:  # the writer counts a row in the header when it is whole
                    self.file("x.npy", whole + raw("f64", x[:2]))
                got = self.run_tool("reduce", "--resume", "state", *how, "x.npy")
                self.assertEqual(got, expected, (how, rows))
        resume = ["reduce", "--resume", "state", "--axis", "0", "x.npy"]
        for content, says in (
            (npy("f64", x[:400], (100, 4)), "shrunk"),
            (npy("f64", x, (300, 2)), "rewritten"),
            (npy("i64", range(600), (150, 4)), "rewritten"),
            (npy("f64", x, (150, 4), order=">"), "rewritten"),
        ):
            self.file("x.npy", content)
            self.fails(3, *resume, says=["x.npy", says])
        self.file("x.npy", npy("f64", x, (150, 4), fortran=True))
        self.fails(2, *resume, says="Fortran order")


class SeveralFilesTest(ToolTest):
    """`--resume STATE FILE...` has the bits of one `reduce FILE...`."""

    def grow(self, name, text):
        with open(os.path.join(self.path, name), "a", encoding="utf-8") as f:
            f.write(text)

    def test_each_file_is_read_on(self):
        header, rows = table(300)
        exact = "exact-sum:x,sum:k,max:x,first:day,last:x,count,distinct:day,concat:+:day"
        for args in (["--op", exact], ["--by", "g", "--op", exact], ["--op", "count,sum:k"]):
            source = random.Random(SEED)
            for name in os.listdir(self.path):
                os.remove(os.path.join(self.path, name))
            files = ["a.csv", "b.csv", "c.csv"]
            at, there = 0, 2
            while at < len(rows):
                there = max(there, source.choice([2, 2, 3]))
                for name in files[:there]:
                    if not os.path.exists(os.path.join(self.path, name)):
                        self.grow(name, header)
                    n = source.choice([0, 0, 1, 40]) if at > 0 else 1
                    self.grow(name, "".join(rows[at : at + n]))
                    at += n
                expected = self.text("reduce", *args, *files[:there])
                got = self.text("reduce", "--resume", "state", *args, *files[:there])
                self.assertEqual(got, expected)
            self.assertEqual(self.text("merge", "state"), expected)

    def test_what_was_read_is_not_read_again(self):
        self.grow("a", "x\n" + "1\n" * 10000)
        self.grow("b", "x\n" + "2\n" * 10000)
        self.assertEqual(self.text("reduce", "--resume", "state", "a", "b"), "30000\n")
        for name in "ab":
            with open(os.path.join(self.path, name), "r+b") as f:
                f.seek(9000)
                f.write(b"9")
        self.grow("a", "3\n")
        self.grow("b", "4\n")
        self.assertEqual(self.text("reduce", "--resume", "state", "a", "b"), "30007\n")

    def test_sums_of_decimals_take_a_last_file_that_grows_and_a_new_one(self):
        x = numbers(100)
        self.file("1.log", lines(x[:40]))
        resume = ["reduce", "--op", "sum,std,argmin,ema:0.1", "--resume", "state"]
        for names, ends in ((["1.log"], [40]), (["1.log", "2.log"], [40, 41]),
                            (["1.log", "2.log"], [40, 77]),
                            (["1.log", "2.log", "3.log"], [40, 90, 100])):  # fmt: skip
            for name, begin, end in zip(names, [0, *ends], ends, strict=False):
                self.file(name, lines(x[begin:end]))
            self.assertEqual(self.text(*resume, *names), self.text(*resume[:3], *names))
        state = self.content("state")
        self.grow("2.log", "7\n")
        self.fails(3, *resume, *names, says=["3.log", "exact-sum", "state"])
        self.assertEqual(self.content("state"), state)

    def test_integers_become_decimals_only_where_places_count(self):
        self.file("a", "1\n2\n")
        self.file("b", "3\n4\n")
        resume = ["reduce", "--op", "sum,max", "--resume", "state", "a", "b"]
        self.assertEqual(self.text(*resume), "10\t4\n")
        self.grow("b", "0.5\n")
        self.assertEqual(self.text(*resume), "10.5\t4\n")
        self.grow("a", "1\n")
        self.fails(3, *resume, says=["b: there are new rows", "exact-sum"])
        os.remove(os.path.join(self.path, "state"))
        self.file("b", "3\n4\n")
        self.text(*resume)
        self.grow("a", "5\n")
        self.assertEqual(self.text(*resume), "16\t5\n")
        self.grow("a", "6\n")
        self.grow("b", "7\n")
        self.assertEqual(self.text(*resume), "29\t7\n")
        self.grow("b", "0.5\n")
        self.fails(2, *resume, says="exact-sum")
        self.assertEqual(self.text("scan", "--op", "sum,max", "--after", "state", stdin="1\n"),
                         "30\t7\n")  # fmt: skip

    def test_what_does_not_fit_is_refused(self):
        self.file("a", "x\n1\n2\n")
        self.file("b", "x\n3\n")
        resume = ["reduce", "--resume", "state"]
        self.assertEqual(self.text(*resume, "a", "b"), "6\n")
        state = self.content("state")
        self.fails(3, *resume, "a", says=["state of 2 files", "same order"])
        self.fails(3, *resume, "b", "a", says=["b", "shrunk"])
        self.file("a", "x\n7\n8\n9\n")
        self.fails(3, *resume, "a", "b", says=["a was rewritten", "state"])
        self.file("a", "x\n")
        self.fails(3, *resume, "a", "b", says=["a has shrunk", "state"])
        self.file("a", "x\n1\n2\n")
        self.file("c", "y\n1\n")
        self.fails(3, *resume, "a", "b", "c", says=["c", "'y'"])
        self.assertEqual(self.content("state"), state)
        for end in range(len(state) - 300, len(state), 7):
            self.file("cut", state[:end])
            self.fails(3, "merge", "cut", says="cut")


if __name__ == "__main__":
    unittest.main()
