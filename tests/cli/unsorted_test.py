"""--by of tables that are not sorted, operators of single columns, and strings as values."""

import json
import os
import random
import resource
import subprocess
import unittest

from support import SEED, TOOL, ToolTest, add, numbers, prefix, prefixes


class Unsorted(ToolTest):
    def test_groups_come_in_the_order_of_first_appearance_with_their_own_bits(self):
        source = random.Random(SEED)
        values = numbers(90000)
        groups = {}
        rows = []
        for v in values:  # a few large groups, and many small ones
            k = source.choice(["big", "large", f"g{source.randint(0, 20000)}"])
            groups.setdefault(k, []).append(v)
            rows.append(f"{k},{v!r}\n")
        table = "k,x\n" + "".join(rows)
        expected = [(k, float(prefix(x, add("f64"))), len(x)) for k, x in groups.items()]
        self.file("t.csv", table)
        for more in [{"stdin": table}, {}]:
            for threads in ["1", "3"]:
                file = [] if more else ["t.csv"]
                got = self.text(
                    "reduce",
                    "--by",
                    "k",
                    "-c",
                    "x",
                    "--op",
                    "sum,count",
                    "--threads",
                    threads,
                    *file,
                    **more,
                ).splitlines()
                got = [(k, float(s), int(n)) for k, s, n in (line.split(",") for line in got[1:])]
                self.assertEqual(got, expected, f"seed {SEED}")

    def test_keys_of_every_length_are_told_apart(self):
        source = random.Random(SEED)
        keys = [c * n for n in range(20) for c in "ab"] + ["a" * n + "b" for n in range(20)]
        keys = list(dict.fromkeys(keys)) + ["a" * n + "z" for n in range(18)]
        rows = [(source.choice(keys), source.randint(0, 9)) for _ in range(20000)]
        totals = {}
        for k, v in rows:
            totals[k] = totals.get(k, 0) + v
        table = "k,j,v\n" + "".join(f"{k or chr(34) * 2},{len(k) % 3},{v}\n" for k, v in rows)
        line = lambda k, v: f"{k},{v}"
        self.assertEqual(
            self.text("reduce", "--by", "k", "--op", "sum:v", stdin=table).splitlines()[1:],
            [line(k, v) for k, v in totals.items()],
        )
        self.assertEqual(
            self.text("reduce", "--by", "k,j", "--op", "sum:v", stdin=table).splitlines()[1:],
            [line(k, f"{len(k) % 3},{v}") for k, v in totals.items()],
        )

    def test_a_large_group_after_its_first_rows_waited(self):
        values = numbers(1000)
        rows = [("a", v) for v in values[:5]] + [("b", 1.0)] + [("a", v) for v in values[5:]]
        table = "k,x\n" + "".join(f"{k},{v!r}\n" for k, v in rows)
        got = self.text(
            "reduce", "--by", "k", "-c", "x", "--op", "sum,first,last,argmax", stdin=table
        )
        a = got.splitlines()[1].split(",")
        expected = float(prefix(values, add("f64")))
        self.assertEqual((a[0], *map(float, a[1:4])), ("a", expected, values[0], values[-1]))
        at = max(range(1000), key=lambda i: values[i])
        self.assertEqual(int(a[4]), at if at < 5 else at + 1)

    def test_tables_of_nothing_but_large_groups(self):
        for n in [255, 256, 257, 1000, 70000]:
            for keys in ["a", "ab", "abc"]:
                rows = [(k, i % 7 + 1) for k in keys for i in range(n)]
                table = "k,x\n" + "".join(f"{k},{v}\n" for k, v in rows)
                total = sum(v for _, v in rows) // len(keys)
                got = self.text("reduce", "--by", "k", "--op", "sum:x,count,max:x", stdin=table)
                expected = "".join(f"{k},{total},{n},7\n" for k in keys)
                self.assertEqual(got, "k,sum(x),count,max(x)\n" + expected)
                got = self.text("reduce", "--by", "k", "--op", "last:k,median:x", stdin=table)
                first_two = [row.split(",")[:2] for row in got.splitlines()[1:]]
                self.assertEqual(first_two, [[k, k] for k in keys])

    def test_a_late_decimal_changes_all_groups(self):
        n = 150000
        table = "k,x\n" + "".join(f"{'ab'[i % 2]},{i}\n" for i in range(n)) + "c,0.5\n"
        a, b = sum(range(0, n, 2)), sum(range(1, n, 2))
        self.assertEqual(
            self.text("reduce", "--by", "k", "-c", "x", stdin=table),
            f"k,sum(x)\na,{a}\nb,{b}\nc,0.5\n",
        )

    def test_scans_follow_their_group(self):
        source = random.Random(SEED)
        values = numbers(20000)
        keys = [source.choice("abcdefgh") if i % 3 else "a" for i in range(len(values))]
        table = "k,x\n" + "".join(f"{k},{v!r}\n" for k, v in zip(keys, values))
        expected = {}
        for k in set(keys):
            expected[k] = iter(prefixes([v for g, v in zip(keys, values) if g == k], add("f64")))
        forward = [next(expected[k]) for k in keys]
        got = self.text("scan", "--by", "k", "-c", "x", stdin=table).splitlines()[1:]
        self.assertEqual([float(line.split(",")[1]) for line in got], forward, f"seed {SEED}")
        self.assertEqual([line.split(",")[0] for line in got], keys)
        table = "k,x\na,1\nb,10\na,2\nb,20\na,3\n"
        for flags, results in [
            (["--reverse"], [6, 30, 5, 20, 3]),
            (["--exclusive"], [0, 0, 1, 10, 3]),
            (["--op", "max", "--reverse"], [3, 20, 3, 20, 3]),
            (["--allow-repeats"], [1, 10, 2, 20, 3]),
            (["--op", "argmax"], [0, 1, 2, 3, 4]),
            (["--op", "lag", "--init", "0"], [0, 0, 1, 10, 2]),
            (["--op", "window:2:sum"], [1, 10, 3, 30, 5]),
        ]:
            got = self.text("scan", "--by", "k", "-c", "x", *flags, stdin=table).splitlines()[1:]
            self.assertEqual([int(line.split(",")[1]) for line in got], results, flags)

    def test_scans_of_groups_continue_from_chunk_to_chunk(self):
        source = random.Random(SEED)
        n, names = 200000, [f"g{i}" for i in range(300)]
        keys = [source.choice(names) for _ in range(n)]
        values = [source.randint(-999, 999) for _ in range(n)]
        self.file("t.csv", "k,x\n" + "".join(f"{k},{v}\n" for k, v in zip(keys, values)))
        for op, kind in [
            ("sum", []),
            ("sum", ["--exclusive"]),
            ("sum", ["--monotone"]),
            ("checked-sum,mean,var,argmax,argmin-last", []),
            ("first,last,minmax,gcd,bit-xor,any", []),
            ("ema:0.25,exact-sum,log-sum-exp,recurrence:0.5:-0.25,polynomial:0.5", []),
            ("window:3:sum,window:500:max,window:40:var,lag:2,diff", []),
        ]:
            # Groups of their own, each in one piece, have the results of the rows of all.
            flags = ["-c", "x", "--op", op, *kind, "--threads", "1"]
            got = self.text("scan", "--by", "k", *flags, "t.csv").splitlines()[1:]
            for name in names[::60]:
                rows = [i for i in range(n) if keys[i] == name]
                alone = "x\n" + "".join(f"{values[i]}\n" for i in rows)
                expected = self.text("scan", *flags, stdin=alone).splitlines()[-len(rows) :]
                expected = [line.replace("\t", ",") for line in expected]
                mine = [got[i].split(",", 1)[1] for i in rows]
                if "arg" in op:  # rows of the file
                    mine = [line.split(",")[:3] for line in mine]
                    expected = [line.split(",")[:3] for line in expected]
                self.same(mine, expected, f"{op} {kind} {name} seed {SEED}")

    def test_a_late_decimal_changes_the_scans_of_all_groups(self):
        n = 150000
        rows = [("abc"[i % 3], i) for i in range(n)] + [("a", 0.5), ("d", 0.25), ("b", 1)]
        table = "k,x\n" + "".join(f"{k},{v}\n" for k, v in rows)
        totals = dict.fromkeys("abcd", 0)
        expected = []
        for k, v in rows:
            totals[k] += v
            expected.append(totals[k])
        got = self.text("scan", "--by", "k", "-c", "x", stdin=table).splitlines()[1:]
        self.same([float(line.split(",")[1]) for line in got], expected, "sum")

    def test_many_groups_take_little_memory(self):
        n = 100000
        self.file("t.csv", "k,x\n" + "".join(f"{i * 7919 % n},{i % 10}\n" for i in range(2 * n)))
        room = os.path.getsize(TOOL) + (160 << 20)
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room))
        with open(os.path.join(self.path, "t.csv"), "rb") as table:
            done = subprocess.run(
                [TOOL, "scan", "--by", "k", "-c", "x", "--threads", "1"],
                stdin=table,
                capture_output=True,
                preexec_fn=limit,
            )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        last = done.stdout.splitlines()[-1].split(b",")
        self.assertEqual(last, [str((2 * n - 1) * 7919 % n).encode(), b"18"])

    def test_sorted_is_checked(self):
        table = "k,x\na,1\nb,2\na,4\n"
        for command in ["reduce", "scan"]:
            self.fails(
                3,
                command,
                "--by",
                "k",
                "-c",
                "x",
                "--sorted",
                "-o",
                "o.csv",
                stdin=table,
                says="'a' repeats",
            )
            self.fails(2, command, "--sorted", stdin="1\n", says="--by")

    def test_an_operator_and_a_name_for_each_column(self):
        table = "k,x,y\na,1,10\nb,2,20\na,3,30\n"
        text = lambda *words: self.text("reduce", *words, stdin=table)
        self.assertEqual(
            text("--by", "k", "--op", "sum:y as total,max:x,count"),
            "k,total,max(x),count\na,40,3,2\nb,20,2,1\n",
        )
        self.assertEqual(text("--op", "sum:y,mean:x,sum:x"), "sum(y),mean(x),sum(x)\n60,2,6\n")
        self.assertEqual(text("--op", "sum:3,quantile:0.5:x as half"), "sum(y),half\n60,2\n")
        self.assertEqual(text("-c", "x", "--op", "sum,max:y"), "sum(x),max(y)\n6,30\n")
        self.assertEqual(
            text("-c", "x,y", "--op", "max,min"), "max(x),min(x),max(y),min(y)\n3,1,30,10\n"
        )
        self.assertEqual(
            self.text(
                "scan", "--op", "sum:x as s,max:y,ema:0.5:x as e", "--keep", "k", stdin=table
            ),
            "k,s,max(y),e\na,1,10,1\nb,3,20,1.5\na,6,30,2.25\n",
        )
        for op, says in [
            ("sum,max:y", "name their column"),
            ("sum:nosuch", "no column 'nosuch'"),
            ("sum:", "the column after ':' is missing"),
            ("minmax:x as m", "several results"),
            ("sum:x as ", "the name after 'as'"),
            ("affine:x", "--column"),
            ("ema:x", "x"),
        ]:
            self.fails(2, "reduce", "--op", op, "-o", "o.csv", stdin=table, says=says)
        self.fails(
            2,
            "reduce",
            "-c",
            "x,y",
            "--op",
            "sum as s",
            "-o",
            "o.csv",
            stdin=table,
            says="cannot have one name",
        )

    def test_texts(self):
        table = "k,day,x\na,2015-01-02,1\nb,2015-01-01,2\na,2014-12-31,3\na,2015-01-02,4\n"
        ops = "count,distinct:day,first:day,last:day as end,min:day,max:day,sum:x,concat:+:k"
        self.assertEqual(
            self.text("reduce", "--op", ops, stdin=table),
            "count,distinct(day),first(day),end,min(day),max(day),sum(x),concat(k)\n"
            "4,3,2015-01-02,2015-01-02,2014-12-31,2015-01-02,10,a+b+a+a\n",
        )
        self.assertEqual(
            self.text("reduce", "--by", "k", "--op", "max:day,count,min:x", stdin=table),
            "k,max(day),count,min(x)\na,2015-01-02,3,1\nb,2015-01-01,1,2\n",
        )
        got = json.loads(
            self.text("reduce", "--op", "max:day as d,sum:x,count", "--json", stdin=table)
        )
        self.assertEqual(
            [(r["op"], r["column"], r["dtype"], r["value"]) for r in got["results"]],
            [
                ("max", "day", "text", "2015-01-02"),
                ("sum", "x", "i64", 10),
                ("count", "", "u64", 4),
            ],
        )
        self.assertEqual(self.text("reduce", "--op", "count", stdin="1 2\n3\n"), "3\n")
        self.assertEqual(self.text("reduce", "--op", "count", stdin="x,y\n1,2\n3,4\n"), "2\n")
        self.assertEqual(
            self.text("reduce", "--op", "distinct", stdin="1\n1.0\n-0\n0\nnan\nnan\n"), "3\n"
        )
        source = random.Random(SEED)
        many = [source.randint(-5000, 5000) for _ in range(50000)]
        self.assertEqual(
            self.text("reduce", "--op", "distinct", stdin="\n".join(map(str, many))),
            f"{len(set(many))}\n",
        )
        self.fails(
            3, "reduce", "--op", "max:day,sum:day", stdin=table, says="'day' is not a number"
        )
        self.fails(
            3,
            "reduce",
            "--op",
            "min:x",
            stdin="x\nfoo\n12\n",
            says="'12' in column 'x' is a number",
        )
        self.fails(3, "reduce", "--op", "min:x", stdin="x\n12\nfoo\n", says="'foo'")
        self.fails(2, "scan", "--op", "mode:x", stdin=table, says="upsweep reduce")
        self.fails(2, "reduce", "--op", "lag:1:x", stdin=table, says="upsweep scan")

    def test_memory_that_ends_is_an_error(self):
        table = "k,x\n" + "".join(f"{i:07},1\n" for i in range(800000))
        self.file("t.csv", table)
        room = os.path.getsize(TOOL) + (90 << 20)  # with kernels of a GPU the tool has 150 MiB
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (room, room))
        done = subprocess.run(
            [TOOL, "reduce", "--by", "k", "-c", "x", "t.csv", "--threads", "1"],
            capture_output=True,
            cwd=self.path,
            preexec_fn=limit,
        )
        self.assertEqual((done.returncode, done.stdout), (4, b""), done.stderr)
        self.assertIn(b"no memory", done.stderr)
        self.assertIn(b"--sorted", done.stderr)


if __name__ == "__main__":
    unittest.main()
