"""Partial results of pieces of an array, which join to the bits of one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, dtype_named, integer, type_name
from upsweep._calls import NEED_ELEMENTS, initial_for
from upsweep._entries import is_own, operator_name
from upsweep._settings import is_pairwise, settings
from upsweep._streams import accumulators_of, added_state, class_for_own

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Integer, Number, Operator, Tree


class Moments(NamedTuple):
    """Results of a partial of "moments"; `sample_var` is `var` with correction=1."""

    size: Integer
    mean: Any
    var: Any
    std: Any
    sample_var: Any
    sample_std: Any


class CentralMoments(NamedTuple):
    """Results of a partial of "central_moments"; those of a sample are `skew` and `kurtosis`
    without bias.
    """

    size: Integer
    mean: Any
    var: Any
    skew: Any
    kurtosis: Any
    sample_skew: Any
    sample_kurtosis: Any


class Comoments(NamedTuple):
    """Results of a partial of "comoments"; `slope` and `intercept` are of the regression line."""

    size: Integer
    mean_x: Any
    mean_y: Any
    covariance: Any
    sample_covariance: Any
    correlation: Any
    slope: Any
    intercept: Any


_OURS = frozenset(  # attributes of a partial; a derived class may have more
    ("_op", "_wide", "_piece", "_threads", "_how", "_begin", "_end", "_blocks")
)
_STATISTICS = {"moments": Moments, "central_moments": CentralMoments, "comoments": Comoments}


def _elements_of(op, dtype):
    """The type in which a partial of the operator takes elements."""
    wide = accumulators_of(dtype)
    if op == "comoments" or (op in _STATISTICS and wide.kind != "f"):
        return np.dtype(np.float64)
    return wide


def position_of(begin):
    begin = integer(begin, "begin", "Partial")
    if not 0 <= begin < 2**64:
        raise ValueError(f"Partial: begin is {begin}, but positions count from 0 to 2^64 - 1")
    return begin


class Partial:
    """A mergeable summary of the elements [begin, end) of an array, a few hundred bytes.

    Partials of adjacent pieces add up to the partial of both, in any grouping. The partial of the
    whole array gives the bits of one call.

    Parameters
    ----------
    op : str, operator, ufunc or callable, default "sum"
        "sum", "product", "min", "max", "argmin", "argmax", "exact_sum" of floats; "moments",
        "central_moments" or "comoments", which have several results; or a user-defined operator
        over any elements, the same for all pieces.
    dtype : dtype, default float64
        The type of the elements.
    begin : int, default 0
        The position of the first element in the whole array.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Raises
    ------
    ValueError
        If there are no partials of the operator over this type, or `begin` is negative.

    See Also
    --------
    Stream, reduce

    Notes
    -----
    A partial can be pickled. ``bytes(p)`` is the same on every machine, and `Partial.from_bytes`
    reads it; a user-defined operator has no bytes. Use Python's ``sum`` for partials in their
    order, ``operator.add`` with a task engine that keeps the order, and `Partial.join` for partials
    in any order.

    Examples
    --------
    >>> x = [0.1, 0.2, 0.3, 0.4, 0.5]
    >>> first = upsweep.Partial("sum").push(x[:3])
    >>> rest = upsweep.Partial("sum", begin=3).push(x[3:])
    >>> (first + rest).result() == upsweep.sum(x)
    np.True_

    >>> upsweep.Partial("moments").push([1.0, 2.0, 6.0]).result().sample_var
    np.float64(7.0)
    """

    def __new__(
        cls,
        op: Operator = "sum",
        dtype: DTypeLike = np.float64,
        *,
        begin: Integer = 0,
        threads: Integer | None = None,
    ) -> Partial:
        if is_own(op):
            from upsweep._own_partial import OwnPartial

            cls = class_for_own(cls, OwnPartial)
        return super().__new__(cls)

    def __init__(
        self,
        op: Operator = "sum",
        dtype: DTypeLike = np.float64,
        *,
        begin: Integer = 0,
        threads: Integer | None = None,
    ) -> None:
        name = operator_name(op, "Partial")
        dtype = np.dtype(dtype)
        as_array(np.empty(0, dtype), "Partial")
        wide = _elements_of(name, dtype)
        piece = _core.partial(name, type_name(wide), position_of(begin))
        self._made(name, wide, piece, threads)

    def _made(self, op, wide, piece, threads=None):
        if piece is None:
            raise ValueError(
                f"Partial: there are no partials of {op} over {wide}; give sum, product, min, "
                "max, argmin, argmax, exact_sum of floats, moments, central_moments and comoments"
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
        """The position after the last element."""
        return self._piece.end

    def __len__(self) -> int:
        """The number of elements."""
        return self.end - self.begin

    def __repr__(self) -> str:
        return f"<upsweep.Partial of {self._op} over {self._wide}, [{self.begin}, {self.end})>"

    def _elements(self, elements):
        a = as_array(elements, "Partial")
        if a.dtype != self._wide and not (a.size == 0 or np.can_cast(a.dtype, self._wide)):
            raise TypeError(
                f"Partial: the elements have the type {a.dtype}, but the partial has {self._wide}"
            )
        return np.ascontiguousarray(a, self._wide).reshape(-1)

    def push(self, elements: ArrayLike, y: ArrayLike | None = None) -> Partial:
        """Append elements at `end`.

        Parameters
        ----------
        elements : array_like
            The elements from `end` on. For "comoments", the x of the pairs.
        y : array_like, optional
            For "comoments" only: the y of the pairs.

        Returns
        -------
        Partial
            The partial itself.

        Raises
        ------
        ValueError
            If x and y have different sizes.
        TypeError
            If `y` is missing for "comoments" or given for another operator, or the elements cannot
            be cast safely.
        """
        following = self._elements(elements)
        if (y is not None) != (self._op == "comoments"):
            raise TypeError(
                f"Partial: x and y are for comoments only; this is a partial of {self._op}"
            )
        if y is not None:
            others = self._elements(y)
            if others.size != following.size:
                raise ValueError(
                    f"Partial: x has {following.size} elements, but y has {others.size}"
                )
            following = np.column_stack((following, others)).reshape(-1)
        self._piece.push(following, self._how)
        return self

    def scan(self, elements: ArrayLike, *, exclusive: bool = False) -> NDArray[Any]:
        """Append elements at `end`, and return the prefix of the whole array at each of them.

        Parameters
        ----------
        elements : array_like
            The elements from `end` on.
        exclusive : bool, default False
            Leave each element out of its own result (exclusive prefix sum).

        Returns
        -------
        1-D array
            One result per element.

        Raises
        ------
        ValueError
            If `begin` is not 0, or the operator has no scans.
        """
        if not self._piece.scans:
            raise ValueError(f"Partial: there are no scans of {self._op}")
        following = self._elements(elements)
        out = np.empty(following.size, self._wide)
        self._piece.scan(following, out, bool(exclusive), self._how)
        return out

    def append(self, later: Partial) -> Partial:
        """Append the elements of another partial.

        Parameters
        ----------
        later : Partial
            A partial that begins at `end`.

        Returns
        -------
        Partial
            The partial itself.

        Raises
        ------
        ValueError
            If `later` does not begin at `end`, or is of another operator or type.
        """
        if not isinstance(later, Partial):
            raise TypeError(f"Partial: {type(later).__name__} cannot be appended to a partial")
        if (self._op, self._wide) != (later._op, getattr(later, "_wide", None)):
            raise ValueError(f"Partial: {later!r} cannot be appended to {self!r}")
        self._piece.append(later._piece)
        return self

    def __add__(self, later: Partial) -> Partial:
        if not isinstance(later, Partial):
            return NotImplemented
        return self._copy().append(later)

    def __radd__(self, nothing: Any) -> Partial:
        """Accept 0, the start value of Python's sum."""
        return self._copy() if type(nothing) is int and nothing == 0 else NotImplemented

    def _copy(self):
        return Partial.from_bytes(bytes(self))

    @staticmethod
    def join(partials: Iterable[Partial]) -> Partial:
        """Join partials that may come in any order.

        Parameters
        ----------
        partials : iterable of Partial
            Partials of adjacent pieces.

        Returns
        -------
        Partial
            The partial of all elements.

        Raises
        ------
        ValueError
            If there are no partials, or a piece is missing or given twice.
        """
        parts = sorted(partials, key=lambda p: (p.begin, p.end))
        if not parts:
            raise ValueError("Partial: there are no partials to join")
        whole = parts[0]._copy()
        for part in parts[1:]:
            whole.append(part)
        return whole

    def result(self, initial: Number | None = None, *, tree: Tree = "prefix") -> Any:
        """Return the reduction of the whole array.

        Parameters
        ----------
        initial : scalar, optional
            A value to the left of the first element.
        tree : {"prefix", "pairwise"}, default "prefix"
            The combine tree. "pairwise" gives sums of floats the bits of the tree of ISO's paper
            P4016 with one lane (docs/spec/pairwise.md).

        Returns
        -------
        scalar or named tuple
            The reduction. Statistics are a named tuple of float64; each field is the result of the
            function of that name.

        Raises
        ------
        ValueError
            If `begin` is not 0, or there are no elements and the operator has no result for none.
        """
        pairwise = is_pairwise(tree, "Partial")
        if not len(self) and self._op in NEED_ELEMENTS and initial is None:
            raise ValueError(f"Partial: there are no elements, so there is no {self._op}")
        piece = self._piece
        out = np.empty(piece.result_count, dtype_named(piece.result))
        piece.store_results(out, pairwise, initial_for(piece, initial, "Partial"))
        if self._op in _STATISTICS:
            return _STATISTICS[self._op](int(out[0]), *out[1:])
        return out.astype(np.intp)[0] if self._op in ("argmin", "argmax") else out[0]

    def __bytes__(self) -> bytes:
        return self._piece.bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Partial:
        """Make a partial of the bytes that a program in any language has written.

        Parameters
        ----------
        data : bytes
            The result of ``bytes(p)``, or of the C or C++ interface.

        Returns
        -------
        Partial
            The partial.

        Raises
        ------
        ValueError
            If the bytes are damaged, or of another combine tree; the message has the reason.
        """
        data = bytes(data)
        piece = _core.partial_of_bytes(data)
        if piece is None:
            kind = _core.partial_kind(data)
        else:
            kind = piece.op, dtype_named(piece.element)
        return Partial.__new__(cls)._made(*kind, piece)

    def __reduce__(self) -> tuple[Any, ...]:
        made = type(self), self._piece.bytes(), self._threads
        return _restored, made, added_state(self, _OURS)


def _restored(cls, data, threads):
    partial = Partial.from_bytes.__func__(cls, data)
    return partial._made(partial._op, partial._wide, partial._piece, threads)
