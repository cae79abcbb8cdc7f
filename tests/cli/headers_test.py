"""Whether the first row is a header: only by evidence, and where there is none the tool asks.

Each table is written with what is right, by hand: the rows of data, or that the tool has to ask.
"""

import unittest

from support import ToolTest

# name of the file, table, rows of data; None: the tool has to name --header and --no-header.
TABLES = [
    # A missing value or a Boolean below a word is no evidence.
    ("a.csv", "Ann,5\n,7\nBea,1\n", 3),
    ("a.tsv", "Ann\t5\nN/A\t7\n", 2),
    ("a.csv", "ok,5\ntrue,7\n", 2),
    ("a.csv", "Ann,5,x\nNA,7,y\nnull,8,z\n", 3),
    ("a.csv", "Ann,\n,7\nBea,1\n", None),
    ("a.csv", "flag\ntrue\nfalse\n", None),
    ("a.csv", "flag,n\ntrue,5\n", 1),
    ("a.csv", "true,5\nfalse,7\n", 2),
    ("a.csv", "true\nfalse\n", 2),
    ("a.csv", "name,score\nAnn,\nBea,7\n", 2),
    ("a.csv", "name,score\n,NA\n,NA\nBea,7\n", 3),
    # What others write for a missing value.
    ("a.csv", "Ann,none\nBob,5\n", None),
    ("a.csv", "Ann,-\nBob,5\n", None),
    ("a.csv", "Ann,n.a.,3\nBob,5,4\n", 2),
    ("a.csv", "Ann,5\nNone,7\n", 2),
    ("a.csv", "None,5\n3,7\n", 2),
    ("a.csv", "Ann,#N/A\nBob,5\nCyd,7\n", None),
    ("a.csv", "Ann,unknown\nBob,5\n", None),
    ("a.csv", "Ann,?\nBob,5\n", None),
    # Logs, commits, access logs, lists of accounts.
    ("a.log", "2025-06-24 14:36:25 startup x\n2025-06-24 14:36:26 upgrade y\n", 2),
    ("a.log", "14:36:25 startup x\n14:36:26 upgrade y\n", 2),
    ("a.log", "Jun 24 startup\nJun 25 upgrade\n", 2),
    ("a.log", "startup 2025-06-24\nupgrade 2025-06-25\n", 2),
    ("a.log", "[info] start\n[warn] stop\n", None),
    ("a.csv", "a1b2c3d,Ann,Fix it\n9f8e7d6,Bob,Add it\n", 2),
    ("a.csv", "deadbee,Ann\n1234567,Bob\n", 2),
    ("a.csv", "deadbee,Ann\n12345e7,Bob\n", 2),
    ("a.csv", "Ann,2025-06-24\nBob,2025-06-25\n", 2),
    (
        "a.log",
        "192.0.2.1 - - [11/Jul/2006:22:15:14 200 9\n::1 - - [11/Jul/2006:22:15:15 200 8\n",
        2,
    ),
    ("a.log", "localhost - - [11/Jul/2006:22:15:14 x\n192.0.2.1 - - [11/Jul/2006:22:15:15 y\n", 2),
    ("a.csv", "root:x:0:0\ndaemon:x:1:1\n", None),
    ("a.tsv", "AD\t+4230+00131\tEurope/Andorra\nAE\t+2518+05518\tAsia/Dubai\n", 2),
    ("a.csv", "A-12,x\nB-77,y\n", 2),
    ("a.csv", '$900,x\n"$1,200",y\n', 2),
    ("a.csv", "Ann,Bonn\nBob,Kiel\nAnn,Ulm\n", 3),
    ("a.csv", "Ann,Bonn\nBob,Kiel\nCyd,Ulm\n", None),
    ("a.txt", "b\na\n", None),
    ("a.txt", "b\na\nb\n", 3),
    # What pandas writes, and its siblings.
    ("a.csv", ",0,1\n0,5,6\n1,8,9\n", 2),
    ("a.csv", ",0\n0,5\n1,8\n", 2),
    ("a.csv", ",0,1,2\n0,5,6,7\n1,8,9,1\n2,0,0,0\n", 3),
    ("a.csv", ",0,1\n0,5,6\n", 1),
    ("a.csv", ",0,1\n0,5,6\n7,8,9\n", None),
    ("a.csv", ",0,1\na,5,6\nb,8,9\n", None),
    ("a.csv", ",0\na,5\nb,8\n", None),
    ("a.csv", ",,0\na,x,5\na,y,8\n", None),
    ("a.csv", ",x\n0,5\n1,8\n", 2),
    ("a.csv", "k,0,1\na,5,6\nb,8,9\n", None),
    ("a.csv", "k,0,1\n0,5,6\n1,8,9\n", 2),
    ("a.csv", "0,1,2\n5,6,7\n8,9,1\n", None),
    ("a.csv", "0,1\n0.5,6.25\n8.5,9.5\n", 3),
    ("a.csv", "0,1,2\n3,4,5\n6,7,8\n", 3),
    ("a.csv", "0,1,2\n1,4,5\n2,7,8\n", 3),
    ("a.csv", "0,1\n1,2\n", 2),
    ("a.txt", "   0  1\n0  5  6\n1  8  9\n", None),
    # Numbers and years as names.
    ("a.csv", "k,2019,2020\na,5,6\n", None),
    ("a.csv", "2019,2020\n5,6\n", None),
    ("a.csv", "k,2019\na,x\nb,y\n", None),
    ("a.csv", "k,2019,2020\na,x,5\n", None),
    ("a.csv", "k,0,1\na,x,y\n", None),
    ("a.csv", "Ann,2005,x\nBob,2006,y\n", 2),
    ("a.csv", ",2019,2020\na,5,6\n", None),
    ("a.csv", "k,10,20,30\na,5,6,7\n", None),
    ("a.csv", "k,0.1,1,10\na,5,6,7\n", None),
    ("a.csv", "k,2025-06-24,2025-06-25\na,5,6\n", None),
    ("a.csv", "id,2025-06-24,2025-06-25\n1,5,6\n", 1),
    ("a.csv", "Ann,10,20,31\nBob,5,6,7\n", 2),
    ("a.csv", "Ann,1,2\nBob,5,6\n", 2),
    # Headers with evidence.
    ("a.csv", "name,score\nAnn,5\n", 1),
    ("a.csv", "when,who\n2025-06-24,Ann\n", 1),
    ("a.csv", "when,who\n24/06/2025,Ann\n", 1),
    ("a.csv", "at,who\n14:36,Ann\n", 1),
    ("a.csv", "price,who\n$900,Ann\n", 1),
    ("a.csv", "used,who\n9%,Ann\n", 1),
    ("a.csv", "size,who\n8.0K,Ann\n", 1),
    ("a.csv", "%cpu,mem\n5,6\n", 1),
    ("a.csv", "x1,x2\n5,6\n", 1),
    ("a.csv", "name,city\n", 0),
    # What speaks for both.
    ("a.csv", "x,5\n3,7\n", None),
    ("a.csv", "XL,3\n42,4\n44,5\n", None),
    ("a.csv", "J,3\n9,4\n7,5\n", None),
    ("a.csv", "root,2010\n1000,2011\n", None),
    ("a.txt", "x 1\n3 2\nx 3\n", None),
    ("a.csv", "dev,3\n1.0,4\ndev,5\n", None),
    ("a.csv", "150,4,setosa\n5.5,3.5,1.4\n", None),
    ("a.csv", "150,4,setosa,versicolor,virginica\n5.5,3.5,1.4,0.2,0\n", 1),
    ("a.csv", "id,2010\n1,5.5\n2,6.5\n", 2),
    # A name that is repeated in a later row.
    ("a.csv", "dev,a\n1.0,b\ndev,c\n", None),
    ("a.log", "ERROR timeout\nWARN 5\nERROR timeout\n", None),
    ("a.csv", "when,x\n2025-06-24,a\nwhen,b\n", None),
    ("a.csv", "when,who\n2025-06-24,Ann\n2025-06-25,Bob\n2025-06-26,Ann\n", 3),
    ("a.csv", "x,Ann\n3,Ann\n", None),
    ("a.csv", "when,5\n2025-06-24,7\n", None),
    ("a.csv", "$5\n7\n", None),
]


class Headers(ToolTest):
    def test_a_row_is_a_header_only_by_evidence(self):
        for name, table, rows in TABLES:
            with self.subTest(table=table):
                file = self.file(name, table)
                for args in (["--op", "count", "--by", "1"], ["--op", "count:1"]):
                    if rows is None:
                        says = ["--header", "--no-header", f"{file}:1:"]
                        self.fails(3, "reduce", *args, file, says=says)
                        self.fails(3, "reduce", *args, stdin=table, says=says[:2]) if (
                            name == "a.txt"
                        ) else None
                        continue
                    out = self.text("reduce", *args, "--skip-missing", "--to", "jsonl", file)
                    if "--by" in args:
                        counts = [
                            int(line.split('"count":')[1].rstrip("}")) for line in out.splitlines()
                        ]
                        self.assertEqual(sum(counts), rows, args)

    def test_the_options_decide(self):
        for _, table, rows in TABLES:
            if rows is not None:
                continue
            n = len(table.splitlines())
            form = (
                ["--from", "text"] if "," not in table and "\t" not in table else ["--from", "csv"]
            )
            for option, count in (("--header", n - 1), ("--no-header", n)):
                if form[1] == "text" and "0  5" in table and option == "--header":
                    continue
                got = self.text(
                    "reduce",
                    option,
                    *form,
                    "--op",
                    "count",
                    "--by",
                    "1",
                    "--to",
                    "jsonl",
                    stdin=table,
                )
                total = sum(int(line.split('"count":')[1].rstrip("}")) for line in got.splitlines())
                self.assertEqual(total, count, (option, table))

    def test_every_command_reads_or_asks_alike(self):
        table = "Ann,5\n,7\nBea,1\n"
        self.assertEqual(self.text("reduce", "-c", "2", "--from", "csv", stdin=table), "13\n")
        self.assertEqual(
            self.text("select", "--where", "$2 > 0", "--from", "csv", stdin=table), table
        )
        self.assertEqual(
            self.text("sort", "-c", "2", "--from", "csv", stdin=table), "Bea,1\nAnn,5\n,7\n"
        )
        self.assertEqual(
            self.text("scan", "-c", "2", "--from", "csv", stdin=table).split(), ["5", "12", "13"]
        )
        words = "Ann,Bonn\nBob,Kiel\n"
        for command in (
            ["sort", "-c", "1"],
            ["runs", "-c", "1"],
            ["unique", "-c", "1"],
            ["reduce", "--op", "first:1"],
            ["select", "--where", "$1 == 'x'"],
            ["scan", "--op", "last:1"],
        ):
            self.fails(3, *command, "--from", "csv", stdin=words, says="--no-header")

    def test_a_name_in_the_command_is_evidence(self):
        words = "name,city\nAnn,Bonn\n"
        self.assertEqual(
            self.text("reduce", "--by", "name", "--op", "count", "--from", "csv", stdin=words),
            "name,count\nAnn,1\n",
        )

    def test_evidence_is_looked_for_in_a_hundred_rows(self):
        for rows, asks in ((98, False), (99, True)):
            table = (
                "name,score\n"
                + "".join(f"n{chr(97 + i % 26)}{chr(97 + i // 26)},NA\n" for i in range(rows))
                + "x,7\n"
            )
            args = ["reduce", "--from", "csv", "--by", "1", "--op", "count"]
            if asks:
                self.fails(3, *args, stdin=table, says="--header")
            else:
                self.assertEqual(len(self.text(*args, stdin=table).splitlines()), rows + 2)

    def test_a_year_above_an_amount_of_money_is_asked_about(self):
        rows = "name;2011\nupgrade;$1,674\nstartup;$1,894\n"  # as numbers they might be years
        ask = ["reduce", "--op", "count:1", "--currency", "--delimiter", ";"]
        self.fails(3, *ask, stdin=rows, says=["2011", "--header or --no-header"])
        self.assertEqual(self.text(*ask, "--header", stdin=rows), "2\n")


if __name__ == "__main__":
    unittest.main()
