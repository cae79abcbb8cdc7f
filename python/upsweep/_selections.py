"""Selections: some of the elements, in the order of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, empty, on_gpu, passed, type_name
from upsweep._dates import movable
from upsweep._libraries import in_its_library
from upsweep._settings import default_settings, settings
from upsweep._sorts import sort
from upsweep._texts import numbered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer


def flat(x, verb):
    """The elements of an array in the order of its indices, in one line."""
    return np.ascontiguousarray(as_array(x, verb)).reshape(-1)


def _to_move(x, verb):
    """An array whose elements are only moved, and its type, which may be a type of dates."""
    a = as_array(x, verb, "mM")
    return movable(a), a.dtype


def flags_for(a, flags, verb):
    """The flags of the elements of `a`: a byte for each."""
    given = as_array(flags, verb)
    if given.shape != a.shape:
        raise ValueError(f"{verb}: flags have the shape {given.shape}, but x has {a.shape}")
    chosen = given if given.dtype == bool else given != 0
    return np.ascontiguousarray(chosen).reshape(-1).view(np.uint8)


def select(x: ArrayLike, flags: ArrayLike, /, *, threads: Integer | None = None) -> NDArray[Any]:
    """Return the elements whose flag is true, like ``x[flags]``.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    flags : array_like
        One flag per element, with the shape of `x`. A flag that is not 0 is true.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    1-D array
        The selected elements, in their order.

    Raises
    ------
    ValueError
        If `flags` and `x` have different shapes.

    See Also
    --------
    partition, top

    Notes
    -----
    Work is O(n).

    Examples
    --------
    >>> upsweep.select([1, 2, 3], [True, False, True])
    array([1, 3])
    """
    if type(x) is type(flags) is np.ndarray and threads is None:
        out: Any = _core.short_select(x, flags, default_settings())
        if out is not None:
            return out
    return _select(x, flags, threads)


@in_its_library
def _select(x, flags, threads):
    gpu = on_gpu(x)
    if gpu:
        return gpu.select(x, flags)
    a, dtype = _to_move(x, "select")
    chosen = flags_for(a, flags, "select")
    out = empty((np.count_nonzero(chosen),), a.dtype)
    how = settings(threads, "reproducible", "select")
    _core.select(type_name(a.dtype), passed(flat(a, "select")), chosen, passed(out), how)
    return out.view(dtype)


@in_its_library
def partition(
    x: ArrayLike, flags: ArrayLike, /, *, threads: Integer | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Split the elements by a flag, keeping their order.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    flags : array_like
        One flag per element, with the shape of `x`. A flag that is not 0 is true.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    tuple of two 1-D arrays
        The elements whose flag is true, and the others.

    Raises
    ------
    ValueError
        If `flags` and `x` have different shapes.

    See Also
    --------
    select

    Notes
    -----
    Work is O(n).

    Examples
    --------
    >>> upsweep.partition([1, 2, 3], [True, False, True])
    (array([1, 3]), array([2]))
    """
    a, dtype = _to_move(x, "partition")
    chosen = flags_for(a, flags, "partition")
    count = np.count_nonzero(chosen)
    yes, no = empty((count,), a.dtype), empty((a.size - count,), a.dtype)
    name, how = type_name(a.dtype), settings(threads, "reproducible", "partition")
    _core.partition(name, passed(flat(a, "partition")), chosen, passed(yes), passed(no), how)
    return yes.view(dtype), no.view(dtype)


class Runs(NamedTuple):
    """The first element of each run of consecutive equal elements, and its number of elements."""

    values: NDArray[Any]
    lengths: NDArray[np.int64]


@in_its_library
def runs(x: ArrayLike, /, *, threads: Integer | None = None) -> Runs:
    """Return the runs of consecutive equal elements (run-length encoding).

    Parameters
    ----------
    x : array_like
        Numbers, strings, dates or other objects with a hash and an order, of any shape.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    Runs
        A named tuple `values`, `lengths` of 1-D arrays.

    See Also
    --------
    unique, segment_reduce

    Notes
    -----
    Elements are compared by ==: NaN and NaT equal no element, and -0 equals +0. Work is O(n).

    Examples
    --------
    >>> upsweep.runs([7, 7, 3, 7])
    Runs(values=array([7, 3, 7]), lengths=array([2, 1, 1]))
    """
    names, numbers = numbered(x, "runs", threads)
    if names is not None:
        missing = names != names  # NaT or a complex NaN, the last of the names
        if missing.any():
            numbers = np.where(missing[numbers], np.nan, numbers)
        found = runs(numbers, threads=threads)
        indices = np.nan_to_num(found.values, nan=len(names) - 1).astype(np.intp)
        return Runs(names[indices], found.lengths)
    a = flat(numbers, "runs")
    values, lengths = np.empty(a.size, a.dtype), np.empty(a.size, np.uint64)
    how = settings(threads, "reproducible", "runs")
    count = _core.runs(type_name(a.dtype), passed(a), passed(values), lengths, how)
    return Runs(values[:count].copy(), lengths[:count].astype(np.int64))


@in_its_library
def unique(x: ArrayLike, /, *, return_counts: bool = False, threads: Integer | None = None) -> Any:
    """Return the sorted distinct elements, like ``numpy.unique``.

    Parameters
    ----------
    x : array_like
        Numbers, strings, dates or other objects with a hash and an order, of any shape.
    return_counts : bool, default False
        Also return how often each element occurs.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    1-D array, or tuple of two
        The distinct elements in ascending order, and with `return_counts` their numbers of
        occurrences.

    See Also
    --------
    runs, mode, sort

    Notes
    -----
    All NaN count as one element, which comes last. Work is that of a sort.

    Examples
    --------
    >>> upsweep.unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    names, numbers = numbered(x, "unique", threads)
    if names is not None:
        counts = np.bincount(numbers.reshape(-1), minlength=len(names))
        return (names, counts) if return_counts else names
    a = sort(flat(numbers, "unique"), threads=threads)
    nans: Any = 0
    if a.size and a.dtype.kind not in "biu" and (np.isnan(a[0]) or np.isnan(a[-1])):
        numbers = a == a
        nans = a.size - np.count_nonzero(numbers)
        a = a[numbers]  # NaN of either sign lie at both ends
    if return_counts:
        values, counts = runs(a, threads=threads)
    else:
        values = np.empty(a.size, a.dtype)
        how = settings(threads, "reproducible", "unique")
        values = values[: _core.unique(type_name(a.dtype), passed(a), passed(values), how)].copy()
    if nans:
        values = np.append(values, a.dtype.type("nan"))
    if not return_counts:
        return values
    return values, np.append(counts, nans) if nans else counts


class Mode(NamedTuple):
    """An element, and its number of occurrences."""

    value: Any
    count: Any


@in_its_library
def mode(x: ArrayLike, /, *, threads: Integer | None = None) -> Any:
    """Return the most frequent element and its number of occurrences.

    Parameters
    ----------
    x : array_like
        Numbers, strings, dates or other objects with a hash and an order, of any shape.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    Mode
        A named tuple `value`, `count`. The smallest of several most frequent elements.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    unique, median

    Notes
    -----
    Work is that of a sort.

    Examples
    --------
    >>> upsweep.mode([4, 1, 4, 1, 3])
    Mode(value=np.int64(1), count=np.int64(2))
    """
    values, counts = unique(x, return_counts=True, threads=threads)
    values, counts = np.asarray(values), np.asarray(counts)
    if not counts.size:
        raise ValueError("mode: x has no elements, so there is no mode")
    first = np.argmax(counts)
    return Mode(values[first], counts[first])
