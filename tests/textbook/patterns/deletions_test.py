"""Each barrier, wait and fence of the patterns is deleted once: some schedule has to find it."""

import glob
import os
import re
import subprocess
import tempfile
import unittest

TOOL = os.environ["UPSWEEP_TOOL"]
EVERY = int(os.environ["UPSWEEP_DELETIONS_EVERY"])
PATTERNS = os.path.join(os.path.dirname(__file__), "../../../upsweep/textbook/patterns")

# A statement on a line of its own.
ORDERS = re.compile(r"^\s*(__sync\w*|__threadfence\w*|cuda::pipeline_\w*wait\w*)\(.*\);")
# pipeline_bulk's wait_parity() is left out: the emulator executes bulk copies at once, and a
# barrier of the block follows each.
SCHEDULES = [
    ("in-order", 0),
    ("random", 1),
    ("round-robin", 0),
    ("adversarial", 3),
    ("adversarial", 0),
    ("random", 2),
    ("random", 3),
]


def deletions():
    """The file, the line, the text without it, and the arguments with which it matters."""
    for path in sorted(glob.glob(os.path.join(PATTERNS, "*.cu"))):
        with open(path) as file:
            lines = file.read().splitlines(keepends=True)
        for i, line in enumerate(lines):
            if ORDERS.match(line):
                arguments = ["70000"] if "previous call" in line else []
                yield path, i + 1, "".join(lines[:i] + [";\n"] + lines[i + 1 :]), arguments


def is_diagnosed(path, arguments):
    for schedule, seed in SCHEDULES:
        done = subprocess.run(
            [TOOL, "run", path, "--schedule", schedule, "--seed", str(seed)] + arguments,
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1):
            raise AssertionError(done.stderr)
        if done.returncode == 1:
            return True
    return False


class Deletions(unittest.TestCase):
    def test_each_is_diagnosed(self):
        everything = list(deletions())
        self.assertGreater(len(everything), 50)
        for path, line, text, arguments in everything[::EVERY]:
            name = os.path.basename(path)
            with self.subTest(pattern=name, line=line), tempfile.TemporaryDirectory() as folder:
                copy = os.path.join(folder, name)
                with open(copy, "w") as file:
                    file.write(text)
                self.assertTrue(is_diagnosed(copy, arguments), f"nobody misses {name}:{line}")


if __name__ == "__main__":
    unittest.main()
