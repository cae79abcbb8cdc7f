"""Reductions and scans of elements that arrive in chunks."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, dtype_named, type_name
from upsweep._calls import NEED_ELEMENTS, initial_for, stored
from upsweep._entries import SAME_OVER_INTEGERS, elements_for, entry_of, is_own, operator_name
from upsweep._libraries import running_in_its_library
from upsweep._own import own_monoid, result_for_none, scan_into
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Integer, Number, Operator

_OF_FLAGS = {"all", "any", "parity"}  # each element counts as 0 or 1
_WIDE = {"i": np.int64, "u": np.uint64, "b": np.int64, "f": np.float64}


_OURS = frozenset(  # attributes of a stream; a derived class may have more
    ("_op", "_dtype", "_initial", "_threads", "_wide", "_how", "_stream", "_stored", "_result")
    + ("_size", "_totals", "_prefixes")
)


def accumulators_of(dtype):
    """The type in which elements are combined. Narrower elements are converted to it, which is
    exact.
    """
    narrow = dtype.kind not in "iub" and dtype.itemsize <= 4
    return np.dtype(np.float32 if narrow else _WIDE[dtype.kind])


def class_for_own(cls, own):
    """The class for user-defined operators of a class or of one that is derived from it."""
    return own if issubclass(own, cls) else _derived_for_own(cls, own)


@functools.cache
def _derived_for_own(cls, own):
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "_derived": cls}
    return type(cls.__name__, (cls, own), names)


def added_state(self, ours):
    """What a derived class has added to the attributes `ours`, as Python pickles it: its
    `__getstate__`, a dictionary, or a pair of one and slots.
    """
    state = self.__getstate__() if hasattr(self, "__getstate__") else vars(self)
    named, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if isinstance(named, dict):
        named = {name: x for name, x in named.items() if name not in ours}
    return (named, slots) if slots else named or None


class Stream:
    """A reduction or scan of elements that arrive in chunks.

    Results have the bits of one call over all elements, for any chunk sizes.

    Parameters
    ----------
    op : str, operator, ufunc or callable, default "sum"
        An operator as in `reduce`, except "argmin" and "argmax". A user-defined operator accepts
        any objects, and Python calls it for each element.
    dtype : dtype, default float64
        The type of the elements. It has no effect with a user-defined operator.
    initial : scalar, optional
        A value to the left of the first element.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Raises
    ------
    ValueError
        If there are no streams of the operator over this type.

    See Also
    --------
    Partial, reduce, scan

    Notes
    -----
    A stream holds one partial result per binary digit of the number of elements. It can be pickled
    and continued by another process or on another machine.

    Examples
    --------
    >>> stream = upsweep.Stream("sum", "float64")
    >>> stream.push([1.0, 2.0]).push([3.0]).result()
    np.float64(6.0)
    >>> stream.scan([4.0, 5.0])
    array([10., 15.])
    """

    def __new__(
        cls,
        op: Operator = "sum",
        dtype: DTypeLike = np.float64,
        *,
        initial: Number | None = None,
        threads: Integer | None = None,
    ) -> Stream:
        return super().__new__(class_for_own(cls, _OwnStream) if is_own(op) else cls)

    def __init__(
        self,
        op: Operator = "sum",
        dtype: DTypeLike = np.float64,
        *,
        initial: Number | None = None,
        threads: Integer | None = None,
    ) -> None:
        self._op = operator_name(op, "Stream")
        self._dtype = np.dtype(dtype)
        self._initial = initial
        self._threads = threads
        as_array(np.empty(0, self._dtype), "Stream")
        self._wide = accumulators_of(self._dtype)
        if self._op in _OF_FLAGS:
            self._wide = np.dtype(np.uint8)
        entry = entry_of(self._op, self._wide, "Stream")
        before = initial_for(entry, initial, "Stream")
        self._how = settings(threads, "reproducible", "Stream")
        name = SAME_OVER_INTEGERS.get(self._op, self._op) if self._wide.kind != "f" else self._op
        elements = "bool" if self._op in _OF_FLAGS else type_name(self._wide)
        self._stream = _core.stream(name, elements, before)
        if self._stream is None:
            raise ValueError(f"Stream: there are no streams of {self._op} over {self._dtype}")
        self._stored = dtype_named(entry.result)
        self._result = elements_for(self._op, np.empty(0, self._dtype), None, "Stream")[1]

    def __len__(self) -> int:
        """The number of elements so far."""
        return self._stream.size

    def __repr__(self) -> str:
        return f"<upsweep.Stream of {self._op} over {self._dtype}, {len(self)} elements>"

    def _chunk(self, chunk):
        a = as_array(chunk, "Stream")
        if a.dtype != self._dtype and not (a.size == 0 or np.can_cast(a.dtype, self._dtype)):
            raise TypeError(
                f"Stream: the chunk has the type {a.dtype}, but the stream has {self._dtype}"
            )
        a = a != 0 if self._op in _OF_FLAGS else a
        return np.ascontiguousarray(a, self._wide).reshape(-1)

    def push(self, chunk: ArrayLike) -> Stream:
        """Append elements.

        Parameters
        ----------
        chunk : array_like
            The next elements, any number of them.

        Returns
        -------
        Stream
            The stream itself.

        Raises
        ------
        TypeError
            If the type of the elements cannot be cast safely to that of the stream.
        """
        self._stream.push(self._chunk(chunk), self._how)
        return self

    @running_in_its_library
    def scan(self, chunk: ArrayLike, *, exclusive: bool = False) -> NDArray[Any]:
        """Append elements, and return the prefix at each of them.

        Parameters
        ----------
        chunk : array_like
            The next elements, any number of them.
        exclusive : bool, default False
            Leave each element out of its own result (exclusive prefix sum).

        Returns
        -------
        1-D array
            One result per element of the chunk.
        """
        elements = self._chunk(chunk)
        out = np.empty(elements.size, self._stored)
        self._stream.scan(elements, out, bool(exclusive), self._how)
        return stored(out, self._result)

    def result(self) -> Any:
        """Return the reduction of all elements so far. The stream can go on.

        Returns
        -------
        scalar
            The reduction.

        Raises
        ------
        ValueError
            If there are no elements, no initial value, and the operator has no result for none.
        """
        if not len(self) and self._op in NEED_ELEMENTS and self._initial is None:
            raise ValueError(f"Stream: there are no elements, so there is no {self._op}")
        out = np.empty(1, self._stored)
        self._stream.result(out)
        return stored(out, self._result)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        made = type(self), self._op, self._dtype, self._initial, self._threads
        state = len(self), self._stream.state(), _core.tree_version
        return _restored, (*made, *state), added_state(self, _OURS)


class _OwnStream(Stream):
    """A stream of a user-defined operator: an aggregate and a prefix per binary digit."""

    _derived = Stream  # whose derived class it is

    def __init__(self, op, dtype=object, *, initial=None, threads=None):
        self._op = own_monoid(op)
        self._initial = initial
        self._size = 0
        self._totals, self._prefixes = [None] * 64, [None] * 64

    def __len__(self):
        return self._size

    def __repr__(self):
        return f"<upsweep.Stream of {self._op.__name__}, {len(self)} elements>"

    def push(self, chunk):
        self.scan(chunk)
        return self

    def scan(self, chunk, *, exclusive=False):
        elements, begin = list(chunk), self._size
        left = self.result() if exclusive and elements else None
        out = [None] * len(elements)
        function = self._op.function
        totals, prefixes = list(self._totals), list(self._prefixes)  # the function may raise
        scan_into(function, elements, begin, totals, prefixes, out)
        if self._initial is not None:
            out = [function(self._initial, prefix) for prefix in out]
        if self._size != begin:
            raise ValueError("Stream: another call has changed it meanwhile; give each its own")
        self._totals, self._prefixes = totals, prefixes
        self._size = begin + len(elements)
        return [left, *out[:-1]] if exclusive and elements else out

    def result(self):
        if not self._size:
            return result_for_none("Stream", self._op, self._initial)
        last = self._prefixes[(self._size & -self._size).bit_length() - 1]
        return last if self._initial is None else self._op.function(self._initial, last)

    def __reduce__(self):
        state = self._op, self._initial, self._size, list(self._totals), list(self._prefixes)
        return _restored_own, (self._derived, *state), added_state(self, _OURS)


def _restored_own(cls, op, initial, size, totals, prefixes):
    stream = Stream.__new__(cls, op)
    _OwnStream.__init__(stream, op, initial=initial)
    stream._size, stream._totals, stream._prefixes = size, totals, prefixes
    return stream


def _restored(cls, op, dtype, initial, threads, size, state, tree_version):
    """What pickle calls to make a stream again."""
    if tree_version != _core.tree_version:
        raise ValueError(
            f"Stream: the state has combine tree {tree_version}, but this version of "
            f"upsweep has {_core.tree_version}"
        )
    stream = Stream.__new__(cls, op)
    Stream.__init__(stream, op, dtype, initial=initial, threads=threads)
    stream._stream.restore(size, state)
    return stream
