"""Integers that f64 rounds, in a column that has decimals too: verbs that only compare or show
numbers take them as they are written, beside Python's fractions.
"""

import collections
import itertools
import json
import random
import unittest
from fractions import Fraction

from support import SEED, ToolTest

LARGE = [2**53 + 1, 2**53, 2**53 - 1, -(2**53) - 1, 2**60, 2**60 + 1, 2**63 - 1, 2**64 - 1, 10**30]
DECIMALS = ["0.5", "-1.25", "1e17", "9007199254740993.0", "3.0", "3", "0", f"{2**53 + 2}"]


def value(text):
    """An integer is exact, and a decimal an f64."""
    return Fraction(int(text)) if text.lstrip("+-").isdigit() else Fraction(float(text))


def normal(line):
    """A line of results, in which a decimal may be written as an integer."""
    return [repr(float(word)) if word[-1:].isdigit() else word for word in line.split(",")]


def columns(count):
    source = random.Random(SEED)
    for _ in range(count):
        some = source.choices([str(v) for v in LARGE], k=source.randrange(1, 7))
        some += source.choices(DECIMALS, k=source.randrange(0, 5)) + ["0.5"]
        source.shuffle(some)
        yield some


class RoundedIntegers(ToolTest):
    def table(self, x):
        return "x,n\n" + "".join(f"{v},{i}\n" for i, v in enumerate(x))

    def values(self, lines):
        return [value(line) for line in lines]

    def test_sorts(self):
        for x in columns(8):
            exact = self.values(x)
            rows = sorted(range(len(x)), key=lambda i: exact[i])
            got = self.text("sort", "--column", "x", stdin=self.table(x)).splitlines()[1:]
            self.assertEqual(got, [f"{x[i]},{i}" for i in rows])
            down = sorted(range(len(x)), key=lambda i: -exact[i])
            args = ["sort", "--column", "x", "--descending"]
            got = self.text(*args, stdin=self.table(x)).splitlines()[1:]
            self.assertEqual(got, [f"{x[i]},{i}" for i in down])
            got = self.text("sort", "--column", "x", "--top", "3", stdin=self.table(x))
            self.assertEqual(got.splitlines()[1:], [f"{x[i]},{i}" for i in down[:3]])
            got = self.text("sort", "--column", "x", "--unique", stdin=self.table(x))
            kept = [i for i in rows if exact.index(exact[i]) == i]
            self.assertEqual(got.splitlines()[1:], [f"{x[i]},{i}" for i in kept])
            lines = "".join(f"{v}\n" for v in x)
            got = self.values(self.text("sort", stdin=lines).split())
            self.assertEqual(got, sorted(exact))
            got = self.values(self.text("sort", "--unique", stdin=lines).split())
            self.assertEqual(got, sorted(set(exact)))
            got = self.values(self.text("sort", "--top", "2", stdin=lines).split())
            self.assertEqual(got, sorted(exact, reverse=True)[:2])

    def test_runs(self):
        for x in columns(8):
            exact = self.values(x)
            runs = [(v, len(list(run))) for v, run in itertools.groupby(exact)]
            lines = "".join(f"{v}\n" for v in x)
            got = [line.split() for line in self.text("runs", stdin=lines).splitlines()]
            self.assertEqual([(value(v), int(n)) for v, n in got], runs)
            got = self.values(self.text("unique", stdin=lines).split())
            self.assertEqual(got, [v for v, _ in runs])
            got = self.text("scan", "--op", "run:x", stdin=self.table(x)).split()[1:]
            numbers = [i + 1 for i, (_, n) in enumerate(runs) for _ in range(n)]
            self.assertEqual(got, [str(n) for n in numbers])

    def test_operators(self):
        for x in columns(8):
            exact = self.values(x)
            ops = "min:x,max:x,first:x,last:x,mode:x,distinct:x"
            got = self.text("reduce", "--op", ops, stdin=self.table(x)).split()[1].split(",")
            counts = collections.Counter(exact)
            mode = min(counts, key=lambda v: (-counts[v], v))
            want = [min(exact), max(exact), exact[0], exact[-1], mode, len(set(exact))]
            self.assertEqual(self.values(got), want)
            got = self.text("scan", "--op", "max:x", stdin=self.table(x)).split()[1:]
            self.assertEqual(self.values(got), list(itertools.accumulate(exact, max)))
            got = self.text("reduce", "--op", "argmax:x:n,argmin:x:n", stdin=self.table(x))
            want = [exact.index(max(exact)), exact.index(min(exact))]
            self.assertEqual([int(v) for v in got.split()[1].split(",")], want)
            got = self.text("reduce", "--op", "sum:x,max:x", stdin=self.table(x)).split()[1]
            self.assertEqual(value(got.split(",")[1]), max(exact))

    def test_other_values_beside_them_are_taken_as_ever(self):
        """The rows before such an integer have the results that they have without it."""
        words = "0 -0 -0.0 nan inf -inf 0.5 -1e300 1e300 3 3.0 +4 1e5 100000 1e-320 17.25".split()
        source = random.Random(SEED)
        ops = "max:x,min:x,first:x,run:x,argmin:x:n,argmax:x:n,argmin-last:x:n,max-number:x"
        for args in (
            ["scan", "--op", ops],
            ["sort", "--column", "x"],
            ["sort", "--column", "x", "--unique"],
            ["select", "--where", "x >= 0 && x < 100 || x < -1e300"],
            ["unique", "--column", "x"],
            ["runs", "--column", "x"],
        ):
            for _ in range(20):
                x = [*source.choices(words, k=source.randrange(1, 7)), "0.25"]
                source.shuffle(x)
                with_it = self.table([*x, str(2**53 + 1)])
                got = self.text(*args, stdin=with_it).splitlines()
                if args[0] == "scan":
                    got.pop()
                got = [line for line in got if not line.startswith(f"{2**53 + 1},")]
                want = self.text(*args, stdin=self.table(x)).splitlines()
                self.assertEqual([normal(line) for line in got], [normal(line) for line in want], x)

    def test_conditions(self):
        for x in columns(8):
            exact = self.values(x)
            for y in (x[0], str(2**53), str(2**53 + 1), "9007199254740992.0", "0.5"):
                for sign, holds in (
                    ("==", lambda a, b: a == b),
                    ("!=", lambda a, b: a != b),
                    ("<", lambda a, b: a < b),
                    (">=", lambda a, b: a >= b),
                ):
                    if abs(value(y)) >= 2**64:
                        continue
                    got = self.text("select", "--where", f"x {sign} {y}", stdin=self.table(x))
                    want = [f"{x[i]},{i}" for i, v in enumerate(exact) if holds(v, value(y))]
                    self.assertEqual(got.splitlines()[1:], want, f"{sign} {y}")
            inside = f"x in ({2**53 + 1}, {2**60})"
            got = self.text("select", "--where", inside, stdin=self.table(x)).splitlines()[1:]
            want = [f"{x[i]},{i}" for i, v in enumerate(exact) if v in (2**53 + 1, 2**60)]
            self.assertEqual(got, want)
            args = ["select", "--add", "y = x", "--where", f"y > {2**53}", "-c", "n"]
            got = self.text(*args, stdin=self.table(x)).splitlines()[1:]
            want = [(i, v) for i, v in enumerate(exact) if v > 2**53]
            self.assertEqual([(int(a), value(b)) for a, b in (r.split(",") for r in got)], want)

    def test_other_operators_say_that_they_would_round(self):
        table = self.table([str(2**53 + 1), "0.5"])
        for op in ("rank:x", "row-number:x", "lag:x", "argmax:x", "window:2:max:x"):
            says = ["'x' has integers that f64 would round", "--dtype f64"]
            self.fails(3, "scan", "--op", op, stdin=table, says=says)
            self.text("scan", "--dtype", "f64", "--op", op, stdin=table)
        self.fails(3, "reduce", "--op", "largest:1:x", stdin=table, says="--dtype f64")
        got = self.text("reduce", "--op", "sum:x,mean:x,median:x", stdin=table)
        total = float(Fraction(2**53 + 1))
        self.assertEqual(
            [float(v) for v in got.split()[1].split(",")], [total + 0.5, *[total / 2] * 2]
        )

    def test_what_comes_late(self):
        """The whole of a file decides, and the beginning of a stream."""
        late = ["0.5"] * 400_000 + [str(2**53), str(2**53 + 1)]
        name = self.file("late.csv", "x\n" + "".join(f"{v}\n" for v in late))
        ids = self.file(
            "ids.csv", "id,x\n" + "".join(f"{10**17 + i},{v}\n" for i, v in enumerate(late))
        )
        self.assertEqual(
            self.text("reduce", "--op", "max:x,distinct:x", name).split()[1], f"{2**53 + 1},3"
        )
        self.assertEqual(
            self.text("reduce", "--op", "max:x,distinct:x", ids).split()[1], f"{2**53 + 1},3"
        )
        got = self.text("select", "--where", f"x == {2**53}", "-c", "x", name)
        self.assertEqual(got.split(), ["x", str(2**53)])
        stdin = self.content(name)
        says = [":400003:1", f"{2**53 + 1}", "f64 would round", "--dtype f64"]
        for args in (["reduce", "--op", "max:x"], ["sort", "-c", "x"], ["runs", "-c", "x"]):
            self.fails(3, *args, stdin=stdin, says=says)
        got = self.text("reduce", "--dtype", "f64", "--op", "max:x", stdin=stdin)
        self.assertEqual(got.strip(), str(2**53))
        large = f"x\n{2**53 + 1}\n" + "1\n" * 600_000 + "0.5\n"
        for args in (["reduce", "--op", "max:x"], ["sort", "-c", "x"], ["runs", "-c", "x"]):
            self.text(*args, stdin=large, status=3)
            self.assertIn(str(2**53 + 1), self.errors)
        got = self.text("reduce", "--op", "count:x,sum:x", stdin=large)
        self.assertEqual(got.split()[0], "600002")

    def test_several_files(self):
        a = self.file("a.csv", f"x\n{2**53}\n0.5\n{2**53 + 1}\n")
        b = self.file("b.csv", f"x\n{2**53 + 1}\n7\n")
        self.assertEqual(
            self.text("reduce", "--op", "distinct:x,max:x", a, b).split()[1], f"4,{2**53 + 1}"
        )
        self.fails(3, "reduce", "--op", "max:x", b, a, says=["f64 would round", "--dtype f64"])

    def test_other_formats(self):
        rows = "".join(f'{{"x":{v}}}\n' for v in (2**53, 0.5, 2**53 + 1))
        got = self.text("reduce", "--op", "max:x,distinct:x", "--from", "jsonl", stdin=rows)
        self.assertEqual(json.loads(got), {"max(x)": 2**53 + 1, "distinct(x)": 3})
        got = self.text("sort", "-c", "x", "--from", "jsonl", stdin=rows).split()
        self.assertEqual([json.loads(v)["x"] for v in got], [0.5, 2**53, 2**53 + 1])
        for args in (["scan", "--op", "max:x as m"], ["select", "--add", "m = x"]):
            got = self.text(*args, "--from", "jsonl", stdin=rows).splitlines()
            self.assertEqual([json.loads(v)["m"] for v in got][0::2], [2**53, 2**53 + 1])
        euro = f"x;n\n{2**53};1\n0,5;2\n9.007.199.254.740.993;3\n"
        got = self.text("reduce", "--decimal", ",", "--thousands=.", "--op", "max:x", stdin=euro)
        self.assertEqual(got.strip(), str(2**53 + 1))
        missing = f"x\n{2**53 + 1}\n\n0.5\n-999.0\n"
        args = ["reduce", "--skip-missing", "--missing=-999.0", "--op", "min:x,distinct:x"]
        self.assertEqual(self.text(*args, stdin=missing), "0.5\t2\n")

    def test_public_reports(self):
        # tidyverse/readr#976: identifiers of 19 and 20 digits did not survive a round trip.
        ids = ["11898508762506083287", "3266119658877827603", "9104209908849226329"]
        ids += ["7359588353404810659", "14160410518916347259", "16899778266587446382"]
        table = "doi,id\n" + "".join(f"10.{i},{v}\n" for i, v in enumerate(ids))
        got = self.text("sort", "--column", "id", stdin=table).splitlines()[1:]
        self.assertEqual([line.split(",")[1] for line in got], sorted(ids, key=int))
        got = self.text("reduce", "--op", "min:id,max:id,distinct:id", stdin=table).split()[1]
        self.assertEqual(got, f"{ids[1]},{ids[5]},6")
        # Mottie/tablesorter#1161, AutoHotkey/AutoHotkey#234: compared as doubles, they were equal.
        for rows in (["1200100000000000012", "1200100000000000004"], [f"{2**53 + 1}", f"{2**53}"]):
            for beside in ([], ["0.5"]):
                stdin = "".join(f"{v}\n" for v in rows + beside)
                got = self.text("sort", "--descending", stdin=stdin).split()
                self.assertEqual(got, rows + beside)


if __name__ == "__main__":
    unittest.main()
