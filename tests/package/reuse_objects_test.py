"""tools/reuse_objects.py takes an object of another build only if that had the same options, and
the same bytes where a file is generated.
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import reuse_objects  # noqa: E402


class a_second_build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.theirs, self.own = Path(folder.name) / "build", Path(folder.name) / "build-two"
        self.source = f"{folder.name}/source.cpp"
        for build in (self.theirs, self.own):
            self.write(build / "generated/text.hpp", "one")
            self.write(build / "unity.cxx", "#include <source.cpp>")

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def found(self, *options, theirs=None):
        """What is reused for a compilation in the own build; the other build had `theirs`, or the
        same options with its own paths."""
        if theirs is None:
            theirs = [o.replace(str(self.own), str(self.theirs)) for o in options]
        command = ["c++", *theirs[:-1], "-o", "object.o", "-c", theirs[-1]]
        entry = {"file": theirs[-1], "directory": str(self.theirs), "command": " ".join(command)}
        self.write(self.theirs / "compile_commands.json", json.dumps([entry]))
        self.write(self.theirs / "object.o", "")
        words = ["c++", *options[:-1], "-MD", "-MF", "o.d", "-o", "o.o", "-c", options[-1]]
        command, path, depfile = reuse_objects.without_outputs(words)
        self.assertEqual(("o.o", "o.d"), (path, depfile))
        with mock.patch("os.getcwd", return_value=str(self.own)):
            return reuse_objects.compiled_before(str(self.theirs), command)

    def test_takes_the_object_of_the_same_options(self):
        self.assertEqual(self.theirs / "object.o", self.found("-O2", self.source))
        self.assertIsNone(self.found("-O2", self.source, theirs=["-O1", self.source]))
        self.assertIsNone(self.found("-O2", self.source, theirs=["-O2", f"{self.source}.cpp"]))

    def test_takes_it_if_what_is_generated_is_the_same(self):
        include = f"-I{self.own}/generated"
        self.assertIsNotNone(self.found(include, self.source))
        self.assertIsNotNone(self.found(f"{self.own}/unity.cxx"))
        self.assertIsNotNone(self.found(f"-ffile-prefix-map={self.own}=build", self.source))
        self.write(self.own / "generated/text.hpp", "two")
        self.assertIsNone(self.found(include, self.source))
        self.write(self.own / "generated/text.hpp", "one")
        self.write(self.own / "generated/more/more.hpp", "")
        self.assertIsNone(self.found(include, self.source))
        self.write(self.own / "unity.cxx", "#include <other.cpp>")
        self.assertIsNone(self.found(f"{self.own}/unity.cxx"))
        self.assertIsNone(self.found(f"{self.own}/only_here.cxx"))

    def test_takes_it_if_the_project_is_a_part_of_another(self):
        self.write(self.own / "part/unity.cxx", "#include <source.cpp>")
        self.write(self.own / "part/generated/text.hpp", "one")
        same = ["-I", f"{self.theirs}/generated", f"{self.theirs}/unity.cxx"]
        part = ["-I", f"{self.own}/part/generated", f"{self.own}/part/unity.cxx"]
        self.assertIsNotNone(self.found(*part, theirs=same))
        self.assertIsNone(self.found(f"-I{self.own}/generated", *part[2:], theirs=same))
        self.write(self.own / "part/unity.cxx", "#include <other.cpp>")
        self.assertIsNone(self.found(*part, theirs=same))

    def test_compiles_what_includes_from_the_whole_build(self):
        self.assertIsNone(self.found(f"-I{self.own}", self.source))

    def test_compiles_without_the_other_builds_object(self):
        self.found("-O2", self.source)
        command = ["c++", "-O2", "-c", self.source]
        with mock.patch("os.getcwd", return_value=str(self.own)):
            self.assertIsNotNone(reuse_objects.compiled_before(str(self.theirs), command))
            (self.theirs / "object.o").unlink()
            self.assertIsNone(reuse_objects.compiled_before(str(self.theirs), command))
            (self.theirs / "compile_commands.json").unlink()
            self.assertIsNone(reuse_objects.compiled_before(str(self.theirs), command))


if __name__ == "__main__":
    unittest.main()
