"""NumPy's dates and time spans as the integers that represent them."""

import numpy as np

# What operators are defined for: dates (M), and spans of time (m).
TYPES = {
    "sum": "m",
    "min": "mM",
    "max": "mM",
    "min_number": "mM",
    "max_number": "mM",
    "argmin": "mM",
    "argmax": "mM",
}


def movable(a):
    """The same memory as numbers, for functions that only move elements."""
    return a.view(np.int64) if a.dtype.kind in "mM" else a


def numbers_of(a, verb):
    """The same memory as numbers in the order of the elements."""
    if a.dtype.kind in "mM" and np.isnat(a).any():
        raise ValueError(f"{verb}: x has NaT; remove it, with x[~numpy.isnat(x)]")
    return movable(a)


def operands(op, a, dtype, verb):
    """The operator, elements and type of results of a call over dates."""
    if dtype is not None:
        raise TypeError(f"{verb}: dtype is not supported for {a.dtype}; convert the results")
    to = np.dtype(np.intp) if op in ("argmin", "argmax") else a.dtype
    # A sum that wraps is another time, and of -2^63 none.
    return "checked_sum" if op == "sum" else op, numbers_of(a, verb), to


def initial_for(initial, to, verb):
    given = np.asarray(initial)
    if given.dtype.kind != to.kind or np.isnat(given).any():
        raise TypeError(f"{verb}: initial={initial!r} is not of {to}, the type of the results")
    return converted(given, to, f"{verb}: initial").view(np.int64)


def converted(times, to, what):
    """Times in another unit, which has to hold each of them."""
    results = times.astype(to)
    if ((results.astype(times.dtype) != times) & ~np.isnat(times)).any():
        raise OverflowError(f"{what}: {to} does not hold a value of {times.dtype}")
    return results


def expect_elements(op, to, initial, verb, is_empty=lambda: True):
    """Refuse an extremum without elements: integers have an identity for it, dates do not."""
    if initial is None and to is not None and to.kind in "mM" and op != "sum" and is_empty():
        raise ValueError(f"{verb}: a result without elements has no {op} of {to}; give initial")
