"""--values: the elements of a textbook kernel, in run, compare, trace and explain."""

import itertools
import json
import os
import re
import subprocess
import unittest

from support import TOOL, ToolTest

BOOK = [6, 2, 7, 4, 5, 8, 3, 1]  # Programming Massively Parallel Processors, chapter 10
TEXT = ",".join(map(str, BOOK))


class ValuesTest(ToolTest):
    def refusal(self, *args):
        done = subprocess.run([TOOL, *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def result(self, *args, status=0):
        done = subprocess.run([TOOL, "run", "--json", *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def test_the_elements_are_the_listed_ones(self):
        for dtype in ("i32", "i64", "f32", "f64"):
            run = self.result("kogge_stone", "--values", TEXT, "--dtype", dtype)
            self.assertEqual((run["n"], run["value"], run["agrees"]), (8, "36", True))
            run = self.result("shared_reduce", "--values", TEXT, "--dtype", dtype, "--op", "max")
            self.assertEqual(run["value"], "8")
        run = self.result("kogge_stone", "--values=-5,-3000000000", "--dtype", "i64")
        self.assertEqual(run["value"], "-3000000005")

    def test_affine_maps_are_composed_in_order(self):
        # 5 (2 (3 x + 1) + 7) + 2 = 30 x + 47
        run = self.result("kogge_stone", "--values", "3x+1, 2x+7, 5x+2", "--op", "affine")
        self.assertEqual((run["value"], run["agrees"]), ("30x+47", True))

    def test_rounded_sums_agree_up_to_rounding_only(self):
        values = ",".join(["0.1", "1e-9", "12345.678"] * 40)
        text = self.text("run", "convergent", "--values", values, "--dtype", "f32")
        self.assertIn("agrees with the library's", text)
        exact = self.text("run", "convergent", "--values", TEXT, "--dtype", "f32")
        self.assertNotIn("rounding", exact)

    def test_the_help_names_the_operators_that_the_tool_takes(self):
        named = re.search(r"Operator: (.*?)\n +--", self.text("run", "--help"), re.S)[1]
        named = re.sub(r"\(default\)|\s", "", named).split(",")
        self.fails(2, "run", "kogge_stone", "--op", "?")
        taken = re.search(r"operators (.*), not", self.errors)[1].split(", ")
        self.assertEqual(named, taken)

    def test_what_is_no_element_is_refused(self):
        for values, options, part in (
            ("6,two,7", [], "'two' is not a number"),
            ("6,,7", [], "'' is not a number"),
            ("6,2.5", [], "'2.5' is not a value of i32, which has integers only"),
            ("6,3000000000", [], "'3000000000' does not fit in i32"),
            ("1,1e39", ["--dtype", "f32"], "'1e39' does not fit in f32"),
            ("16777217", ["--dtype", "f32"], "in which the nearest is 16777216"),
            ("1,nan", ["--dtype", "f64"], "'nan' is not a finite number"),
            ("3x+1,5", ["--op", "affine"], "'5' is not an affine map"),
            ("3x+-1", ["--op", "affine"], "'3x+-1' is not an affine map"),
            (" ", [], "--values lists no element"),
            (TEXT, ["-n", "9"], "-n is 9, but --values lists 8 elements"),
            (TEXT, ["--ones"], "--values and --ones"),
        ):
            for command in ("run", "trace"):
                self.assertIn(
                    part, self.refusal(command, "kogge_stone", "--values", values, *options)
                )
        self.assertEqual(self.result("kogge_stone", "--values", TEXT, "-n", "8")["n"], 8)
        self.assertIn("'x' is not a number", self.refusal("explain", "kogge_stone", "--values=x"))

    def test_compare_runs_all_kernels_on_them(self):
        done = self.text("compare", "kogge_stone", "brent_kung", "--values", TEXT, "--json")
        for run in json.loads(done):
            self.assertEqual((run["n"], run["clean"]), (8, True))

    def test_explain_draws_the_values_of_every_combination(self):
        text = self.text("explain", "kogge_stone", "--values", TEXT)
        values = text.split("Their values:\n")[1]
        sums = list(itertools.accumulate(BOOK))
        shown = [int(x) for x in re.findall(r"\[(\d+)\]", values)]
        self.assertEqual(sorted(shown), sorted(sums))
        self.assertRegex(values, r"element +\[6\] +2 +7 +4 +5 +8 +3 +1\n")
        maps = self.text("explain", "kogge_stone", "--values=3x+1,2x+7", "--op", "affine")
        self.assertIn("combining tree of this run cannot be drawn", maps)
        floats = self.text("explain", "kogge_stone", "--values=0.5,0.25", "--dtype", "f32")
        self.assertIn("[0.75]", floats)


class TextOfTraces(ToolTest):
    def test_steps_have_a_line_and_a_value_for_each_thread(self):
        text = self.text("trace", "kogge_stone", "--values", TEXT)
        lines = text.splitlines()
        (first,) = [line for line in lines if re.search(r"read in\b", line)]
        self.assertEqual([int(x) for x in first.split("in", 1)[1].split()], BOOK)
        (last,) = [line for line in lines if re.search(r"write out\b", line)]
        sums = list(itertools.accumulate(BOOK))
        self.assertEqual([int(x) for x in last.split("out", 1)[1].split()], sums)
        self.assertIn("The elements that each combination covers", text)
        path = os.path.join(self.path, "scan.txt")
        self.text("trace", "kogge_stone", "--values", TEXT, "-o", path)
        with open(path) as file:
            self.assertEqual(file.read(), text)

    def test_a_race_of_a_file_is_marked_and_named(self):
        race = os.path.join(self.path, "race.cu")
        with open(race, "w") as file:
            file.write(
                "__global__ void shift(int* p) {\n"
                "  __shared__ int tile[4];\n"
                "  tile[threadIdx.x] = 10 * p[threadIdx.x];\n"
                "  p[threadIdx.x] = tile[(threadIdx.x + 1) % 4];\n"
                "}\n"
            )
        done = subprocess.run(
            [TOOL, "trace", race, "--kernel", "shift", "--block", "4", "--arg", "p=1,2,3,4"],
            capture_output=True,
            text=True,
        )
        if done.returncode == 5:
            self.skipTest("no compiler for CUDA files")
        self.assertEqual(done.returncode, 1, done.stderr)
        (write,) = [line for line in done.stdout.splitlines() if "write tile" in line]
        (read,) = [line for line in done.stdout.splitlines() if "read tile" in line]
        # Thread 0 reads what thread 1 has not written yet, and thread 3 what thread 0 has.
        self.assertRegex(write, r"^ +3 .*tile +!10 +!20 +30 +40$")
        self.assertRegex(read, r"^ +4 .*tile +!\S+ +\S+ +\S+ +!10$")
        self.assertIn("race.cu:4", done.stdout)


class Tables(ToolTest):
    def test_a_core_of_tasklets_has_no_warps_banks_and_sectors(self):
        text = self.text("run", "tasklet_ssa", "-n", "512")
        self.assertIn("applications", text)
        self.assertNotRegex(text, "conflicts|warp|sectors|wavefronts|lines read")
        text = self.text("run", "scan_scan_add", "-n", "512")
        self.assertRegex(text, "warp instructions|sectors")
        table = self.text("compare", "tasklet_ssa", "scan_scan_add", "-n", "512")
        self.assertRegex(table, r"warp instructions +- +[\d,]+\n")
        self.assertRegex(table, r"applications +[\d,]+\*? +[\d,]+\*?")


if __name__ == "__main__":
    unittest.main()
