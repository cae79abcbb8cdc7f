"""`upsweep grade` on the command line: folders, names, files for class graders, exit statuses,
rejected input.
"""

import json
import os
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as tree

from grading_support import EXERCISES, GradeTest
from support import TOOL

BARRIER = "    __syncthreads();  // every thread has read\n"


class Grade(GradeTest):
    def test_json_and_junit_hold_every_check_of_every_exercise(self):
        self.copy("02-missing-barrier", "class/ada")
        self.copy("01-in-place-race", "class/ben", self.changed("01-in-place-race", BARRIER, ""))
        self.copy("09-negative-index", "class/eve", "#pragma once\nint main( {\n")
        text = self.text(
            "grade", "--all", "class", "--json", "grades.json", "--junit", "grades.xml", status=3
        )
        grades = json.loads(self.content("grades.json"))
        self.assertEqual(
            [e["state"] for e in grades["exercises"]], ["passed", "failed", "does not compile"]
        )
        self.assertEqual(
            [e["folder"] for e in grades["exercises"]], ["class/ada", "class/ben", "class/eve"]
        )
        self.assertEqual(grades["points"], sum(e["points"] for e in grades["exercises"]))
        self.assertEqual(
            grades["of"], sum(c["of"] for e in grades["exercises"] for c in e["checks"])
        )
        self.assertFalse(grades["passed"])
        self.assertIn(f"3 exercises: {grades['points']} of {grades['of']} points\n", text)
        race = self.failed(grades["exercises"][1])[0]
        self.assertEqual(race["kind"], "race in a block")
        self.assertEqual({place["file"] for place in race["at"]}, {"kernel.hpp"})
        self.assertIn("kernel.hpp:2:", grades["exercises"][2]["compiler"])

        suites = tree.fromstring(self.content("grades.xml"))
        self.assertEqual(
            [s.get("name") for s in suites],
            ["02-missing-barrier", "01-in-place-race", "09-negative-index"],
        )
        for suite, exercise in zip(suites, grades["exercises"]):
            cases = suite.findall("testcase")
            self.assertEqual(len(cases), int(suite.get("tests")))
            self.assertEqual(len(suite.findall("testcase/failure")), int(suite.get("failures")))
            self.assertEqual(len(suite.findall("testcase/error")), int(suite.get("errors")))
            points = {
                p.get("name"): int(p.get("value")) for p in suite.findall("properties/property")
            }
            self.assertEqual((points["points"], points["of"]), (exercise["points"], exercise["of"]))
            if exercise["state"] != "does not compile":
                self.assertEqual(
                    [c.get("name") for c in cases],
                    ["compiles"] + [c["title"] for c in exercise["checks"]],
                )
        self.assertIn(
            "nothing orders the two accesses", suites[1].find("testcase/failure").get("message")
        )
        self.assertIn("kernel.hpp:2:", suites[2].find("testcase/error").text)

    def test_files_are_not_replaced_unless_asked(self):
        folder = self.copy("10-non-associative")
        self.file("grades.json", "precious")
        self.fails(4, "grade", folder, "--json", "grades.json", says="grades.json")
        self.assertEqual(self.content("grades.json"), b"precious")
        self.text("grade", folder, "--json", "grades.json", "--force")
        self.assertTrue(json.loads(self.content("grades.json"))["passed"])

    def test_ctrl_c_leaves_no_folder_file_or_process(self):
        head = (
            "static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, "
            "Op op) {\n"
        )
        self.copy(
            "01-in-place-race",
            "endless",
            self.changed("01-in-place-race", head, head + "    while (n < 4096) {\n    }\n"),
        )
        temporary = os.path.join(self.path, "temporary")
        os.mkdir(temporary)
        for wait_for in (
            "main.cpp",
            "jobs.txt",
        ):  # while the compiler runs, and while the program does
            tool = subprocess.Popen(
                [TOOL, "grade", "endless", "--json", "grades.json"],
                cwd=self.path,
                env={**os.environ, "TMPDIR": temporary},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for _ in range(1200):
                if any(wait_for in files for _, _, files in os.walk(temporary)):
                    break
                time.sleep(0.05)
            time.sleep(0.2)
            tool.send_signal(signal.SIGINT)
            self.assertEqual((tool.wait(timeout=10), tool.stderr.read()), (-signal.SIGINT, b""))
            tool.stderr.close()
            self.assertEqual(os.listdir(temporary), [])
            self.assertEqual(
                [name for name in os.listdir(self.path) if name.startswith("grades")], []
            )

    def test_text_shows_points_and_the_line_that_is_wrong(self):
        folder = self.copy(
            "01-in-place-race", "mine", self.changed("01-in-place-race", BARRIER, "")
        )
        text = self.text("grade", folder, status=1)
        self.assertTrue(text.startswith("01-in-place-race: "))
        self.assertRegex(text, r"\n   0/1  WRONG sum of i32, sizes of the task\n")
        self.assertRegex(text, r"\n  \d+ of 13 points\n")
        self.assertRegex(
            text, r"\n  n = \d+, sum of i32, in order: race in a block: thread \d+ of block 0 "
        )
        self.assertRegex(text, r"\n    kernel.hpp:\d+  if \(t >= stride\) ")
        self.assertIn("__syncthreads() would", text)

    def test_exercises_are_found_by_number_and_name(self):
        self.copy("10-non-associative", "exercises/10-non-associative")
        for word in ("10", "10-non-associative", "exercises/10-non-associative/kernel.hpp"):
            self.assertIn("8 of 8 points", self.text("grade", word))
        self.assertIn("8 of 8 points", self.text("grade", "--all"))

    def test_rules_come_from_the_tool_and_not_from_the_folder(self):
        folder = self.copy(
            "13-bank-conflicts",
            "copy",
            (EXERCISES / "13-bank-conflicts" / "kernel.hpp").read_text(),
        )
        rules = json.loads(self.content("copy/exercise.json"))
        rules["budgets"] = []
        self.file("copy/exercise.json", json.dumps(rules))
        self.assertEqual(self.failed(self.grade(folder, status=1))[0]["kind"], "budget")

    def test_rules_of_a_teacher_are_applied_and_validated(self):
        folder = self.copy("02-missing-barrier", "own")
        rules = json.loads(self.content("own/exercise.json"))
        rules.update(
            name="product",
            elements=[{"op": "product", "type": "i64"}, {"op": "min", "type": "f64"}],
            budgets=[
                {"title": "one launch", "counter": "launches", "n": 100, "at_most": 1, "points": 7}
            ],
        )
        self.file("own/exercise.json", json.dumps(rules))
        grade = self.grade(folder, status=0)
        self.assertEqual(
            (grade["name"], grade["checks"][-1]["title"], grade["checks"][-1]["of"]),
            ("product", "one launch", 7),
        )
        for key, value, says in [
            ("plan", "x; system(0)", "not a C++ identifier"),
            ("kind", "reduct", "did you mean 'reduce'?"),
            ("sizes", [], "sizes"),
            ("elements", [{"op": "summ", "type": "i32"}], "did you mean 'sum'?"),
            ("threads", 2000, "1024"),
            ("budgets", [{"counter": "barrier", "title": "", "n": 1}], "did you mean 'barriers'?"),
            ("sizes", "x", "exercise.json"),
        ]:
            self.file("own/exercise.json", json.dumps({**rules, key: value}))
            self.fails(3, "grade", folder, says=[says, "own/exercise.json"])
        self.file("own/exercise.json", "{")
        self.fails(3, "grade", folder, says="own/exercise.json")

    def test_list_shows_all_exercises(self):
        listed = json.loads(self.text("list", "exercises", "--json"))
        self.assertEqual(
            [e["name"] for e in listed],
            sorted(f.parent.name for f in EXERCISES.glob("*/kernel.hpp")),
        )
        self.assertEqual(len(self.text("list", "exercises").splitlines()), len(listed))

    def test_usage_errors_are_one_sentence(self):
        os.makedirs(os.path.join(self.path, "empty"))
        for args, says in [
            ([], "exercises/01-in-place-race"),
            (["02-missing-barier"], "did you mean '02-missing-barrier'?"),
            (["exercises/02-missing-barier"], "did you mean '02-missing-barrier'?"),
            (["2"], "exercises/02-missing-barrier"),
            (["99"], "there is no folder '99'"),
            (["empty"], "no kernel.hpp"),
            (["--all", "empty"], "kernel.hpp"),
            (["--all"], "'exercises'"),
            (["2", "--limit", "0"], "--limit"),
            (["2", "--sed", "1"], "did you mean '--seed'?"),
        ]:
            self.fails(2, "grade", *args, says=says)
        self.file("empty/kernel.hpp", "")
        self.fails(2, "grade", "empty", says="exercise.json")

    def test_a_missing_compiler_is_status_5(self):
        folder = self.copy("10-non-associative")
        self.fails(
            5, "grade", folder, "--compiler", "g++-of-another-age", says="g++-of-another-age"
        )
        done = subprocess.run(
            [TOOL, "grade", folder],
            capture_output=True,
            text=True,
            cwd=self.path,
            env={"PATH": self.path},
            timeout=60,
        )
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("install g++", done.stderr)

    def test_a_kept_program_can_be_run_again(self):
        folder = self.copy("10-non-associative")
        done = subprocess.run(
            [TOOL, "grade", folder, "--keep"],
            capture_output=True,
            text=True,
            cwd=self.path,
            env={**os.environ, "TMPDIR": self.path},
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kept = done.stderr.removeprefix("kept: ").strip()
        self.assertEqual(sorted(os.listdir(kept))[:3], ["compiler.log", "elements.hpp", "graded"])
        again = subprocess.run(
            [f"{kept}/graded", f"{kept}/jobs.txt", f"{kept}/again.bin"], timeout=60
        )
        self.assertEqual(again.returncode, 0)
        with open(f"{kept}/again.bin", "rb") as again, open(f"{kept}/results.bin", "rb") as before:
            self.assertEqual(again.read(), before.read())

    def test_without_keep_no_file_is_left_behind(self):
        folder = self.copy("10-non-associative")
        before = sorted(os.listdir(self.path))
        subprocess.run(
            [TOOL, "grade", folder],
            capture_output=True,
            cwd=self.path,
            env={**os.environ, "TMPDIR": self.path},
            timeout=300,
            check=True,
        )
        self.assertEqual(sorted(os.listdir(self.path)), before)

    def test_folder_names_may_contain_any_character(self):
        folder = self.copy("10-non-associative", 'an "odd" & <strange> folder')
        self.text("grade", folder, "--junit", "out.xml")
        self.assertEqual(tree.fromstring(self.content("out.xml")).get("failures"), "0")

    def test_the_same_seed_gives_the_same_grades(self):
        folder = self.copy(
            "11-wrong-identity",
            "mine",
            (EXERCISES / "11-wrong-identity" / "kernel.hpp").read_text(),
        )
        grades = [
            self.grade(folder, "--seed", seed, status=1)["checks"] for seed in ("5", "5", "6")
        ]
        self.assertEqual(grades[0], grades[1])
        self.assertNotEqual(grades[0], grades[2])


if __name__ == "__main__":
    unittest.main()
