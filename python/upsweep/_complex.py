"""Complex numbers: sums are computed by parts, products with an operator for complex numbers."""

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, check_out, store

# What the operators are over complex numbers; for the logical ones they are flags.
OPERATORS = {"sum", "exact_sum", "product", "all", "any", "parity"}


def elements_of(a, dtype, verb):
    """The elements of a call whose results have the type `dtype`, and that type."""
    d = a.dtype if dtype is None else np.dtype(dtype)
    if d.char not in "FD":
        raise TypeError(f"{verb}: dtype={d} cannot hold results of {a.dtype}; give a complex type")
    return (a.astype(d) if d.itemsize > a.dtype.itemsize else a), d


def _first(initial, dtype, verb):
    """An initial value as an array of one number, or None."""
    if initial is None:
        return None
    given = np.asarray(initial)
    if given.ndim or not (given.dtype.kind in "biufc" or isinstance(initial, int)):
        raise TypeError(f"{verb}: initial={initial!r} is not of {dtype}, the type of the results")
    return given.reshape(1).astype(dtype)


def by_parts(verb, op, a, dtype, out, initial, call):
    """The results of call(elements, initial value), for the real and the imaginary parts."""
    if op not in ("sum", "exact_sum"):
        return store(np.asarray(call(a != 0, initial)), out, verb)
    a, d = elements_of(a, dtype, verb)
    first = _first(initial, np.dtype(complex), verb)
    real = call(a.real, None if first is None else first.real[0])
    result = np.empty(np.shape(real), d)
    result.real, result.imag = real, call(a.imag, None if first is None else first.imag[0])
    return store(result, out, verb)


def reduce_products(verb, a, axis, dtype, out, keepdims, reverse, initial, how):
    a, d = elements_of(a, dtype, verb)
    lines = Lines(a, axis)
    results = np.empty(lines.count, a.dtype)
    before = _first(initial, a.dtype, verb)
    _core.reduce_complex_product(_is_wide(a), lines.matrix, results, how, reverse, before)
    return store(lines.reduced(results, keepdims).astype(d, copy=False), out, verb)


def reduce_chosen_products(verb, chosen, dtype, out, keepdims, initial, how):
    """The products of the chosen elements of each line: lines with the same number at once."""
    a, d = elements_of(chosen.elements, dtype, verb)
    results = np.empty(chosen.lines.count, a.dtype)
    for count in np.unique(chosen.counts):
        lines = np.flatnonzero(chosen.counts == count)
        begins = chosen.borders[lines].astype(np.intp)
        elements = a[begins[:, None] + np.arange(count)]
        rest = (1, None, None, False, False, initial, how)
        results[lines] = reduce_products(verb, elements, *rest)
    results = chosen.lines.reduced(results, keepdims)
    return store(results.astype(d, copy=False), out, verb)


def scan_products(verb, a, axis, dtype, out, exclusive, reverse, initial, include_initial, how):
    a, d = elements_of(a, dtype, verb)
    lines = Lines(a, axis)
    axis = lines.axes[0]
    shape = (*a.shape[:axis], lines.size + bool(include_initial), *a.shape[axis + 1 :])
    if out is not None:
        check_out(out, shape, d, verb)
    results = np.empty(shape, a.dtype)
    matrix = lines.along(results)
    before = _first(initial, a.dtype, verb)
    to_scan = matrix[:, :, 1:] if include_initial else matrix
    options = (exclusive, reverse, before)
    _core.scan_complex_product(_is_wide(a), lines.matrix, to_scan, how, *options)
    if include_initial:
        matrix[:, :, 0] = 1 if before is None else before
    return store(results.astype(d, copy=False), out, verb)


def _is_wide(a):
    return a.dtype == np.complex128
