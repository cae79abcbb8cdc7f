"""Partials of user-defined operators."""

from __future__ import annotations

import functools

from upsweep._own import own_monoid, reduce_own, result_for_none, scan_into
from upsweep._partial import _OURS, Partial, position_of
from upsweep._settings import is_pairwise
from upsweep._streams import added_state


class OwnPartial(Partial):
    """A partial of a user-defined operator: the aggregates of the maximal aligned blocks."""

    _derived = Partial  # whose derived class it is

    def __init__(self, op, dtype=object, *, begin=0, threads=None):
        self._op = own_monoid(op)
        self._begin = self._end = position_of(begin)
        self._blocks = []  # a pair for each block of 2^k elements: k, total

    begin = property(lambda self: self._begin)
    end = property(lambda self: self._end)

    def __repr__(self):
        return f"<upsweep.Partial of {self._op.__name__}, [{self.begin}, {self.end})>"

    def _add(self, k, total):
        """Appends a block of 2^k elements, and combines it with those of which it is the second
        half.
        """
        first, self._end = self._end, self._end + (1 << k)
        while self._blocks and self._blocks[-1][0] == k and first >> k & 1:
            total = self._op.function(self._blocks.pop()[1], total)
            first -= 1 << k
            k += 1
        self._blocks.append((k, total))

    def push(self, elements, y=None):
        if y is not None:
            raise TypeError("Partial: x and y are for comoments only")
        is_sequence = isinstance(elements, (list, tuple, range)) or hasattr(elements, "__array__")
        x = elements if is_sequence else list(elements)
        if self._end + len(x) > 2**64:
            raise ValueError("Partial: the elements would end beyond position 2^64")
        longer, done, end = self._copy(), 0, self._end  # the function may raise
        while done < len(x):
            k = (len(x) - done).bit_length() - 1
            if longer._end:
                k = min(k, (longer._end & -longer._end).bit_length() - 1)
            longer._add(k, reduce_own("Partial", self._op, x[done : done + (1 << k)], None, {}))
            done += 1 << k
        if self._end != end:
            raise ValueError("Partial: another call has changed it meanwhile; give each its own")
        self._end, self._blocks = longer._end, longer._blocks
        return self

    def append(self, later):
        if not isinstance(later, OwnPartial):
            raise TypeError(f"Partial: {later!r} cannot be appended to {self!r}")
        if later._op.__name__ != self._op.__name__:
            raise ValueError(f"Partial: {later!r} cannot be appended to {self!r}")
        if later.begin != self.end:
            raise ValueError(
                f"Partial: the later piece begins at element {later.begin} and the earlier one "
                f"ends at {self.end}"
            )
        longer = self._copy()
        for k, total in later._blocks:
            longer._add(k, total)
        self._end, self._blocks = longer._end, longer._blocks
        return self

    def _expect_whole(self):
        if self._begin:
            raise ValueError(f"Partial: the elements [0, {self._begin}) are missing")

    def result(self, initial=None, *, tree="prefix"):
        self._expect_whole()
        if not self._blocks:
            return result_for_none("Partial", self._op, initial)
        totals, join = [total for _, total in self._blocks], self._op.function
        if is_pairwise(tree, "Partial"):
            total = functools.reduce(lambda later, earlier: join(earlier, later), totals[::-1])
        else:
            total = functools.reduce(join, totals)
        return total if initial is None else self._op.function(initial, total)

    def scan(self, elements, *, exclusive=False):
        self._expect_whole()
        x = list(elements)
        totals, prefixes, out = [None] * 64, [None] * 64, [None] * len(x)
        prefix = None
        for i, (k, total) in enumerate(self._blocks):
            prefix = self._op.function(prefix, total) if i else total
            totals[k], prefixes[k] = total, prefix
        if exclusive and x:
            prefix = prefix if self._blocks else result_for_none("Partial", self._op, None)
        scan_into(self._op.function, x, self._end, totals, prefixes, out)
        self.push(x)
        return [prefix, *out[:-1]] if exclusive and x else out

    def __bytes__(self):
        raise TypeError("Partial: a partial of a user-defined operator has no bytes; pickle it")

    def _copy(self):
        return _restored(Partial, self._op, self._begin, self._end, list(self._blocks))

    def __reduce__(self):
        state = self._derived, self._op, self._begin, self._end, list(self._blocks)
        return _restored, state, added_state(self, _OURS)


def _restored(cls, op, begin, end, blocks):
    partial = Partial.__new__(cls, op)
    partial._op, partial._begin, partial._end, partial._blocks = op, begin, end, blocks
    return partial
