"""Segments, windows, and groups by key: each result has the bits of its own elements alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, beside, dtype_named, empty, on_gpu, passed, type_name
from upsweep._calls import initial_for, operands, scanned, stored
from upsweep._dates import expect_elements
from upsweep._entries import entry_of, operator_name, way_of
from upsweep._libraries import in_its_library, in_library_of, running_in_its_library
from upsweep._settings import settings
from upsweep._sorts import argsort
from upsweep._texts import numbered

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Mode, Number, Operator


def _line(x, op, verb):
    """The elements of one dimension, their entry, and the type to store, or None."""
    name, a, to = operands(operator_name(op, verb), x, None, verb)
    if a.ndim != 1:
        raise ValueError(f"{verb}: x has {a.ndim} dimensions; give one")
    return np.ascontiguousarray(a), entry_of(name, a.dtype, verb), to


def _borders(offsets, verb):
    given = beside(offsets, verb)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise TypeError(f"{verb}: offsets are integers in one dimension")
    if given.size == 0:
        raise ValueError(f"{verb}: there are no offsets; the first is 0, the last the size of x")
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
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """The reduction of each segment x[offsets[k] : offsets[k + 1]]. Offsets ascend from 0 to the
    size of `x`; an empty segment has `initial`, or the identity. Raises ValueError for other
    offsets, with the first that is wrong.

    >>> upsweep.segment_reduce([1, 2, 3, 4], [0, 1, 1, 4])
    array([1, 0, 9])
    """
    name = op if type(op) is str else operator_name(op, "segment_reduce")
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
    a, entry, to = _line(x, op, verb)
    borders = _borders(offsets, verb)
    expect_elements(op, to, initial, verb, lambda: (borders[1:] == borders[:-1]).any())
    out = np.empty(len(borders) - 1, dtype_named(entry.result))
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    entry.reduce_segments(passed(a), borders, passed(out), how, before)
    return stored(out, to)


def segment_scan(
    x: ArrayLike,
    offsets: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    exclusive: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """The running reductions of each segment, as `segment_reduce` takes them.

    >>> upsweep.segment_scan([1, 2, 3, 4], [0, 2, 4])
    array([1, 3, 3, 7])
    """
    name = op if type(op) is str else operator_name(op, "segment_scan")
    if initial is threads is None and mode == "reproducible" and not exclusive:
        results = way_of(name).scan_segments(x, offsets)
        if results is not None:
            return results
    return _segment_scan(x, offsets, name, exclusive, initial, threads, mode)


@running_in_its_library
def _segment_scan(x, offsets, op, exclusive, initial, threads, mode):
    verb = "segment_scan"
    gpu = on_gpu(x)
    if gpu:
        return gpu.segment_scan(x, offsets, op, exclusive, initial)
    a, entry, to = _line(x, op, verb)
    if exclusive:
        expect_elements(op, to, initial, verb)
    out = empty(a.shape, dtype_named(entry.result))
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    entry.scan_segments(passed(a), _borders(offsets, verb), passed(out), how, exclusive, before)
    return stored(out, to)


class Groups(NamedTuple):
    """The different keys in ascending order, and what belongs to each."""

    keys: NDArray[Any]
    values: NDArray[Any]


def _numbers(keys, n, verb, threads):
    """Keys as numbers, and what each stands for, or None for itself."""
    names, given = numbered(keys, verb, threads)
    if given.shape != (n,):
        raise ValueError(f"{verb}: keys have the shape {given.shape}, but x has ({n},)")
    a = np.ascontiguousarray(given)
    different = a if names is None else names
    if different.dtype.kind not in "biuOTUS" and (different != different).any():
        nothing = "NaT" if different.dtype.kind in "mM" else "NaN"
        raise ValueError(
            f"{verb}: a key is {nothing}, which equals no other; select the others first"
        )
    if a.dtype.kind not in "biu":
        a = a + a.dtype.type(0)  # -0 equals +0, but a sort would put it in front
    return a, names


def _ascend(keys):
    return keys.size < 2 or bool((keys[1:] >= keys[:-1]).all())


def group_reduce(
    keys: ArrayLike,
    x: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Groups:
    """The reduction of the elements that have the same key, in the order of the input. Keys may be
    numbers, texts or dates in any order. Raises ValueError for a key that is NaN, NaT or None, and
    for keys of another shape than `x`.

    >>> upsweep.group_reduce(["b", "a", "b"], [1, 2, 3])
    Groups(keys=array(['a', 'b'], dtype='<U1'), values=array([2, 4]))
    """
    name = op if type(op) is str else operator_name(op, "group_reduce")
    plain = initial is threads is None and mode == "reproducible"
    if plain and type(x) is type(keys) is np.ndarray:
        found = way_of(name).reduce_groups(keys, x)
        if found is not None:
            return Groups(*found)
    groups = _group_reduce(keys, x, name, initial, threads, mode)
    return Groups(in_library_of(groups.keys, keys, x), in_library_of(groups.values, x, keys))


def _group_reduce(keys, x, op, initial, threads, mode):
    verb = "group_reduce"
    a, entry, to = _line(x, op, verb)
    k, names = _numbers(keys, len(a), verb, threads)
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    found, out = np.empty_like(k), np.empty(len(a), dtype_named(entry.result))
    given = type_name(k.dtype), passed(k), passed(a)
    count = _core.reduce_groups(entry, *given, passed(found), passed(out), how, before)
    found, out = found[:count].copy(), out[:count].copy()
    return Groups(found if names is None else names[found], stored(out, to))


def group_scan(
    keys: ArrayLike,
    x: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    exclusive: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """The running reduction of each group, at the places of its elements; keys and errors are
    those of `group_reduce`.

    >>> upsweep.group_scan([1, 2, 1], [10, 20, 30])
    array([10, 20, 40])
    """
    results = _group_scan(keys, x, op, exclusive, initial, threads, mode)
    return in_library_of(results, x, keys, running=True)


def _group_scan(keys, x, op, exclusive, initial, threads, mode):
    verb = "group_scan"
    a, entry, to = _line(x, op, verb)
    if exclusive:
        expect_elements(operator_name(op, verb), to, initial, verb)
    k, _ = _numbers(keys, len(a), verb, threads)
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    order = None if _ascend(k) else argsort(k, threads=threads)
    if order is not None:
        k, a = k[order], a[order]
    out = empty(a.shape, dtype_named(entry.result))
    given = type_name(k.dtype), passed(k), passed(a)
    _core.scan_runs(entry, *given, passed(out), how, exclusive, before)
    if order is not None:
        moved, out = out, empty(out.shape, out.dtype)
        out[order] = moved
    return stored(out, to)


@running_in_its_library
def windowed(
    x: ArrayLike,
    width: int,
    op: Operator = "sum",
    /,
    *,
    axis: int | None = None,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """The reduction of every `width` neighbours along an axis: as many results less width - 1, or
    none of a shorter line. Raises ValueError for a width below 1.

    >>> upsweep.windowed([1, 5, 2, 4], 2, "max")
    array([5, 5, 4])
    """
    verb = "windowed"
    if not hasattr(width, "__index__"):
        raise TypeError(f"{verb}: width={width!r} is no integer; give a number of elements")
    if width < 1:
        raise ValueError(f"{verb}: width={width}; a window has at least 1 element")
    name, a, to = operands(operator_name(op, verb), x, None, verb)
    a, axis = scanned(a, axis, verb)
    entry = entry_of(name, a.dtype, verb)
    lines = Lines(a, axis)
    windows = lines.size - width + 1 if width <= lines.size else 0
    out = empty((lines.count, windows), dtype_named(entry.result))
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    entry.windowed(passed(lines.rows), width, passed(out), how, before)
    return np.ascontiguousarray(stored(lines.unmoved(out), to))
