"""Ranges of columns, all columns, and whole rows in the output."""

import unittest

from support import ToolTest, npy

TABLE = "day,price,qty,note,price-qty\n1,2,30,a,400\n2,3,40,b,500\n"
PLAIN = "k,price,qty,tax\na,1,2,3\na,4,5,6\nb,7,8,9\n"


class Columns(ToolTest):
    def setUp(self):
        super().setUp()
        self.file("t.csv", TABLE)
        self.file("p.csv", PLAIN)

    def reduced(self, columns, *args, name="p.csv"):
        return self.text("reduce", "-c", columns, *args, name)

    def test_ranges_include_both_ends(self):
        for columns in ["2-4", "2-", "price-tax", "price-", "2-tax", "price-4"]:
            self.assertEqual(
                self.reduced(columns), "sum(price),sum(qty),sum(tax)\n12,15,18\n", columns
            )
        self.assertEqual(self.reduced("3-3"), "15\n")
        self.assertEqual(self.reduced("4,2-3"), "sum(tax),sum(price),sum(qty)\n18,12,15\n")

    def test_a_column_of_that_name_takes_precedence(self):
        self.assertEqual(self.reduced("price-qty", name="t.csv"), "900\n")
        self.file("n.csv", "a,1-2,all,3-\n1,2,3,4\n")
        self.assertEqual(self.reduced("1-2", name="n.csv"), "2\n")
        self.assertEqual(self.reduced("all", name="n.csv"), "3\n")
        self.assertEqual(self.reduced("3-", name="n.csv"), "4\n")

    def test_names_with_hyphens_may_end_a_range(self):
        self.file("h.csv", "x-min,x-max,y-min\n1,2,3\n")
        self.assertEqual(
            self.reduced("x-min-y-min", name="h.csv"), "sum(x-min),sum(x-max),sum(y-min)\n1,2,3\n"
        )
        self.file("m.csv", "a,a-b,b-c,c\n1,2,3,4\n")
        self.fails(2, "reduce", "-c", "a-b-c", "m.csv", says=["'a-b-c'", "more than one meaning"])

    def test_all_leaves_out_the_keys(self):
        self.assertEqual(
            self.reduced("all", "--by", "k"),
            "k,sum(price),sum(qty),sum(tax)\na,5,7,9\nb,7,8,9\n",
        )
        self.assertEqual(
            self.text("scan", "--op", "max", "-c", "all", "--keep", "k", "p.csv").split("\n")[0],
            "k,max(price),max(qty),max(tax)",
        )
        self.fails(2, "reduce", "-c", "all", "--by", "1-4", "p.csv", says="no column besides")
        self.fails(3, "reduce", "-c", "all", "p.csv", says="p.csv:2:1: 'a' in column 'k'")

    def test_operators_and_conditions_take_no_ranges(self):
        for args in [
            ["reduce", "--op", "sum:price-qty"],
            ["reduce", "--op", "sum:2-,max:qty"],
            ["reduce", "--op", "max:qty,distinct:all"],
            ["reduce", "-c", "tax", "--op", "sum,max:2-3"],
            ["reduce", "--by", "k", "--op", "sum:price-qty"],
            ["scan", "--op", "sum:price-qty,max:tax"],
            ["select", "--where", "`price-qty` > 1 && tax > 3"],
        ]:
            self.fails(2, *args, "p.csv", says=["is a range of", "p.csv", "one column"])
        self.fails(2, "reduce", "--op", "concat:+:1-2", "p.csv", says=["'1-2' is a range", "one"])
        self.file("x.npy", npy("i32", [1, 2, 3, 4], (2, 2)))
        self.fails(2, "reduce", "--op", "sum:1-2", "x.npy", says=["is a range of 2", "one column"])
        self.assertEqual(self.text("reduce", "--op", "sum:4-4", "p.csv"), "18\n")
        self.assertEqual(self.text("reduce", "--op", "sum:price-qty", "t.csv"), "900\n")

    def test_all_columns_of_nothing_are_none(self):
        self.assertEqual(self.text("scan", "--keep", "all"), "")
        self.assertEqual(self.text("scan", "--keep", "all", "-c", "1"), "")
        self.assertEqual(self.text("reduce", "-c", "all"), "0\n")
        self.assertEqual(self.text("reduce", "--by", "1", "-c", "all"), "")

    def test_the_only_column_may_be_kept_too(self):
        for table, header in [("3\n4\n", ""), ("x\n3\n4\n", "x,sum(x)\n")]:
            for args in [["--keep", "1"], ["--keep", "1", "-c", "1"], ["--keep", "all"]]:
                got = self.text("scan", *args, "--from", "csv", stdin=table)
                self.assertEqual(got, header + "3,3\n4,7\n", args)
        self.assertEqual(self.text("scan", "--keep", "1", stdin="3\n4\n"), "3\t3\n4\t7\n")
        self.assertEqual(self.text("reduce", "--by", "1", stdin="3\n4\n3\n"), "3\t6\n4\t4\n")

    def test_columns_chosen_by_position_keep_their_names(self):
        for by in ["1", "1-1", "k"]:
            for more in [[], ["--sorted"]]:
                got = self.text("reduce", "--by", by, "-c", "2", *more, "p.csv")
                self.assertEqual(got, "k,sum(price)\na,5\nb,7\n", by)
        got = self.text("reduce", "--by", "1", "-c", "2", "--json", "p.csv")
        self.assertEqual(got.splitlines()[0], '{"k":"a","sum(price)":5}')
        self.fails(
            3, "reduce", "--by", "1", "-c", "2", "--sorted", stdin=PLAIN + "a,1,1,1\n", says="--by"
        )

    def test_ranges_of_keys(self):
        table = "a,b,x\n1,1,5\n1,1,6\n1,2,7\n2,2,8\n"
        self.assertEqual(
            self.text("reduce", "--by", "a-b", "-c", "x", "--from", "csv", stdin=table),
            "a,b,sum(x)\n1,1,11\n1,2,7\n2,2,8\n",
        )
        self.assertEqual(
            self.text("scan", "--by", "1-2", "-c", "3", "--no-header", stdin=table[6:]),
            "1,1,5\n1,1,11\n1,2,7\n2,2,8\n",
        )
        self.assertEqual(
            self.text(
                "reduce",
                "--by",
                "1-2",
                "-c",
                "x",
                "--op",
                "concat:+,sum",
                "--from",
                "csv",
                stdin=table,
            ),
            "a,b,concat(x),sum(x)\n1,1,5+6,11\n1,2,7,7\n2,2,8,8\n",
        )
        self.fails(
            3,
            "reduce",
            "--by",
            "a-b",
            "--sorted",
            "-c",
            "x",
            "--from",
            "csv",
            stdin=table + "1,1,3\n",
            says=["--by a,b", "'1,1'"],
        )

    def test_ranges_of_lines_of_text(self):
        table = "1 2 3\n4 5 6 7\n"
        self.assertEqual(self.text("reduce", "-c", "1-2", stdin=table), "5\t7\n")
        self.fails(3, "reduce", "-c", "2-", stdin=table, says="has 4 fields, but the first has 3")
        self.fails(3, "reduce", "-c", "all", stdin=table, says="has 4 fields, but the first has 3")
        self.assertEqual(self.text("reduce", "-c", "all", stdin="1 2\n3 4\n"), "4\t6\n")

    def test_ranges_of_arrays(self):
        self.file("a.npy", npy("i32", [1, 2, 3, 4, 5, 6], (2, 3)))
        self.assertEqual(self.reduced("2-", name="a.npy"), "7\t9\n")
        self.assertEqual(self.reduced("all", name="a.npy"), "5\t7\t9\n")
        self.fails(2, "reduce", "-c", "2-4", "a.npy", says=["no column '4' (of '2-4')", "1 to 3"])

    def test_wrong_ranges(self):
        for columns, says in [
            ("3-2", "reversed: in p.csv column '3' comes after column '2'; write 2-3."),
            ("tax-qty", "reversed: in p.csv column 'tax' comes after column 'qty'"),
            ("2-9", "no column '9' (of '2-9'); it has columns k, price, qty, tax."),
            ("9-", "no column '9' (of '9-')"),
            ("0-2", "no column 0 (of '0-2'); columns are numbered from 1."),
            ("price-nope", "no column 'price-nope'"),
            ("-", "no column '-'"),
        ]:
            self.fails(2, "reduce", "--column=" + columns, "p.csv", says=says)
        self.fails(3, "reduce", "-c", "1-2", "--from", "csv", stdin="", says="is empty")

    def test_no_column_of_empty_input_is_one_of_all(self):
        for ops in ["concat:;:all", "distinct:2,last:all", "count:all,max:1", "sum:all"]:
            for nothing in ["", "\n", "\ufeff", "# comment\n"]:
                self.fails(3, "reduce", "--op", ops, stdin=nothing, says=["is empty", "'all'"])
        self.assertEqual(self.text("reduce", "--column", "all", stdin=""), "0\n")

    def test_a_range_of_positions_needs_no_header(self):
        self.assertEqual(self.text("reduce", "-c", "1-2", stdin="1,2,x\n3,4,y\n"), "4,6\n")
        self.fails(2, "reduce", "-c", "a-b", stdin="1,2\n3,4\n", says="no column 'a-b'")


class WholeRows(ToolTest):
    def test_keep_all_writes_the_row_before_the_results(self):
        self.file("p.csv", PLAIN)
        expected = "k,price,qty,tax,sum(qty)\na,1,2,3,2\na,4,5,6,7\nb,7,8,9,15\n"
        self.assertEqual(self.text("scan", "-c", "qty", "--keep", "all", "p.csv"), expected)
        grouped = expected.replace("9,15", "9,8")
        for by in ["k", "1"]:
            args = ["scan", "-c", "qty", "--by", by, "--keep", "all", "p.csv"]
            self.assertEqual(self.text(*args), grouped)
        back = "k,price,qty,tax,sum(qty)\na,1,2,3,15\na,4,5,6,13\nb,7,8,9,8\n"
        self.assertEqual(
            self.text("scan", "--reverse", "-c", "qty", "--keep", "all", "p.csv"), back
        )

    def test_a_key_that_is_kept_is_written_where_it_is_kept(self):
        self.file("p.csv", PLAIN)
        self.assertEqual(
            self.text("scan", "-c", "qty", "--by", "k", "--keep", "tax,k", "p.csv"),
            "tax,k,sum(qty)\n3,a,2\n6,a,7\n9,b,8\n",
        )
        self.assertEqual(
            self.text("scan", "-c", "all", "--keep", "all", stdin="a,b\n1,2\n3,4\n"),
            "a,b,sum(a),sum(b)\n1,2,1,2\n3,4,4,6\n",
        )

    def test_fields_stay_as_they_are_written(self):
        table = 'name,x\n"a, ""b""",1.50\n" c",2\n'
        self.assertEqual(
            self.text("scan", "-c", "x", "--keep", "all", stdin=table),
            'name,x,sum(x)\n"a, ""b""",1.50,1.5\n" c",2,3.5\n',
        )

    def test_the_only_column_needs_no_choice(self):
        self.assertEqual(
            self.text("scan", "--from", "csv", "--keep", "all", stdin="x\n1\n2\n"),
            "x,sum(x)\n1,1\n2,3\n",
        )


if __name__ == "__main__":
    unittest.main()
