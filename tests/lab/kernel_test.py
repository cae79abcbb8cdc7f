"""Kernels and launches of users' files: run --kernel, trace, verify and compare."""

import json
import os
import re
import subprocess
import unittest

from program_test import program, supported
from support import TOOL, ToolTest

KERNELS = program("kernels")
TWO_LAUNCHES = program("two_launches")


def line_in(file, text):
    with open(file) as lines:
        return next(i + 1 for i, line in enumerate(lines) if text in line)


class KernelTest(ToolTest):
    def call(self, *args, status=0):
        done = subprocess.run([TOOL, *args], capture_output=True, text=True, cwd=self.path)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout[:300])
        return done

    def json(self, *args, status=0):
        return json.loads(self.call("run", "--json", KERNELS, *args, status=status).stdout)

    def refused(self, *args, file=KERNELS, status=2):
        return self.call("run", file, *args, status=status).stderr

    def trace(self, *args, file=KERNELS, status=0):
        """What the page has, and the messages."""
        path = os.path.join(self.path, "page.html")
        done = self.call("trace", file, *args, "-o", path, "--force", status=status)
        self.messages = done.stderr
        with open(path) as page:
            text = page.read()
        data = re.search(r'<script id="trace" type="application/json">(.*?)</script>', text, re.S)
        return json.loads(data.group(1))


def steps_of(page, kind, buffer=None):
    names = [b["name"] for b in page["buffers"]]
    return [
        s
        for row in page["rows"]
        for s in row
        if s["kind"] == kind and (buffer is None or names.index(buffer) in s["buffers"])
    ]


def values(step):
    """Of the lanes in their order; the page has them in the order of execution."""
    return [cell[2] for cell in sorted(step["cells"], key=lambda cell: cell[0])]


class Runs(KernelTest):
    def test_a_kernel_runs_with_buffers_and_numbers_by_name(self):
        run = self.json(
            *("--kernel", "scale", "--grid", "4", "--block", "256", "--arg", "by=2.5"),
            *("--arg", "n=1000", "--arg", "out:1000", "--arg", "in:1000:ramp"),
        )
        self.assertEqual(run["outputs"]["out"]["type"], "float")
        self.assertEqual(run["outputs"]["out"]["values"], [2.5 * i for i in range(1000)])
        self.assertEqual(run["findings"], [])
        self.assertEqual(list(run["outputs"]), ["out"])  # `in` is const
        (launch,) = run["launches"]
        self.assertEqual(launch["buffers"]["in"]["loads"], 1000)

    def test_sizes_follow_n_and_the_grid_covers_it(self):
        run = self.json(
            *("--kernel", "scan<long long, 64>", "--block", "64", "-n", "100"),
            *("--arg", "in:n:ones", "--arg", "out:n", "--arg", "n=n"),
        )
        self.assertEqual(run["launches"][0]["grid"], [2, 1, 1])
        expected = [i % 64 + 1 for i in range(100)]
        self.assertEqual(run["outputs"]["out"]["values"], expected)

    def test_values_are_given_as_a_list_an_option_or_a_file(self):
        expected = [6, 8, 15, 19, 24, 32, 35, 36]
        path = os.path.join(self.path, "numbers.txt")
        with open(path, "w") as file:
            file.write("6 2 7 4\n5,8,3,1\n")
        for arguments in (
            ("--arg", "in", "--values", "6,2,7,4,5,8,3,1"),
            ("--arg", "in=6,2,7,4,5,8,3,1"),
            ("--arg", "in:8:" + path),
        ):
            run = self.json(
                *("--kernel", "scan<int,8>", "--block", "8", "--grid", "1", *arguments),
                *("--arg", "out:8", "--arg", "n=8"),
            )
            self.assertEqual(run["outputs"]["out"]["values"], expected)

    def test_fills_of_every_kind_and_structs(self):
        for fill, expected in (("zeros", [0] * 4), ("ones", [2.0] * 4), ("ramp", [0, 2.0, 4, 6])):
            run = self.json(
                *("--kernel", "scale", "--block", "4", "--arg", "in:4:" + fill, "--arg", "out:4"),
                *("--arg", "n=4", "--arg", "by=2"),
            )
            self.assertEqual(run["outputs"]["out"]["values"], expected)
        random = [
            self.json(
                *("--kernel", "scale", "--block", "64", "--arg", "in:64:random"),
                *("--arg", "out:64", "--arg", "n=64", "--arg", "by=1", "--seed", seed),
            )["outputs"]["out"]["values"]
            for seed in ("1", "2")
        ]
        self.assertEqual(random[0], random[1])
        self.assertTrue(set(random[0]) <= set(range(10)) and len(set(random[0])) > 4)
        run = self.json(
            *("--kernel", "types", "--block", "32", "--shared", "256", "--arg", "nodes:32:ones"),
            *("--arg", "sums:32", "--arg", "bytes:32"),
        )
        self.assertEqual(run["outputs"]["sums"]["values"], [2.5, 3.0] * 16)
        self.assertEqual(run["outputs"]["bytes"]["values"], [201] * 32)

    def test_grids_and_blocks_have_up_to_three_dimensions(self):
        run = self.json(
            *("--kernel", "corners", "--grid", "2,3", "--block", "4,2", "--arg", "out:48"),
        )
        (launch,) = run["launches"]
        self.assertEqual((launch["grid"], launch["block"]), ([2, 3, 1], [4, 2, 1]))
        self.assertEqual(run["outputs"]["out"]["values"], [0, 1, 2, 3, 10, 11, 12, 13] * 6)

    def test_the_first_elements_are_printed(self):
        text = self.call(
            *("run", KERNELS, "--kernel", "scale", "--block", "32", "--arg", "in:20:ramp"),
            *("--arg", "out:20", "--arg", "n=20", "--arg", "by=0.5"),
        ).stdout
        self.assertTrue(text.startswith("out: 0 0.5 1 1.5 2"), text[:80])
        self.assertIn("7.5 ... (20 elements)\n", text)

    def test_an_output_that_nobody_writes_is_uninitialized(self):
        run = self.json(
            *("--kernel", "scale", "--block", "8", "--arg", "in:8:nothing", "--arg", "out:8"),
            *("--arg", "n=8", "--arg", "by=1"),
            status=1,
        )
        self.assertEqual(run["findings"][0]["kind"], "uninitialized read")


class Errors(KernelTest):
    def test_an_unknown_kernel_lists_those_of_the_file(self):
        message = self.refused("--kernel", "scal")
        self.assertIn("has the kernels scale, scan, racing_scan", message)
        self.assertIn("and no 'scal'; did you mean 'scale'?", message)

    def test_a_template_needs_its_arguments(self):
        self.assertIn("--kernel 'scan<float, 256>'", self.refused("--kernel", "scan"))
        message = self.refused("--kernel", "scan<float, none>", "--arg", "in:1", status=3)
        self.assertIn("none", message)

    def test_wrong_arguments_are_refused_with_the_parameters(self):
        call = ("--kernel", "scale", "--block", "8")
        message = self.refused(*call, "--arg", "in:8:ramp")
        self.assertIn("float const* in, float* out, int n, float by", message)
        self.assertIn("none for 'out'", message)
        given = ("--arg", "in:8", "--arg", "out:8", "--arg", "n=8")
        self.assertIn("'by'", self.refused(*call, *given, "--arg", "bye=1"))
        self.assertIn("'x' is no float", self.refused(*call, *given, "--arg", "by=x"))
        self.assertIn("is a number (float)", self.refused(*call, *given, "--arg", "by:8"))
        self.assertIn(
            "number of elements",
            self.refused(*call, "--arg", "in", *given[2:], "--arg", "by=1"),
        )
        self.assertIn("'n-9'", self.refused(*call, "-n", "8", "--arg", "in:n-9"))
        self.assertIn("ramp, ones", self.refused(*call, "--arg", "in:8:ramps"))
        self.assertIn(
            "3 values for 8 elements",
            self.refused(*call, "--values", "1,2,3", *given, "--arg", "by=1"),
        )

    def test_a_file_without_main_says_how_its_kernels_run(self):
        message = self.refused(status=3)
        self.assertIn("no function main", message)
        self.assertIn("--kernel scale", message)

    def test_options_of_launches_need_a_kernel(self):
        for option in (("--grid", "4"), ("-n", "8"), ("--arg", "in:8")):
            self.assertIn("--kernel", self.refused(*option, file=TWO_LAUNCHES))

    def test_options_with_one_value_take_one(self):
        # once `-I FOLDER FILE.cu` took the file as a second folder
        self.call("run", "-I", self.path, "-D", "X=1", TWO_LAUNCHES, "no-race")


class Traces(KernelTest):
    def test_values_have_their_types_and_arrays_their_names(self):
        page = self.trace(
            *("--kernel", "types", "--block", "32", "--shared", "256"),
            *("--arg", "nodes:32:ramp", "--arg", "sums:32", "--arg", "bytes:32"),
        )
        names = {b["name"]: b["space"] for b in page["buffers"]}
        self.assertEqual(names["part"], "shared")
        self.assertEqual(names["factor"], "global")
        (part,) = steps_of(page, "store", "part")
        self.assertEqual(values(part)[:4], ["0", "2", "3", "6"])
        self.assertEqual(values(steps_of(page, "load", "factor")[0])[:2], ["1.5", "2"])
        (shuffle,) = steps_of(page, "shuffle")
        self.assertEqual(values(shuffle)[:2], ["1", "0"])
        (sums,) = steps_of(page, "store", "sums")
        self.assertEqual(values(sums)[:2], ["1", "2"])
        (stored,) = steps_of(page, "store", "bytes")
        self.assertEqual(values(stored)[:2], ["200", "201"])
        self.assertFalse(any("unknown" in fact for fact in page["facts"]), page["facts"])
        self.assertEqual(part["line"], line_in(KERNELS, "part[t] = "))
        self.assertIn("__shfl_xor_sync", page["files"][part["file"]]["code"])

    def test_the_first_launch_with_a_finding_is_traced(self):
        page = self.trace(file=TWO_LAUNCHES, status=1)
        self.assertEqual(page["stem"], "shift")
        line = line_in(TWO_LAUNCHES, "shift<<<")
        self.assertIn(f"Launch 2 of the program, at two_launches.cu:{line}", page["sentence"])
        self.assertIn("race", self.messages + page["verdict"] + "race")
        self.assertEqual(self.trace("--launch", "1", file=TWO_LAUNCHES, status=1)["stem"], "fill")
        page = self.trace("no-race", file=TWO_LAUNCHES)
        self.assertEqual((page["stem"], page["ok"]), ("fill", True))
        (stored,) = steps_of(page, "store", "data")
        self.assertEqual(values(stored), [str(10 + i) for i in range(8)])
        done = self.call(
            *("trace", TWO_LAUNCHES, "--launch", "3", "-o", "-"),
            status=2,
        )
        self.assertIn("2 launches", done.stderr)

    def test_both_accesses_of_a_race_are_marked_and_the_page_begins_there(self):
        page = self.trace(
            *("--kernel", "racing_scan", "--block", "64", "--arg", "in:64:ones", "--arg", "out:64"),
            status=1,
        )
        self.assertIn("__syncthreads", page["findings"][0])
        marked = [(r, s) for r, row in enumerate(page["rows"]) for s in row if s.get("found")]
        kinds = {s["kind"] for _, s in marked}
        self.assertIn("store", kinds)
        self.assertIn("load", kinds)
        self.assertEqual(page["first"], min(r for r, _ in marked))
        self.assertFalse(page["ok"])

    def test_a_failing_kernel_is_traced_up_to_its_end(self):
        page = self.trace("--kernel", "beyond", "--block", "32", "--arg", "out:32", status=1)
        self.assertIn("element 67 of buffer 'out'", page["findings"][0])
        (stored,) = steps_of(page, "store", "out")
        self.assertEqual(values(stored), ["1.25"] * 32)

    def test_a_picture_has_the_sentence_and_the_marks(self):
        path = os.path.join(self.path, "race.svg")
        self.call(
            *("trace", KERNELS, "--kernel", "racing_scan", "--block", "8", "--arg", "in:8:ones"),
            *("--arg", "out:8", "-o", path),
            status=1,
        )
        with open(path) as file:
            text = file.read()
        self.assertIn("nothing orders the two accesses", text)
        self.assertGreaterEqual(text.count('stroke="#d4002a"'), 2)

    def test_a_launch_that_is_too_large_is_refused(self):
        done = self.call(
            *("trace", KERNELS, "--kernel", "scale", "-n", "5000", "--arg", "in:n:ramp"),
            *("--arg", "out:n", "--arg", "n=n", "--arg", "by=1", "-o", "-"),
            status=2,
        )
        self.assertIn("5024 threads", done.stderr)


class Verifies(KernelTest):
    def test_a_right_kernel_is_right_for_all_sizes_and_schedules(self):
        text = self.call(
            *("verify", KERNELS, "--quick", "--kernel", "scan<float,64>", "--block", "64"),
            *("--arg", "in:n:ones", "--arg", "out:n", "--arg", "n=n", "--sizes", "1,64,65"),
        ).stdout
        self.assertRegex(text, r"kernels.cu +15 runs  right\n")

    def test_a_failure_comes_with_the_command_that_repeats_it(self):
        text = self.call(
            *("verify", KERNELS, "--kernel", "racing_scan", "--block", "64"),
            *("--arg", "in:64:ones", "--arg", "out:64"),
            status=1,
        ).stdout
        self.assertIn("WRONG: thread", text)
        again = text.split("repeat with: ")[1].strip()
        done = subprocess.run(
            again.replace("upsweep", TOOL, 1), shell=True, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1, again)
        self.assertIn("nothing orders", done.stdout)

    def test_a_result_that_depends_on_the_schedule_is_a_failure(self):
        text = self.call(
            *("verify", KERNELS, "--kernel", "order_matters", "--grid", "4", "--block", "32"),
            *("--arg", "out:1:zeros"),
            status=1,
        ).stdout
        self.assertRegex(text, "element 0 of 'out' is [0-2], and in order 3")
        self.assertRegex(text, "--schedule (adversarial|random|round-robin)")

    def test_a_program_is_verified_by_what_it_prints(self):
        text = self.call("verify", TWO_LAUNCHES, "--quick", "--args", "no-race").stdout
        self.assertRegex(text, "5 runs  right")
        done = self.call("verify", TWO_LAUNCHES, "--sizes", "1,2", status=2)
        self.assertIn("no --arg uses it", done.stderr)


class Compares(KernelTest):
    def test_kernels_of_files_stand_beside_each_other(self):
        done = self.call(
            *("compare", "--json", TWO_LAUNCHES + ":fill", TWO_LAUNCHES, "--args", "no-race"),
        )
        fill, program = json.loads(done.stdout)
        self.assertEqual((fill["launches"], fill["total"]["global_stores"]), (1, 8))
        self.assertEqual(fill["total"], program["total"])
        done = self.call("compare", TWO_LAUNCHES, TWO_LAUNCHES + ":fil", status=2)
        self.assertIn("only fill, shift", done.stderr)

    def test_kernels_with_arguments_are_compared(self):
        done = self.call(
            *("compare", "--json", KERNELS + ":scan<int,64>", KERNELS + ":scan<int,128>"),
            *("--block", "128", "-n", "128", "--grid", "1"),
            *("--arg", "in:n:ramp", "--arg", "out:n", "--arg", "n=n"),
            status=1,
        )
        small, large = json.loads(done.stdout)
        self.assertTrue(large["clean"])
        self.assertFalse(small["clean"])  # 128 threads, an array of 64
        # 7 rounds of two barriers
        self.assertEqual(large["total"]["barriers"], 14)


class Launches(KernelTest):
    def test_a_launch_and_its_findings_name_the_line_of_the_launch(self):
        done = self.call("run", "--json", TWO_LAUNCHES, status=1)
        run = json.loads(done.stdout)
        lines = [x["at"]["line"] for x in run["launches"]]
        wanted = [line_in(TWO_LAUNCHES, text) for text in ("fill<<<", "shift<<<")]
        self.assertEqual(lines, wanted)
        self.assertEqual(run["findings"][0]["launch"], 1)
        text = self.call("run", TWO_LAUNCHES, status=1).stdout
        self.assertIn(f"two_launches.cu:{wanted[0]}", text)
        self.assertIn(f"in launch 2, of 'shift' at two_launches.cu:{wanted[1]}", text)


if __name__ == "__main__":
    if not supported():
        print("this tool cannot run CUDA files")
        raise SystemExit(77)
    unittest.main()
