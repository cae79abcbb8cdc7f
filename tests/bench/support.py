"""Runs `upsweep` for the tests of its benchmark, in an empty directory."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOL = os.environ.get("UPSWEEP_TOOL", "upsweep")


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name

    def run_tool(self, *args, status=0, prefix=(), tool=TOOL):
        """stdout; stderr is in self.errors."""
        done = subprocess.run(
            [*prefix, tool, *args], capture_output=True, text=True, cwd=self.path, timeout=200
        )
        self.errors = done.stderr
        self.assertEqual(done.returncode, status, f"{args}: {done.stderr}{done.stdout[:300]}")
        return done.stdout

    def content(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as f:
            return f.read()
