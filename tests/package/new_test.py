"""Runs every form of tools/new.py in a copy of the tree: what it writes keeps to the rooms, says
what is to be written, and compiles once its marked lines are gone.

    new_test.py COMPILER
"""

import contextlib
import functools
import io
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
COMPILER = "g++"
FORMS = {
    "operator in a file of its own": "operator least_word --c",
    "operator beside others": "operator bit_nor --family bitwise --c",
    "operator that is its family's first in C": "operator middle --family first_last --c",
    "operator for C++ and the tool only": "operator nearest",
    "operator of the tool": "tool-operator middle_third --parameter",
    "operator of the tool over sorted values": "tool-operator outer_mean --sorted",
    "verb": "verb neighbors",
    "reduction of a block": "kernel reduce block fold_halves",
    "reduction of an array": "kernel reduce device fold_grid",
    "scan of a warp": "kernel scan warp scan_lanes",
    "scan of a block": "kernel scan block scan_halves",
    "scan of an array": "kernel scan device scan_grid",
    "command": "command spectrum",
    "backend": "backend fpga",
}
MARKED = re.compile(r'^ *static_assert\(false, "write here: [^"]*"\);\n', re.MULTILINE)

# What includes the skeletons: a unit for the library, the kernels, and the tool.
SOURCES = {
    "library": "#include <upsweep/c_api/vocabulary.hpp>\n"
    "#include <upsweep/names/compiled.hpp>\n#include <ops/elements_of.hpp>\n"
    "#include <bench/plain/operators.hpp>\n"
    "#include <upsweep/fpga/executor.hpp>\n"
    "#include <upsweep/generic/reference.hpp>\n#include <upsweep/upsweep.hpp>\n"
    "#include <upsweep/by_name/instances/entries.hpp>\n"
    "#include <upsweep/by_name/streams/stream_of.hpp>\n"
    "template struct upsweep::dynamic::calls_of<upsweep::dynamic::least_word_operators>;\n"
    "template struct upsweep::dynamic::streams_of<upsweep::dynamic::nearest_operators>;\n"
    "using namespace upsweep;\n"
    "static_assert(c_api::operator_of(catalog::id::least_word) == UPSWEEP_LEAST_WORD);\n"
    "static_assert(c_api::operator_of(catalog::id::bit_nor) == UPSWEEP_BIT_NOR);\n"
    "static_assert(c_api::operator_of(catalog::id::middle) == UPSWEEP_MIDDLE);\n"
    "static_assert(c_api::last_operator == UPSWEEP_MIDDLE);\n"
    "static_assert(detail::executor_fits<fpga>());\n"
    "void call(std::vector<int> const& in, std::vector<long>& out) {\n"
    "  upsweep::neighbors(in, out, upsweep::max{});\n"
    "  upsweep::neighbors(upsweep::serial{}, in, out, upsweep::plus{}, {.initial = 1});\n"
    "}\n",
    "kernels": "#include <upsweep/textbook/reduce/block/fold_halves.hpp>\n"
    "#include <upsweep/textbook/reduce/device/fold_grid.hpp>\n"
    "#include <upsweep/textbook/scan/warp/scan_lanes.hpp>\n"
    "#include <upsweep/textbook/scan/block/scan_halves.hpp>\n"
    "#include <upsweep/textbook/scan/device/scan_grid.hpp>\n"
    "#include <upsweep/textbook/catalog.hpp>\n"
    'static_assert(upsweep::textbook::find("scan_grid")->inclusive);\n',
    "tool": '#include "cli/commands/spectrum.cpp"\n#include "cli/engine/kept_values.cpp"\n'
    '#include "cli/engine/middle_third.cpp"\n#include "cli/engine/tool_operators.hpp"\n',
}
# Kernels are compiled as in a module of the emulator.
FLAGS = {"kernels": ("-Iupsweep/simt/cuda", "-include", "cuda_runtime.h")}


def differing(before, after):
    """The names of the files that differ. A comparison of the strings would show them all."""
    return sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))


class tree:
    """A copy of the checkout, which is a repository of its own, for the length of a `with`."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        out = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, out.split("\0")):
            if (ROOT / name).is_file() and not name.endswith((".svg", ".npy", ".csv")):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.root / name)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, *command):
        return subprocess.run(command, cwd=self.root, check=False, capture_output=True, text=True)

    def new(self, words):
        """A run of its tools/new.py in this process, since sixty starts of Python take seconds."""
        path = self.root / "tools" / "new.py"
        script = types.ModuleType("new")
        script.__file__ = str(path)
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.object(sys, "argv", [path.name, *words.split()]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            exec(compile(path.read_text(), path, "exec"), script.__dict__)
            status = script.main()
        return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())

    def files(self):
        """The text of every file."""
        paths = (p for p in self.root.rglob("*") if p.is_file() and ".git" not in p.parts)
        return {str(p.relative_to(self.root)): p.read_bytes() for p in paths}

    def write_all(self):
        """Takes out the lines that wait to be replaced."""
        for name, text in self.files().items():
            if name.endswith((".hpp", ".cpp")) and b"write here" in text:
                (self.root / name).write_text(MARKED.sub("", text.decode()))

    def compile(self, code, *flags):
        """The compiler's run over a source that includes something of the tree."""
        command = [COMPILER, "-std=c++20", "-I.", "-Itests", *flags, "-x", "c++", "-"]
        return subprocess.run(
            command, cwd=self.root, input=code, check=False, capture_output=True, text=True
        )


class a_refused_addition(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = cls.enterClassContext(tree())
        cls.before = cls.tree.files()

    def expect_refused(self, words, *said):
        done = self.tree.new(words)
        self.assertEqual(2, done.returncode, done.stdout + done.stderr)
        for part in said:
            self.assertIn(part, done.stderr)
        self.assertEqual([], differing(self.before, self.tree.files()))

    def test_has_a_name_that_is_no_name_here(self):
        for words in ("operator Gcd", "verb two__words", "command 2d", "backend a-b"):
            self.expect_refused(words, "snake_case")
        for words in ("operator xor", "verb lambda", "kernel scan block new"):
            self.expect_refused(words, "reserved word")
        self.expect_refused("operator fine --family Bad", "the family 'Bad'", "snake_case")

    def test_has_a_name_that_is_taken(self):
        self.expect_refused("operator gcd", "upsweep/ops/gcd.hpp:", "taken")
        self.expect_refused("operator bit_or --family bitwise", "upsweep/ops/bitwise.hpp:")
        self.expect_refused("verb inclusive_scan", "taken")
        self.expect_refused("backend serial", "taken")
        self.expect_refused("command doctor", "cli/CMakeLists.txt:")
        self.expect_refused("tool-operator dense_rank", "cli/engine/tool_operators.hpp:")
        self.expect_refused("tool-operator exact_sum", "upsweep/ops/catalog.hpp:")
        self.expect_refused("kernel scan block hillis_steele", "taken")

    def test_asks_for_a_kernel_of_a_level_that_there_is_not(self):
        self.expect_refused("kernel reduce warp fold_lanes", "no reduce of a warp")

    def test_finds_no_place_for_a_line_and_says_which_file_lacks_what(self):
        for words, name, line in (
            ("command spectrum", "cli/CMakeLists.txt", "\nset(last_commands"),
            ("operator least_word", "upsweep/ops/catalog.hpp", "  mean,"),
            ("backend fpga", "docs/rooms.toml", "[rooms.by_name] "),
        ):
            with self.subTest(words):
                path, kept = self.tree.root / name, self.before[name]
                path.write_bytes(kept.replace(line.encode(), b"  gone,"))
                self.before[name] = path.read_bytes()
                self.expect_refused(words, name, line.strip())
                path.write_bytes(kept)
                self.before[name] = kept

    def test_may_be_only_shown(self):
        for form, words in FORMS.items():
            with self.subTest(form):
                done = self.tree.new(words + " --dry-run")
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn("+++ ", done.stdout)
                self.assertIn("write here: ", done.stdout)
        self.assertEqual([], differing(self.before, self.tree.files()))


@functools.cache
def additions():
    """All of them in one tree, what each run said, and the files before and after."""
    one = unittest.enterModuleContext(tree())
    before = one.files()
    said = {words: one.new(words) for words in FORMS.values()}
    return one, said, before, one.files()


class an_addition(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tree, cls.said, cls.before, cls.after = additions()
        cls.left = cls.tree.new("left")

    def test_is_written_once(self):
        for words, done in self.said.items():
            with self.subTest(words):
                self.assertEqual(0, done.returncode, done.stderr)
                again = self.tree.new(words)
                self.assertEqual(2, again.returncode)
                self.assertIn("nothing is written", again.stderr)
        self.assertEqual([], differing(self.after, self.tree.files()))

    def test_keeps_to_the_rooms_with_its_companions(self):
        done = self.tree.run(sys.executable, "tools/check_rooms.py")
        self.assertEqual("", done.stderr)

    def test_waits_in_every_new_file_for_what_has_to_be_written(self):
        self.assertEqual(1, self.left.returncode)
        for name in self.after.keys() - self.before.keys():
            # What instantiates a suite is complete.
            if not (name.startswith("tests/conformance/") and name.endswith(".cpp")):
                self.assertIn(f"\n{name}:", "\n" + self.left.stdout)

    def test_leaves_nothing_elsewhere(self):
        named = {line.split(":")[0] for line in self.left.stdout.splitlines()}
        self.assertEqual(set(), named - set(differing(self.before, self.after)))

    def test_says_what_is_left_in_the_order_of_the_work(self):
        said = self.said["command spectrum"].stdout
        names = ["new   cli/commands/spectrum.cpp", "line  cli/CMakeLists.txt", "Left to write"]
        names += ["cli/help/spectrum.md:1:", "cli/commands/spectrum.cpp:1:", "CHANGELOG.md"]
        at = [said.index(name) for name in names]
        self.assertEqual(sorted(at), at)


class a_skeleton_whose_marks_are_gone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = cls.enterClassContext(tree())
        _, _, before, after = additions()
        for name in differing(before, after):
            (cls.tree.root / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.tree.root / name).write_bytes(after[name])
        cls.has_libraries = not cls.tree.compile(
            "#include <CLI/CLI.hpp>\n#include <fmt/format.h>\n", "-E", "-o", "/dev/null"
        ).returncode

    def sources(self):
        for name, code in SOURCES.items():
            if self.has_libraries or '"cli/' not in code:
                yield name, code

    def test_compiles_and_before_says_what_to_write(self):
        said = self.tree.compile(SOURCES["library"], "-fsyntax-only", "-fmax-errors=1").stderr
        self.assertIn("error: static assertion failed: write here: ", said)
        self.tree.write_all()
        for name, code in self.sources():
            with self.subTest(name):
                flags = ("-fsyntax-only", *FLAGS.get(name, ()))
                self.assertEqual("", self.tree.compile(code, *flags).stderr)
        self.breaks_the_laws()

    def breaks_the_laws(self):
        """An operator whose mark was removed and that was not written does not pass for one."""
        code = (
            "#include <upsweep/core/errors.cpp>\n#include <upsweep/ops/laws.hpp>\n"
            "#include <upsweep/ops/least_word.hpp>\n"
            "int main() {\n"
            "  return upsweep::check_monoid(upsweep::least_word{}, {1, 2, 3}) ? 0 : 1;\n"
            "}\n"
        )
        said = self.tree.compile(code, "-o", "laws").stderr
        self.assertEqual("", said)
        self.assertEqual(0, self.tree.run("./laws").returncode)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        COMPILER = sys.argv.pop(1)
    unittest.main()
