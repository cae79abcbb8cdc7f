"""tools/mutants.py finds what a toy's tests do not notice, and leaves the sources as they were."""

import io
import subprocess
import sys
import tempfile
import tomllib
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_rooms  # noqa: E402
import cpp_text  # noqa: E402
import mutants  # noqa: E402
import mutations  # noqa: E402

HEADER = """bool is_inside(int x, int low, int high);
int larger(int a, int b);
inline bool is_even(int x) { return x % 2 == 0; }
"""
SOURCE = """/// Whether x is in [low, high), and the larger of two.
#include "toy.hpp"

bool is_inside(int x, int low, int high) {
  return x >= low && x < high;
}
int larger(int a, int b) {
  return a < b ? b : a;  // a < b in a comment
}
"""
PRESETS = """{"version": 6, "configurePresets": [
  {"name": "cpu", "binaryDir": "${sourceDir}/build"}]}"""
BUILD = """cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_executable(toy_test toy.cpp toy_test.cpp)
"""
# Notices every change of larger() that changes its result, and of is_inside() all but at `high`.
TEST = """#include "toy.hpp"
int main() {
  bool const right = larger(2, 3) == 3 && larger(3, 2) == 3 && is_inside(2, 2, 4) &&
                     !is_inside(1, 2, 4) && !is_inside(5, 2, 4) && is_inside(3, 2, 4);
  return right ? 0 : 1;
}
"""


def changes(line, kind):
    code = cpp_text.blank(line)
    return [m.after.strip() for m in mutations.mutations("a.cpp", line, code) if m.kind == kind]


class the_faults(unittest.TestCase):
    def test_turn_comparisons_calls_constants_and_orders_around(self):
        self.assertEqual(["if (a <= b) f();"], changes("  if (a < b) f();", "comparison"))
        self.assertEqual(["if (!(a < b)) f();"], changes("  if (a < b) f();", "order"))
        self.assertEqual([";"], changes("  out.push_back(x);", "call"))
        self.assertEqual(["f(b, a);"], changes("  f(a, b);", "order"))
        self.assertEqual(["return 8;"], changes("  return 7;", "constant"))
        self.assertEqual(["return c ? b : a;"], changes("  return c ? a : b;", "order"))

    def test_leave_comments_literals_templates_and_declarations_alone(self):
        for line in (
            '  say("a < b");',
            "  // a < b",
            "  vector<int> x;",
            "#if VERSION < 12",
            "template <class T, int n = 3>",
            "static_assert(a < b);",
            "  x = std::max(a, b);",
        ):
            with self.subTest(line):
                code = cpp_text.blank(line)
                kinds = {m.kind for m in mutations.mutations("a.cpp", line, code)}
                self.assertLessEqual(kinds, {"call"})


class the_table_of_rooms(unittest.TestCase):
    def test_names_files_and_faults_that_exist(self):
        rooms = tomllib.loads((mutants.ROOT / "tools/mutants.toml").read_text())["rooms"]
        for name, room in rooms.items():
            with self.subTest(name):
                everything = mutants.faults_of(room | {"aside": []}, "*")
                self.assertGreater(len(everything), 100)
                for rule in room.get("aside", []):
                    self.assertTrue(rule["reason"])
                    self.assertTrue([m for m in everything if mutants.is_set_aside(m, rule)], rule)


class the_runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "toy"
        self.root.mkdir()
        files = {
            "toy.hpp": HEADER,
            "toy.cpp": SOURCE,
            "toy_test.cpp": TEST,
            "CMakeLists.txt": BUILD,
            "CMakePresets.json": PRESETS,
            ".gitignore": "/build*/\n",
        }
        for name, text in files.items():
            (self.root / name).write_text(text)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        for module in (check_rooms, mutants):
            self.addCleanup(setattr, module, "ROOT", module.ROOT)
            module.ROOT = self.root
        check_rooms.read.cache_clear()
        self.addCleanup(check_rooms.read.cache_clear)

    def judge(self, **room):
        room = {"files": ["toy.cpp"], "targets": [], "programs": ["toy_test"], "least": 90} | room
        options = mutants.parse(["--folder", f"{self.root}/build-mutants"], {"toy": room})
        with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()):
            row = mutants.judge_room("toy", room, options)
        return row, printed.getvalue()

    def test_names_what_the_tests_do_not_notice_and_counts_the_rest(self):
        row, printed = self.judge()
        after = sorted(s["after"].strip() for s in row["survivors"])
        # At x == high nothing is tested, and for a == b both branches are the same.
        self.assertEqual(
            ["return a <= b ? b : a;  // a < b in a comment", "return x >= low && x <= high;"],
            [a for a in after],
        )
        self.assertEqual(2, row["counts"]["survived"])
        self.assertIn("toy: ", printed)
        self.assertEqual(SOURCE, (self.root / "toy.cpp").read_text())
        self.assertEqual(SOURCE, (self.root / "build-mutants/0/toy.cpp").read_text())

    def test_sets_aside_what_no_test_can_notice(self):
        rule = {"file": "toy.cpp", "line": "a < b", "after": "a <= b", "reason": "equal values"}
        row, _ = self.judge(aside=[rule])
        self.assertEqual(1, row["counts"]["survived"])

    def test_leaves_out_what_is_the_same_code_and_headers_of_many_objects(self):
        wide = "bool is_wide() { return sizeof(long) > 2; }\n"
        (self.root / "toy.cpp").write_text('#include "toy.hpp"\n' + wide)
        (self.root / "toy_test.cpp").write_text(
            '#include "toy.hpp"\nint main() { return is_even(2) && !is_even(3) ? 0 : 1; }\n'
        )
        row, _ = self.judge()
        self.assertEqual(
            {"killed": 0, "survived": 0, "does not compile": 0, "same code": 2}, row["counts"]
        )
        row, _ = self.judge(files=["*.hpp"])
        self.assertGreater(row["counts"]["killed"], 2)
        row, _ = self.judge(files=["*.hpp"], most_objects=1)
        self.assertEqual(0, sum(row["counts"].values()))

    def test_counts_a_test_that_hangs_as_one_that_notices(self):
        self.addCleanup(setattr, mutants, "limit_after", mutants.limit_after)
        self.assertEqual([30, 30, 31], [mutants.limit_after(s) for s in (0, 3, 3.01)])
        mutants.limit_after = lambda seconds: 10 * seconds + 1
        (self.root / "toy.cpp").write_text(
            '#include "toy.hpp"\nint larger(int a, int b) {\n'
            "  while (a < b) a = b;\n  return a;\n}\n"
        )
        (self.root / "toy_test.cpp").write_text(
            '#include "toy.hpp"\nint main() { return larger(2, 3) != 3 || larger(3, 2) != 3; }\n'
        )
        row, _ = self.judge()
        self.assertEqual((2, 0), (row["counts"]["killed"], row["counts"]["survived"]))

    def test_refuses_tests_that_fail_without_a_fault(self):
        (self.root / "toy_test.cpp").write_text("int main() { return 1; }\n")
        with self.assertRaisesRegex(SystemExit, "toy_test fails without a fault"):
            self.judge()


if __name__ == "__main__":
    unittest.main()
