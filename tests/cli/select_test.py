"""select --where: conditions, beside Python's own evaluation of them."""

import gzip
import math
import random
import subprocess
import time
import unittest

from support import SEED, TOOL, ToolTest, npy, raw, read_npy

TABLE = "city,sales,day\nKiel,5,2020-01-02\nBonn,1,2020-02-01\nUlm,7,2021-01-01\n"


class Select(ToolTest):
    def cities(self, condition, *flags, table=TABLE):
        got = self.text("select", "--where", condition, "--column", "city", *flags, stdin=table)
        return got.splitlines()[1:]

    def test_conditions(self):
        for condition, expected in [
            ("sales > 3", "Kiel Ulm"),
            ("sales >= 5 && city != 'Ulm'", "Kiel"),
            ("sales < 2 or sales > 6", "Bonn Ulm"),
            ("not (sales = 5)", "Bonn Ulm"),
            ("!(sales == 5) and sales <> 7", "Bonn"),
            ('day >= "2020-02-01" && day < "2021"', "Bonn"),
            ("city in ('Ulm', \"Bonn\")", "Bonn Ulm"),
            ("sales in (1, 5.0)", "Kiel Bonn"),
            ('city ~ "^[KU]"', "Kiel Ulm"),
            ('city !~ "n{2}"', "Kiel Ulm"),
            ('starts_with(city, "K") || ends_with(city, "m")', "Kiel Ulm"),
            ('contains(lower(city), "b")', "Bonn"),
            ('upper(city) == "KIEL"', "Kiel"),
            ("length(city) == 4", "Kiel Bonn"),
            ("sales * 2 + 1 == 11", "Kiel"),
            ("sales / 2 > 2.4 && sales % 2 = 1", "Kiel Ulm"),
            ("abs(-sales) > 6", "Ulm"),
            ("row == 2", "Bonn"),
            ("row != 2 && sales > 0", "Kiel Ulm"),
            ("-sales < -6", "Ulm"),
            ("sales - 2 - 3 == 0", "Kiel"),
            ("sales > 100", ""),
            ("$2 > 3", "Kiel Ulm"),
            ("`sales` > 3 && $1 < 'L'", "Kiel"),
            ("true && sales > 3", "Kiel Ulm"),
        ]:
            self.assertEqual(self.cities(condition), expected.split(), condition)

    def test_rows_stay_as_they_are_written(self):
        table = 'name,x\n"a ""b"", c",1.50\n"  d",2\n'
        self.assertEqual(
            self.text("select", "--where", "x < 2", stdin=table), 'name,x\n"a ""b"", c",1.50\n'
        )
        self.assertEqual(self.text("select", "--where", "x > 1", stdin=table), table)

    def test_empty_fields_stay_empty(self):
        table = "a,b,c\n1,,2\n3,x,\n"
        for text in [table, table.replace(",", "\t"), table.replace("\n", "\r\n")]:
            for command in [
                ["select", "--where", "$1 > 0"],
                ["select", "--where", "$1 > 0", "--column", "1-2,c"],
                ["sort", "--column", "a"],
            ]:
                got = self.text(*command, stdin=text)
                self.assertEqual(got, text.replace("\r", ""), command)
        got = self.text("scan", "--op", "sum:a as s", "--keep", "b", stdin=table)
        self.assertEqual(got, "b,s\n,1\nx,4\n")
        got = self.text("select", "--where", "a > 0", "--column", "b", stdin=table)
        self.assertEqual(got, 'b\n""\nx\n')  # an empty line would be no row
        again = self.text("select", "--where", "row == 1", "--from", "csv", "--header", stdin=got)
        self.assertEqual(again, 'b\n""\n')

    def test_a_table_without_rows_has_no_types(self):
        for condition in ["city == 'x'", "sales > 3 && day ~ 'x'", "length(city) == sales"]:
            for flags in [[], ["--invert"]]:
                got = self.text("select", "--where", condition, *flags, stdin="city,sales,day\n")
                self.assertEqual(got, "city,sales,day\n")
        self.fails(2, "select", "--where", "nosuch == 'x'", stdin="city,sales,day\n")

    def test_a_table_without_rows_gets_the_added_columns(self):
        for where in ('a > "x"', "a > 1", "a"):
            added = ["select", "--where", where, "--add", "c=b", "--add", "d=a+1"]
            self.assertEqual(self.text(*added, stdin="a,b\n"), "a,b,c,d\n")

    def test_fields_of_numbers_are_texts_beside_texts(self):
        table = "zip,x\n01234,5\n1234,7\n,7.0\n1e3,-7\n"
        for condition, expected in [
            ('zip == "01234"', "5"),
            ("zip == '1234'", "7"),
            ('zip != "01234"', "7 7.0 -7"),
            ('zip == ""', "7.0"),
            ('"1e3" == zip', "-7"),
            ('zip in ("1234", "1e3", "5")', "7 -7"),
            ('zip ~ "^0?1"', "5 7 -7"),
            ('zip !~ "3$"', "5 7 7.0"),
            ("length(zip) == 5", "5"),
            ('starts_with(zip, "0") or ends_with(zip, "e3")', "5 -7"),
            ('lower(zip) == "1e3" || upper(zip) == "1E3" && contains(zip, "e")', "-7"),
            ('x == 7 && x == "7"', "7"),
            ('x == "7" or x < 0', "7 -7"),
            ('text(zip) < "1" && x > 0', "5 7.0"),
            ("text(zip) == text(x)", ""),
        ]:
            got = self.text("select", "--where", condition, "-c", "x", stdin=table)
            self.assertEqual(got.splitlines()[1:], expected.split(), condition)
            got = self.text("select", "--where", condition, stdin=table)
            rows = [row.split(",")[1] for row in got.splitlines()[1:]]
            self.assertEqual(rows, expected.split(), condition)
        for condition in ['x > "100"', '"5" <= x', "x == zip && zip < 'a'"]:
            self.fails(
                2,
                "select",
                "--where",
                condition,
                stdin="zip,x\n1,5\n",
                says=["without quotes", "text(x)"],
            )
        self.assertEqual(
            self.text(
                "select", "--where", "x == '1,000'", "--thousands", stdin='x,y\n"1,000",1\n1000,2\n'
            ),
            'x,y\n"1,000",1\n',
        )
        self.assertEqual(
            self.text("select", "--where", '$1 ~ "^3"', stdin="3\n-3\n30\n"), "3\n30\n"
        )
        self.file("x.npy", npy("i8", [3, 4]))
        self.fails(2, "select", "--where", '$1 == "3"', "x.npy", says="with a text")

    def test_texts_of_several_files(self):
        self.file("a.csv", "zip,k,x\n")
        self.file("b.csv", "zip,k,x\n01,u,1\n")
        self.file("c.csv", "zip,k,x\n1,01,2\n01,v,3\n")
        for files in [["a.csv", "b.csv", "c.csv"], ["b.csv", "a.csv", "c.csv"]]:
            for condition, expected in [
                ('zip == "01" && k != "w" && x > 0', ["01,u,1", "01,v,3"]),
                ('k == "01" || x > 2', ["1,01,2", "01,v,3"]),
                ('x == "2" || zip < 1', ["1,01,2"]),
            ]:
                got = self.text("select", "--where", condition, *files)
                self.assertEqual(got.splitlines(), ["zip,k,x", *expected], condition)

    def test_lists(self):
        self.assertEqual(
            self.text("select", "--list", "--where", "$1 > 5", stdin="5 7\n9\n"), "7\n9\n"
        )
        for condition, says in [
            ('$1 == "a"', "with a text"),
            ("x > 3", "write $1"),
            ("$1 > 0 && $2 > 0", "write $1"),
            ('$1 > 0 && $1 ~ "7"', "write $1"),
        ]:
            self.fails(2, "select", "--list", "--where", condition, stdin="5 7\n", says=says)
        self.fails(3, "select", "--list", "--where", "$1 > 0", stdin="a b\n", says="'a'")

    def test_conditions_that_name_no_column(self):
        for table, header in [(TABLE, True), (TABLE[TABLE.index("\n") + 1 :], False)]:
            all = table.splitlines(keepends=True)
            names, rows = (all[:1], all[1:]) if header else ([], all)
            for condition, expected in [
                ("row <= 2", rows[:2]),
                ("row % 2 == 1", rows[::2]),
                ("not (row < 3)", rows[2:]),
                ("1 < 2", rows),
                ("false", []),
            ]:
                got = self.text("select", "--where", condition, stdin=table)
                self.assertEqual(got, "".join(names + expected), condition)
        self.assertEqual(
            self.text("select", "--where", "row == 2", stdin="k x\na 1\nb 2\n"), "k\tx\nb\t2\n"
        )
        self.assertEqual(self.text("select", "--where", "row > 1", stdin="5\n7\n9\n"), "7\n9\n")
        self.assertEqual(
            self.text("select", "--where", "row > 1", "--positions", stdin="a,x\n,1\n,\n"),
            "row\n2\n",
        )
        self.assertEqual(
            self.text("select", "--list", "--where", "row > 2", stdin="5 7\n9\n"), "9\n"
        )
        for flags in [[], ["--positions"], ["--json"]]:
            self.assertEqual(self.text("select", "--where", "row > 1", *flags), "")
        self.file("x.npy", npy("f32", [0.5, -1, 2]))
        self.text("select", "--where", "row != 2", "x.npy", "-o", "y.npy")
        self.assertEqual(read_npy(self.content("y.npy")), ("f32", (2,), [0.5, 2]))
        self.file("a.csv", "k,x\na,1\nb,2\n")
        self.file("b.csv", "k,x\nc,1\nd,2\n")
        self.assertEqual(
            self.text("select", "--where", "row in (2, 3)", "a.csv", "b.csv"), "k,x\nb,2\nc,1\n"
        )

    def test_a_column_named_row_has_backquotes(self):
        table = "row,x\n30,1\n20,2\n"
        for flags in [[], ["--column", "x"]]:
            self.fails(
                2, "select", "--where", "x > 0 && row > 20", *flags, stdin=table, says="`row`"
            )
        self.assertEqual(self.text("select", "--where", "`row` > 20", stdin=table), "row,x\n30,1\n")
        self.assertEqual(self.text("select", "--where", "$1 < 30", stdin=table), "row,x\n20,2\n")
        self.assertEqual(
            self.text("select", "--where", "row > 1", stdin="a,x\nrow,1\nb,2\n"), "a,x\nb,2\n"
        )
        self.file("a.csv", table)
        self.fails(2, "select", "--where", "row > 1", "a.csv", "a.csv", says="`row`")

    def test_invert_positions_and_other_output(self):
        self.assertEqual(self.cities("sales > 3", "--invert"), ["Bonn"])
        self.assertEqual(
            self.text("select", "--where", "sales > 3", "--positions", "--to", "text", stdin=TABLE),
            "1\n3\n",
        )
        self.assertEqual(
            self.text("select", "--where", "sales > 6", "--json", stdin=TABLE),
            '{"city":"Ulm","sales":7,"day":"2021-01-01"}\n',
        )
        self.assertEqual(self.text("select", "--where", "$1 > 1", stdin="1\n2\n3\n"), "2\n3\n")
        self.assertEqual(
            self.text("select", "--where", "x > 1", stdin="k x\na 1\nb 2\n"), "k\tx\nb\t2\n"
        )

    def test_arrays(self):
        self.file("x.npy", npy("f32", [0.5, -1, 2]))
        self.text("select", "--where", "$1 > 0", "x.npy", "-o", "y.npy")
        self.assertEqual(read_npy(self.content("y.npy")), ("f32", (2,), [0.5, 2]))
        self.file("x.raw", raw("i16", [3, -4, 5]))
        self.text("select", "--where", "$1 > 0", "--dtype", "i16", "x.raw", "-o", "y.raw")
        self.assertEqual(self.content("y.raw"), raw("i16", [3, 5]))

    def test_integers_are_exact(self):
        table = "x\n9007199254740992\n9007199254740993\n"
        self.assertEqual(
            self.text("select", "--where", "x == 9007199254740993", stdin=table),
            "x\n9007199254740993\n",
        )
        small, large = 2**63 - 1, 2**64 - 1
        for column, condition, expected in [
            ([small], f"x == {small + 1}", []),
            ([small], f"x < {small + 1}", [small]),
            ([small + 1, 5], f"x == {small + 2}", []),
            ([large - 1, large], f"x >= {large}", [large]),
            ([large - 1, large], f"x in ({large - 1}, 7)", [large - 1]),
            ([large, 5], f"x > {small} and x != -1", [large]),
            ([large, 5], "x > -1", [large, 5]),
            ([large, 5], "x / 2 > 3 && abs(x) > 5.5", [large]),
            ([small + 1, 5], "-x < -6", [small + 1]),
            ([small], f"x <= {large + 1}", [small]),
        ]:
            table = "x\n" + "".join(f"{x}\n" for x in column)
            got = self.text("select", "--where", condition, stdin=table)
            self.assertEqual([int(x) for x in got.splitlines()[1:]], expected, condition)
        for condition in ("-x < -6", "0 - x < -6"):
            says = [f"row 1 has -{large}", "f64 would round"]
            self.fails(3, "select", "--where", condition, stdin=f"x\n{large}\n", says=says)
        self.fails(3, "select", "--where", "x * 9000 > 0", stdin="x\n1\n9007199254740993\n",
                   says=["row 2", "overflows"])  # fmt: skip
        self.fails(
            3, "select", "--where", "7 % x == 1", stdin="x\n3\n0\n", says=["row 2", "divides by 0"]
        )
        self.assertEqual(
            self.text("select", "--where", "7.0 % x == 1", stdin="x\n3\n0\n"), "x\n3\n"
        )

    def test_a_condition_guards_what_follows_it(self):
        table = "x,k\n3,a\n0,b\n9000000000000000000,c\n-2,d\n"
        for condition, expected in [
            ("x != 0 && 6 % x == 0", "ad"),
            ("x == 0 || 6 % x == 0", "abd"),
            ("x < 1000 && x * x * x > 0", "a"),
            ("x > 1000 || (x != 0 && 6 % x == 0 && 3 * x < 0)", "cd"),
        ]:
            got = self.text(
                "select", "--where", condition, "--column", "k", "--threads", "1", stdin=table
            )
            self.assertEqual("".join(got.splitlines()[1:]), expected, condition)
        self.fails(3, "select", "--where", "x > -9 && 6 % x == 0", stdin=table, says="row 2")

    def test_missing_values_are_errors_unless_skipped(self):
        table = "k,x\na,1\nb,\nc,3\n"
        self.fails(3, "select", "--where", "x > 0", stdin=table, says="missing")
        self.assertEqual(
            self.text("select", "--where", "x > 0", "--skip-missing", stdin=table),
            "k,x\na,1\nc,3\n",
        )
        self.assertEqual(
            self.text("select", "--where", "x > 1", "--invert", "--skip-missing", stdin=table),
            "k,x\na,1\n",
        )

    def test_mistakes_say_where(self):
        for condition, says in [
            ("", "ends where a value"),
            ("sales >", "character 8"),
            ("sales > 3 city", "character 11"),
            ("(sales > 3", "')' is missing"),
            ('city == "Ulm', "not closed"),
            ("nosuch > 3", "no column 'nosuch'"),
            ("sales > 'x'", "a number is compared with a text"),
            ("city > 3", "a text is compared with a number"),
            ("city + 1 > 3", "needs a number"),
            ("sales + 1", "--where needs a Boolean"),
            ("sales && true", "needs a Boolean"),
            ("lenght(city) > 1", "did you mean 'length'"),
            ('city ~ "["', "regular expression"),
            ("city ~ sales", "in quotes"),
            ("3x > 1", "not a number"),
            ("$ > 1", "position"),
            ("sales > 3 ; rm", "character 11"),
            ("`sales > 3", "not closed"),
            ("(" * 300 + "sales" + ")" * 300 + "> 1", "nested"),
            ("!" * 100000 + "(sales > 1)", "nested"),
            ("sales" + " + sales" * 10000 + " > 1", "nested operations"),
            ('city ~ "' + "(" * 50000 + ")" * 50000 + '"', "at most 10000"),
        ]:
            self.fails(2, "select", "--where", condition, "-o", "out.csv", stdin=TABLE, says=says)
        self.fails(2, "select", stdin=TABLE, says="--where")

    def test_conditions_may_be_long(self):
        for word, expected in [("||", "Ulm"), ("&&", "")]:
            terms = word.join(f"$2=={i}" for i in range(7, 11500))
            self.assertEqual(self.cities(terms), expected.split(), word)

    def test_regular_expressions_of_long_texts(self):
        long = "a" * 100000
        table = f"k,s\n1,{long}\n2,b\n3,{long}b{long}\n"
        for expression, expected in [
            ("^(a|b)*$", "123"),
            ("^.*$", "123"),
            ("ab", "3"),
            ("^(((((a)))))*$", "1"),
            ("[^a]", "23"),
            ("b$", "2"),
            ("a.*a.*b$", ""),
            ("(a*)*b$", "2"),
        ]:
            got = self.text(
                "select", "--where", f's ~ "{expression}"', "--column", "k", stdin=table
            )
            self.assertEqual("".join(got.splitlines()[1:]), expected, expression)
        table = f"k,s\n1,{'a' * 60}\n2,{'a' * 60}b\n3,{'ab' * 30}\n"
        for expression, expected in [("^(a+)+$", "1"), ("^(a|b|ab)*$", "123"), ("(a*)*c", "")]:
            got = self.text("select", "--where", f's ~ "{expression}"', "-c", "k", stdin=table)
            self.assertEqual("".join(got.splitlines()[1:]), expected, expression)
        condition = r's ~ "^(a|b)b\1$"'
        self.fails(2, "select", "--where", condition, stdin=table, says="no back-references")

    def test_a_late_decimal_and_many_rows(self):
        source = random.Random(SEED)
        rows = [(source.randint(0, 99), source.choice("abc")) for _ in range(150000)] + [(1.5, "z")]
        table = "x,k\n" + "".join(f"{x},{k}\n" for x, k in rows)
        expected = "x,k\n" + "".join(
            f"{x},{k}\n" for x, k in rows if x > 50 and k != "b" or k == "z"
        )
        condition = "x > 50 && k != 'b' or k == 'z'"
        self.assertEqual(self.text("select", "--where", condition, stdin=table), expected)
        self.file("t.csv", table)
        for threads in ["1", "3"]:
            got = self.text("select", "--where", condition, "--threads", threads, "t.csv")
            self.assertEqual(got, expected)

    def test_decimals_that_come_late_in_a_stream_are_compared_as_decimals(self):
        late = [7.25, -2.5, 1e30, -1e30]
        integers = range(1, 300001)
        text = "x\n" + "".join(f"{x}\n" for x in [*integers, *late])
        self.file("late.csv", text)
        self.file("late.csv.gz", gzip.compress(text.encode()))
        for condition, holds in [
            ("x == 7", lambda x: x == 7),
            ("x*2 == -5", lambda x: x * 2 == -5),
            ("x < 0", lambda x: x < 0),
            ("x > 299999", lambda x: x > 299999),
            ("abs(x) in (2.5, 3)", lambda x: abs(x) in (2.5, 3)),
            ("x % 100000 == 7.25", lambda x: math.fmod(x, 100000) == 7.25),
            ("-x == 2.5 || text(x) == '7.25'", lambda x: x in (-2.5, 7.25)),
        ]:
            expected = [float(x) for x in [*integers, *late] if holds(x)]
            for source in [["late.csv"], ["late.csv.gz"], []]:
                stdin = "" if source else text
                got = self.text("select", "--where", condition, *source, stdin=stdin)
                self.assertEqual([float(x) for x in got.split()[1:]], expected, condition)

    def test_rows_that_arrive_apart_are_those_that_arrive_at_once(self):
        for condition in ["$1 == 7", "$1 < 1", "$1 * 2 == 1"]:
            with subprocess.Popen(
                [TOOL, "select", "--where", condition],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            ) as tool:
                for part in [b"1\n7\n", b"0.5\n7.25\n"]:
                    tool.stdin.write(part)
                    tool.stdin.flush()
                    time.sleep(0.3)
                got, _ = tool.communicate(timeout=60)
            once = self.text("select", "--where", condition, stdin="1\n7\n0.5\n7.25\n")
            self.assertEqual(got.decode(), once, condition)


if __name__ == "__main__":
    unittest.main()
