#!/usr/bin/env python3
"""Random tables in random dress, and random commands, beside a second implementation that knows
what was meant.

  meant_tables.py --tool PROGRAM --cases 500 --seed 1    tries cases; prints each that is wrong
  meant_tables.py --tool PROGRAM --seed 1 --case 77      one case, with its files and command

The table is made as values; the dress (header or none, separators, quotes, line ends, words for
missing values) is put on afterwards, so that the expected result is computed from the values and
never from the text. A command may also be refused with the question about the header, but only
where the rows do not tell.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

WORDS = "Ann Bea Bonn Cyd Dan Kiel Ulm startup upgrade info warn apple pear red x a b".split()
NAMES = "name city count score price when zip share total kind who n q first_name".split()
MISSING = ["", "", "NA", "N/A", "null", "na"]
KINDS = (
    "int int int decimal decimal code money percent date word word word truth "
    "unit grouped negative instant lines"
).split()
# Strings that look like numbers: they are refused where an order is needed, unless --currency reads
# the negative ones, (5).
LIKE_NUMBERS = ("money", "percent", "unit", "grouped", "negative")
UNITS = ["12kB", "3 MB", "8.0K", "5 min", "30 s", "7h", "100 km/h", "9x"]
INSTANTS = ["2024-03-01T10:00:00", "2024-03-01T09:30:00", "2023-12-31T23:59:59"]


def random_value(kind, rng):
    if kind == "int":
        return rng.choice([rng.randint(-9, 99), rng.randint(0, 3), rng.randint(-(10**9), 10**9)])
    if kind == "decimal":
        return (2 * rng.randint(-2000, 2000) + 1) / 4
    if kind == "code":
        return rng.choice("00 01 007 0123 7 123 45".split())
    if kind == "money":
        return rng.randint(1, 5000)
    if kind == "percent":
        return rng.randint(0, 130)
    if kind == "grouped":
        return rng.randint(1000, 9999999)
    if kind == "negative":
        return -rng.randint(1, 99)
    if kind == "unit":
        return rng.choice(UNITS)
    if kind == "lines":
        return rng.choice(["a\nb", 'say "hi"', "x\n\ny", "p,q;r|s", "plain", " \n"])
    if kind == "instant":
        return rng.choice(INSTANTS) + rng.choice(["Z", "Z", "+02:00", "-05:00"])
    if kind == "date":
        return f"20{rng.randint(10, 29)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return rng.choice(WORDS) if kind == "word" else rng.random() < 0.5


def written(kind, value, missing):
    """The field; None is a missing value."""
    if value is None:
        return missing
    if kind == "money":
        return f"${value:,}"
    if kind == "percent":
        return f"{value}%"
    if kind == "grouped":
        return f"{value:_}"
    if kind == "negative":
        return f"({-value})"
    return str(value).lower() if kind == "truth" else f"{value}"


class Table:
    """`kinds` and `rows` of values, `names` or None, and how it is written."""

    def __init__(self, rng):
        self.kinds = [rng.choice(KINDS) for _ in range(rng.randint(1, 5))]
        self.delimiter = rng.choice([",", ",", ",", ";", "\t", "|", " "])
        if self.delimiter == " ":  # whose fields have no blanks
            self.kinds = ["word" if k in ("lines", "unit") else k for k in self.kinds]
        self.rows = [[random_value(k, rng) for k in self.kinds] for _ in range(rng.randint(1, 8))]
        for i, kind in enumerate(self.kinds):
            if kind == "code":  # a column of codes has one
                self.rows[rng.randrange(len(self.rows))][i] = rng.choice(["007", "01"])
        self.gaps = rng.random() < 0.4
        if self.gaps:
            for row in self.rows:
                for i, kind in enumerate(self.kinds):
                    row[i] = None if kind != "code" and rng.random() < 0.25 else row[i]
        self.numbers_as_names = False
        self.names = rng.sample(NAMES, len(self.kinds)) if rng.random() < 0.5 else None
        if self.names and rng.random() < 0.15:
            self.name_by_numbers(rng)
        self.missing = rng.choice(MISSING)
        self.spells = rng.random() < 0.15
        self.dress(rng)

    def name_by_numbers(self, rng):
        """As pandas names the columns of an array, or as years do."""
        self.numbers_as_names = True
        n = len(self.kinds)
        if n > 1 and rng.random() < 0.6:
            self.kinds[0] = "int"
            for i, row in enumerate(self.rows):
                row[0] = i
            self.names = [""] + [str(i) for i in range(n - 1)]
        else:
            year = rng.randint(1990, 2020)
            self.names = ["name"] + [str(year + i) for i in range(n - 1)]
            self.kinds[0] = "word"
            for row in self.rows:
                row[0] = rng.choice(WORDS)

    def field_of(self, kind, value, rng):
        """Integers also as +5 and 5e0."""
        text = written(kind, value, self.missing)
        if kind == "int" and value is not None and self.spells and rng.random() < 0.5:
            return rng.choice([f"+{text}" if value > 0 else text, f"{text}e0"])
        return text

    def dress(self, rng):
        end = rng.choice(["\n", "\n", "\r\n"])
        quote_all = self.delimiter != " " and rng.random() < 0.1

        def field(text):
            needs = any(c in text for c in self.delimiter + '"\n') and self.delimiter != " "
            if not needs and not quote_all:
                return text
            return '"' + text.replace('"', '""') + '"'

        if self.delimiter == " ":  # white space has no empty fields, and '#' begins a comment
            self.missing = self.missing or "NA"
            if self.names:
                self.names = [name or "id" for name in self.names]
        lines = [self.names] if self.names else []
        lines += [[self.field_of(k, v, rng) for k, v in zip(self.kinds, row)] for row in self.rows]
        text = end.join(self.delimiter.join(field(f) for f in line) for line in lines)
        self.text = text + (end if rng.random() < 0.9 else "")
        if not self.text.strip():
            self.text = text + end
        self.has_mark = rng.random() < 0.1
        if self.has_mark:
            self.text = "\ufeff" + self.text
        self.blank_lines = rng.choice([0] * 8 + [1, 2]) if self.text.endswith(end) else 0
        self.text += end * self.blank_lines
        self.options = {
            "\t": ["--from", "tsv"],
            " ": ["--from", "text"],
            "|": ["--from", "csv", "--delimiter", "|"],
        }.get(self.delimiter, ["--from", "csv"])
        if self.delimiter in ",;" and len(self.kinds) == 1:
            self.options = ["--from", "csv", "--delimiter", self.delimiter]
        if self.delimiter == ";":
            self.options = ["--from", "csv", "--delimiter", ";"]

    def is_plain(self):
        """Whether the first rows tell for certain: the tool must not ask."""
        first = self.rows[0]
        number = ("int", "decimal")
        if set(self.kinds) & {"lines", "instant", "unit", "grouped", "negative"}:
            return False
        if self.names:
            return (
                not self.numbers_as_names
                and any(k in number and v is not None for k, v in zip(self.kinds, first))
                and not any(name == v for row in self.rows for name, v in zip(self.names, row))
            )
        if len(self.rows) < 2 or "code" in self.kinds:
            return False
        whole = [v for k, v in zip(self.kinds, first) if k in number]
        return (
            None not in first
            and None not in self.rows[1]
            and len(set(whole)) > 1
            and not any(x <= y for x, y in zip(whole, whole[1:]))
            and set(self.kinds) <= {"int", "decimal", "word"}
        )


def number_text(x):
    return int(x) if x == int(x) and abs(x) < 2**53 else x


def expected(table, op, c, currency):
    """The value of an operator over a column as JSON has it, or the status of a refusal."""
    kind = table.kinds[c]
    values = [row[c] for row in table.rows if row[c] is not None]
    orders = op in ("min", "max", "sum", "mode")
    if kind in ("money", "negative") and currency:
        kind = "int"
    if kind in LIKE_NUMBERS:
        if orders:
            return 3 if values else None
        values = [written(kind, v, "") for v in values]
    if kind == "instant" and op in ("min", "max") and values:
        zones = {v[19:] for v in values}
        if len(zones) > 1:
            return None  # as text, which the shell's sort does too
    if kind == "truth" or not values:
        return None  # not compared
    if op == "count":
        return len(values)
    if op == "distinct":
        return len(set(values))
    if op == "sum":
        if kind in ("word", "date", "lines", "instant"):
            return 3
        return sum(int(v) for v in values) if kind == "code" else number_text(sum(values))
    if op == "mode":
        counts = {v: values.count(v) for v in values}
        best = [v for v in values if counts[v] == max(counts.values())]
        found = min(best, key=lambda v: (int(v), v) if kind == "code" else v)
    elif op in ("min", "max"):
        found = (min if op == "min" else max)(
            values, key=lambda v: (int(v), v) if kind == "code" else v
        )
    else:
        found = values[0] if op == "first" else values[-1]
    return number_text(found) if kind in ("int", "decimal") else found


def is_same(got, right):
    """As text, or as numbers: 5.0 and 5, "+5" and "5"."""
    if str(got) == str(right):
        return True
    if isinstance(right, str) and re.match("0[0-9]", right):  # a code
        return False
    try:
        return float(got) == float(right)
    except ValueError:
        return False


class Case:
    def __init__(self, seed, number):
        self.rng = rng = random.Random(f"{seed}/{number}")
        self.table = table = Table(rng)
        self.forced = rng.random() < 0.3
        self.args = list(table.options) + ["--skip-missing"]
        if self.forced:
            self.args += ["--header" if table.names else "--no-header"]
        self.column = c = rng.randrange(len(table.kinds))
        named = table.names and not table.numbers_as_names and rng.random() < 0.3
        # A lone record of words in a CSV is the header of a table without rows.
        blank = [row for row in table.rows if row == [None] and table.missing == ""]
        self.is_lone = not table.names and len(table.rows) - len(blank) <= 1 and not self.forced
        word = table.names[c] if named else str(c + 1)
        if table.names and word in table.names:  # a name goes before a position
            self.column = c = table.names.index(word)
        has_amounts = "money" in table.kinds or "negative" in table.kinds
        self.currency = has_amounts and rng.random() < 0.5
        if self.currency:
            self.args += ["--currency"]
        self.choose(rng, word)
        named = named and "--by" not in self.command  # which has a position
        self.may_ask = not self.forced and not named and not table.is_plain()

    def choose(self, rng, word):
        table, c = self.table, self.column
        verb = rng.choice(["reduce", "reduce", "by", "top", "rows"])
        key = rng.randrange(len(table.kinds))
        if table.names and str(key + 1) in table.names:
            verb = "reduce"
        keys = ("word", "code", "date", "lines", "instant", "unit", "grouped")
        named_count = table.names and table.names[key] == "count"  # as the result is
        if verb == "by" and (table.kinds[key] not in keys or key == c or named_count):
            verb = "reduce"
        if verb == "top" and table.kinds[c] not in ("int", *LIKE_NUMBERS):
            verb = "rows"
        op = rng.choice("sum min max count first last distinct mode".split())
        if verb == "reduce":
            right = expected(table, op, c, self.currency)
            self.command = ["reduce", "--op", f"{op}:{word}", "--json"]
            self.right = right if right in (3, None) and not isinstance(right, bool) else [right]
            if op in ("count", "distinct", "first", "last", "min", "max", "mode", "sum"):
                self.right = right if right is None or self.refused(op) else [right]
        elif verb == "by":
            self.command = ["reduce", "--by", str(key + 1), "--op", "count", "--to", "jsonl"]
            groups = {}
            for row in table.rows:
                groups[row[key]] = groups.get(row[key], 0) + 1
            self.right = None if None in groups else list(groups.values())
        elif verb == "top":
            self.command = ["sort", "-c", word, "--top", "1", "--to", "jsonl"]
            values = [row[c] for row in table.rows if row[c] is not None]
            whole = [row for row in table.rows if row[c] is not None]
            is_number = table.kinds[c] == "int" or (
                table.kinds[c] in ("money", "negative") and self.currency
            )
            if not values:
                self.right = None
            elif not is_number:
                self.right = 3
            else:
                best = max(whole, key=lambda row: row[c])
                self.right = [written(table.kinds[c], best[c], "")]
        else:
            self.command = ["scan", "--op", f"row-number:{word}", "--to", "jsonl"]
            if table.kinds[c] in ("int", "decimal"):
                self.right = [len(table.rows)] if None not in [r[c] for r in table.rows] else None
            else:
                self.command = ["reduce", "--op", f"count:{word}", "--json"]
                right = expected(table, "count", c, self.currency)
                self.right = None if right is None else [right]

    def refused(self, op):
        kind = self.table.kinds[self.column]
        if kind in LIKE_NUMBERS and not (kind in ("money", "negative") and self.currency):
            return op in ("min", "max", "sum", "mode")
        return op == "sum" and kind in ("word", "date", "lines", "instant")

    def got(self, out):
        lines = [json.loads(line) for line in out.splitlines()]
        if self.command[0] == "reduce" and "--json" in self.command:
            return [lines[0]["results"][0]["value"]]
        if self.command[0] == "sort":
            return [str(list(line.values())[self.column]) for line in lines]
        if self.command[0] == "scan":
            return [len(lines)]
        return [line["count"] for line in lines]

    def run(self, tool, folder):
        """Nothing, or what is wrong."""
        done = subprocess.run(
            [tool, *self.command, *self.args],
            input=self.table.text.encode(),
            capture_output=True,
            cwd=folder,
            timeout=60,
        )
        out, errors = done.stdout.decode(), done.stderr.decode()
        if done.returncode == 3 and "--no-header" in errors and "--header" in errors:
            return None if self.may_ask else f"asks about a header that is plain: {errors}"
        if self.right is None or self.is_lone:
            return None if done.returncode in (0, 2, 3) else f"status {done.returncode}: {errors}"
        if self.right == 3:
            return None if done.returncode == 3 else f"should be refused, but prints {out}"
        if done.returncode != 0:
            return f"status {done.returncode}: {errors}"
        got = self.got(out)
        if len(got) == len(self.right) and all(map(is_same, got, self.right)):
            return None
        return f"{got} should be {self.right}"

    def shown(self):
        return f"{self.command + self.args}\n{self.table.text}"


def failures(tool, cases, seed, first=0, most=20):
    found = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        def outcome(number):
            case = Case(seed, number)
            wrong = case.run(tool, folder)
            return wrong and f"case {number} of seed {seed}: {wrong}\n{case.shown()}"

        for wrong in pool.map(outcome, range(first, first + cases)):
            if wrong:
                found.append(wrong)
            if len(found) >= most:
                break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    args = parser.parse_args()
    if args.case is not None:
        found = failures(args.tool, 1, args.seed, args.case)
        print(found[0] if found else Case(args.seed, args.case).shown())
    else:
        found = failures(args.tool, args.cases, args.seed)
        for wrong in found:
            print(wrong)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
