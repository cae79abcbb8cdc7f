"""Reductions of pieces of an array that join to the bits of one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, type_name
from upsweep._calls import initial_for
from upsweep._entries import entry_of, operator_name
from upsweep._settings import settings
from upsweep._streams import accumulators_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Number, Operator

_TYPES = {"i64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


class Partial:
    """What has to be known of the elements [begin, end) of an array: a few hundred bytes. Partials
    of neighbours add up to that of both, in any grouping, and that of the whole has the bits of one
    call. The operators are "sum", "product", "min", "max" and, of floats, "exact_sum".

    >>> x = [0.1, 0.2, 0.3, 0.4, 0.5]
    >>> first = upsweep.Partial("sum").push(x[:3])
    >>> rest = upsweep.Partial("sum", begin=3).push(x[3:])
    >>> (first + rest).result() == upsweep.sum(x)
    np.True_

    A partial pickles; `bytes(p)` is the same on every machine, and `Partial.from_bytes` reads it.
    Give `functools.reduce`, or a task engine that keeps the order, `operator.add`; for one that
    does not, collect the partials and use `Partial.join`.
    """

    def __init__(
        self,
        op: Operator = "sum",
        dtype: DTypeLike = np.float64,
        *,
        begin: int = 0,
        threads: int | None = None,
    ) -> None:
        name = operator_name(op, "Partial")
        dtype = np.dtype(dtype)
        as_array(np.empty(0, dtype), "Partial")
        wide = accumulators_of(dtype)
        if begin < 0:
            raise ValueError(f"Partial: begin is {begin}, but positions count from 0")
        self._made(name, wide, _core.partial(name, type_name(wide), begin), threads)

    def _made(self, op, wide, piece, threads=None):
        if piece is None:
            raise ValueError(
                f"Partial: there are no partials of {op} over {wide}; there are sum, product, min, "
                "max, and exact_sum of floats"
            )
        self._op, self._wide, self._piece, self._threads = op, wide, piece, threads
        self._how = settings(threads, "reproducible", "Partial")
        return self

    @property
    def begin(self) -> int:
        """The position of the first element."""
        return self._piece.begin

    @property
    def end(self) -> int:
        """The position behind the last element."""
        return self._piece.end

    def __len__(self) -> int:
        """How many elements it has."""
        return self.end - self.begin

    def __repr__(self) -> str:
        return f"<upsweep.Partial of {self._op} over {self._wide}, [{self.begin}, {self.end})>"

    def _elements(self, elements):
        a = as_array(elements, "Partial")
        if a.dtype != self._wide and not (a.size == 0 or np.can_cast(a.dtype, self._wide)):
            raise TypeError(
                f"Partial: the elements are of {a.dtype}, but the partial is of {self._wide}"
            )
        return np.ascontiguousarray(a, self._wide).reshape(-1)

    def push(self, elements: ArrayLike) -> Partial:
        """Appends the elements from `end` on, and returns the partial."""
        self._piece.push(self._elements(elements), self._how)
        return self

    def scan(self, elements: ArrayLike, *, exclusive: bool = False) -> NDArray[Any]:
        """Appends the elements from `end` on, and returns the running reduction of the whole array
        at each of them; `begin` must be 0.
        """
        following = self._elements(elements)
        out = np.empty(following.size, self._wide)
        self._piece.scan(following, out, exclusive, self._how)
        return out

    def append(self, later: Partial) -> Partial:
        """Appends the elements of a partial that begins at `end`, and returns this one."""
        if not isinstance(later, Partial):
            raise TypeError(f"Partial: {type(later).__name__} cannot be appended to a partial")
        if (self._op, self._wide) != (later._op, later._wide):
            raise ValueError(f"Partial: {later!r} cannot be appended to {self!r}")
        self._piece.append(later._piece)
        return self

    def __add__(self, later: Partial) -> Partial:
        if not isinstance(later, Partial):
            return NotImplemented
        return Partial.from_bytes(bytes(self)).append(later)

    @staticmethod
    def join(partials: Iterable[Partial]) -> Partial:
        """The partial of all elements of the given ones, which may come in any order."""
        parts = sorted(partials, key=lambda p: (p.begin, p.end))
        if not parts:
            raise ValueError("Partial: there are no partials to join")
        whole = Partial.from_bytes(bytes(parts[0]))
        for part in parts[1:]:
            whole.append(part)
        return whole

    def result(self, initial: Number | None = None) -> Any:
        """The reduction of the whole array, of which this must be the partial: `begin` is 0."""
        entry = entry_of(self._op, self._wide, "Partial")
        if not len(self) and self._op in ("min", "max") and initial is None:
            raise ValueError(f"Partial: there are no elements, so there is no {self._op}")
        out = np.empty(1, self._wide)
        self._piece.result(out, initial_for(entry, initial, "Partial"))
        return out[0]

    def __bytes__(self) -> bytes:
        return self._piece.bytes()

    @staticmethod
    def from_bytes(data: bytes) -> Partial:
        """The partial of bytes that a program in any language has written. Raises ValueError, with
        the reason, if they are damaged or of another combine tree.
        """
        data = bytes(data)
        op, type_ = _core.partial_kind(data)
        piece = _core.partial_of_bytes(op, type_, data) if type_ in _TYPES else None
        return Partial.__new__(Partial)._made(op, np.dtype(_TYPES.get(type_, np.void)), piece)

    def __reduce__(self) -> tuple[Any, ...]:
        return Partial.from_bytes, (bytes(self),)
