"""One exercise, named by the argument: the given kernel fails with the mistake that it teaches,
and the solution gets all points.
"""

import re
import sys
import unittest

from grading_support import EXERCISES, ROOT, GradeTest

# Part of the title of the first failed check, the possible kinds of failure, part of the
# explanation, and parts of the titles of checks that the given kernel passes.
EXPECTED = {
    "01-in-place-race": ("sum of i32, sizes", {"race in a block"}, "kernel.hpp", []),
    "02-missing-barrier": (
        "sum of i32, sizes",
        {"race in a block", "uninitialised read"},
        "kernel.hpp",
        [],
    ),
    "03-barrier-in-branch": (
        "sum of i32, sizes",
        {"divergent barrier", "thread gone before a barrier"},
        "barrier",
        [],
    ),
    "04-warp-lockstep": (
        "sum of i32, sizes",
        {"race in a block"},
        "a __syncwarp() if only lanes of one warp",
        [],
    ),
    "05-shuffle-mask": ("sum of i32, sizes", {"missing lane"}, "shuffle", []),
    "06-missing-fence": ("sum of i32, sizes", {"missing fence"}, "carries", []),
    "07-static-block-id": (
        "other schedules",
        {"no progress", "deadlock"},
        "have not started",
        ["sizes", "2N"],
    ),
    "08-last-partial-block": (
        "sum of i32, sizes",
        {"wrong result"},
        "the result should be",
        ["read once"],
    ),
    "09-negative-index": ("sum of i32, sizes", {"out of bounds"}, "element -1", []),
    "10-non-associative": ("recurrence is associative", {"not a monoid"}, "not associative", []),
    "11-wrong-identity": (
        "max of i32, sizes",
        {"wrong result"},
        "but is 0",
        ["sum of i32", "ten steps"],
    ),
    "12-tree-order": (
        "composition of affine maps, sizes",
        {"wrong result"},
        "should be",
        ["sum of i32", "applications", "steps"],
    ),
    "13-bank-conflicts": (
        "no bank conflict",
        {"budget"},
        "1240",
        ["sum of i32", "schedules", "applications"],
    ),
    "14-traffic": ("3N", {"budget"}, "global bytes", ["sum of i32", "composition", "schedules"]),
}


class Exercise(GradeTest):
    name = ""

    def test_given_kernel_fails_with_the_expected_explanation(self):
        title, kinds, words, right = EXPECTED[self.name]
        grade = self.grade(str(EXERCISES / self.name), status=1)
        self.assertEqual((grade["name"], grade["state"]), (self.name, "failed"))
        self.assertLess(grade["points"], grade["of"])
        first = self.failed(grade)[0]
        self.assertIn(title, first["title"])
        self.assertIn(first["kind"], kinds, first)
        self.assertIn(words, first["explanation"])
        self.assertTrue(first["advice"] or first["kind"] in ("budget", "wrong result"), first)
        for part in right:
            passed = [c["passed"] for c in grade["checks"] if part in c["title"]]
            self.assertTrue(passed and all(passed), f"{part}: {grade['checks']}")

    def test_solution_gets_all_points(self):
        grade = self.grade(self.copy(self.name), status=0)
        self.assertEqual(
            (grade["state"], grade["points"], self.failed(grade)), ("passed", grade["of"], [])
        )

    def test_page_has_the_task_observations_and_a_collapsed_hint(self):
        page = (EXERCISES / self.name / "README.md").read_text()
        self.assertRegex(page, rf"\A# {self.name[:2]} · ")
        self.assertIn(f"upsweep grade exercises/{self.name}\n", page)
        self.assertIn("\n## Observe\n", page)
        self.assertLess(page.index("<details>"), page.index("<summary>Hint</summary>"))
        for stem in re.findall(r"upsweep (?:explain|run|trace) (\w+)", page):
            self.assertTrue(list((ROOT / "upsweep" / "textbook").rglob(f"{stem}.hpp")), stem)


if __name__ == "__main__":
    Exercise.name = sys.argv.pop(1)
    unittest.main()
