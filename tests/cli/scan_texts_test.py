"""Scans of strings and dates, and running counts of rows, against the table read by Python."""

import csv
import io
import random
import unittest

from support import SEED, ToolTest

DAYS = "k,day,x\nb,2015-03-01,1\na,2015-01-31,2\nb,2015-12-24,4\na,2014-07-01,8\n"


def scanned(op, texts):
    """The running results of one group."""
    if op == "count":
        return [str(i + 1) for i in range(len(texts))]
    choose = {"first": lambda t: t[0], "last": lambda t: t[-1], "min": min, "max": max}[op]
    return [choose(texts[: i + 1]) for i in range(len(texts))]


class ScanTexts(ToolTest):
    def test_texts_and_numbers_in_the_order_asked_for(self):
        self.assertEqual(
            self.text("scan", "--op", "max:day as latest,sum:x,first:day", stdin=DAYS),
            "latest,sum(x),first(day)\n2015-03-01,1,2015-03-01\n2015-03-01,3,2015-03-01\n"
            "2015-12-24,7,2015-03-01\n2015-12-24,15,2015-03-01\n",
        )
        self.assertEqual(
            self.text("scan", "--op", "min:day,count", "--by", "k", "--keep", "x,k", stdin=DAYS),
            "x,k,min(day),count\n1,b,2015-03-01,1\n2,a,2015-01-31,1\n"
            "4,b,2015-03-01,2\n8,a,2014-07-01,2\n",
        )
        words = "pear\napple\nzebra\n"
        self.assertEqual(
            self.text("scan", "--op", "max", "--no-header", stdin=words), "pear\npear\nzebra\n"
        )
        self.assertEqual(
            self.text("scan", "--op", "max:day", "--keep", "k", "--json", stdin=DAYS).split("\n")[
                2
            ],
            '{"k":"b","max(day)":"2015-12-24"}',
        )

    def test_random_groups_by_every_way(self):
        source = random.Random(SEED)
        rows = [
            (source.choice("abcd"), "".join(source.choices('xyzäß ,"', k=source.randint(1, 20))))
            for _ in range(3000)
        ]
        rows = [(key, f"t{text}.") for key, text in rows]  # blanks at the ends do not count
        ops = ["max", "count", "first", "min", "last"]

        def expected(rows, key_of, reverse):
            groups, at = {}, {}
            for i, row in enumerate(rows):
                groups.setdefault(key_of(i, row), []).append(i)
            for members in groups.values():
                members = members[::-1] if reverse else members
                texts = [rows[i][1] for i in members]
                for results in zip(members, *(scanned(op, texts) for op in ops)):
                    at[results[0]] = list(results[1:])
            return [[rows[i][0], *at[i]] for i in range(len(rows))]

        def run_numbers(rows):
            run = [0]
            for before, row in zip(rows, rows[1:]):
                run.append(run[-1] + (before[0] != row[0]))
            return run

        ways = [([], rows, lambda i, row: row[0])]
        ordered = sorted(rows, key=lambda row: row[0])
        ways.append((["--sorted"], ordered, lambda i, row: row[0]))
        runs = run_numbers(rows)
        ways.append((["--allow-repeats"], rows, lambda i, row: runs[i]))
        for extra, data, key_of in ways:
            table = io.StringIO()
            csv.writer(table, lineterminator="\n").writerows([("k", "t"), *data])
            for reverse in [False, True]:
                args = ["scan", "--by", "k", "--op", ",".join(f"{op}:t" for op in ops), *extra]
                args += ["--reverse"] if reverse else []
                got = self.text(*args, stdin=table.getvalue())
                got = list(csv.reader(io.StringIO(got)))
                self.assertEqual(got[0], ["k", *(f"{op}(t)" for op in ops)])
                self.same(got[1:], expected(data, key_of, reverse), (extra, reverse))

    def test_many_chunks(self):
        source = random.Random(SEED)
        texts = [f"w{source.getrandbits(40):010x}" for _ in range(300000)]
        best, expected = "", []
        for i, text in enumerate(texts):
            best = max(best, text)
            expected.append(f"{best}\t{i + 1}")
        path = self.file("words.txt", "word\n" + "\n".join(texts) + "\n")
        got = self.text("scan", "--op", "max:word,count:word", path).split("\n")
        self.same(got[:-1], expected, "running maxima")

    def test_counts_of_rows(self):
        self.assertEqual(self.text("scan", "--op", "count", stdin=DAYS), "count\n1\n2\n3\n4\n")
        self.assertEqual(
            self.text("scan", "--op", "count", "--by", "k", "--exclusive", stdin=DAYS),
            "k,count\nb,0\na,0\nb,1\na,1\n",
        )
        self.assertEqual(
            self.text("scan", "--op", "count", "--reverse", "--keep", "all", stdin=DAYS)[:24],
            "k,day,x,count\nb,2015-03-",
        )

    def test_what_texts_do_not_have(self):
        for extra, status, says in [
            (["--exclusive"], 2, "--exclusive: max of text has no result before the first row"),
            (["--monotone"], 2, "--monotone: needs numbers, but max is of text"),
            (["--init", "3"], 2, "--init: max takes no initial value"),
            (["--to", "npy", "-o", "x.npy"], 2, ".npy cannot hold text such as column 'max(day)'"),
        ]:
            self.fails(status, "scan", "--op", "max:day", *extra, stdin=DAYS, says=says)
        self.fails(2, "scan", "--op", "mode:day", stdin=DAYS, says="use upsweep reduce")

    def test_a_column_of_numbers_is_not_text(self):
        bad = self.file("bad.csv", "day,x\nmon,a1\ntue,2\n")
        for command in ["reduce", "scan"]:
            for op in ["max:day,sum:x", "sum:day,max:day", "max:x,mean:x"]:
                where = "bad.csv:2:1: 'mon'" if "sum:day" in op else "bad.csv:2:5: 'a1'"
                self.fails(3, command, "--op", op, bad, says=where)
            self.fails(3, command, "--op", "sum,max", "-c", "x", bad, says="bad.csv:2:5: 'a1'")
            self.fails(3, command, "--op", "sum,max", stdin="mon\n", says="1:1: 'mon'")


if __name__ == "__main__":
    unittest.main()
