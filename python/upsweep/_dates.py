"""NumPy's dates and spans of time as the integers that they are kept in."""

import numpy as np

# What operators are defined for: dates (M), and spans of time (m).
TYPES = {"sum": "m", "min": "mM", "max": "mM", "argmin": "mM", "argmax": "mM"}


def integers_of(a, verb):
    """The same memory as integers, whose order is that of the dates."""
    if np.isnat(a).any():
        raise ValueError(f"{verb}: x has NaT, which stands for no time; give x[~numpy.isnat(x)]")
    return a.view(np.int64)


def over_integers(verb, op, a, options, call):
    """The results of call(integers): dates again, or positions."""
    if any(option is not None for option in options):
        raise TypeError(f"{verb}: dtype, out and initial are not taken with {a.dtype}")
    results = call(integers_of(a, verb))
    return results if op in ("argmin", "argmax") else results.view(a.dtype)
