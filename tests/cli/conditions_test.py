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

    def test_names_may_begin_with_a_word_of_the_language(self):
        table = "not1,in2,or3,and4\n0,1,2,3\n5,0,0,0\n"
        for condition, expected in [
            ("not1 > 0", "5,0,0,0"),
            ("not1 > 9 or or3 == 2", "0,1,2,3"),
            ("not1 in (in2, 5) and and4 == 0", "5,0,0,0"),
        ]:
            got = self.text("select", "--where", condition, stdin=table)
            self.assertEqual(got, f"not1,in2,or3,and4\n{expected}\n", condition)

    def test_the_smallest_integer_modulo_minus_1_is_0(self):
        numbers = f"{-(2**63)}\n7\n"
        for condition in ["$1 % -1 == 0", "0 == $1 % (0 - 1)"]:
            self.assertEqual(self.text("select", "--where", condition, stdin=numbers), numbers)

    def test_positions_go_on_after_the_first_chunk(self):
        numbers = "".join(f"{i}\n" for i in range(1, 400001))
        got = self.text("select", "--where", "$1 % 99991 == 0", "--positions", stdin=numbers)
        self.assertEqual(got, "99991\n199982\n299973\n399964\n")

    def test_a_decimal_may_come_late_in_any_column(self):
        table = "k,x,y\n" + "1,2,3\n" * 300000 + "1,2.5,3\n1,2,3.25\n"
        for condition, expected in [
            ("k == 1 && x == 2.5", "1,2.5,3\n"),
            ("x == 2 && y == 3.25", "1,2,3.25\n"),
        ]:
            got = self.text("select", "--where", condition, stdin=table)
            self.assertEqual(got, "k,x,y\n" + expected, condition)

    def test_missing_numbers_are_neither_true_nor_false(self):
        values = [None, 0, 1]
        rows = [(a, b) for a in values for b in values]
        table = "a,b\n" + "".join(
            f"{'' if a is None else a},{'NA' if b is None else b}\n" for a, b in rows
        )
        one = {None: None, 0: False, 1: True}

        def both(x, y):
            return False if x is False or y is False else None if None in (x, y) else True

        def either(x, y):
            return True if x is True or y is True else None if None in (x, y) else False

        def inverse(x):
            return None if x is None else not x

        cases = [
            ("a == 1 && b == 1", both),
            ("a == 1 || b == 1", either),
            ("!(a == 1) and b == 1", lambda x, y: both(inverse(x), y)),
            ("not (a == 1 or b == 1)", lambda x, y: inverse(either(x, y))),
            ("a + b == 2", lambda x, y: None if None in (x, y) else x and y),
            ("1 in (a, b)", either),
            ("a != 0 && 7 % a == 0 || b > 0", either),
            ("-a < 0", lambda x, y: x),
        ]
        for condition, model in cases:
            found = [model(one[a], one[b]) for a, b in rows]
            for flags, wanted in [([], True), (["--invert"], False)]:
                got = self.text(
                    "select",
                    "--skip-missing",
                    "--positions",
                    "--where",
                    condition,
                    *flags,
                    stdin=table,
                )
                expected = [i + 1 for i, truth in enumerate(found) if truth is wanted]
                self.assertEqual(
                    [int(line) for line in got.split()[1:]], expected, (condition, flags)
                )
        whole = self.text(
            "select", "--skip-rows-with-missing", "--where", "a == 1 || b == 1", stdin=table
        )
        self.assertEqual(whole, "a,b\n0,1\n1,0\n1,1\n")

    def test_a_text_without_quotes_is_told_to_have_them(self):
        self.fails(2, "select", "--where", "city == Kiel", stdin=TABLE, says='needs quotes: "Kiel"')
        self.fails(2, "select", "--where", "city in (Kiel)", stdin=TABLE, says="needs quotes")
        self.fails(2, "select", "--where", "sale > 3", stdin=TABLE, says="Did you mean 'sales'?")
        self.assertNotIn("quotes", self.errors)
        self.fails(2, "select", "--where", "sales == `sale`", stdin=TABLE, says="'sales'?")
        self.assertNotIn("quotes", self.errors)

    def test_a_regular_expression_that_is_refused_says_what_is_wrong_with_it(self):
        backs, looks = "there are no back-references", "there is no look-ahead and no look-behind"
        for expression, hint in [
            (r"(a)\1", backs),
            (r"(?P<x>a)\k<x>", backs),
            ("a(?=b)", looks),
            ("a(?!b)", looks),
            ("(?<=a)b", looks),
            ("(?<!a)b", looks),
            ("(a", ""),
            ("a)", ""),
            ("[a", ""),
            ("*a", ""),
            ("a{2000}", ""),
            ("(?>a)", ""),
            (r"\q", ""),
        ]:
            self.fails(2, "select", "--where", f"city ~ '{expression}'", stdin=TABLE)
            said = self.errors.partition("not a regular expression (")[2]
            self.assertNotEqual(said, "")
            self.assertIn(hint, said)
            self.assertEqual("there" in said, hint != "", said)

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
