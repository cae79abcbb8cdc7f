"""Files as strangers have them, and what must come of them: the right value, or the option that
gives it.
"""

import io
import time
import unittest
import zipfile

from support import ToolTest

ACCESS = (
    '192.0.2.1 - - [11/Jul/2006:22:15:14 -0600] "GET /a.js HTTP/1.1" 200 2374 "-" "M (c; x)"\n'
    '192.0.2.2 - - [11/Jul/2006:22:59:59 -0600] "GET / HTTP/1.1" 304 - "-" "curl/8.0"\n'
    '192.0.2.1 - - [11/Jul/2006:23:00:00 -0600] "POST /p?q=1 HTTP/1.1" 200 100 "-" "curl/8.0"\n'
    '192.0.2.3 - bob [12/Jul/2006:00:00:01 -0600] "GET /b HTTP/1.0" 404 26 "-" "x"\n'
)


class Strangers(ToolTest):
    def test_an_access_log(self):
        self.file("access.log", ACCESS)
        self.fails(3, "reduce", "--column", "10", "access.log", says="--delimiter ' '")
        quotes = ["--delimiter", " ", "access.log"]
        self.fails(3, "reduce", "-c", "8", *quotes, says="--skip-missing --missing='-'")
        got = self.text("reduce", "-c", "8", "--skip-missing", "--missing=-", *quotes)
        self.assertEqual(got, "2500\n")
        got = self.text("reduce", "--by", "1", "--op", "count", *quotes)
        self.assertEqual(got, "192.0.2.1 2\n192.0.2.2 1\n192.0.2.3 1\n")

    def test_a_log_without_numbers(self):
        lines = [
            "2025-06-24 14:36:25 startup archives\n",
            "2025-06-24 14:36:26 upgrade libx\n",
            "2025-06-24 14:36:27 startup packages\n",
        ]
        got = self.text("reduce", "--by", "3", "--op", "count", stdin="".join(lines))
        self.assertEqual(got, "startup\t2\nupgrade\t1\n")

    def test_comments_in_a_tsv(self):
        zones = (
            "# a comment\n#code\tcoordinates\tTZ\nAD\t+4230+00131\tEurope/Andorra\n"
            "AE\t+2518+05518\tAsia/Dubai\nAD\t+3431+06912\tX/Y\n"
        )
        self.file("zones.tab", zones)
        got = self.text("reduce", "--comment", "#", "--by", "1", "--op", "count", "zones.tab")
        self.assertEqual(got, "AD\t2\nAE\t1\n")

    def test_other_separators_in_a_csv_are_named(self):
        for text, option in (
            ("a|b\n1|2\n3|4\n", ["--delimiter", "|"]),
            ("a^b\n1^2\n3^4\n", ["--delimiter", "^"]),
            ("a~b\n1~2\n3~4\n", ["--delimiter", "~"]),
            ("a\tb\n1\t2\n3\t4\n", ["--delimiter", "tab"]),
            ("a b\n1 2\n3 4\n", ["--from", "text"]),
            ("a   b\n 1 2\n3  4\n", ["--from", "text"]),
        ):
            self.file("x.csv", text)
            says = " ".join(option)
            for sign in "|^~":
                says = says.replace(sign, f"'{sign}'")
            for ask in (["--op", "sum:b"], ["--op", "sum:2"], ["--by", "b", "--op", "count"]):
                asks = 3 if "sum:2" in ask else 2  # there is no name that shows a header
                self.fails(asks, "reduce", *ask, "x.csv", says=says)
            self.assertEqual(self.text("reduce", "--op", "sum:b", *option, "x.csv"), "6\n")
        for text in (
            "a b,c\n1,2\n",
            "name\nAnn\n",
        ):  # they do not divide alike
            self.file("x.csv", text)
            self.fails(2, "reduce", "--op", "sum:z", "x.csv", says="no column 'z'")
            self.assertNotIn("separated", self.errors)

    def test_commas_in_a_tsv_are_named(self):
        self.file("x.tsv", "a,b\n1,2\n")
        self.fails(2, "reduce", "--op", "sum:b", "x.tsv", says="--delimiter , or --from csv")

    def test_files_that_begin_with_a_line_of_text_are_known(self):
        matlab = b"MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Nov  2 10:00:00 2026"
        spss = b"$FL2@(#) SPSS DATA FILE MS Windows 25.0".ljust(64)
        for name, content, says in (
            ("a.mat", matlab.ljust(116) + bytes(8) + b"\0\1IM", "a MATLAB file"),
            ("a.sav", spss + b"\2\0\0\0", "an SPSS file"),
            ("a.rar", b"Rar!\x1a\7\1\0" + bytes(40), "a RAR archive"),
            ("a.sz", b"\xff\6\0\0sNaPpY" + bytes(40), "snappy"),
        ):
            self.file(name, content)
            self.fails(3, "reduce", name, says=[says, "convert it"])
        self.file("a.csv", "ORC,n\n" + "ab,1\n" * 100)
        self.assertEqual(self.text("reduce", "--op", "sum:n", "a.csv"), "100\n")

    def test_other_separators_in_a_pipe_are_named(self):
        for text, says in (
            ("a|b\n1|2\n", "--delimiter '|'"),
            ("a:b\n1:2\n", "--delimiter :"),
            ("root:x:0:0\nann:x:7:7\n", "--delimiter :"),
        ):
            column = "b" if "b" in text else "3"
            self.fails(2, "reduce", "--op", f"sum:{column}", stdin=text, says=says)
        self.fails(2, "reduce", "--op", "sum:z", stdin="a b\n1 2\n", says="columns a, b.")
        self.assertNotIn("separated", self.errors)

    def test_windows_over_time_name_the_column_that_is_given(self):
        table = "g,t,x\na,2024-01-01,1\n"
        for asked, advice in (
            ("window:2d:sum:x:t", "window-by:2d:sum:x:t."),
            ("window:2d:sum:x", "window-by:2d:sum:x:TIME."),
            ("window:2d:sum", "window-by:2d:sum:COLUMN:TIME."),
        ):
            self.fails(2, "scan", "--op", asked, stdin=table, says=f"write --op {advice}")

    def test_public_reports_of_aggregations(self):
        # wireservice/csvkit#965: strings that are no dates.
        got = self.text("reduce", "--op", "distinct:a,count:a", stdin="a\n1-1-19\n1-1-20\n")
        self.assertEqual(got, "2\t2\n")
        # wireservice/csvkit#1195, #935: the day comes first, which no order of bytes knows.
        table = "name,date\na,17/04/2023\nb,02/05/2022\n"
        self.fails(3, "reduce", "--op", "max:date", stdin=table, says="'17/04/2023'")
        # wireservice/csvkit#637: codes and dates stay as they are written.
        table = "a,b,c\n00126017,01/01/2008,30/12/2008\n00125868,01/12/2004,31/12/2004\n"
        rows = table.splitlines(keepends=True)
        got = self.text("sort", "--column", "a", stdin=table)
        self.assertEqual(got, rows[0] + rows[2] + rows[1])
        # duckdb/duckdb#25827: a value with a semicolon is no other separator.
        got = self.text("reduce", "--op", "count:c0,last:c0", stdin="c0\nv0\na;b\n")
        self.assertEqual(got, "2\ta;b\n")
        # duckdb/duckdb#18403: rows that are wider than the header.
        table = "id,price,side\n1,0.6853,sell,0\n2,0.6852,sell,0\n"
        self.fails(3, "reduce", "--op", "sum:price", stdin=table, says="2:1")
        # duckdb/duckdb#4929: an empty line before the rows.
        got = self.text("reduce", "--op", "sum:2", "--delimiter", " ", stdin="\na 1\nb 2\n")
        self.assertEqual(got, "3\n")
        # BurntSushi/xsv#350, medialab/xan#11: sums of timestamps beyond 64 bits.
        times = "t\n9223372036854775807\n9223372036854775805\n"
        got = self.text("reduce", "--op", "decimal-sum:t,median:t", stdin=times)
        self.assertEqual(got, "18446744073709551612\t9.223372036854776e+18\n")
        self.fails(6, "reduce", "--op", "checked-sum:t", stdin=times, says="row 1")
        # bluesmoon/node-faststats#6: extrema of numbers in strings are those of the numbers.
        rows = '[{"v":"8.45"},{"v":"26.67"},{"v":"5.33"}]'
        got = self.text(
            "reduce", "--from", "json", "--op", "max:v,min:v", "--to", "text", stdin=rows
        )
        self.assertEqual(got, "26.67\t5.33\n")
        # shenwei356/csvtk#337: the order of rows does not depend on that of the input.
        rows = ["chr1,1872,-\n", "chr1,1872,+\n"]
        for one in (rows, rows[::-1]):
            stdin = "seq,start,strand\n" + "".join(one)
            got = self.text("sort", "--column", "seq,start,strand", stdin=stdin)
            self.assertEqual(got, "seq,start,strand\nchr1,1872,+\nchr1,1872,-\n")

    def test_public_reports_of_statistics(self):
        # matrixorigin/matrixone#27549: the sum of squares overflows, the variance does not.
        rows = ["0\n", "0\n", "1.5e154\n", "1.5e154\n"]
        for cut in (0, 1, 2, 4):
            self.file("log", "x\n" + "".join(rows[:cut]))
            ask = ["reduce", "--op", "var:x", "--header", "--resume", f"state{cut}", "log"]
            self.run_tool(*ask)
            self.file("log", "x\n" + "".join(rows))
            self.assertAlmostEqual(float(self.text(*ask)) / 5.625e307, 1, 12, cut)
        # NVIDIA/cudf#22391: an extreme mean of one value, after a part without values.
        most = "1.7976931348623157e+308"
        self.assertEqual(self.text("reduce", "--op", "mean,std", stdin=most), f"{most}\t0\n")
        # sonots/cumo#430: the variance beside an infinity is NaN wherever that is.
        for at in range(4):
            rows = ["1\n"] * at + ["inf\n"] + ["2\n"] * (7 - at)
            self.assertEqual(self.text("reduce", "--op", "var", stdin="".join(rows)), "nan\n")
        # gdkrmr/WeightedOnlineStats.jl#42, tensorflow/tensorflow#51792: weights of 0.
        both = "weighted-mean:x:w as m,weighted-var:x:w as v"
        for weights, right in (("0 .5 1", "1,0"), ("0 0 0", "nan,nan")):
            stdin = "x,w\n" + "".join(f"1,{w}\n" for w in weights.split())
            got = self.text("reduce", "--op", both, "--to", "csv", stdin=stdin)
            self.assertEqual(got, f"m,v\n{right}\n")
        # pola-rs/polars#21677, ajcr/rolling#20: deviations of windows after larger values.
        rows = "1\n1e-7\n" + "0\n" * 8
        got = self.text("scan", "--op", "window:5:var,window:5:std", stdin=rows).split()
        self.assertEqual(got[-6:], ["0"] * 6)
        self.assertTrue(all(float(v) >= 0 for v in got))

    def test_public_reports_of_quotes(self):
        # melihbirim/csvql#92: a sum beside a field with a line break.
        rows = 'id,note,amount\n1,"line1\nline2",100.5\n2,plain,2500\n4,ok,-0\n5,"\u00fc",42\n'
        self.assertEqual(self.text("reduce", "-c", "amount", stdin=rows), "2642.5\n")
        # melihbirim/csvql#95, duckdb/duckdb#16760: a comma and a line break in names of columns.
        rows = '"last,first","a\nge"\n"Smith,John",42\n'
        got = self.text("reduce", "--by", "1", "-c", "2", "--to", "csv", stdin=rows)
        self.assertEqual(got, '"last,first","sum(a\nge)"\n"Smith,John",42\n')

    def test_lines_that_are_all_comments(self):
        self.file("tags.txt", "#cats 3\n#dogs 5\n")
        for ask in (["--column", "2"], [], ["--op", "count"], ["--by", "1", "--op", "sum:2"]):
            self.fails(3, "reduce", *ask, "tags.txt", says=["tags.txt:1:1", "#cats 3", "--comment"])
        self.assertEqual(self.text("reduce", "-c", "2", "--comment", "%", "tags.txt"), "8\n")
        for ask in (["--column", "2"], [], ["--op", "count"]):
            numbered = "# a comment\n#1 2\n#3 4\n"
            self.fails(3, "reduce", *ask, stdin=numbered, says=[":2:1", "#1 2", "--comment"])
        for empty in ("# cats\n", "#\n", "##\n", "#5\n", "# 5 6\n", ""):
            self.assertEqual(self.text("reduce", stdin=empty), "0\n")
        self.assertEqual(self.text("reduce", "--comment", "#", stdin="#cats 3\n"), "0\n")

    def test_an_open_quote_is_named_where_it_opens(self):
        self.file(
            "people.csv", 'id,name,age\n2,"Poe, Ann",30\n1,"Roe, Bob,25\n3,"Cyd",35\n4,"Dan",4\n'
        )
        self.fails(
            3,
            "reduce",
            "--op",
            "sum:age",
            "people.csv",
            says=["people.csv:4:4: ", "people.csv:3:3"],
        )
        self.file("first.csv", 'id,"na me,age\n2,"x",3\n')
        self.fails(
            3, "reduce", "--op", "sum:age", "first.csv", says=["first.csv:2:4: ", "first.csv:1:4"]
        )
        self.file("last.csv", 'id,name\n1,x\n2,"y\n')
        self.fails(3, "reduce", "--op", "sum:id", "last.csv", says=["last.csv:3:3", "never closed"])

    def test_lines_whose_last_field_has_blanks(self):
        ps = "USER PID COMMAND\nann 5 python x.py  --fast\nbob 70 sh\nann 9 a b # c \n"
        got = self.text("select", "--where", "PID < 50", stdin=ps)
        self.assertEqual(got, "USER\tPID\tCOMMAND\nann\t5\tpython x.py  --fast\nann\t9\ta b # c\n")
        got = self.text("select", "--where", 'COMMAND ~ "x.py"', "-c", "PID", stdin=ps)
        self.assertEqual(got, "PID\n5\n")
        got = self.text("sort", "-c", "PID", "--top", "1", stdin=ps)
        self.assertEqual(got, "USER\tPID\tCOMMAND\nbob\t70\tsh\n")
        self.assertEqual(self.text("reduce", "--op", "sum:PID", stdin=ps), "84\n")
        self.fails(
            3,
            "select",
            "--where",
            "PID < 50",
            stdin="USER PID COMMAND\nann 5 x\nbob 7\n",
            says=[":3:1: ", "2 fields", "--column"],
        )
        df = "Filesystem Used Mounted on\n/dev/sda 5 /\ntmp 7 /tmp\n"
        self.fails(3, "select", "--where", "Used < 6", stdin=df, says="--column")
        self.assertEqual(self.text("reduce", "--op", "sum:Used", stdin=df), "12\n")

    # Questions that people ask of awk, with numbers of our own.
    def test_totals_within_groups_start_again(self):
        rows = "North Mon 12 7\nNorth Tue 30 8\nSouth Mon 5 2\nNorth Wed 1 4\nSouth Tue 6 9\n"
        got = self.text("scan", "--by", "1", "--column", "4", stdin=rows)
        self.assertEqual(got, "North\t7\nNorth\t15\nSouth\t2\nNorth\t19\nSouth\t11\n")
        got = self.text("scan", "--column", "4", stdin=rows)
        self.assertEqual(got, "7\n15\n17\n21\n30\n")
        rows = "Customer,Quantity,Amount\nA,1,10\nA,2,20\nB,1,15\nB,3,10\nB,1,20\n"
        got = self.text("scan", "--by", "1", "--op", "sum:Quantity,sum:Amount", stdin=rows)
        lines = ["Customer,sum(Quantity),sum(Amount)", "A,1,10", "A,3,30", "B,1,15", "B,4,25"]
        self.assertEqual(got.split("\n"), [*lines, "B,5,45", ""])

    def test_a_percentile_and_the_largest_of_each_key(self):
        rows = "k1 7\nk2 3\nk1 10\nk3 5\nk1 8\nk2 9\n"
        got = self.text("reduce", "--by", "1", "--op", "quantile:0.9:2,max:2", stdin=rows)
        # between the second and third of 7 8 10, at 1.8; of 3 9, at 0.9
        found = [line.split("\t") for line in got.splitlines()]
        self.assertEqual([f[0] for f in found], ["k1", "k2", "k3"])
        for row, (ninth, most) in zip(found, [(9.6, 10), (8.4, 9), (5, 5)]):
            self.assertAlmostEqual(float(row[1]), ninth, places=12)
            self.assertEqual(float(row[2]), most)
        by = ["reduce", "--by", "1", "--op"]
        self.fails(2, *by, "p90:2", stdin=rows, says="quantile:0.90")

    def test_a_percentile_of_small_numbers(self):
        rows = "0.00021\n0.00019\n0.00035\n0.00042\n0.00011\n"
        got = float(self.text("reduce", "--op", "quantile:0.95", stdin=rows))
        self.assertAlmostEqual(got, 0.00035 + 0.8 * 0.00007, places=15)
        self.fails(2, "reduce", "--op", "p95", stdin=rows, says="quantile:0.95")

    def test_workbooks_name_a_converter(self):
        for first in ("[Content_Types].xml", "docProps/app.xml", "xl/workbook.xml", "other"):
            made = io.BytesIO()
            with zipfile.ZipFile(made, "w") as archive:
                archive.writestr(first, "<x/>")
            self.file("a.xlsx", made.getvalue())
            self.fails(3, "reduce", "a.xlsx", says="libreoffice")
        self.file("a.zip", made.getvalue())
        self.fails(3, "reduce", "a.zip", says="unzip -p")

    def test_regular_expressions_take_linear_time(self):
        table = "text;n\n" + "," * 300 + ";1\n" + "a" * 3000 + ";2\n"
        begin = time.monotonic()
        for pattern in (
            ".*,.*,.*c",
            "a*a*a*c",
            "(a*)*c",
            "(a|a)*c",
            "(a+)+(b|c)",
            "a{1000}a{1000}c",
            "^(.*,){5,20}x",
        ):
            got = self.text(
                "select", "--where", f'text ~ "{pattern}"', "--delimiter", ";", stdin=table
            )
            self.assertEqual(got, "text;n\n", pattern)
        self.assertLess(time.monotonic() - begin, 5)
        got = self.text(
            "select",
            "--where",
            'text ~ "a{1000}a{1000}"',
            "-c",
            "n",
            "--delimiter",
            ";",
            stdin=table,
        )
        self.assertEqual(got, "n\n2\n")
        for pattern in (r"(a)\1", "a(?=b)", "a(?<!b)", "(", "[", "a{2000}", "*"):
            self.fails(
                2,
                "select",
                "--where",
                f"text ~ '{pattern}'",
                "--delimiter",
                ";",
                stdin=table,
                says=["not a regular expression"],
            )
            for word in ("std", "regex_", "_M_", "Number of NFA"):
                self.assertNotIn(word, self.errors)

    def test_regular_expressions_of_other_bytes(self):
        table = "k;n\nKöln;1\nK😀ln;2\n".encode() + "Köln;3\n".encode("latin-1") + b"Kln;4\n"
        got = self.run_tool("select", "--where", "k ~ '^K.ln$'", "-c", "n", stdin=table)
        self.assertEqual(got, b"n\n1\n2\n3\n")
        got = self.run_tool("select", "--where", "k ~ 'ö'", "-c", "n", stdin=table)
        self.assertEqual(got, b"n\n1\n")

    def test_decimal_commas_with_thousands(self):
        """pandas-dev/pandas#59299: the message blamed 1,20, which is a number there."""
        table = "a;b\na;1,20\nb;22,3\nc;1.234,56\n"
        comma = ["reduce", "-c", "b", "--decimal", ","]
        says = ["4:3: '1.234,56'", "--decimal , --thousands=."]
        self.fails(3, *comma, stdin=table, says=says)
        self.assertEqual(float(self.text(*comma, "--thousands=.", stdin=table)), 1258.06)
        self.fails(3, "reduce", "-c", "1", "--decimal", ",", stdin="1,5\n1,234.5\n")
        self.assertNotIn("; for", self.errors)

    def test_integers_beside_gaps_keep_their_digits(self):
        """pandas-dev/pandas#48170 (…768) and #6620: a float took the place of the integer."""
        table = "k,x\n1,\n2,24650000000000001\n2,1234567890123456789\n"
        got = self.text("select", "--skip-missing", "--add", "y = x + 0", stdin=table)
        self.assertEqual(
            got,
            "k,x,y\n1,,\n2,24650000000000001,24650000000000001\n"
            "2,1234567890123456789,1234567890123456789\n",
        )
        how = ["--skip-missing", "--by", "k", "--op", "first:x,max:x,sum:x"]
        got = self.text("reduce", *how, stdin=table).splitlines()
        self.assertEqual(got[1].split(",")[:2], ["1", ""])
        self.assertEqual(got[2], "2,24650000000000001,1234567890123456789,1259217890123456790")

    def test_negative_numbers_in_quotes_without_a_header(self):
        """BurntSushi/xsv#357: the first row was taken for a header, the others did not move."""
        rows = ['foo,"-113.65",bar\n', 'foo,"-300.28",bar\n', 'foo,"-285.49",bar\n']
        got = self.text("sort", "-c", "2", "--from", "csv", stdin="".join(rows))
        self.assertEqual(
            [line.split(",")[1].strip('"') for line in got.splitlines()],
            ["-300.28", "-285.49", "-113.65"],
        )

    def test_a_window_forgets_what_has_left_it(self):
        """pandas-dev/pandas#61071: -0.01637 for -0.000745, after 1e15 has passed."""
        x = [-1 / 3, 0.0, 1e15, -4.874588e14, 6.103516e-05, 0.0, 1.1, 0.0, 0.0, -8.581237e14]
        x += [0.0, 1e15, 0.0, 0.0, 0.0, 0.0, 0.0, -5.96e-03, 0.0, 0.0]
        got = self.text("scan", "--op", "window:8:mean", stdin="".join(f"{v!r}\n" for v in x))
        self.assertEqual(float(got.split()[-1]), -5.96e-03 / 8)

    def test_padded_numbers_are_decimal_and_zeros_are_no_booleans(self):
        """johnkerl/miller#1241: 0000008 was octal; wireservice/csvkit#1265: 0 became False."""
        ids = [f"{i:07}" for i in range(1, 21)]
        table = "id,used\n" + "".join(f"{i},0\n" for i in ids)
        got = self.text("select", "--add", "n = id + 0", "--add", "u = used", stdin=table)
        self.assertEqual(got.splitlines()[1:], [f"{i},0,{n},0" for n, i in enumerate(ids, start=1)])
        self.assertEqual(self.text("sort", "-c", "used", stdin=table), table)

    def test_many_columns_take_time_in_proportion(self):
        def seconds(n):
            table = ",".join(f"c{i}" for i in range(n)) + "\n" + ",".join(["1"] * n) + "\n"
            begin = time.process_time(), time.monotonic()
            for op in ("sum", "mean,max,median"):
                got = self.text("reduce", "--column", "all", "--op", op, stdin=table)
                self.assertEqual(len(got.split("\n")[1].split(",")), n * (1 + op.count(",")))
            return time.monotonic() - begin[1]

        few = min(seconds(4000) for _ in range(2))
        self.assertLess(min(seconds(16000) for _ in range(2)), 9 * few + 0.5)


if __name__ == "__main__":
    unittest.main()
