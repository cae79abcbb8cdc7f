"""Strings that look like numbers are put in no order of strings, and codes keep their zeros."""

import decimal
import json
import unittest

from support import ToolTest

# A column of a table that people read as numbers, and what the message names, if anything does.
LIKE_NUMBERS = [
    (["$900", '"$1,200"', "$20"], "--currency"),
    (["9%", "100%", "22%"], "unit"),
    (["9 %", "100 %", "22 %"], "unit"),
    (["8.0K", "264K", "2M"], "unit"),
    (["9 kg", "10 kg", "2 kg"], "unit"),
    (["10th", "9th", "1st"], "unit"),
    (["1h30m", "45m", "2h"], "unit"),
    (["2 days", "1d 4h", "10h"], "unit"),
    (["PT1H30M", "PT45M", "P2D"], "unit"),
    (['"1,5"', '"10,5"', '"2,5"'], "--decimal ,"),
    (['"1,200"', '"9,000"', '"20,000"'], "--thousands"),
    (["1'200", "9'000", "20'000"], "--thousands"),
    (["<5", "<10", "<9"], "sign"),
    (["#9", "#10", "#1"], "sign"),
    (["0x9", "0x10", "0x1F"], "sign"),
    (["0b101", "0b11", "0b1"], "sign"),
    (["0o17", "0o7", "0o1"], "sign"),
    (["No. 9", "No. 10", "No. 2"], "sign"),
    (["9'", "10'", "2'"], "unit"),
    (["1.5D+03", "9.0D+02", "2.0D+04"], "sign"),
    (["\uff19", "\uff11\uff10", "\uff12"], "sign"),  # full-width digits
    (["\u0669", "\u0661\u0660", "\u0662"], "sign"),  # Arabic digits
    (["5-", "10-", "9-"], "--currency"),
    (["(5)", "(10)", "(9)"], "--currency"),
    (["-", "9", "10"], "--missing"),
    (["n.a.", "$9", "$10"], "--missing"),
]
TEXTS = [
    ["9a7", "10b"],
    ["50 Cent Piece Corp", "Abba"],
    ["2024-01-05", "2023-12-31"],
    ["12:30", "09:15"],
    ["1.2.3", "1.1.9"],
    ["1h", "Abba"][::-1],
    ["1h30min or so", "Abba"],
    ["apple", "9%"],
    ["Alien", "Brazil"],
    ["192.168.0.1", "172.168.0.1"],
    ["A9", "A10"],
]


def table(values):
    return "k,x\n" + "".join(f"{chr(97 + i)},{v}\n" for i, v in enumerate(values))


class NumberTexts(ToolTest):
    def test_every_order_is_refused_as_sum_refuses(self):
        for values, says in LIKE_NUMBERS:
            stdin = table(values)
            first = values[0].strip('"')
            commands = [
                ["reduce", "--op", f"{op}:x"]
                for op in (
                    "sum",
                    "max",
                    "min",
                    "mode",
                    "median",
                    "quantile:0.5",
                    "largest:1",
                    "argmax",
                    "argmin",
                    "max:x,first",
                )
            ]
            commands += [
                ["scan", "--op", f"{op}:x"] for op in ("max", "min", "rank", "window:2:max")
            ]
            commands += [
                ["reduce", "--by", "k", "--op", "max:x"],
                ["sort", "-c", "x"],
                ["sort", "-c", "x", "--top", "1"],
                ["sort", "-c", "k,x"],
                ["select", "--where", "x > 5"],
                ["reduce", "--op", "max:x,first:x"],
                ["reduce", "-c", "x", "--op", "first,max"],
                ["histogram", "-c", "x"],
            ]
            for command in commands:
                if command[-1] == "max:x,first":
                    continue
                with self.subTest(values=values, command=command):
                    self.fails(3, *command, "--from", "csv", stdin=stdin, says=[first, "'x'", says])
            for op in ("argmax:x:k", "argmin:x:k", "argmax-last:x:k"):
                self.fails(3, "reduce", "--op", op, stdin=stdin, says=["'x'", "is not a number"])

    def test_what_is_in_no_order_stays_text(self):
        for values, _ in LIKE_NUMBERS:
            plain = [v.strip('"') for v in values]
            got = self.text(
                "reduce",
                "--op",
                "first:x,last:x,count:x,distinct:x",
                "--to",
                "tsv",
                stdin=table(values),
            )
            self.assertEqual(got.splitlines()[1], f"{plain[0]}\t{plain[-1]}\t3\t3", values)
            got = self.text(
                "select",
                "--where",
                f"x == '{plain[0]}'" if "'" not in plain[0] else f'x == "{plain[0]}"',
                "-c",
                "k",
                stdin=table(values),
            )
            self.assertEqual(got, "k\na\n")

    def test_other_texts_have_their_order(self):
        for values in TEXTS:
            got = self.text(
                "reduce", "--op", "max:x,min:x,argmax:x:k", "--to", "tsv", stdin=table(values)
            )
            at = chr(97 + values.index(max(values)))
            self.assertEqual(got.splitlines()[1], f"{max(values)}\t{min(values)}\t{at}")
            got = self.text("sort", "-c", "x", stdin=table(values))
            self.assertEqual([r.split(",", 1)[1] for r in got.splitlines()[1:]], sorted(values))

    def test_a_text_can_be_had_on_purpose(self):
        got = self.text("sort", "-c", "text(x)", stdin=table(["9%", "100%"]))
        self.assertEqual(got, "k,x\nb,100%\na,9%\n")

    def test_currency_makes_numbers_of_them(self):
        stdin = table(LIKE_NUMBERS[0][0])
        for op, right in (("max:x", "1200"), ("argmax:x:k", "b"), ("median:x", "900")):
            self.assertEqual(
                self.text("reduce", "--currency", "--op", op, stdin=stdin), right + "\n"
            )


class Codes(ToolTest):
    ZIPS = "zip,n\n07306,1\n7306,1\n07306,1\n"

    def test_codes_stay_as_they_are_written(self):
        for args in ([], ["--from", "csv", "--threads", "1"]):
            got = self.text(
                "reduce",
                *args,
                "--op",
                "first:zip,last:zip,mode:zip,min:zip,max:zip,distinct:zip,distinct-list:zip,"
                "sum:zip",
                stdin=self.ZIPS,
            )
            self.assertEqual(
                got.splitlines()[1], '07306,07306,07306,07306,7306,2,"07306,7306",21918'
            )

    def test_codes_are_in_the_order_of_their_numbers(self):
        codes = ["007", "12", "9", "0012", "100"]
        stdin = "x,k\n" + "".join(f"{c},{i}\n" for i, c in enumerate(codes))
        got = self.text("reduce", "--op", "min:x,max:x,argmax:x:k", stdin=stdin)
        self.assertEqual(got.splitlines()[1], "007,100,4")
        got = self.text("sort", "-c", "x", stdin=stdin)
        self.assertEqual(
            [r.split(",")[0] for r in got.split()[1:]], ["007", "9", "12", "0012", "100"]
        )
        got = self.text("reduce", "--op", "mode:x", stdin="x,k\n10,1\n9,1\n010,1\n")
        self.assertEqual(got, "9\n")

    def test_every_command_keeps_them(self):
        self.assertEqual(self.text("sort", "--from", "text", stdin="07306\n123\n"), "123\n07306\n")
        self.assertEqual(
            self.text("sort", "--unique", "-c", "zip", stdin=self.ZIPS), "zip,n\n07306,1\n7306,1\n"
        )
        self.assertEqual(
            self.text("runs", "-c", "zip", stdin=self.ZIPS),
            "zip,length\n07306,1\n7306,1\n07306,1\n",
        )
        self.assertEqual(
            self.text("scan", "--op", "last:zip,run:zip,max:zip", stdin=self.ZIPS),
            "last(zip),run(zip),max(zip)\n07306,1,07306\n7306,2,7306\n07306,3,7306\n",
        )
        self.assertEqual(
            self.text("reduce", "--by", "n", "--op", "first:zip,distinct:zip", stdin=self.ZIPS),
            "n,first(zip),distinct(zip)\n1,07306,2\n",
        )
        self.assertEqual(
            self.text("reduce", "-c", "zip", "--op", "first,sum", stdin=self.ZIPS),
            "first(zip),sum(zip)\n07306,21918\n",
        )
        self.assertEqual(self.text("reduce", "--op", "first", stdin="07\n8\n"), "07\n")

    def test_codes_of_64_bits_and_beyond_are_in_order(self):
        top = 2**64 - 1
        for pair in (
            (top - 1, top),
            (2**53 + 1, 2**53),
            (2**53 + 1, 2**63),
            ("1e40", 10**20 - 1),
            ("1e40", "2e40"),
            ("1e19", top),
        ):
            for x in (pair, pair[::-1]):
                stdin = "k,n\n007,0\n" + "".join(f"{v},{i + 1}\n" for i, v in enumerate(x))
                got = self.text("reduce", "--op", "max:k,argmax:k:n", stdin=stdin).splitlines()[1]
                largest = max(x, key=decimal.Decimal)
                self.assertEqual(got, f"{largest},{x.index(largest) + 1}", x)

    def test_decimals_that_begin_with_a_code_are_codes(self):  # of ICD, of Dewey
        stdin = "x,n\n001.0,1\n250.00,2\n038.9,3\n250.0,4\n001.0,5\n"
        op = "first:x,last:x,min:x,max:x,mode:x,distinct:x,sum:x"
        got = self.text("reduce", "--op", op, stdin=stdin)
        self.assertEqual(got.splitlines()[1], "001.0,001.0,001.0,250.00,001.0,4,540.9")
        got = self.text("sort", "-c", "x", stdin=stdin)
        self.assertEqual(
            [row.split(",")[1] for row in got.splitlines()[1:]], ["1", "5", "3", "2", "4"]
        )
        self.fails(2, "scan", "--op", "lag:x", stdin=stdin, says=["'x'", "f64"])
        self.text("scan", "--op", "lag:x", "--dtype", "f64", stdin=stdin)
        mixed = "x\n0123\n4.5\n"
        self.assertEqual(self.text("reduce", "--op", "first:x", stdin=mixed), "0123\n")

    def test_telephone_numbers_are_codes(self):
        stdin = "x,n\n+4930123,1\n4930123,2\n+4930123,3\n"
        got = self.text("reduce", "--op", "first:x,last:x,mode:x,distinct:x", stdin=stdin)
        self.assertEqual(got.splitlines()[1], "+4930123,+4930123,+4930123,2")
        for args in (["reduce", "--by", "x", "--op", "sum:n"], ["select", "-c", "x"]):
            got = self.text(*args, "--to", "jsonl", stdin=stdin)
            keys = [json.loads(line)["x"] for line in got.splitlines()]
            self.assertEqual(list(dict.fromkeys(keys)), ["+4930123", "4930123"])
        signed = "x,n\n+4930123,1\n-4930124,2\n+5,3\n"
        got = self.text("reduce", "--op", "first:x,min:x,max:x", stdin=signed)
        self.assertEqual(got.splitlines()[1], "4930123,-4930124,4930123")

    def test_what_would_lose_zeros_is_refused(self):
        for command, op in (
            ("scan", "lag"),
            ("scan", "lead"),
            ("reduce", "largest:1"),
            ("reduce", "smallest:1"),
            ("scan", "window:2:max"),
        ):
            self.fails(
                2, command, "--op", f"{op}:zip", stdin=self.ZIPS, says=["'zip'", "--dtype i64"]
            )
            self.text(command, "--op", f"{op}:zip", "--dtype", "i64", stdin=self.ZIPS)

    def test_json_has_texts(self):
        for table in (self.ZIPS, "zip,n\n7306,1\n07306,2\n"):
            right = [row.split(",")[0] for row in table.split()[1:]]
            got = self.text("select", "--to", "jsonl", "-c", "zip", stdin=table)
            self.assertEqual([json.loads(line)["zip"] for line in got.splitlines()], right)
            got = self.text("reduce", "--by", "zip", "--op", "sum:n", "--to", "jsonl", stdin=table)
            self.assertEqual(
                [json.loads(line)["zip"] for line in got.splitlines()], list(dict.fromkeys(right))
            )
            got = json.loads(
                self.text("reduce", "--op", "first:zip,min:zip", "--json", stdin=table)
            )
            self.assertEqual([r["value"] for r in got["results"]], [right[0], "07306"])
        got = self.text("select", "--to", "jsonl", "-c", "zip", stdin="zip,n\n7306,1\n0,2\n")
        self.assertEqual([json.loads(line)["zip"] for line in got.splitlines()], [7306, 0])

    def test_numbers_without_leading_zeros_are_numbers(self):
        for values, right in (
            (["7", "10", "9"], "7,9,10,10"),
            (["0", "-5", "3"], "0,3,3,3"),
            (["0.5", "00.25", "3"], "0.5,3,3,3"),
        ):
            stdin = "x,k\n" + "".join(f"{v},{i}\n" for i, v in enumerate(values))
            got = self.text("reduce", "--op", "first:x,last:x,max:x,largest:1:x", stdin=stdin)
            self.assertEqual(got.splitlines()[1], right)

    def test_codes_that_come_late_are_not_dropped(self):
        self.file("a.csv", "x,k\n7306,1\n")
        self.file("b.csv", "x,k\n07306,1\n")
        self.fails(3, "reduce", "--op", "last:x", "a.csv", "b.csv", says=["leading zeros", "'x'"])
        self.assertEqual(
            self.text("reduce", "--op", "last:x,first:x", "b.csv", "a.csv"),
            "last(x),first(x)\n7306,07306\n",
        )
        self.assertEqual(self.text("reduce", "--op", "sum:x", "a.csv", "b.csv"), "14612\n")
        late = "x,k\n" + "1234,5\n" * 300000 + "07306,1\n"
        self.fails(3, "reduce", "--op", "last:x", stdin=late, says=["07306", "leading zeros"])
        self.file("late.csv", late)
        self.assertEqual(self.text("reduce", "--op", "last:x", "late.csv"), "07306\n")


class Latin1(ToolTest):
    TABLE = "stadt,n\nKöln,1\nKoln,2\n".replace("oln,2", "\xe4ln,2").encode("latin-1")

    def test_keys_that_are_no_utf8_are_refused_in_json(self):
        for args in (
            ["reduce", "--by", "stadt", "--op", "sum:n"],
            ["select", "--where", "n > 0"],
            ["sort", "-c", "n"],
            ["reduce", "--op", "last:stadt"],
        ):
            for form in ("jsonl", "json"):
                self.fails(3, *args, "--to", form, stdin=self.TABLE, says="iconv")
        self.fails(3, "reduce", "--op", "first:stadt", "--json", stdin=self.TABLE, says="iconv")
        self.fails(
            3,
            "reduce",
            "--by",
            "1",
            "--op",
            "sum:2",
            "--to",
            "jsonl",
            stdin="größe,n\na,1\n".encode("latin-1"),
            says="iconv",
        )
        got = self.run_tool("reduce", "--by", "stadt", "--op", "sum:n", stdin=self.TABLE)
        self.assertEqual(got, self.TABLE.replace(b"\nn", b"\nn").replace(b",n\n", b",sum(n)\n"))

    def test_keys_in_utf8_are_not(self):
        got = self.text(
            "reduce",
            "--by",
            "stadt",
            "--op",
            "sum:n",
            "--to",
            "jsonl",
            stdin="stadt,n\nKöln,1\nKäln,2\n😀,3\n",
        )
        self.assertEqual(
            [json.loads(line)["stadt"] for line in got.splitlines()], ["Köln", "Käln", "😀"]
        )


if __name__ == "__main__":
    unittest.main()
