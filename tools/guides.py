#!/usr/bin/env python3
"""Writes the pages of docs/guides from the tables beside them, and programs of their C++ and C.

guides.py                         writes the pages
guides.py --check                 exit status 1 if a page is not what its table says
guides.py program COLUMN OUT      writes a program that compares the calls of a column (cpp, c,
                                  or a peer in C++) with what the page says that they give
"""

import re
import sys
import tomllib
from pathlib import Path

from page_writer import DOCS, finish

HOME = DOCS / "guides"

# What a column of a table is called, how its code is highlighted, whether it is ours.
COLUMNS = {
    "python": ("Python", "python", True),
    "cpp": ("C++", "cpp", True),
    "c": ("C", "c", True),
    "shell": ("shell", "sh", True),
    "numpy": ("NumPy", "python", False),
    "pandas": ("pandas", "python", False),
    "sql": ("SQL", "sql", False),
    "r": ("R", "r", False),
    "datamash": ("datamash", "sh", False),
    "miller": ("Miller", "sh", False),
    "duckdb": ("DuckDB", "sql", False),
    "thrust": ("Thrust", "cpp", False),
    "cub": ("CUB", "names", False),
    "tbb": ("oneTBB", "cpp", False),
    "parlay": ("ParlayLib", "cpp", False),
}


class Call:
    """One cell of a table: code, and what it gives."""

    def __init__(self, page, section, row, column):
        self.code = row[column].strip("\n")
        self.shows = row.get(f"{column}_shows", row["shows"])
        self.result = row.get(f"{column}_result", row.get("result", "out"))
        self.data = data_of(section, column)
        self.files = section.get("files", {})
        self.where = f"{page}: {section['title']}: {row['want']}"

    def is_expression(self):
        return not self.code.endswith((";", "}"))


def data_of(section, column):
    """The data that a column's calls need: that of its language, then its own."""
    data = section.get("data", {})
    language = {"python": "python", "cpp": "cpp"}.get(COLUMNS[column][1], column)
    return "\n".join(data[c].strip("\n") for c in dict.fromkeys((language, column)) if c in data)


def pages():
    """The tables by the names of their pages."""
    return {path.stem: tomllib.loads(path.read_text()) for path in sorted(HOME.glob("*.toml"))}


def calls(column):
    """Every call of a column, on all pages."""
    for name, page in pages().items():
        for section in page["section"]:
            for row in section.get("row", []):
                if column in row:
                    yield Call(name, section, row, column)


def span(code):
    """Code in a cell of a Markdown table, one code span a line."""
    lines = [line for line in code.strip("\n").splitlines() if line.strip()]
    marked = [line.rstrip().replace("|", "\\|") for line in lines]
    return "<br>".join(f"`` {line} ``" if "`" in line else f"`{line}`" for line in marked)


def gives(row, columns):
    """What the calls of a row give: once, or with the name of each that gives something else."""
    ours = [c for c in columns if c in row and COLUMNS[c][2]]
    run = [c for c in columns if c in row and COLUMNS[c][1] != "names"]
    said = {c: row.get(f"{c}_shows", row["shows"]) for c in run}
    parts = [span(said[ours[0]])] if ours else []
    for column in columns:
        if column in said and (not ours or said[column] != said[ours[0]]):
            parts.append(f"{COLUMNS[column][0]}: {span(said[column])}")
    return "; ".join(parts)


def here(column):
    return f"Upsweep ({COLUMNS[column][0]})"


def cards(page, section):
    """A section as a heading and a small table a row: for many columns."""
    for row in section["row"]:
        yield heading(row)
        yield "| | |\n| :-- | :-- |"
        for column in page["columns"]:
            if column in row:
                name = f"**{here(column)}**" if COLUMNS[column][2] else COLUMNS[column][0]
                yield f"| {name} | {span(row[column])} |"
        if "words" in row:
            words = row["words"].replace("|", "\\|")
            yield f"| other names | {words} |"
        yield f"| result | {gives(row, page['columns'])} |\n"


def blocks(page, section):
    """A section as a heading and a block of code a call: for calls of many lines."""
    for row in section["row"]:
        yield heading(row)
        for column in (c for c in page["columns"] if c in row):
            name, language, ours = COLUMNS[column]
            code = row[column].strip("\n")
            yield f"{here(column) if ours else name}:\n\n```{language}\n{code}\n```\n"
        yield f"Result: {gives(row, page['columns'])}.\n"


LAYOUTS = {"cards": cards, "blocks": blocks}


def heading(row):
    note = f"\n{row['note']}\n" if "note" in row else ""
    return f"### {row['want'][0].upper()}{row['want'][1:]}\n{note}"


def given(page, section):
    """The data that the calls of a section share."""
    data, files = section.get("data", {}), section.get("files", {})
    code = {}
    for column in (c for c in COLUMNS if c in data):
        code.setdefault(COLUMNS[column][1], []).append(data[column].strip("\n"))
    for language, parts in code.items():
        yield f"```{language}\n" + "\n".join(parts) + "\n```\n"
    for name, text in files.items():
        yield f"`{name}`:\n\n```\n{text.rstrip(chr(10))}\n```\n"


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def written(name, page):
    """A page as Markdown."""
    lines = [f"<!-- tools/guides.py writes this page from {name}.toml. -->", f"# {page['title']}\n"]
    lines.append(page["intro"].strip("\n") + "\n")
    layout = page.get("layout", "cards")
    if layout == "cards":
        for section in page["section"]:
            wants = (r["want"] for r in section.get("row", []))
            links = " · ".join(f"[{w}](#{anchor(w)})" for w in wants)
            here_is = f"- [{section['title']}](#{anchor(section['title'])})"
            lines.append(f"{here_is}: {links}" if links else here_is)
        lines.append("")
    for section in page["section"]:
        lines.append(f"## {section['title']}\n")
        if "intro" in section:
            lines.append(section["intro"].strip("\n") + "\n")
        lines += given(page, section)
        if "row" in section:
            lines += LAYOUTS[layout](page, section)
        if "outro" in section:
            lines.append(section["outro"].strip("\n") + "\n")
    return "\n".join(lines).rstrip("\n") + "\n"


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def shown_in_c(result):
    """Statements that append variables to what is shown: `total`, `out[8]`, separated by commas."""
    for part in re.split(r",\s*", result):
        name, length = re.fullmatch(r"([^\[]+)(?:\[(.*)\])?", part).groups()
        yield f"SHOW_ALL({name}, {length});" if length else f"SHOW({name});"


def program(column):
    """Functions that make the calls, and a table of them. The prelude is tests/guides/calls.h."""
    parts, names = ['#include "calls.h"\n'], []
    for i, call in enumerate(calls(column)):
        body = [call.data] if call.data else []
        if column == "c":
            body += [call.code, *shown_in_c(call.result)]
        elif call.is_expression():
            body.append(f"show({call.code});")
        else:
            body += [call.code, f"show({call.result});"]
        parts.append(f"static void call_{i}(void) {{\n" + "\n".join(body) + "\n}\n")
        names.append(f"  {{{literal(call.where)}, {literal(call.shows)}, call_{i}}},")
    parts.append("struct call const all_calls[] = {\n" + "\n".join(names) + "\n};")
    parts.append("int const number_of_calls = sizeof all_calls / sizeof *all_calls;\n")
    return "\n".join(parts)


def main(words):
    if words[:1] == ["program"]:
        Path(words[2]).write_text(program(words[1]))
        return 0
    files = {HOME / f"{name}.md": written(name, page) for name, page in pages().items()}
    return finish(files, words == ["--check"], "tools/guides.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
