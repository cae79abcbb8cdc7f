"""Checks the call chains of docs/map.md, from a verb to its kernel."""

import re

ROW = re.compile(r"^\| (\d+) +\| `([\w:]+)` *\| `([^`]+)` *\|")
MOST_HOPS = 5
# To code that a user's compiler makes for a user's operator.
MOST_HOPS_TO = {"ascend": 8}


def lists(page):
    """The call chains of a page: [(line number, function, file), ...] for each table."""
    found = []
    for number, line in enumerate(page.splitlines(), 1):
        if row := ROW.match(line):
            if row[1] == "0":
                found.append([])
            found[-1].append((number, row[2].split("::")[-1], row[3]))
    return found


def closing(text, position):
    """The index of the bracket that matches the one at `position`."""
    pairs, depth = {"(": ")", "{": "}"}, 0
    opening = text[position]
    for i in range(position, len(text)):
        depth += (text[i] == opening) - (text[i] == pairs[opening])
        if depth == 0:
            return i
    return len(text)


def bodies(text, name):
    """The bodies of the functions called `name` in blanked C++ text."""
    for match in re.finditer(rf"\b{name}\s*\(", text):
        end = closing(text, match.end() - 1)
        if begin := re.match(r"\)[\w\s]*\{", text[end:]):
            brace = end + begin.end() - 1
            yield text[brace : closing(text, brace)]


def complaints(page, read):
    """Yields a message for each row of `page` that is not a call. `read` returns the blanked text
    of a file."""
    tables = lists(page)
    if not tables:
        yield "docs/map.md: no table of hops found"
    for hops in tables:
        most = MOST_HOPS_TO.get(hops[-1][1], MOST_HOPS)
        if len(hops) - 1 > most:
            yield f"docs/map.md:{hops[0][0]}: {len(hops) - 1} hops, more than {most}"
        for i, (number, name, file) in enumerate(hops):
            texts = list(bodies(read(file), name))
            if not texts:
                yield f"docs/map.md:{number}: {file} has no function '{name}'"
            elif i + 1 < len(hops):
                following = hops[i + 1][1]
                if not any(re.search(rf"\b{following}\s*[(<]", text) for text in texts):
                    yield f"docs/map.md:{number}: '{name}' in {file} does not call '{following}'"
