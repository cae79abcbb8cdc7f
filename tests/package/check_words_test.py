"""tools/check_words.py finds words of its list in pages and comments, and British spellings."""

import unittest

from check_rooms_test import complaints, rooms

check_words = rooms.check_words


class the_check_of_words(unittest.TestCase):
    def test_finds_words_in_prose_alone(self):
        page = "Elements behind it.\n\n```sh\nbehind\n```\n`behind` [a](behind.md)\nof\nyours.\n"
        page += "<!-- x:begin -->\nbehind\n<!-- x:end -->\n<!-- table -->\nbehind\n<!-- end -->\n"
        check = lambda names, _: check_words.complaints(names, rooms.read)
        self.assertEqual(
            [
                "docs/a.md:1: 'behind': write after, past (docs/writing.md)",
                "docs/a.md:7: 'of yours': write user-defined, your (docs/writing.md)",
            ],
            complaints(check, docs__a_dot_md=page, docs__generated__b_dot_md="behind\n"),
        )

    def test_finds_words_in_comments_alone(self):
        def found(name, text):
            words = check_words.words_in_comments([name], {name: text}.get)
            return [(line, words) for _, line, words, _ in words]

        self.assertEqual(
            [(1, "mended"), (2, "mend")], found("a.hpp", "x;  // mended\n/* mend */\n")
        )
        self.assertEqual(
            [(2, "in front of")], found("a.cu", "int mended;\n/// It is in\n/// front of x.\n")
        )
        code = """char c = '"'; // behind\nauto s = "// behind"; int n = 1'000; // behind\n"""
        self.assertEqual([(1, "behind"), (2, "behind")], found("a.cpp", code))
        self.assertEqual([], found("a.cpp", 'R"(// behind)"; mend(x); // `behind` and behind_x\n'))
        self.assertEqual([], found("bench/vendor/a.h", "// behind\n"))
        code = '"""It is behind."""\nx = 1  # texts\n'
        self.assertEqual([(1, "behind"), (2, "texts")], found("a.py", code))
        self.assertEqual([(3, "mend")], found("a.py", 'def f():\n    """It\n    mend."""\n'))
        self.assertEqual([], found("a.py", 'x = "# behind"\ny = """\nbehind"""\n'))
        self.assertEqual([], found("a.md", "// behind\n"))
        self.assertEqual([(1, "Places")], found("a.h", "// Places in place, and in place of x\n"))

    def test_reports_words_in_names(self):
        text = (
            '// behind\nint behind, folded, look_behind_it;\nchar c[] = "in_front";\nin_front();\n'
        )
        files = {"a.cpp": text, "tests/b.cpp": text}
        self.assertEqual(
            [
                "a.cpp:2: 'behind': write after (docs/writing.md)",
                "a.cpp:2: 'look_behind_it': write after (docs/writing.md)",
                "a.cpp:4: 'in_front': write before (docs/writing.md)",
            ],
            list(check_words.complaints_of_names(files, files.get)),
        )

    def test_reports_british_spellings_in_code(self):
        check = lambda names, _: check_words.complaints_of_spelling(names, rooms.read)
        name, verb = "Neigh" + "bour", "initial" + "ise"
        self.assertEqual(
            [
                f"a.cpp:1: '{name}': American spelling (docs/writing.md)",
                f"a.cpp:2: '{verb}': American spelling (docs/writing.md)",
            ],
            complaints(check, a_dot_cpp=f"int first{name};\nvoid {verb}_all();\n"),
        )
        american = "colored = noise; // promised; aria-labelledby\n"
        self.assertEqual([], complaints(check, a_dot_cpp=american))

    def test_allows_words_in_comments_as_often_as_the_table_says(self):
        most = check_words.table()["comments"]["an order of"]
        instead = check_words.listed(True)["an order of"]
        check = lambda names, _: check_words.complaints(names, rooms.read)
        self.assertEqual([], complaints(check, a_dot_cpp="// an order of\n" * most))
        self.assertEqual(
            [
                f"comments have 'an order of' {most + 1} times, {most} are allowed: write "
                f"{instead} (docs/writing.md); tools/check_words.py --comments lists them, as "
                f"a.cpp:{most + 1}: 'an order of'"
            ],
            complaints(check, a_dot_cpp="// an order of\n" * (most + 1)),
        )
        self.assertNotIn("each by itself", check_words.table()["comments"])
        self.assertEqual(1, len(complaints(check, a_dot_cpp="// each by itself\n")))
        known = check_words.listed(True)
        self.assertEqual(
            [], [word for word in check_words.table()["comments"] if word not in known]
        )


if __name__ == "__main__":
    unittest.main()
