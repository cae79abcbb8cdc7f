#!/usr/bin/env python3
"""Finds words of tools/words.toml in the prose of the pages, the tool's help and all other Markdown
that readers see, and in the comments of code, and says what to write instead (docs/writing.md).
Code in pages and blocks that tools write are not read. In comments a word may occur as often as the
table [comments] allows.

    check_words.py             rewritten pages, comments, spelling; tools/check_rooms.py runs this
    check_words.py --later     the other pages
    check_words.py --comments  all these words in comments, also as often as they may occur
    check_words.py --figures   sentences, words and the share of long sentences of each page
"""

import collections
import functools
import io
import re
import subprocess
import sys
import tokenize
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

CPP = (".hpp", ".cpp", ".inl", ".h", ".c", ".cuh", ".cu")
CODE = CPP + (".py",)
SPELLED = CODE + (".cmake", "CMakeLists.txt", ".js", ".css", ".html", ".sh", ".f90", ".F90", ".v")
NO_CODE = ("bench/vendor/", "third_party/")
TOKEN = re.compile(  # a literal, which may look like a comment, or a comment
    r"""R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*'"""
    r"""|//[^\n]*|/\*[\s\S]*?\*/"""
)
MARKS = re.compile(r"//[/!]?<?|/\*+|\*+/|^[ \t]*\*|#|\"\"\"", re.M)


@functools.cache
def table():
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


@functools.cache
def listed(in_comments=False):
    """The words, and what to write instead of each."""
    return table()["words"] | (table()["words_in_comments"] if in_comments else {})


@functools.cache
def pattern(in_comments=False):
    """One expression for all words, a group for each."""
    each = (words.replace(" ", r"\s+") for words in listed(in_comments))
    return re.compile(r"\b(?:" + "|".join(f"({e})" for e in each) + r")(?![\w'’-])", re.I)


def prose(text):
    """The text with blanks instead of what is no prose; lines keep their numbers."""
    return NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def wrong_words(text, in_comments=False):
    """(line, words, their key in the list) of each."""
    keys = list(listed(in_comments))
    for found in pattern(in_comments).finditer(prose(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield line, " ".join(found[0].split()), keys[found.lastindex - 1]


def spans_of_comments(name, text):
    """Where the comments of C++ or Python begin and end, documentation of functions included."""
    if not name.endswith(".py"):
        found = (match for match in TOKEN.finditer(text) if match[0].startswith("/"))
        yield from (match.span() for match in found)
        return
    begins = [0]
    begins += (match.end() for match in re.finditer("\n", text))
    at = lambda position: begins[position[0] - 1] + position[1]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_text = token.type == tokenize.STRING and token.string.startswith('"""')
        if token.type == tokenize.COMMENT or (is_text and not token.line[: token.start[1]].strip()):
            yield at(token.start), at(token.end)


def comments(name, text):
    """The words of the comments, each in its line; code and the marks of comments are left out."""
    parts, end = [], 0
    for begin, following in spans_of_comments(name, text):
        parts.append("\n" * text.count("\n", end, begin))
        parts.append(MARKS.sub(" ", text[begin:following]))
        end = following
    return "".join(parts)


def words_in_comments(files, read):
    """(file, line, words, their key in the list) of each."""
    for name in sorted(n for n in files if n.endswith(CODE) and not n.startswith(NO_CODE)):
        for line, words, key in wrong_words(comments(name, read(name)), in_comments=True):
            yield name, line, words, key


def complaints_of_comments(files, read):
    """A line for each of the words that comments have more often than the table allows."""
    found = collections.defaultdict(list)
    for name, line, words, key in words_in_comments(files, read):
        found[key].append(f"{name}:{line}: '{words}'")
    for key, all_found in found.items():
        most = table()["comments"].get(key, 0)
        if len(all_found) > most:
            yield (
                f"comments have '{key}' {len(all_found)} times, {most} are allowed: write "
                f"{listed(True)[key]} (docs/writing.md); tools/check_words.py --comments lists "
                f"them, as {all_found[-1]}"
            )


def complaints_of_spelling(files, read):
    """A line for each British spelling in code, names included."""
    spelling = re.compile(table()["spelling"])
    for name in sorted(n for n in files if n.endswith(SPELLED) and not n.startswith(NO_CODE)):
        text = read(name)
        for found in spelling.finditer(text.lower()):
            number = text.count("\n", 0, found.start()) + 1
            word = text[slice(*found.span())]
            yield f"{name}:{number}: '{word}': American spelling (docs/writing.md)"


def complaints_of_names(files, read):
    """A line for each name in C++ with a word of the table, tests apart."""
    words = table()["names"]
    name_of = re.compile(rf"\b(?:\w*_)?({'|'.join(words)})(?:_\w*)?\b")
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])
    for file in sorted(
        n for n in files if n.endswith(CPP) and not n.startswith((*NO_CODE, "tests/"))
    ):
        text = TOKEN.sub(blank, read(file))
        for found in name_of.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            yield f"{file}:{number}: '{found[0]}': write {words[found[1]]} (docs/writing.md)"


def is_page(name):
    """Not measurements as they were printed, nor what was true of earlier versions."""
    others = ("tests/", "bench/", "docs/generated/", "CHANGELOG.md", ".")
    return name.endswith(".md") and not name.startswith(others)


def is_later(name):
    return name.startswith(tuple(table()["later"]["pages"]))


def complaints(files, read, later=False):
    """A line for each word in the pages among `files`, for words too frequent in comments or in
    names, and for British spellings in code."""
    yield from complaints_of_pages(files, read, later)
    if not later:
        yield from complaints_of_comments(files, read)
        yield from complaints_of_spelling(files, read)
        yield from complaints_of_names(files, read)


def complaints_of_pages(files, read, later=False):
    """A line for each word in the pages among `files`."""
    for name in sorted(n for n in files if is_page(n) and is_later(n) == later):
        if name == "docs/writing.md":
            continue  # shows the words
        for line, words, key in wrong_words(read(name)):
            yield f"{name}:{line}: '{words}': write {listed()[key]} (docs/writing.md)"


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
    out = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    files = [name for name in out.stdout.splitlines() if (ROOT / name).is_file()]
    read = lambda name: (ROOT / name).read_text(encoding="utf-8")
    if "--figures" in sys.argv[1:]:
        print("\n".join(figures(files, read)))
        return 0
    if "--comments" in sys.argv[1:]:
        for name, line, words, _ in words_in_comments(files, read):
            print(f"{name}:{line}: '{words}'")
        return 0
    found = list(complaints(files, read, "--later" in sys.argv[1:]))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
