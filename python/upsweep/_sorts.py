"""Sorts and ranks.

The order is total: NaN with the sign bit set, -inf, ..., -0, +0, ..., +inf, NaN. Equal
elements keep their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, empty, integer, on_gpu, passed, type_name
from upsweep._dates import movable, numbers_of
from upsweep._libraries import in_its_library, in_library_of, running_in_its_library
from upsweep._settings import default_settings, settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer


def _lines(x, axis, verb):
    """The elements, their lines, and the type of the results, which may be a type of dates."""
    a = as_array(x, verb, also="mM")
    if a.ndim == 0:
        raise ValueError(f"{verb}: x is a number; there is nothing to sort")
    numbers = numbers_of(a, verb)
    return numbers, Lines(numbers, axis), a.dtype


def _shaped(lines, rows, axis):
    return rows.reshape(-1) if axis is None else np.ascontiguousarray(lines.unmoved(rows))


def sort(
    x: ArrayLike,
    /,
    axis: Integer | None = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    threads: Integer | None = None,
) -> NDArray[Any]:
    """Return a sorted copy of an array.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, with at least one dimension.
    axis : int or None, default -1
        The axis. None sorts all elements as one 1-D array.
    descending : bool, default False
        Put the largest element first. Equal elements keep their order.
    stable : bool, default True
        Has no effect, for compatibility: the order of equal elements is always kept.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array
        The elements in ascending order.

    Raises
    ------
    ValueError
        If `x` is a number, or has NaT.

    See Also
    --------
    argsort, sort_by_key, top, unique

    Notes
    -----
    The order is total: NaN with the sign bit set, -inf, ..., -0, +0, ..., +inf, NaN. The sort is
    stable. It uses temporary storage of the size of the array.

    Examples
    --------
    >>> upsweep.sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """
    if type(x) is np.ndarray and threads is None:
        # bool() would take 13 ns more.
        out: Any = _core.short_sort(x, axis, True if descending else False, default_settings())
        if out is not None:
            return out
    return _sort(x, axis, bool(descending), threads)


@in_its_library
def _sort(x, axis, descending, threads):
    gpu = on_gpu(x)
    if gpu:
        return gpu.sort(x, axis, descending)
    a, lines, dtype = _lines(x, axis, "sort")
    out = empty(lines.rows.shape, a.dtype)
    how = settings(threads, "reproducible", "sort")
    _core.sort(type_name(a.dtype), passed(lines.rows), descending, passed(out), how)
    return _shaped(lines, out, axis).view(dtype)


def argsort(
    x: ArrayLike,
    /,
    axis: Integer | None = -1,
    *,
    descending: bool = False,
    stable: bool = True,
    threads: Integer | None = None,
) -> NDArray[np.int64]:
    """Return the indices that sort an array.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, with at least one dimension.
    axis : int or None, default -1
        The axis. None sorts all elements as one 1-D array.
    descending : bool, default False
        Put the largest element first. Equal elements keep their order.
    stable : bool, default True
        Has no effect, for compatibility: the order of equal elements is always kept.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array of ints
        Indices along `axis`. Equal elements keep their order, also with `descending`.

    Raises
    ------
    ValueError
        If `x` is a number, or has NaT.

    See Also
    --------
    sort, sort_by_key, rank

    Notes
    -----
    The order is total: NaN with the sign bit set, -inf, ..., -0, +0, ..., +inf, NaN. The sort is
    stable.

    Examples
    --------
    >>> upsweep.argsort([3, 1, 3])
    array([1, 0, 2])
    """
    if type(x) is np.ndarray and threads is None:
        out: Any = _core.short_argsort(x, axis, True if descending else False, default_settings())
        if out is not None:
            return out
    return _argsort(x, axis, bool(descending), threads)


@in_its_library
def _argsort(x, axis, descending, threads):
    gpu = on_gpu(x)
    if gpu:
        return gpu.argsort(x, axis, descending)
    a, lines, _ = _lines(x, axis, "argsort")
    out = empty(lines.rows.shape, np.dtype(np.uint64))
    how = settings(threads, "reproducible", "argsort")
    _core.argsort(type_name(a.dtype), passed(lines.rows), descending, out, how)
    return _shaped(lines, out.view(np.int64), axis)


@running_in_its_library
def rank(
    x: ArrayLike,
    /,
    axis: Integer | None = -1,
    *,
    method: str = "average",
    descending: bool = False,
    threads: Integer | None = None,
) -> NDArray[Any]:
    """Return the rank of each element, like ``scipy.stats.rankdata``.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, with at least one dimension.
    axis : int or None, default -1
        The axis. None sorts all elements as one 1-D array.
    method : {"average", "min", "max", "dense", "ordinal"}, default "average"
        The rank of equal elements: the mean, the smallest or the largest of their ranks;
        consecutive ranks for distinct elements ("dense"); or distinct ranks in the order of the
        input ("ordinal").
    descending : bool, default False
        Put the largest element first. Equal elements keep their order.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array with the shape of `x`
        Ranks from 1 on: float64 for "average", otherwise int64.

    Raises
    ------
    ValueError
        If `method` is unknown, or for the arrays that `sort` refuses.

    See Also
    --------
    argsort, quantile

    Notes
    -----
    -0 equals +0, and all NaN are one number, the largest. Work is that of a sort.

    Examples
    --------
    >>> upsweep.rank([30, 10, 30, 20])
    array([3.5, 1. , 3.5, 2. ])
    >>> upsweep.rank([30, 10, 30, 20], method="dense", descending=True)
    array([1, 3, 1, 2])
    """
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(
            f"rank: method={method!r}; give 'average', 'min', 'max', 'dense' or 'ordinal'"
        )
    a, lines, _ = _lines(x, axis, "rank")
    ranks = empty(lines.rows.shape, np.dtype(np.float64 if method == "average" else np.int64))
    how = settings(threads, "reproducible", "rank")
    _core.rank(type_name(a.dtype), passed(lines.rows), bool(descending), method, ranks, how)
    return _shaped(lines, ranks, axis)


def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    /,
    *,
    descending: bool = False,
    threads: Integer | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sort keys, and values along with them.

    Parameters
    ----------
    keys : array_like, 1-D
        Numbers, dates or time spans.
    values : array_like, 1-D
        One value per key.
    descending : bool, default False
        Put the largest element first. Equal elements keep their order.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    tuple of two 1-D arrays
        The sorted keys, and the values in the order of their keys.

    Raises
    ------
    ValueError
        If the arrays do not have one dimension and the same size.

    See Also
    --------
    sort, argsort, group_reduce

    Notes
    -----
    The order is total: NaN with the sign bit set, -inf, ..., -0, +0, ..., +inf, NaN. The sort is
    stable.

    Examples
    --------
    >>> upsweep.sort_by_key([3, 1, 2], [30.0, 10.0, 20.0])
    (array([1, 2, 3]), array([10., 20., 30.]))
    """
    verb = "sort_by_key"
    k, v = as_array(keys, verb, "mM"), as_array(values, verb, "mM")
    if k.ndim != 1 or k.shape != v.shape:
        raise ValueError(
            f"{verb}: keys and values have the shapes {k.shape} and {v.shape}; give one dimension "
            "of the same size"
        )
    by, along = numbers_of(k, verb).copy(), movable(v).copy()
    how = settings(threads, "reproducible", verb)
    types = type_name(by.dtype), type_name(along.dtype)
    _core.sort_by_key(types[0], passed(by), types[1], passed(along), bool(descending), how)
    by, along = by.view(k.dtype), along.view(v.dtype)
    return in_library_of(by, keys, values), in_library_of(along, values, keys)


@in_its_library
def top(
    x: ArrayLike, count: Integer, /, *, smallest: bool = False, threads: Integer | None = None
) -> NDArray[Any]:
    """Return the largest elements, the largest first.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    count : int
        The number of elements to return.
    smallest : bool, default False
        Return the smallest elements instead, the smallest first.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    1-D array
        `count` elements.

    Raises
    ------
    ValueError
        If `x` has fewer than `count` elements.

    See Also
    --------
    sort, max, select

    Notes
    -----
    The order is that of `sort`. It is faster than a sort if `count` is much smaller than the number
    of elements.

    Examples
    --------
    >>> upsweep.top([3, 1, 4, 1, 5], 2)
    array([5, 4])
    """
    given = as_array(x, "top", "mM")
    a = np.ascontiguousarray(numbers_of(given, "top")).reshape(-1)
    taken = integer(count, "count", "top")
    if not 0 <= taken <= a.size:
        raise ValueError(f"top: count={count}, but x has {a.size} elements")
    out = np.empty(taken, a.dtype)
    how = settings(threads, "reproducible", "top")
    _core.top(type_name(a.dtype), passed(a), not smallest, passed(out), how)
    return out.view(given.dtype)
