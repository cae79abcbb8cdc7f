"""The help, the manual and the examples in them, each of which is run."""

import json
import os
import re
import shutil
import subprocess
import unittest

from support import TOOL, ToolTest

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
COMMANDS = sorted(
    page.removesuffix(".md")
    for page in os.listdir(os.path.join(ROOT, "cli", "help"))
    if page != "upsweep.md"
)


def has_man():
    """Minimal images of Ubuntu have a script of that name, which says that it shows no manual."""
    if not shutil.which("man"):
        return False
    done = subprocess.run(["man", "--version"], capture_output=True, text=True)
    return done.stdout.startswith("man ")


class Help(ToolTest):
    def test_the_overview_lists_the_commands_that_have_a_page_and_no_others(self):
        commands = self.text("--help").split("\nCommands:\n")[1].split("\n\n")[0]
        self.assertEqual(sorted(re.findall(r"^  ([\w-]+)", commands, re.M)), COMMANDS)

    def test_every_command_explains_itself_examples_first(self):
        overview = self.text("--help")
        for command in COMMANDS:
            text = self.text(command, "--help")
            self.assertEqual(self.text(command, "-h"), text)
            first = text.splitlines()[0]
            self.assertGreater(len(first), 20, command)
            self.assertIn(" ".join(first.split()[:4]), " ".join(overview.split()), command)
            self.assertIn(f"Usage: upsweep {command} [OPTIONS]", text)
            self.assertLess(text.index("\nExamples:\n"), text.index("-h, --help"), command)
            self.assertLessEqual(max(map(len, text.splitlines())), 200)

    def test_no_mark_of_markdown_is_left(self):
        for command in ["", *COMMANDS]:
            text = self.text(*([command] if command else []), "--help")
            prose = [line for line in text.split("\n") if not line.startswith("      ")]
            for line in prose:
                line = line.replace("% **", "%")  # a power
                self.assertNotRegex(line, r"\*\*|``|^ *#|\]\(|^ *\|", command)
                # Only what is to be typed between backquotes has them.
                words = re.sub(r"`(row|any name at all)`", "", line)
                self.assertNotIn("`", words, command)

    def test_lists_have_a_line_for_each_item(self):
        conditions = self.text("select", "--help").split("\nConditions:\n")[1]
        for word in ["Comparisons", "Logic", "Numbers", "Strings", "Columns"]:
            self.assertRegex(conditions, rf"(?m)^  - {word}: ")
        with open(os.environ["UPSWEEP_MANUAL"], encoding="utf-8") as f:
            page = f.read()
        self.assertIn(".IP \\(bu 2\n\\fBComparisons\\fR: \\fB==\\fR", page)
        self.assertNotIn("**", page.replace("% **", "%"))  # a power

    def test_a_page_names_every_operator(self):
        listed = json.loads(self.text("list", "operators", "--json"))["operators"]
        pages = "".join(self.text(command, "--help") for command in COMMANDS)
        named = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", pages))
        self.assertEqual([], [one["name"] for one in listed if one["name"] not in named])

    def test_the_version_names_the_tree(self):
        self.assertRegex(self.text("--version"), r"\Aupsweep \d+\.\d+\.\d+ \(combine tree 1\)\n\Z")

    def examples(self, command):
        """(command line, expected output) of each `$` line of a help text."""
        found = []
        for line in self.text(*([command] if command else []), "--help").split("\n"):
            if line.startswith("      $ "):
                found.append((line[8:], []))
            elif line.startswith("      ") and found and found[-1][1] is not None:
                found[-1][1].append(line[6:])
            elif found and found[-1][1] is not None:
                found[-1] = (found[-1][0], found[-1][1])
                found.append(("", None))
        return [(run, "".join(part + "\n" for part in out)) for run, out in found if run]

    def test_the_examples_do_what_they_show(self):
        path = os.path.dirname(TOOL) + ":" + os.environ["PATH"]
        environment = {**os.environ, "PATH": path, "LC_ALL": "C"}
        count = 0
        for command in ["", *COMMANDS]:
            for line, expected in self.examples(command):
                done = self.run_line(line, env=environment)
                if done.returncode == 5 and b"built without" in done.stderr:
                    continue  # zlib or the laboratory is not there
                self.assertEqual(done.stdout.decode(), expected, line)
                count += 1
        self.assertGreaterEqual(count, 70)

    def test_the_manual_is_made_of_the_same_pages(self):
        with open(os.environ["UPSWEEP_MANUAL"], encoding="utf-8") as f:
            page = f.read()
        self.assertTrue(page.startswith(".TH UPSWEEP 1"))
        for command in COMMANDS:
            self.assertIn(f".SH UPSWEEP {command.upper()}\n", page)
            for option in re.findall(
                r"^  (?:-\w, )?(--[a-z-]+)", self.text(command, "--help"), re.M
            ):
                self.assertIn(option.replace("-", "\\-"), page, command)

    def test_the_help_and_the_manual_say_where_the_documents_are_that_they_name(self):
        with open(os.environ["UPSWEEP_MANUAL"], encoding="utf-8") as f:
            page = f.read().replace("\\-", "-")
        for text in (self.text("--help"), page):
            self.assertIn("share/doc/upsweep", text)
        named = set(re.findall(r"docs/[\w/-]+\.md", page))
        self.assertGreaterEqual(len(named), 3, named)
        for document in named:
            self.assertTrue(os.path.isfile(os.path.join(ROOT, document)), document)

    @unittest.skipUnless(has_man(), "man is not installed")
    def test_man_renders_the_manual_without_warnings(self):
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", os.environ["UPSWEEP_MANUAL"]],
            capture_output=True,
            timeout=60,
            env={**os.environ, "MANWIDTH": "100", "PAGER": "cat"},
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn("upsweep reduce", done.stdout.decode())


if __name__ == "__main__":
    unittest.main()
