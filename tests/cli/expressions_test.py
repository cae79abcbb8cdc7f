"""Computed columns: of select, of operators and of groups, beside a second implementation."""

import csv
import io
import random
import unittest

from expressions_model import Refused, agrees, expression, table
from support import SEED, ToolTest

# What one value of each function is, and how many arguments it takes.
EXAMPLES = [
    ("if(x < 3, 'few', 'many')", "few", (3, 3)),
    ("coalesce(z, x)", "2.5", (2, 100)),
    ("abs(-x)", "2.5", (1, 1)),
    ("floor(x)", "2", (1, 1)),
    ("ceil(x)", "3", (1, 1)),
    ("round(x)", "3", (1, 2)),
    ("round(x / 8, 2)", "0.31", (1, 2)),
    ("sqrt(x * 10)", "5", (1, 1)),
    ("exp(x - 2.5)", "1", (1, 1)),
    ("log(x / 2.5)", "0", (1, 1)),
    ("min(x, 2, 9)", "2", (2, 100)),
    ("max(x, 2, 9)", "9", (2, 100)),
    ("length(s)", "3", (1, 1)),
    ("text(x)", "2.50", (1, 1)),
    ("lower(s)", "k l", (1, 1)),
    ("upper(s)", "K L", (1, 1)),
    ("trim(concat(' ', s))", "K l", (1, 1)),
    ("substring(s, 3)", "l", (2, 3)),
    ("substring(s, 1, 2)", "K ", (2, 3)),
    ("replace(s, ' ', '--')", "K--l", (3, 3)),
    ("concat(s, x, x * 1)", "K l2.502.5", (2, 100)),
    ("starts_with(s, 'K')", "true", (2, 2)),
    ("ends_with(s, 'K')", "false", (2, 2)),
    ("contains(s, ' ')", "true", (2, 2)),
    ("year(t)", "2024", (1, 1)),
    ("quarter(t)", "2", (1, 1)),
    ("month(t)", "5", (1, 1)),
    ("week(t)", "19", (1, 1)),
    ("weekday(t)", "4", (1, 1)),
    ("day(t)", "9", (1, 1)),
    ("hour(t)", "13", (1, 1)),
    ("minute(t)", "14", (1, 1)),
    ("second(t)", "15", (1, 1)),
    ("days(t)", "19852", (1, 1)),
    ("seconds(t)", "1715260455", (1, 1)),
    ("trunc(t, 'month')", "2024-05-01", (2, 2)),
    ("time(86400 * x)", "1970-01-03T12:00:00Z", (1, 1)),
]
SALES = "city,day,price,qty\nKiel,2024-01-31,2.5,4\nBonn,2024-02-01,10,1\nKiel,2024-02-29,0.5,6\n"


class Expressions(ToolTest):
    def model(self, source, wanted):
        """Random expressions over a random table, many in one run of the tool, beside Python's
        values; those that are refused alone. Returns how many.
        """
        text, rows = table(source)
        name = self.file("t.csv", text)
        good, bad = [], []
        while len(good) < wanted:
            written, kind, function = expression(source)
            try:
                good.append((written, kind, [function(row) for row in rows]))
            except Refused:
                bad.append(written)
            except OverflowError:  # a float beyond Python's
                pass
        adds = [word for n, (e, _, _) in enumerate(good) for word in ("--add", f"e{n}={e}")]
        out = self.text("select", "--skip-missing", *adds, name)
        fields = list(csv.reader(io.StringIO(out)))[1:]
        self.assertEqual(len(fields), len(rows))
        for n, (written, kind, values) in enumerate(good):
            for row, value in enumerate(values):
                got = fields[row][n - len(good)]
                self.assertTrue(agrees(kind, got, value), (written, rows[row], got, value))
        for written in bad[:3]:
            self.fails(3, "select", "--skip-missing", "--add", f"e={written}", name, says="row ")
        return len(good) + len(bad[:3])

    def test_are_what_a_second_implementation_computes(self):
        for seed in range(8):
            self.model(random.Random(SEED + seed), 60)

    def test_have_a_value_of_each_function(self):
        one = "x,z,s,t\n2.50,,K l,2024-05-09T13:14:15Z\n"
        adds = [w for n, (e, _, _) in enumerate(EXAMPLES) for w in ("--add", f"e{n}={e}")]
        out = self.text("select", "--skip-missing", *adds, stdin=one)
        got = list(csv.reader(io.StringIO(out)))[1][4:]
        self.assertEqual(got, [value for _, value, _ in EXAMPLES])
        for name, (least, most) in {e.split("(")[0]: counts for e, _, counts in EXAMPLES}.items():
            for count in {least - 1, most + 1}:
                written = f"e={name}({','.join(['x'] * count)})"
                self.fails(2, "select", "--add", written, stdin=one, says="--add e: ")

    def test_of_powers_and_of_the_largest_naturals(self):
        table = "u,v\n18446744073709551615,1\n0,2\n"
        adds = ["--add", "a=2.5 ** 3", "--add", "b=if(v > 1, u, u)", "--add", "c=floor (v / 2.0)"]
        self.assertEqual(
            self.text("select", "--column", "v", *adds, stdin=table),
            "v,a,b,c\n1,15.625,18446744073709551615,0\n2,15.625,0,1\n",
        )

    def test_evaluate_only_the_part_that_is_needed(self):
        for rows in (1, 2, 3, 5):
            table = "v\n" + "".join(f"{n}\n" for n in range(rows))
            truths = [n != 1 and 6 % (n - 1) == 0 for n in range(rows)]
            expected = ["v\tok"] + [f"{n}\t{str(t).lower()}" for n, t in enumerate(truths)]
            out = self.text("select", "--add", "ok=v != 1 and 6 % (v - 1) == 0", stdin=table)
            self.assertEqual(out.splitlines(), expected)

    def test_say_where_an_error_is(self):
        table = "v\n9223372036854775807\n"
        for written, place in [("v*v", 2), ("v  *v", 4), ("1 +  (v   + v)", 11), ("-(-v - 9)", 6)]:
            self.fails(
                3, "select", "--add", f"w={written}", stdin=table, says=f"character {place};"
            )

    def test_take_the_column_that_is_no_key(self):
        table = "city,x\na,1\nb,2\na,3\n"
        for by, expected in [
            ("city as c", "c,sum(x)\na,4\nb,2\n"),
            ("city,upper(city) as u", "city,u,sum(x)\na,A,4\nb,B,2\n"),
            ("city as c,upper(city)", "c,upper(city),sum(x)\na,A,4\nb,B,2\n"),
        ]:
            self.assertEqual(self.text("reduce", "--by", by, "--op", "sum", stdin=table), expected)
        self.fails(2, "reduce", "--by", "upper(city)", "--op", "sum", stdin=table, says="2 columns")
        self.assertEqual(
            self.text("reduce", "--op", "last:text(x) as t,sum:x*1 as s", stdin="x,y\n007,1\n"),
            "t,s\n007,7\n",
        )
        for keep, kept in [("upper(city)", "A"), ("city as c", "a")]:
            out = self.text("scan", "--op", "sum:x", "--keep", keep, stdin=table)
            self.assertEqual(out.splitlines()[3], f"{kept},6", keep)

    def test_stand_between_columns_of_the_file(self):
        table = "a,b,c,x,y,z\np,q,r,1,20,300\ns,t,u,4,50,600\n"
        out = self.text(
            *("scan", "--keep", "c,upper(b),a", "--op", "sum:z,sum:x*y as xy,sum:y,sum:x"),
            stdin=table,
        )
        rows = list(csv.reader(io.StringIO(out)))
        self.assertEqual(
            rows[1:],
            [list("rQp") + ["300", "20", "20", "1"]] + [list("uTs") + ["900", "220", "70", "5"]],
        )

    def test_need_a_header_for_names_alone(self):
        self.assertEqual(self.text("reduce", "--column", "$1*10", stdin="5\n7\n"), "120\n")
        self.assertEqual(
            self.text("reduce", "--by", "floor($1/10)", stdin="25\n26\n5\n"), "2\t51\n0\t5\n"
        )

    def test_are_columns_of_operators_and_groups(self):
        reduce = lambda *words: self.text("reduce", *words, stdin=SALES)  # noqa: E731
        self.assertEqual(reduce("--op", "sum:price*qty as revenue"), "23\n")
        self.assertEqual(
            reduce("--op", "sum:price*qty,max:if(qty > 3, price, 0) as best,count:`qty`"),
            "sum(price*qty),best,count(qty)\n23,2.5,3\n",
        )
        self.assertEqual(
            reduce("--by", "month(day) as m,city", "--op", "sum:price*qty as r,count"),
            "m,city,r,count\n1,Kiel,10,1\n2,Bonn,10,1\n2,Kiel,3,1\n",
        )
        self.assertEqual(
            reduce("--by", "trunc(day, 'month')", "--op", "sum:qty"),
            "\"trunc(day, 'month')\",sum(qty)\n2024-01-01,4\n2024-02-01,7\n",
        )
        self.assertEqual(
            reduce("--op", "first:lower(city),last:concat(city, '-', qty) as tag"),
            "first(lower(city)),tag\nkiel,Kiel-6\n",
        )
        self.assertEqual(reduce("--op", "slope:qty*2:price*qty"), "-0.6447368421052632\n")
        self.assertEqual(
            reduce("--column", "price*qty,qty", "--op", "sum"), "sum(price*qty),sum(qty)\n23,11\n"
        )
        tens = "".join(f"{n}\n" for n in range(25))
        self.assertEqual(
            self.text("reduce", "--by", "floor($1/10)", stdin=tens), "0\t45\n1\t145\n2\t110\n"
        )
        self.assertEqual(
            self.text("scan", "--op", "sum:price*qty as total", "--keep", "city", stdin=SALES),
            "city,total\nKiel,10\nBonn,20\nKiel,23\n",
        )
        self.assertEqual(
            self.text("sort", "--column", "-price*qty", stdin=SALES),
            SALES,
        )

    def test_names_of_columns_come_first(self):
        table = "a,b,a-b,a*b,user-id\n7,2,100,200,5\n"
        for op, expected in [
            ("sum:a-b", "100"),
            ("sum:a*b", "200"),
            ("sum:`a`-b", "5"),
            ("sum:a - b", "5"),
            ("sum:user-id", "5"),
            ("sum:`user-id`+1", "6"),
            ("sum:-b", "-2"),
            ("sum:b - a", "-5"),
        ]:
            self.assertEqual(self.text("reduce", "--op", op, stdin=table).strip(), expected, op)
        self.assertEqual(
            self.text("reduce", "--column", "a-c", "--op", "sum", stdin="a,b,c\n1,2,3\n"),
            "sum(a),sum(b),sum(c)\n1,2,3\n",
        )
        self.fails(2, "reduce", "--op", "sum:usr-id", stdin=table, says="Did you mean 'user-id'?")
        aa = "aa,bb\n1,2\n"
        self.fails(2, "reduce", "--op", "sum:a*bb", stdin=aa, says="Did you mean 'aa'?")

    def test_names_are_not_comparisons(self):
        for word in ("a>=b", "a!=b", "a<=b", "a==b", "=b", "b"):
            self.fails(2, "select", "--add", word, stdin="a,b\n1,2\n", says="NAME = EXPRESSION")
        for name in ("a>", "a=b", "==", "a !"):
            got = self.text("select", "--add", f"`{name}`=b", stdin="a,b\n1,2\n")
            self.assertEqual(got, f"a,b,{name}\n1,2,2\n")

    def test_added_columns_may_use_earlier_ones(self):
        table = "a,b\n1,4\n6,3\n0,0\n"
        select = lambda *words: self.text("select", *words, stdin=table)  # noqa: E731
        self.assertEqual(
            select("--add", "ratio = a/b", "--add", "twice=ratio*2", "--where", "twice > 1"),
            "a,b,ratio,twice\n6,3,2,4\n",
        )
        self.assertEqual(
            select(
                "--column",
                "b",
                "--add",
                "t = if(a > b, 'more', 'less')",
                "--add",
                "n=7 % b",
                "--where",
                "b != 0",
            ),
            "b,t,n\n4,less,3\n3,more,1\n",
        )
        self.assertEqual(select("--column", "b,a*b as p"), "b,p\n4,4\n3,18\n0,0\n")
        chain = [w for n in range(60) for w in ("--add", f"e{n + 1}=e{n}+e{n}-e{n}")]
        self.assertEqual(select("--add", "e0=a", *chain).splitlines()[2].split(",")[-1], "6")

    def test_refuse_what_cannot_be_computed(self):
        table = "a,b,s,t\n1,2,x,2024-13-01\n9223372036854775807,0,y,2024-02-01\n"
        for status, words, says in [
            (
                2,
                ["--add", "r=a+"],
                "--add r: the expression ends where a value is expected at character 3",
            ),
            (2, ["--add", "r=flor(a)"], "'flor' is not a function; did you mean 'floor'?"),
            (2, ["--add", "r=a+s"], "arithmetic needs a number, but this is a text at character 3"),
            (2, ["--add", "r"], "is not NAME = EXPRESSION"),
            (2, ["--add", "a=b"], "has a column 'a'"),
            (2, ["--add", "r=trunc(t, 'fortnight')"], "trunc needs a unit in quotes: year"),
            (
                2,
                ["--add", "r=substring(s, 1.5)"],
                "substring needs an integer here at character 14",
            ),
            (2, ["--add", "r=if(a, 1, 2)"], "if needs a Boolean, but this is a number"),
            (2, ["--add", "r=if(a > 1, 1, s)"], "stands beside"),
            (2, ["--add", "r=aa+1"], "Did you mean 'a'?"),
            (3, ["--add", "r=a+1"], "--add r: row 2 overflows i64 at character 2"),
            (3, ["--add", "r=a ** 2"], "--add r: row 2 overflows i64"),
            (3, ["--add", "r=a % b"], "--add r: row 2 divides by 0 in '%'"),
            (3, ["--add", "r=year(t)"], "--add r: row 1: '2024-13-01' is not a date or time"),
            (3, ["--add", "r=time(a)"], "row 2: 9.223372036854776e+18 seconds"),
        ]:
            self.fails(status, "select", *words, stdin=table, says=says)
        self.fails(2, "select", stdin=table, says="give --where, --add or --column")
        for status, words, says in [
            (
                2,
                ["--op", "sum:a*"],
                "ends where a value is expected at character 3.\n  a*\n    ^\n",
            ),
            (2, ["--op", "sum:lower(s)"], "'lower(s)' is a text, but numbers are needed here"),
            (2, ["--op", "sum:2*3"], "an expression needs a column"),
            (3, ["--op", "sum:a*a"], "'a*a': row 2 overflows i64 at character 2"),
            (2, ["--op", "sum:a", "--by", "a <"], "ends where a value is expected"),
        ]:
            self.fails(status, "reduce", *words, stdin=table, says=says)

    def test_the_number_of_the_row_needs_no_column(self):
        numbers = "".join(f"{n}\n" for n in range(1, 8))
        thirds = self.text("reduce", "--by", "floor((row-1)/3)", "--op", "mean:1", stdin=numbers)
        self.assertEqual(thirds, "0\t2\n1\t5\n2\t7\n")
        self.assertEqual(self.text("reduce", "--op", "sum:row", stdin=numbers), "28\n")
        self.fails(2, "reduce", "--column", "row", stdin="rows\n1\n", says="Did you mean 'rows'?")

    def test_a_caret_shows_the_place_of_an_error(self):
        table = "s,i\nx,1\n"
        for text, at, shown in [
            ("s == 'héé' s", 12, "s == 'héé' s\n             ^"),
            ("i > ", 5, "i > \n      ^"),
            (
                "i + " * 10 + "i i" + " + i" * 12,
                43,
                f"... i{' + i' * 8} i{' + i' * 8} +...\n{' ' * 40}^",
            ),
        ]:
            says = f"at character {at}.\n  {shown}\n"
            self.fails(2, "select", "--where", text, stdin=table, says=says)
        says = ["row 1: 'x' is not a date", "\n  1 + hour(s)\n      ^\n"]
        self.fails(3, "select", "--add", "h = 1 + hour(s)", stdin=table, says=says)
        says = ["i64 at character 41;", "\n  ...== 'é', 1, i * 9223", f"\n{' ' * 40}^\n"]
        text = "if(s == 'é', 1, i * 9223372036854775807 * 2) > 0"
        self.fails(3, "select", "--where", text, stdin=table, says=says)

    def test_a_decimal_may_come_late(self):
        numbers = "x,y\n" + "1,2\n" * 300000 + "0.5,2\n"
        got = self.text("reduce", "--op", "sum:x*y,count:x", stdin=numbers)
        self.assertEqual(got, "sum(x*y),count(x)\n600001,300001\n")

    def test_a_late_decimal_does_not_change_earlier_integers(self):
        large = f"x\n{2**53 + 1}\n" + "1\n" * 600_000
        says = (f"'x', a number with decimals follows the integer {2**53 + 1}", "--dtype f64")
        for command in (
            ["select", "--where", "x > 9007199254740992"],
            ["select", "--add", "y = x * 2"],
            ["reduce", "--by", "x + 0 as k", "--op", "count:x"],
        ):
            self.text(*command, stdin=large + "0.5\n", status=3)
            for part in says:
                self.assertIn(part, self.errors)
            self.text(*command, stdin=large)
            self.text(*command, stdin=large.replace(str(2**53 + 1), str(2**53)) + "0.5\n")

    def test_missing_values_are_skipped_by_operators(self):
        table = "x,y,t\n1,2,2024-01-05\n,3,\n4,,2024-02-01\n"
        got = self.text(
            "reduce", "--skip-missing", "--op", "sum:x*y,count:x*y,sum:coalesce(y, 10)", stdin=table
        )
        self.assertEqual(got, 'sum(x*y),count(x*y),"sum(coalesce(y, 10))"\n2,1,15\n')
        got = self.text(
            "reduce", "--skip-missing", "--by", "month(t)", "--op", "count", stdin=table
        )
        self.assertEqual(got, "month(t),count\n1,1\n,1\n2,1\n")
        self.fails(3, "reduce", "--by", "month(t)", "--op", "count", stdin=table, says="row 2: ''")

    def test_public_reports(self):
        # johnkerl/miller#2020: columns that are named by years.
        rows = [("Apples", 1, 1.1, 1.3, 1.5), ("Bananas", 0.7, 0.79, 1, 1.1)]
        table = "Fruit,2017,2018,2019,2020\n"
        table += "".join(",".join(str(v) for v in row) + "\n" for row in rows)
        total = "Total = `2017` + `2018` + `2019` + `2020`"
        got = self.text("select", "--header", "--add", total, stdin=table).splitlines()[1:]
        self.assertEqual(
            [float(line.split(",")[-1]) for line in got],
            [sum(numbers) for _, *numbers in rows],
        )
        total = "Total = $2 + $3 + $4 + $5"
        self.fails(3, "select", "--add", total, stdin=table, says=["'2017'", "--header"])
        # johnkerl/miller#1001: a sum of fields of which some are empty.
        table = "x,y,z\n3,6,\n2,,7\n2,,\n1,5,8\n"
        total = "sum = x + coalesce(y, 0) + coalesce(z, 0)"
        got = self.text("select", "--skip-missing", "--add", total, stdin=table).splitlines()
        self.assertEqual(got[1:], ["3,6,,9", "2,,7,9", "2,,,2", "1,5,8,14"])


if __name__ == "__main__":
    unittest.main()
