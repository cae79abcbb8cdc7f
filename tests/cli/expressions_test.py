"""Computed columns: of select, of operators and of groups, beside a second implementation."""

import csv
import io
import random
import unittest

from expressions_model import Refused, agrees, expression, table
from support import SEED, ToolTest

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
            (2, ["--add", "r=if(a, 1, 2)"], "if needs a truth, but this is a number"),
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


if __name__ == "__main__":
    unittest.main()
