"""Reductions and scans of groups by key.

Each result has the bits of a call on its own elements alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import dtype_named, empty, passed, type_name
from upsweep._calls import initial_for, stored
from upsweep._chosen import STATISTICS, correction_of
from upsweep._dates import expect_elements
from upsweep._entries import operator_name, way_of
from upsweep._libraries import in_library_of
from upsweep._segments import elements_of, line_of, statistic_of
from upsweep._settings import settings
from upsweep._texts import numbered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer, Mode, Number, Operator, Real


class Groups(NamedTuple):
    """The distinct keys in ascending order, and one result per key."""

    keys: NDArray[Any]
    values: NDArray[Any]


def _numbers(keys, n, verb, threads):
    """Keys as numbers, and the key of each number, or None if the keys are numbers."""
    names, given = numbered(keys, verb, threads)
    if given.shape != (n,):
        raise ValueError(f"{verb}: keys have the shape {given.shape}, but x has ({n},)")
    a = np.ascontiguousarray(given)
    different = a if names is None else names
    if different.dtype.kind not in "biuOTUS" and (different != different).any():
        nothing = "NaT" if different.dtype.kind in "mM" else "NaN"
        raise ValueError(
            f"{verb}: a key is {nothing}, which equals no key; remove such elements first"
        )
    if a.dtype.kind not in "biu":
        a = a + a.dtype.type(0)  # -0 equals +0, but a sort would put it first
    return a, names


def group_reduce(
    keys: ArrayLike,
    x: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    initial: Number | None = None,
    skipna: bool = False,
    correction: Real = 0,
    ddof: Real | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Groups:
    """Reduce the elements of each group of equal keys (group by).

    Parameters
    ----------
    keys : array_like, 1-D
        One key per element, in any order: numbers, strings, dates, or other objects with a hash and
        an order.
    x : array_like, 1-D
        The elements.
    op : str, operator or ufunc, default "sum"
        An operator as in `reduce`, except user-defined ones; or a statistic: "mean", "var", "std",
        "median", "count" (of the elements that are not NaN), "first" or "last".
    initial : scalar, optional
        A value to the left of the first element of each group.
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
    Groups
        A named tuple `keys`, `values` of 1-D arrays: the distinct keys in ascending order, and one
        result per key.

    Raises
    ------
    ValueError
        If a key is NaN, NaT or None, or `keys` and `x` have different shapes.

    See Also
    --------
    group_scan, segment_reduce, unique, bincount

    Notes
    -----
    Each result has the bits of a call on its own elements alone. The elements of a group are
    combined in the order of the input. Keys are sorted or counted; work is that of a sort at most.

    Examples
    --------
    >>> upsweep.group_reduce(["b", "a", "b"], [1, 2, 3])
    Groups(keys=array(['a', 'b'], dtype='<U1'), values=array([2, 4]))
    >>> upsweep.group_reduce([1, 2, 1], [1.0, 2.0, 4.0], "mean").values
    array([2.5, 2. ])
    """
    name = op if type(op) is str else operator_name(op, "group_reduce")
    plain = initial is threads is None and mode == "reproducible" and not skipna
    if plain and name not in STATISTICS and type(x) is type(keys) is np.ndarray:
        found = way_of(name).reduce_groups(keys, x)
        if found is not None:
            return Groups(*found)
    if skipna or name in STATISTICS:
        how = (initial, skipna, correction_of(correction, ddof, "group_reduce"), threads, mode)
        groups = _group_statistic(keys, x, name, *how)
    else:
        groups = _group_reduce(keys, x, name, initial, threads, mode)
    return Groups(in_library_of(groups.keys, keys, x), in_library_of(groups.values, x, keys))


def _group_reduce(keys, x, op, initial, threads, mode):
    verb = "group_reduce"
    a, entry, to = line_of(x, op, verb)
    k, names = _numbers(keys, len(a), verb, threads)
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    found, out = np.empty_like(k), np.empty(len(a), dtype_named(entry.result))
    given = type_name(k.dtype), passed(k), passed(a)
    count = _core.reduce_groups(entry, *given, passed(found), passed(out), how, before)
    found, out = found[:count].copy(), out[:count].copy()
    return Groups(found if names is None else names[found], stored(out, to))


def _group_statistic(keys, x, op, initial, skipna, correction, threads, mode):
    verb = "group_reduce"
    a, to = elements_of(x, op, verb)
    k, names = _numbers(keys, len(a), verb, threads)
    how = settings(threads, mode, verb)
    found, borders = np.empty_like(k), np.empty(k.size + 1, np.uint64)
    order = np.empty(k.size, np.uint64)
    count = _core.group(type_name(k.dtype), passed(k), passed(found), borders, order, how)
    found, borders = found[:count].copy(), borders[: count + 1].copy()
    a = a[order.view(np.intp)]
    results = statistic_of(a, borders, skipna, how, op, correction, initial, to, verb)
    return Groups(found if names is None else names[found], results)


def group_scan(
    keys: ArrayLike,
    x: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    exclusive: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """Scan the elements of each group of equal keys.

    Parameters
    ----------
    keys : array_like, 1-D
        One key per element, in any order: numbers, strings, dates, or other objects with a hash and
        an order.
    x : array_like, 1-D
        The elements.
    op : str, operator or ufunc, default "sum"
        An operator as in `reduce`, except user-defined ones.
    exclusive : bool, default False
        Leave each element out of its own result (exclusive prefix sum).
    initial : scalar, optional
        A value to the left of the first element of each group.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    1-D array with the size of `x`
        At the position of each element, the prefix of its group.

    Raises
    ------
    ValueError
        If a key is NaN, NaT or None, or `keys` and `x` have different shapes.

    See Also
    --------
    group_reduce, segment_scan, scan

    Notes
    -----
    Each result has the bits of a call on its own elements alone. The elements of a group are
    combined in the order of the input. Work is that of a sort at most.

    Examples
    --------
    >>> upsweep.group_scan([1, 2, 1], [10, 20, 30])
    array([10, 20, 40])
    """
    results = _group_scan(keys, x, op, bool(exclusive), initial, threads, mode)
    return in_library_of(results, x, keys, running=True)


def _group_scan(keys, x, op, exclusive, initial, threads, mode):
    verb = "group_scan"
    a, entry, to = line_of(x, op, verb)
    if exclusive:
        expect_elements(operator_name(op, verb), to, initial, verb)
    k, _ = _numbers(keys, len(a), verb, threads)
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    out = empty(a.shape, dtype_named(entry.result))
    given = type_name(k.dtype), passed(k), passed(a)
    _core.scan_groups(entry, *given, passed(out), how, exclusive, before)
    return stored(out, to)
