#!/usr/bin/env python3
"""Finds words of tools/words.toml in the prose of README.md, CONTRIBUTING.md and docs/, and says
what to write instead (docs/writing.md). Code and blocks that tools write are not read.

    check_words.py             pages that are rewritten; tools/check_rooms.py runs this, too
    check_words.py --later     the others
    check_words.py --figures   sentences, words and the share of long sentences of each page
"""

import functools
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).resolve().parent / "words.toml"
LONG = 25  # words in a sentence
NO_PROSE = re.compile(
    r"""
    ^\ {0,3}(`{3,})[^\n]*\n[\s\S]*?^\ {0,3}\1\s*$                        # fenced code
  | <!--\ (?:[\w\ /-]+[:\ ]begin|table|[\w/]+\.py)\b[^>]*-->                  # what a tool writes
    [\s\S]*?<!--\ (?:end|[\w\ /-]+[:\ ]end)\b[^>]*-->
  | <!--[\s\S]*?-->
  | (?<!`)(`+)(?!`)[\s\S]*?(?<!`)\2(?!`)                                  # code in a line
  | (?<=\])\([^)\s]+\)                                                  # the address of a link
  | https?://[^\s)>]+
""",
    re.M | re.X,
)


@functools.cache
def table():
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


@functools.cache
def pattern():
    """One expression for all words, a group for each."""
    each = (words.replace(" ", r"\s+") for words in table()["words"])
    return re.compile(r"\b(?:" + "|".join(f"({e})" for e in each) + r")(?![\w'’-])", re.I)


def prose(text):
    """The text with blanks instead of what is no prose; lines keep their numbers."""
    return NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def wrong_words(text):
    """(line, words, what to write instead) of each."""
    wanted = list(table()["words"].values())
    for found in pattern().finditer(prose(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield line, " ".join(found[0].split()), wanted[found.lastindex - 1]


def is_page(name):
    pages = name.startswith("docs/") and not name.startswith("docs/generated/")
    return name.endswith(".md") and (pages or name in ("README.md", "CONTRIBUTING.md"))


def is_later(name):
    return name.startswith(tuple(table()["later"]["pages"]))


def complaints(files, read, later=False):
    """A line for each word in the pages among `files`."""
    for name in sorted(n for n in files if is_page(n) and is_later(n) == later):
        if name == "docs/writing.md":
            continue  # shows the words
        for line, words, instead in wrong_words(read(name)):
            yield f"{name}:{line}: '{words}': write {instead} (docs/writing.md)"


def sentences(text):
    """The number of words of each sentence; items of lists and cells are sentences, too."""
    text = re.sub(r"(?<!`)`[^`\n]+(?:\n[^`\n]+)?`(?!`)", "Code", text)  # one word
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.\s))|(?<=\S)\s*\|", prose(text))
    for block in blocks:
        for sentence in re.split(r"(?<=[.!?;])\s+(?=[A-Z\[*\"(])|:\s*\n", block):
            words = re.findall(r"[^\W_][\w'’.-]*", sentence)
            if len(words) > 3:
                yield len(words)


def figures(files, read):
    """The table of --figures."""
    row = "{:40} {:>9} {:>14} {:>16}".format
    yield row("page", "sentences", "words each", f"above {LONG} words")
    total = []
    for name in sorted(filter(is_page, files)):
        lengths = list(sentences(read(name)))
        total += lengths
        yield row(name, *summary(lengths))
    yield row("all", *summary(total))


def summary(lengths):
    n = max(1, len(lengths))
    long = sum(length > LONG for length in lengths)
    return len(lengths), f"{sum(lengths) / n:.1f}", f"{100 * long / n:.1f} %"


def main():
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    files = [str(path.relative_to(ROOT)) for path in paths]
    read = lambda name: (ROOT / name).read_text(encoding="utf-8")
    if "--figures" in sys.argv[1:]:
        print("\n".join(figures(files, read)))
        return 0
    found = list(complaints(files, read, "--later" in sys.argv[1:]))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
