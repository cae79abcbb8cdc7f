"""Pieces of groups, and of columns with gaps, after a part that says how many values are before.
What comes of them is compared with one `upsweep reduce` of the whole, and keys of JSON with those
of Python.
"""

import collections
import csv
import itertools
import json
import os
import random
import struct
import unittest

from pieces_test import PieceTool, table, with_checksum
from support import SEED


class PlacedPiecesTest(PieceTool):
    def chain(self, header, lines, cuts, *args, counts=()):
        """The parts of a table, each after those before it, or after their counts by `counts`."""
        parts, ends = [], [0, *cuts, len(lines)]
        for i, (a, b) in enumerate(itertools.pairwise(ends)):
            if parts and counts:
                rows = [self.part(p, header + "".join(lines[p:q]), *counts)
                        for p, q in itertools.pairwise(ends[: i + 1])]  # fmt: skip
                self.run_tool("merge", *rows, "--partial", "front", "--force")
            elif parts:
                self.run_tool("merge", *parts, "--partial", "front", "--force")
            after = ["--after", "front"] if parts else []
            piece = self.file(f"{i}.csv", header + "".join(lines[a:b]))
            self.run_tool("reduce", *args, piece, "--partial", f"{i}.part", "--force", *after)
            parts.append(f"{i}.part")
        return parts

    def test_groups_after_what_comes_before(self):
        header, lines = table(400, late=True)
        lines[40:90] = [line[:-2] + "d\n" for line in lines[40:90]]  # a group of one piece
        lines[300:] = [line[:-2] + "a\n" for line in lines[300:]]
        ops = "sum:x,std:x,ema:0.1:x,rms:x,argmax:x,mean:k,sum:k,max:k,exact-sum:x,count,last:day"
        by = ["--by", "g"]
        expected = self.whole(header, lines, *by, "--op", ops)
        for cuts in ([40, 90], [1, 2, 399], [0, 100, 100, 300]):
            parts = self.chain(header, lines, cuts, *by, "--op", ops)
            self.assertEqual(self.text("merge", *reversed(parts)), expected, cuts)
            self.run_tool("merge", *parts[1:], "--partial", "later", "--force")
            self.assertEqual(self.text("merge", "later", parts[0]), expected, cuts)
            counts = [*by, "--op", "count:x,count:k"]
            parts = self.chain(header, lines, cuts, *by, "--op", ops, counts=counts)
            self.assertEqual(self.text("merge", *parts), expected, cuts)

    def test_columns_with_gaps_after_what_comes_before(self):
        source = random.Random(SEED)
        rows = [
            ",".join(source.choice([repr(source.random()), "", "-"]) for _ in "ab") + "\n"
            for _ in range(90)
        ]
        rows[20:40] = [",1.25\n"] * 20  # a piece without a value of a
        for how in ("--skip-missing", "--skip-rows-with-missing"):
            args = [how, "--missing=-", "--op", "sum:a,std:b,argmin:b,mean:a,exact-sum:a,count:a"]
            expected = self.whole("a,b\n", rows, *args)
            for cuts in ([20, 40], [1, 22, 23], [33]):
                parts = self.chain("a,b\n", rows, cuts, *args)
                self.assertEqual(self.text("merge", *parts), expected, (how, cuts))
                args_of_counts = [how, "--missing=-", "--op", "count:a,count:b"]
                parts = self.chain("a,b\n", rows, cuts, *args, counts=args_of_counts)
                self.assertEqual(self.text("merge", *reversed(parts)), expected, (how, cuts))

    def test_powers_out_of_range_in_some_pieces(self):
        """The bits of one reduction, whose values statistics_test.py compares with fractions."""
        header, ops = "x,y\n", "mean:x,std:x,skewness:x,kurtosis:x,rms:x,harmonic-mean:x,count"
        pairs = ",geometric-mean:x,correlation:x:y,slope:x:y,weighted-mean:x:y,weighted-std:x:y"
        plain, zeros = [(3.0, 4.0), (9.0, 2.0), (5.0, 1.0), (1.0, 6.0)], [(0.0, 1.0), (0.0, 0.0)]
        for scale in (1e200, 1e-200, 1e-310):
            wide = [(x * scale, y) for x, y in plain]
            for rows in (
                wide * 2,
                plain + wide + plain,
                zeros + wide + zeros,
                wide + zeros + plain,
            ):
                lines = [f"{x!r},{y!r}\n" for x, y in rows]
                expected = self.whole(header, lines, "--op", ops + pairs)
                statistics = expected.splitlines()[1].split(",")[:-6]
                self.assertFalse([x for x in statistics[:5] if x in ("inf", "nan", "0")], expected)
                for cuts in ([4], [1, 3, 7], [2, 6]):
                    parts = self.chain(header, lines, cuts, "--op", ops + pairs)
                    self.assertEqual(self.text("merge", *parts), expected, (scale, cuts))
                    self.run_tool("merge", *parts[:-1], "--partial", "front", "--force")
                    self.assertEqual(self.text("merge", "front", parts[-1]), expected, cuts)
                log, state = (
                    self.file("log.csv", header + "".join(lines[:5])),
                    f"{scale}{rows}"[:30],
                )
                resume = ["reduce", log, "--op", ops + pairs, "--resume", state]
                self.text(*resume)
                with open(os.path.join(self.path, "log.csv"), "a") as more:
                    more.writelines(lines[5:])
                self.assertEqual(self.text(*resume), expected, scale)
                os.unlink(os.path.join(self.path, state))

    def test_a_piece_may_overflow_where_the_whole_does_not(self):
        most = 2**63 - 1
        rows = [f"{v}\n" for v in (-5, -6, most, 3)]
        parts = [self.part(0, "x\n" + "".join(rows[:2]), "--op", "checked-sum:x"),
                 self.part(2, "x\n" + "".join(rows[2:]), "--op", "checked-sum:x")]  # fmt: skip
        self.assertEqual(self.text("merge", *parts), f"{most - 8}\n")
        later = self.part(2, "x\n5\n6\n5\n", "--op", "checked-sum:x")
        self.assertEqual(self.text("merge", parts[0], later), "5\n")
        first = self.part(0, f"x\n{most}\n-5\n", "--op", "checked-sum:x")
        says = ["checked-sum: the sum overflows i64 in these pieces", "--op sum wraps"]
        self.fails(6, "merge", first, later, says=says)
        self.fails(6, "reduce", "--op", "checked-sum", stdin=f"{most}\n1\n", says="at row 1")

    def test_operators_of_several_columns_in_pieces_without_values_of_one(self):
        header, lines = "x,y,z\n", [f"{i},,{i * i}\n" for i in range(4)]
        lines += [f"{i},{i % 3},{i * i}\n" for i in range(4, 12)]
        for ops in (
            "slope:z:x,sum:y,max:y", "max:y,slope:z:x,sum:x", "sum:z,max:y,correlation:x:z",
            "slope:x:z,weighted-mean:x:z,covariance:z:x,max:y,argmax:z:x",
        ):  # fmt: skip
            args = ["--skip-missing", "--op", ops]
            expected = self.whole(header, lines, *args)
            parts = [self.part(0, header + "".join(lines[:4]), *args)]
            self.run_tool("reduce", *args, self.file("rest.csv", header + "".join(lines[4:])),
                          "--after", *parts, "--partial", "rest", "--force")  # fmt: skip
            self.assertEqual(self.text("merge", *parts, "rest"), expected, ops)

    def test_operators_of_integers_begin_without_values(self):
        ops = "gcd:x,checked-sum:x,bit-or:x,sum:x"
        for empty in ("x,y\n", "x,y\n,1\n,2\n"):
            got = self.text("reduce", "--skip-missing", "--header", "--op", ops, stdin=empty)
            self.assertEqual(got.splitlines()[-1], "0,0,0,0")
            log, state = self.file("log.csv", empty), f"state{len(empty)}"
            resume = ["reduce", "--skip-missing", log, "--op", ops, "--resume", state]
            self.text(*resume)
            self.file("log.csv", empty + "6,1\n4,\n")
            self.assertEqual(self.text(*resume).splitlines()[-1], "2,10,6,10")
            two = [self.file("a.csv", empty), self.file("b.csv", "x,y\n9,1\n")]
            got = self.text("reduce", "--skip-missing", *two, "--op", ops)
            self.assertEqual(got.splitlines()[-1], "9,9,9,9")
            two[1] = self.file("c.csv", "x,y\n,1\n")
            got = self.text("reduce", "--skip-missing", *two, "--op", ops)
            self.assertEqual(got.splitlines()[-1], "0,0,0,0")
            two[1] = self.file("d.csv", "x,y\n0.5,1\n")
            self.fails(2, "reduce", "--skip-missing", *two, "--op", ops, says="takes integers")

    def test_pieces_without_values_of_a_column_of_integers(self):
        """Whose operators are those of f64 there, which depend on the positions of values."""
        lines = ["6,p\n", ",p\n", ",q\n", ",p\n", ",q\n", "9,q\n", ",p\n", "4,p\n", "6,q\n"]
        ops = "gcd:x,product:x,argmax-last:x,sum:x"
        for how in ("--skip-missing", "--skip-rows-with-missing"):
            for by in ([], ["--by", "g"]):
                args = [how, *by, "--op", ops]
                expected = self.whole("x,g\n", lines, *args)
                for cuts in ([1, 5], [2, 3, 4], [5], [1, 2, 4, 6, 7]):
                    parts = self.chain("x,g\n", lines, cuts, *args)
                    self.assertEqual(self.text("merge", *parts), expected, (how, by, cuts))
        # Decimals of a new group, after a group without values that the part before knows.
        args = ["--skip-missing", "--by", "g", "--op", "product:x"]
        for rows in (["2,p\n", ",p\n", "0.5,q\n"], ["2,p\n", "0.5,q\n", ",p\n", "0.25,q\n"]):
            expected = self.whole("x,g\n", rows, *args)
            parts = self.chain("x,g\n", rows, [1], *args)
            self.assertEqual(self.text("merge", *parts), expected, rows)

    def test_operators_of_all_values_do_not_scan_after_a_piece(self):
        """Also of one that has no values, of which every operator makes a part."""
        rows = self.file("rows.csv", "x,w\n2,b\n1,a\n2,b\n")
        for empty in ("x,w\n", "x,w\n,a\n"):
            for op in ("distinct:x", "distinct:x,sum:x"):
                args = ["--skip-missing", "--header", "--op", op]
                before = self.part(0, empty, *args)
                self.fails(2, "scan", *args, "--after", before, rows, says=["distinct of 'x'"])
            args = ["--skip-missing", "--header", "--op", "distinct:w"]
            got = self.text("scan", *args, "--after", self.part(0, empty, *args), rows)
            self.assertEqual(
                got.splitlines()[1:], ["1", "2", "2"] if "a" not in empty else ["2", "2", "2"]
            )

    def test_what_comes_before_must_fit(self):
        by = ["--by", "g", "--op", "sum:x"]
        first = self.part(0, "x,g\n1.5,a\n0.1,a\n2,b\n", *by)
        piece = self.file("piece.csv", "x,g\n0.2,a\n")
        later = ["reduce", piece, "--partial", "later", "--force"]
        self.run_tool(*later, *by, "--after", first)
        self.assertEqual(self.text("merge", "later", first), "g,sum(x)\na,1.8\nb,2\n")
        self.fails(2, *later, *by, "--after", first, "--from-row", "3", says="--from-row")
        self.fails(2, "reduce", piece, *by, "--after", first, says="--partial")
        self.fails(3, *later, *by, "--after", "later", says="begins at row 3")
        self.fails(3, *later, *by, "--skip-missing", "--after", first, says="--skip-missing")
        other = self.part(0, "y,g\n1,a\n2,a\n3,a\n", "--by", "g", "--op", "sum:y")
        self.fails(3, *later, *by, "--after", other, says=["sum of 'x'", "count:x"])
        counts = self.part(0, "x,g\n1,a\n1,b\n2,b\n", "--by", "g", "--op", "count:x")
        self.run_tool(*later, *by, "--after", counts)
        self.fails(3, "merge", "later", first, says=["later does not follow", "--after"])


class PiecesOfJsonTest(PieceTool):
    def test_keys_of_json_keep_their_kinds(self):
        keys = ["1", '"1"', "true", '"true"', "null", '""', '"null"', '"\\u00e9\\/"', '"\u00e9/"']
        source = random.Random(SEED)
        rows = [f'{{"k":{source.choice(keys)},"v":{source.randint(-9, 9)}}}\n' for _ in range(200)]
        groups = {}
        for row in map(json.loads, rows):
            key = (type(row["k"]), row["k"])
            groups[key] = groups.get(key, 0) + row["v"]
        expected = [(kind, k, total) for (kind, k), total in groups.items()]

        def read(text):
            all = map(json.loads, text.splitlines())
            return [(type(row["k"]), row["k"], row["sum(v)"]) for row in all]

        args = ["--by", "k", "--op", "sum:v"]
        parts = self.parts("", rows, [50, 120], *args, suffix="jsonl")
        self.assertEqual(read(self.text("merge", *parts)), expected)
        self.run_tool("merge", "--partial", "joined", *parts)
        self.assertEqual(read(self.text("merge", "joined")), expected)
        for end in 50, 120, 200:
            self.file("grows.jsonl", "".join(rows[:end]))
            text = self.text("reduce", *args, "--resume", "state", "grows.jsonl")
        self.assertEqual(read(text), expected)
        self.fails(3, "merge", "joined", "--to", "csv", says=["1 and", "of 'k'", "--to jsonl"])

    def test_keys_of_json_become_fields_of_csv(self):
        rows = [f'{{"k":{k},"v":1}}\n' for k in ("1", "true", "null", '"a\\"b"', '"x,y"', "1")]
        groups = collections.Counter(["1", "true", "", 'a"b', "x,y", "1"])
        parts = self.parts("", rows, [2, 4], "--by", "k", "--op", "sum:v", suffix="jsonl")
        text = self.text("merge", *parts, "--to", "csv")
        found = [(k, int(total)) for k, total in csv.reader(text.splitlines()[1:])]
        self.assertEqual(found, list(groups.items()))

    def test_parts_whose_keys_of_json_have_lost_their_kinds_are_refused(self):
        args = ["--by", "k", "--op", "sum:v"]
        name = self.part(0, '{"k":1,"v":1}\n', *args, suffix="jsonl")
        body = self.content(name)[:-8]
        self.assertEqual(body[17:19], struct.pack("<H", 5))
        self.file("earlier", with_checksum(body[:17] + struct.pack("<H", 4) + body[19:]))
        self.fails(3, "merge", "earlier", says=["keys of JSON of an earlier version", "--partial"])
        other = self.part(1, "k,v\n1,1\n", *args)
        self.fails(3, "merge", name, other, says="of another format")


if __name__ == "__main__":
    unittest.main()
