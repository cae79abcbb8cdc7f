"""Each operator reads its operands as often as the text of the program names them, whatever the
compiler checks before: tests/lab/programs/browser/operands.cu says how often.
"""

import re
import sys
import unittest
from collections import Counter
from pathlib import Path

from program_test import ProgramTest, supported

PROGRAM = Path(__file__).resolve().parent / "programs" / "browser" / "operands.cu"
LANES = 32


class Operands(ProgramTest):
    def test_operands_are_read_as_often_as_they_are_named(self):
        expected = re.findall(r"^// LOADS (\d+)\nKERNEL (\w+) ", PROGRAM.read_text(), re.MULTILINE)
        report = self.json(str(PROGRAM))
        self.assertEqual(report["findings"], [])
        loads = {name: int(count) for count, name in expected}
        runs = Counter()
        for launch in report["launches"]:
            name = launch["name"].partition("<")[0]
            runs[name] += 1
            said = f"{launch['name']}, launch {runs[name]}"
            self.assertEqual(launch["counters"]["global_loads"], LANES * loads[name], said)
        self.assertEqual(runs, dict.fromkeys(loads, 2))


if __name__ == "__main__":
    if not supported():
        sys.exit(77)
    unittest.main()
