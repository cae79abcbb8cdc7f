#!/usr/bin/env python3
"""A second implementation of the library's results, made from docs/spec/ alone: it expands
recipe.txt as docs/spec/golden.md says and computes the result of each case. spec/ has a file for
each part of the specification.

    reference.py                        prints the golden set
    reference.py --hash                 prints its SHA-256
    reference.py --check FILE [EVERY]   exits with 1 and the first line of FILE that differs from
        the set; computes one result of EVERY (1), and compares the cases of all
    reference.py ... RECIPE             does the same for another recipe of this folder
"""

import hashlib
import itertools
import sys

from spec.cases import golden_set


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
    named = bool(arguments) and arguments[-1].endswith("recipe.txt")
    recipe = arguments.pop() if named else "recipe.txt"
    return report(arguments, golden_set(recipe, *map(int, arguments[2:])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
