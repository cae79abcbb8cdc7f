"""Exact sums and products of decimal numbers, against Python's decimal."""

import math
import random
import unittest
from decimal import Decimal, localcontext

from support import SEED, ToolTest


def written(rng):
    """A number as people write it."""
    text = str(rng.randrange(10 ** rng.randrange(1, 15)))
    if rng.random() < 0.7:
        text += "." + "".join(rng.choices("0123456789", k=rng.randrange(0, 7)))
    return rng.choice(["", "", "-", "+"]) + text


def total(texts):
    with localcontext() as exact:
        exact.prec = 60
        # A point without digits, and a zero with a sign, are as their number.
        value = sum((Decimal(t.rstrip(".") if "." in t else t) for t in texts), Decimal(0))
    return format(value + 0 if value else abs(value), "f")


class Decimals(ToolTest):
    def test_sums_and_running_sums_are_those_of_python(self):
        rng = random.Random(SEED)
        for _ in range(20):
            rows = [(rng.choice("abc"), written(rng)) for _ in range(rng.randrange(1, 40))]
            table = "k,x\n" + "".join(f"{k},{x}\n" for k, x in rows)
            x = [x for _, x in rows]

            def results(*args, table=table):
                return self.text(
                    *args, "--from", "csv", "--op", "decimal-sum:x", stdin=table
                ).split()

            self.assertEqual(results("reduce"), [total(x)])
            self.assertEqual(results("scan")[1:], [total(x[: i + 1]) for i in range(len(x))])
            for line in results("reduce", "--by", "k")[1:]:
                key, value = line.split(",")
                self.assertEqual(value, total([x for k, x in rows if k == key]))

    def test_money_that_is_0_is_0_and_pieces_agree(self):
        money = "x\n0.10\n0.20\n-0.30\n"
        args = ("reduce", "--from", "csv", "--column", "x", "--op", "decimal-sum")
        self.assertEqual(self.text(*args, stdin=money), "0.00\n")
        for i, rows in enumerate(("0.10\n0.2\n", "-0.300\n")):
            name = self.file(f"{i}.csv", "x\n" + rows)
            where = ("--from-row", str(2 * i), "--partial", f"{i}.part")
            self.text("reduce", name, "--op", "decimal-sum:x", *where)
        self.assertEqual(self.text("merge", "0.part", "1.part").split()[-1], "0.000")

    def test_products_have_the_digits_of_all_factors(self):
        rng = random.Random(SEED)

        def product(texts):
            with localcontext() as exact:
                exact.prec = 60
                value = math.prod(map(Decimal, texts), start=Decimal(1))
            return format(value or abs(value), "f")

        for _ in range(10):
            rows = [
                (rng.choice("ab"), f"{rng.randrange(-300, 300) / 100:.{rng.randrange(3)}f}")
                for _ in range(rng.randrange(1, 12))
            ]
            x = [v for _, v in rows]
            table = ["k,x", *map(",".join, rows)]
            of_x = ("--from", "csv", "--op", "decimal-product:x")
            text = "\n".join(table)
            self.assertEqual(self.text("reduce", *of_x, stdin=text).split(), [product(x)])
            running = self.text("scan", *of_x, stdin=text).split()[1:]
            self.assertEqual(running, [product(x[: i + 1]) for i in range(len(x))])
            for line in self.text("reduce", "--by", "k", *of_x, stdin=text).split()[1:]:
                key, value = line.split(",")
                self.assertEqual(value, product([v for k, v in rows if k == key]))
            cut = rng.randrange(len(rows))
            for name, part, begin in (("a", rows[:cut], 0), ("b", rows[cut:], cut)):
                text = "\n".join(["k,x", *map(",".join, part)])
                flags = ("--partial", f"{name}.part", "--force", "--from-row", str(begin))
                self.text("reduce", *of_x, *flags, stdin=text)
            self.assertEqual(self.text("merge", "a.part", "b.part").split()[-1], product(x))
        many = "x\n" + "1.05\n" * 19
        of_x = ("reduce", "--op", "decimal-product:x")
        self.fails(3, *of_x, stdin=many, says="decimal-product: a product of column 'x' has more")

    def test_missing_values_are_left_out_and_others_refused(self):
        gaps = "x,y\n1.5,1\n,2\nNA,3\n2.25,4\n"
        args = ("reduce", "--skip-missing", "--op", "decimal-sum:x,sum:y")
        self.assertEqual(self.text(*args, stdin=gaps).split()[-1], "3.75,10")
        of_x = ("reduce", "--op", "decimal-sum:x")
        self.fails(3, *of_x, stdin='x\n"1,5"\n', says="'1,5' in column 'x' is not a decimal")
        self.fails(
            3, *of_x, stdin=f"x\n{'9' * 38}\n1\n", says="a sum of column 'x' has more than 38"
        )
        for number in ("1.7e308", "9" * 39):  # is one, so no option is to blame
            self.fails(3, *of_x, stdin=f"x\n{number}\n", says="of up to 38 digits, such as -12.50.")
        self.fails(2, "reduce", "--op", "decimal-sum", stdin="1\n", says="choose the columns")


if __name__ == "__main__":
    unittest.main()
