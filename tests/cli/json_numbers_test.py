"""Tables of text that become JSON: numbers stay numbers with their digits, beside Python's json."""

import csv
import io
import json
import random
import re
import unittest

from support import SEED, ToolTest

MISSING = ["", "NA", "n/a", "NULL"]
NUMBERS = [
    "0",
    "7",
    "-7",
    "1.50",
    "-0",
    "1e5",
    "2E-3",
    "9007199254740993",
    "12345678901234567890123",
]
RESPELLED = {"+5": "5", ".5": "0.5", "-.5": "-0.5", "5.": "5", "+.5e+1": "0.5e+1"}
STRINGS = ["007", "00", "-01.5", "2191E", "0x1F", "1_000", "1e", "12:30", "x", 'a "b"', "é,\n", "."]
NOT_FINITE = ["nan", "-inf", "Infinity"]


class Digits(str):
    """A number of JSON as it is written."""


def parsed(text):
    """Python's json, but each number keeps its digits, and must be one of JSON."""

    def refuse(word):
        raise ValueError(word)

    return json.loads(text, parse_int=Digits, parse_float=Digits, parse_constant=refuse)


def number(text):
    """The digits of a field that is a number of JSON, perhaps with another sign or point."""
    text = RESPELLED.get(text, text)
    return Digits(text) if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", text) else None


def value(text, is_number):
    if text == "" or (is_number is not False and text in MISSING):
        return None
    found = number(text) if is_number else None
    return text if found is None else found


def kind(column):
    """Whether its first value is a number, and none is a code; None if all are missing."""
    first = next((text for text in column if text not in MISSING), None)
    if first is None:
        return None
    codes = any(re.fullmatch(r"0[0-9]+", text) for text in column)
    return not codes and (number(first) is not None or first in NOT_FINITE)


def same(a, b):
    return type(a) is type(b) and a == b


def random_column(rng, rows):
    fields = rng.choice(
        [
            NUMBERS,
            NUMBERS + MISSING,
            NUMBERS + [*RESPELLED] + STRINGS + NOT_FINITE + MISSING,
            STRINGS + MISSING,
            MISSING,
        ]
    )
    return [rng.choice(fields) for _ in range(rows)]


def table_of(columns):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([list(columns), *zip(*columns.values())])
    return out.getvalue()


class JsonNumbers(ToolTest):
    def rows(self, *args, **rest):
        """Of a command that writes JSON lines, an array, or lines by another option."""
        lines = [parsed(line) for line in self.text(*args, "--to", "jsonl", **rest).splitlines()]
        self.assertEqual(lines, parsed(self.text(*args, "--to", "json", **rest)))
        if args[0] != "reduce":
            self.assertEqual(
                lines, [parsed(line) for line in self.text(*args, "--json", **rest).splitlines()]
            )
        return lines

    def expect(self, got, wanted, what):
        self.assertEqual(len(got), len(wanted), what)
        for a, b in zip(got, wanted):
            self.assertEqual(list(a), list(b), what)
            self.assertTrue(all(map(same, a.values(), b.values())), (what, a, b))

    def test_every_command_says_what_the_columns_of_the_file_are(self):
        rng = random.Random(SEED)
        for trial in range(8):
            n = rng.choice([1, 2, 7, 40])
            columns = {"x": [str(rng.randrange(5)) for _ in range(n)]}
            columns |= {name: random_column(rng, n) for name in ["a", "b", "c"]}
            kinds = {name: kind(column) for name, column in columns.items()}
            table = list(zip(*columns.values()))
            wanted = [
                {name: value(text, kinds[name]) for name, text in zip(columns, row)}
                for row in table
            ]
            self.file("t.csv", table_of(columns))
            self.file("u.csv", table_of({k: v[:1] for k, v in columns.items()}))
            order = sorted(range(n), key=lambda i: int(columns["x"][i]))
            groups = list(dict.fromkeys(columns["x"]))
            commands = {
                "select --column all": wanted,
                "select --where x>1": [r for r in wanted if int(r["x"]) > 1],
                "sort -c x": [wanted[i] for i in order],
                "sort -c x --by x": [r for g in groups for r in wanted if r["x"] == g],
            }
            for words, rows in commands.items():
                with self.subTest(trial=trial, words=words):
                    self.expect(self.rows(*words.split(), "t.csv"), rows, words)
            with self.subTest(trial=trial, what="computed"):
                got = self.rows(
                    "select", "--add", "y = x + 1", "--add", 'z = concat("0", x)', "t.csv"
                )
                more = [r | {"y": Digits(int(r["x"]) + 1), "z": "0" + r["x"]} for r in wanted]
                self.expect(got, more, "select --add")
            for words in ["--keep a,c", "--keep a,c --reverse", "--keep a,c --by c"]:
                with self.subTest(trial=trial, words=words):
                    got = self.rows("scan", "--op", "lag:x as y", *words.split(), "t.csv")
                    for row in got:
                        del row["y"]
                    keys = ["a", "c"]
                    self.expect(got, [{k: r[k] for k in keys} for r in wanted], words)
            with self.subTest(trial=trial, what="groups"):
                self.expect_groups(columns, kinds, n)
            with self.subTest(trial=trial, what="two files"):
                self.expect(
                    self.rows("select", "-c", "all", "t.csv", "u.csv"), wanted + wanted[:1], "two"
                )

    def expect_groups(self, columns, kinds, n):
        """By the strings of two columns, with the row that a third one chooses."""
        groups = {}
        for i in range(n):
            groups.setdefault((columns["a"][i], columns["b"][i]), []).append(i)
        rows = []
        for (a, b), of in groups.items():
            best = max(of, key=lambda i: (int(columns["x"][i]), -i))
            row = {"a": value(a, kinds["a"]), "b": value(b, kinds["b"]), "count": Digits(len(of))}
            rows.append(row | {"at": value(columns["c"][best], kinds["c"])})
        args = ["--by", "a,b", "--op", "count,argmax:x:c as at"]
        self.expect(self.rows("reduce", *args, "t.csv"), rows, "reduce")
        self.text("reduce", *args, "t.csv", "--partial", "t.part", "--force")
        self.expect(self.rows("merge", "t.part"), rows, "merge")

    def test_kinds_of_columns_are_those_of_the_file_and_not_of_what_is_left(self):
        table = "x,code,n\n1,A1,\n2,22,007\n3,23,5\n"
        got = self.rows("select", "--where", "x > 1", stdin=table)
        self.assertEqual(got[0], {"x": Digits("2"), "code": "22", "n": "007"})
        self.assertIs(type(got[0]["code"]), str)
        self.assertIs(type(got[1]["n"]), str)  # a column that begins with a code has codes

    def test_computed_keys_and_exact_decimals_are_numbers(self):
        table = "day,x,who\n2024-01-30,0.10,7\n2024-02-01,0.20,\n2024-02-02,-0.20,9\n"
        got = self.rows(
            "reduce", "--by", 'month(day) as m,day > "2024-01-31" as late,trunc(day, "month") as d',
            "--op", "decimal-sum:x as s,decimal-mean:x as mean,first:day as f", stdin=table
        )  # fmt: skip
        self.assertEqual(
            got,
            [
                dict(m=Digits(1), late=False, d="2024-01-01", s=Digits("0.10"), mean=Digits("0.10"),
                     f="2024-01-30"),
                dict(m=Digits(2), late=True, d="2024-02-01", s=Digits("0.00"), mean=Digits("0.00"),
                     f="2024-02-01"),
            ],
        )  # fmt: skip
        got = self.rows("scan", "--keep", "who", "--op", "decimal-sum:x as s", stdin=table)
        self.assertEqual([r["s"] for r in got], [Digits("0.10"), Digits("0.30"), Digits("0.10")])
        self.assertEqual([r["who"] for r in got], [Digits(7), None, Digits(9)])

    def test_other_spellings_and_words(self):
        table = "k;v;m\n1.234,50;-;$5\n0,25;7;€6\n;8;7\n"
        got = self.rows(
            "select", "-c", "all", "--decimal", ",", "--thousands", "--missing=-", stdin=table
        )
        self.assertEqual([r["k"] for r in got], [Digits("1234.50"), Digits("0.25"), None])
        self.assertEqual([r["v"] for r in got], [None, Digits("7"), Digits("8")])
        self.assertEqual([r["m"] for r in got], ["$5", "€6", "7"])
        args = ["--decimal", ",", "--thousands", "--missing=-", "--skip-missing"]
        got = self.rows(
            "scan", "--keep", "k,v + 0.5 as h", "--op", "decimal-sum:k as s", *args, stdin=table
        )
        self.assertEqual(got[1], {"k": "0.25", "h": "7.5", "s": "1234.75"})
        self.assertEqual({type(v) for v in got[1].values()}, {Digits})
        got = self.rows("select", "-c", "m", "--currency", "--decimal", ",", stdin=table)
        self.assertEqual([r["m"] for r in got], ["$5", "€6", "7"])  # which money it is, is kept

    def test_json_stays_as_it_is_also_beside_computed_columns(self):
        text = '{"id":7,"s":"7","n":null}\n{"s":"","id":"007","n":true}\n'
        got = self.rows("reduce", "--by", "id,length(s) as l,s", "--op", "count", stdin=text)
        self.assertEqual(
            got,
            [
                {"id": Digits(7), "l": Digits(1), "s": "7", "count": Digits(1)},
                {"id": "007", "l": Digits(0), "s": "", "count": Digits(1)},
            ],
        )
        got = self.rows("select", "--add", "a = length(s)", "--add", "b = upper(s)", stdin=text)
        self.assertEqual(
            [(r["id"], r["s"], r["n"]) for r in got], [(Digits(7), "7", None), ("007", "", True)]
        )
        text = '{"k":"a","v":1,"t":"x"}\n{"k":"a","v":2,"t":"y"}\n{"k":3,"v":1,"t":"z"}\n'
        got = self.rows("sort", "--by", "k", "-c", "v", "--top", "1", stdin=text)
        self.assertEqual(
            [(r["k"], r["v"]) for r in got], [("a", Digits(2)), (Digits(3), Digits(1))]
        )
        got = self.rows("scan", "--by", "k", "--keep", "k", "--op", "last:t", stdin=text)
        self.assertEqual([r["last(t)"] for r in got], ["x", "y", "z"])
        got = self.rows("reduce", "--by", "k", "--op", "argmax:v:t,argmax:t:v", stdin=text)
        self.assertEqual(
            [list(r.values()) for r in got], [["a", "y", Digits(2)], [Digits(3), "z", Digits(1)]]
        )

    def test_reports_of_others(self):
        """johnkerl/miller#756, #1293, #241 and #211: what is no number of JSON, unquoted."""
        table = "data,stato,codice\n1,ITA,08\n2,ITA,09\n"
        self.assertEqual(
            self.text("select", "-c", "all", "--to", "jsonl", stdin=table),
            '{"data":1,"stato":"ITA","codice":"08"}\n{"data":2,"stato":"ITA","codice":"09"}\n',
        )
        table = "Key,Given,Code\n0123456789,fannan,2191E\n0012AS4,nan,7\n"
        self.assertEqual(
            self.text("select", "-c", "all", "--to", "jsonl", stdin=table),
            '{"Key":"0123456789","Given":"fannan","Code":"2191E"}\n'
            '{"Key":"0012AS4","Given":"nan","Code":"7"}\n',
        )


if __name__ == "__main__":
    unittest.main()
