"""The examples of the reference: functions of examples/every_*, with what each prints. A test
compares the output of the programs with the files every_*.txt.
"""

import re
import textwrap

from links import ROOT

FOLDER = ROOT / "examples"
FUNCTION = re.compile(
    r"^(?:static )?void (\w+)\((?:void)?\) \{(?: ([^\n]*) |\n(.*?)^)\}$", re.M | re.S
)
# What an example may use: constants on one line, and functions and types with their comment.
CONSTANT = re.compile(r"^((?:static )?[\w:<>]+ const (\w+)(?:\[\]|\{|\(| = ).*;)$", re.M)
HELPER = re.compile(
    r"^((?:(?://(?!/)[^\n]*|/\* (?:(?!\*/).)*\*/)\n)*"
    r"(?:struct (\w+) (?:: [\w:]+ )?\{|"
    r"(?!static void \w+\(void\)|void \w+\(\))(?:static )?[\w:]+ (\w+)\([^\n]*\) \{).*?^\};?)$",
    re.M | re.S,
)
SHOWN_ONCE = {"ok", "print", "main", "on_device"}  # the head of the page explains them


def local(code):
    """The names that code declares, which are not those of the file."""
    declared = re.findall(r"(\w+)[>*&]*[ *&]+(\w+)(?:\[\w*\])?(?: =|;|,|\)|\{|\()", code)
    return {name for before, name in declared if before not in ("sizeof", "return")}


class Program:
    """The examples of one file, by name: their code and their output."""

    def __init__(self, file):
        self.language = "c" if file.endswith(".c") else "cpp"
        code = (FOLDER / file).read_text()
        output = (FOLDER / file).with_suffix(".txt").read_text()
        parts = re.split(r"^\[(\w+)\]\n", output, flags=re.M)
        constants = {name: text.removeprefix("static ") for text, name in CONSTANT.findall(code)}
        helpers = {name or other: text for text, name, other in HELPER.findall(code)}
        helpers = {name: text for name, text in helpers.items() if name not in SHOWN_ONCE}
        bodies = {name: short or long for name, short, long in FUNCTION.findall(code)}
        self.examples = {}
        for name, printed in zip(parts[1::2], parts[2::2], strict=True):
            lines = textwrap.dedent(bodies[name].strip("\n").rstrip()).strip()
            used = self.used(lines, constants, helpers).lstrip("\n")
            self.examples[name] = (f"{used}{lines}\n", printed)

    @staticmethod
    def used(lines, constants, helpers):
        """The constants and helpers that the lines name, and those that these name."""
        given, needed, new = constants | helpers, set(), [lines]
        while new:
            code = re.sub(r"//.*|/\*.*?\*/", "", "\n".join(new))
            words = set(re.findall(r"(?<![.>:])\b\w+", code)) - local(code)
            more = {n for n in given if n in words} - needed
            needed |= more
            new = [given[n] for n in more]
        above = "".join(f"{constants[n]}\n" for n in constants if n in needed)
        return above + "".join(f"\n{helpers[n]}\n\n" for n in helpers if n in needed)

    def that_shows(self, word):
        """The name of the first example whose own lines have the word, or None."""
        for name, (code, _) in self.examples.items():
            if re.search(rf"\b{word}\b", code):
                return name
        return None


class Examples:
    """Finds the example of an entry."""

    def __init__(self, files, chosen):
        self.programs = {file: Program(file) for file in files}
        self.chosen = chosen  # for names that no example has, or not as the first
        self.shown = {}  # example -> the entry that shows it, on this page

    def start_page(self):
        self.shown = {}

    def markdown(self, entry, word, first=None):
        """The code and the output, or a link to an entry of this page that has them; "" if there
        is no example. `word` is what an example must contain, `first` the file to look into first.
        """
        chosen = self.chosen.get(entry)
        if chosen and "/" in chosen:
            code = re.sub(r"\A(?:///?[^\n]*\n)+", "", (ROOT / chosen).read_text())
            language = "c" if chosen.endswith(".c") else "cpp"
            return self.once(chosen, entry, f"```{language}\n{code}```\n\n")
        files = sorted(self.programs, key=lambda file: file != first)
        for wanted in (lambda p: chosen or entry, lambda p: None if chosen else p.that_shows(word)):
            for file in files:
                program = self.programs[file]
                name = wanted(program)
                if name in program.examples:
                    code, output = program.examples[name]
                    text = f"```{program.language}\n{code}```\n\n"
                    text += f"```text\n{output}```\n\n" if output else ""
                    return self.once((file, name), entry, text)
        return ""

    def once(self, example, entry, text):
        first = self.shown.setdefault(example, entry)
        return text if first == entry else f"Example: see [{first}](#{first.lower()}).\n\n"
