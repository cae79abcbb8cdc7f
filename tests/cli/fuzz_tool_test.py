"""tools/fuzz_tool.py finds planted faults: crashes, hangs, lies, silence, files left.

Each planted tool is a script around the real one, which still answers --help.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import unittest

from support import TOOL, ToolTest

FUZZ = str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "fuzz_tool.py")


class FuzzTool(ToolTest):
    def planted(self, fault):
        """A tool that runs `fault` in sh; $real is the real tool."""
        script = f"#!/bin/sh\nreal={shlex.quote(TOOL)}\n"
        script += 'case "$*" in *--help*) exec "$real" "$@";; esac\n'
        path = os.path.join(self.path, self.file("planted", script + fault + "\n"))
        os.chmod(path, 0o755)
        return path

    def fuzz(self, tool, check, case, seed=1):
        """Exit status and what is printed for one case."""
        words = ["--tool", tool, "--checks", check, "--seed", str(seed), "--case", str(case)]
        words += ["--findings", os.path.join(self.path, "findings")]
        done = subprocess.run(
            [sys.executable, FUZZ, *words], capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.stderr, "", words)
        return done.returncode, done.stdout

    def finds(self, fault, check, says):
        """Within a few cases, because not every one meets every fault."""
        tool = self.planted(fault)
        for case in range(8):
            status, out = self.fuzz(tool, check, case)
            if status:
                self.assertIn(says, out)
                return case
        self.fail(f"{check} does not find: {fault}")

    def test_crashes_and_hangs_are_found(self):
        self.finds("kill -SEGV $$", "survives", "ends with signal 11")
        # What the limit of 5 s of processor time does, without waiting for it.
        self.finds('[ "$(ulimit -t)" = 5 ] && kill -XCPU $$', "survives", "5 s are over")

    def test_undocumented_endings_are_found(self):
        self.finds("exit 7", "survives", "status 7")
        self.finds("exit 2", "survives", "says ''")
        says = "echo 'upsweep: one thing.' >&2"
        self.finds(f"{says}; {says}; exit 3", "survives", "upsweep: one thing.")
        self.finds(f"echo 1 > half; {says}; exit 3", "survives", "leaves {'half'}")

    def test_wrong_results_are_found(self):
        more = '"$real" "$@" | sed \'s/$/1/\''
        self.finds(more, "right_array", "sum of .npy")
        self.finds(more, "right_numbers", "should be")
        self.finds(
            f'[ "$1" = sort ] && "$real" "$@" | tac || exec "$real" "$@"', "right_table", "sort"
        )
        self.finds('[ "$1" = scan ] && exec "$real" "$@" --exclusive || exec "$real" "$@"',
                   "right_table", "last of scan")  # fmt: skip

    def test_forms_that_differ_are_found(self):
        self.finds(
            'case "$*" in *1.csv*) echo 0;; *) exec "$real" "$@";; esac',
            "same_forms",
            "of two files",
        )
        self.finds(
            'case "$*" in *x.gz) exit 3;; *) exec "$real" "$@";; esac',
            "same_bytes",
            "differs from the file",
        )

    def test_a_finding_is_stored_and_can_be_repeated(self):
        case = self.finds("exit 7", "survives", "status 7")
        kept = os.path.join(self.path, "findings", f"1-{case}")
        with open(os.path.join(kept, "commands.txt")) as commands:
            self.assertRegex(commands.read(), r"\Aupsweep .*\n(.*\n)*.*status 7")
        first, second = (self.fuzz(self.planted("exit 7"), "survives", case) for _ in range(2))
        self.assertEqual(first, second)

    def test_cases_depend_on_the_seed_alone_and_the_tool_has_no_finding(self):
        for check in (
            "survives",
            "same_bytes",
            "same_forms",
            "right_table",
            "right_numbers",
            "right_array",
        ):
            for case in range(3):
                self.assertEqual(self.fuzz(TOOL, check, case), (0, ""), (check, case))


if __name__ == "__main__":
    unittest.main()
