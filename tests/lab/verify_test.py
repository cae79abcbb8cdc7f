"""verify: every kernel over edge sizes, schedules and operators, and the command that reproduces a
failure.
"""

import json
import subprocess
import unittest

from support import TOOL, ToolTest


class Verify(ToolTest):
    def test_every_algorithm_is_right_on_edge_sizes_and_schedules(self):
        reports = [
            json.loads(line)
            for line in self.text(
                "verify", "--all", "--quick", "--seeds", "1", "--json"
            ).splitlines()
        ]
        listed = [
            row["stem"]
            for what in ("reduce", "scan")
            for row in json.loads(self.text("list", what, "--json"))
        ]
        self.assertEqual([r["stem"] for r in reports], listed)
        for report in reports:
            self.assertEqual(
                (report["right"], report["failure"], report["again"]),
                (True, "", ""),
                report["stem"],
            )
            self.assertGreater(report["runs"], 10, report["stem"])

    def test_one_algorithm_prints_one_line(self):
        self.assertRegex(
            self.text("verify", "brent_kung", "--quick"), r"\Abrent_kung +\d+ runs  right\n\Z"
        )

    def test_usage_errors(self):
        self.fails(2, "verify", says="--all")
        self.fails(2, "verify", "--all", "brent_kung", says="--all")
        self.fails(2, "verify", "brent_kun", says="did you mean 'brent_kung'?")
        self.fails(2, "verify", "--all", "--seeds", "-1", says="--seeds")

    def test_the_reproducing_command_line_is_valid(self):
        # As made by command_line() in lab/run.cpp: it has everything that determines a run.
        done = subprocess.run(
            [
                TOOL,
                *"run decoupled_lookback -n 700 --op sum --block 128".split(),
                *"--schedule random --seed 5 --resident 8".split(),
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
