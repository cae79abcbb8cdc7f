"""tests/exercises/alternatives: other solutions of the exercises about patterns, which keep all
points, and pointless ones, which lose some.
"""

import json
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from grading_support import GradeTest
from solutions import alternatives
from support import TOOL

KINDS = {"budget", "too little work", "not allowed"}


class Alternatives(GradeTest):
    def outcome(self, number, name, text):
        folder = self.copy(name, f"alternative{number}", text)
        done = subprocess.run(
            [TOOL, "grade", folder, "--seed", "1", "--json", "-"],
            capture_output=True,
            cwd=self.path,
            timeout=300,
        )
        return json.loads(done.stdout)["exercises"][0]

    def test_right_ones_keep_all_points_and_pointless_ones_do_not(self):
        only = {e for e in sys.argv[1:]}
        chosen = [a for a in alternatives() if not only or a[0] in only]
        with ThreadPoolExecutor(2) as pool:
            grades = pool.map(
                lambda i: self.outcome(i, chosen[i][0], chosen[i][3]), range(len(chosen))
            )
            for (name, kind, what, _), grade in zip(chosen, grades):
                with self.subTest(name, kind=kind, what=what):
                    wrong = self.failed(grade)
                    if kind == "RIGHT":
                        self.assertEqual(grade["points"], grade["of"], wrong)
                    else:
                        self.assertIn(grade["state"], {"failed", "not allowed"})
                        self.assertLessEqual({c["kind"] for c in wrong}, KINDS, wrong)

    def test_each_exercise_has_three_right_and_five_pointless_ones(self):
        counts = {}
        for name, kind, _, _ in alternatives():
            counts.setdefault(name, []).append(kind)
        self.assertEqual(len(counts), 10)
        for name, kinds in counts.items():
            self.assertGreaterEqual(kinds.count("RIGHT"), 3, name)
            self.assertGreaterEqual(kinds.count("POINTLESS"), 5, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
