"""Operators with NumPy's methods, so that code over ufuncs runs after one import is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep._arrays import Lines, beside, dtype_named, passed, store
from upsweep._calls import operands, scanned, stored
from upsweep._calls import reduce as _reduce
from upsweep._calls import scan as _scan
from upsweep._entries import UFUNCS, entry_of, short_call, way_of
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from upsweep._types import Axis, Integer, Mode, Number, Out


class Monoid:
    """An operator of the library; `name` is what `reduce` and `scan` call it. Called as a function,
    it is NumPy's.

    >>> upsweep.add.reduce([1.0, 2.0, 3.0])
    np.float64(6.0)
    >>> upsweep.maximum.accumulate([1, 3, 2])
    array([1, 3, 3])
    >>> upsweep.add(1, 2)
    np.int64(3)
    """

    def __init__(self, numpy_name: str) -> None:
        self.__name__ = numpy_name
        self.name: str = UFUNCS[numpy_name]
        for scans, method in ((False, "reduce"), (True, "accumulate")):
            call = short_call(self.name, scans, getattr(self, method), first_axis=True)
            call.__qualname__ = f"{numpy_name}.{method}"
            setattr(self, method, call)

    def __repr__(self) -> str:
        return f"<upsweep.{self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__  # the operator itself, for pickle and copy

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(np, self.__name__)(*arguments, **options)

    @in_its_library
    def reduce(
        self,
        x: ArrayLike,
        axis: Axis = 0,
        dtype: DTypeLike | None = None,
        out: Out = None,
        keepdims: bool = False,
        initial: Number | None = None,
        where: ArrayLike | None = None,
        *,
        threads: Integer | None = None,
        mode: Mode = "reproducible",
    ) -> Any:
        """As the method of NumPy's ufunc: along axis 0 unless told otherwise."""
        verb = f"{self.__name__}.reduce"
        along = None if axis == 0 and np.ndim(x) < 2 else axis
        rest = (dtype, _array_of(out), keepdims, initial, threads, mode)
        results = _reduce(verb, self.name, x, along, *rest, where=where)
        return np.asarray(results) if out is ... and isinstance(results, np.generic) else results

    @running_in_its_library
    def accumulate(
        self,
        x: ArrayLike,
        axis: Integer = 0,
        dtype: DTypeLike | None = None,
        out: Out = None,
        *,
        threads: Integer | None = None,
        mode: Mode = "reproducible",
    ) -> Any:
        """As the method of NumPy's ufunc: along axis 0 unless told otherwise."""
        verb = f"{self.__name__}.accumulate"
        along = None if axis == 0 and np.ndim(x) < 2 else axis
        return _scan(verb, self.name, x, along, dtype, _array_of(out), None, threads, mode)

    def reduceat(
        self,
        x: ArrayLike,
        indices: ArrayLike,
        axis: Integer = 0,
        dtype: DTypeLike | None = None,
        out: Out = None,
        *,
        threads: Integer | None = None,
        mode: Mode = "reproducible",
    ) -> Any:
        """As the method of NumPy's ufunc: result i combines x[indices[i] : indices[i + 1]], or is
        x[indices[i]] where the next index is not larger. Each has the bits of `reduce` of its
        elements. `segment_reduce` has empty segments instead.
        """
        if dtype is out is threads is None and mode == "reproducible" and axis == 0:
            results = way_of(self.name).reduce_at(x, indices)
            if results is not None:
                return results
        return self._reduceat(x, indices, axis, dtype, _array_of(out), threads, mode)

    @in_its_library
    def _reduceat(self, x, indices, axis, dtype, out, threads, mode):
        verb = f"{self.__name__}.reduceat"
        name, a, to = operands(self.name, x, dtype, verb)
        a, axis = scanned(a, axis, verb)
        entry = entry_of(name, a.dtype, verb)
        lines = Lines(a, axis)
        at, borders = _stretches(indices, lines.size, verb)
        how = settings(threads, mode, verb)
        results = np.empty((lines.count, len(borders) - 1), dtype_named(entry.result))
        if lines.count != 1:  # all stretches of all lines at once
            begins = np.arange(lines.count, dtype=np.uint64)[:, None] * borders[-1]
            borders = np.append(begins + borders[:-1], borders[-1] * np.uint64(lines.count))
        elements = np.ascontiguousarray(lines.rows[:, at]).reshape(-1)
        entry.reduce_segments(passed(elements), borders, passed(results.reshape(-1)), how, None)
        return store(np.ascontiguousarray(stored(lines.unmoved(results), to)), out, verb)


def _array_of(out):
    """`out` as NumPy's ufuncs take it: an array, a tuple of one, or `...` for a new one."""
    if out is ...:
        return None
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out


def _stretches(indices, size, verb):
    """Which elements the stretches that begin at `indices` consist of: a slice or positions, and
    the borders between them.
    """
    begins = beside(indices, verb)
    if begins.ndim != 1 or (begins.size and begins.dtype.kind not in "iu"):
        raise TypeError(f"{verb}: indices are integers in one dimension")
    wrong = begins[(begins < 0) | (begins >= size)]
    if wrong.size:
        raise IndexError(f"{verb}: there is no element {wrong[0]}; x has {size}")
    begins = begins.astype(np.int64)
    if begins.size == 0:
        return slice(0, 0), np.zeros(1, np.uint64)
    following = np.append(begins[1:], size)
    lengths = np.maximum(following - begins, 1)
    borders = np.concatenate([[0], np.cumsum(lengths)])
    if np.array_equal(begins + lengths, following):
        return slice(int(begins[0]), size), borders.astype(np.uint64)
    owners = np.repeat(np.arange(len(begins)), lengths)
    return begins[owners] + np.arange(borders[-1]) - borders[owners], borders.astype(np.uint64)


add: Monoid = Monoid("add")
multiply: Monoid = Monoid("multiply")
maximum: Monoid = Monoid("maximum")
minimum: Monoid = Monoid("minimum")
fmax: Monoid = Monoid("fmax")
fmin: Monoid = Monoid("fmin")
logical_and: Monoid = Monoid("logical_and")
logical_or: Monoid = Monoid("logical_or")
logical_xor: Monoid = Monoid("logical_xor")
bitwise_and: Monoid = Monoid("bitwise_and")
bitwise_or: Monoid = Monoid("bitwise_or")
bitwise_xor: Monoid = Monoid("bitwise_xor")
gcd: Monoid = Monoid("gcd")
