"""Inputs of `upsweep reduce`: bytes, text, missing values, positions, errors, files."""

import json
import random
import struct
import subprocess
import threading
import unittest

from support import SEED, TOOL, ToolTest, lines, raw


class ReduceInput(ToolTest):
    def test_raw_input_options(self):
        self.file("x.bin", b"junk" + raw("i16", [1, 2, 300, 4], ">") + b"tail")
        self.assertEqual(
            self.text(
                "reduce",
                "--from",
                "raw",
                "--dtype",
                "i16",
                "--offset",
                "4",
                "--count",
                "3",
                "--endian",
                "big",
                "x.bin",
            ),
            "303\n",
        )

    def test_newlines_in_the_first_field_of_csv(self):
        for table, column, total in [
            ('"a\nb",c\n1,2\n3,4\n', "c", 6),
            ('\ufeff"a\n""b""\n",c\n1,2\n3,4\n', "c", 6),
            ('\n"a\r\nb",c\r\n1,2\r\n3,4\r\n', "c", 6),
            ('"a\nb";c\n1;2\n3;4\n', "c", 6),
            ('"a\nb"\tc\n1\t2\n', "a\nb", 1),
            ('"a\nb;",c\n1,2\n', "c", 2),
            ('# x\n"a\nb",c\n1,2\n', "c", 2),
        ]:
            flags = ["--comment", "#"] if table[0] == "#" else []
            got = self.text("reduce", "-c", column, *flags, stdin=table)
            self.assertEqual(got, f"{total}\n", table)
            piped = subprocess.run(
                [
                    "bash",
                    "-c",
                    'while IFS= read -rN1 c; do printf %s "$c"; sleep 0.01; done | "$0" "$@"',
                ]
                + [TOOL, "reduce", "-c", column, *flags],
                input=table.encode(),
                capture_output=True,
            )
            self.assertEqual(piped.stdout.decode(), got, table)
        self.assertEqual(self.text("reduce", "--op", "sum:2", stdin='"a 1\n"b 2\n'), "3\n")

    def test_missing_values(self):
        table = "x\n1\nNA\n3\n"
        self.fails(3, "reduce", "-c", "x", stdin=table, says="--skip-missing")
        self.assertEqual(self.text("reduce", "-c", "x", "--skip-missing", stdin=table), "4\n")
        self.assertEqual(
            json.loads(self.text("reduce", "-c", "x", "--skip-missing", "--json", stdin=table))[
                "results"
            ][0]["missing"],
            1,
        )

    def test_positions_count_the_rows_that_are_skipped(self):
        source = random.Random(SEED)
        values = [source.choice([None, None, source.randint(-50, 50)]) for _ in range(3000)]
        table = "k,x\n" + "".join(
            f"{i // 700},{'' if v is None else v}\n" for i, v in enumerate(values)
        )
        present = [i for i, v in enumerate(values) if v is not None]
        first = max(present, key=lambda i: (values[i], -i))
        last = min(present, key=lambda i: (values[i], -i))
        csv = self.file("t.csv", table)
        self.assertEqual(
            self.text(
                "reduce", "-c", "x", "--skip-missing", "--op", "argmax,argmin-last,count", csv
            ),
            f"argmax(x),argmin-last(x),count(x)\n{first},{last},{len(present)}\n",
        )
        by_group = [
            max((i for i in present if i // 700 == g), key=lambda i: (values[i], -i))
            for g in range(5)
        ]
        self.assertEqual(
            self.text("reduce", "-c", "x", "--skip-missing", "--by", "k", "--op", "argmax", csv),
            "k,argmax(x)\n" + "".join(f"{g},{i}\n" for g, i in enumerate(by_group)),
        )
        running = [
            max(present[: j + 1], key=lambda i: (values[i], -i)) for j in range(len(present))
        ]
        head = "argmax(x)\n"
        for flags, results in [
            ([], running),
            (["--exclusive"], [-1] + running[:-1]),
            (
                ["--reverse"],
                [max(present[j:], key=lambda i: (values[i], -i)) for j in range(len(present))],
            ),
        ]:
            args = ["scan", "-c", "x", *flags, "--op", "argmax", csv]
            self.assertEqual(
                self.text(*args, "--skip-rows-with-missing"), head + lines(results), flags
            )
            beside = ['""'] * len(values)
            for i, result in zip(present, results):
                beside[i] = str(result)
            self.assertEqual(
                self.text(*args, "--skip-missing"), head + "\n".join(beside) + "\n", flags
            )

    def test_positions_survive_a_stream_that_comes_in_pieces(self):
        values = [5000000, None, 9000000, None, None, 9000000, 1]
        with subprocess.Popen(
            [
                TOOL,
                "scan",
                "--dtype",
                "i64",
                "--no-header",
                "--skip-missing",
                "--op",
                "argmax,argmin",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as tool:
            watchdog = threading.Timer(
                60, tool.kill
            )  # keeps a delayed result from blocking the tests
            watchdog.start()
            got = []
            for v in values:
                tool.stdin.write(f"{'NA' if v is None else v}\n".encode())
                tool.stdin.flush()
                got.append(tool.stdout.readline())
            tool.stdin.close()
            watchdog.cancel()
        none = b"NA\tNA\n"
        self.assertEqual(got, [b"0\t0\n", none, b"2\t0\n", none, none, b"2\t0\n", b"2\t6\n"])

    def test_errors_name_rows_of_the_file(self):
        self.fails(
            6,
            "reduce",
            "--skip-missing",
            "--op",
            "checked-sum",
            stdin=f"NA\n{2**63 - 1}\nNA\n1\n",
            says="at row 3 ",
        )
        self.fails(
            6,
            "scan",
            "--skip-missing",
            "--op",
            "checked-sum",
            stdin=f"NA\n{2**63 - 1}\nNA\n1\n",
            says="at row 3 ",
        )
        self.assertIn(
            "overflows at row 3",
            self.text(
                "check", "--skip-missing", "--dtype", "i8", stdin="100\nNA\n27\n1\n", status=6
            ),
        )
        self.fails(
            3,
            "reduce",
            "--from",
            "csv",
            "--skip-missing",
            "-c",
            "x",
            "--by",
            "k",
            "--sorted",
            stdin="k,x\na,1\nb,NA\nb,2\na,3\n",
            says="at row 3 ",
        )

    def test_text_options(self):
        self.assertEqual(
            self.text(
                "reduce",
                "--from",
                "csv",
                "--delimiter",
                ";",
                "-c",
                "2",
                "--no-header",
                stdin="1;2\n3;4\n",
            ),
            "6\n",
        )
        self.assertEqual(
            self.text("reduce", "--from", "csv", "--header", "-c", "7", stdin="7,8\n3,4\n"), "3\n"
        )
        self.assertEqual(self.text("reduce", "--comment", "%", stdin="1\n% no\n2\n"), "3\n")
        self.assertEqual(
            self.text("reduce", "--from", "tsv", "-c", "b", stdin="a\tb\n1\t2\n"), "2\n"
        )
        self.assertEqual(
            self.text("reduce", "--dtype", "u8", "--op", "max", stdin="7\n250\n"), "250\n"
        )

    def test_output_files(self):
        self.assertEqual(self.text("reduce", "-o", "total.txt", stdin="1\n2\n"), "")
        self.assertEqual(self.content("total.txt"), b"3\n")
        self.fails(4, "reduce", "-o", "total.txt", stdin="5\n", says=["exists", "--force"])
        self.text("reduce", "-o", "total.txt", "--force", stdin="5\n")
        self.assertEqual(self.content("total.txt"), b"5\n")
        self.text("reduce", "-o", "total.raw", "--op", "max", "--dtype", "f32", stdin="5\n")
        self.assertEqual(self.content("total.raw"), struct.pack("<f", 5))
        self.text("reduce", "--json", "-o", "total.json", stdin="5\n")
        self.assertEqual(json.loads(self.content("total.json"))["results"][0]["value"], 5)


if __name__ == "__main__":
    unittest.main()
