"""What all writers of pages share: tables, marked blocks, and writing or comparing files.

A writer makes the contents of its files, {path: text}, and ends with `finish`, which writes those
that differ, or with --check says which are out of date.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
GENERATED = DOCS / "generated"
RESULTS = ROOT / "bench" / "results"


def table(head, rows, left=1):
    """A Markdown table. `left` columns are aligned left: the first ones, or those of a list."""
    of_words = range(left) if isinstance(left, int) else left
    rule = [":--" if i in of_words else "--:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def cells(line):
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def power(n):
    """2^k, or the number if it is no power of two."""
    k = n.bit_length() - 1
    return f"2^{k}" if n == 2**k else f"{n:,}"


def marks(name):
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def filled(page, name, text):
    """The page with `text` between the marks of `name`."""
    begin, end = marks(name)
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"a page lacks {begin} and {end}; add both lines where '{name}' belongs")
    return f"{before}{begin}\n{text}\n{end}{after}"


def words_of(name):
    """A name as a part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def arguments(doc, tool=False):
    """A parser with --check, and with --tool."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    if tool:
        parser.add_argument("--tool", default=str(ROOT / "build" / "bin" / "upsweep"))
    parser.add_argument("--check", action="store_true")
    return parser


def finish(files, check, again):
    """Writes the files that differ from their contents, or with `check` only names them; the
    exit status. `again` is the command that writes them.
    """
    status = 0
    for path, text in files.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        if check:
            print(f"{name} is out of date: run {again}", file=sys.stderr)
            status = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return status
