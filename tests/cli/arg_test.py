"""argmax:price:name and its like, the field of another column in the row of an extreme value,
against plain Python."""

import math
import random
import unittest

from support import SEED, ToolTest

OPS = ["argmin", "argmax", "argmin-last", "argmax-last"]


def chosen(op, rows, value=float):
    """The name of the first or last row of the extreme; a NaN is one in both directions."""
    keys = [value(x) for x, _ in rows]
    nans = [i for i, k in enumerate(keys) if isinstance(k, float) and math.isnan(k)]
    best = min(keys) if "min" in op else max(keys)
    at = nans or [i for i, k in enumerate(keys) if k == best]
    return rows[at[-1 if op.endswith("last") else 0]][1]


class Arg(ToolTest):
    def test_it_is_the_field_beside_the_extreme(self):
        rng = random.Random(SEED)
        for round in range(8):
            pool = [
                ["3", "-1", "7", "7", "2.50", "7.0", "1e1"],
                ["b", "ab", "zz", "a", "2015-01-31"],
                ["9007199254740993", "9007199254740992", "9007199254740994", "5"],
                ["1", "nan", "-inf", "4"],
            ][round % 4]
            value = str if round % 4 == 1 else int if round % 4 == 2 else float
            rows = [
                (rng.choice("uv"), rng.choice(pool), f"n{i}") for i in range(rng.randrange(1, 40))
            ]
            table = "k,x,name\n" + "".join(",".join(row) + "\n" for row in rows)
            pairs = [row[1:] for row in rows]
            for op in OPS:
                word = ("--op", f"{op}:x:name", "--from", "csv")
                got = self.text("reduce", *word, stdin=table)
                self.assertEqual(got, chosen(op, pairs, value) + "\n", (op, pairs))
                running = [chosen(op, pairs[: i + 1], value) for i in range(len(pairs))]
                self.assertEqual(self.text("scan", *word, stdin=table).split()[1:], running)
                back = [chosen(op, pairs[i:], value) for i in range(len(pairs))]
                got = self.text("scan", "--reverse", *word, stdin=table).split()[1:]
                self.assertEqual(got, back, (op, pairs))
                for line in self.text("reduce", "--by", "k", *word, stdin=table).split()[1:]:
                    key, name = line.split(",")
                    group = [row[1:] for row in rows if row[0] == key]
                    self.assertEqual(name, chosen(op, group, value))
                cut = rng.randrange(len(rows) + 1)
                for part, begin, of in (("a", 0, rows[:cut]), ("b", cut, rows[cut:])):
                    text = "k,x,name\n" + "".join(",".join(row) + "\n" for row in of)
                    flags = ("--partial", f"{part}.part", "--force", "--from-row", str(begin))
                    self.text("reduce", *word, *flags, stdin=text)
                got = self.text("merge", "b.part", "a.part").split()[-1]
                self.assertEqual(got, chosen(op, pairs, value))

    def test_large_groups_names_and_other_operators(self):
        rng = random.Random(SEED)
        rows = [(rng.choice("pq"), rng.randrange(10**6), i) for i in range(3000)]
        table = "k,x,i\n" + "".join(f"{k},{x},{i}\n" for k, x, i in rows)
        op = "argmax:x:i as at,max:x,argmax:x,argmin:x + 0:k,count"
        got = self.text("reduce", "--by", "k", "--op", op, stdin=table).split("\n")
        self.assertEqual(got[0], 'k,at,max(x),argmax(x),"argmin(x + 0,k)",count')
        for line in got[1:-1]:
            key, at, most, row, name, count = line.split(",")
            group = [r for r in rows if r[0] == key]
            best = max(group, key=lambda r: r[1])
            self.assertEqual([at, most, row], [str(best[2]), str(best[1]), str(best[2])])
            self.assertEqual([name, count], [key, str(len(group))])

    def test_gaps_and_mistakes(self):
        table = "x,name\n3,a\n,b\n5,\n4,d\n"
        flags = ("--skip-missing", "--op", "argmax:x:name")
        self.assertEqual(self.text("reduce", *flags, stdin=table), "d\n")
        got = self.text("scan", *flags, "--from", "csv", stdin=table).split("\n")
        self.assertEqual(got, ['"argmax(x,name)"', "a", '""', '""', "d", ""])
        for text, says in [
            ("x,name\n3,a\n,b\n", "Row 2: '' in column 'x' is a missing value; --skip-missing"),
            ("x,name\n3,a\nhigh,b\n", "Row 2: 'high' in column 'x' is not a number."),
            ("x,name\nhigh,b\n3,a\n", "Row 2: '3' in column 'x' is a number, but the column"),
            ("x,name\n", "no values"),
        ]:
            self.fails(3, "reduce", "--op", "argmax:x:name", stdin=text, says=says)
        for op, says in [
            ("argmax:x:y:z", "argmax:X:NAME"),
            ("argmax:x:", "argmax:X:NAME"),
            ("argmax:x:nmae", "Did you mean 'name'?"),
            ("max_by:x:name", "argmax:X:NAME"),
        ]:
            self.fails(2, "reduce", "--op", op, stdin="x,name\n1,a\n", says=says)


if __name__ == "__main__":
    unittest.main()
