"""Statistics of the elements of each slice that have a true flag or are not missing."""

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, beside, dtype_named, number, passed, store, type_name
from upsweep._calls import stored
from upsweep._entries import entry_of
from upsweep._libraries import in_its_library
from upsweep._settings import settings

# What segments, groups and windows have besides the operators.
STATISTICS = {"mean", "var", "std", "median", "count", "first", "last"}
# Operators that leave NaN out; their result of nothing but NaN is NaN.
WITHOUT_NAN = {"min": "min_number", "max": "max_number"}


def nothing(dtype):
    """The missing value of a type: NaN or NaT."""
    return np.array("NaT" if dtype.kind in "mM" else np.nan, dtype)


def is_missing(a):
    """Which elements are NaN or NaT."""
    if a.dtype.kind in "biu":
        return np.zeros(a.shape, bool)
    return np.isnat(a) if a.dtype.kind in "mM" else np.isnan(a)


def without_missing(x, where, skipna, verb):
    """The flags of elements: with `skipna` only of those that are not missing."""
    if not skipna:
        return where
    a = as_array(x, verb, "mMFD")
    if a.dtype.kind in "biu":
        return where
    missing = is_missing(a)
    if not missing.any():
        return where
    present = ~missing
    return present if where is None or where is True else present & beside(where, verb)


class Chosen:
    """The elements of each line with a true flag, one line after the other."""

    def __init__(self, verb, a, where, axis):
        flags = beside(where, verb)
        if flags.dtype != bool:
            raise TypeError(f"{verb}: where has the type {flags.dtype}; give Booleans")
        try:
            chosen = Lines(np.broadcast_to(flags, a.shape), axis).rows
        except ValueError:
            raise ValueError(
                f"{verb}: where has the shape {flags.shape}, which does not broadcast to {a.shape}"
            ) from None
        self.lines = Lines(a, axis)
        self.elements = self.lines.rows[chosen]
        self.counts = np.count_nonzero(chosen, axis=1)
        self.borders = np.zeros(self.lines.count + 1, np.uint64)
        self.borders[1:] = np.cumsum(self.counts)


def correction_of(correction, ddof, verb):
    """The correction of a variance, which may be given as `ddof`."""
    if ddof is None:
        return number(correction, "correction", verb)
    if correction != 0:
        raise ValueError(
            f"{verb}: correction={correction} and ddof={ddof} mean the same; give one of them"
        )
    return number(ddof, "ddof", verb)


class Segments:
    """Statistics of segments, which may be empty. With `skipna`, missing elements are ignored."""

    def __init__(self, elements, borders, skipna, how, verb):
        self.elements, self.borders, self.how, self.verb = elements, borders, how, verb
        self.skipna = skipna
        if skipna and (missing := is_missing(elements)).any():
            self._drop(missing)

    def _drop(self, missing):
        kept = np.zeros(missing.size + 1, np.uint64)
        kept[1:] = np.cumsum(~missing)
        self.borders, self.elements = kept[self.borders], self.elements[~missing]

    @property
    def counts(self):
        return np.diff(self.borders).astype(np.int64)

    def reduced(self, name, initial):
        entry = entry_of(name, self.elements.dtype, self.verb)
        out = np.empty(self.borders.size - 1, dtype_named(entry.result))
        entry.reduce_segments(passed(self.elements), self.borders, passed(out), self.how, initial)
        return out

    def statistic(self, op, correction=0.0):
        if op == "count":
            missing = is_missing(self.elements)
            if missing.any():
                self._drop(missing)
            return self.counts
        if op in ("first", "last"):
            return self._ends(
                self.borders[:-1] if op == "first" else self.borders[1:] - np.uint64(1)
            )
        if op == "median":
            return self.quantiles(0.5)
        a = np.ascontiguousarray(self.elements, np.float64)
        means = np.empty(self.borders.size - 1)
        spreads = None if op == "mean" else np.empty(means.size)
        wanted = correction, op == "std"
        _core.segment_moments(a, self.borders, means, spreads, *wanted, self.how)
        if op != "mean":
            return spreads
        means[self.counts == 0] = np.nan
        return means

    def quantiles(self, share):
        """NaN for a segment without elements."""
        has_any = self.counts > 0
        results = np.full(has_any.size, np.nan)
        borders = self.borders[np.append(has_any, True)]
        found, name = np.empty(borders.size - 1), type_name(self.elements.dtype)
        _core.segment_quantiles(name, passed(self.elements), borders, share, found, self.how)
        results[has_any] = found
        return results

    def _ends(self, places):
        has_any, a = self.counts > 0, self.elements
        if has_any.all():
            return a[places]
        if a.dtype.kind in "biu":
            raise ValueError(
                f"{self.verb}: segment {np.argmin(has_any)} is empty, and {a.dtype} has no NaN"
            )
        results = np.full(has_any.size, nothing(a.dtype), a.dtype)
        results[has_any] = a[places[has_any]]
        return results


@in_its_library
def chosen_statistic(verb, x, axis, where, skipna, correction, out, keepdims, threads, mode):
    """The mean, var or std of the chosen elements of each line."""
    from upsweep._moments import statistic_type

    a = as_array(x, verb)
    flags, how = without_missing(a, where, skipna, verb), settings(threads, mode, verb)
    whole = axis is out is None and not keepdims and type(flags) is np.ndarray
    if whole and flags.dtype == bool and flags.shape == a.shape:
        spread = None if verb == "mean" else correction
        result = _core.short_moment(a[flags], None, spread, verb == "std", how)
        if result is not None:
            return result
    chosen = Chosen(verb, a, True if flags is None else flags, axis)
    results = Segments(chosen.elements, chosen.borders, False, how, verb).statistic(
        verb, correction
    )
    return store(stored(chosen.lines.reduced(results, keepdims), statistic_type(a)), out, verb)
