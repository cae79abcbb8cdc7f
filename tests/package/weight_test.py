"""tools/weight.py on a tree and a log of ninja that are small enough to count by hand."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import weight  # noqa: E402

FIVE = "int a = 1;\nint b = 2;\n}\nint c = 3;  // c\n\nint d = 4;\nint e = 5;\n"
FILES = {
    "upsweep/upsweep.hpp": "#include <upsweep/a.hpp>\n#include <vector>\n",
    "upsweep/a.hpp": "#include <upsweep/host/b.hpp>\n",
    "upsweep/host/b.hpp": FIVE,
    "upsweep/host/c.hpp": "int z = 0;\n" + FIVE,
    "cli/d.cpp": FIVE.replace("4", "6"),
    "bench/results/run.json": "x" * 9000,
    "README.md": "# A tree\n",
    "docs/design/0001-a.md": "# A\n\nB\n",
    "docs/design/0002-b.md": "# B\n",
    "tests/package/public_names.txt": "cpu\ngpu\n",
}
BLOCKS = "".join(
    f"<!-- weight of {name}:begin -->\n-\n<!-- weight of {name}:end -->\n"
    for name in ("limits", "rooms")
)
LOG = (
    "# ninja log v5\n"
    "0\t9000\t1\tcli/CMakeFiles/core.dir/d.cpp.o\ta\n"
    "0\t4000\t2\tcli/CMakeFiles/core.dir/d.cpp.o\tb\n"
    "5\t2005\t2\tupsweep/CMakeFiles/lib.dir/host/b.cpp.o\tc\n"
    "7\t1007\t2\tupsweep/sim/CMakeFiles/sim.dir/Unity/unity_0_cxx.cxx.o\td\n"
    "9\t3009\t2\tlib/one.so\te\n"
    "9\t3009\t2\tlib/two.so\te\n"
)


def as_bytes(files):
    return {name: text.encode() for name, text in files.items()}


class Weight(unittest.TestCase):
    def test_counts_files_lines_and_bytes_of_each_room(self):
        rows = dict((room, more) for room, *more in weight.rooms(as_bytes(FILES)))
        self.assertEqual(rows["bench/"], [0, 0, 9])
        self.assertEqual(rows["upsweep/host/"], [2, 15, 0])
        self.assertEqual(
            rows["5 others"][:2], [3, 10]
        )  # cli, docs, headers of upsweep, root, tests

    def test_counts_what_is_limited(self):
        found = weight.figures(as_bytes(FILES))
        self.assertEqual(found.keys(), weight.LIMITS.keys())
        self.assertEqual(found["C++ files"], 5)
        self.assertEqual(found["lines of `upsweep/host/`"], 15)
        self.assertEqual(found["headers in the root of `upsweep/`"], 2)
        self.assertEqual(found["names in `upsweep::`"], 2)
        self.assertEqual(found["files that `upsweep.hpp` includes"], 3)
        self.assertEqual(found["kilobytes of `bench/results/`"], 9)
        self.assertEqual(found["lines of the longest note in `docs/design/`"], 3)

    def test_finds_a_repeat_once_however_long_it_is(self):
        self.assertEqual(weight.figures(as_bytes(FILES))["pairs of repeated places"], 1)
        three = b"int a = 1;\nint b = 2;\nint c = 3;\n"
        self.assertEqual(weight.repeats({"a.cpp": three, "b.cpp": three}), 0)
        self.assertEqual(weight.repeats({"a.cpp": (three + b"int d = 4;\n") * 2}), 1)

    def test_adds_up_the_last_run_of_each_command_by_room(self):
        times = weight.seconds(LOG)
        self.assertEqual(
            times,
            [("cli/", 4), ("links and the rest", 3), ("upsweep/host/", 2), ("upsweep/sim/", 1)],
        )

    def run_tool(self, root, *args):
        tool = [sys.executable, "-B", ROOT / "tools" / "weight.py", "--root", root, *args]
        return subprocess.run(tool, capture_output=True, text=True, check=False)

    def test_writes_the_page_and_notices_when_it_is_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            page = root / "CONTRIBUTING.md"
            for name, text in {**FILES, page.name: f"Before.\n{BLOCKS}After.\n"}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(self.run_tool(root, "--check").returncode, 77)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            subprocess.run(["git", "add", "."], cwd=root, check=True)
            self.assertEqual(self.run_tool(root, "--check").returncode, 1)
            self.assertEqual(self.run_tool(root, "--write").returncode, 0)
            self.assertIn("| lines of `cli/` | 7 | 18,000 |", page.read_text())
            self.assertTrue(page.read_text().endswith("-->\nAfter.\n"))
            self.assertEqual(self.run_tool(root, "--check").stdout, "")
            (root / "cli/d.cpp").write_text(FIVE * 3)
            told = self.run_tool(root, "--check").stdout
            self.assertIn("lines of `cli/`: 7 18000 in CONTRIBUTING.md, now 21 18000", told)
            (root / ".ninja_log").write_text(LOG)
            self.assertIn("| upsweep/host/ | 2 |", self.run_tool(root, "--build", root).stdout)


if __name__ == "__main__":
    unittest.main()
