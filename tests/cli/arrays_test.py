"""--axis: lines of n-dimensional .npy arrays, in any layout and byte order."""

import itertools
import json
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

    def test_reductions_along_every_axis_have_the_bits_of_each_line_alone(self):
        for shape in self.SHAPES:
            n = 1
            for extent in shape:
                n *= extent
            x = numbers(n)
            self.file("x.npy", npy("f64", x, shape))
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
        for shape in self.SHAPES:
            n = 1
            for extent in shape:
                n *= extent
            x = numbers(n)
            self.file("x.npy", npy("f64", x, shape))
            for axis in range(len(shape)):
                forward, backward = [0.0] * n, [0.0] * n
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
        self.fails(2, "reduce", "--axis", "0", stdin="1\n", says="no axes")


if __name__ == "__main__":
    unittest.main()
