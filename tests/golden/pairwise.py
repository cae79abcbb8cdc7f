#!/usr/bin/env python3
"""The golden set of tree::pairwise, made from docs/spec/pairwise.md: everything but the tree is
that of reference.py.

    pairwise.py               prints the set
    pairwise.py --check FILE  exits with 1 and the first line of FILE that differs from the set
    pairwise.py --hash        prints the SHA-256 of the set
    pairwise.py --p4016       prints the results of P4016's example for 16 and 128 lanes
"""

import struct
import sys

import reference
from spec import tree
from spec.cases import golden_set


def pairwise(op, level):
    """Neighbors are paired level by level; an odd last one goes up unchanged."""
    while len(level) > 1:
        paired = [op(level[j], level[j + 1]) for j in range(0, len(level) - 1, 2)]
        level = paired + level[2 * len(paired) :]
    return level[0]


def totals(op, x, initial=None):
    """The result of a reduction, before `finish`, as the last one of a list."""
    if not x:
        return [op.identity if initial is None else initial]
    total = pairwise(op.join, x)
    return [total if initial is None else op.join(initial, total)]


def p4016(lanes):
    """The million doubles of P4016R0, appendix K, in its tree: element i is in lane i mod lanes."""
    state, x = 0x243F6A8885A308D3, []
    for _ in range(10**6):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        x.append(((state >> 11) - 2**52) / 2**52)
    plus = float.__add__
    return pairwise(plus, [pairwise(plus, x[j::lanes]) for j in range(lanes)])


def main(arguments):
    if arguments[:1] != ["--p4016"]:
        tree.prefixes = totals
        return reference.report(arguments, golden_set("pairwise_recipe.txt"))
    for lanes in 16, 128:
        print(lanes, struct.pack(">d", p4016(lanes)).hex())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
