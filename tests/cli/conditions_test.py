"""select --where: quotes, and parts of a condition that have the wrong type."""

import unittest

from support import ToolTest

TABLE = "city,sales\nKiel,5\nBonn,1\n"


class Conditions(ToolTest):
    def test_backslashes_in_quotes(self):
        table = "p\nC:\\\nC:\\x\na.b\na\\.b\nit's\n"
        for condition, expected in [
            (r"p == 'C:\\'", ["C:\\"]),
            (r"p == 'C:\x'", ["C:\\x"]),
            (r"p == 'C:\\x'", ["C:\\x"]),
            (r"p == 'a\.b'", ["a\\.b"]),
            (r"p ~ '^C:\\x$'", ["C:\\x"]),
            (r"p ~ '^C:\\'", ["C:\\", "C:\\x"]),
            (r"p ~ '^a\.b$'", ["a.b"]),
            (r"p == 'it\'s'", ["it's"]),
            (r'p == "it\'s"', []),
        ]:
            got = self.text("select", "--where", condition, stdin=table).splitlines()[1:]
            self.assertEqual(got, expected, condition)

    def test_what_has_the_wrong_type_or_no_end(self):
        for condition, says in [
            ("-city > 3", "needs a number"),
            ("abs(city) > 3", "needs a number"),
            ("(sales + 1) ~ '5'", "needs a text"),
            ("length(sales + 1) > 1", "needs a text"),
            ("$", "position"),
            ("city == 'a\\\\", "not closed"),
            ("city == 'a\\'", "not closed"),
            ("city == 'a\\", "not closed"),
        ]:
            self.fails(2, "select", "--where", condition, stdin=TABLE, says=says)


if __name__ == "__main__":
    unittest.main()
