#!/usr/bin/env python3
"""A second implementation of the library's results, made from docs/spec/ alone: it expands
recipe.txt as docs/spec/golden.md says and computes the result of each case.

    reference.py               prints the golden set
    reference.py --check FILE [EVERY]
                               exits with 1 and the first line of FILE that differs from the set;
                               computes one result of EVERY (1), and compares the cases of all
    reference.py --hash        prints the SHA-256 of the set
    reference.py --only WORD   prints the lines with that word
"""

import hashlib
import itertools
import math
import os
import sys

from reference_numbers import M64, TYPES, patterns, split_type, values
from reference_operators import Recurrence, named
from reference_simple import Refused
from reference_verbs import VERBS

# ---- Cases and their inputs: golden.md ----


def cases_of_recipe(path):
    """Each case as a list of words, the rightmost list of a line varying fastest."""
    lists = {}

    def expanded(text):
        chosen = []
        for value in text.split(","):
            chosen += lists[value[1:]] if value[0] == "@" else [value]
        return chosen

    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words[:1] == ["list"]:
                lists[words[1]] = expanded(words[2])
            elif words:
                keys = [word_.rpartition("=")[::2] for word_ in words]
                for chosen in itertools.product(*(expanded(value) for _, value in keys)):
                    yield chosen[0], [(k, v) for (k, _), v in zip(keys[1:], chosen[1:])]


class Case(dict):
    """A case: its keys, and what they stand for."""

    def __init__(self, verb, pairs):
        super().__init__(pairs)
        self.verb = verb
        self.text = " ".join([verb] + ["%s=%s" % pair for pair in pairs])

    def __missing__(self, key):
        return {"initial": "none", "reverse": "no", "out": "result", "closed": "no"}[key]

    def number(self, key):
        return int(self[key])

    @property
    def n(self):
        return math.prod(self.shape) if "shape" in self else self.number("n")

    @property
    def shape(self):
        return [int(s) for s in self["shape"].split("x")]

    def operator(self):
        t = split_type(self["type"])[1]
        if "coefficients" in self:
            given = [float(a) for a in self["coefficients"].split(":")]
            return Recurrence(t, [t.round(a if t.is_float else int(a)) for a in given])
        return named(self["op"], t)

    def elements(self):
        return values(self["type"], self["kind"], self.n)[: self.n]

    def lifted(self, op):
        return [op.lift(x, i) for i, x in enumerate(self.elements())]

    def initial(self, op):
        if self["initial"] == "none":
            return None
        behind = values(self["type"], self["kind"], self.n)[self.n :]
        if op.continues:
            return tuple(behind[: op.order]), 1
        return op.lift(behind[0], M64)

    def patterns(self):
        return patterns(self["type"], self["kind"], self.n, 0)[: self.n]

    def number_type(self):
        return TYPES[self["type"]]


def golden_set(word_in_line="", every=1):
    """The lines of the set; those that are not one of `every` end before their result."""
    recipe = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipe.txt")
    for number, (verb, pairs) in enumerate(cases_of_recipe(recipe)):
        case = Case(verb, pairs)
        if word_in_line not in case.text:
            continue
        if number % every != 0:
            yield "%s => " % case.text
            continue
        try:
            result = VERBS[verb](case)
        except Refused as reason:
            result = str(reason)
        yield "%s => %s\n" % (case.text, result)


def report(arguments, lines):
    """Prints the lines, or their SHA-256 (--hash), or the first that is not in a file (--check)."""
    if arguments[:1] == ["--hash"]:
        print(hashlib.sha256("".join(lines).encode()).hexdigest())
    elif arguments[:1] == ["--check"]:
        with open(arguments[1], encoding="ascii") as file:
            for number, (kept, made) in enumerate(itertools.zip_longest(file, lines), 1):
                if kept is None or made is None or not kept.startswith(made):
                    print("%s:%d: is\n  %sbut should be\n  %s" % (arguments[1], number, kept, made))
                    return 1
    else:
        sys.stdout.writelines(lines)
    return 0


def main(arguments):
    word = arguments[1] if arguments[:1] == ["--only"] else ""
    every = int(arguments[2]) if arguments[:1] == ["--check"] and len(arguments) > 2 else 1
    return report(arguments, golden_set(word, every))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
