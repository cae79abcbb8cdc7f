#!/usr/bin/env python3
"""The golden set of tree::pairwise, made from docs/spec/pairwise.md: the numbers and operators are
those of reference.py, the tree is its own.

    pairwise.py               prints the set
    pairwise.py --check FILE  exits with 1 and the first line of FILE that differs from the set
    pairwise.py --hash        prints the SHA-256 of the set
    pairwise.py --p4016       prints the results of P4016's example for 16 and 128 lanes
"""

import math
import os
import struct
import sys

from reference import Case, cases_of_recipe, report
from reference_simple import Refused
from reference_verbs import listed


def pairwise(op, level):
    """Neighbors are paired level by level; an odd last one goes up unchanged."""
    while len(level) > 1:
        paired = [op(level[j], level[j + 1]) for j in range(0, len(level) - 1, 2)]
        level = paired + level[2 * len(paired) :]
    return level[0]


def total_of(op, x, initial):
    if not x:
        return op.identity if initial is None else initial
    total = pairwise(op.op, x)
    return total if initial is None else op.op(initial, total)


def result_of(case):
    op = case.operator()
    x, initial = case.lifted(op), case.initial(op)
    if case.verb == "reduce":
        if case["reverse"] == "yes":
            x.reverse()
        lines = [x]
    else:
        shape, axis = case.shape, case.number("axis")
        stride, length = math.prod(shape[axis + 1 :]), shape[axis]
        starts = [i for i in range(len(x)) if i // stride % length == 0]
        lines = [[x[i + j * stride] for j in range(length)] for i in starts]
    return listed([op.finish(total_of(op, line, initial)) for line in lines], op.parts)


def golden_set():
    folder = os.path.dirname(os.path.abspath(__file__))
    for verb, pairs in cases_of_recipe(os.path.join(folder, "pairwise_recipe.txt")):
        case = Case(verb, pairs)
        try:
            result = result_of(case)
        except Refused as reason:
            result = str(reason)
        yield "%s => %s\n" % (case.text, result)


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
        return report(arguments, golden_set())
    for lanes in 16, 128:
        print(lanes, struct.pack(">d", p4016(lanes)).hex())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
