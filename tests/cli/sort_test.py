"""upsweep sort: numbers and rows, against Python's sorted."""

import math
import random
import struct
import subprocess
import unittest

from support import SEED, TOOL, ToolTest, lines, npy, numbers, raw, read_npy


def total_order(x):
    """A key that sorts floats by IEEE 754's total order."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", x))
    return ~bits & (2**64 - 1) if bits >> 63 else bits | 2**63


def bits(values):
    return [struct.pack("<d", v) for v in values]


class Sort(ToolTest):
    def test_texts(self):
        source = random.Random(SEED)
        rows = [
            (
                source.choice(["Ulm", "Bonn", "", "K\u00f6ln", "\u00c5bo", "Bon"]),
                source.randint(0, 3),
                i,
            )
            for i in range(30000)
        ]
        rows[0] = ("Ulm", 1, 0)
        table = lambda rows: "k,n,i\n" + "".join(f"{k},{n},{i}\n" for k, n, i in rows)
        text = lambda row: row[0].encode()
        for args, expected in [
            (["-c", "k"], sorted(rows, key=text)),
            (["-c", "k,n"], sorted(rows, key=lambda row: (text(row), row[1]))),
            (["-c", "n,k"], sorted(rows, key=lambda row: (row[1], text(row)))),
            (["-c", "k", "--descending"], sorted(rows, key=text, reverse=True)),
            (["-c", "k", "--top", "3"], sorted(rows, key=text, reverse=True)[:3]),
            (["-c", "k", "--threads", "3"], sorted(rows, key=text)),
        ]:
            if "--descending" in args or "--top" in args:  # stable, unlike reverse=True of a key
                expected = sorted(rows, key=lambda row: [255 - b for b in text(row)] + [256])
                expected = expected[:3] if "--top" in args else expected
            self.same(
                self.text("sort", *args, stdin=table(rows)).splitlines(),
                table(expected).splitlines(),
                args,
            )
        firsts = {}
        for row in sorted(rows, key=text):
            firsts.setdefault(row[0], row)
        self.assertEqual(
            self.text("sort", "-c", "k", "--unique", stdin=table(rows)), table(firsts.values())
        )
        self.assertEqual(self.text("sort", "--no-header", stdin="b\na\n"), "a\nb\n")
        self.assertEqual(
            self.text("sort", "-c", "day", stdin="day\n2015-02-01\n2014-12-31\n"),
            "day\n2014-12-31\n2015-02-01\n",
        )

    def test_rows_are_written_as_a_table_of_the_same_values(self):
        table = 'k,x\r\n b ,2\r\n\r\n"q""r",1\r\n"plain",3\r\n,4\r\n"a,b\n c",0\r\n'
        rows = ['"a,b\n c",0\n', '"q""r",1\n', "b,2\n", "plain,3\n", ",4\n"]
        self.assertEqual(
            self.text("sort", "--from", "csv", "-c", "x", stdin=table), "k,x\n" + "".join(rows)
        )
        self.assertEqual(
            self.text("select", "--from", "csv", "--where", "x > 0", stdin=table),
            "k,x\n" + "".join(row for row in [rows[2], rows[1], rows[3], rows[4]]),
        )
        self.assertEqual(
            self.text("scan", "--from", "csv", "-c", "x", "--keep", "all", stdin=table),
            'k,x,sum(x)\nb,2,2\n"q""r",1,3\nplain,3,6\n,4,10\n"a,b\n c",0,10\n',
        )
        self.assertEqual(
            self.text(
                "sort", "--from", "csv", "-c", "x", "--to", "tsv", stdin="k,x\na b,2\n\tc,1\n"
            ),
            "k\tx\nc\t1\na b\t2\n",
        )

    def test_the_largest_rows_are_found_among_many(self):
        source = random.Random(SEED)
        for shape in ["random", "rising", "falling", "equal"]:
            x = [source.randint(0, 5000) for _ in range(60000)]
            x = {"rising": sorted(x), "falling": sorted(x)[::-1], "equal": [7] * len(x)}.get(
                shape, x
            )
            rows = [f"{v},r{i},{i % 3}\n" for i, v in enumerate(x)]
            table = "x,name,y\n" + "".join(rows)
            self.file("t.csv", table)
            order = sorted(range(len(x)), key=lambda i: -x[i])
            for k in [1, 10, 20000, 70000]:
                self.same(
                    self.text("sort", "t.csv", "-c", "x", "--top", str(k)).splitlines()[1:],
                    [rows[i][:-1] for i in order[:k]],
                    f"{shape} {k} seed {SEED}",
                )
            order.sort(key=lambda i: (-x[i], -(i % 3)))
            self.same(
                self.text("sort", "-c", "x,y", "--top", "50", stdin=table).splitlines()[1:],
                [rows[i][:-1] for i in order[:50]],
                shape,
            )
            firsts = {}
            for i in sorted(range(len(x)), key=lambda i: -x[i]):
                firsts.setdefault(x[i], rows[i][:-1])
            self.same(
                self.text("sort", "t.csv", "-c", "x", "--unique", "--top", "6").splitlines()[1:],
                list(firsts.values())[:6],
                shape,
            )
        late = "x,n\n" + "".join(f"{i % 100},a\n" for i in range(300000)) + "99.5,b\n-1,c\n"
        self.assertEqual(
            self.text("sort", "-c", "x", "--top", "2", stdin=late), "x,n\n99.5,b\n99,a\n"
        )

    def test_the_largest_rows_of_each_group_are_found_among_many(self):
        source = random.Random(SEED)
        # Groups of one row and of thousands; the last half of them begins late.
        at = [source.randint(0, 60 if i < 30000 else 120) ** 2 for i in range(60000)]
        at = [g if g < 10000 else 10000 + i for i, g in enumerate(at)]
        rows = [(f"g{g}", source.randint(0, 900), i) for i, g in enumerate(at)]
        rows[50000] = ("g0", 899.5, 50000)  # integers become decimals
        self.file("t.csv", "g,x,i\n" + "".join(f"{g},{x},{i}\n" for g, x, i in rows))
        for k in [1, 3, 500]:
            for unique in [False, True]:
                groups = {}
                for row in rows:
                    groups.setdefault(row[0], []).append(row)
                expected = []
                for group in groups.values():
                    group.sort(key=lambda row: -row[1])
                    if unique:
                        group = list({row[1]: row for row in reversed(group)}.values())[::-1]
                    expected += group[:k]
                args = ["sort", "t.csv", "--by", "g", "-c", "x", "--top", str(k)]
                self.same(
                    self.text(*args, *["--unique"] * unique).splitlines()[1:],
                    [f"{g},{x},{i}" for g, x, i in expected],
                    f"{k} {unique} seed {SEED}",
                )

    def test_floats_are_sorted_in_their_total_order(self):
        x = numbers(50000) + [math.nan, math.inf, -math.inf, 0.0, -0.0, -math.nan, 1.0, 1.0]
        random.Random(SEED).shuffle(x)
        self.file("x.npy", npy("f64", x))
        expected = sorted(x, key=total_order)
        for args, wanted in [
            ([], expected),
            (["--threads", "1"], expected),
            (["--descending"], expected[::-1]),
            (["--top", "0"], []),
            (["--top", "5"], expected[:-6:-1]),
            (["--top", "40000"], expected[:-40001:-1]),
            (["--top", "99999"], expected[::-1]),
        ]:
            dtype, shape, got = read_npy(self.run_tool("sort", "x.npy", *args))
            self.assertEqual((dtype, shape), ("f64", (len(wanted),)), args)
            self.same(bits(got), bits(wanted), f"{args} seed {SEED}")

    def test_every_type_and_format(self):
        source = random.Random(SEED)
        for dtype, low, high in [
            ("i8", -128, 127),
            ("u8", 0, 255),
            ("i16", -32768, 32767),
            ("u16", 0, 65535),
            ("i32", -(2**31), 2**31 - 1),
            ("u32", 0, 2**32 - 1),
            ("i64", -(2**63), 2**63 - 1),
            ("u64", 0, 2**64 - 1),
            ("f16", -100, 100),
            ("f32", -1000, 1000),
            ("bool", 0, 1),
        ]:
            x = [source.randint(low, high) for _ in range(3000)] + [low, high]
            self.file("x.npy", npy(dtype, x))
            wanted = sorted(x)
            what = f"{dtype} seed {SEED}"
            self.assertEqual(
                read_npy(self.run_tool("sort", "x.npy")), (dtype, (len(x),), wanted), what
            )
            self.assertEqual(
                self.run_tool("sort", "--from", "raw", "--dtype", dtype, stdin=raw(dtype, x)),
                raw(dtype, wanted),
                what,
            )
            unique = sorted(set(x), reverse=True)
            got = read_npy(self.run_tool("sort", "--unique", "--descending", "x.npy"))[2]
            self.assertEqual(got, unique, what)
            got = read_npy(self.run_tool("sort", "--unique", "--top", "2", "x.npy"))[2]
            self.assertEqual(got, unique[:2], what)

    def test_text_and_csv_of_one_column(self):
        self.assertEqual(self.text("sort", stdin="10\n9\n-1e3\n"), "-1000\n9\n10\n")
        self.assertEqual(self.text("sort", stdin="3 1 2"), "1\n2\n3\n")
        self.assertEqual(self.text("sort", "--from", "csv", stdin="x\n3\n1\n"), "x\n1\n3\n")
        self.assertEqual(self.text("sort", stdin="7\n"), "7\n")
        self.assertEqual(self.text("sort", stdin=""), "")
        self.assertEqual(self.text("sort", "--from", "csv", stdin="x\n"), "x\n")
        self.assertEqual(
            self.text("sort", "--json", stdin="2\n1\n"), '{"column 1":1}\n{"column 1":2}\n'
        )
        self.assertEqual(
            self.text("sort", "--unique", stdin="nan\n-0.\n0.\nnan\n0.\n"), "-0\n0\nnan\n"
        )
        late = ["2"] * 800000 + ["0.5"]
        self.assertEqual(self.text("sort", "--unique", stdin="\n".join(late)), "0.5\n2\n")
        self.file("a.npy", npy("i32", [4, 1, 3, 2], shape=(2, 2), fortran=True))
        self.assertEqual(read_npy(self.run_tool("sort", "a.npy")), ("i32", (4,), [1, 2, 3, 4]))
        self.file("c.npy", npy("i32", [4, 10, 3, 20], shape=(2, 2)))
        self.assertEqual(read_npy(self.run_tool("sort", "-c", "1", "c.npy"))[2], [3, 4])

    def test_rows_are_sorted_stably_and_stay_as_they_are_written(self):
        source = random.Random(SEED)
        rows = [
            [f"n{i}", str(source.randint(-3, 3)), f"{source.choice([0.5, 2.25, -1]):.3e}", "a, b"]
            for i in range(40000)
        ]
        header = "name,k,x,note\n"

        def table(some):
            return header + "".join(f'{r[0]},{r[1]},{r[2]},"{r[3]}"\n' for r in some)

        def first_of(some, key):
            seen = set()
            return [r for r in some if not (key(r) in seen or seen.add(key(r)))]

        k, x = (lambda r: int(r[1])), (lambda r: float(r[2]))
        for args, wanted in [
            (["-c", "k"], sorted(rows, key=k)),
            (["-c", "2"], sorted(rows, key=k)),
            (["-c", "k", "--threads", "1"], sorted(rows, key=k)),
            (["-c", "k", "--descending"], sorted(rows, key=lambda r: -k(r))),
            (["-c", "k", "--top", "3"], sorted(rows, key=lambda r: -k(r))[:3]),
            (["-c", "x,k"], sorted(rows, key=lambda r: (x(r), k(r)))),
            (["-c", "x,k", "--descending"], sorted(rows, key=lambda r: (-x(r), -k(r)))),
            (["-c", "k", "--unique"], first_of(sorted(rows, key=k), k)),
            (
                ["-c", "x,k", "--unique", "--top", "4"],
                first_of(sorted(rows, key=lambda r: (-x(r), -k(r))), lambda r: (x(r), k(r)))[:4],
            ),
        ]:
            got = self.text("sort", *args, stdin=table(rows))
            self.same(got.splitlines(), table(wanted).splitlines(), f"{args} seed {SEED}")

    def test_rows_of_other_formats(self):
        self.assertEqual(
            self.text("sort", "-c", "b", stdin="a b\nx 2\ny 1\n"), "a\tb\ny\t1\nx\t2\n"
        )
        self.assertEqual(self.text("sort", "-c", "2", stdin="x 2\ny 1\n"), "y\t1\nx\t2\n")
        self.assertEqual(
            self.text("sort", "-c", "b", stdin="a;b\n1,5;2\n1,25;1\n"), "a;b\n1,25;1\n1,5;2\n"
        )
        self.assertEqual(self.text("sort", "-c", "b", stdin="a,b\n"), "a,b\n")
        self.assertEqual(
            self.text("sort", "-c", "b", "--to", "tsv", stdin="a,b\n1,2\n1,1\n"),
            "a\tb\n1\t1\n1\t2\n",
        )
        self.assertEqual(
            self.text("sort", "-c", "b", "--skip-missing", stdin="a,b\n1,2\n7,NA\n1,1\n"),
            "a,b\n1,1\n1,2\n",
        )
        self.assertEqual(
            self.text("sort", "-c", "b", "--json", stdin="a,b\n01,2\n"), '{"a":"01","b":2}\n'
        )

    def test_files(self):
        self.file("x.csv", "a,b\n1,2\n3,1\n")
        self.text("sort", "-c", "b", "x.csv", "-o", "out.csv")
        self.assertEqual(self.content("out.csv"), b"a,b\n3,1\n1,2\n")
        self.fails(4, "sort", "-c", "b", "x.csv", "-o", "out.csv", says="--force")
        self.text("sort", "-c", "b", "x.csv", "-o", "x.csv", "--force")
        self.assertEqual(self.content("x.csv"), b"a,b\n3,1\n1,2\n")

    def test_wrong_options(self):
        for args, says in [
            (["--top", "-1"], "--top"),
            (["--top", "x"], "--top"),
            (["--descend"], "--descending"),
            (["-c", "5"], "no column '5'"),
        ]:
            self.fails(2, "sort", *args, stdin="1\n2\n", says=says)
        self.fails(2, "sort", stdin="a,b\n1,2\n", says="--column")
        self.fails(2, "sort", "-c", "a", "--to", "npy", stdin="a,b\n1,2\n")
        self.file("x.npy", npy("i32", [1, 2, 3, 4], shape=(2, 2)))
        self.fails(2, "sort", "-c", "1,2", "x.npy", says="choose one column")

    def test_wrong_data(self):
        self.fails(3, "sort", stdin="1\nx\n", says=":2:1")
        self.fails(3, "sort", "-c", "b", stdin="a,b\n1,2\n1,x\n", says=":3:3")
        self.fails(3, "sort", "-c", "b", stdin="a b\n1 2\n1 1 9\n", says=":3")
        self.file("short.npy", npy("f64", [1.0, 2.0, 3.0])[:-4])
        self.fails(3, "sort", "short.npy", says="truncated")
        self.fails(4, "sort", "absent.txt", says="absent.txt")

    def test_a_full_disk_and_a_closed_pipe(self):
        for table in [b"2\n1\n", b"a,b\n1,2\n"]:
            args = ["-c", "b"] if b"a" in table else []
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [TOOL, "sort", *args], input=table, stdout=full, stderr=subprocess.PIPE
                )
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(b"No space left", done.stderr)
        line = f"seq 1000000 | '{TOOL}' sort | head -1; echo ${{PIPESTATUS[1]}}"
        done = self.run_line(line)
        self.assertEqual((done.stdout, done.stderr), (b"1\n141\n", b""))


if __name__ == "__main__":
    unittest.main()
