"""Reductions and scans of data that arrives in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, type_name
from upsweep._calls import entry_of, initial_for, operator_name, settings
from upsweep._libraries import running_in_its_library

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Number, Operator

_WIDE = {"i": np.int64, "u": np.uint64, "b": np.uint64, "f": np.float64}


class Stream:
    """An operator over elements of a type that arrive in chunks of any length. Results have the
    bits of one call over all elements, however they were cut. The operators are "sum", "product",
    "min", "max" and, of floats, "exact_sum".

    A stream holds a total for each binary digit of the number of elements. It can be pickled and
    continued by another process or on another machine.

    >>> stream = upsweep.Stream("sum", "float64")
    >>> stream.push([1.0, 2.0]).push([3.0]).result()
    np.float64(6.0)
    >>> stream.scan([4.0, 5.0])
    array([10., 15.])
    """

    def __init__(
        self,
        op: Operator = "sum",
        dtype: DTypeLike = np.float64,
        *,
        initial: Number | None = None,
        threads: int | None = None,
    ) -> None:
        self._op = operator_name(op, "Stream")
        self._dtype = np.dtype(dtype)
        self._initial = initial
        self._threads = threads
        as_array(np.empty(0, self._dtype), "Stream")
        # Elements below the accumulator's width are widened on their way in, which is exact.
        narrow = self._dtype.kind not in "iub" and self._dtype.itemsize <= 4
        self._wide = np.dtype(np.float32 if narrow else _WIDE[self._dtype.kind])
        entry = entry_of(self._op, self._wide, "Stream")
        before = initial_for(entry, initial, "Stream")
        self._how = settings(threads, "reproducible", "Stream")
        self._stream = _core.stream(self._op, type_name(self._wide), before)
        if self._stream is None:
            raise ValueError(
                f"Stream: there are no streams of {self._op} over {self._dtype}; there are sum, "
                "product, min, max, and exact_sum of floats"
            )
        keeps = self._op in ("min", "max")
        signed = self._dtype.kind == "b" and not keeps  # NumPy counts booleans in signed integers
        self._result = self._dtype if keeps else np.dtype(np.int64) if signed else self._wide

    def __len__(self) -> int:
        """How many elements there have been."""
        return self._stream.size

    def __repr__(self) -> str:
        return f"<upsweep.Stream of {self._op} over {self._dtype}, {len(self)} elements>"

    def _chunk(self, chunk):
        a = as_array(chunk, "Stream")
        if a.dtype != self._dtype and not (a.size == 0 or np.can_cast(a.dtype, self._dtype)):
            raise TypeError(
                f"Stream: a chunk has elements of {a.dtype}, but the stream is of {self._dtype}"
            )
        return np.ascontiguousarray(a, self._wide).reshape(-1)

    def push(self, chunk: ArrayLike) -> Stream:
        """Appends elements, and returns the stream."""
        self._stream.push(self._chunk(chunk), self._how)
        return self

    @running_in_its_library
    def scan(self, chunk: ArrayLike, *, exclusive: bool = False) -> NDArray[Any]:
        """Appends elements, and returns the running reduction at each of them."""
        elements = self._chunk(chunk)
        out = np.empty(elements.size, self._wide)
        self._stream.scan(elements, out, exclusive, self._how)
        return out.astype(self._result, copy=False)

    def result(self) -> Any:
        """The reduction of all elements so far; the stream can go on. Raises ValueError for min
        and max of no elements without an initial value.
        """
        if not len(self) and self._op in ("min", "max") and self._initial is None:
            raise ValueError(f"Stream: there have been no elements, so there is no {self._op}")
        out = np.empty(1, self._wide)
        self._stream.result(out)
        return out.astype(self._result)[0]

    def __reduce__(self):
        state = (self._op, self._dtype.str, self._initial, self._threads)
        return _restored, (*state, len(self), self._stream.state(), _core.tree_version)


def _restored(op, dtype, initial, threads, size, state, tree_version):
    """What pickle calls to make a stream again."""
    if tree_version != _core.tree_version:
        raise ValueError(
            f"Stream: the state was made with combine tree {tree_version}, but this version of "
            f"upsweep has {_core.tree_version}"
        )
    stream = Stream(op, dtype, initial=initial, threads=threads)
    stream._stream.restore(size, state)
    return stream
