"""Exercises are graded in a browser as `upsweep grade` grades them: the same points, checks and
explanations, of solutions, of the given kernels, of solutions that miss the point, and of mistakes.

grades_test.py full grades all of them.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import pointless_test
import solutions
from grading_support import EXERCISES, GradeTest
from in_node import BUILD, FULL, Lab, main
from solutions import given, solution
from support import TOOL

SECONDS = 20  # for each process, also on a busy machine
QUICK = ("02-missing-barrier", "08-last-partial-block")
# A line of the solution of QUICK's first exercise, and what replaces it.
LAST = "  if (t == 0) out[blockIdx.x] = tile[0];"
MISTAKES = {
    "out of bounds": LAST.replace("blockIdx.x]", "blockIdx.x + 1]"),
    "does not compile": LAST.replace("tile[0]", "tiles[0]"),
    "not allowed": f"  exit(0);\n{LAST}",
    "no end": f"  while (tile[t] == tile[t]) {{}}\n{LAST}",
    "wrong result": LAST.replace("tile[0]", "tile[1]"),
}


def pointless():
    """The kernels of that test, instead of their grades."""
    found = []

    class Collected(pointless_test.Pointless):
        def runTest(self):
            pass

        def loses_points(self, name, what, kernel):
            found.append((name, what, kernel))

        keeps_points = loses_points

    one = Collected()
    for test in ("reductions", "scans", "chained_scans", "words_that_an_exercise_is_about"):
        getattr(one, f"test_{test}")()
    return found


def kernels():
    """(exercise, what, text)"""
    for name in solutions.names():
        yield name, "solution", solution(name)
        yield name, "given", given(name)
    for what, text in MISTAKES.items():
        yield QUICK[0], what, solutions.changed(solution(QUICK[0]), LAST, text)
    yield from pointless()


def verdict(grade):
    """What must be the same. The compilers' errors have their own words."""
    checks = [
        {name: c.get(name) for name in ("title", "points", "of", "passed", "kind", "run")}
        for c in grade["checks"]
    ]
    return {"state": grade["state"], "points": grade["points"], "checks": checks}


class Grades(GradeTest):
    def by_tool(self, name, text):
        words = [TOOL, "grade", self.copy(name, "mine", text), "--seed", "1", "--json", "-"]
        words += ["--limit", str(SECONDS)]
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.path, check=False)
        return json.loads(done.stdout)["exercises"][0]

    def test_a_browser_grades_as_the_tool_does(self):
        wrong = []
        count = 0
        with Lab("run_program.mjs", BUILD) as lab, tempfile.TemporaryDirectory() as folder:
            for name, what, text in kernels():
                if not FULL and name not in QUICK:
                    continue
                count += 1
                file = Path(folder) / "kernel.cu"
                file.write_text(text)
                got = lab.ask(file=file, exercise=EXERCISES / name, seed=1, seconds=SECONDS)
                self.assertIsNone(got.get("error"), f"{name}, {what}: {got.get('error')}")
                tool = self.by_tool(name, text)
                if verdict(tool) != verdict(got["grade"]["exercises"][0]):
                    wrong.append(f"{name}, {what}: {self.first_difference(tool, got)}")
        self.assertEqual(wrong, [], f"{len(wrong)} of {count} are different")
        self.assertGreaterEqual(count, 20)

    @staticmethod
    def first_difference(tool, got):
        [mine] = got["grade"]["exercises"]
        for a, b in zip(tool["checks"], mine["checks"]):
            if verdict({**tool, "checks": [a]}) != verdict({**tool, "checks": [b]}):
                return f"tool {a}, browser {b}"
        return f"tool {tool['state']} {tool['points']}, browser {mine['state']} {mine['points']}"


main()
