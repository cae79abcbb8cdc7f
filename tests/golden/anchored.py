#!/usr/bin/env python3
"""The bits of segments, runs and windows for fixed inputs, by the definition of the combine tree in
docs/contracts.md and without any of the library's code: an oracle for tests/golden/anchored.cpp.

    anchored.py          prints the table that is kept as anchored.txt
    anchored.py FILE     exits with 1 and a sentence if FILE is not that table

The lines of the table are

    segments TYPE OPERATION N INITIAL count=SEGMENTS reduce=HASH runs=HASH inclusive=HASH
        exclusive=HASH middle=BITS
    windows TYPE OPERATION N INITIAL width=W results=HASH last=BITS

(the first one on one line), with f32 or f64; sum, affine or min; the number of elements; and "none"
or the bits of the initial value. `runs` are the results of the segments that are not empty,
`middle` is that of segment SEGMENTS // 2. Hashes are of all bits. Every NaN counts as the positive
quiet one without payload, because the contract does not say which NaN comes out.
"""

import math
import sys

from golden import (
    Affine,
    Binary32,
    Binary64,
    Sum,
    compare,
    digest,
    prefix_by_definition,
    prefixes,
    random_words,
)

NAN = float("nan")


class Min:
    """NaN if one of the two is; -0 is less than +0."""

    name = "min"

    def __init__(self, real):
        self.real = real
        self.identity = math.inf

    def __call__(self, earlier, later):
        if math.isnan(earlier) or math.isnan(later):
            return NAN
        first = (earlier, math.copysign(1, earlier)) <= (later, math.copysign(1, later))
        return earlier if first else later

    def element(self, next_word):
        return NAN if next(next_word) % 400 == 0 else self.real.scattered(next_word)

    def words(self, x):
        return (self.real.bits(x),)

    def text(self, x):
        return self.real.text(x)


def segment_length(word):
    kind, value = word & 15, word >> 8
    if kind < 3:
        return 0
    return value % (8 if kind < 8 else 50 if kind < 13 else 400 if kind < 15 else 3000)


def segment_offsets(n):
    next_word = random_words(n + 0x5EED + 1_000_000)
    offsets = [0]
    while offsets[-1] < n:
        offsets.append(min(n, offsets[-1] + segment_length(next(next_word))))
    return offsets + [n]


def inputs(op, n, with_initial):
    next_word = random_words(n + 0x5EED)
    x = [op.element(next_word) for _ in range(n)]
    initial = op.element(next_word) if with_initial else None
    return x, initial


def name_of_row(verb, op, n, initial):
    given = "none" if initial is None else op.text(initial)
    return "%s %s %s %d %s" % (verb, op.real.name, op.name, n, given)


def row_of_segments(op, n, with_initial):
    x, initial = inputs(op, n, with_initial)
    offsets = segment_offsets(n)
    totals, of_runs, inclusive, exclusive = [], [], [], []
    for begin, end in zip(offsets, offsets[1:]):
        through = prefixes(x[begin:end], op) if begin < end else []
        first = op.identity
        if with_initial:
            first = initial
            through = [op(initial, p) for p in through]
        inclusive += through
        exclusive += ([first] + through)[: end - begin]
        totals.append(through[-1] if through else first)
        of_runs += through[-1:]
    return "%s count=%d reduce=%s runs=%s inclusive=%s exclusive=%s middle=%s" % (
        name_of_row("segments", op, n, initial),
        len(totals),
        digest(totals, op),
        digest(of_runs, op),
        digest(inclusive, op),
        digest(exclusive, op),
        op.text(totals[len(totals) // 2]),
    )


def window_total(x, begin, width, op, blocks):
    """prefix(width) of the window that begins at `begin`. `blocks` remembers the totals of 2^k
    elements from a position on, which several windows have in common.
    """

    def total_of(k, at):
        if k == 0:
            return x[at]
        if (k, at) not in blocks:
            half = 1 << (k - 1)
            blocks[k, at] = op(total_of(k - 1, at), total_of(k - 1, at + half))
        return blocks[k, at]

    at, fold = begin, None
    for k in range(width.bit_length() - 1, -1, -1):
        if width >> k & 1:
            total = total_of(k, at)
            fold = total if fold is None else op(fold, total)
            at += 1 << k
    return fold


def row_of_windows(op, n, width, with_initial):
    x, initial = inputs(op, n, with_initial)
    blocks = {}
    results = [window_total(x, i, width, op, blocks) for i in range(n - width + 1)]
    for i in (0, len(results) // 2, len(results) - 1):
        alone = prefix_by_definition(x[i : i + width], width, op)
        assert op.words(results[i]) == op.words(alone)
    if with_initial:
        results = [op(initial, total) for total in results]
    return "%s width=%d results=%s last=%s" % (
        name_of_row("windows", op, n, initial),
        width,
        digest(results, op),
        op.text(results[-1]),
    )


def table():
    for real in (Binary32, Binary64):
        for operation in (Sum, Affine, Min):
            op = operation(real)
            for n in (1, 100, 5003, 40009):
                yield row_of_segments(op, n, False)
            yield row_of_segments(op, 5003, True)
            for width in (1, 2, 3, 7, 8, 31, 64, 100, 127, 1000):
                yield row_of_windows(op, 6007, width, False)
            yield row_of_windows(op, 6007, 13, True)


if __name__ == "__main__":
    sys.exit(compare(sys.argv, list(table())))
