"""Reads the public declarations of C++ headers with their /// comments. It relies on the house
style: declarations of a namespace begin in the first column, and what is not for users is in a
namespace `detail`.
"""

import re
from dataclasses import dataclass, field

from links import ROOT

OPENING = re.compile(r"^(?:inline )?namespace ([\w:]+)? ?\{(?!.*\})")
NAMED = re.compile(
    r"^(?:struct|class|enum class|concept|using|enum)\s+(?:UPSWEEP_API\s+)?(\w+)"
    r"|^(?:inline |constexpr |static )+(?:[\w:<>*]+ )+(\w+)\s*(?:=|\{)"
    r"|^__extension__ typedef [\w ]+ (\w+)$"
)
# A name with an underscore or ::, but not in the name of a file.
CODE_NAME = re.compile(
    r"(?<![\w./])((?:[A-Za-z]\w*::)*[A-Za-z]\w*(?:_|::)\w+\b(?:<\w+>)?(?:\(\))?)(?![./]\w)"
)
CALLED = re.compile(r"(\w+)\(")


@dataclass
class Declaration:
    """One declaration: its comment, if it has one, and its text without a function's body."""

    name: str
    header: str
    comment: str
    text: str
    body: list = field(default_factory=list)  # lines of a class
    raw: str = ""  # its first lines as they are

    @property
    def is_function(self):
        return NAMED.match(without_template(self.text)) is None


def marked(text):
    """Prose of a comment as Markdown: names of code are code, and < is no tag."""
    pieces = text.split("`")
    for i in range(0, len(pieces), 2):
        parts = CODE_NAME.split(pieces[i])
        parts[::2] = [re.sub(r"([<*])", r"\\\1", part) for part in parts[::2]]
        parts[1::2] = [f"`{part}`" for part in parts[1::2]]
        pieces[i] = "".join(parts)
    return "`".join(pieces)


def without_template(text):
    """The declaration without the `template <...>` and requires clauses before it."""
    text = re.sub(r"\[\[[^\]]*\]\]\s*", "", text).strip()
    while text.startswith("template"):
        depth = 0
        for at, sign in enumerate(text):
            depth += (sign == "<") - (sign == ">")
            if sign == ">" and depth == 0:
                break
        text = text[at + 1 :].strip()
        if text.startswith("requires"):
            text = text.partition("\n")[2].strip()
    return text


def name_of(text):
    bare = without_template(text)
    named = NAMED.match(bare)
    if named:
        return next(filter(None, named.groups()))
    called = CALLED.search(bare)
    return called[1] if called else None


def statement(lines, at):
    """The text of the declaration that begins at a line, up to its body or semicolon, the lines of
    its body, and the line after it.
    """
    start = without_template("\n".join(lines[at : at + 12]))
    has_body = not re.match(
        r"concept|using|(?:inline |static )*constexpr (?:[\w:]+ )+\w+ ?=", start
    )
    text, parentheses, braces = [], 0, 0
    for i in range(at, len(lines)):
        line = re.sub(r"\s*//.*", "", lines[i])
        for j, sign in enumerate(line):
            parentheses += (sign in "(") - (sign in ")")
            if has_body and sign == "{" and parentheses == 0 or sign == ";" and not braces:
                text.append(line[:j].rstrip())
                return "\n".join(text).strip(), *body(lines, at, i, j, sign)
            braces += (sign == "{") - (sign == "}")
        text.append(line)
    return "\n".join(text), [], len(lines)


def body(lines, first, line, column, sign):
    """The lines inside of braces that open there, and the line after them; the declaration begins
    at the line `first`.
    """
    rest = re.sub(r"\s*//.*", "", lines[line][column:])
    if sign == ";" or rest.rstrip("; ").endswith("}"):
        return [], line + 1
    indent = re.match(r" *", lines[first])[0]
    for end in range(line + 1, len(lines)):
        if re.match(rf"{indent}\}}", lines[end]):
            return lines[line + 1 : end], end + 1
    return [], len(lines)


def declarations(header):
    """All of namespace upsweep in a header, in their order."""
    lines = (ROOT / header).read_text().splitlines()
    spaces, comment, at = [], [], 0
    while at < len(lines):
        line = lines[at]
        opening = OPENING.match(line)
        if opening:
            spaces.append(opening[1] or "")
            at += 1
        elif re.match(r"^\}\s*// namespace", line):
            spaces and spaces.pop()
            at += 1
        elif line.startswith("///"):
            comment.append(line[3:].removeprefix(" "))
            at += 1
            continue
        elif re.match(
            r"^(template|struct|class|enum|concept|using|__ext|\[\[|[a-z][\w:]*[ <*&])", line
        ):
            begin = at
            text, inside, at = statement(lines, at)
            name = name_of(text)
            if spaces == ["upsweep"] and name and "static_assert" not in text:
                raw = "\n".join(lines[begin : begin + len(text.splitlines())])
                yield Declaration(name, header, "\n".join(comment), text, inside, raw)
        else:
            at += 1
        comment = []


def first_comment(header):
    """What the head of a header says."""
    lines = (ROOT / header).read_text().splitlines()
    head = []
    for line in lines:
        if not line.startswith("///"):
            break
        head.append(line[3:].removeprefix(" "))
    return "\n".join(head)
