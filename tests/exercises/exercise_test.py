"""One exercise, named by the argument: the given kernel fails with the mistake that it teaches, a
plausible wrong solution fails too, and the solution gets all points.
"""

import os
import re
import sys
import unittest

from grading_support import EXERCISES, ROOT, GradeTest

# Part of the title of the first failed check, the possible kinds of failure, part of the
# explanation, and parts of the titles of checks that the given kernel passes.
GIVEN = {
    "01-in-place-race": ("sum, sizes", {"race in a block"}, "kernel.cu", []),
    "02-missing-barrier": (
        "sum, sizes",
        {"race in a block", "uninitialized read"},
        "kernel.cu",
        [],
    ),
    "03-barrier-in-branch": (
        "sum, sizes",
        {"divergent barrier", "thread gone before a barrier"},
        "barrier",
        [],
    ),
    "04-warp-lockstep": (
        "sum, sizes",
        {"race in a block"},
        "a __syncwarp() if only lanes of one warp",
        [],
    ),
    "05-shuffle-mask": ("sum, sizes", {"missing lane"}, "shuffle", []),
    "06-missing-fence": ("sum, sizes", {"missing fence"}, "carries", []),
    "07-static-block-id": (
        "other schedules",
        {"no progress", "deadlock"},
        "have not started",
        ["sizes", "2N"],
    ),
    "08-last-partial-block": (
        "sum, sizes",
        {"wrong result"},
        "the result should be",
        ["read once"],
    ),
    "09-negative-index": ("sum, sizes", {"out of bounds"}, "element -1", []),
    "10-non-associative": ("steps of the recurrence", {"wrong result"}, "not associative", []),
    "11-wrong-identity": ("maximum, sizes", {"wrong result"}, "but is 0", ["sum", "ten steps"]),
    "12-tree-order": (
        "composition of maps, sizes",
        {"wrong result"},
        "should be",
        ["sum", "applications", "steps"],
    ),
    "13-bank-conflicts": (
        "no bank conflict",
        {"budget"},
        "1240",
        ["sum", "schedules", "applications"],
    ),
    "14-traffic": ("3N", {"budget"}, "global bytes", ["sum", "composition", "schedules"]),
    "15-compact-ballots": ("one atomic a warp", {"budget"}, "atomics", ["sizes", "schedules"]),
    "16-private-histogram": ("sizes", {"uninitialized read"}, "'mine'", []),
    "17-transpose": ("no bank conflict", {"budget"}, "3968", ["sizes", "schedules", "sector"]),
    "18-convolution": ("sizes", {"wrong result"}, "out[125]", []),
    "19-matrix-product": ("tiles", {"budget"}, "221184", ["sizes", "schedules"]),
    "20-segmented-scan": ("sizes", {"wrong result"}, "elements are wrong", []),
    "21-radix-split": ("sizes", {"wrong result"}, "never been written", []),
    "22-run-lengths": ("sizes", {"out of bounds"}, "element -1", []),
    "23-any-block": ("any block, sizes", {"missing lane"}, "shuffle", ["whole warps", "read once"]),
    "24-async-pipeline": ("sizes", {"uninitialized read"}, "'stage'", []),
}

# What a student might try: a change of the solution, and the kind of the first failure.
WRONG = {
    "15-compact-ballots": (  # every lane reserves positions for all
        "if (lane == 0 && kept != 0) begin",
        "if (keep) begin",
        {"wrong result", "out of bounds"},
    ),
    "16-private-histogram": (
        "  __syncthreads();  // the block has counted its elements\n",
        "",
        {"race in a block"},
    ),
    "17-transpose": ("side + 1];", "side + 2];", {"budget"}),
    "18-convolution": ("i >= radius ? in[i - radius] : 0", "in[i - radius]", {"out of bounds"}),
    "19-matrix-product": (
        "    __syncthreads();  // nobody needs the tiles any more\n",
        "",
        {"race in a block"},
    ),
    "20-segmented-scan": ("      flag |= flags[t - stride];\n", "", {"wrong result"}),
    "21-radix-split": (  # the order of the zeros depends on the order of the lanes
        "zeros_before + __popc(zeros & lanes_before)",
        "zeros_before + __popc(zeros & ~lanes_before) - 1",
        {"wrong result"},
    ),
    "22-run-lengths": (
        "  __syncthreads();  // all runs have their starts\n",
        "",
        {"race in a block", "uninitialized read"},
    ),
    "23-any-block": ("(blockDim.x + 31) / 32;", "blockDim.x / 32;", {"wrong result"}),
    "24-async-pipeline": (
        "    __syncthreads();           // for every thread of the block\n",
        "",
        {"uninitialized read", "race in a block"},
    ),
}


class Exercise(GradeTest):
    name = ""

    def test_given_kernel_fails_with_the_expected_explanation(self):
        title, kinds, words, right = GIVEN[self.name]
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

    def test_solution_gets_all_points_with_fresh_input(self):
        grade = self.grade(self.copy(self.name), status=0)
        self.assertEqual(
            (grade["state"], grade["points"], self.failed(grade)), ("passed", grade["of"], [])
        )
        if os.environ["UPSWEEP_FULL_TESTS"] == "1":
            self.grade(self.copy(self.name), "--seed", "20240229", status=0)

    def test_plausible_wrong_solution_fails(self):
        if self.name not in WRONG:
            self.skipTest("the given kernel is the wrong solution")
        old, new, kinds = WRONG[self.name]
        self.assertIn(
            self.first_failure(self.name, self.changed(self.name, old, new))["kind"], kinds
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
