"""The combine tree of docs/spec/README.md, and the calls that are made of it."""

import itertools
from typing import NamedTuple


class Refused(Exception):
    """The call has no result; the text says why."""


class Operator(NamedTuple):
    types: list  # of the numbers of a result
    identity: object
    join: object
    lift: object = lambda x, i: x
    finish: object = lambda a: a
    trait: str = ""  # "left fold", "initial is first" in the fold, or "some" elements are required


def prefixes(op, x, initial=None):
    """The result of no elements and those of the first 1, 2, ..., n, before `finish`."""
    first = op.identity if initial is None else initial
    if op.trait == "left fold":
        return list(itertools.accumulate(x, op.join, initial=first))
    levels = [x]
    while len(levels[-1]) > 1:
        levels.append(list(map(op.join, levels[-1][::2], levels[-1][1::2])))
    folds = [initial if op.trait == "initial is first" else None]
    for m in range(1, len(x) + 1):
        lowest = m & -m
        block, before = levels[lowest.bit_length() - 1][m // lowest - 1], folds[m - lowest]
        folds.append(block if before is None else op.join(before, block))
    if initial is not None and op.trait != "initial is first":
        folds[1:] = [op.join(initial, fold) for fold in folds[1:]]
    return [first] + folds[1:]


def combined(verb, op, x, pieces, initial=None, backwards=False):
    """Reduces or scans the elements at the positions of each piece as a whole input."""
    rows = {}
    for number, piece in enumerate(pieces):
        if op.trait == "some" and verb[:6] == "reduce" and not piece and initial is None:
            raise Refused("refused")
        positions = range(len(piece))[::-1] if backwards else range(len(piece))
        lifted = [op.lift(x[piece[i]], i) for i in positions]
        if "scan" not in verb:
            rows[number] = prefixes(op, lifted, initial)[-1]
        elif verb.startswith("inclusive"):
            rows.update(zip((piece[i] for i in positions), prefixes(op, lifted, initial)[1:]))
        else:
            rows.update(zip((piece[i] for i in positions), prefixes(op, lifted[:-1], initial)))
    return [op.finish(rows[i]) for i in sorted(rows)]
