"""Where a value, a key, a chunk or a word ends: the cases just before and after that."""

import csv
import io
import struct
import unittest

from support import FORMATS, NPY, ToolTest, npy

CHUNK = 1 << 20  # bytes of values that a reader delivers at a time


def digits_of(decimal):
    """The significant digits of a decimal."""
    mantissa = decimal.lower().split("e")[0].lstrip("+-")
    return len(mantissa.replace(".", "").strip("0"))


def fewest_digits(half):
    """How many digits a decimal needs to round to this f16, by trying."""
    bits = struct.pack("<e", half)
    for digits in range(6):
        try:
            if struct.pack("<e", float(f"{half:.{digits}e}")) == bits:
                return digits_of(f"{half:.{digits}e}")
        except OverflowError:  # rounded up beyond the largest
            pass
    return 17


class Limits(ToolTest):
    def test_every_half_is_written_with_the_fewest_digits(self):
        halves = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in range(1, 0x7C00)]
        self.file("x.npy", npy("f16", halves))
        written = self.text("sort", "--to", "text", "x.npy").split()
        packed = [struct.pack("<e", float(token)) for token in written]
        self.same(packed, [struct.pack("<e", half) for half in halves], "values")
        digits = [digits_of(token) for token in written]
        self.same(digits, [fewest_digits(half) for half in halves], "digits")

    def test_a_carriage_return_inside_of_a_field_stays_inside(self):
        rows = [["k", "v"], ["a\rb", "1"], ["c", "2"], ["d\r", "3"], ["e", "4"]]
        plain = 'k,v\na\rb,1\nc,2\n"d\r",3\ne,4\n'
        for args in [["select", "--where", "v > 0"], ["sort", "-c", "v"]]:
            self.file("x.csv", plain)
            out = self.run_tool(*args, "x.csv").decode()
            self.assertEqual(list(csv.reader(io.StringIO(out, newline=""))), rows, args)
            self.file("x.csv", "k,v\r\na,1\r\nb,2\r\n")
            out = self.run_tool(*args, "x.csv")
            self.assertEqual(out, b"k,v\na,1\nb,2\n", args)

    def test_a_comment_of_one_word_is_no_number(self):
        text = "1\n#2\n4\n#\n#8\n16\n"
        self.file("x.txt", text)
        for way, stdin in [(["x.txt"], ""), ([], text)]:
            self.assertEqual(self.text("reduce", *way, stdin=stdin), "21\n")
            self.assertEqual(self.text("scan", *way, stdin=stdin), "1\n5\n21\n")

    def test_versions_of_npy_that_nobody_wrote_are_refused(self):
        good = npy("f64", [1.5, 2.5])
        for version in [b"\x01\x07", b"\x01\x01", b"\x04\x00", b"\x00\x00"]:
            self.file("x.npy", good[:6] + version + good[8:])
            self.fails(3, "reduce", "x.npy", says=[f".npy version {version[0]}.{version[1]}"])

    def test_names_may_begin_with_a_word_of_conditions(self):
        self.file("x.csv", "not1,or2,in3,and4,true5,row6\n1,2,3,4,5,6\n7,8,9,10,11,12\n")
        for condition in [
            "not1 > 1",
            "or2 == 8",
            "in3 == 9 && and4 == 10",
            "not not1 == 1",
            "not1 in (7) or or2 in (0)",
            "true5 > 5 and row6 > 6",
            "(not1 == 0) or or2 == 8",
            "(not1 == 7) and and4 == 10",
        ]:
            out = self.text("select", "--where", condition, "-c", "not1", "x.csv")
            self.assertEqual(out, "not1\n7\n", condition)

    def test_the_smallest_integer_has_no_remainder_by_minus_one(self):
        self.file("x.csv", f"x,y\n{-(2**63)},-1\n{-(2**63)},3\n7,-1\n")
        for condition, rows in [
            ("x % -1 == 0", [1, 2, 3]),
            ("x % y == 0", [1, 3]),
            ("x % y < 0", [2]),
        ]:
            out = self.text("select", "--where", condition, "--positions", "--to", "text", "x.csv")
            self.assertEqual(out, "".join(f"{row}\n" for row in rows), condition)
        self.fails(3, "select", "--where", "x % 0 == 1", "x.csv", says="divides by 0")

    def test_positions_count_from_the_first_row_of_all_chunks(self):
        rows = 3 * CHUNK // 8 + 5
        wanted = [1, CHUNK // 8, CHUNK // 8 + 1, 2 * CHUNK // 8 + 7, rows]
        values = [0] * rows
        for row in wanted:
            values[row - 1] = 1
        expected = "".join(f"{row}\n" for row in wanted)
        text = "".join(f"{v}\n" for v in values)
        self.file("x.txt", text)
        for args, stdin in [(["x.txt"], ""), ([], text)]:
            out = self.text("select", "--where", "$1 == 1", "--positions", *args, stdin=stdin)
            self.assertEqual(out, expected, args)

    def test_a_column_of_an_array_has_its_byte_order(self):
        for dtype in NPY:
            table = [1, 0, 1, 1, 0, 1] if dtype == "bool" else [1, 20, 3, 40, 5, 60]
            for order in "<>":
                for fortran in [False, True]:
                    content = npy(dtype, table, (3, 2), fortran, order)
                    self.file("x.npy", content)
                    for column in [1, 2]:
                        flat = table[(column - 1) * 3 :][:3] if fortran else table[column - 1 :: 2]
                        args = ["runs", "-c", str(column), "--to", "text"]
                        for way, stdin in [(["x.npy"], b""), ([], content)]:
                            out = self.text(*args, *way, stdin=stdin)
                            got = []
                            for line in out.splitlines():
                                value, length = line.split("\t")
                                value = {"true": 1, "false": 0}.get(value, value)
                                got += [float(value)] * int(length)
                            self.assertEqual(got, flat, (dtype, order, fortran, column, way))

    def test_a_column_of_an_array_continues_in_the_next_chunk(self):
        rows = CHUNK // 8 + 20001
        left, right = list(range(rows)), [7 * i % 1000 for i in range(rows)]
        for fortran in [False, True]:
            flat = left + right if fortran else [x for pair in zip(left, right) for x in pair]
            self.file("x.npy", npy("f64", flat, (rows, 2), fortran))
            for column, values in [("1", left), ("2", right)]:
                out = self.text("reduce", "-c", column, "--op", "sum,last", "--to", "text", "x.npy")
                self.assertEqual(
                    [float(x) for x in out.split()], [sum(values), values[-1]], (fortran, column)
                )

    def test_long_lines_of_an_array_are_scanned_from_either_end(self):
        extent, width = 5000, 3
        table = [[(i * 37 + j * 11) % 101 - 50 for j in range(width)] for i in range(extent)]
        self.file("x.npy", npy("i64", [v for row in table for v in row], (extent, width)))
        for args in [[], ["--reverse"]]:
            order = range(extent - 1, -1, -1) if args else range(extent)
            expected, sums = [None] * extent, [0] * width
            for i in order:
                sums = [s + v for s, v in zip(sums, table[i])]
                expected[i] = sums
            out = self.run_tool("scan", "--axis", "0", *args, "--to", "raw", "x.npy")
            got = list(struct.unpack(f"<{extent * width}{FORMATS['i64']}", out))
            self.same(got, [v for row in expected for v in row], args)

    def test_a_run_of_a_group_continues_in_the_next_chunk(self):
        rows = CHUNK // 8 + 70001
        text = "k,v\n" + "a,1\n" * rows + "b,1\na,1\n"
        self.file("x.csv", text)
        for way, stdin in [(["x.csv"], ""), ([], text)]:
            args = ["reduce", "--by", "k", "--allow-repeats", "--op", "sum:v", *way]
            out = self.text(*args, stdin=stdin)
            self.assertEqual(out, f"k,sum(v)\na,{rows}\nb,1\na,1\n", way)

    def test_keys_that_are_equal_when_joined_are_two_groups(self):
        self.file("x.csv", "k,l,v\nab,c,1\nd,d,2\na,bc,4\n")
        for args in [[], ["--sorted"], ["--allow-repeats"]]:
            out = self.text("reduce", "--by", "k,l", *args, "--op", "sum:v", "x.csv")
            lines = sorted(out.splitlines()[1:])
            self.assertEqual(lines, ["a,bc,4", "ab,c,1", "d,d,2"], args)


if __name__ == "__main__":
    unittest.main()
