"""tools/branch_coverage.py adds up llvm-cov's counts as they can be counted by hand."""

import collections
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import branch_coverage as coverage  # noqa: E402

LIST = """# Files.
[clang]
default:skip
source:*/core/*=allow
source:*/core/fast/*=skip
source:*/api.hpp=allow
"""
# One outcome of `n > 0`; of the template, what differs between two instances.
SOURCE = """int sign(int n) {
  return n > 0 ? 1 : 0;
}
template <class T>
int wide(T, bool b) {
  if constexpr (sizeof(T) == 8) {
    if (b) {
      return 1;
    }
  }
  return sizeof(T) > 2 && b ? 2 : 3;
}
int unused(int n) {

  return n > 1 ? 1 : 0;
}
int main() {
  return sign(1) + wide(1.0, true) + wide(1, true) + wide(1, false) - 7;
}
"""


def counted(file, folder):
    """(branches, lines) of SOURCE, compiled as `file` and run in `folder`."""
    path = Path(folder) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SOURCE)
    for command in [
        "clang++-19 -std=c++20 -fprofile-instr-generate -fcoverage-mapping %s -o a.out" % path,
        "./a.out",
        "llvm-profdata-19 merge -o a.prof default.profraw",
    ]:
        subprocess.run(command.split(), cwd=folder, check=True)
    exported = subprocess.run(
        "llvm-cov-19 export -instr-profile=a.prof a.out".split(),
        cwd=folder,
        check=True,
        capture_output=True,
    )
    branches, lines = collections.defaultdict(dict), collections.defaultdict(collections.Counter)
    for _ in range(2):  # two programs
        coverage.counts_of(
            coverage.json.loads(exported.stdout),
            folder,
            coverage.rooms_of(LIST),
            branches,
            lines,
        )
    return branches, lines


class the_counts(unittest.TestCase):
    @unittest.skipUnless(
        shutil.which("clang++-19") and shutil.which("llvm-cov-19"),
        "clang-19 and llvm-19 are not installed",
    )
    def test_are_those_of_each_outcome_of_a_condition_in_any_instance(self):
        with tempfile.TemporaryDirectory() as folder:
            branches, lines = counted("core/a.cpp", folder)
            of = branches["core/a.cpp"]
            self.assertEqual([2, 0], of[2, 10, 2, 15])
            self.assertEqual([2, 0], of[7, 9, 7, 10])
            self.assertEqual([2, 2], of[11, 27, 11, 28])  # b; sizeof(T) > 2 is a constant
            self.assertEqual([0, 0], of[15, 10, 15, 15])
            self.assertEqual(4, len(of))
            of = lines["core/a.cpp"]
            self.assertEqual([2, 2, 2], [of[line] for line in (1, 2, 3)])
            self.assertEqual([6, 2, 0], [of[line] for line in (5, 8, 15)])
            rows = list(coverage.not_taken(Path(folder), branches))
            self.assertEqual(
                [(2, "false", "n > 0"), (7, "false", "b")]
                + [(15, "true", "n > 1"), (15, "false", "n > 1")],
                [(row["line"], row["outcome"], row["condition"]) for row in rows],
            )

    def test_of_lines_are_those_of_the_code_in_them(self):
        # A function from 1:1 to 5:2 run 3 times, with a branch 3:5 to 3:9 never run; then no code.
        segments = [
            [1, 1, 3, True, True, False],
            [3, 5, 0, True, True, False],
            [3, 9, 3, True, False, False],
            [5, 2, 0, False, False, False],
            [7, 1, 0, True, True, False],
            [8, 2, 0, False, False, False],
        ]
        self.assertEqual(
            [(1, 3), (2, 3), (3, 3), (4, 3), (5, 3), (7, 0), (8, 0)],
            list(coverage.lines_of(segments)),
        )


class the_rooms(unittest.TestCase):
    def test_are_the_patterns_of_the_list_and_the_last_one_decides(self):
        rooms = coverage.rooms_of(LIST)
        self.assertEqual("core", coverage.room_of("core/a.cpp", rooms))
        self.assertEqual("api.hpp", coverage.room_of("api.hpp", rooms))
        self.assertIsNone(coverage.room_of("core/fast/a.cpp", rooms))
        self.assertIsNone(coverage.room_of("other/a.cpp", rooms))


class an_excuse(unittest.TestCase):
    rows = [
        {"file": "a", "line": 1, "outcome": "true", "text": "if (x) {"},
        {"file": "a", "line": 1, "outcome": "false", "text": "if (x) {"},
        {"file": "b", "line": 4, "outcome": "true", "text": "if (x) {"},
    ]

    def test_is_for_branches_of_its_file_line_and_outcome(self):
        excuses = [{"file": "a", "line": "(x)", "outcome": "true"}, {"file": "b", "line": "if"}]
        left, numbers, stale = coverage.excused(self.rows, excuses)
        self.assertEqual(self.rows[1:2], left)
        self.assertEqual({"a": 1, "b": 1}, dict(+numbers))
        self.assertEqual([], stale)

    def test_is_given_for_several_places(self):
        groups = [
            {"reason": "r", "outcome": "true", "at": ["a: (x)", "b: std::x: y"]},
            {"reason": "s", "at": ["c/d: z"], "varies": True},
        ]
        expected = [
            {"file": "a", "line": "(x)", "outcome": "true"},
            {"file": "b", "line": "std::x: y", "outcome": "true"},
            {"file": "c/d", "line": "z", "varies": True},
        ]
        self.assertEqual(expected, list(coverage.excuses_of(groups)))

    def test_is_stale_without_such_a_branch(self):
        excuses = [{"file": "a", "line": "(y)"}, {"file": "b", "line": "x", "outcome": "false"}]
        left, _, stale = coverage.excused(self.rows, excuses)
        self.assertEqual((self.rows, excuses), (left, stale))
        some = [excuses[0] | {"varies": True}, excuses[1]]
        self.assertEqual(excuses[1:], coverage.excused(self.rows, some)[2])

    def test_leaves_its_branches_out_of_the_percentage(self):
        branches = {"core/a": {(1, 1, 1, 2): [0, 0], (2, 1, 2, 2): [1, 0]}}
        lines = {"core/a": {1: 0, 2: 1}}
        numbers = collections.Counter({"core/a": 1})
        rows = coverage.table(
            {"core/*": True}, branches, lines, numbers, [{"file": "core/a"}, {"file": "core/a"}]
        )
        expected = {"branches": 4, "excused": 1, "taken": 1, "lines": 2, "run": 1}
        self.assertEqual({"core": expected}, rows)
        self.assertAlmostEqual(100 / 3, coverage.branch_percent(rows["core"]))
        with redirect_stdout(io.StringIO()) as page:
            coverage.print_table(rows)
        self.assertEqual("core 4 1 33.3 2 50.0".split(), page.getvalue().splitlines()[1].split())


if __name__ == "__main__":
    unittest.main()
