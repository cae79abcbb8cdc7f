"""The text of C++: without comments and literals, and where its functions are."""

import re


def blank(text):
    """C++ text with comments, literals and preprocessor lines replaced by spaces, so that braces
    can be counted.
    """
    keep_lines = lambda match: re.sub(r"[^\n]", " ", match[0])
    text = re.sub(
        r'R"([^(\s]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'
        r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
        keep_lines,
        text,
        flags=re.S,
    )
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", keep_lines, text, flags=re.M)


def is_function(head):
    """True if the text before a `{` outside functions starts a function."""
    head = re.sub(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>", " ", head).strip()
    if re.match(
        r"(inline\s+)?namespace\b|extern\s*$|"
        r"(typedef\s+)?(class|struct|union|enum)\b(?!.*\)\s*(const|noexcept)?\s*$)",
        head,
        re.S,
    ):
        return None  # a scope that may contain functions
    return "(" in head and not re.search(
        r"(?<![=!<>+\-*/&|^])=(?!=)(?!.*\boperator\b)", head.split("(")[0]
    )


def functions(text):
    """(first line, number of lines, first words) of each function of blanked C++ text."""
    position, head = 0, 0
    while mark := re.compile("[;{}]").search(text, position):
        position = mark.start()
        if mark[0] != "{":
            head = position + 1
        else:
            kind = is_function(text[head:position])
            if kind is None:
                head = position + 1
            else:
                end = matching(text, position)
                # `: a{1}, b{2} {`: a constructor's initializers
                following = re.compile(r"\s*[,{]").match(text, end + 1)
                if kind and not following:
                    start = head + len(text[head:position]) - len(text[head:position].lstrip())
                    yield (
                        text.count("\n", 0, start) + 1,
                        text.count("\n", start, end) + 1,
                        " ".join(text[start:position].split()),
                    )
                position = end
                if not following:
                    head = end + 1
        position += 1


def matching(text, position):
    """The index of the brace that matches the one at `position`."""
    depth = 0
    for brace in re.compile("[{}]").finditer(text, position):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text) - 1
