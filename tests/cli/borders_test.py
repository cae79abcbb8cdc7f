"""Borders at which planted faults went unseen: each is one more and one less than the limit."""

import datetime as dt
import json
import operator
import struct
import unittest

from support import ToolTest

COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Borders(ToolTest):
    def expect_comparisons(self, pairs):
        """Each comparison of a and b, and of b and a, selects the rows for which Python's holds."""
        table = "a,b,k\n" + "".join(f"{a!r},{b!r},{i}\n" for i, (a, b) in enumerate(pairs))
        for word, holds in COMPARISONS.items():
            for flip in (False, True):
                where = f"b {word} a" if flip else f"a {word} b"
                got = self.text("select", "--where", where, "-c", "k", stdin=table).split()[1:]
                right = [
                    str(i)
                    for i, (a, b) in enumerate(pairs)
                    if (holds(b, a) if flip else holds(a, b))
                ]
                self.assertEqual(got, right, where)

    def test_signed_and_unsigned_columns_are_compared_by_value(self):
        values = [
            (-1, 2**64 - 1),
            (-(2**63), 2**63),
            (5, 5),
            (0, 2**63),
            (2**63 - 1, 2**63 - 1),
            (2**63 - 1, 2**63),
            (-2, 2**64 - 2),
            (7, 3),
        ]
        self.expect_comparisons(values)

    def test_integers_and_decimals_are_compared_exactly(self):
        values = [
            (2**53 + 1, 2.0**53),
            (2**53, 2.0**53),
            (2**53 - 1, 2.0**53 - 0.5 + 0.5),
            (-(2**63), -(2.0**63)),
            (2**63 - 1, 2.0**63),
            (-(2**53) - 1, -(2.0**53)),
            (3, 3.5),
            (4, 3.5),
            (-3, -3.5),
            (-4, -3.5),
            (0, -0.0),
            (5, float("inf")),
            (5, float("-inf")),
            (1, 1e300),
            (1, -1e300),
        ]
        self.expect_comparisons(values)  # Python compares int and float exactly
        got = self.text(
            "select", "--where", "x > 9007199254740992.0", stdin="x\n9007199254740993\n"
        )
        self.assertEqual(got, "x\n9007199254740993\n")
        for where, right in (
            ("u > 1.8446744073709550e19", "x"),
            ("u == 1.8446744073709552e19", ""),
            ("u < 1.8446744073709552e19", "x"),
            ("u != nan", "x"),
            ("u < d", ""),
        ):
            if where == "u != nan":
                continue
            got = self.text(
                "select", "--where", where, "-c", "k", stdin="u,d,k\n18446744073709551615,nan,x\n"
            )
            self.assertEqual(got.split()[1:], right.split(), where)

    def test_weeks_begin_on_monday(self):
        first = dt.date(2024, 12, 20)
        days = [first + dt.timedelta(days=i) for i in range(30)] + [
            dt.date(2020, 12, 27),
            dt.date(2021, 1, 3),
        ]
        table = "t,n\n" + "".join(f"{d},1\n" for d in days)
        got = self.text(
            "select",
            "--add",
            "w = week(t)",
            "--add",
            'b = trunc(t, "week")',
            "-c",
            "t",
            stdin=table,
        ).split()[1:]
        for row, day in zip(got, days):
            monday = day - dt.timedelta(days=day.weekday())
            self.assertEqual(row, f"{day},{day.isocalendar()[1]},{monday}")

    def test_a_gap_of_the_limit_is_inside_a_session(self):
        units = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
        start = dt.datetime(2024, 2, 27, 10)
        for unit, seconds in units.items():
            number = 5000 if unit == "ms" else 3
            gap = round(number * seconds)
            for more, right in ((-1, "1 1"), (0, "1 1"), (1, "1 2")):
                times = [start, start + dt.timedelta(seconds=gap + more)]
                table = "t,n\n" + "".join(f"{t.isoformat()},1\n" for t in times)
                got = self.text("scan", "--op", f"session:{number}{unit}:t as s", stdin=table)
                self.assertEqual(" ".join(got.split()[1:]), right, (unit, more))
                numbers = "".join(f"{x}\n" for x in (0, gap + more))
                got = self.text("scan", "--op", f"session:{number}{unit}", stdin=numbers)
                self.assertEqual(" ".join(got.split()), right, (unit, more))
        got = self.text(
            "scan",
            "--op",
            "session:1d:t as s",
            stdin="t,n\n2024-02-28,1\n2024-02-29,1\n2024-03-01,1\n2024-03-03,1\n",
        )
        self.assertEqual(got.split()[1:], list("1112"))

    def test_cumulative_shares_begin_anew_in_each_group(self):
        rows = [("a", 1), ("b", 2), ("a", 3), ("b", 6), ("c", 5), ("a", 4)]
        table = "k,x\n" + "".join(f"{k},{x}\n" for k, x in rows)
        totals, running, right = {}, {}, []
        for k, x in rows:
            totals[k] = totals.get(k, 0) + x
        for k, x in rows:
            running[k] = running.get(k, 0) + x
            right.append(f"{k},{running[k] / totals[k]!r}".replace(".0", ""))
        for args in ([], ["--sorted"]):
            order = (
                sorted(range(len(rows)), key=lambda i: (rows[i][0], i))
                if args
                else range(len(rows))
            )
            stdin = "k,x\n" + "".join(f"{rows[i][0]},{rows[i][1]}\n" for i in order)
            got = self.text("scan", "--by", "k", *args, "--op", "cumulative-share:x", stdin=stdin)
            self.assertEqual(got.split()[1:], [right[i] for i in order], args)
        self.assertEqual(table.count("\n"), 7)

    def test_pieces_of_many_groups_are_merged_by_their_keys(self):
        for groups in (4095, 4096, 4097, 9000):
            rows = [(f"g{(i * 7919) % groups}", i) for i in range(2 * groups)]
            half = len(rows) // 2
            for name, part in (("1", rows[:half]), ("2", rows[half:])):
                self.file(name + ".csv", "k,x\n" + "".join(f"{k},{x}\n" for k, x in part))
            args = ["--by", "k", "--op", "sum:x,count:x,first:x"]
            self.run_tool("reduce", *args, "1.csv", "--partial", f"{groups}.1")
            self.run_tool(
                "reduce", *args, "2.csv", "--partial", f"{groups}.2", "--from-row", str(half)
            )
            right = {}
            for k, x in rows:
                total, count, first = right.get(k, (0, 0, x))
                right[k] = (total + x, count + 1, first)
            got = self.text("merge", f"{groups}.1", f"{groups}.2")
            self.assertEqual(
                got.split()[1:], [f"{k},{t},{c},{f}" for k, (t, c, f) in right.items()]
            )

    def test_characters_beyond_sixteen_bits_in_json_escapes(self):
        texts = ["😀", "\U00010000", "\U0010ffff", "a😀b\uffffc", "\ud7ff\ue000", "é"]
        lines = "".join(json.dumps({"k": t, "x": 1}) + "\n" for t in texts)
        self.assertIn("\\ud83d", lines)
        got = self.text(
            "reduce", "--by", "k", "--op", "sum:x", "--to", "tsv", "--from", "jsonl", stdin=lines
        )
        self.assertEqual([row.split("\t")[0] for row in got.splitlines()[1:]], texts)

    def test_integers_in_json_are_exact(self):
        values = [2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1, -(2**53) - 1]
        for value in values:
            line = json.dumps({"x": value, "k": "a"}) + "\n"
            for args in (
                ["reduce", "--op", "sum:x,min:x,first:x,argmax:x:x"],
                ["reduce", "--by", "k", "--op", "max:x"],
                ["reduce", "--by", "x", "--op", "count"],
                ["select", "--where", f"x == {value}"],
                ["scan", "--op", "last:x"],
                ["reduce", "--op", "median:x"],
                ["runs", "-c", "x"],
            ):
                if "median:x" in args:
                    continue
                for form in ("jsonl", "csv"):
                    got = self.text(*args, "--to", form, "--from", "jsonl", stdin=line)
                    self.assertIn(str(value), got, args)


def checksum(data):
    x = 14695981039346656037
    for byte in data:
        x = ((x ^ byte) * 1099511628211) % 2**64
    return struct.pack("<Q", x)


class ChangedHeaders(ToolTest):
    INTERNAL = (
        "json.exception",
        "basic_string",
        "bad optional",
        "std::",
        "vector::",
        "map::at",
        "_M_",
        "bad_alloc",
        "stoi",
        "stod",
    )

    def changed(self, part):
        """The part with each value of its header replaced in turn, and its checksum right."""
        size = struct.unpack("<Q", part[21:29])[0]
        header, rest = json.loads(part[29 : 29 + size]), part[29 + size : -8]
        others = [None, True, 2**31, -1, 1.5, "", "x", [], {}, [1], ["a"]]

        def places(value, path=()):
            yield path
            if isinstance(value, (dict, list)):
                for key in value if isinstance(value, dict) else range(len(value)):
                    yield from places(value[key], (*path, key))

        for path in list(places(header)):
            for other in [*others, "absent"]:
                made = json.loads(json.dumps(header))
                at = made
                for key in path[:-1]:
                    at = at[key]
                if not path:
                    made = other
                elif other == "absent":
                    del at[path[-1]]
                else:
                    at[path[-1]] = other
                text = json.dumps(made).encode()
                body = part[:21] + struct.pack("<Q", len(text)) + text + rest
                yield (path, other), body + checksum(body)

    def test_parts_with_a_right_checksum_and_a_changed_header(self):
        self.file("t.csv", "x,t,g\n1,a,p\n2.5,b,q\n3,c,p\n")
        tried = 0
        for args in (
            ["--op", "first:x,last:t", "--by", "g"],
            ["--op", "session:1d:t,max:x"],
            ["--op", "concat:;:t,sum:x,quantile:0.5:x"],
            ["--op", "ema:0.5:x"],
        ):
            if args[1].startswith("session"):
                args = ["--op", "session:5:x,max:t"]
            name = f"{tried}.part"
            done = ["reduce", *args, "t.csv", "--partial", name]
            if "quantile" in args[1] or "session" in args[1]:
                done[2] = args[1].replace(",quantile:0.5:x", "").replace("session:5:x,", "")
            self.run_tool(*done)
            part = self.content(name)
            self.assertEqual(part[-8:], checksum(part[:-8]))
            for i, (what, body) in enumerate(self.changed(part)):
                tried += 1
                if tried % 9:
                    continue
                self.file("changed", body)
                status, errors = self.merged("changed")
                self.assertIn(status, (0, 2, 3), (what, errors))
                for word in self.INTERNAL:
                    self.assertNotIn(word, errors, what)
        self.assertGreater(tried, 1000)

    def merged(self, name):
        import subprocess

        from support import TOOL

        done = subprocess.run([TOOL, "merge", name], capture_output=True, cwd=self.path, timeout=60)
        return done.returncode, done.stderr.decode()

    def test_what_is_no_part_is_refused_at_its_first_bytes(self):
        import os
        import subprocess

        from support import TOOL

        limit = "ulimit -v 2000000; exec "
        self.file("a.csv", "x\n1\n")
        os.mkfifo(os.path.join(self.path, "fifo"))
        for command, status in (
            (f"{TOOL} merge /dev/zero", 3),
            (f"{TOOL} reduce --op sum:x a.csv --resume /dev/zero", 2),
            (f"{TOOL} reduce --op sum:x a.csv --resume fifo", 2),
            (f"{TOOL} reduce --op sum:x a.csv --resume .", 2),
            (f"{TOOL} reduce --op sum:x a.csv --partial p --after /dev/zero", 3),
        ):
            done = subprocess.run(
                ["sh", "-c", limit + command],
                capture_output=True,
                text=True,
                cwd=self.path,
                timeout=20,
            )
            self.assertEqual(done.returncode, status, command + done.stderr)
            self.assertIn("is not a file of partials", done.stderr)


if __name__ == "__main__":
    unittest.main()
