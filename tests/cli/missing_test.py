"""Missing values: each operator skips what its own column lacks. Expected values come from
missing_model.py."""

import csv
import io
import json
import math
import struct
import subprocess
import unittest

from missing_model import OWN, REDUCED, SCANNED, Table, reduced, scanned, spelled
from support import SEED, TOOL, ToolTest, raw, read_npy


class Missing(ToolTest):
    def equal(self, got, expected, what):
        """One field of the output."""
        if expected is None:
            self.assertEqual(got, "", what)
        elif isinstance(expected, str):
            self.assertEqual(got, expected, what)
        elif isinstance(expected, float) and math.isnan(expected):
            self.assertEqual(got, "nan", what)
        else:
            self.assertAlmostEqual(float(got), expected, delta=1e-9, msg=what)

    def rows(self, *args, stdin):
        return list(csv.reader(io.StringIO(self.text(*args, "--from", "csv", stdin=stdin))))[1:]

    def compare(self, got, expected, what):
        self.assertEqual(len(got), len(expected), what)
        for fields, wanted in zip(got, expected):
            self.assertEqual(len(fields), len(wanted), what)
            for field, value in zip(fields, wanted):
                self.equal(field, value, (what, fields, wanted))

    def drawn(self, table, ops, n=5):
        chosen = table.source.sample(ops, n)
        return chosen

    def test_the_case_of_weather_in_which_a_column_took_rows_from_another(self):
        table = "origin,temp,gust\nEWR,50,\nEWR,60,20\nJFK,30,\nJFK,NA,10\nLGA,40,\n"
        got = self.text(
            "reduce",
            "--skip-missing",
            "--by",
            "origin",
            "--op",
            "mean:temp,mean:gust,max:gust,count,count:temp",
            stdin=table,
        )
        self.assertEqual(
            got,
            "origin,mean(temp),mean(gust),max(gust),count,count(temp)\n"
            "EWR,55,20,20,2,2\nJFK,30,10,10,2,1\nLGA,40,nan,,1,1\n",
        )
        whole = self.text(
            "reduce",
            "--skip-rows-with-missing",
            "--by",
            "origin",
            "--op",
            "mean:temp,mean:gust,count",
            stdin=table,
        )
        self.assertEqual(whole, "origin,mean(temp),mean(gust),count\nEWR,60,20,1\n")

    def test_reductions_of_groups_agree_with_the_model(self):
        for seed in range(SEED, SEED + 12):
            table = Table(seed, own=seed % 2 == 1)
            ops = self.drawn(table, REDUCED)
            flags = ["--skip-missing", "--by", "k", "--op", ",".join(map(spelled, ops))]
            if seed % 2 == 1:
                flags.append("--missing=" + ",".join(OWN))
            expected = [
                [k] + [reduced(op, rows) for op in ops] for k, rows in table.groups().items()
            ]
            got = self.rows("reduce", *flags, stdin=table.text)
            self.compare(got, expected, (seed, ops))
            self.assertEqual(self.rows("reduce", *flags, "--on", "serial", stdin=table.text), got)
            expected, run = [], []  # runs of equal keys
            for i, row in enumerate(table.rows):
                if run and run[-1][1]["k"] != row["k"]:
                    expected.append(run)
                    run = []
                run.append((i, row))
            expected.append(run)
            expected = [[run[0][1]["k"]] + [reduced(op, run) for op in ops] for run in expected]
            got = self.rows("reduce", *flags, "--allow-repeats", stdin=table.text)
            self.compare(got, expected, (seed, ops))

    def test_groups_of_hundreds_of_rows_agree_with_the_model(self):
        table = Table(SEED, rows=3000, groups=3)
        ops = [op for op in REDUCED if spelled(op) == op]
        expected = [[k] + [reduced(op, rows) for op in ops] for k, rows in table.groups().items()]
        got = self.rows(
            "reduce", "--skip-missing", "--by", "k", "--op", ",".join(ops), stdin=table.text
        )
        self.compare(got, expected, ops)

    def test_reductions_of_all_rows_agree_with_the_model(self):
        for seed in range(SEED, SEED + 6):
            table = Table(seed)
            numbered = list(enumerate(table.rows))
            ops = [op for op in self.drawn(table, REDUCED) if reduced(op, numbered) is not None]
            flags = ["reduce", "--skip-missing", "--op", ",".join(map(spelled, ops))]
            self.compare(
                self.rows(*flags, stdin=table.text),
                [[reduced(op, numbered) for op in ops]],
                (seed, ops),
            )
            results = json.loads(self.text(*flags, "--json", "--from", "csv", stdin=table.text))[
                "results"
            ]
            for op, result in zip(ops, results):
                column = op.partition(":")[2]
                gaps = sum(row[column] is None for row in table.rows) if column else 0
                self.assertEqual(result["missing"], gaps, (seed, op))

    def test_scans_keep_their_rows_and_agree_with_the_model(self):
        for seed in range(SEED, SEED + 12):
            table = Table(seed, rows=40)
            chosen = self.drawn(table, SCANNED, 4)
            flags = ["--skip-missing", "--keep", "k", "--op", ",".join(op for op, _ in chosen)]
            columns = [scanned(op, [row[column] for row in table.rows]) for op, column in chosen]
            keys = [row["k"] for row in table.rows]
            expected = [list(fields) for fields in zip(keys, *columns)]
            got = self.rows("scan", *flags, stdin=table.text)
            self.compare(got, expected, (seed, chosen))
            by_group = [None] * len(table.rows)
            for k, rows in table.groups().items():
                columns = [scanned(op, [row[column] for _, row in rows]) for op, column in chosen]
                for (i, _), *fields in zip(rows, *columns):
                    by_group[i] = [k, *fields]
            without_rows = [
                j + 1 for j, (op, _) in enumerate(chosen) if not op.startswith("argmax")
            ]
            got = self.rows("scan", *flags, "--by", "k", stdin=table.text)
            pick = lambda rows: [[row[j] for j in without_rows] for row in rows]
            self.compare(pick(got), pick(by_group), (seed, chosen))

    def test_scans_from_the_end_agree_with_the_model(self):
        table = Table(SEED + 1, rows=40)
        ops = [("sum:a", "a"), ("max:b", "b"), ("count:a", "a")]
        columns = [
            scanned(op, [row[column] for row in reversed(table.rows)])[::-1] for op, column in ops
        ]
        flags = ["scan", "--skip-missing", "--reverse", "--op", ",".join(op for op, _ in ops)]
        got = self.rows(*flags, stdin=table.text)
        self.compare(got, [list(fields) for fields in zip(*columns)], ops)

    def test_pieces_of_a_stream_and_several_files_do_not_change_results(self):
        table = Table(SEED + 3, rows=400)
        head, *lines = table.text.splitlines(keepends=True)
        flags = ["--skip-missing", "--op", "sum:a,lag:b,count:t,argmax:b,max:a", "--from", "csv"]
        whole = self.text("scan", *flags, stdin=table.text)
        with subprocess.Popen(
            [TOOL, "scan", *flags, "--keep", "k"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as tool:
            for start in range(0, len(table.text), 97):
                tool.stdin.write(table.text[start : start + 97].encode())
                tool.stdin.flush()
            tool.stdin.close()
            got = tool.stdout.read().decode()
        self.assertEqual([line.split(",", 1)[1] for line in got.splitlines()], whole.splitlines())
        self.file("one.csv", head + "".join(lines[:150]))
        self.file("two.csv", head + "".join(lines[150:]))
        self.assertEqual(self.text("scan", *flags, "one.csv", "two.csv"), whole)
        by = ["--by", "k", "--op", "mean:b,argmax:a,count,count:t"]
        self.assertEqual(
            self.text("reduce", "--skip-missing", *by, "one.csv", "two.csv"),
            self.text("reduce", "--skip-missing", *by, "--from", "csv", stdin=table.text),
        )

    def test_rows_are_skipped_whole_on_request(self):
        for seed in range(SEED, SEED + 4):
            table = Table(seed)
            kept = [(i, r) for i, r in enumerate(table.rows) if None not in (r["a"], r["b"])]
            ops = ["sum:a", "max:b", "count", "argmax:a"]
            if not kept:
                continue
            got = self.rows(
                "reduce", "--skip-rows-with-missing", "--op", ",".join(ops), stdin=table.text
            )
            self.compare(got, [[reduced(op, kept) for op in ops]], (seed, ops))

    def test_columns_taken_together_skip_rows_that_lack_one(self):
        table = "a,b\n2,1\n,5\n3,NA\n10,4\n"
        # The maps 2x + 1 and 10x + 4 one after the other.
        self.assertEqual(
            self.text("reduce", "--skip-missing", "--op", "affine", "-c", "a,b", stdin=table),
            self.text("reduce", "--op", "affine", "-c", "a,b", stdin="a,b\n2,1\n10,4\n"),
        )
        self.assertEqual(
            len(
                self.text(
                    "scan", "--skip-missing", "--op", "affine", "-c", "a,b", stdin=table
                ).splitlines()
            ),
            5,
        )

    def test_own_words_are_missing_besides_the_usual_ones(self):
        table = "x\n1\n-\nNone\n?\n#N/A\n\\N\n-999\nNA\n\n5\n"
        words = "--missing=" + ",".join(OWN)
        args = ["reduce", "--from", "csv", "--skip-missing", "--op", "sum:x,count:x"]
        self.assertEqual(self.text(*args, words, stdin=table), "sum(x),count(x)\n6,2\n")
        self.assertEqual(
            self.text("sort", "--from", "csv", "--skip-missing", words, stdin=table), "x\n1\n5\n"
        )
        got = self.text("scan", "--from", "csv", "--skip-missing", words, stdin=table)
        self.assertEqual(got, 'sum(x)\n1\n""\n""\n""\n""\n""\n""\n""\n6\n')
        self.fails(
            3,
            "reduce",
            "-c",
            "x",
            "--missing=-999",
            stdin="x\n1\n-999\n",
            says=["'-999'", "missing value", "--skip-missing"],
        )
        self.fails(3, "reduce", "-c", "x", stdin="x\n1\n?\n", says="'?'")
        # A first row of nothing but such words is data under the header.
        self.assertEqual(
            self.text(
                "reduce",
                "--op",
                "sum:y",
                "--skip-missing",
                "--missing",
                "?",
                stdin="x,y\n?,?\n1,2\n",
            ),
            "2\n",
        )

    def test_every_format_shows_a_missing_result(self):
        table = self.file("t.csv", "x\n1.5\nNA\n2\n")
        scan = ["scan", "--skip-missing", table]
        self.assertEqual(self.text(*scan), 'sum(x)\n1.5\n""\n3.5\n')
        self.assertEqual(self.text(*scan, "--to", "text"), "1.5\nNA\n3.5\n")
        self.assertEqual(
            [json.loads(line) for line in self.text(*scan, "--json").splitlines()],
            [{"sum(x)": 1.5}, {"sum(x)": None}, {"sum(x)": 3.5}],
        )
        got = struct.unpack("<3d", self.run_tool(*scan, "--to", "raw"))
        self.assertEqual((got[0], math.isnan(got[1]), got[2]), (1.5, True, 3.5))
        self.text(*scan, "-o", "t.npy")
        self.assertTrue(math.isnan(read_npy(self.content("t.npy"))[2][1]))
        self.fails(
            3,
            "scan",
            "--skip-missing",
            "--to",
            "raw",
            stdin="1\nNA\n2\n",
            says=["Row 2", "--dtype f64"],
        )
        self.assertEqual(
            self.run_tool("scan", "--skip-rows-with-missing", "--to", "raw", stdin="1\nNA\n2\n"),
            raw("i64", [1, 3]),
        )

    def test_no_value_at_all_is_an_error_of_a_total_and_a_gap_of_a_group(self):
        table = "k,x\na,NA\nb,3\na,\n"
        self.assertEqual(
            self.text(
                "reduce",
                "--skip-missing",
                "--by",
                "k",
                "--op",
                "sum:x,max:x,median:x,count",
                stdin=table,
            ),
            "k,sum(x),max(x),median(x),count\na,0,,,2\nb,3,3,3,1\n",
        )
        self.fails(
            3, "reduce", "--skip-missing", "--op", "max:x", stdin="k,x\na,NA\n", says="no values"
        )


if __name__ == "__main__":
    unittest.main()
