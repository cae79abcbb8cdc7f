"""Integers that f64 does not hold, in every operator: exact, rounded once, or refused, beside
Python's integers and fractions.
"""

import base64
import random
import unittest
import zlib
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

from support import SEED, ToolTest, npy

BORDERS = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1, 2**63 - 7, 2**63 - 2, 2**63 - 1]
SIGNED = [-(2**63), -(2**63) + 1, -(2**53) - 1, -1, 0, 1]
UNSIGNED = [2**63, 2**63 + 1, 2**64 - 1025, 2**64 - 2, 2**64 - 1, 0, 1]
# A state of `reduce --op max-drawdown log.txt --resume` and a part of `--op drawdown`, both of
# integers, which were written before drawdowns of integers were exact.
OLD_STATE = (
    "eNptUstuwjAQDBz7FWjPCUpCCiinSv2BXnqKEHXJAhZJ7PrRgBB/VPV/eutf9No1hqIUfIlnJuuZXdtK3SLKgWTKcFbp"
    "u17QC176wXHtwXoZcoiHyTCGEJRoNeRFHKazEPSGS4kl5DEJ+GZRG9IKiCIh6d+abaNSsbYUbQOz0PGvO+JP+4WobN1c"
    "cMWp/A+VZifxAp1VVHOtebP6x7pIUcvN+lq/ItiW6yOi9LaRFVu4+EvqHEOgcHlBwoY3pfZbn9GBPTSsRpqEpwYJHeMz"
    "5sDHGaE10/N3VtEUIDfK4oHqDW7N6aia7eYtL7HxagiNrVHxxVxIVMwI1XHpzC4Euh/iDSqS4BzL74VZozp5MO05RvcQ"
    "n/07BjN3U9pWx1SFbzx201gKVbuyY4nrDStec+84cN0hKx04zUoLqxYUtMjoKYTJZJIl2XSS3SfT0XiUpqNxdpMko5US"
    "9KwgTw4P/pkF0+D26nfQ9+PtbxB8fP48p1+Dp18tpMsB"
)
OLD_PART = (
    "eNptUktOwzAQTSux4RComrVTpQgBygqJY0RVZZopterYxh/Squoh2HEQTsBJ2HMJxnHaqrTexO+9zMyb8QTjWkQzMtx6"
    "waW7HmSD7GaYdWcLIclQQjGejAtgYHXroKwKdjtl4FbCGKyhLEjAt4DOk1ZBnmtD/9aWt7VuFUxZ5F42xPX3uZahUUcs"
    "BYUeUO03Bo8wlskb4ZxQr//YaCdvhV+e62cEXwvXIXIelJF8Hq0vqGtkQObKioSVULVL1+Qxgi0o3iBNIVGjSWyu81iC"
    "uL8jtORu9s4lTQBKbwPuKN7j2vepGr6ZtaJGlVQGKjRoxXymDVrutT2pcpgbA3oX4jxaomFvKd21X6Lt83OXOE7zL/a1"
    "T5JP4wu5IDtHVWq6iJNYaNvEsC4k9oVSNCJVHMXOkNcR9HN6tZqWAsrJ7iktSfaYXT7DE/TzfPlLW/Z19fH9+fD7B+YI"
    "usA="
)


def columns(count):
    source = random.Random(SEED)
    for _ in range(count):
        for among in (BORDERS + SIGNED, BORDERS + UNSIGNED):
            yield source.choices(among, k=source.randrange(1, 7))


def quantile(x, q):
    x = sorted(x)
    place = q * (len(x) - 1)
    below = place.numerator // place.denominator
    return x[below] + (place - below) * (x[min(below + 1, len(x) - 1)] - x[below])


def falls(x):
    return [max(x[: i + 1]) - v for i, v in enumerate(x)]


class WideIntegers(ToolTest):
    def rounded(self, got, expected):
        self.assertEqual([float(v) for v in got], [float(v) for v in expected])

    def exact(self, got, expected):
        self.assertEqual(got, [str(v) for v in expected])

    def scanned(self, op, x, *args):
        return self.text("scan", "--op", op, *args, stdin="".join(f"{v}\n" for v in x)).split()

    def reduced(self, op, x):
        return self.text("reduce", "--op", op, stdin="".join(f"{v}\n" for v in x)).split()

    def test_scans(self):
        for x in columns(6):
            so_far = [x[: i + 1] for i in range(len(x))]
            deepest = [max(falls(part)) for part in so_far]
            self.rounded(self.scanned("drawdown", x), falls(x))
            self.rounded(self.scanned("max-drawdown", x), deepest)
            self.exact(self.scanned("max", x), [max(part) for part in so_far])
            self.exact(self.scanned("window:2:min", x), [min(part[-2:]) for part in so_far])
            self.exact(self.scanned("rank", x), [1 + sum(v < w for v in x) for w in x])
            self.exact(self.scanned("distinct", x), [len(set(part)) for part in so_far])
            self.exact(self.scanned("lag", x, "--init", "0"), [0, *x[:-1]])
            self.rounded(self.scanned("exact-sum", x), [sum(part) for part in so_far])
            for gap in (1, 2**53 + 1, 2**63):
                numbers = [1 + sum(b - a > gap for a, b in zip(p, p[1:])) for p in so_far]
                self.exact(self.scanned(f"session:{gap}", x), numbers)
            if total := sum(x):
                self.rounded(self.scanned("share", x), [Fraction(v, total) for v in x])
                shares = [Fraction(sum(part), total) for part in so_far]
                self.rounded(self.scanned("cumulative-share", x), shares)
            if max(x) > 0:
                relative = [Fraction(f, max(p)) for f, p in zip(falls(x), so_far) if max(p) > 0]
                got = [
                    v for v, p in zip(self.scanned("relative-drawdown", x), so_far) if max(p) > 0
                ]
                self.rounded(got, relative)

    def test_reductions(self):
        for x in columns(6):
            for q in ("0", "0.25", "0.5", "0.625", "1"):
                want = float(quantile(x, Fraction(q)))
                self.rounded(self.reduced(f"quantile:{q}", x), [want])
            self.rounded(self.reduced("max-drawdown", x), [max(falls(x))])
            self.rounded(self.reduced("drawdown", x), falls(x)[-1:])
            self.rounded(self.reduced("exact-sum", x), [sum(x)])
            self.exact(self.reduced("min,max", x), [min(x), max(x)])
            self.exact(self.reduced("largest:1,smallest:1", x), [max(x), min(x)])
            self.exact(self.reduced("argmax,argmin", x), [x.index(max(x)), x.index(min(x))])
            most = max(x.count(v) for v in x)
            self.exact(self.reduced("mode", x), [min(v for v in x if x.count(v) == most)])
            self.exact(self.reduced("distinct", x), [len(set(x))])
            gaps = sum(b - a > 1 for a, b in zip(x, x[1:]))
            self.exact(self.reduced("session:1.5", x), [1 + gaps])
            for form, tail in (("%.0f", ""), ("%.2f", ".00")):
                got = self.text("reduce", "--number-format", form, stdin=f"{x[0]}\n")
                self.assertEqual(got, f"{x[0]}{tail}\n")

    def test_groups_and_arrays(self):
        x = [2**63 - 1, 5, 2**63 - 7, -(2**63), 2**63 - 3, 4]
        rows = "k,x\n" + "".join(f"{i % 2},{v}\n" for i, v in enumerate(x))
        got = self.text("scan", "--by", "k", "--op", "drawdown:x", stdin=rows).split()[1:]
        want = [falls(x[i % 2 : i + 1 : 2])[-1] for i in range(len(x))]
        self.rounded([v.split(",")[1] for v in got], want)
        got = self.text("reduce", "--by", "k", "--op", "max-drawdown:x", stdin=rows).split()[1:]
        self.rounded([v.split(",")[1] for v in got], [max(falls(x[0::2])), max(falls(x[1::2]))])
        self.file("x.npy", npy("i64", x, shape=(3, 2)))
        got = self.text("reduce", "--axis", "0", "--op", "max-drawdown", "x.npy", "--to", "text")
        self.rounded(got.split(), [max(falls(x[0::2])), max(falls(x[1::2]))])
        self.file("u.npy", npy("u64", [2**64 - 1, 2**64 - 7, 2**64 - 2]))
        got = self.text("scan", "--op", "drawdown", "u.npy", "--to", "text")
        self.rounded(got.split(), [0, 6, 1])
        got = self.text("scan", "--reverse", "--op", "drawdown", "u.npy", "--to", "text")
        self.rounded(got.split(), [0, 5, 0])

    def test_pieces(self):
        x = [2**63 - 1, 2**63 - 2, 2**63 - 9, 2**63 - 4, 2**63 - 20]
        op = ["--op", "drawdown,max-drawdown"]
        for cut in range(1, len(x)):
            for name, first, part in (("a", 0, x[:cut]), ("b", cut, x[cut:])):
                rows = "".join(f"{v}\n" for v in part)
                args = [*op, "--from-row", str(first), "--partial", name, "--force"]
                self.text("reduce", *args, stdin=rows)
            self.rounded(self.text("merge", "a", "b").split(), [19, 19])
            rest = "".join(f"{v}\n" for v in x[cut:])
            got = self.text("scan", *op, "--after", "a", stdin=rest).split()
            self.rounded(got[0::2], falls(x)[cut:])
        for name, first, rows in (("e", "0", f"{2**53}\n"), ("f", "1", f"{2**53 + 1}\n")):
            args = ["--op", "session:0", "--from-row", first, "--partial", name]
            self.text("reduce", *args, stdin=rows)
        self.assertEqual(self.text("merge", "e", "f"), "2\n")
        self.text("reduce", *op, "--partial", "c", stdin="4\n1\n")
        self.text("reduce", *op, "--from-row", "2", "--partial", "d", stdin="0.5\n3\n")
        self.assertEqual(self.text("merge", "c", "d"), "1\t3.5\n")

    def test_growing_files(self):
        args = ["reduce", "--op", "max-drawdown", "log.txt", "--resume", "state"]
        rows = ""
        for value, deepest in ((2**63 - 1, 0), (2**63 - 3, 2), (2**63 - 2, 2), (2**63 - 8, 7)):
            rows += f"{value}\n"
            self.file("log.txt", rows)
            self.assertEqual(self.text(*args), f"{deepest}\n")

    def test_older_parts_and_states_are_refused(self):
        rows = f"{2**63 - 1}\n{2**63 - 2}\n"
        self.file("log.txt", rows)
        self.file("state", zlib.decompress(base64.b64decode(OLD_STATE)))
        args = ["reduce", "--op", "max-drawdown", "log.txt", "--resume", "state"]
        self.fails(
            3, *args, says=["state has drawdowns or sessions of 64-bit", "remove this state"]
        )
        self.file("part", zlib.decompress(base64.b64decode(OLD_PART)))
        says = ["part has drawdowns or sessions of 64-bit", "--partial"]
        self.fails(3, "merge", "part", says=says)
        self.fails(3, "scan", "--op", "drawdown", "--after", "part", stdin="1\n", says=says)

    def test_a_width_is_an_integer(self):
        rows = f"t,x\n0,1\n{2**53},2\n{2**53 + 1},4\n"
        got = self.text("scan", "--op", f"window-by:{2**53 + 1}:sum:x:t", stdin=rows)
        self.assertEqual(got.splitlines()[1:], ["1", "3", "6"])

    def test_interpolation(self):
        def filled(x, *args):
            return self.text("scan", "--op", *args, "--carry-missing", stdin=x).split()[1:]

        known = f"x,y\n{2**53},1\n,2\n{2**53 + 4},3\n"
        self.exact(filled(known, "interpolate:x"), [2**53, 2**53 + 2, 2**53 + 4])
        for value in (2**53 + 1, 2**63 - 1, 2**64 - 1, -(2**53) - 1):
            for op in ("interpolate:x", "interpolate-by:x:y"):
                says = [f"the value {value} is beyond 2^53", "--dtype f64"]
                rows = f"x,y\n1,1\n,2\n{value},3\n"
                self.fails(3, "scan", "--carry-missing", "--op", op, stdin=rows, says=says)
        rows = f"x,y\n1,1\n,2\n{2**63 - 1},3\n"
        got = self.text(
            "scan", "--carry-missing", "--op", "interpolate:x", "--dtype", "f64", stdin=rows
        )
        self.rounded(got.split()[1:], [1, 2.0**62, 2.0**63])
        # Positions that f64 takes for equal: nanoseconds since 1970.
        t = 17 * 10**17 + 1
        for first, at, last in (
            (t, t + 25, t + 100),
            (-(2**63), 0, 2**63 - 1),
            (2**64 - 101, 2**64 - 76, 2**64 - 1),
            (2**53, 2**53 + 1, 2**53 + 2),
        ):
            rows = f"x,t\n10,{first}\n,{at}\n20,{last}\n"
            want = 10 + 10 * Fraction(at - first, last - first)
            self.rounded(filled(rows, "interpolate-by:x:t"), [10, want, 20])

    def test_expressions(self):
        u, v = 2**64 - 1, 2**63
        rows = f"u,v,i\n{u},{v},-3\n"
        for written, want in (
            ("u % 10", u % 10),
            ("u % 1000000007", u % 1000000007),
            ("5 % u", 5),
            ("i % u", -3),
            ("v - 2 ** 62", 2**62),
            ("v * 2", 2**64),
            ("u - u", 0),
            ("v + 2048", v + 2048),
            ("abs(u)", u),
            ("floor(u)", u),
            ("round(u)", u),
            ("max(u, v)", u),
            ("min(u, v)", v),
            ("max(v, i)", v),
            ("if(i < 0, u, v)", u),
            ("if(i < 0, i, u)", -3),
            ("coalesce(i, u)", -3),
        ):
            got = self.text("select", "--add", f"w={written}", "-c", "i", stdin=rows).split()
            number = got[1].split(",")[1]
            self.assertEqual(float(number), float(want), written)
            if abs(want) < 2**53 or want == u:
                self.assertEqual(number, str(want), written)
        for written, value in (
            ("u + 0", u),
            ("u - 1", u - 1),
            ("u % v", u % v),
            ("u * 3", u * 3),
            ("v + 1", v + 1),
            ("i - u", -3 - u),
            ("max(u, i)", u),
            ("if(i < 0, u, i)", u),
            ("coalesce(u, i)", u),
            ("u * u * u", u * u),
        ):
            says = [f"row 1 has {value} at character", "which f64 would round"]
            if value == u * u:
                says = says[1]
            self.fails(3, "select", "--add", f"w={written}", "-c", "i", stdin=rows, says=says)
        self.fails(
            3, "select", "--add", "w=u % (i + 3)", "-c", "i", stdin=rows, says="divides by 0"
        )
        for written in ("u + 0.0", "max(u, 0.5)", "if(i < 0, u, 0.5)"):
            got = self.text("select", "--add", f"w={written}", "-c", "i", stdin=rows)
            self.assertEqual(got, "i,w\n-3,1.8446744073709552e+19\n")

    def test_signs_and_digits(self):
        for x, digits in (
            (2**64 - 1, None),
            (2**53 + 1, None),
            (2**64 - 2048, None),
            (0, None),
            (2**53 + 1, 0),
            (2**53 + 1, 3),
            (2**54, 0),
            (2**53 + 1, -1),
            (10**18 + 5, -1),
            (10**18 + 49, -2),
            (-(10**18) - 50, -2),
            (7, -400),
            (-7, -309),
            (2**63 - 1, -19),
            (2**63 - 1, -20),
            (1250, -2),
        ):
            table = f"x\n{x}\n" if digits is not None else f"x\n{x}\n{2**64 - 2048}\n"
            formula = "-x" if digits is None else f"round(x, {digits})"
            half_up = Decimal(1).scaleb(-digits) if digits is not None and digits > -100 else None
            if digits is None:
                right = -x
            elif digits >= 0:
                right = x
            elif half_up is None:
                right = 0
            else:
                with localcontext() as context:
                    context.prec = 60
                    right = int((Decimal(x) / half_up).quantize(1, ROUND_HALF_UP) * half_up)
            add = ["select", "-c", "x", "--add", f"y = {formula}"]
            with self.subTest(x=x, formula=formula):
                if int(float(right)) == right:
                    got = self.text(*add, stdin=table).splitlines()[1]
                    self.assertEqual(float(got.split()[1]), right)
                else:
                    self.fails(3, *add, stdin=table, says="which f64 would round")

    def test_number_formats(self):
        x = 2**64 - 1
        for form in ("%d", "%i", "%u", "%25d", "%025d", "%x", "no. %d%%"):
            got = self.text("reduce", "--op", "max", "--number-format", form, stdin=f"{x}\n")
            self.assertEqual(got, (form.replace("%u", "%d") % x) + "\n")

    def test_whole_quotients(self):
        def nearest(a, b):  # halves away from zero
            whole, rest = divmod(abs(a), abs(b))
            size = whole + (2 * rest >= abs(b))
            return size if (a < 0) == (b < 0) else -size

        quotients = {"floor": lambda a, b: a // b, "ceil": lambda a, b: -(-a // b)}
        for b in (2, 3, -7, 1000, 2**53 + 1):
            for name, quotient in {**quotients, "round": nearest}.items():
                args = ["select", "-c", f"{name}(x / {b}) as w"]
                wants = {a: quotient(a, b) for a in BORDERS + SIGNED}
                held = [a for a, want in wants.items() if float(want) == want]
                rows = "x,k\n" + "".join(f"{a},1\n" for a in held)
                got = self.text(*args, stdin=rows).split()[1:]
                self.assertEqual([float(w) for w in got], [wants[a] for a in held], args)
                for a in [a for a in wants if a not in held][:1]:
                    self.fails(3, *args, stdin=f"x,k\n{a},1\n", says="f64 would round")

    def test_sorts_and_conditions(self):
        for x in columns(3):
            rows = "x,n\n" + "".join(f"{v},{i}\n" for i, v in enumerate(x))
            got = self.text("sort", "--column", "x", stdin=rows).split()[1:]
            self.exact([v.split(",")[0] for v in got], sorted(x))
            got = self.text("select", "--where", f"x == {x[0]}", "-c", "n", stdin=rows).split()
            self.assertEqual(got[1:], [str(i) for i, v in enumerate(x) if v == x[0]])
            got = self.text("reduce", "--by", "x", "--op", "count", stdin=rows).split()[1:]
            self.exact([v.split(",")[0] for v in got], list(dict.fromkeys(x)))

    def test_json(self):
        for x in columns(3):
            rows = "".join(f'{{"x":{v}}}\n' for v in x)
            got = self.text("select", "--where", "x == x", "--from", "jsonl", stdin=rows)
            self.assertEqual(got, rows)
            got = self.text("reduce", "--op", "max:x,first:x", "--from", "jsonl", stdin=rows)
            self.assertEqual(got, f'{{"max(x)":{max(x)},"first(x)":{x[0]}}}\n')
        for number in ("01", "-007", "00.5"):
            rows = f'{{"x":{number}}}\n'
            self.fails(3, "reduce", "--op", "sum:x", "--from", "jsonl", stdin=rows, says="leading")
        for number, want in (("0", "0"), ("-0.5", "-0.5"), ("0e1", "0.0"), ("10", "10")):
            rows = f'{{"x":{number}}}\n'
            got = self.text(
                "reduce", "--op", "sum:x", "--from", "jsonl", "--to", "text", stdin=rows
            )
            self.assertEqual(float(got), float(want))


if __name__ == "__main__":
    unittest.main()
