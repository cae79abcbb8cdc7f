"""--by, --sorted and --allow-repeats: totals and scans of groups."""

import csv
import itertools
import json
import random
import subprocess
import threading
import unittest

from support import SEED, TOOL, ToolTest, add, prefix, prefixes


class Groups(ToolTest):
    def order_is_broken(self, command, keys, table, says):
        """The command refuses the table as not sorted by the keys."""
        words = ["--by", keys, "--sorted", "-c", "x", "-o", "out.csv"]
        self.fails(3, command, *words, stdin=table, says=says)

    def test_each_run_of_equal_keys_is_a_row(self):
        table = "city,x,y\nBonn,1,2.5\nBonn,2,1\nKiel,5,0\n"
        self.assertEqual(
            self.text("reduce", "--by", "city", "-c", "x,y", "--op", "sum,max", stdin=table),
            "city,sum(x),max(x),sum(y),max(y)\nBonn,3,2,3.5,2.5\nKiel,5,5,0,0\n",
        )
        self.assertEqual(
            self.text(
                "reduce",
                "--by",
                "1",
                "-c",
                "2",
                "--no-header",
                "--from",
                "csv",
                stdin="a,1\na,2\nb,3\n",
            ),
            "a,3\nb,3\n",
        )
        self.assertEqual(
            self.text(
                "scan", "--by", "city", "-c", "x", "--exclusive", "--init", "10", stdin=table
            ),
            "city,sum(x)\nBonn,10\nBonn,11\nKiel,10\n",
        )
        self.assertEqual(
            self.text("scan", "--by", "city", "-c", "x", "--reverse", stdin=table),
            "city,sum(x)\nBonn,3\nBonn,2\nKiel,5\n",
        )

    def test_several_keys(self):
        table = "a,b,x\n1,1,1\n1,2,2\n1,2,3\n11,2,4\n"
        self.assertEqual(
            self.text("reduce", "--by", "a,b", "-c", "x", stdin=table),
            "a,b,sum(x)\n1,1,1\n1,2,5\n11,2,4\n",
        )

    def test_keys_whose_texts_run_together_alike_are_different(self):
        table = "a,b,x\n5,5,1\n1,12,2\n11,2,4\n1,5,8\n"
        self.assertEqual(
            self.text("reduce", "--by", "a,b", "-c", "x", stdin=table),
            "a,b,sum(x)\n" + table.split("\n", 1)[1],
        )
        self.order_is_broken("reduce", "a,b", table + "11,2,1\n", "'11,2' repeats at row 4")

    def test_many_groups_across_chunks_have_the_bits_of_groups_alone(self):
        source = random.Random(SEED)
        groups = [
            [
                source.uniform(-1, 1) * 10.0 ** source.randint(-6, 6)
                for _ in range(source.choice([1, 2, 9, 1000, 30000]))
            ]
            for _ in range(60)
        ]
        table = "k,x\n" + "".join(f"g{g},{v!r}\n" for g, x in enumerate(groups) for v in x)
        expected = "k,sum(x)\n" + "".join(
            f"g{g},{float(prefix(x, add('f64')))!r}\n" for g, x in enumerate(groups)
        )
        plain = lambda text: [
            (a, float(b)) for a, b in (line.split(",") for line in text.splitlines()[1:])
        ]
        self.assertEqual(
            plain(self.text("reduce", "--by", "k", "-c", "x", stdin=table)),
            plain(expected),
            f"seed {SEED}",
        )
        self.file("t.csv", table)
        self.assertEqual(
            plain(self.text("reduce", "--by", "k", "-c", "x", "t.csv")),
            plain(expected),
            f"seed {SEED}",
        )
        small = [x for x in groups if len(x) <= 9]
        table = "k,x\n" + "".join(f"g{g},{v!r}\n" for g, x in enumerate(small) for v in x)
        got = plain(self.text("scan", "--by", "k", "-c", "x", stdin=table))
        self.assertEqual(
            [v for _, v in got],
            list(itertools.chain(*(prefixes(x, add("f64")) for x in small))),
            f"seed {SEED}",
        )

    def test_thousands_of_groups_keep_their_order(self):
        table = "k,x\n" + "".join(f"{g},{g}\n{g},1\n" for g in range(20000))
        got = self.text("reduce", "--by", "k", "-c", "x", stdin=table).splitlines()
        self.assertEqual(got[1:], [f"{g},{g + 1}" for g in range(20000)])

    def test_a_key_that_comes_back_is_an_error_unless_allowed(self):
        table = "k,x\na,1\nb,2\na,4\n"
        self.order_is_broken("reduce", "k", table, ["'a' repeats at row 2", "--allow-repeats"])
        self.assertEqual(
            self.text("reduce", "--by", "k", "-c", "x", "--allow-repeats", stdin=table),
            "k,sum(x)\na,1\nb,2\na,4\n",
        )
        self.order_is_broken("scan", "k", table, "repeats")
        self.fails(2, "reduce", "--allow-repeats", stdin=table, says="--by")

    def test_a_repeated_key_names_what_may_be_omitted(self):
        table = "k,x\na,1\nb,2\na,3\n"
        self.fails(3, *["reduce", "--by", "k", "--sorted"], stdin=table, says="omit --sorted")

    def test_a_run_goes_on_in_the_next_chunk_whether_keys_may_come_back_or_not(self):
        n = 300000  # two chunks of values, and many chunks from a pipe
        table = "k,x\n" + "a,1\n" * n + "b,2\n"
        self.file("t.csv", table)
        for source in [{"stdin": table}, {}]:
            for repeats in [[], ["--allow-repeats"]]:
                got = self.text(
                    "reduce",
                    "--by",
                    "k",
                    "-c",
                    "x",
                    "--op",
                    "sum,count",
                    *repeats,
                    *([] if source else ["t.csv"]),
                    **source,
                )
                self.assertEqual(
                    got, f"k,sum(x),count(x)\na,{n},{n}\nb,2,1\n", (repeats, bool(source))
                )

    def test_keys_may_come_in_any_order_as_long_as_none_comes_back(self):
        rising = [str(k) for k in range(8, 300)]
        shuffled = random.Random(SEED).sample(rising, len(rising))
        months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
        for keys in [
            rising,
            rising[::-1],
            sorted(rising),
            shuffled,
            months,
            ["1", "1.0", "01", "0"],
        ]:
            table = "k,x\n" + "".join(f"{k},{i}\n{k},1\n" for i, k in enumerate(keys))
            got = self.text(
                "reduce", "--by", "k", "--sorted", "-c", "x", "--from", "csv", stdin=table
            ).splitlines()
            self.assertEqual(got[1:], [f"{k},{i + 1}" for i, k in enumerate(keys)], keys)
            for back in [keys[0], keys[-2]]:
                self.fails(
                    3,
                    "reduce",
                    "--by",
                    "k",
                    "--sorted",
                    "-c",
                    "x",
                    "--from",
                    "csv",
                    "-o",
                    "out.csv",
                    stdin=table + f"{back},5\n",
                    says=f"the group '{back}' repeats at row {2 * len(keys)}",
                )

    def test_a_break_in_the_order_of_more_keys_than_are_kept_is_an_error_that_says_so(self):
        table = "k,x\n" + "".join(f"{k:04000},1\n" for k in range(5000))
        self.assertEqual(
            self.text("reduce", "--by", "k", "--sorted", "-c", "x", stdin=table),
            table.replace("x", "sum(x)", 1),
        )
        table += f"{77:04000},1\n"
        self.order_is_broken(
            "reduce", "k", table, ["row 5000", "breaks the order", "--allow-repeats"]
        )
        self.assertEqual(
            self.text("reduce", "--by", "k", "-c", "x", "--allow-repeats", stdin=table),
            table.replace("x", "sum(x)", 1),
        )

    def test_sorted_groups_appear_as_they_end(self):
        with subprocess.Popen(
            [TOOL, "reduce", "--by", "k", "--sorted", "--from", "csv"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as tool:
            watchdog = threading.Timer(60, tool.kill)
            watchdog.start()
            for rows, results in [
                (b"k,x\na,1\na,2\nb,1\n", [b"k,sum(x)\n", b"a,3\n"]),
                (b"b,4\nc,1\nd,1\n", [b"b,5\n", b"c,1\n"]),
            ]:
                tool.stdin.write(rows)
                tool.stdin.flush()
                for result in results:
                    self.assertEqual(tool.stdout.readline(), result)
            tool.stdin.close()
            self.assertEqual(tool.stdout.read(), b"d,1\n")
            watchdog.cancel()
            self.assertEqual(tool.wait(timeout=60), 0)

    def test_rows_of_arg_operators_count_over_the_whole_table(self):
        table = "k,x\na,3\na,1\nb,2\nb,9\n"
        self.assertEqual(
            self.text("reduce", "--by", "k", "-c", "x", "--op", "argmin,argmax", stdin=table),
            "k,argmin(x),argmax(x)\na,1,0\nb,2,3\n",
        )

    def test_json_is_an_object_a_group(self):
        got = self.text(
            "reduce", "--by", "k", "-c", "x", "--json", stdin="k,x\na,1\nb,2.5\n"
        ).splitlines()
        self.assertEqual(
            [json.loads(line) for line in got],
            [{"k": "a", "sum(x)": 1.0}, {"k": "b", "sum(x)": 2.5}],
        )

    def test_no_rows_make_no_groups(self):
        self.assertEqual(
            self.text("reduce", "--by", "k", "-c", "x", "--from", "csv", stdin="k,x\n"),
            "k,sum(x)\n",
        )

    def test_texts_are_concatenated_by_group(self):
        self.assertEqual(
            self.text(
                "reduce",
                "--by",
                "k",
                "-c",
                "x",
                "--op",
                "concat:+,count",
                stdin="k,x\na,1\na,2\nb,3\n",
            ),
            "k,concat(x),count(x)\na,1+2,2\nb,3,1\n",
        )

    def test_different_texts_are_listed_in_the_order_of_their_rows(self):
        rng = random.Random(SEED)
        words = ["ann", "bea", "1", "1.0", "", "x y", "é"]
        rows = [(rng.choice("abc"), rng.choice(words)) for _ in range(60)]
        groups = {}
        for key, word in rows:
            groups.setdefault(key, []).append(word)
        wanted = [[k, "|".join(dict.fromkeys(v)), ", ".join(v)] for k, v in groups.items()]
        args = ["--by", "k", "--op", 'distinct-list:|:x,concat:", ":x']

        def table(part):
            return "k,x\n" + "".join(f"{key},{word}\n" for key, word in part)

        def lines(text):
            return list(csv.reader(text.splitlines()))[1:]

        self.assertEqual(lines(self.text("reduce", *args, stdin=table(rows))), wanted)
        for name, part, begin in [("a", rows[:23], 0), ("b", rows[23:], 23)]:
            self.text(
                "reduce", *args, "--partial", name, "--from-row", str(begin), stdin=table(part)
            )
        self.assertEqual(lines(self.text("merge", "a", "b")), wanted)
        for op, result in [
            ("distinct-list:x", "b,a"),
            ("distinct-list::x", "b,a"),
            ('distinct-list:"::":x', "b::a"),
            ("distinct-list: and :x as l", "b and a"),
        ]:
            got = self.text(
                "reduce", "--skip-missing", "--op", op, stdin="x,y\nb,1\n,1\na,1\nb,1\n"
            )
            self.assertEqual(got, result + "\n", op)
        self.fails(2, "scan", "--op", "distinct-list:x", stdin="x\na\n", says="use upsweep reduce")


if __name__ == "__main__":
    unittest.main()
