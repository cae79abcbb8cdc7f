"""Tables as people have them (tables/cases.jsonl), read by every command from a file or a pipe, by
`reduce` from both; `tables_test.py full` has every command read both.

A case is a file, the chosen column and what is right: the numbers of the column, or the status and
parts of the message. The numbers were read off by hand, and where the dialect allows it Python's
csv module must find the same; what the commands make of them is computed here. `source` names the
public report (project#number) or the format's definition. `ways` and `only` limit a case to a file
or a pipe, and to some commands, where another answer is right for the others: sort and select take
a column of text as text.
"""

import csv
import io
import itertools
import json
import math
import os
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import ToolTest

COMMANDS = ["reduce", "scan", "select", "sort", "histogram", "runs", "check"]


def cases():
    with open(os.path.join(os.path.dirname(__file__), "tables", "cases.jsonl")) as lines:
        return [json.loads(line) for line in lines]


def content(case):
    return case["data"].encode("latin-1" if case.get("latin1") else "utf-8")


def values_of(case):
    """Infinities are strings in the table, which JSON needs."""
    return [float(v) if isinstance(v, str) else v for v in case["values"]]


def option(case, name):
    """The value of an option of the case; nothing without it."""
    args = case.get("args", [])
    for i, arg in enumerate(args):
        if arg == name:
            return args[i + 1] if i + 1 < len(args) else ""
        if arg.startswith(name + "="):
            return arg[len(name) + 1 :]
    return None


def number(token, case):
    """A field as Python reads it: an int, or the nearest binary64."""
    decimal = option(case, "--decimal") or "."
    thousands = option(case, "--thousands")
    if thousands is not None:
        token = token.replace(thousands or ("." if decimal == "," else ","), "")
    token = token.strip().replace(decimal, ".")
    try:
        return int(token)
    except ValueError:
        return float(token)


def numbers(text):
    return [number(line, {}) for line in text.split()]


def arguments(command, case):
    """What `command` is asked about the column."""
    column, values = case["column"], values_of(case) if "values" in case else [0]
    where = f"${column}" if column.isdigit() and "--header" not in case.get("args", []) else column
    where = where if where.startswith("$") else f"`{column}`"
    middle = sorted(values)[len(values) // 2]
    return {
        "reduce": ["-c", column, "--op", "sum,count,min,max", "--to", "text"],
        "scan": ["-c", column, "--to", "text"],
        "select": ["-c", column, "--where", f"{where} >= {middle!r}", "--to", "text"],
        "sort": ["-c", column, "--to", "csv"],
        "histogram": ["-c", column, "--counts-only", "--levels", levels_of(values)],
        "runs": ["-c", column, "--to", "text"],
        "check": ["-c", column, "--shuffles", "0"],
    }[command]


def levels_of(values):
    """Two bins that hold all finite values: those below the middle one, and the others."""
    finite = sorted(v for v in values if math.isfinite(v)) or [0]
    room = 1 + int(abs(finite[-1])) // 2**40  # borders may be binary64
    first = finite[0] - room
    if finite[-1] + room >= 2**63:  # in integers without a sign
        first = max(first, 0)
    return ",".join(map(repr, [first, finite[len(finite) // 2], finite[-1] + room]))


class Tables(ToolTest):
    full = False

    def expect_close(self, got, expected):
        self.assertEqual(len(got), len(expected), got)
        for a, b in zip(got, expected):
            if isinstance(a, int) and isinstance(b, int):
                self.assertEqual(a, b)
            else:
                self.assertTrue(math.isclose(a, b, rel_tol=1e-13, abs_tol=1e-12), (got, expected))

    def expect_result(self, command, case, out):
        values = values_of(case)
        if command == "reduce":
            total = sum(values) if all(isinstance(v, int) for v in values) else math.fsum(values)
            self.expect_close(numbers(out), [total, len(values), min(values), max(values)])
        elif command == "scan":
            self.expect_close(numbers(out), list(itertools.accumulate(values)))
        elif command == "select":
            middle = sorted(values)[len(values) // 2]
            kept = [number(line, case) for line in out.splitlines()]
            self.expect_close(kept, [v for v in values if v >= middle])
        elif command == "sort":
            self.expect_close(self.sorted_column(case, out), sorted(values))
        elif command == "histogram":
            middle = sorted(values)[len(values) // 2]
            below = sum(v < middle for v in values)
            self.assertEqual(numbers(out), [below, len(values) - below])
        elif command == "runs":
            runs = [[v, len(list(run))] for v, run in itertools.groupby(values)]
            self.expect_close(numbers(out), [x for run in runs for x in run])
        else:
            self.assertRegex(out, rf", {len(values)} values?\)")

    def sorted_column(self, case, out):
        # Output keeps the delimiter of a CSV, but not that of text or of tabs.
        likely = [option(case, "--delimiter"), ";" if option(case, "--decimal") else ","]
        likely = [d for d in likely if d] + [",", ";", "|", "~"]
        delimiter = next((d for d in likely if d in out.split("\n")[0]), likely[0])
        rows = list(csv.reader(io.StringIO(out, newline=""), delimiter=delimiter))
        column = case["column"]
        if len(rows) == len(case["values"]):
            at = int(column) - 1
        else:
            names = rows.pop(0)
            at = names.index(column) if column in names else int(column) - 1
        return [number(row[at], case) for row in rows]

    def run_case(self, job):
        case, command, way = job
        args = [command, *arguments(command, case), *case.get("args", [])]
        stdin = content(case) if way == "pipe" else ""
        if way == "file":
            args.append(case["file"])
        if "values" in case:
            # check reports what it found by its status: digits lost, or an overflow.
            if command == "check" and any(abs(v) > 2**62 for v in values_of(case)):
                return
            self.expect_result(command, case, self.decoded(self.run_tool(*args, stdin=stdin)))
        else:
            self.fails(case["status"], *args, stdin=stdin, says=case["says"])

    @staticmethod
    def decoded(out):
        return out.decode("utf-8", "replace")

    def test_every_command_reads_the_numbers_that_are_there_or_says_why_not(self):
        """Runs the tool once for each case, command and way. What files and pipes differ in is in
        the reader, which all commands share.
        """
        jobs = []
        for i, case in enumerate(cases()):
            case["file"] = f"{i}/{case['file']}"
            os.mkdir(os.path.join(self.path, str(i)))
            self.file(case["file"], content(case))
            for k, command in enumerate(case.get("only", COMMANDS)):
                if command not in case.get("skip", []):
                    ways = case.get("ways", ["file", "pipe"])
                    if command != "reduce" and not self.full:
                        ways = [ways[(i + k) % len(ways)]]
                    jobs += [(case, command, way) for way in ways]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for job, outcome in zip(jobs, pool.map(self.outcome, jobs)):
                with self.subTest(case=job[0]["name"], command=job[1], way=job[2]):
                    self.assertIsNone(outcome, outcome)

    def outcome(self, job):
        # A ToolTest keeps the message of its latest run, so each job has its own.
        runner = Tables("run_case")
        runner.path = self.path
        try:
            runner.run_case(job)
        except Exception as error:  # also a ValueError from output that is no number
            return f"{type(error).__name__}: {error}"
        return None

    def test_pythons_csv_module_finds_the_same_numbers(self):
        """Comma-separated tables with a header and numbers as Python spells them."""
        checked = 0
        for case in cases():
            plain = case["file"] == "x.csv" and not case.get("args") and not case.get("latin1")
            if "values" not in case or not plain:
                continue
            rows = list(csv.reader(io.StringIO(case["data"].lstrip("\ufeff"), newline="")))
            rows = [[f.strip() for f in row] for row in rows if any(f.strip() for f in row)]
            if case["column"].isdigit() or case["column"] not in rows[0]:
                continue
            at = rows[0].index(case["column"])
            with self.subTest(case=case["name"]):
                self.expect_close([number(r[at], case) for r in rows[1:]], values_of(case))
            checked += 1
        self.assertGreater(checked, 40)

    def test_there_are_many_tables_and_each_has_a_name_and_a_source(self):
        all = cases()
        self.assertGreaterEqual(len(all), 120)
        self.assertEqual(len({case["name"] for case in all}), len(all))
        for case in all:
            self.assertTrue(case["source"], case["name"])
            self.assertTrue(("values" in case) != ("status" in case), case["name"])


if __name__ == "__main__":
    Tables.full = "full" in sys.argv and not sys.argv.remove("full")
    unittest.main()
