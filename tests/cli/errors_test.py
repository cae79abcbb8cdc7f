"""An error is one line on stderr and an exit status, and leaves no output."""

import json
import os
import subprocess
import unittest

from support import TOOL, ToolTest, npy


class Errors(ToolTest):
    def test_unknown_commands_options_operators_and_columns_propose_the_nearest(self):
        self.fails(2, "redcue", says=["'redcue' is not a command", "did you mean 'reduce'?"])
        self.fails(
            2, "reduce", "--opp", "sum", says=["unknown option --opp", "did you mean '--op'?"]
        )
        self.fails(2, "reduce", "--colunm=x", says="did you mean '--column'?")
        self.fails(
            2, "reduce", "--op", "summ", says=["'summ' is not an operator", "did you mean 'sum'?"]
        )
        self.fails(2, "scan", "--op", "exactsum", says="did you mean 'exact-sum'?")
        self.fails(2, "reduce", "--from", "cvs", says="did you mean 'csv'?")
        self.fails(2, "reduce", "--mode", "reproducable", says="did you mean 'reproducible'?")
        self.fails(2, "completion", "bsh", says="did you mean 'bash'?")
        self.fails(2, "reduce", "-c", "rian", stdin="day,rain\n1,2\n", says=["rian", "rain"])
        self.fails(2, "--verison", says="did you mean '--version'?")
        self.fails(2, "frobnicate", says="upsweep --help")
        self.fails(
            2, "exact-sum", says=["'exact-sum' is an operator", "upsweep reduce --op exact-sum"]
        )
        self.fails(2, "help", "redcue", says="did you mean 'reduce'?")

    def test_what_other_tools_call_an_operator_proposes_ours(self):
        for word, name in [
            ("avg", "'mean'?"),
            ("stdev", "'sample-std' or, of a population, 'std'?"),
            ("variance", "'sample-var' or, of a population, 'var'?"),
            ("total", "'sum'?"),
            ("n", "'count'?"),
            ("percentile", "'quantile:Q', with Q from 0 to 1?"),
            ("AVG", "'mean'?"),
            ("moving_average", "'window:W:mean'?"),
            ("cumsum", "'sum'?"),
            ("ffill", "'last' with --carry-missing?"),
            ("arg_max", "'argmax:X:NAME'?"),
            ("dense_rank", "'dense-rank'?"),
            ("p99.9", "'quantile:0.999'?"),
        ]:
            self.fails(2, "reduce", "--op", word, says=f"did you mean {name}")

    def test_what_other_tools_call_an_option_is_answered_with_ours(self):
        table = "carrier,delay\nAA,5\n"
        for line, says in [
            (["reduce", "-g", "carrier"], "--by COLUMN groups the rows"),
            (["reduce", "--group-by=carrier"], "--by COLUMN groups the rows"),
            (["scan", "--group-by", "carrier"], "--by COLUMN groups the rows"),
            (["sort", "-n"], "sorted as numbers without an option"),
            (["sort", "-r"], "--descending"),
            (["sort", "-k", "2"], "--column"),
            (["reduce", "--where", "delay > 3"], "upsweep select --where"),
            (["reduce", "--na-values", "x"], "--missing"),
            (["reduce", "-c", "carier"], "Did you mean 'carrier'?"),
            (["reduce", "--op", "sum:dealy"], "Did you mean 'delay'?"),
            (["reduce", "--by", "Carrier", "--op", "count"], "Did you mean 'carrier'?"),
            (["reduce", "--op", "p95"], "did you mean 'quantile:0.95'?"),
            (["reduce", "--op", "p5"], "did you mean 'quantile:0.05'?"),
            (["reduce", "--op", "p50"], "did you mean 'median'?"),
            (["reduce", "--op", "nunique"], "did you mean 'distinct'?"),
        ]:
            self.fails(2, *line, stdin=table, says=says)

    def test_help_is_a_command_too(self):
        self.assertEqual(self.text("help"), self.text("--help"))
        self.assertEqual(self.text("help", "scan"), self.text("scan", "--help"))

    def test_usage_errors(self):
        for args, says in [
            (["reduce", "--op", "sum:3"], "no column '3'"),
            (["reduce", "--op", "ema"], "ema:WEIGHT"),
            (["reduce", "--op", "ema:0"], "above 0 and at most 1"),
            (["reduce", "--op", "ema:x"], "ema:WEIGHT"),
            (["reduce", "--op", "affine"], "--column a,b"),
            (["reduce", "--op", "affine,sum"], "use it alone, or write affine:X:Y"),
            (
                ["reduce", "--op", "concat:,", "-c", "1"],
                "a comma, which separates operators, needs",
            ),
            (["reduce", "--op", "matrix2x2", "-c", "1"], "needs 4 columns, but there is one"),
            (
                ["reduce", "--op", "matrix2x2", "-c", "1,1,1,1", "--init", "1"],
                "takes no initial value",
            ),
            (["reduce", "--op", "concat"], "--column"),
            (["scan", "--op", "concat", "-c", "1"], "use upsweep reduce"),
            (["reduce", "--op", "mean", "--init", "3"], "takes no initial value"),
            (["reduce", "--op", "argmax", "--init", "3"], "takes no initial value"),
            (["reduce", "--init", "three"], "--init"),
            (["reduce", "--op", "gcd", "--dtype", "f32"], "takes integers"),
            (["reduce", "--op", "checked-sum", "--dtype", "f64"], "takes integers"),
            (
                ["reduce", "--dtype", "i33"],
                "'i33' is not a dtype; the dtypes are i8, i16, i32, i64, u8, u16, u32, u64, f16, "
                "bf16, f32, f64, bool.",
            ),
            (["reduce", "--threads", "-1"], "--threads"),
            (["reduce", "--count", "-1"], "--count"),
            (["reduce", "--axis", "0", "-c", "1"], "omit --column"),
            (["reduce", "--delimiter", "ab"], "a single character"),
            (["reduce", "--header", "--no-header"], "--no-header"),
            (["reduce", "--axis", "0", "--by", "k"], "--by"),
            (["reduce", "--number-format", "%s"], "%s"),
            (["completion"], "SHELL"),
            (["reduce", "--op"], "--op"),
            (["reduce", "--json", "--to", "csv"], "--to"),
            (["reduce", ""], "'' names no file"),
            (["scan", "-", ""], "'' names no file"),
            (["scan", "-o", ""], "'' names no file"),
            (["sort", "--top", "-1"], "'-1' is negative; give 0 or more"),
            (["reduce", "--offset", "-1"], "'-1' is negative; give 0 or more"),
            (["reduce", "--from", "text", "--offset", "2"], "--from raw"),
        ]:
            self.fails(2, *args, stdin="1\n2\n", says=says)

    def test_numbers_of_options_that_their_type_cannot_hold_are_refused(self):
        """CLI11 reads 2^64 and more as 2^64 - 1, and nan is no limit: nothing exceeds it."""
        large = str(2**64)
        for line in (
            ["check", "--seed"],
            ["sort", "--top"],
            ["run", "brent_kung", "--seed"],
            ["run", "brent_kung", "--n"],
            ["run", "x.cu", "--shared"],
            ["trace", "x.cu", "--launch"],
            ["verify", "x.cu", "--n"],
            ["ladder", "--n", "64", "--emulate"],
            ["grade", "nothing", "--seed"],
        ):
            self.fails(2, *line, large, stdin="1\n", says=f"'{large}' is too large; give at most")
            self.fails(2, *line, "-1", stdin="1\n", says="'-1' is negative")
        self.fails(2, "ladder", "--emulate", "0", says="'0' is too few; give 1 or more")
        self.assertEqual(self.text("sort", "--top", str(2**64 - 1), stdin="1\n"), "1\n")
        for value in ("nan", "inf", "1e999", "-1"):
            for line, least in (
                (["check", "--tolerance"], "of 0 or more"),
                (["bench", "--explain", "--time"], "above 0"),
                (["run", "x.cu", "--time-limit"], "above 0"),
            ):
                says = f"'{value}' is not a finite number {least}"
                self.fails(2, *line, value, stdin="1\n", says=says)
        self.assertIn("1 value", self.text("check", "--tolerance", "0", stdin="1\n"))

    def test_json_loses_no_column_of_the_same_name(self):
        table = "k,a,a\nz,3,1\nz,4,5\n"
        for says, commands in [
            (
                "by its position",
                [
                    ["select", "--where", "$2 > 0"],
                    ["sort", "--column", "3"],
                    ["scan", "--op", "sum:2 as s", "--keep", "all"],
                ],
            ),
            (
                "as in --op 'mean as m'",
                [
                    ["scan", "--op", "sum:2,sum:3"],
                    ["scan", "--op", "sum:2 as k", "--keep", "k"],
                    ["reduce", "--by", "k", "--column", "2,3"],
                    ["reduce", "--by", "k", "--op", "moments:2,mean:2"],
                    ["reduce", "--by", "k", "--op", "sum:2 as t,max:3 as t"],
                ],
            ),
        ]:
            for args in commands:
                self.fails(2, *args, "--json", stdin=table, says=["--json: two fields", says])
        got = self.text(
            "reduce", "--by", "k", "--op", "moments:2,mean:2 as m", "--json", stdin=table
        )
        self.assertEqual(
            json.loads(got), {"k": "z", "count(a)": 2, "mean(a)": 3.5, "var(a)": 0.25, "m": 3.5}
        )
        got = self.text("reduce", "--by", "k", "--op", "sum:2,max:3", "--json", stdin=table)
        self.assertEqual(json.loads(got), {"k": "z", "sum(a)": 7, "max(a)": 5})

    def test_no_command_shows_the_help_and_fails(self):
        self.assertEqual(self.text(status=2), "")
        self.assertIn("Usage: upsweep COMMAND", self.errors)

    def test_bad_data_names_its_place(self):
        self.fails(3, "reduce", stdin="1\nx2\n", says=["2", "x2"])
        self.fails(3, "reduce", "--dtype", "u8", stdin="1\n256\n", says="256")
        self.fails(3, "reduce", "-c", "x", "--from", "csv", stdin="x,y\n1,2\n3\n", says="3")
        self.fails(3, "reduce", stdin=b"1\x002\n", says="--from raw")
        self.file("short.npy", npy("f64", [1, 2, 3])[:-4])
        self.fails(3, "reduce", "short.npy", says="short.npy")
        self.fails(3, "scan", "short.npy", "-o", "out.npy", says="short.npy")
        self.assertFalse(os.path.exists(os.path.join(self.path, "out.npy")))

    def test_a_first_value_that_is_no_number_is_never_dropped_as_a_header(self):
        for value in [
            "$1.50",
            "5kg",
            "10%",
            "(3)",
            "12:30",
            "1.5.2",
            "3-",
            "\u22125",
            b"\xff5",
        ]:
            text = (value if isinstance(value, bytes) else value.encode()) + b"\n2\n3\n"
            for command in ["reduce", "scan"]:
                self.fails(
                    3,
                    command,
                    stdin=text,
                    says=["standard input:1:1: '", "--header", "--no-header"],
                )
        self.assertEqual(self.text("reduce", stdin="rain\n2\n3\n"), "5\n")
        self.assertEqual(self.text("reduce", stdin='"5"\n2\n3\n').splitlines()[-1], "10")

    def test_files_that_cannot_be_read_or_written(self):
        self.fails(4, "reduce", "no-such-file", says="no-such-file")
        self.fails(4, "reduce", "-o", "no/such/folder.txt", stdin="1\n", says="no/such/folder.txt")
        self.fails(4, "reduce", ".", says="directory")
        for command in [
            ["reduce"],
            ["scan"],
            ["scan", "--json"],
            ["check"],
            ["list"],
            ["reduce", "--help"],
            ["completion", "zsh"],
        ]:
            with open("/dev/full", "w") as full:
                done = subprocess.run(
                    [TOOL, *command],
                    input=b"1\n2\n",
                    stdout=full,
                    stderr=subprocess.PIPE,
                    cwd=self.path,
                    timeout=300,
                )
            self.assertEqual(done.returncode, 4, command)
            self.assertRegex(done.stderr.decode(), r"\Aupsweep: [^\n]+\n\Z", command)

    def test_color_is_for_terminals_that_want_it(self):
        def stderr_of(environment):
            main, other = os.openpty()
            done = subprocess.Popen(
                [TOOL, "nonsense"],
                stdout=subprocess.DEVNULL,
                stderr=other,
                env={**os.environ, **environment},
            )
            done.wait(timeout=300)
            os.close(other)
            text = os.read(main, 4096)
            os.close(main)
            return text

        self.assertIn(b"\x1b[", stderr_of({"NO_COLOR": ""}))
        self.assertNotIn(b"\x1b", stderr_of({"NO_COLOR": "1"}))

    def test_binary_does_not_go_to_a_terminal(self):
        main, other = os.openpty()
        done = subprocess.run(
            [TOOL, "scan", "--to", "npy"],
            input=b"1\n",
            stdout=other,
            stderr=subprocess.PIPE,
            timeout=300,
        )
        os.close(other)
        os.close(main)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"terminal", done.stderr)


class List(ToolTest):
    def test_every_operator_that_is_listed_can_be_run(self):
        listed = json.loads(self.text("list", "--json"))
        for entry in listed["operators"]:
            self.assertEqual("parameter" in entry, ":" in entry["usage"])
            parameter = entry.get("parameter", {})
            self.assertTrue(all(parameter.values()), entry)
            use = ":".join([entry["name"], *filter(None, [parameter.get("example")])])
            columns = {"2 columns": "a,b", "4 columns": "a,b,c,d"}.get(entry["takes"], "a")
            command = "scan" if "scan only" in entry["meaning"] else "reduce"
            self.text(command, "--op", use, "-c", columns, stdin="a,b,c,d\n1,2,3,4\n3,4,5,6\n")
            self.assertTrue(entry["meaning"].endswith("."), entry)
        self.assertEqual(
            [t["name"] for t in listed["types"]],
            [
                "i8",
                "i16",
                "i32",
                "i64",
                "u8",
                "u16",
                "u32",
                "u64",
                "f16",
                "bf16",
                "f32",
                "f64",
                "bool",
            ],
        )
        names = {
            line.split()[0].split(":")[0].split("[")[0]
            for line in self.text("list", "operators").splitlines()
        }
        self.assertEqual(names, {entry["name"] for entry in listed["operators"]})
        self.assertEqual(len(self.text("list", "types").splitlines()), 13)

    def test_the_operators_of_the_library_are_there(self):
        named = {
            e["name"]: e for e in json.loads(self.text("list", "operators", "--json"))["operators"]
        }
        for name in (
            "sum product min max min-number max-number bit-and bit-or bit-xor all any parity "
            "argmin argmax argmin-last argmax-last minmax affine "
            "matrix2x2 moments gcd first last concat exact-sum log-sum-exp checked-sum "
            "checked-product"
        ).split():
            self.assertIn("commutative", named[name])
        self.assertEqual(
            (named["sum"]["exact"], named["affine"]["commutative"]), ("integers", False)
        )


if __name__ == "__main__":
    unittest.main()
