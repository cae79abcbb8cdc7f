"""The tool beside a second implementation that knows what random tables mean; 500 cases, and
`meant_tables_test.py full` 100,000.
"""

import sys
import unittest

from meant_tables import Case, failures
from support import TOOL, ToolTest


class MeantTables(ToolTest):
    cases = 500

    def test_results_are_those_that_the_values_have(self):
        found = failures(TOOL, self.cases, seed=1)
        self.assertEqual(found, [], "\n".join(found))

    def test_the_cases_reach_what_they_should(self):
        cases = [Case(1, number) for number in range(500)]
        for what, least, holds in (
            ("a header", 150, lambda c: c.table.names),
            ("none", 150, lambda c: not c.table.names),
            ("gaps", 100, lambda c: c.table.gaps),
            ("numbers as names", 15, lambda c: c.table.numbers_as_names),
            ("no question", 60, lambda c: not c.may_ask and not c.forced),
            ("a question", 100, lambda c: c.may_ask),
            ("a refusal", 20, lambda c: c.right == 3),
            ("a result", 300, lambda c: isinstance(c.right, list)),
            ("codes", 50, lambda c: "code" in c.table.kinds),
            ("money", 50, lambda c: "money" in c.table.kinds),
        ):
            self.assertGreaterEqual(sum(bool(holds(c)) for c in cases), least, what)


if __name__ == "__main__":
    if "full" in sys.argv:
        sys.argv.remove("full")
        MeantTables.cases = 100000
    unittest.main()
