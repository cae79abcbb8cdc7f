"""JSON lines and arrays, in and out, beside Python's json; Markdown and aligned tables."""

import csv
import json
import math
import os
import random
import unittest

from support import SEED, ToolTest


def random_text(rng):
    return "".join(rng.choice('ab,"\\\n\t/ é€𝄞{}[]:') for _ in range(rng.randrange(6)))


def random_objects(rng, n):
    """Objects that lack keys, in any order, with strings that need escapes and with null."""
    rows = []
    for _ in range(n):
        row = {
            "k": rng.choice(["x", "y", 'z"', "ü\n", 7, 7.5, True]),
            "v": rng.randrange(-1000, 1000) / 4,
            "t \\ é": random_text(rng),
            "n": rng.choice([None, rng.randrange(10)]),
            "deep": {"a": ["}", {"b": '"'}]},
        }
        for key in ["t \\ é", "n", "deep"]:
            if rng.random() < 0.3:
                del row[key]
        keys = list(row)
        rng.shuffle(keys)
        rows.append({key: row[key] for key in keys})
    return rows


class Json(ToolTest):
    def objects(self, *args, **rest):
        return [json.loads(line) for line in self.text(*args, **rest).splitlines()]

    def written(self, rows, rng):
        """The rows as files of all kinds."""
        ascii = rng.random() < 0.5
        lines = "".join(json.dumps(row, ensure_ascii=ascii) + "\n" for row in rows)
        return {
            "l.jsonl": lines,
            "c.jsonl": "".join(json.dumps(r, separators=(",", ":")) for r in rows),
            "a.json": json.dumps(rows, ensure_ascii=ascii),
            "p.json": json.dumps(rows, indent=rng.choice([1, "\t"])),
        }

    def test_rows_are_those_of_pythons_json_in_every_layout(self):
        rng = random.Random(SEED)
        for trial in range(6):
            rows = random_objects(rng, rng.choice([1, 2, 40, 300]))
            total = sum(row["v"] for row in rows)
            sums = {}
            for row in rows:
                key = json.dumps(row["k"])
                sums[key] = sums.get(key, 0) + row["v"]
            kept = [row for row in rows if row["v"] > 3]
            for name, content in self.written(rows, rng).items():
                name = f"{trial}{name}"
                self.file(name, content.encode())
                with self.subTest(name=name):
                    self.assertEqual(float(self.text("reduce", "-c", "v", name)), total)
                    got = self.text("reduce", "--by", "k", "--op", "sum:v", "--to", "jsonl", name)
                    groups = [json.loads(line) for line in got.splitlines()]
                    self.assertEqual({json.dumps(g["k"]): g["sum(v)"] for g in groups}, sums)
                    where = ["select", "--where", "v > 3", name]
                    self.assertEqual(self.objects(*where, "--to", "jsonl"), kept)
                    self.assertEqual(json.loads(self.text(*where, "--to", "json")), kept)
                    if "a.json" in name or "p.json" in name:
                        self.assertEqual(json.loads(self.text(*where)), kept)
                    order = self.objects("sort", "-c", "v", "--to", "jsonl", name)
                    self.assertEqual(order, sorted(rows, key=lambda row: row["v"]))

    def test_a_scan_keeps_values_as_they_are_written(self):
        text = '{"id":"007","x":1e2,"y":1.50}\n{"x":-0.0,"id":12,"y":null}\n'
        out = self.text("scan", "-c", "x", "--keep", "id,y", stdin=text)
        self.assertEqual(
            out, '{"id":"007","y":1.50,"sum(x)":100.0}\n{"id":12,"y":null,"sum(x)":100.0}\n'
        )
        by = self.text("reduce", "--by", "id", "--op", "sum:x", stdin=text)
        self.assertEqual(by, '{"id":"007","sum(x)":100.0}\n{"id":12,"sum(x)":-0.0}\n')

    def test_missing_values_and_words_of_python(self):
        text = '{"x":1,"w":NaN}\n{"x":null}\n{"w":-Infinity}\n{"x":2,"w":Infinity}\n'
        self.fails(3, "reduce", "-c", "x", stdin=text, says=["2:6", "'x'", "missing value"])
        got = self.text("reduce", "--skip-missing", "--op", "sum:x,count:x,count", stdin=text)
        self.assertEqual(got, '{"sum(x)":3,"count(x)":2,"count":4}\n')
        got = self.text("reduce", "--skip-missing", "--op", "max:w", stdin=text)
        self.assertTrue(math.isnan(float(got)))

    def test_damaged_json_is_refused_where_it_is_damaged(self):
        for text, place in [
            ('{"a":1}\n{"a":2', "2:1"),
            ('{"a":1}\n{"a":"2}\n', "2:9"),
            ('{"a":1}\n{"a" 2}\n', "2:6"),
            ('{"a":1}\n{"a":2 "b":3}\n', "2:8"),
            ('{"a":1}\n{"a":2,}\n', "2:8"),
            ('{"a":1}\n{"a":\\u0031}\n', "2:6"),
            ('{"a":1}\n{"a":"\\x"}\n', "2:7"),
            ('{"a":1}\n{"a":"\\ud83"}\n', "2:7"),
            ('{"a":1}\n[2]\n', "2:1"),
            ('{"a":1}\n{"b":{],"a":2}\n', "2:7"),
            ('{"a":1}\n{"b":[{"c":[1}]],"a":2}\n', "2:14"),
            ('{"a":1}\n,{"a":2}\n', "2:1"),
            ('[{"a":1},{"a":2}', "1:10"),
            ('[{"a":1} {"a":2}]', "1:10"),
            ('[{"a":1}]x', "1:10"),
            ('[{"a":1},\n{"a":2}\n', "2:1"),
        ]:
            for more in ["", "\n"]:
                with self.subTest(text=text):
                    says = f"standard input:{place}: "
                    self.fails(3, "reduce", "-c", "a", stdin=text + more, says=says)

    def test_numbers_are_those_that_pythons_json_takes(self):
        tokens = ["1.2.3", "+1", ".5", "5.", "2024-01-01", "1-2", "-", "1e", "1e+", "0x1", "1e5.0"]
        tokens += ["0", "-0", "-0.0", "10", "1.50", "1e2", "1E+2", "-2.5e-3", "0e0", "00", "-01"]
        for token in [*tokens, "NaN", "Infinity", "-Infinity"]:
            row = f'{{"a":1,"d":{token}}}\n'
            with self.subTest(token=token):
                try:
                    json.loads(row)
                except ValueError:
                    self.fails(3, "select", "--where", "a > 0", stdin=row, says="JSON")
                else:
                    self.assertEqual(self.text("select", "--where", "a > 0", stdin=row), row)

    def test_an_array_has_no_comma_at_its_ends(self):
        row = '{"a":1}'
        for text in (f"[{row},]", f"[{row}, \n ]\n", f"[,{row}]", f"[{row},,{row}]", "[1,2,]"):
            with self.subTest(text=text):
                self.assertRaises(ValueError, json.loads, text)
                self.text("reduce", "--op", "count", stdin=text, status=3)
        for between in (",", " ,\n", "\n,", " , "):
            text = "[" + between.join([row] * 3) + "]"
            self.assertEqual(self.text("reduce", "-c", "a", stdin=text), "3\n")
        # Longer than what a thread reads at once, with the comma before and after the line break.
        for between in ("\n,", ",\n"):
            self.file("long.json", "[" + between.join([row] * 400_000) + "]")
            self.assertEqual(self.text("reduce", "-c", "a", "long.json"), "400000\n")

    def test_equal_strings_are_one_key_however_they_are_written(self):
        spellings = ["a/b", "a\\/b", "\\u0061/b", "é", "\\u00e9", "\\u00E9", "\\n", "\\u000a"]
        text = "".join(f'{{"k":"{s}","v":{2**i}}}\n' for i, s in enumerate(spellings))
        text += '{"k":1,"v":1}\n{"k":"1","v":2}\n{"k":"\\u0031","v":4}\n'
        sums = {}
        for row in map(json.loads, text.splitlines()):
            sums[row["k"]] = sums.get(row["k"], 0) + row["v"]
        groups = self.objects("reduce", "--by", "k", "--op", "sum:v", stdin=text)
        self.assertEqual([(g["k"], g["sum(v)"]) for g in groups], list(sums.items()))
        lines = text.splitlines(True)[:-3]  # in the order of the keys
        last = [2, 5, 7]
        got = self.objects("reduce", "--by", "k", "--op", "sum:v", "--sorted", stdin="".join(lines))
        self.assertEqual([g["sum(v)"] for g in got], [7, 56, 192])
        got = self.objects("runs", "-c", "k", stdin="".join(lines))
        self.assertEqual([g["length"] for g in got], [3, 3, 2])
        got = self.objects("scan", "--by", "k", "--op", "count:v", stdin="".join(lines))
        self.assertEqual([list(g.values())[-1] for g in got], [1, 2, 3, 1, 2, 3, 1, 2])
        top = ["sort", "--by", "k", "-c", "v", "--top", "1", "--to", "jsonl"]
        tops = [*(lines[i] for i in last), '{"k":1,"v":1}\n', '{"k":"\\u0031","v":4}\n']
        self.assertEqual(self.text(*top, stdin=text), "".join(tops))

    def test_values_with_escapes_are_what_they_mean(self):
        text = '{"x":"N\\/A"}\n{"x":2}\n{"x":"\\u0033"}\n'
        self.assertEqual(self.text("reduce", "--op", "sum:x", "--skip-missing", stdin=text), "5\n")
        # Beside a decimal that comes late in a stream.
        late = '{"x":1}\n' * 300_000 + '{"x":"\\u0032.5"}\n'
        self.assertEqual(self.text("reduce", "--op", "sum:x", stdin=late), "300002.5\n")

    def test_every_truncation_of_an_array_is_refused(self):
        rng = random.Random(SEED)
        rows = random_objects(rng, 4)
        text = json.dumps(rows).encode()
        for end in rng.sample(range(2, len(text)), 40):
            self.fails(3, "reduce", "--from", "json", "-c", "v", stdin=text[:end])

    def test_numbers_of_strangers(self):
        """pandas-dev/pandas#40992, jeroen/jsonlite#405, saulpw/visidata#2131"""
        ids = ['{"id":1,"u":"1344800117571260417"}', '{"id":1413617112501850121,"u":"1"}']
        rows = "\n".join(ids)
        got = self.text("reduce", "--op", "max:u,max:id", "--to", "csv", stdin=rows)
        self.assertEqual(got.splitlines()[1], "1344800117571260417,1413617112501850121")
        self.assertEqual(self.text("reduce", "-c", "a", stdin='{"a":0}\n{"a":0.1}\n'), "0.1\n")

    def test_a_late_key_is_an_error_only_where_it_would_be_lost(self):
        text = '{"a":1}\n' * 200000 + '{"a":1,"late":2}\n'
        self.assertEqual(self.text("reduce", stdin=text), "200001\n")
        self.file("late.jsonl", text.encode())
        late = ["select", "--where", "a > 0", "late.jsonl", "-o", "out.jsonl"]
        self.fails(3, *late, says=["200001:8", "--column"])
        self.assertFalse(os.path.exists(os.path.join(self.path, "out.jsonl")))

    def test_a_number_format_may_have_separators(self):
        for form in ("%8.2f,", '"%.1f"', "%.1f\n", "%8.2f"):
            by = ["--by", "k", "--op", "sum:x,count:x", "--number-format", form]
            got = self.text("reduce", *by, stdin="k,x\na,1.5\n")
            rows = list(csv.reader(got.splitlines(True)))
            self.assertEqual(rows[1:], [["a", form % 1.5, form % 1]])

    def test_a_number_format_is_refused(self):
        for to in (["--to", "jsonl"], ["--to", "json"], ["--json"]):
            for by in ([], ["--by", "k"]):
                self.fails(
                    2,
                    "reduce",
                    "--op",
                    "sum:x",
                    *by,
                    *to,
                    "--number-format",
                    "%.1f",
                    stdin="k,x\na,1.5\n",
                    says="--number-format",
                )

    def test_tables_for_people(self):
        text = '{"n|m":"a|b","v":1.5}\n{"n|m":"é\\n","v":-20}\n{"v":3}\n'
        self.assertEqual(
            self.text("scan", "-c", "v", "--keep", "n|m", "--to", "markdown", stdin=text),
            "| n\\|m | sum(v) |\n| ---- | -----: |\n"
            "| a\\|b |    1.5 |\n| é    |  -18.5 |\n|      |  -15.5 |\n",
        )
        self.assertEqual(
            self.text("select", "--where", "v > 2", "--to", "aligned", stdin=text),
            "n|m  v\n".replace("v", "  v") + "       3\n",
        )


if __name__ == "__main__":
    unittest.main()
