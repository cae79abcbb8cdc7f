"""docs/findings: every finding of the emulator has a page, whose commands print what it shows. The
broken kernel of its program has the finding, the fixed one has none.
"""

import re
import sys
import unittest
from pathlib import Path

from program_test import ProgramTest, supported
from support import TOOL

ROOT = Path(__file__).resolve().parents[2]
HOME, PROGRAMS = ROOT / "docs/findings", ROOT / "examples/findings"
sys.path.insert(0, str(ROOT / "tests/package"))
from snippets_test import (  # noqa: E402
    code_that_no_example_contains,
    commands_that_print_something_else,
)

PAGES = {f"docs/findings/{p.name}": p.read_text() for p in HOME.glob("*.md")}
# Findings that no program of the examples shows, and why.
WITHOUT_PROGRAM = {
    "broken_promise": "a CUDA file cannot declare its blocks independent",
}
COUNTERS = {"bank_conflict", "uncoalesced_access"}  # right, but slow: no findings


def findings():
    """The names of the emulator's findings, as stems of pages."""
    text = (ROOT / "upsweep/sim/sentences.cpp").read_text()
    names = re.findall(r'case finding_kind::\w+:\s*return "([^"]+)";', text)
    return {name.replace(" ", "_") for name in names}


class Findings(ProgramTest):
    def kinds(self, path, *words):
        """What the emulator finds in a program."""
        status = 0 if words or path.stem in COUNTERS else 1
        report = self.json(str(path), *words, status=status)
        self.assertEqual(report["failure"], "", path)
        return {f["kind"].replace(" ", "_") for f in report["findings"]}

    def test_every_finding_has_a_page_and_a_line_in_the_index(self):
        stems = {p.stem for p in HOME.glob("*.md")} - {"index"}
        self.assertGreater(len(findings()), 15)
        self.assertEqual(stems, findings() | COUNTERS)
        for stem in stems:
            self.assertIn(f"]({stem}.md)", PAGES["docs/findings/index.md"])

    def test_programs_have_their_finding_and_no_other_and_none_when_mended(self):
        programs = {p.stem: p for p in PROGRAMS.glob("*.cu")}
        self.assertEqual(programs.keys(), (findings() | COUNTERS) - WITHOUT_PROGRAM.keys())
        for stem, path in programs.items():
            self.assertEqual(self.kinds(path), {stem} - COUNTERS, path)
            self.assertEqual(self.kinds(path, "fixed"), set(), path)

    def test_pages_show_code_of_the_programs_and_what_the_tool_prints(self):
        pages = {
            page: text
            for page, text in PAGES.items()
            if Path(page).stem not in {"index", *WITHOUT_PROGRAM}
        }
        wrong = [
            *code_that_no_example_contains(pages, "cuda", "examples/findings/*.cu"),
            *commands_that_print_something_else(Path(TOOL).parent, pages),
        ]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    if not supported():
        sys.exit(77)
    unittest.main()
