#!/usr/bin/env python3
"""The golden set of the tree of anchored blocks, made from docs/spec/blocks.md: everything but the
tree is that of reference.py.

    blocks.py               prints the set
    blocks.py --check FILE  exits with 1 and the first line of FILE that differs from the set
    blocks.py --hash        prints the SHA-256 of the set
"""

import sys

import reference
from spec import tree
from spec.cases import golden_set

in_one_tree = tree.prefixes


def prefixes(op, x, initial=None):
    """The result of no elements and those of the first 1, 2, ..., n, before `finish`."""
    results, state = [op.identity if initial is None else initial], initial
    for begin in range(0, len(x), 256):
        block = x[begin : begin + 256]
        results += in_one_tree(op._replace(trait="initial is first"), block, state)[1:]
        state = results[-1]
    return results


def main(arguments):
    tree.prefixes = prefixes
    return reference.report(arguments, golden_set("blocks_recipe.txt"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
