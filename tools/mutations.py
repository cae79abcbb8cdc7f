"""Small changes of C++ text that a test should notice: what tools/mutants.py plants."""

import re
from typing import NamedTuple

operators = {
    "comparison": [
        (" < ", " <= "),
        (" <= ", " < "),
        (" > ", " >= "),
        (" >= ", " > "),
        (" == ", " != "),
        (" != ", " == "),
        (" && ", " || "),
        (" || ", " && "),
        ("(!", "("),
        (" !", " "),
    ],
    "arithmetic": [
        (" + ", " - "),
        (" - ", " + "),
        (" * ", " + "),
        (" / ", " * "),
        (" % ", " / "),
        (" & ", " | "),
        (" | ", " & "),
        (" << ", " >> "),
        (" >> ", " << "),
        (" += ", " -= "),
        (" -= ", " += "),
        ("++", "--"),
        ("--", "++"),
    ],
    "constant": [("true", "false"), ("false", "true")],
}
# Declarations and what only the compiler sees: a change there does not compile, or means nothing.
not_code = re.compile(
    r"^\s*(#|template\b|using\b|namespace\b|static_assert\b|requires\b|concept\b|friend\b|"
    r"extern\b|enum\b|struct\b|class\b|typedef\b|public:|private:|protected:)"
)
# Calls that cost or save time and change no result.
only_speed = re.compile(r"\b(reserve|shrink_to_fit|prefetch|\w*prefetch\w*|advise|madvise)\s*\(")
statement = re.compile(
    r"^(\s+)(?!return\b|throw\b|delete\b|co_|else\b|if\b|for\b|while\b|case\b)"
    r"([A-Za-z_][\w:.\->\[\]]*)\((.*)\);$"
)
# Of two numbers, the larger and the smaller one have no order.
two_arguments = re.compile(r"(?<!std::max)(?<!std::min)(?<=\w)\((\w[\w.\[\]]*), (\w[\w.\[\]]*)\)")
condition = re.compile(r"^(\s*(?:\} else )?(?:if|while) )\((.*)\)( \{|\s\S.*;)?$")
branches = re.compile(r" \? ([\w.\[\]()+*/ -]+?) : ([\w.\[\]()+*/ -]+?)(?=[;,)]|$)")
number = re.compile(r"(?<![\w.'])(\d+)(?:u|U|l|L|z)*(?![\w.'])")


class mutation(NamedTuple):
    """Replace line `line` (from 1) of `file`, which is `before`, with `after`."""

    file: str
    line: int
    kind: str
    before: str
    after: str


def changes_of_line(text, code):
    """(kind, new line) for each change of the line `text`; in `code`, what is not code is blank."""
    for kind, pairs in operators.items():
        for old, new in pairs:
            word = old.isalpha()
            for found in re.finditer(re.escape(old), code):
                a, b = found.span()
                if word and re.search(r"\w", code[a - 1 : a] + code[b : b + 1]):
                    continue
                if old in ("(!", " !") and code[b : b + 1] == "=":
                    continue
                if old == " & " and code[:a].rstrip().endswith(("auto", "const")):
                    continue
                yield kind, text[:a] + new + text[b:]
    for found in number.finditer(code):
        a, b = found.span(1)
        value = int(found[1])
        yield "constant", text[:a] + str(value + 1) + text[b:]
        if value == 1:
            yield "constant", text[:a] + "0" + text[b:]
    found = statement.match(code.rstrip())
    if found and not only_speed.search(code) and "=" not in found[2]:
        yield "call", f"{found[1]};"
    for found in two_arguments.finditer(code):
        if found[1] != found[2]:
            a, b = found.span()
            yield "order", f"{text[:a]}({found[2]}, {found[1]}){text[b:]}"
    found = condition.match(code.rstrip())
    if found and " constexpr" not in code and ";" not in found[2]:
        a, b = found.span(2)
        if balanced(found[2]):
            yield "order", f"{text[:a]}!({text[a:b]}){text[b:]}"
    for found in branches.finditer(code):
        a, b = found.span()
        first, second = (text[slice(*found.span(i))] for i in (1, 2))
        yield "order", f"{text[:a]} ? {second} : {first}{text[b:]}"


def balanced(text):
    """True if every parenthesis of `text` is closed after it was opened."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def mutations(file, text, code):
    """All changes of a file; `code` is `text` with comments and literals blanked."""
    found = []
    for index, (line, bare) in enumerate(zip(text.splitlines(), code.splitlines()), 1):
        if not bare.strip() or not_code.match(bare):
            continue
        seen = {line}
        for kind, after in changes_of_line(line, bare):
            if after not in seen:
                seen.add(after)
                found.append(mutation(file, index, kind, line, after))
    return found
