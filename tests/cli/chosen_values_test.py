"""Values that if() and coalesce() choose among columns: missing only where the chosen one is, and
codes such as 07306 as they are written. Beside a model in plain Python."""

import json
import random
import unittest

from support import SEED, ToolTest

EXPRESSIONS = {
    "coalesce(a, b)": lambda row, a, b: a or b,
    "coalesce(b, a)": lambda row, a, b: b or a,
    "if(id % 2 == 0, a, b)": lambda row, a, b: b if row % 2 else a,
    "if(id % 3 == 0, coalesce(a, b), b)": lambda row, a, b: b if row % 3 else a or b,
}


def gap_or(source, texts):
    return source.choice(texts) if source.random() < 0.6 else source.choice(["", "NA"])


class ChosenValues(ToolTest):
    def table(self, source, rows, texts):
        """The rows of a file t.csv as (id, a, b), where a missing value is ""."""
        all_rows = [(i, gap_or(source, texts), gap_or(source, texts)) for i in range(rows)]
        body = "".join(f"{i},{a},{b}\n" for i, a, b in all_rows)
        # So that each column has both a code and no gap in the first row.
        first = (rows, texts[0], texts[0])
        self.file("t.csv", f"id,a,b\n{rows},{first[1]},{first[2]}\n" + body)
        return [first] + [tuple("" if x == "NA" else x for x in row) for row in all_rows]

    def test_a_row_is_missing_only_if_the_chosen_value_is(self):
        source = random.Random(SEED)
        for case in range(12):
            rows = self.table(source, source.choice([3, 40, 6000]), ["1", "-20", "3", "444", "5.5"])
            expression, model = list(EXPRESSIONS.items())[case % 4]
            chosen = [model(i, a, b) for i, a, b in rows]
            kept = [(float(x), row) for x, row in zip(chosen, rows) if x]
            ids = [row[0] for _, row in sorted(kept, key=lambda each: each[0])]
            for option in ("--skip-missing", "--skip-rows-with-missing"):
                how = ["-c", expression, option, "t.csv"]
                got = self.text("sort", *how).splitlines()[1:]
                self.assertEqual([int(line.split(",")[0]) for line in got], ids, expression)
                got = self.text("reduce", "--op", "count", *how)
                self.assertEqual(int(got), len(kept), expression)
                got = self.text("reduce", "--op", "sum", *how)
                self.assertEqual(float(got), sum(x for x, _ in kept), expression)
                got = self.text("histogram", "--levels", "-50,0,4,1000", "--json", *how)
                counts = [
                    sum(lo <= x < hi for x, _ in kept) for lo, hi in ((-50, 0), (0, 4), (4, 1000))
                ]
                self.assertEqual(json.loads(got)["counts"], counts, expression)

    def test_other_columns_that_are_chosen_count_too(self):
        self.file("t.csv", "id,a,b\n1,10,1\n2,,2\n3,3,\n4,,\n")
        both = ["--column", "coalesce(a, b),b", "--skip-rows-with-missing", "t.csv"]
        self.assertEqual(self.text("reduce", *both).splitlines()[1], "12,3")
        got = self.text("sort", "-c", "a * 2 as c,coalesce(a, b)", "--skip-missing", "t.csv")
        self.assertEqual(got, "id,a,b\n3,3,\n1,10,1\n")
        got = self.text("sort", "-c", 'concat(coalesce(a, b), "x")', "--skip-missing", "t.csv")
        self.assertEqual(got, "id,a,b\n1,10,1\n2,,2\n3,3,\n")
        by = ["--by", "coalesce(b, a)", "-c", "coalesce(a, b)", "--skip-missing", "t.csv"]
        self.assertEqual(self.text("sort", *by), "id,a,b\n1,10,1\n2,,2\n3,3,\n")
        got = self.text("select", "--where", "coalesce(a, b) < 5", "--skip-missing", "t.csv")
        self.assertEqual(got, "id,a,b\n2,,2\n3,3,\n")

    def test_codes_keep_their_zeros(self):
        source = random.Random(SEED)
        for case in range(8):
            rows = self.table(source, 50, ["07306", "00012", "12", "90210", "0005"])
            expression, model = list(EXPRESSIONS.items())[case % 4]
            chosen = [x for x in (model(i, a, b) for i, a, b in rows) if x]
            how = ["-c", expression, "--skip-missing", "t.csv"]
            for op, expected in (
                ("first", chosen[0]),
                ("last", chosen[-1]),
                ("distinct", str(len(set(chosen)))),
                ("distinct-list", f'"{",".join(dict.fromkeys(chosen))}"'),
                ("sum", str(sum(map(int, chosen)))),
            ):
                got = self.text("reduce", "--op", f"{op},count", *how).splitlines()[1]
                self.assertEqual(got, f"{expected},{len(chosen)}", (op, expression))
            got = self.text("reduce", "--op", "min,max,mode", *how).splitlines()[1].split(",")
            self.assertLessEqual(set(got), set(chosen), expression)
            self.assertEqual(int(got[0]), min(map(int, chosen)))
            self.assertEqual(int(got[1]), max(map(int, chosen)))

    def test_codes_as_columns_keys_and_strings_of_json(self):
        self.file("t.csv", "id,a,b\n1,07306,00012\n2,,00012\n3,00005,\n")
        add = ["--add", "c = coalesce(a, b)", "--add", "d = c", "--add", "e = c + 1", "-c", "id"]
        got = self.text("select", *add, "--skip-missing", "--to", "jsonl", "t.csv")
        expected = [("07306", 7307), ("00012", 13), ("00005", 6)]
        self.assertEqual(
            [json.loads(line) for line in got.splitlines()],
            [{"id": i + 1, "c": c, "d": c, "e": e} for i, (c, e) in enumerate(expected)],
        )
        got = self.text("select", "--add", "c = coalesce(a, b)", "--skip-missing", "t.csv")
        self.assertEqual(got, "id,a,b,c\n1,07306,00012,07306\n2,,00012,00012\n3,00005,,00005\n")
        by = ["reduce", "--by", "coalesce(b, a) as k", "--op", "count", "--skip-missing", "t.csv"]
        self.assertEqual(self.text(*by), "k,count\n00012,2\n00005,1\n")
        got = self.text(*by, "--to", "jsonl")
        self.assertEqual([json.loads(line)["k"] for line in got.splitlines()], ["00012", "00005"])
        got = self.text("runs", "-c", "coalesce(b, a) as k", "--skip-missing", "t.csv")
        self.assertEqual(got, "k,length\n00012,2\n00005,1\n")
        got = self.text(
            "scan", "-c", "coalesce(a, b) as k", "--op", "first,max", "--skip-missing", "t.csv"
        )
        self.assertEqual(got, "first(k),max(k)\n07306,07306\n07306,07306\n07306,07306\n")
        got = self.text(
            "select",
            "--add",
            'c = concat(coalesce(a, b), "/", id + 1)',
            "-c",
            "id",
            "--skip-missing",
            "t.csv",
        )
        self.assertEqual(got, "id,c\n1,07306/2\n2,00012/3\n3,00005/4\n")
        made = ["-c", 'length(concat(if(id < 3, b, a), "x"))', "--skip-missing", "t.csv"]
        self.assertEqual(self.text("reduce", *made), "18\n")
        numbers = ["-c", "coalesce(a, b)", "--op", "first", "--dtype", "i64", "--skip-missing"]
        self.assertEqual(self.text("reduce", *numbers, "t.csv"), "7306\n")


if __name__ == "__main__":
    unittest.main()
