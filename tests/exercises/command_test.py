"""`upsweep grade` on the command line: folders, files, names, reports for class graders, exit
statuses, rejected input.
"""

import json
import os
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as tree

from grading_support import EXERCISES, ROOT, GradeTest
from solutions import given, solution
from support import TOOL

BARRIER = "    __syncthreads();  // every thread has read\n"


# An exercise of a teacher's.
TWICE_RULES = {
    "name": "double",
    "title": "Twice each element",
    "cases": ["integers"],
    "sizes": [10, 100],
    "tile": 32,
    "budgets": [
        {
            "title": "one launch",
            "counter": "launches",
            "n": 100,
            "at_most": 1,
            "points": 7,
        }
    ],
}
TWICE_CHECK = """#include <upsweep_check.h>

#include "kernel.cu"

void check_run(check::run& run) {
  auto const x = run.numbers<int>(run.n, 0, 9);
  std::vector<int> wanted;
  for (int const value : x) wanted.push_back(2 * value);
  check::device const values("values", x);
  twice<<<check::blocks_for(run.n, 32), 32>>>(values.data(), static_cast<int>(run.n));
  run.expect("values", values, wanted, "Is every element doubled?");
}
"""
TWICE = """__global__ void twice(int* values, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}
"""
# Solves the exercise of docs/exercises.md, which needs a shuffle.
SHUFFLED = """__global__ void twice(int const* in, int* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  value = __shfl_sync(~0u, value, threadIdx.x);
  if (i < n) out[i] = 2 * value;
}
"""


class Grade(GradeTest):
    def test_json_and_junit_hold_every_check_of_every_exercise(self):
        self.copy("02-missing-barrier", "class/ada")
        self.copy("01-in-place-race", "class/ben", self.changed("01-in-place-race", BARRIER, ""))
        self.copy("09-negative-index", "class/eve", "\n__global__ void shifted_scan( {\n")
        text = self.text(
            "grade", "--all", "class", "--json", "grades.json", "--junit", "grades.xml", status=3
        )
        grades = json.loads(self.content("grades.json"))
        self.assertEqual(
            [e["state"] for e in grades["exercises"]], ["passed", "failed", "does not compile"]
        )
        self.assertEqual(
            [e["file"] for e in grades["exercises"]],
            ["class/ada/kernel.cu", "class/ben/kernel.cu", "class/eve/kernel.cu"],
        )
        self.assertEqual(grades["points"], sum(e["points"] for e in grades["exercises"]))
        self.assertEqual(
            grades["of"], sum(c["of"] for e in grades["exercises"] for c in e["checks"])
        )
        self.assertFalse(grades["passed"])
        self.assertIn(f"3 exercises: {grades['points']} of {grades['of']} points\n", text)
        race = self.failed(grades["exercises"][1])[0]
        self.assertEqual(race["kind"], "race in a block")
        self.assertEqual({place["file"] for place in race["at"]}, {"kernel.cu"})
        self.assertIn("kernel.cu:2:", grades["exercises"][2]["compiler"])

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
        self.assertIn(
            "nothing orders the two accesses", suites[1].find("testcase/failure").get("message")
        )
        self.assertIn("kernel.cu:2:", suites[2].find("testcase/error").text)

    def test_a_class_is_graded_whatever_one_student_does(self):
        self.copy("10-non-associative", "class/ada")
        self.copy("10-non-associative", "class/ben", given("10-non-associative"))
        self.copy("08-last-partial-block", "class/dan/first")
        endless = solution("08-last-partial-block").replace(
            "  T result =", "  for (;;) {\n  }\n  T result ="
        )
        self.copy("08-last-partial-block", "class/eve/again", endless)
        self.copy(
            "08-last-partial-block", "class/fay", '__global__ void f() {\n  <script> & "\n}\n'
        )
        os.mkdir(os.path.join(self.path, "class", "notes"))
        text = self.text(
            *["grade", "--class", "class", "--seed", "5", "--limit", "3", "-j", "2"],
            *["--json", "c.json", "--csv", "c.csv", "--html", "c.html"],
            status=1,
        )
        self.assertRegex(text, r"(?m)^student +08-last-partial-block +10-non-associative +points$")
        self.assertRegex(text, r"(?m)^ada +- +8/8 +8/8$")
        self.assertRegex(text, r"(?m)^dan +13/13 +- +13/13$")
        self.assertRegex(text, r"(?m)^fay +does not compile ")
        self.assertIn("--seed 5 repeats", text)
        self.assertNotIn("notes", text)
        graded = json.loads(self.content("c.json"))
        self.assertEqual(graded["seed"], 5)
        kinds = {
            s["name"]: [c.get("kind") for c in s["exercises"][0]["checks"] if not c["passed"]][:1]
            for s in graded["students"]
        }
        self.assertEqual(
            kinds,
            {
                "ada": [],
                "ben": ["wrong result"],
                "dan": [],
                "eve": ["time limit"],
                "fay": ["does not compile"],
            },
        )
        lines = self.content("c.csv").decode().splitlines()
        self.assertEqual(len(lines), 6)
        self.assertTrue(lines[1].startswith("ada,10-non-associative,passed,8,8,"))
        page = self.content("c.html").decode()
        self.assertIn("&lt;script&gt; &amp; &quot;", page)
        self.assertNotIn("<script>", page)
        for name in kinds:
            self.assertIn(f">{name}</a>", page)

    def test_a_class_may_hand_in_a_file_each(self):
        for name, text in [
            ("ada.cu", solution("10-non-associative")),
            ("ben.cu", given("10-non-associative")),
        ]:
            os.makedirs(os.path.join(self.path, "class"), exist_ok=True)
            self.file(f"class/{name}", text)
        self.fails(2, "grade", "--class", "class", says=["class/", "--exercise"])
        text = self.text("grade", "--class", "class", "--exercise", "10", status=1)
        self.assertRegex(text, r"(?m)^ada +8/8 +8/8$")
        self.assertRegex(text, r"(?m)^ben +0/8 +0/8$")
        one = self.text("grade", "class/ada.cu", "--exercise", "10-non-associative")
        self.assertIn("8 of 8 points", one)

    def test_files_are_not_replaced_unless_asked(self):
        folder = self.copy("10-non-associative")
        self.file("grades.json", "precious")
        self.fails(4, "grade", folder, "--json", "grades.json", says="grades.json")
        self.assertEqual(self.content("grades.json"), b"precious")
        self.text("grade", folder, "--json", "grades.json", "--force")
        self.assertTrue(json.loads(self.content("grades.json"))["passed"])

    def test_ctrl_c_leaves_no_file_or_process(self):
        endless = solution("08-last-partial-block").replace(
            "  T result =", "  for (;;) {\n  }\n  T result ="
        )
        self.copy("08-last-partial-block", "class/endless", endless)
        running = []
        for number, how in enumerate((["class/endless"], ["--class", "class"])):
            temporary = os.path.join(self.path, f"temporary{number}")
            os.mkdir(temporary)
            words = [TOOL, "grade", *how, "--json", f"{number}.json", "--limit", "600"]
            environment = {**os.environ, "TMPDIR": temporary}
            tool = subprocess.Popen(
                words,
                cwd=self.path,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            running.append((tool, temporary))
        time.sleep(2)
        for tool, temporary in running:
            tool.send_signal(signal.SIGINT)
            self.assertEqual((tool.wait(timeout=20), tool.stderr.read()), (-signal.SIGINT, b""))
            tool.stderr.close()
            self.assertEqual(os.listdir(temporary), [])

    def test_text_shows_points_and_the_line_that_is_wrong(self):
        folder = self.copy(
            "01-in-place-race", "mine", self.changed("01-in-place-race", BARRIER, "")
        )
        text = self.text("grade", folder, status=1)
        self.assertTrue(text.startswith("01-in-place-race: "))
        self.assertRegex(text, r"\n   0/1  WRONG sum, sizes of the task\n")
        self.assertRegex(text, r"\n  \d+ of 16 points\n")
        self.assertRegex(
            text, r"\n  n = \d+, sum, in order: race in a block: thread \d+ of block 0 "
        )
        self.assertRegex(text, r"\n    kernel.cu:\d+  if \(t >= stride\) ")
        self.assertIn("__syncthreads() would", text)

    def test_exercises_are_found_by_number_and_name(self):
        self.copy("10-non-associative", "exercises/10-non-associative")
        for word in ("10", "10-non-associative", "exercises/10-non-associative/kernel.cu"):
            self.assertIn("8 of 8 points", self.text("grade", word))
        self.assertIn("8 of 8 points", self.text("grade", "--all"))

    def test_rules_come_from_the_tool_and_not_from_the_folder(self):
        folder = self.copy("13-bank-conflicts", "copy", given("13-bank-conflicts"))
        rules = json.loads(self.content("copy/exercise.json"))
        rules["budgets"] = []
        self.file("copy/exercise.json", json.dumps(rules))
        self.file("copy/check.cu", "nothing")
        self.assertEqual(self.failed(self.grade(folder, status=1))[0]["kind"], "budget")

    def test_rules_of_a_teacher_are_applied_and_validated(self):
        os.mkdir(os.path.join(self.path, "own"))
        self.file("own/exercise.json", json.dumps(TWICE_RULES))
        self.file("own/kernel.cu", TWICE)
        self.fails(3, "grade", "own", says=["own", "check.cu"])
        self.file("own/check.cu", TWICE_CHECK)
        grade = self.grade("own", status=0)
        self.assertEqual(
            (grade["name"], grade["checks"][-1]["title"], grade["checks"][-1]["of"]),
            ("double", "one launch", 7),
        )
        self.file("ada.cu", TWICE.replace("if (i < n) ", ""))
        wrong = self.failed(self.grade("ada.cu", "--exercise", "own", status=1))[0]
        self.assertEqual((wrong["kind"], wrong["at"][0]["file"]), ("out of bounds", "ada.cu"))
        self.file("ada.cu", TWICE.replace("if (i < n)", "if (i + 1 < n)"))
        wrong = self.failed(self.grade("ada.cu", "--exercise", "own", status=1))[0]
        self.assertEqual(wrong["advice"], "Is every element doubled?")
        for key, value, says in [
            ("sizes", [], "sizes"),
            ("cases", [], "cases"),
            ("tile", 0, "tile"),
            ("sizse", [1], "did you mean 'sizes'?"),
            ("budgets", [{"counter": "barrier", "title": "", "n": 1}], "did you mean 'barriers'?"),
            ("sizes", "x", "exercise.json"),
        ]:
            self.file("own/exercise.json", json.dumps({**TWICE_RULES, key: value}))
            self.fails(3, "grade", "own", says=[says, "own/exercise.json"])
        self.file("own/exercise.json", "{")
        self.fails(3, "grade", "own", says="own/exercise.json")

    def test_the_exercise_on_the_page_is_graded(self):
        os.mkdir(os.path.join(self.path, "own"))
        page = (ROOT / "docs" / "exercises.md").read_text()
        for language, file in (("cpp", "check.cu"), ("json", "exercise.json")):
            (block,) = re.findall(rf"```{language}\n(.*?)```", page, re.S)
            self.file(f"own/{file}", block)
        self.file("own/kernel.cu", SHUFFLED)
        self.file("ada.cu", SHUFFLED)
        self.grade("ada.cu", "--exercise", "own", status=0)
        self.file("ada.cu", SHUFFLED.replace("2 * value", "3 * value"))
        wrong = self.failed(self.grade("ada.cu", "--exercise", "own", status=1))[0]
        self.assertEqual(wrong["advice"], "Is every element doubled?")
        self.file("ada.cu", SHUFFLED.replace("__shfl_sync(~0u, value, threadIdx.x)", "value"))
        self.grade("ada.cu", "--exercise", "own", status=1)

    def test_list_shows_all_exercises(self):
        listed = json.loads(self.text("list", "exercises", "--json"))
        self.assertEqual(
            [e["name"] for e in listed],
            sorted(f.parent.name for f in EXERCISES.glob("*/kernel.cu")),
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
            (["empty"], "no kernel.cu"),
            (["--all", "empty"], "kernel.cu"),
            (["--all"], "'exercises'"),
            (["--class", "empty"], "no submission in 'empty'"),
            (["--class", "empty", "2"], "--class can be combined only with"),
            (["2", "--csv", "x.csv"], "--class"),
            (["--class", "empty", "--exercise", "02-missing-barier"], "did you mean"),
            (["2", "--limit", "0"], "--limit"),
            (["2", "--sed", "1"], "did you mean '--seed'?"),
        ]:
            self.fails(2, "grade", *args, says=says)
        self.file("empty/kernel.cu", "")
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

    def test_no_file_remains(self):
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
        folder = self.copy("10-non-associative", "an odd & <strange> folder")
        self.text("grade", folder, "--junit", "out.xml")
        self.assertEqual(tree.fromstring(self.content("out.xml")).get("failures"), "0")

    def test_the_same_seed_gives_the_same_grades_and_the_default_is_fresh(self):
        folder = self.copy("10-non-associative", "mine", given("10-non-associative"))
        grades = [
            self.grade(folder, "--seed", seed, status=1)["checks"] for seed in ("5", "5", "6")
        ]
        self.assertEqual(grades[0], grades[1])
        self.assertNotEqual(grades[0], grades[2])
        seeds = {
            json.loads(self.text("grade", folder, "--json", "-", status=1))["seed"]
            for _ in range(2)
        }
        self.assertGreater(len(seeds), 1)


if __name__ == "__main__":
    unittest.main()
