"""Creates folders with kernels to grade, and reads the grades."""

import json
import os
import shutil

import solutions
from solutions import EXERCISES, solution
from support import ToolTest

ROOT = EXERCISES.parent


class GradeTest(ToolTest):
    def copy(self, name, folder=None, kernel=None):
        """The exercise in a folder of this test, with `kernel`, or the solution, as kernel.cu."""
        folder = folder or name
        os.makedirs(os.path.join(self.path, folder), exist_ok=True)
        shutil.copy(EXERCISES / name / "exercise.json", os.path.join(self.path, folder))
        self.file(f"{folder}/kernel.cu", kernel or solution(name))
        return folder

    def grades(self, *args, status):
        if "--seed" not in args:
            args += ("--seed", "1")
        return json.loads(self.text("grade", *args, "--json", "-", status=status))

    def grade(self, folder, *args, status):
        exercises = self.grades(folder, *args, status=status)["exercises"]
        self.assertEqual(len(exercises), 1)
        return exercises[0]

    def first_failure(self, name, kernel, *args):
        """Of the exercise `name` with that text."""
        grade = self.grade(self.copy(name, "mine", kernel), *args, status=1)
        return self.failed(grade)[0]

    @staticmethod
    def failed(grade):
        return [check for check in grade["checks"] if not check["passed"]]

    def changed(self, name, old, new):
        """The solution's text with one change."""
        return solutions.changed(solution(name), old, new)
