"""An installed tool grades without the source tree, with the headers and the library beside it.
Argument: the build folder.
"""

import os
import subprocess
import sys
import unittest

import support
from grading_support import GradeTest


class Installed(GradeTest):
    build = ""

    def test_installed_tool_grades_the_installed_exercises(self):
        prefix = os.path.join(self.path, "prefix")
        subprocess.run(
            ["cmake", "--install", self.build, "--prefix", prefix],
            check=True,
            capture_output=True,
            timeout=200,
        )
        support.TOOL = os.path.join(prefix, "bin", "upsweep")
        os.rename(
            os.path.join(prefix, "share", "upsweep", "exercises"),
            os.path.join(self.path, "exercises"),
        )
        self.assertEqual(len(os.listdir(os.path.join(self.path, "exercises"))), 24)
        self.assertIn("not associative", self.text("grade", "10", status=1))
        self.copy("10-non-associative", "exercises/10-non-associative")
        self.assertIn("8 of 8 points", self.text("grade", "10"))
        os.remove(os.path.join(prefix, "share", "upsweep", "grading.txt"))
        self.fails(5, "grade", "10", says="beside the tool")


if __name__ == "__main__":
    Installed.build = sys.argv.pop(1)
    unittest.main()
