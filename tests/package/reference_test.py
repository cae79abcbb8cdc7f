"""Every public name of C++, Python and C and every command of the tool has an entry in the
reference of the site.

    reference_test.py [TOOL]
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))
import reference_c  # noqa: E402
import reference_cpp  # noqa: E402
import reference_python  # noqa: E402
import reference_tool  # noqa: E402

NO_PROSE = re.compile(r"```.*?```|^\|.*?$|^\[.*?$", re.S | re.M)
TOOL = sys.argv.pop() if len(sys.argv) > 1 else None


def headings(text):
    return set(re.findall(r"^##+ (\S+)$", text, re.M))


class Reference(unittest.TestCase):
    def test_has_every_name_of_cpp_with_its_meaning(self):
        entries = {}
        for _, text, names, missing in reference_cpp.pages():
            self.assertEqual(missing, set())
            self.assertEqual(names - headings(text), set())
            for part in re.split(r"^## ", text, flags=re.M)[1:]:
                entries[part.split("\n")[0]] = NO_PROSE.sub("", part)
        self.assertEqual(reference_cpp.public_names() - entries.keys(), set())
        headers = reference_cpp.public({"headers": ["*.hpp", "ops/*.hpp"]})
        self.assertGreater(len(headers), 120)
        self.assertEqual(headers.keys() - entries.keys(), set())
        empty = {n for n, text in entries.items() if len(text.strip()) <= len(n)}
        self.assertEqual(empty, set())

    def test_shows_an_example_with_every_name_of_cpp(self):
        lacking = set()
        for _ in reference_cpp.pages(lacking):
            pass
        self.assertEqual(
            lacking,
            set(),
            "not in examples/every_*; or name an example of it in docs/site/reference_entries.toml",
        )

    def test_shows_no_name_of_namespace_detail(self):
        shown = [
            m[0]
            for _, text, _, _ in reference_cpp.pages()
            for m in re.finditer(r".*\bdetail::.*", text)
        ]
        self.assertEqual(shown, [])

    def test_has_every_name_of_python(self):
        listed = {n for names in reference_python.modules().values() for n in names}
        entries = set()
        for _, text, names, missing in reference_python.pages():
            self.assertEqual(missing, set())
            entries |= headings(text) & names
        self.assertEqual(listed - entries, set())

    def test_has_every_function_and_type_of_c(self):
        text, names, lacking = reference_c.page(reference_cpp.places())
        self.assertEqual(lacking, set(), "not in examples/every_function.c")
        self.assertEqual(reference_c.without_meaning(), [], "in docs/site/reference_entries.toml")
        headers = "".join((ROOT / h).read_text() for h in reference_c.HEADERS)
        functions = set(re.findall(r"UPSWEEP_API [^;(]*?\b(upsweep_\w+)\(", headers))
        types = set(re.findall(r"^(?:\}|typedef struct \w+) (upsweep_\w+);", headers, re.M))
        types |= set(re.findall(r"\(\*(upsweep_\w+)\)", headers))
        self.assertGreater(len(functions), 40)
        self.assertEqual((functions | types) - (names & headings(text)), set())

    @unittest.skipUnless(TOOL, "without the tool")
    def test_has_every_command_and_option_of_the_tool(self):
        pages = {name: text for _, text, name in reference_tool.pages(TOOL)}
        self.assertGreater(len(pages), 15)
        for name in reference_tool.commands(TOOL):
            shown = reference_tool.output(TOOL, name, "--help")
            options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.M))
            entries = set(re.findall(r"^`(?:-\w, )?(--[\w-]+)", pages[name], re.M))
            self.assertEqual(options - entries, set(), f"upsweep {name}")


if __name__ == "__main__":
    unittest.main()
