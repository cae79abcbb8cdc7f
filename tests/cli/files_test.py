"""Several files as one input: the rows of the first before those of the second."""

import json
import os
import subprocess
import unittest

from support import TOOL, ToolTest, lines, npy, prefixes, raw, read_npy


class Files(ToolTest):
    def setUp(self):
        super().setUp()
        self.file("a.csv", "day,rain\nmon,1\ntue,2\n")
        self.file("b.csv", "rain,day\n4,wed\n")
        self.file("c.csv", "day,rain\nthu,0.5\n")

    def test_columns_are_found_by_name_in_each_file(self):
        self.assertEqual(self.text("reduce", "-c", "rain", "a.csv", "b.csv"), "7\n")
        self.assertEqual(
            self.text("scan", "-c", "rain", "--keep", "day", "a.csv", "b.csv", "c.csv"),
            "day,sum(rain)\nmon,1\ntue,3\nwed,7\nthu,7.5\n",
        )

    def test_every_command_reads_several_files(self):
        one, two = self.file("1.txt", "3\n1\n"), self.file("2.txt", "1\n2\n")
        for args, expected in [
            (["reduce"], "7\n"),
            (["scan"], "3\n4\n5\n7\n"),
            (["scan", "--reverse"], "7\n4\n3\n2\n"),
            (["sort"], "1\n1\n2\n3\n"),
            (["runs"], "3\t1\n1\t2\n2\t1\n"),
            (["unique"], "3\n1\n2\n"),
            (["histogram", "--bins", "1", "--counts-only"], "4\n"),
            (["reduce", "--op", "median"], "1.5\n"),
        ]:
            self.assertEqual(self.text(*args, one, two), expected, args)
        self.assertIn("(i64, 4 values)", self.text("check", one, two))

    def test_a_group_may_go_on_in_the_next_file(self):
        self.file("g.csv", "k,x\na,1\nb,2\n")
        self.file("h.csv", "k,x\nb,3\nc,4\n")
        self.assertEqual(
            self.text("reduce", "--by", "k", "-c", "x", "g.csv", "h.csv"),
            "k,sum(x)\na,1\nb,5\nc,4\n",
        )
        # What has ended when the error is found has been written.
        got = self.text("reduce", "--by", "k", "--sorted", "-c", "x", "h.csv", "g.csv", status=3)
        self.assertEqual(got, "k,sum(x)\nb,3\n")
        self.assertIn("'b' repeats at row 3", self.errors)

    def test_the_first_file_decides_what_is_text(self):
        self.file("g.csv", "k,x\nA1,1\n")
        self.file("h.csv", "k,x\n12,3\nB2,4\n")
        self.file("n.csv", "k,x\n")
        ops = ["--op", "count,distinct:k,last:k,sum:x"]
        for files in [["g.csv", "h.csv"], ["n.csv", "g.csv", "n.csv", "h.csv"]]:
            self.assertEqual(
                self.text("reduce", *ops, *files),
                "count,distinct(k),last(k),sum(x)\n3,3,B2,8\n",
            )
        self.fails(3, "reduce", *ops, "h.csv", "g.csv", says="'B2' in column 'k' is not a number")
        self.assertEqual(
            self.text("select", "--where", "k ~ '^[AB]' && x < 4", "g.csv", "h.csv"), "k,x\nA1,1\n"
        )

    def test_the_type_of_a_column_is_that_of_all_files(self):
        for names in [["a.csv", "c.csv"], ["c.csv", "a.csv"]]:
            done = json.loads(self.text("reduce", "--json", "-c", "rain", *names))
            self.assertEqual(done["results"][0]["dtype"], "f64")
            self.assertEqual(done["results"][0]["value"], 3.5)
            self.assertEqual(done["rows"], 3)
            self.assertEqual(done["input"], names[0] + " and 1 more file")
        big, negative = self.file("big.txt", f"{2**64 - 1}\n"), self.file("minus.txt", "-1\n")
        self.assertEqual(self.text("reduce", "--op", "max", big), f"{2**64 - 1}\n")
        # no 64-bit type has both, in one file or in two
        self.fails(3, "reduce", negative, big, says=["big.txt:1:1", "does not fit i64"])
        self.assertEqual(self.text("reduce", "--dtype", "f64", negative, big), f"{2.0**64!r}\n")

    def test_a_decimal_in_a_pipe_widens_the_files_after_it(self):
        late = "".join(f"{i}\n" for i in range(300000)) + "0.5\n"
        after = self.file("after.txt", "1\n2\n")
        total = sum(range(300000)) + 0.5 + 3
        self.assertEqual(self.text("reduce", "-", after, stdin=late), f"{total!r}\n")
        self.assertEqual(self.text("reduce", after, "-", stdin=late), f"{total!r}\n")
        self.assertEqual(
            self.text("scan", "-", after, stdin="0.5\n"),
            lines(prefixes([0.5, 1, 2], float.__add__)),
        )

    def test_rows_count_over_all_files_with_and_without_skipped_ones(self):
        self.file("d.csv", "x\n1\nNA\n9\n")
        self.file("e.csv", "x\nNA\n9\n10\nNA\n")
        self.file("f.csv", "x\n10\n-3\n")
        args = ["reduce", "--op", "argmax,argmax-last,argmin", "--skip-missing"]
        self.assertEqual(
            self.text(*args, "d.csv", "e.csv", "f.csv"),
            "argmax(x),argmax-last(x),argmin(x)\n5,7,8\n",
        )
        plain = self.file("g.csv", "x\n1\n2\n")
        self.assertEqual(self.text("reduce", "--op", "argmax", plain, plain, "f.csv"), "4\n")
        done = json.loads(self.text(*args, "--json", "d.csv", "e.csv", "f.csv"))
        self.assertEqual((done["rows"], done["skipped"]), (9, 0))
        self.assertEqual([result["missing"] for result in done["results"]], [3, 3, 3])
        args[-1] = "--skip-rows-with-missing"
        self.assertEqual(
            self.text(*args, "d.csv", "e.csv", "f.csv"),
            "argmax(x),argmax-last(x),argmin(x)\n5,7,8\n",
        )
        done = json.loads(self.text(*args, "--json", "d.csv", "e.csv", "f.csv"))
        self.assertEqual((done["rows"], done["skipped"]), (6, 3))

    def test_columns_that_differ_are_an_error_that_names_file_and_column(self):
        says = ["b.csv has a column 'day' where a.csv has 'rain'"]
        self.fails(3, "reduce", "-c", "2", "a.csv", "b.csv", says=says)
        self.fails(
            3,
            "sort",
            "-c",
            "rain",
            "a.csv",
            "b.csv",
            says="b.csv has a column 'rain' where a.csv has 'day'",
        )
        self.file("short.csv", "rain\n1\n")
        self.fails(
            3,
            "scan",
            "-c",
            "rain",
            "--keep",
            "all",
            "a.csv",
            "short.csv",
            says="short.csv has a column 'rain' where a.csv has 'day'",
        )
        self.fails(
            2,
            "reduce",
            "-c",
            "rain",
            "a.csv",
            self.file("x.csv", "day,snow\nmon,1\n"),
            says="x.csv",
        )
        self.fails(
            3,
            "reduce",
            "-c",
            "2",
            "a.csv",
            self.file("t.tsv", "day\train\nmon\t1\n"),
            says=["t.tsv is read as tsv, but a.csv as csv", "--from"],
        )

    def test_a_row_is_never_taken_for_a_header_nor_a_header_for_a_row(self):
        bare = self.file("bare.csv", "wed,4\nthu,5\n")
        self.fails(2, "reduce", "-c", "rain", "a.csv", bare, says="bare.csv has no column 'rain'")
        self.fails(3, "reduce", "-c", "2", "a.csv", bare, says=["'4' where a.csv has 'rain'"])
        self.fails(
            3, "reduce", "-c", "2", bare, "a.csv", says="a.csv:1:5: 'rain' in column 'column 2'"
        )
        self.assertEqual(self.text("reduce", "-c", "2", "--no-header", bare, bare), "18\n")

    def test_an_empty_file_has_no_rows_and_does_not_decide_about_the_header(self):
        empty, only = self.file("empty.csv", ""), self.file("only.csv", "day,rain\n")
        for names in [[empty, "a.csv"], ["a.csv", empty], [only, "a.csv"], ["a.csv", only]]:
            self.assertEqual(self.text("reduce", "-c", "2", *names), "3\n", names)
        self.assertEqual(self.text("reduce", empty, empty), "0\n")
        self.fails(3, "reduce", "-c", "rain", "a.csv", empty, says="empty.csv is empty")

    def test_errors_name_the_file_and_its_own_line(self):
        bad = self.file("bad.csv", "day,rain\nmon,1\ntue,x\n")
        self.fails(
            3, "reduce", "-c", "rain", "a.csv", bad, says="bad.csv:3:5: 'x' in column 'rain'"
        )
        wide = self.file("wide.csv", "day,rain\nmon,1\ntue,1,2\n")
        self.fails(3, "scan", "-c", "rain", "a.csv", wide, "-o", "out", says="wide.csv:3:1: ")
        self.assertFalse(os.path.exists(os.path.join(self.path, "out")))
        nan = self.file("nan.csv", "day,rain\nmon,\n")
        self.fails(3, "reduce", "-c", "rain", "a.csv", nan, says="nan.csv:2:5: An empty field")

    def test_a_missing_file_is_found_before_anything_is_written(self):
        self.fails(4, "scan", "-c", "rain", "a.csv", "no.csv", says="Cannot open 'no.csv'")
        self.fails(4, "scan", "-c", "rain", "a.csv", ".", says="'.' is a directory")
        with subprocess.Popen(  # without waiting for standard input
            [TOOL, "scan", "-", "no.csv"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.path,
        ) as tool:
            self.assertEqual(tool.wait(timeout=60), 4)
            self.assertEqual(tool.stdout.read(), b"")

    def test_standard_input_is_named_once(self):
        self.assertEqual(self.text("reduce", "-c", "2", "a.csv", "-", stdin="d,rain\nx,5\n"), "8\n")
        self.fails(2, "reduce", "-", "-", stdin="1\n", says="only once")

    def test_more_files_than_may_be_open(self):
        names = [self.file(f"{i}.txt", f"{i}\n") for i in range(300)]
        done = self.run_line('ulimit -n 64; exec "$0" reduce "$@"', *names)
        self.assertEqual((done.stdout, done.stderr), (b"44850\n", b""))

    def test_pipes_are_read_in_turn(self):
        done = self.run_line('"$0" scan <(seq 1 3) <(sleep 0.3; seq 4 5)')
        self.assertEqual((done.stdout, done.stderr), (b"1\n3\n6\n10\n15\n", b""))

    def test_a_closed_pipe_ends_it_quietly_with_141(self):
        self.file("many.txt", "1\n" * 200000)
        done = self.run_line(
            '"$0" scan many.txt many.txt many.txt | head -1; echo ${PIPESTATUS[0]}'
        )
        self.assertEqual((done.stdout, done.stderr), (b"1\n141\n", b""))


class Arrays(ToolTest):
    def test_npy_files_are_joined_along_the_first_dimension(self):
        self.file("a.npy", npy("f64", [1.0, 2, 3, 4, 5, 6], (2, 3)))
        self.file("b.npy", npy("f64", [7.0, 8, 9], (1, 3)))
        self.assertEqual(self.text("reduce", "a.npy", "b.npy"), "45\n")
        self.assertEqual(self.text("reduce", "-c", "2-3", "a.npy", "b.npy"), "15\t18\n")
        self.assertEqual(self.text("reduce", "--axis", "0", "a.npy", "b.npy"), "12\n15\n18\n")
        self.assertEqual(self.text("reduce", "--axis", "1", "a.npy", "b.npy"), "6\n15\n24\n")
        self.text("scan", "--axis", "0", "a.npy", "b.npy", "-o", "out.npy")
        self.assertEqual(
            read_npy(self.content("out.npy")), ("f64", (3, 3), [1, 2, 3, 5, 7, 9, 12, 15, 18])
        )
        self.text("scan", "--op", "max", "a.npy", "b.npy", "-o", "flat.npy")
        self.assertEqual(read_npy(self.content("flat.npy")), ("f64", (9,), list(range(1, 10))))

    def test_a_fortran_array_continues_a_c_array(self):
        self.file("a.npy", npy("i32", [1, 2, 3, 4], (2, 2)))
        self.file("f.npy", npy("i32", [5, 7, 6, 8], (2, 2), fortran=True))
        for names in [["a.npy", "f.npy"], ["f.npy", "a.npy"]]:
            order = [1, 2, 3, 4, 5, 6, 7, 8] if names[0] == "a.npy" else [5, 6, 7, 8, 1, 2, 3, 4]
            self.text("scan", "--op", "last", *names, "-o", "out.npy", "--force")
            self.assertEqual(read_npy(self.content("out.npy"))[2], order)
            self.assertEqual(self.text("reduce", "--axis", "0", *names), "16\n20\n")

    def test_types_and_shapes_that_differ_are_errors(self):
        self.file("a.npy", npy("f64", [1.0, 2], (1, 2)))
        self.file("f32.npy", npy("f32", [3.0, 4], (1, 2)))
        self.file("wide.npy", npy("f64", [1.0, 2, 3], (1, 3)))
        self.file("scalar.npy", npy("f64", [1.0], ()))
        self.fails(
            3, "reduce", "a.npy", "f32.npy", says=["f32.npy holds f32, but a.npy f64", "--dtype"]
        )
        self.assertEqual(self.text("reduce", "--dtype", "f32", "a.npy", "f32.npy"), "10\n")
        self.fails(
            3, "reduce", "a.npy", "wide.npy", says="wide.npy has the shape (1, 3), which cannot be"
        )
        self.fails(3, "reduce", "scalar.npy", "a.npy", says="scalar.npy holds a single value")
        self.file("short.npy", npy("f64", [1.0, 2], (1, 2))[:-3])
        self.fails(3, "reduce", "a.npy", "short.npy", says=["short.npy", "truncated"])

    def test_offset_and_count_are_those_of_each_raw_file(self):
        self.file("a.i16", b"head" + raw("i16", [1, 2, 100]))
        self.file("b.i16", b"head" + raw("i16", [4, 8, 100]))
        args = ["reduce", "--offset", "4", "--count", "2", "--op", "sum,count"]
        self.assertEqual(self.text(*args, "a.i16", "b.i16"), "15\t4\n")
        self.fails(
            3, "reduce", "--offset", "4", "--count", "4", "b.i16", "a.i16", says="b.i16 holds 3"
        )
        self.fails(3, "reduce", "a.i16", self.file("c.f32", raw("f32", [1.0])), says="c.f32")


if __name__ == "__main__":
    unittest.main()
