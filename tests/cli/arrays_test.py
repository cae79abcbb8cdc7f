"""--axis: lines of n-dimensional .npy arrays, in any layout and byte order."""

import itertools
import json
import math
import unittest

from support import SEED, ToolTest, add, npy, numbers, prefix, prefixes, read_npy


def index(shape, position):
    """Row-major offset of a tuple of indices."""
    at = 0
    for extent, i in zip(shape, position):
        at = at * extent + i
    return at


def lines_along(x, shape, axis):
    """The lines of a row-major array along an axis, in row-major order of the other dimensions."""
    others = [range(1) if d == axis else range(extent) for d, extent in enumerate(shape)]
    for start in itertools.product(*others):
        yield [index(shape, start[:axis] + (i,) + start[axis + 1 :]) for i in range(shape[axis])]


class Arrays(ToolTest):
    SHAPES = [(5,), (3, 4), (2, 3, 37), (40, 33), (2, 5000), (5000, 3)]

    def files(self):
        """Writes x.npy in each shape; yields the shape and the elements."""
        for shape in self.SHAPES:
            x = numbers(math.prod(shape))
            self.file("x.npy", npy("f64", x, shape))
            yield shape, x

    def test_reductions_along_every_axis_have_the_bits_of_each_line_alone(self):
        for shape, x in self.files():
            for axis in range(len(shape)):
                expected = [
                    prefix([x[i] for i in line], add("f64")) for line in lines_along(x, shape, axis)
                ]
                got = read_npy(self.run_tool("reduce", "--axis", str(axis), "--to", "npy", "x.npy"))
                self.assertEqual(
                    got,
                    ("f64", shape[:axis] + shape[axis + 1 :], expected),
                    f"{shape} axis {axis} seed {SEED}",
                )
                text = self.text(
                    "reduce", "--axis", str(axis - len(shape)), "x.npy", "--threads", "2"
                )
                self.assertEqual([float(v) for v in text.split()], expected, f"{shape} axis {axis}")

    def test_scans_along_every_axis_in_both_directions(self):
        for shape, x in self.files():
            for axis in range(len(shape)):
                forward, backward = [0.0] * len(x), [0.0] * len(x)
                for line in lines_along(x, shape, axis):
                    for i, v in zip(line, prefixes([x[i] for i in line], add("f64"))):
                        forward[i] = v
                    for i, v in zip(line[::-1], prefixes([x[i] for i in line[::-1]], add("f64"))):
                        backward[i] = v
                dtype, got_shape, got = read_npy(
                    self.run_tool("scan", "--axis", str(axis), "x.npy")
                )
                self.assertEqual((dtype, got_shape), ("f64", shape))
                self.same(got, forward, f"{shape} axis {axis} seed {SEED}")
                got = read_npy(self.run_tool("scan", "--reverse", "--axis", str(axis), "x.npy"))[2]
                self.same(got, backward, f"{shape} axis {axis} in reverse seed {SEED}")

    def test_layout_and_byte_order_do_not_change_the_bits(self):
        shape = (17, 29)
        x = numbers(17 * 29)
        turned = [x[r * 29 + c] for c in range(29) for r in range(17)]
        self.file("c.npy", npy("f64", x, shape))
        self.file("f.npy", npy("f64", turned, shape, fortran=True))
        self.file("b.npy", npy("f64", x, shape, order=">"))
        for args in [
            ["reduce"],
            ["reduce", "--axis", "0"],
            ["reduce", "--axis", "1"],
            ["scan", "--axis", "0"],
            ["scan", "--axis", "1"],
            ["scan"],
            ["scan", "--reverse"],
            ["reduce", "--op", "argmax"],
        ]:
            expected = self.run_tool(*args, "c.npy")
            self.assertEqual(self.run_tool(*args, "f.npy"), expected, args)
            self.assertEqual(self.run_tool(*args, "b.npy"), expected, args)
            self.assertEqual(self.run_tool(*args, stdin=npy("f64", x, shape)), expected, args)

    def test_rows_of_arg_operators_count_along_the_axis(self):
        self.file("x.npy", npy("i32", [1, 5, 2, 7, 0, 9], (2, 3)))
        self.assertEqual(self.text("reduce", "--op", "argmax", "--axis", "0", "x.npy"), "1\n0\n1\n")
        self.assertEqual(self.text("reduce", "--op", "argmax", "--axis", "1", "x.npy"), "1\n2\n")
        self.assertEqual(
            read_npy(self.run_tool("scan", "--op", "argmax", "--axis", "1", "--reverse", "x.npy"))[
                2
            ],
            [1, 1, 2, 2, 2, 2],
        )

    def test_operators_of_the_library_and_of_the_tool_agree_along_every_axis(self):
        # One operator alone is the library's; beside another one it takes the tool's way.
        shape = (9, 11, 35)
        n = 9 * 11 * 35
        for dtype in ["i8", "u16", "i32", "i64", "u64", "f32", "f64"]:
            x = [(7 * i * i + 3 * i) % 101 for i in range(n)]
            self.file("x.npy", npy(dtype, x, shape))
            for axis in range(3):
                lines = [[x[i] for i in line] for line in lines_along(x, shape, axis)]
                expected = {"sum": [sum(line) for line in lines]}
                expected["min"] = [min(line) for line in lines]
                expected["max"] = [max(line) for line in lines]
                along = ["--axis", str(axis), "x.npy", "--threads", str(axis + 1)]
                both = [
                    self.text("reduce", "--op", "sum,min,max", *along).split()[k::3]
                    for k in range(3)
                ]
                for op, others in zip(("sum", "min", "max"), both):
                    alone = self.text("reduce", "--op", op, *along).split()
                    self.assertEqual([float(v) for v in alone], expected[op], f"{dtype} {op}")
                    self.assertEqual(others, alone, f"{dtype} {op}")
                for options in [[], ["--reverse"], ["--exclusive"], ["--exclusive", "--reverse"]]:
                    got = read_npy(self.run_tool("scan", "--to", "npy", *options, *along))[2]
                    for numbers_of, line in zip(lines, lines_along(x, shape, axis)):
                        where = line[::-1] if "--reverse" in options else line
                        own = [x[i] for i in where]
                        running = list(itertools.accumulate(own))
                        if "--exclusive" in options:
                            running = [0] + running[:-1]
                        self.assertEqual([got[i] for i in where], running, f"{dtype} {options}")
                got = read_npy(self.run_tool("scan", "--op", "max", *along))[2]
                for line in lines_along(x, shape, axis):
                    own = itertools.accumulate((x[i] for i in line), max)
                    self.assertEqual([got[i] for i in line], list(own), dtype)
                for op in ["min", "max"]:
                    args = ["scan", "--exclusive", *along, "--to", "csv", "--op"]
                    others = self.text(*args, op + ",sum").splitlines()
                    alone = self.text(*args, op).splitlines()
                    self.assertEqual([row.split(",")[0] for row in others], alone, f"{dtype} {op}")

    def test_arrays_of_three_dimensions_in_fortran_order(self):
        shape = (3, 4, 5)
        x = numbers(60)
        turned = [x[(a * 4 + b) * 5 + c] for c in range(5) for b in range(4) for a in range(3)]
        self.file("c.npy", npy("f64", x, shape))
        self.file("f.npy", npy("f64", turned, shape, fortran=True))
        for command, axis in itertools.product(["reduce", "scan"], ["0", "1", "2"]):
            for op in ["sum", "sum,max"]:
                args = [command, "--op", op, "--axis", axis, "--to", "csv"]
                self.assertEqual(self.run_tool(*args, "f.npy"), self.run_tool(*args, "c.npy"), args)

    def test_operators_forget_a_line_before_the_next_one(self):
        rows = 5000
        x = [(i * i) % 97 for i in range(3 * rows)]
        self.file("x.npy", npy("i32", x, (rows, 3)))
        lines = [x[i : i + 3] for i in range(0, 3 * rows, 3)]
        got = self.text("reduce", "--op", "sum,median,argmax", "--axis", "1", "x.npy").splitlines()
        self.assertEqual(
            [[float(v) for v in line.split()] for line in got],
            [[sum(line), sorted(line)[1], line.index(max(line))] for line in lines],
        )
        got = self.text("scan", "--op", "sum,lag", "--axis", "1", "--to", "tsv", "x.npy")
        first = [row.split("\t")[0] for row in got.splitlines()[-3 * rows :]]
        expected = [v for line in lines for v in itertools.accumulate(line)]
        self.assertEqual([float(v) for v in first], expected)

    def test_several_results_along_an_axis(self):
        self.file("x.npy", npy("i32", [1, 5, 2, 7, 0, 9], (2, 3)))
        self.assertEqual(
            self.text("reduce", "--op", "sum,max", "--axis", "1", "x.npy"), "8\t5\n16\t9\n"
        )
        got = self.text("reduce", "--op", "sum,max", "--axis", "1", "--json", "x.npy").splitlines()
        self.assertEqual([list(json.loads(line).values()) for line in got], [[8, 5], [16, 9]])

    def test_lines_of_no_elements(self):
        self.file("x.npy", npy("f64", [], (3, 0)))
        self.assertEqual(self.text("reduce", "--axis", "1", "x.npy"), "0\n0\n0\n")
        self.assertEqual(self.text("reduce", "--axis", "0", "x.npy"), "")
        self.fails(3, "reduce", "--op", "max", "--axis", "1", "x.npy", says="there are no values")
        self.assertEqual(
            read_npy(self.run_tool("scan", "--axis", "1", "x.npy")), ("f64", (3, 0), [])
        )

    def test_without_an_axis_an_array_is_one_row_major_line(self):
        self.file("x.npy", npy("i32", [1, 2, 3, 4], (2, 2)))
        self.assertEqual(self.text("reduce", "x.npy"), "10\n")
        self.assertEqual(read_npy(self.run_tool("scan", "x.npy")), ("i64", (4,), [1, 3, 6, 10]))

    def test_select_refuses_rows_of_arrays(self):
        self.file("x.npy", npy("i32", [1, 2, 3, 4], (2, 2)))
        for condition in ["$1 > 2", "$1 > $2", "row > 1"]:
            self.fails(
                2, "select", "--where", condition, "x.npy", says=["2 dimensions", "numpy.savetxt"]
            )
        for command in [
            ["select", "--where", "$1 > 0", "--column", "1"],
            ["scan", "--keep", "1"],
            ["reduce", "--by", "1"],
        ]:
            self.fails(2, *command, "x.npy", says="--by, --keep, and --column of select need text")

    def test_wrong_axes_are_usage_errors(self):
        self.file("x.npy", npy("i32", [1, 2, 3, 4], (2, 2)))
        self.fails(2, "reduce", "--axis", "2", "x.npy", says=["--axis 2", "2 dimensions", "0 to 1"])
        self.fails(2, "scan", "--axis", "-3", "x.npy", says="-2 to -1")
        self.file("line.npy", npy("i32", [1, 2, 3, 4], (4,)))
        self.file("number.npy", npy("i32", [1], ()))
        says = "--axis 1: the array has 1 dimension (4); give 0 to 0, or -1 to -1."
        self.fails(2, "reduce", "--axis", "1", "line.npy", says=says)
        says = "--axis 0: the array has 0 dimensions (); give no axis."
        self.fails(2, "scan", "--axis", "0", "number.npy", says=says)
        self.fails(2, "reduce", "--axis", "0", stdin="1\n", says="no axes")


if __name__ == "__main__":
    unittest.main()
