#!/usr/bin/env python3
"""Solutions of the exercises, and others, as solutions.toml and alternatives describe them.

solutions.py 05-shuffle-mask prints the solution of that exercise.
"""

import functools
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXERCISES = HERE.parents[1] / "exercises"


def changed(text, old, new):
    """The text with one change. A change that does not fit exactly once is an error."""
    if text.count(old) != 1:
        raise ValueError(f"{text.count(old)} times in the text: {old!r}")
    return text.replace(old, new)


def edited(text, edits):
    for old, new in edits:
        text = changed(text, old, new)
    return text


@functools.cache
def table(name):
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def names():
    return sorted(table("solutions.toml"))


def given(name):
    return (EXERCISES / name / "kernel.cu").read_text(encoding="utf-8")


def solution(name):
    row = table("solutions.toml")[name]
    base = solution(row["like"]) if "like" in row else given(name)
    return edited(base, row["edits"])


def alternatives():
    """Exercise, RIGHT or POINTLESS, what it does, and the whole file."""
    rows = table("alternatives/edits.toml")
    for path in sorted((HERE / "alternatives").glob("*.cu")):
        _, *parts = re.split(r"(?m)^// EXERCISE (\S+)\n", path.read_text())
        for name, text in zip(parts[::2], parts[1::2]):
            yield from alternatives_of(name, text, rows.get(name, []))


def alternatives_of(name, text, rows):
    right = solution(name)
    head = right[: re.search(r"(//[^\n]*\n)*__global__", right).start()]
    found = {"": right}
    for section in re.split(r"(?m)^(?=// (?:RIGHT|POINTLESS) )", text)[1:]:
        first, body = section.split("\n", 1)
        _, kind, what = first.split(" ", 2)
        found[what] = head + body
        yield name, kind, what, found[what]
    for row in rows:
        kind = "RIGHT" if "right" in row else "POINTLESS"
        what = row[kind.lower()]
        found[what] = edited(found[row.get("like", "")], row["edits"])
        yield name, kind, what, found[what]


if __name__ == "__main__":
    if sys.argv[1:2] == [] or sys.argv[1] not in names():
        sys.exit(f"solutions: name one of {', '.join(names())}")
    print(solution(sys.argv[1]), end="")
