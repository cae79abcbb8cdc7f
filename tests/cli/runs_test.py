"""upsweep runs and unique: against itertools.groupby."""

import csv
import io
import itertools
import random
import select
import subprocess
import unittest

from support import SEED, TOOL, ToolTest, lines, npy, raw, read_npy


def runs_of(values, key=None):
    return [(list(run)) for _, run in itertools.groupby(values, key)]


class Runs(ToolTest):
    def test_runs_across_chunks(self):
        source = random.Random(SEED)
        for longest in [1, 3, 200000]:
            x = []
            while len(x) < 400000:
                x += [source.randint(-2, 2)] * source.randint(1, longest)
            found = runs_of(x)
            wanted = "".join(f"{run[0]}\t{len(run)}\n" for run in found)
            self.file("x.npy", npy("i32", x))
            what = f"longest {longest} seed {SEED}"
            for got in [
                self.text("runs", stdin=lines(x)),
                self.text("runs", "x.npy"),
                self.text("runs", "x.npy", "--threads", "1"),
            ]:
                self.same(got.splitlines(), wanted.splitlines(), what)
            got = read_npy(self.run_tool("unique", "x.npy"))
            self.assertEqual(got[0], "i32")
            self.same(got[2], [run[0] for run in found], what)
            self.assertEqual(self.text("unique", "--counts", "x.npy"), wanted, what)

    def test_every_type(self):
        x = [0, 0, 1, 1, 1, 0]
        for dtype in ["i8", "u16", "i32", "u64", "f16", "f32", "f64", "bool"]:
            got = self.run_tool("unique", "--from", "raw", "--dtype", dtype, stdin=raw(dtype, x))
            self.assertEqual(got, raw(dtype, [0, 1, 0]), dtype)
        self.file("x.npy", npy("i64", x))
        got = read_npy(self.run_tool("runs", "x.npy", "--to", "npy"))
        self.assertEqual(got, ("i64", (3, 2), [0, 2, 1, 3, 0, 1]))

    def test_one_value_none_and_nan(self):
        self.assertEqual(self.text("runs", stdin=""), "")
        self.assertEqual(self.text("unique", stdin=""), "")
        self.assertEqual(self.text("unique", "--counts", "--from", "csv", stdin="x\n"), "x,count\n")
        self.assertEqual(self.text("runs", stdin="5\n"), "5\t1\n")
        self.assertEqual(self.text("runs", stdin="nan\nnan\n0.0\n-0.0\n"), "nan\t2\n0\t1\n-0\t1\n")

    def test_tables(self):
        table = 't,x,note\n1,5,a\n2,5.0,b\n3,6,"c, d"\n4,5,e\n'
        self.assertEqual(self.text("runs", "-c", "x", stdin=table), "x,length\n5,2\n6,1\n5,1\n")
        self.assertEqual(
            self.text("unique", "-c", "x", stdin=table), 't,x,note\n1,5,a\n3,6,"c, d"\n4,5,e\n'
        )
        self.assertEqual(
            self.text("unique", "-c", "x", "--counts", stdin=table),
            't,x,note,count\n1,5,a,2\n3,6,"c, d",1\n4,5,e,1\n',
        )
        self.assertEqual(
            self.text("unique", "-c", "b", stdin="a b\n1 2\n2 2\n3 4\n"), "a\tb\n1\t2\n3\t4\n"
        )
        self.assertEqual(
            self.text("runs", "-c", "x", "--json", stdin=table).splitlines()[0],
            '{"x":5.0,"length":2}',
        )
        source = random.Random(SEED)
        rows = [(i, source.randint(0, 1)) for i in range(200000)]
        text = "i,k\n" + "".join(f"{i},{k}\n" for i, k in rows)
        wanted = ["i,k,count"] + [
            f"{run[0][0]},{run[0][1]},{len(run)}" for run in runs_of(rows, lambda r: r[1])
        ]
        got = self.text("unique", "-c", "k", "--counts", stdin=text).splitlines()
        self.same(got, wanted, f"seed {SEED}")

    def test_texts(self):
        source = random.Random(SEED)
        words = [source.choice(["a", "b c", "ß,", '"q"']) for _ in range(100000)]
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([["i", "w"], *enumerate(words)])
        runs = runs_of(list(enumerate(words)), lambda r: r[1])
        got = list(csv.reader(self.text("runs", "-c", "w", stdin=table.getvalue()).splitlines()))
        self.same(got, [["w", "length"]] + [[r[0][1], str(len(r))] for r in runs], "runs")
        got = self.text("unique", "-c", "w", "--counts", stdin=table.getvalue()).splitlines()
        wanted = [["i", "w", "count"]] + [[str(r[0][0]), r[0][1], str(len(r))] for r in runs]
        self.same(list(csv.reader(got)), wanted, "unique")
        got = self.text("unique", "--no-header", "--counts", stdin="b\nb\na\nb\n")
        self.assertEqual(got, "b\t2\na\t1\nb\t1\n")

    def test_rows_are_written_as_they_arrive(self):
        for args, first in [(["unique"], b"1\n"), (["runs"], b"1\t2\n")]:
            with subprocess.Popen(
                [TOOL, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            ) as tool:
                tool.stdin.write(b"1\n1\n2\n")
                tool.stdin.flush()
                self.assertTrue(select.select([tool.stdout], [], [], 30)[0], args)
                self.assertEqual(tool.stdout.readline(), first)
                tool.stdin.write(b"2.5\n2\n")
                out = tool.communicate()[0]
            wanted = b"2\n2.5\n2\n" if args == ["unique"] else b"2\t1\n2.5\t1\n2\t1\n"
            self.assertEqual(out, wanted)

    def test_a_late_decimal_after_a_large_integer_is_an_error(self):
        big = 2**53 + 1
        text = f"{big}\n" * 100000 + "0.5\n"
        self.text("unique", stdin=text, status=3)
        self.assertIn(str(big), self.errors)
        self.assertIn("--dtype f64", self.errors)
        self.assertEqual(
            self.text("unique", "--dtype", "f64", stdin=text), "9007199254740992\n0.5\n"
        )

    def test_memory_does_not_grow(self):
        source = subprocess.Popen(["head", "-c", "400M", "/dev/zero"], stdout=subprocess.PIPE)
        self.addCleanup(source.stdout.close)
        line = 'ulimit -v 2000000; "$0" runs --from raw --dtype u8 --threads 1'
        got = self.run_line(line, stdin=source.stdout)
        self.assertEqual((got.stdout, source.wait()), (b"0\t419430400\n", 0), got.stderr)

    def test_wrong_options_and_data(self):
        for command in ["runs", "unique"]:
            self.fails(2, command, stdin="a,b\n1,2\n", says="--column")
            self.fails(2, command, "-c", "a,b", stdin="a,b\n1,2\n", says="one column")
            self.fails(2, command, "--descending", stdin="1\n", says="--descending")
            self.assertIn(":2:1", self.failing_data(command, "1\nx\n"))
            self.file("short.npy", npy("f64", [1.0, 2.0, 3.0])[:-4])
            self.fails(3, command, "short.npy", says="truncated")
            self.fails(4, command, "absent.txt", says="absent.txt")
        self.file("x.npy", npy("u8", [1, 2]))
        self.fails(2, "runs", "x.npy", "--to", "npy", says="one type")

    def failing_data(self, command, text):
        self.text(command, stdin=text, status=3)
        return self.errors

    def test_a_full_disk_and_a_closed_pipe(self):
        for command in ["runs", "unique"]:
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [TOOL, command], input=b"1\n", stdout=full, stderr=subprocess.PIPE
                )
            self.assertEqual(done.returncode, 4, command)
            self.assertIn(b"No space left", done.stderr)
            line = f"seq 10000000 | '{TOOL}' {command} | head -1; echo ${{PIPESTATUS[1]}}"
            done = self.run_line(line)
            self.assertEqual((done.stdout.split()[-1], done.stderr), (b"141", b""))


if __name__ == "__main__":
    unittest.main()
