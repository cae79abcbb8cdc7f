"""Reductions and scans of segments.

Each result has the bits of a call on its own elements alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _dates
from upsweep._arrays import as_array, beside, dtype_named, empty, on_gpu, passed
from upsweep._calls import NEED_ELEMENTS, initial_for, operands, stored
from upsweep._chosen import STATISTICS, WITHOUT_NAN, Segments, correction_of
from upsweep._dates import expect_elements
from upsweep._entries import entry_of, operator_name, way_of
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._moments import statistic_type
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer, Mode, Number, Operator, Real


def line_of(x, op, verb):
    """The elements of one dimension, their entry, and the type to store, or None."""
    name, a, to = operands(operator_name(op, verb), x, None, verb)
    if a.ndim != 1:
        raise ValueError(f"{verb}: x has {a.ndim} dimensions; give one")
    return np.ascontiguousarray(a), entry_of(name, a.dtype, verb), to


def _borders(offsets, verb):
    given = beside(offsets, verb)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise TypeError(f"{verb}: offsets must be integers in one dimension")
    if given.size == 0:
        raise ValueError(
            f"{verb}: offsets is empty; the first offset is 0, the last one the size of x"
        )
    if given[0] != 0:
        raise ValueError(f"{verb}: offsets[0] is {given[0]}; the first segment begins at 0")
    if given.dtype == np.int64:  # the compiled part refuses what is negative, as too large
        given = given.view(np.uint64)
    return np.ascontiguousarray(given, np.uint64)


def segment_reduce(
    x: ArrayLike,
    offsets: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    initial: Number | None = None,
    skipna: bool = False,
    correction: Real = 0,
    ddof: Real | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """Reduce each segment of an array.

    Parameters
    ----------
    x : array_like, 1-D
        The elements.
    offsets : array_like of ints, 1-D
        The borders of the segments, in ascending order from 0 to the size of `x`. Segment k
        consists of ``x[offsets[k] : offsets[k + 1]]``.
    op : str, operator or ufunc, default "sum"
        An operator as in `reduce`, except user-defined ones; or a statistic: "mean", "var", "std",
        "median", "count" (of the elements that are not NaN), "first" or "last".
    initial : scalar, optional
        A value to the left of the first element of each segment.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.
    correction : float, default 0
        The correction of "var" and "std", as in `var`.
    ddof : float, optional
        NumPy's name of `correction`; give one of the two.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    1-D array
        One result per segment. An empty segment has `initial`, or the identity of the operator. Its
        "count" is 0; other statistics are NaN or NaT.

    Raises
    ------
    ValueError
        If the offsets are wrong; the message names the first wrong one. If a segment of integers is
        empty and `op` is "first" or "last", because integers have no NaN.

    See Also
    --------
    segment_scan, group_reduce, windowed

    Notes
    -----
    Each result has the bits of a call on its own elements alone. Work is O(n).

    Examples
    --------
    >>> upsweep.segment_reduce([1, 2, 3, 4], [0, 1, 1, 4])
    array([1, 0, 9])
    >>> upsweep.segment_reduce([1, 2, 3, 6], [0, 1, 4], "median")
    array([1., 3.])
    """
    name = op if type(op) is str else operator_name(op, "segment_reduce")
    if skipna or name in STATISTICS:
        how = (initial, skipna, correction_of(correction, ddof, "segment_reduce"), threads, mode)
        return _segment_statistic(x, offsets, name, *how)
    if initial is threads is None and mode == "reproducible":
        results = way_of(name).reduce_segments(x, offsets)
        if results is not None:
            return results
    return _segment_reduce(x, offsets, name, initial, threads, mode)


@in_its_library
def _segment_reduce(x, offsets, op, initial, threads, mode):
    verb = "segment_reduce"
    gpu = on_gpu(x)
    if gpu:
        return gpu.segment_reduce(x, offsets, op, initial)
    a, entry, to = line_of(x, op, verb)
    borders = _borders(offsets, verb)
    expect_elements(op, to, initial, verb, lambda: (borders[1:] == borders[:-1]).any())
    out = np.empty(len(borders) - 1, dtype_named(entry.result))
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    entry.reduce_segments(passed(a), borders, passed(out), how, before)
    return stored(out, to)


def elements_of(x, op, verb):
    """The elements of one dimension of an operator or statistic, and the type of a statistic to
    store, or None.
    """
    if op in STATISTICS:
        a = as_array(x, verb, "mM" if op in ("count", "first", "last") else "")
        to = statistic_type(a) if op in ("mean", "var", "std") else None
    else:
        a, to = as_array(x, verb, _dates.TYPES.get(op, "")), None
    if a.ndim != 1:
        raise ValueError(f"{verb}: x has {a.ndim} dimensions; give one")
    return np.ascontiguousarray(a), to


def statistic_of(a, borders, skipna, how, op, correction, initial, to, verb):
    """An operator or a statistic of segments, of the type to store."""
    if skipna and op in WITHOUT_NAN and a.dtype.kind not in "biumM":
        op, skipna = WITHOUT_NAN[op], False
    if skipna and op in ("argmin", "argmax") and a.dtype.kind not in "biu":
        raise TypeError(f"{verb}: {op} cannot ignore NaN; fill NaN first")
    segments = Segments(a, borders, skipna, how, verb)
    if op not in STATISTICS:
        op, segments.elements, to = operands(op, segments.elements, None, verb)
        before = initial_for(entry_of(op, segments.elements.dtype, verb), initial, verb, to)
        results = segments.reduced(op, before)
        if a.dtype.kind in "mM" and op in NEED_ELEMENTS:
            results = results.view(to)
            if initial is None:
                results[segments.counts == 0] = "NaT"
        return stored(results, to)
    if initial is not None:
        raise ValueError(f"{verb}: {op} takes no initial value")
    return stored(segments.statistic(op, correction), to)


@in_its_library
def _segment_statistic(x, offsets, op, initial, skipna, correction, threads, mode):
    verb = "segment_reduce"
    a, to = elements_of(x, op, verb)
    borders = _borders(offsets, verb)
    if borders[-1] != a.size or (borders[1:] < borders[:-1]).any():
        segment_reduce(np.zeros(a.size, np.int8), borders)  # which refuses them in a sentence
    how = settings(threads, mode, verb)
    return statistic_of(a, borders, skipna, how, op, correction, initial, to, verb)


def segment_scan(
    x: ArrayLike,
    offsets: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    exclusive: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """Scan each segment of an array.

    Parameters
    ----------
    x : array_like, 1-D
        The elements.
    offsets : array_like of ints, 1-D
        The borders of the segments, in ascending order from 0 to the size of `x`. Segment k
        consists of ``x[offsets[k] : offsets[k + 1]]``.
    op : str, operator or ufunc, default "sum"
        An operator as in `reduce`, except user-defined ones.
    exclusive : bool, default False
        Leave each element out of its own result (exclusive prefix sum).
    initial : scalar, optional
        A value to the left of the first element of each segment.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    1-D array with the size of `x`
        The prefixes of each segment.

    Raises
    ------
    ValueError
        If the offsets are wrong; the message names the first wrong one.

    See Also
    --------
    segment_reduce, group_scan, scan

    Notes
    -----
    Each result has the bits of a call on its own elements alone. Work is O(n).

    Examples
    --------
    >>> upsweep.segment_scan([1, 2, 3, 4], [0, 2, 4])
    array([1, 3, 3, 7])
    """
    name = op if type(op) is str else operator_name(op, "segment_scan")
    if initial is threads is None and mode == "reproducible" and not exclusive:
        results = way_of(name).scan_segments(x, offsets)
        if results is not None:
            return results
    return _segment_scan(x, offsets, name, bool(exclusive), initial, threads, mode)


@running_in_its_library
def _segment_scan(x, offsets, op, exclusive, initial, threads, mode):
    verb = "segment_scan"
    gpu = on_gpu(x)
    if gpu:
        return gpu.segment_scan(x, offsets, op, exclusive, initial)
    a, entry, to = line_of(x, op, verb)
    if exclusive:
        expect_elements(op, to, initial, verb)
    out = empty(a.shape, dtype_named(entry.result))
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    entry.scan_segments(passed(a), _borders(offsets, verb), passed(out), how, exclusive, before)
    return stored(out, to)
