"""Outcomes of conditions that no other test has; the expected values were worked out by hand."""

import contextlib
import fcntl
import math
import os
import shlex
import socket
import subprocess
import termios
import time
import unittest
import zipfile

from pieces_test import PieceTool, with_checksum
from support import TOOL, has_zstd, npy, raw

# A command, its standard input, and what it prints.
RESULTS = [
    # Operators.
    ("reduce --op slope:a:b,slope:a:c,intercept:a:b --to text", "a,b,c\n1,2,1\n2,1,3\n3,3,5\n",
     "0.5\t2\t1\n"),
    ("reduce --op distinct-list:é", "é,b\nx,1\ny,2\n", "x,y\n"),
    ("reduce --op \"distinct-list:';':k\"", "k\na\nb\na\n", "a;b\n"),
    ("scan --op lag:", "1\n2\n", "nan\n1\n"),
    ("scan --op count --exclusive", "5\n6\n", "0\n1\n"),
    ("scan --op share", "1152921504606846976\n-1152921504606846976\n", "inf\n-inf\n"),
    ("scan --op share:x --by g --skip-missing", "x,g\n,a\n1,b\n", "g,share(x)\na,\nb,1\n"),
    ("scan --op polynomial:2 --dtype f32", "1.5\n2\n", "1.5\n5\n"),
    ("scan --op log-sum-exp --dtype f32", "1.5\n-inf\n", "1.5\n1.5\n"),
    ("reduce --op bit-or --dtype bool", "1\n0\n", "true\n"),
    ("reduce --by v --skip-missing --op run:k,argmax:k:v", "k,v\nNA,1\nb,2\n",
     'v,run(k),"argmax(k,v)"\n1,0,\n2,1,2\n'),
    ("reduce --by k --sorted --op sum:v", "k,v\n1,1\n2,1\nx,2\n", "k,sum(v)\n1,1\n2,1\nx,2\n"),
    # On the line between two positions: of decimals, of equal ones, and where one is missing.
    ("scan --op interpolate-by:x:t --skip-missing", "x,t\n1,1.5\n,2\n9,3.5\n",
     '"interpolate-by(x,t)"\n1\n3\n9\n'),
    ("scan --op interpolate-by:x:t --skip-missing", "x,t\n1,4\n,4\n9,4\n",
     '"interpolate-by(x,t)"\n1\n1\n9\n'),
    ("scan --op interpolate-by:x:t --skip-missing", "x,t\n1,1\n5,\n,\n,2\n9,5\n",
     '"interpolate-by(x,t)"\n1\n5\n""\n3\n9\n'),
    # sqrt((1 + 1 + 4) / 3): only the first square leaves the range.
    ("reduce --op rms", "1e-200\n1\n2\n", repr(math.sqrt(5 / 3)) + "\n"),
    # Readers.
    ("reduce -c 1 --op count --no-header --from text", "PAR1\t1\r\n2\t3\n", "2\n"),
    ("reduce -c 2 --from csv", "SEP=;\n1;2\n", "2\n"),
    ("reduce -c 2 --from csv --delimiter ,", "sep=;\n1,2\n", "2\n"),
    ("reduce", '"price" \n5\n', "5\n"),
    ("reduce --list", "1 2\n# " + "c" * 5_000_000 + "\n3\n", "6\n"),
    ("reduce", "1\n2" + " " * 5_000_000 + "\n3\n", "6\n"),
    ("reduce", "#;5 6\n", "0\n"),
    ("reduce -c 1234567890", "id,1234567890\n1,2\n", "2\n"),
    ("reduce --by k --op sum:v --to jsonl", "k,v\n", ""),
    ("reduce --by k --op sum:v --to jsonl", "k,v\n0x1F,1\n2,3\n",
     '{"k":"0x1F","sum(v)":1}\n{"k":"2","sum(v)":3}\n'),
    ("reduce --by k --op sum:v --to jsonl", "k,v\nnan,1\n2,3\n",
     '{"k":"nan","sum(v)":1}\n{"k":2,"sum(v)":3}\n'),
    ("reduce --from json", "[]", "0\n"),
    ("reduce", 'x\n"5" \n', "5\n"),
    ("select -c 1,2 --where '$1 ~ \"a\" && $2 > 1'", "", ""),
    ("reduce --by 2020 -c 1", "k,2020\n1,5\n2,5\n", "2020,sum(k)\n5,3\n"),
    ("reduce --by 2020 -c k", "k,2020\n1,5\n2,5\n", "2020,sum(k)\n5,3\n"),
    ("reduce --header", "", "0\n"),
    ("reduce --header -c 1 --from text", "", "0\n"),
    ("sort -c 1", "", ""),
    ("select -c k --to text", 'k\n""\n', "NA\n"),
    ("select -c k --to aligned", 'k\n""\nb\n', "k\n\nb\n"),
    ("reduce -c 2 --op count --no-header", "ab12cd34,x\nab12cd345,y\n", "2\n"),
    ("reduce", "# c\n" * 20_000 + "5\n", "5\n"),
    ("reduce --list", "1" + " " * 5_000_000 + "2", "3\n"),
    ("reduce", "1 2\n" + "3 " * 1_500_000, f"{3 + 3 * 1_500_000}\n"),
    ("reduce -c 1 --from csv", "1," * 600_000 + "1\n", "1\n"),
    ("reduce -c n", "city pop n\nBonn 5 6\nKiel 7 8\n", "14\n"),
    # First rows that are data.
    ("reduce -c 2", "ab12cd34,5\nab12cd345,6\n", "11\n"),
    ("reduce -c 1", "2000.5,2001.5\n1,2\n", "2001.5\n"),
    ("reduce -c 1", "2000,2002\n1,2\n", "2001\n"),
    ("reduce -c 1", "2000,2001\n2005,2006\n", "4005\n"),
    ("reduce -c 3", "id,0,2,4\nx,abc,2,3\n", "4\n"),
    ("reduce -c 2", "0,1,2\n0,1,2\n", "2\n"),
    ("reduce -c 2", "true,1\n5,2\n", "3\n"),
    ("reduce -c 2 --from csv", "a,n,b\n" + f"{'y' * 5000},1,z\n" * 99, "99\n"),
    ("reduce -c all --from jsonl", '{"a":1,"b":2}\n{"a":3,"b":4}\n', '{"sum(a)":4,"sum(b)":6}\n'),
]  # fmt: skip

# A command, its standard input, the exit status, and parts of the message.
REFUSALS = [
    ("reduce --op slope,weighted-mean -c a,b", "a,b\n1,2\n", 2, ["slope:X:Y"]),
    ("reduce --op matrix2x2,covariance -c a,b", "a,b\n1,2\n", 2, ["matrix2x2:A:B:C:D"]),
    ("reduce --op matrix2x2 -c a,b", "a,b\n1,2\n", 2, ["there are 2", "a,b,c,d"]),
    ("reduce --op 'matrix2x2 as z' -c a,b,c,d", "a,b,c,d\n1,2,3,4\n", 2, ["4 results"]),
    ("scan --op ema:1.5", "1\n", 2, ["ema:0.1"]),
    ("reduce --op p.5", "1\n", 2, ["p.5"]),
    ("scan --op window-by:7d -c x,t", "x,t\n1,1\n", 2, ["7d:mean:sales:date"]),
    ("scan --op window-by:200000d:mean:x:t", "t,x\n2024-01-01,1\n", 2, ["or 285 years"]),
    ("reduce --op checked-sum", "18446744073709551615\n1\n", 6, ["u64", "row 1"]),
    ("reduce --op argmax", "", 3, ["argmax: there are no values"]),
    ("reduce --op mode:text(k)", "k,v\n", 3, ["mode: there are no values"]),
    ("reduce --op 'first:text(k)'", "k,v\n", 3, ["first: there are no values"]),
    ("reduce --op argmax:k:v", "k,v\nn/a,1\n-,2\n$9,3\n", 3, ["Row 3", "$9", "--currency"]),
    ("reduce --by g --op min:k", "k,g\nb,1\n5,2\nc,2\n", 3, ["'c'", "is a text"]),
    ("reduce", b"\xff\xff\xff\xff", 3, ["not a number"]),
    ("reduce", b"\xff\xff\xff\xff\0\0\0\0xx", 3, ["binary"]),
    ("reduce", b"\xff\xff\xff\xff\4\0\0\1xx", 3, ["binary"]),
    ("reduce", b"\xff\xff\xff\xff\4\0\0\0xx", 3, ["binary"]),
    ("reduce", b"\xff\xff\xff\xff\5\0\0\0xx", 3, ["binary"]),
    ("reduce --from parquet", "1\n", 3, ["does not begin as parquet does"]),
    ("reduce", "<html><body>", 3, ["HTML"]),
    ("reduce", "%PDF-1.4 text\n", 3, ["PDF"]),
    ("reduce", "<stata_dta>\n", 3, ["Stata"]),
    ("reduce", "5\u00a0km\n7\n", 3, ["a sign or a unit"]),
    ("reduce", "5\u202fkm\n7\n", 3, ["a sign or a unit"]),
    ("reduce --currency --no-header", "(+5)\n", 3, ["(+5)", "not a number"]),
    ("reduce -c a", '{"a":{"b":1}}\n', 3, ["holds an object", """jq -c '."a" = ."a".KEY'"""]),
    ("reduce -c 2", "[[1,2],[3,[4]]]\n", 3, ["holds an array", "jq -c '.[] | .[1] = .[1][0]'"]),
    ("select --add c=a --positions", "a,b\n1,2\n", 2, ["--positions"]),
    ("select --where a==1)", "a,b\n1,2\n", 2, ["no '(' is open at character 5"]),
    (
        "sort -c v --to csv",
        '{"k":1,"j":1,"v":1}\n' * 60_000 + '{"k":[1],"j":1,"v":1}\n',
        3,
        [":60001:", "holds an array"],
    ),
    ("scan --by k,j --op sum:v --to csv", '{"k":[1],"j":1,"v":1}\n', 3, ["holds an array"]),
    ("reduce", "[1,2,[3]]", 3, ["choose columns without it.\n"]),
    ("reduce --list --from csv", "a,b\n1,2\n", 2, ["separated by white space.\n"]),
    ("reduce -c a", '{"a":1}\n{"a":"NA"}\n', 3, ["'NA'", "--skip-missing"]),
    ("reduce -c 5", '{"a":1}\n', 2, ["no column '5'"]),
    ("reduce --delimiter '\r'", "1\n", 2, ["cannot be a quote or a newline"]),
    ("reduce --skip-missing", "1\nNA 5\n", 3, ["second number"]),
    ("reduce", "1\n2 true\n", 3, ["'true'", "second number"]),
    ("reduce -c 2", 'x y\n"a" 1\n', 3, ["quotes", "--delimiter ' '"]),
    ("reduce --op min", "x\n1\ntrue\n", 3, ["'true'", "not of type i64"]),
    ("reduce --op min", "x\n1.5\ntrue\n", 3, ["'true'", "not of type f64"]),
    ("reduce -c y", "x y\nr1 NA 2\nr2 1 3\n", 3, ["one field more", "row names"]),
    ("reduce -c x", "x y\n" + "a b c\n" * 120, 3, ["one field more", "row names"]),
    ("reduce -c 1", "1" * 17_000_000, 3, ["longer than 16777216 bytes"]),
    ("reduce -c n", "city pop n\nBonn 1 2\nNew York 5 6\n", 3, [":3:", "'5 6'", "not a number"]),
    ("reduce -c pop", "city      pop   n\nBonn      1   2\nNew York    5   6\n", 3, ["--from tsv"]),
    ("reduce -c x", "a,b,c,d,e,f,g,h,i,j,k,l\n" + "1," * 11 + "1\n", 2, ["columns a, b", "k, l."]),
    ("reduce -c x", "a,b,c,d,e,f,g,h,i,j,k,l,m\n" + "1," * 12 + "1\n", 2, ["k, l and 1 more."]),
    # First rows that may be a header or data.
    ("reduce -c 2", "k,1,2,4,8\nx,5,6,7,8\n", 3, ["--header or --no-header"]),
    ("reduce -c 2", "id,2000,2002\na,1,2\n", 3, ["--header or --no-header"]),
    ("reduce -c 1", "id,2000,2002\n5,2001,2003\n", 3, ["--header or --no-header"]),
    ("reduce -c 2", "id,0,2,4\nx,5,6,7\n", 3, ["--header or --no-header"]),
    ("reduce -c 2", "day,2000,2001\n2024-01-01,5,6\n", 3, ["--header or --no-header"]),
    ("reduce -c 2", "@a,b,c\ntrue,5,c\n", 3, ["--header or --no-header"]),
    ("reduce -c 1", "@a,b\ntrue,c\n", 3, ["'@a'", "--header"]),
    ("reduce -c 2", ",,\n1,2,3\n", 3, ["1:2", "missing value"]),
    ("reduce -c 1", "5,a\nNA\n", 3, ["1 field", "first has 2"]),
    ("reduce -c 2 --from csv", "a,b\n" + f"{'y' * 5000},z\n" * 99, 3, ["--header or --no-header"]),
    ("sort -o " + "a" * 300, "1\n", 4, ["File name too long"]),
]

# A command, the parts in which its standard input arrives, and a part of what it prints.
ARRIVING = [
    ("reduce -c B", "A,B\n1,2\n", "2\n"),  # as Arrow's files begin
    ("reduce -c B", "PK,B\n3,4\n", "4\n"),  # as archives begin
    ("reduce -c B", "PA,B\n3,4\n", "4\n"),  # as Parquet's files begin
    ("reduce -c B", "BZ,B\n3,4\n", "4\n"),  # as other files begin
    ("reduce -c 2 --from csv", '"sep=;"\n1;2\n', "2\n"),
    ("reduce -c 2 --from csv", '"sep', "never closed"),
    ("reduce -c 2 --delimiter ,", "sep=;\n1,2\n", "2\n"),
    ("reduce --from jsonl -c 2", "[1,2]\n[3,4]\n", "6\n"),
    ("reduce --from jsonl", " \n ", "0\n"),
    ("reduce", "5 \n 6 # c\n  # d\n", "11\n"),
    ("reduce --list", "5 6 \n #d\n7", "18\n"),
    ("reduce -c y", "x y\nr1 1 2\nr2 3 4\n", "one field more"),
    ("reduce -c all --to text", ["a,b\n1,2\n", "3\n"], "1 field"),
    ("reduce -c all --to text --skip-missing --missing=-9", ["a,b\n1,2\n", "-9,0.5\n3,4\n"],
     "4\t6.5\n"),
]  # fmt: skip


class OutcomesTest(PieceTool):
    def test_results(self):
        for command, stdin, expected in RESULTS:
            with self.subTest(command=command, stdin=stdin):
                self.assertEqual(self.text(*shlex.split(command), stdin=stdin), expected)

    def test_refusals(self):
        for command, stdin, status, says in REFUSALS:
            with self.subTest(command=command, stdin=stdin):
                self.fails(status, *shlex.split(command), stdin=stdin, says=says)

    def rows(self, name, rows):
        return self.file(name, "".join(f"{row}\n" for row in rows))

    def test_rows_of_later_chunks(self):
        """Of more rows than the operators take at a time."""
        n = 450_000
        # Rows without a value repeat the result before, also of groups whose rows are mixed.
        x = [7 if i == n // 3 else 3 if i == n - 2 else "" for i in range(n)]
        self.rows("x.csv", ["x,g", *(f"{v},{i % 2}" for i, v in enumerate(x))])
        out = self.text("scan", "--carry-missing", "--op", "min:x,max:x", "x.csv").splitlines()
        expected = [","] * (n // 3) + ["7,7"] * (2 * n // 3 - 2) + ["3,7"] * 2
        self.same(out[1:], expected, "carried")
        out = self.text("scan", "--carry-missing", "--by", "g", "--op", "last:x", "x.csv")
        expected = [f"{i % 2}," + ("7" if i % 2 == 0 and i >= n // 3 else "") for i in range(n)]
        expected[n - 2] = "0,3"
        self.same(out.splitlines()[1:], expected, "carried in groups")
        # Means whose squares leave the range in the middle.
        x = [1e200 if i // 2 == n // 4 else 1 for i in range(n)]
        self.rows("x.csv", ["x,g", *(f"{v},{i % 2}" for i, v in enumerate(x))])
        mean = 1e200 / math.sqrt(n // 2)
        for command in (["reduce"], ["scan"]):
            out = self.text(*command, "--by", "g", "--op", "rms:x", "x.csv").splitlines()
            for group, line in enumerate(out[-2:]):
                key, value = line.split(",")
                self.assertEqual(int(key), group)
                self.assertAlmostEqual(float(value) / mean, 1, delta=1e-12)
        # Positions that become decimals between two known values: x = 2 t everywhere.
        t = [i if i < n // 2 else i + 0.5 for i in range(n)]
        x = [2 * t[i] if i % 1000 == 0 or i == n - 1 else "" for i in range(n)]
        self.rows("x.csv", ["x,t", *(f"{a},{b}" for a, b in zip(x, t))])
        out = self.text("scan", "--skip-missing", "--op", "interpolate-by:x:t", "x.csv")
        for i, got in enumerate(out.splitlines()[1:]):
            self.assertAlmostEqual(float(got) / 2, t[i], delta=1e-9 * n, msg=i)

    def test_results_above_2_to_the_53_that_were_written_stay(self):
        for first, says in ((2**53 + 2, "were written"), (2**64 - 2, f"{2**64 - 2}, which f64")):
            rows = f"{first}\n" + "0\n" * 1_000_000 + "0.5\n"
            self.text("scan", "--op", "max", stdin=rows, status=3)
            self.assertIn(says, self.errors)

    def test_pieces(self):
        def part(begin, content, *args):
            return self.part(begin, content, *args)

        ops = ["--op", "argmax:k:v,argmin:k:v"]
        one, other = part(0, "k,v\n1,a\n", *ops), part(1, "k,v\nx,b\n", *ops)
        self.fails(3, "merge", one, other, says="numbers in one piece and strings in another")
        ops = ["--skip-missing", "--op", "run:text(k),argmax:text(k):k"]
        parts = [part(0, "k\na\n", *ops), part(1, "k\nNA\n", *ops)]
        self.assertEqual(self.text("merge", *parts), 'run(text(k)),"argmax(text(k),k)"\n1,a\n')
        ops = ["--op", "slope:a:b"]
        parts = [part(0, "a,b\n1,2\n", *ops), part(1, "a,b\n2,1\n3,3\n", *ops)]
        self.assertEqual(self.text("merge", *parts), "0.5\n")
        made = part(0, "x\n1.25\n", "--op", "decimal-sum:x")
        content = self.content(made)[:-8]
        self.assertEqual(content.count(b"1.25"), 1)
        self.file("bad", with_checksum(content.replace(b"1.25", b"1_25")))
        self.fails(3, "merge", "bad", says="the saved state is damaged")

    def test_several_files(self):
        for name, content in {
            "a.csv": "a,b\n1,2\n", "b.csv": "a,b,c\n1,2,3\n",
            "a.jsonl": '{"k":1.50,"v":1}\n', "b.jsonl": '{"k":2.50,"v":2}\n',
            "a.npy": npy("f64", [1, 2]), "b.npy": npy("f64", [1, 2], (1, 2)), "names": "b\na\n",
        }.items():  # fmt: skip
            self.file(name, content)
        self.fails(3, "reduce", "-c", "all", "b.csv", "a.csv", says="a.csv has no column 'c'")
        self.fails(3, "reduce", "-c", "all", "a.csv", "b.csv", says="b.csv has a column 'c'")
        how = ["--by", "k", "--op", "sum:v", "--to", "jsonl"]
        for name in ("c.csv", "d.csv"):
            self.file(name, "k,v\n")
        self.assertEqual(self.text("reduce", *how, "c.csv", "d.csv"), "")
        self.fails(3, "reduce", "a.npy", "b.npy", says="shape (1, 2), which cannot be joined")
        self.assertEqual(
            self.text("reduce", *how, "a.jsonl", "b.jsonl"),
            '{"k":1.50,"sum(v)":1}\n{"k":2.50,"sum(v)":2}\n',
        )
        self.file("nl", "\n" * (2**24 - 2) + "123\n")  # blank lines up to the longest record
        self.assertEqual(self.text("reduce", "nl"), "123\n")
        # Standard input without a row decides nothing.
        how = ["--no-header", "--op", "min:1", "-", "names"]
        self.assertEqual(self.text("reduce", *how, stdin=""), "a\n")

    def run_with(self, command, parts, pause=0):
        """What the command prints if its input arrives in these parts."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with subprocess.Popen([TOOL, *shlex.split(command)], **pipes) as tool:
            with contextlib.suppress(BrokenPipeError):  # it may have ended with an error
                for part in parts:
                    tool.stdin.write(part)
                    tool.stdin.flush()
                    self.wait_until_read(tool)
                    time.sleep(pause)
            return tool.communicate()[0].decode()

    def wait_until_read(self, tool):
        waiting, end = bytearray(4), time.monotonic() + 60
        while tool.poll() is None and time.monotonic() < end:
            fcntl.ioctl(tool.stdin, termios.FIONREAD, waiting)
            if not any(waiting):
                return
            time.sleep(0.001)

    def test_what_arrives_in_parts(self):
        for command, parts, expected in ARRIVING:
            pause = 0.2 if isinstance(parts, list) else 0  # longer than the sample waits for more
            out = self.run_with(command, [part.encode() for part in parts], pause)
            self.assertIn(expected, out, (command, parts))

    def test_compressed_bytes_that_arrive_in_parts(self):
        """Also those whose numbers end where the buffer of 2^20 bytes does."""
        self.file("x", "7\n" * 600_000)
        for kind, cuts in (("gz", range(990, 1060)), ("zst", range(1, 110))):
            if kind == "zst" and not has_zstd():
                continue
            self.run_tool("sort", "x", "-o", f"x.{kind}")
            content = self.content(f"x.{kind}")
            for cut in cuts:
                out = self.run_with("reduce", [content[:cut], content[cut:]])
                self.assertEqual(out, "4200000\n", (kind, cut))

    def test_a_non_blocking_input(self):
        read, write = os.pipe()
        os.set_blocking(read, False)
        with subprocess.Popen([TOOL, "reduce"], stdin=read, stdout=subprocess.PIPE) as tool:
            time.sleep(0.1)
            os.write(write, b"1\n2\n")
            time.sleep(0.1)
            os.close(write)
            os.close(read)
            self.assertEqual(tool.communicate()[0], b"3\n")

    def test_inputs_that_are_no_usual_files(self):
        folder = os.open(self.path, os.O_RDONLY)
        done = subprocess.run([TOOL, "reduce"], stdin=folder, capture_output=True)
        os.close(folder)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"is a directory", done.stderr)
        size = "/sys/devices/system/cpu/kernel_max"  # has a size, but cannot be mapped
        if os.path.exists(size):
            with open(size) as file:
                self.assertEqual(self.text("reduce", size), file.read())

    def test_inputs_in_parts(self):
        """A first line that arrives in two parts, and files without a row."""
        with subprocess.Popen([TOOL, "reduce", "-c", "2", "--from", "csv"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:  # fmt: skip
            for part in (b"se", b"p=;\n1", b";2\n3;4\n"):
                tool.stdin.write(part)
                tool.stdin.flush()
                time.sleep(0.1)
            self.assertEqual(tool.communicate()[0], b"6\n")
        empty = [self.file("a.csv", "g,x\n"), self.file("b.csv", "g,x\n")]
        ask = ["reduce", "--by", "g", "--op", "sum:x", *empty]
        self.assertEqual(self.text(*ask, "--to", "csv"), "g,sum(x)\n")
        self.run_tool(*ask, "--partial", "part")
        self.assertEqual(self.text("merge", "part", "--to", "csv"), "g,sum(x)\n")

    def test_outputs(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.join(self.path, "s"))
            self.fails(4, "sort", "-o", "s", stdin="1\n", says="Cannot open 's' for writing")
        # A sticky folder that is not everybody's, and a file of another process's descriptor.
        os.mkdir(os.path.join(self.path, "own"))
        self.file("own/x", "")
        os.chmod(os.path.join(self.path, "own"), 0o1755)
        self.assertEqual(self.text("sort", "--force", "-o", "own/x", stdin="2\n1\n"), "")
        self.assertEqual(self.content("own/x"), b"1\n2\n")
        with open(os.path.join(self.path, "own/x")) as file:
            name = f"/proc/{os.getpid()}/fd/{file.fileno()}"
            self.text("sort", "--force", "-o", name, stdin="4\n3\n")
        self.assertEqual(self.content("own/x"), b"3\n4\n")
        self.text("sort", "-o", "x.raw", "--to", "raw", "--dtype", "u8", stdin="2\n1\n")
        self.assertEqual(self.content("x.raw"), b"\1\2")
        # The name of a raw file tells its type, as it does where the file is read.
        self.text("scan", "-o", "x.f32", stdin="1.5\n2.5\n")
        self.assertEqual(self.content("x.f32"), raw("f32", [1.5, 4]))
        self.text("scan", "-o", "text.f32", "--to", "csv", stdin="16777217\n")
        self.assertEqual(self.content("text.f32"), b"sum(column 1)\n16777217\n")
        if has_zstd():
            self.text("sort", "-o", "x.zstd", stdin="2\n1\n")
            self.assertEqual(self.content("x.zstd")[:4], b"\x28\xb5\x2f\xfd")
            self.text("sort", "-o", "x.u8.zst", stdin="2\n1\n")
            self.assertEqual(self.text("reduce", "x.u8.zst"), "3\n")
        self.fails(3, "sort", "-o", "x.u8", stdin="256\n", says="256")
        if os.geteuid() != 0:
            return
        # A new file has the group of the old one. The owner of a folder may put files into it.
        os.chown(os.path.join(self.path, "x.f32"), 0, 12345)
        self.text("scan", "--force", "-o", "x.f32", stdin="1.5\n2.5\n")
        self.assertEqual(os.stat(os.path.join(self.path, "x.f32")).st_gid, 12345)
        os.chmod(os.path.join(self.path, "own"), 0o1777)
        for name in ("own", "own/x"):
            os.chown(os.path.join(self.path, name), 12345, 0)
        self.text("sort", "--force", "-o", "own/x", stdin="2\n1\n")
        self.assertEqual(self.content("own/x"), b"1\n2\n")

    def test_archives(self):
        """Of documents, and with as many members as need a header of 64 bits."""
        for member in ("mimetype", "_rels/.rels"):
            with zipfile.ZipFile(os.path.join(self.path, "x.zip"), "w") as made:
                made.writestr(member, "x")
            self.fails(3, "reduce", stdin=self.content("x.zip"), says="a workbook")
        with zipfile.ZipFile(os.path.join(self.path, "x.npz"), "w") as made:
            for i in range(65_536):
                made.writestr(f"{i}.npy", npy("u8", [i % 251]) if i in (0, 65_535) else b"")
        self.assertEqual(self.text("reduce", "x.npz:65535"), f"{65_535 % 251}\n")
        self.file("x.arrow", b"ARROW1\0\0\n")
        self.fails(2, "reduce", "--resume", "s", "x.arrow", says="not compressed")


if __name__ == "__main__":
    unittest.main()
