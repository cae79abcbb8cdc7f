"""Sorts and ranks. The order is total: NaN with a sign, -inf, ..., -0, +0, ..., +inf,
NaN; elements that are equal in it keep their order.
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
    """The elements, their lines, and the type to return them as, which may be that of dates."""
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
    """The elements in order, along an axis or all in one line (None). Sorts are stable, whatever
    `stable` says. Raises ValueError for a number, and for dates that are NaT.

    >>> upsweep.sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    """
    if type(x) is np.ndarray and threads is None and axis == -1:
        out: Any = _core.short_sort(x, descending, default_settings())
        if out is not None:
            return out
    return _sort(x, axis, descending, threads)


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
    """The positions of the elements in their order; equal ones in the order of the input, also
    with `descending`, and whatever `stable` says. Raises what `sort` does.

    >>> upsweep.argsort([3, 1, 3])
    array([1, 0, 2])
    """
    if type(x) is np.ndarray and threads is None and axis == -1:
        out: Any = _core.short_argsort(x, descending, default_settings())
        if out is not None:
            return out
    return _argsort(x, axis, descending, threads)


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
    """The place of each element in the order, from 1 on, along an axis or of all in one line
    (None), as scipy.stats.rankdata. Equal elements have the mean of their places, or by `method`
    "min" or "max" one of them, "dense" as many numbers as there are different elements, "ordinal"
    each its own, in the order of the input. -0 equals +0, and NaN is one number, the largest.

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
    _core.rank(type_name(a.dtype), passed(lines.rows), descending, method, ranks, how)
    return _shaped(lines, ranks, axis)


def sort_by_key(
    keys: ArrayLike,
    values: ArrayLike,
    /,
    *,
    descending: bool = False,
    threads: Integer | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The keys in order, and the values that belong to them. Raises ValueError unless both have
    one dimension and the same size.

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
    _core.sort_by_key(types[0], passed(by), types[1], passed(along), descending, how)
    by, along = by.view(k.dtype), along.view(v.dtype)
    return in_library_of(by, keys, values), in_library_of(along, values, keys)


@in_its_library
def top(
    x: ArrayLike, count: Integer, /, *, smallest: bool = False, threads: Integer | None = None
) -> NDArray[Any]:
    """The `count` largest elements, the largest first, or the smallest. Raises ValueError if there
    are fewer.

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
