"""The commands of docs/pieces_shell.md: what it shows is what the tool prints, and its recipes for
make, GNU parallel and Slurm give the results of one command.
"""

import os
import re
import shutil
import unittest

from support import TOOL, ToolTest, numbers

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")


class PageTest(ToolTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "docs", "pieces_shell.md"), encoding="utf-8") as f:
            self.page = f.read()

    def shell(self, line):
        path = os.path.dirname(TOOL) + ":" + os.environ["PATH"]
        done = self.run_line(line, env={**os.environ, "PATH": path, "LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, b""), line)
        return done.stdout.decode()

    def block(self, language, word):
        found = re.findall(rf"```{language}\n(.*?)```", self.page, re.S)
        return next(text for text in found if word in text)

    def days(self):
        """Three files of 7, 7 and 3 rows, and what one command prints for all of them."""
        for day, n in enumerate((7, 7, 3)):
            rows = "".join(f"{x!r}\n" for x in numbers(n, day))
            self.file(f"day-{day:02}.csv", "x\n" + rows)
        return self.text("reduce", "--op", "sum,max", *(f"day-0{d}.csv" for d in range(3)))

    def test_it_shows_what_the_tool_prints(self):
        blocks = re.findall(r"```console\n(.*?)```", self.page, re.S)
        self.assertGreaterEqual(len(blocks), 4)
        for block in blocks:
            found = re.findall(r"^\$ ((?:.*\n> )*.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
            for line, shown in found:
                self.assertEqual(self.shell(line.replace("\n> ", "\n")), shown, line)

    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_the_makefile_reduces_only_what_has_changed(self):
        expected = self.days()
        self.file("Makefile", self.block("make", "parts :=").replace("100000", "7"))
        self.assertEqual(self.shell("make | grep -c reduce"), "3\n")
        self.assertEqual(self.content("total.csv").decode(), expected)
        self.shell(
            "touch -d '-2 hours' day*.csv; touch -d '-1 hour' *.part total.csv;"
            "touch -d '-1 minute' day-01.csv"
        )
        self.assertEqual(self.shell("make | grep -c reduce"), "1\n")
        self.assertEqual(self.content("total.csv").decode(), expected)

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_gnu_parallel_makes_the_parts(self):
        expected = self.days()
        self.assertEqual(
            self.shell(self.block("sh", "day-*.part").replace("100000", "7")), expected
        )

    def test_tasks_of_slurm_make_the_parts_in_any_order_and_twice(self):
        expected = self.days()
        for day in range(3):
            os.rename(
                os.path.join(self.path, f"day-{day:02}.csv"),
                os.path.join(self.path, f"day-{day}.csv"),
            )
        # Runs a job at once: of an array the last task first, and the first one twice.
        self.file(
            "sbatch",
            "#!/bin/bash\n"
            '[[ $1 = --array=* ]] || exec bash -c "${@: -1}"\n'
            'for id in 2 1 0 0; do SLURM_ARRAY_TASK_ID=$id bash -c "${@: -1}" || exit; done\n',
        )
        os.chmod(os.path.join(self.path, "sbatch"), 0o755)
        script = self.block("sh", "sbatch --array").replace("100000", "7")
        self.assertEqual(self.shell('PATH="$PWD:$PATH"\n' + script), "")
        self.assertEqual(self.content("total.csv").decode(), expected)


if __name__ == "__main__":
    unittest.main()
