"""Amounts of money (--currency), and exact means of decimals, against Python's decimal."""

import math
import random
import unittest
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from support import SEED, ToolTest

SIGNS = ["", "$", "€", "£", "US$", "kr ", "EUR ", "₹ ", "CHF\u00a0", "R$", "Rs.", "zł"]


def mean(values):
    """Exact if it has finitely many digits, otherwise with six more than the finest value."""
    with localcontext() as exact:
        exact.prec = 80
        total, scale = sum(values, Decimal(0)), max(-v.as_tuple().exponent for v in values)
        n = len(values)
        for digits in range(scale, 39):
            quotient = total.scaleb(digits) / n
            if quotient == quotient.to_integral_value():
                return f"{quotient.scaleb(-digits):.{digits}f}"
        step = Decimal(1).scaleb(-scale - 6)
        return format((total / n).quantize(step, ROUND_HALF_EVEN), "f")


def written(value, sign, rng, comma=False):
    """An amount as people write it: its currency before or after, negatives in four ways."""
    text = f"{abs(value):,.2f}"
    if comma:
        text = text.translate(str.maketrans(",.", ".,"))
    text = sign + text if sign and rng.random() < 0.5 else text + (" " + sign).rstrip()
    if value < 0:
        text = rng.choice(["-{}", "({})", "{}-", "\u2212{}"]).format(text)
    return text


class Money(ToolTest):
    def test_amounts_are_the_numbers_that_they_mean(self):
        rng = random.Random(SEED)
        for sign in SIGNS:
            for comma in (False, True):
                values = [Decimal(rng.randrange(-(10**9), 10**9)).scaleb(-2) for _ in range(50)]
                table = "x;y\n" + "".join(f"{written(v, sign, rng, comma)};1\n" for v in values)
                flags = ["--currency"] + (["--decimal", ","] if comma else [])
                got = self.text(
                    "reduce", *flags, "--op", "decimal-sum:x,exact-sum:x,count:x", stdin=table
                )
                exact, rounded, count = got.split()[-1].split(";")
                self.assertEqual(exact, str(sum(values)), (sign, comma))
                self.assertEqual(float(rounded), math.fsum(map(float, values)))
                self.assertEqual(count, "50")

    def test_rows_are_chosen_and_sorted_by_amounts_and_stay_as_they_are(self):
        table = 'k,x\na,"$1,234.50"\nb,($5.00)\nc,$20\n'
        got = self.text("sort", "-c", "x", "--currency", stdin=table)
        self.assertEqual(got, 'k,x\nb,($5.00)\nc,$20\na,"$1,234.50"\n')
        got = self.text("select", "--currency", "--where", "x < 0", stdin=table)
        self.assertEqual(got, "k,x\nb,($5.00)\n")
        got = self.text("reduce", "--currency", "--op", "argmax:x:k,max:x", stdin=table)
        self.assertEqual(got.split()[-1], "a,1234.5")
        indian = 'x,y\n"₹12,34,567.50",1\n"₹1,00,000",1\n'
        self.assertEqual(self.text("reduce", "--currency", "-c", "x", stdin=indian), "1334567.5\n")

    def test_what_may_mean_two_numbers_is_refused(self):
        for flags, amount, says in [
            ([], "€1.234", "give --decimal . or --decimal ,"),
            ([], "12.345 EUR", "give --decimal . or --decimal ,"),
            ([], "1,50 €", "for decimal commas use --decimal ,"),
            ([], "1.234,50", "for decimal commas use --decimal ,"),
            (["--decimal", ","], "1,234.50", "for decimal points use --decimal ."),
            ([], "CHF 5.-", "is not a"),
            ([], "5,-", "is not a"),
            ([], "(-5)", "is not a"),
            ([], "-5-", "is not a"),
            ([], "(5", "is not a"),
            ([], "$5 EUR USD", "is not a"),
            ([], "5 MIO", "is not a"),
            ([], "1,2,345", "is not a"),
            ([], "1,234,56", "is not a"),
            ([], "123,45,678", "is not a"),
            ([], "12,345,67,890", "is not a"),
        ]:
            table = f"x;y\n1;1\n{amount};1\n"
            for op, place in [("sum:x", "3:1: "), ("decimal-sum:x", "Row 2: ")]:
                self.fails(
                    3,
                    "reduce",
                    "--currency",
                    *flags,
                    "--op",
                    op,
                    stdin=table,
                    says=[place + f"'{amount}' in column 'x'", says],
                )
        for flags, amount, value in [
            (["--decimal", "."], "€1.234", "1.234"),
            (["--decimal", ","], "€1.234", "1234"),
            ([], "$0.125", "0.125"),
            ([], "$1234.567", "1234.567"),
            ([], "5.€", "5"),
            ([], "(kr. 5) ", "-5"),
            ([], "$1,234", "1234"),
            ([], "$.50", "0.50"),
            (["--thousands='", "--decimal=."], "CHF 1'234.50", "1234.50"),
        ]:
            table = f"x;y\n{amount};1\n"
            got = self.text("reduce", "--currency", *flags, "--op", "decimal-sum:x", stdin=table)
            self.assertEqual(got, value + "\n", amount)
        self.fails(3, "reduce", "-c", "x", stdin="x;y\n1;2\n$5;3\n", says="--currency")
        self.fails(3, "reduce", "-c", "x", stdin="x;y\n1;2\n€1.000,5;3\n", says="--decimal ,")

    def test_two_currencies_are_not_added(self):
        table = "x,y\n$1,1\n2,1\n€3,1\n"
        for op in ("sum:x", "decimal-sum:x", "argmax:x:y"):
            self.fails(
                3, "reduce", "--currency", "--op", op, stdin=table, says="in another currency"
            )
        for i, mark in enumerate("$€"):
            self.file(f"{i}.csv", f"x\n{mark}1\n{mark}2\n")
        self.fails(3, "reduce", "--currency", "0.csv", "1.csv", says="in another currency")

    def test_each_column_has_its_currency(self):
        table = "a,b,c\n$1.50,€2,1\n$2,€3,€4\n"
        ops = "sum:a,sum:b,decimal-sum:c,argmax:b:a,sum:b/a as r"
        got = self.text("reduce", "--currency", "--op", ops, stdin=table)
        self.assertEqual(got.split()[-1], "3.5,5,5,$2,2.833333333333333")
        got = self.text("select", "--currency", "--where", "a < b and b > 2", stdin=table)
        self.assertEqual(got, "a,b,c\n$2,€3,€4\n")
        for i, mark in enumerate("$€"):
            self.file(f"{i}.csv", f"a,b\n{mark}1,£2\n")
        self.assertEqual(self.text("reduce", "--currency", "-c", "b", "0.csv", "1.csv"), "4\n")
        says = ["in column 'a' is in another currency"]
        self.fails(3, "reduce", "--currency", "-c", "a,b", "0.csv", "1.csv", says=says)

    def test_means_are_exact_or_rounded_at_the_stated_digit(self):
        rng = random.Random(SEED)
        for _ in range(12):
            rows = [
                (rng.choice("ab"), f"{rng.randrange(-(10**6), 10**6) / 100:.{rng.randrange(3)}f}")
                for _ in range(rng.randrange(1, 30))
            ]
            table = "k,x\n" + "".join(f"{k},{x}\n" for k, x in rows)
            x = [Decimal(v) for _, v in rows]
            args = ("--from", "csv", "--op", "decimal-mean:x,decimal-sum:x")
            got = self.text("reduce", *args, stdin=table).split()[1]
            self.assertEqual(got, f"{mean(x)},{sum(x)}")
            running = self.text("scan", *args, stdin=table).split()[1:]
            self.assertEqual(
                [r.split(",")[0] for r in running], [mean(x[: i + 1]) for i in range(len(x))]
            )
            for line in self.text("reduce", "--by", "k", *args, stdin=table).split()[1:]:
                key, *values = line.split(",")
                group = [Decimal(v) for k, v in rows if k == key]
                self.assertEqual(values, [mean(group), str(sum(group))])
            cut = rng.randrange(len(rows))
            for name, part in (("a", rows[:cut]), ("b", rows[cut:])):
                begin = ("--from-row", str(0 if name == "a" else cut))
                text = "k,x\n" + "".join(f"{k},{v}\n" for k, v in part)
                flags = ("--partial", f"{name}.part", "--force", *begin)
                self.text("reduce", *args, *flags, stdin=text)
            self.assertEqual(self.text("merge", "a.part", "b.part").split()[1], got)

    def test_kept_columns_stand_beside_exact_results(self):
        table = "k,x,n\nb,0.10,u\na,0.20,v\nb,0.30,w\n"
        flags = ["scan", "--op", "decimal-sum:x,sum:x,argmax:x:n as at"]
        got = self.text(*flags, "--keep", "n", stdin=table)
        self.assertEqual(
            got.split("\n")[:3],
            ["n,decimal-sum(x),sum(x),at", "u,0.10,0.1,u", "v,0.30,0.30000000000000004,v"],
        )
        got = self.text(*flags, "--keep", "all", "--by", "k", stdin=table)
        self.assertEqual(got.split("\n")[-2], "b,0.30,w,0.40,0.4,w")

    def test_means_without_values_and_with_gaps(self):
        self.fails(3, "reduce", "--op", "decimal-mean:x", stdin="x\n", says="no values")
        table = "k,x\na,1.00\na,\nb,\na,2.00\n"
        got = self.text(
            "reduce", "--by", "k", "--skip-missing", "--op", "decimal-mean:x", stdin=table
        )
        self.assertEqual(got, "k,decimal-mean(x)\na,1.50\nb,\n")
        got = self.text("scan", "--carry-missing", "--op", "decimal-mean:x", stdin=table)
        self.assertEqual(got.split(), ["decimal-mean(x)", "1.00", "1.00", "1.00", "1.50"])
        self.fails(3, "reduce", "--op", "decimal-mean:x", stdin="x\n1\nNaN\n", says="Row 2: 'NaN'")
        wrong = "k,x\n" + "".join(f"{'ab'[i % 2]},{i}\n" for i in range(900)) + "a,1.2.3\n"
        for flags in (["--by", "k"], [], ["--by", "k", "--allow-repeats"]):
            op = ["--op", "decimal-mean:x"]
            self.fails(3, "reduce", *flags, *op, stdin=wrong, says="Row 901: '1.2.3'")
        for flags in (["--reverse"], ["--by", "k"]):
            self.fails(3, "scan", *flags, *op, stdin=wrong, says="Row 901: '1.2.3'")

    def test_the_separator_follows_the_option_at_once(self):
        table = self.file("sales.csv", 'Product,Price\nA,1200\nB,"13,000"\nC,250\n')
        args = ["reduce", "--column", "Price", "--op", "min,max,mean"]
        # BurntSushi/xsv#22: a price of 13,000 made the largest one 800.
        got = self.text(*args, "--thousands=,", table)
        self.assertEqual(got.splitlines()[1], f"250,13000,{(1200 + 13000 + 250) / 3!r}")
        for separator in (",", ".", "'"):
            says = f"write --thousands={separator}"
            self.fails(2, *args, "--thousands", separator, table, says=says)


if __name__ == "__main__":
    unittest.main()
