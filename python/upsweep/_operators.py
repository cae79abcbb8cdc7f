"""Operators with the methods of NumPy's ufuncs.

Code that uses methods of ufuncs runs after one import is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _dates
from upsweep._arrays import Lines, as_array, beside, dtype_named, passed, store
from upsweep._calls import operands, scanned, stored, type_for
from upsweep._calls import reduce as _reduce
from upsweep._calls import scan as _scan
from upsweep._entries import UFUNCS, entry_of, short_call, way_of
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from upsweep._types import Axis, Integer, Mode, Number, Out


class Monoid:
    """An operator of the library with the methods of NumPy's ufuncs.

    `name` is its name in `reduce` and `scan`. Called as a function, it is NumPy's ufunc.

    Parameters
    ----------
    numpy_name : str
        The name of the ufunc in NumPy.

    See Also
    --------
    reduce, scan, segment_reduce

    Notes
    -----
    The methods have the bits of `reduce`, `scan` and `segment_reduce`.

    Examples
    --------
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
        """Reduce along an axis, like the method ``reduce`` of NumPy's ufunc.

        Parameters
        ----------
        x : array_like
            The elements, of any shape.
        axis : int, tuple of ints or None, default 0
            The axis or axes to reduce. None reduces the whole array.
        dtype : dtype, optional
            The type of the result. By default integers are accumulated in 64 bits and float16 in
            float32, and the result has that type. A narrower type rounds the result, not the
            elements.
        out : numpy.ndarray, tuple or ..., optional
            The array to store the result in, or a tuple of one; ``...`` returns an array instead of
            a scalar.
        keepdims : bool, default False
            Keep the reduced axes as axes of length 1.
        initial : scalar, optional
            A value to the left of the first element. It is also the result if there are no
            elements.
        where : array_like of bool, optional
            Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
            result has the bits of a call on these elements alone.
        threads : int, optional
            The largest number of threads; 0 means all that this process may use. The default is the
            value of ``UPSWEEP_NUM_THREADS``, or 0.
        mode : {"reproducible", "fast"}, default "reproducible"
            "fast" may regroup floats. The bits may then depend on the number of threads.

        Returns
        -------
        scalar or array
            The reductions.

        See Also
        --------
        reduce
        """
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
        """Scan along an axis, like the method ``accumulate`` of NumPy's ufunc.

        Parameters
        ----------
        x : array_like
            The elements, of any shape.
        axis : int, default 0
            The axis to scan along.
        dtype : dtype, optional
            The type of the result. By default integers are accumulated in 64 bits and float16 in
            float32, and the result has that type. A narrower type rounds the result, not the
            elements.
        out : numpy.ndarray, tuple or ..., optional
            The array to store the result in, or a tuple of one; ``...`` returns an array instead of
            a scalar.
        threads : int, optional
            The largest number of threads; 0 means all that this process may use. The default is the
            value of ``UPSWEEP_NUM_THREADS``, or 0.
        mode : {"reproducible", "fast"}, default "reproducible"
            "fast" may regroup floats. The bits may then depend on the number of threads.

        Returns
        -------
        array with the shape of `x`
            The prefixes.

        See Also
        --------
        scan
        """
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
        """Reduce slices, like the method ``reduceat`` of NumPy's ufunc.

        Parameters
        ----------
        x : array_like
            The elements, of any shape.
        indices : array_like of ints, 1-D
            The first element of each slice.
        axis : int, default 0
            The axis to reduce along.
        dtype : dtype, optional
            The type of the result. By default integers are accumulated in 64 bits and float16 in
            float32, and the result has that type. A narrower type rounds the result, not the
            elements.
        out : numpy.ndarray, tuple or ..., optional
            The array to store the result in, or a tuple of one; ``...`` returns an array instead of
            a scalar.
        threads : int, optional
            The largest number of threads; 0 means all that this process may use. The default is the
            value of ``UPSWEEP_NUM_THREADS``, or 0.
        mode : {"reproducible", "fast"}, default "reproducible"
            "fast" may regroup floats. The bits may then depend on the number of threads.

        Returns
        -------
        array
            Result i combines ``x[indices[i] : indices[i + 1]]``, or is ``x[indices[i]]`` if the
            next index is not larger.

        Raises
        ------
        IndexError
            If an index is not that of an element.

        See Also
        --------
        segment_reduce

        Notes
        -----
        Each result has the bits of a reduction of its own elements. `segment_reduce` gives the
        identity for an empty segment instead.
        """
        if dtype is out is threads is None and mode == "reproducible" and axis == 0:
            results = way_of(self.name).reduce_at(x, indices)
            if results is not None:
                return results
        return self._reduceat(x, indices, axis, dtype, _array_of(out), threads, mode)

    @in_its_library
    def _reduceat(self, x, indices, axis, dtype, out, threads, mode):
        verb = f"{self.__name__}.reduceat"
        given = as_array(x, verb, _dates.TYPES.get(self.name, ""))
        dtype = type_for(self.name, given, dtype, out)
        name, a, to = operands(self.name, given, dtype, verb)
        a, axis = scanned(a, axis, verb)
        entry = entry_of(name, a.dtype, verb)
        lines = Lines(a, axis)
        at, borders = _slices_at(indices, lines.size, verb)
        how = settings(threads, mode, verb)
        results = np.empty((lines.count, len(borders) - 1), dtype_named(entry.result))
        if lines.count != 1:  # all slices of all lines at once
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


def _slices_at(indices, size, verb):
    """Which elements the slices that begin at `indices` consist of: a slice or positions, and
    the borders between them.
    """
    begins = beside(indices, verb)
    if begins.ndim != 1 or (begins.size and begins.dtype.kind not in "iu"):
        raise TypeError(f"{verb}: indices must be integers in one dimension")
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
