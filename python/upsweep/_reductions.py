"""Reductions under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, store, type_name
from upsweep._calls import reduce as _reduce
from upsweep._calls import settings, stored
from upsweep._own import OwnMonoid, monoid, reduce_own

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Axis, Mode, Number, Operator


def reduce(
    x: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    reverse: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The elements of `x` combined by an operator, in their order, with the same bits on any
    number of threads and in any layout.

    `op` is a name, such as "max", "bit_xor", "gcd" or "exact_sum", or one of `upsweep.add`,
    `upsweep.maximum` and their relatives, or a function of your own (`upsweep.monoid`). The elements of an axis, of several, or of the whole
    array (None) are combined in the order of their indices; `initial` stands on their left.
    Raises ValueError where there are no elements and the operator has no result for none, and
    OverflowError by the operators "checked_sum" and "checked_product".

    >>> upsweep.reduce([12, 18, 30], "gcd")
    np.uint64(6)
    """
    if callable(op):
        op = op if isinstance(op, OwnMonoid) else monoid(op)
        others = {
            "axis": axis,
            "dtype": dtype,
            "out": out,
            "keepdims": keepdims,
            "reverse": reverse,
        }
        return reduce_own("reduce", op, x, initial, others)
    return _reduce(
        "reduce",
        getattr(op, "name", op),
        x,
        axis,
        dtype,
        out,
        keepdims,
        initial,
        threads,
        mode,
        reverse=reverse,
    )


def sum(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The sum. Integers add up in 64 bits, float16 in float32; the error of a sum of n floats
    grows with log n.

    >>> upsweep.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    """
    return _reduce("sum", "sum", x, axis, dtype, out, keepdims, initial, threads, mode)


def prod(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The product, with the types of `sum`.

    >>> upsweep.prod([2.0, 3.0])
    np.float64(6.0)
    """
    return _reduce("prod", "product", x, axis, dtype, out, keepdims, initial, threads, mode)


def min(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The smallest element; NaN if there is one; -0 lies below +0. Raises ValueError for no
    elements without `initial`.

    >>> upsweep.min([3, 1, 2])
    np.int64(1)
    """
    return _reduce("min", "min", x, axis, None, out, keepdims, initial, threads, mode)


def max(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The largest element, as `min`.

    >>> upsweep.max([3, 1, 2])
    np.int64(3)
    """
    return _reduce("max", "max", x, axis, None, out, keepdims, initial, threads, mode)


class MinMax(NamedTuple):
    """The smallest and the largest element."""

    min: object
    max: object


def minmax(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """`min` and `max`.

    >>> upsweep.minmax([3.0, 1.0, 2.0]).max
    np.float64(3.0)
    """
    a = as_array(x, "minmax")
    return MinMax(
        _reduce("minmax", "min", a, axis, None, None, keepdims, None, threads, mode),
        _reduce("minmax", "max", a, axis, None, None, keepdims, None, threads, mode),
    )


def argmin(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The position of the first smallest element, or of the first NaN.

    >>> upsweep.argmin([3, 1, 1])
    np.int64(1)
    """
    return _reduce("argmin", "argmin", x, axis, None, out, keepdims, None, threads, mode)


def argmax(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The position of the first largest element, or of the first NaN.

    >>> upsweep.argmax([3, 4, 4])
    np.int64(1)
    """
    return _reduce("argmax", "argmax", x, axis, None, out, keepdims, None, threads, mode)


def any(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Whether an element is not 0. NaN is not 0.

    >>> upsweep.any([0, 0, 1])
    np.True_
    """
    return _reduce("any", "any", x, axis, None, out, keepdims, None, threads, mode)


def all(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Whether no element is 0.

    >>> upsweep.all([1, 2, 0])
    np.False_
    """
    return _reduce("all", "all", x, axis, None, out, keepdims, None, threads, mode)


def count_nonzero(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """How many elements are not 0.

    >>> upsweep.count_nonzero([0.0, -0.0, 2.0])
    np.int64(1)
    """
    a = as_array(x, "count_nonzero")
    flags = a if a.dtype == bool else a != 0
    return _reduce("count_nonzero", "sum", flags, axis, None, None, keepdims, None, threads, mode)


def exact_sum(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The sum of floats without any rounding but one at the end, as math.fsum; of integers and
    booleans the sum, or OverflowError if it does not fit 64 bits.

    >>> upsweep.exact_sum([1e16, 1.0, -1e16])
    np.float64(1.0)
    """
    a = as_array(x, "exact_sum")
    op = "exact_sum" if a.dtype.kind not in "iub" else "checked_sum"
    return _reduce("exact_sum", op, a, axis, dtype, out, keepdims, initial, threads, mode)


def mean(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The mean, computed in float64; of float32 and float16 stored as float32. NaN for no
    elements.

    >>> upsweep.mean([1, 2, 6])
    np.float64(3.0)
    """
    lines, means, _, to = _moments("mean", x, axis, threads, mode)
    if lines.size == 0:
        means[:] = np.nan
    return store(stored(lines.reduced(means, keepdims), to), out, "mean")


def var(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    correction: float = 0,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The variance: squared distances from the mean, divided by n - `correction`; 1 gives the
    unbiased variance of a sample. Computed in float64, in one pass (Chan, Golub and LeVeque 1979).
    NaN where there are no more than `correction` elements.

    >>> upsweep.var([1.0, 2.0, 6.0], correction=1)
    np.float64(7.0)
    """
    lines, _, squares, to = _moments("var", x, axis, threads, mode)
    results = _divided(squares, lines.size - correction)
    return store(stored(lines.reduced(results, keepdims), to), out, "var")


def std(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    correction: float = 0,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The standard deviation: the square root of `var`.

    >>> upsweep.std([1.0, 3.0])
    np.float64(1.0)
    """
    lines, _, squares, to = _moments("std", x, axis, threads, mode)
    results = np.sqrt(_divided(squares, lines.size - correction))
    return store(stored(lines.reduced(results, keepdims), to), out, "std")


def _divided(squares, count):
    return squares / count if count > 0 else np.full_like(squares, np.nan)


def _moments(verb, x, axis, threads, mode):
    """The lines of `x`, the mean of each and its sum of squared distances; the type of results."""
    a = as_array(x, verb)
    to = np.dtype(np.float32) if a.dtype.kind == "f" and a.dtype.itemsize < 8 else None
    if type_name(a.dtype) == "bf16":
        to = np.dtype(np.float32)
    a = _wide(a, np.int32)
    lines = Lines(a, axis)
    means, squares = np.empty(lines.count), np.empty(lines.count)
    how = settings(threads, mode, verb)
    _core.moments(type_name(a.dtype), lines.rows, means, squares, how)
    return lines, means, squares, to


def _wide(a, integers):
    """The same numbers in a type of at least 32 bits; integers below in the type `integers`."""
    if type_name(a.dtype) in ("f16", "bf16"):
        return a.astype(np.float32)
    return a.astype(integers) if a.dtype.itemsize < 4 else a


def logsumexp(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: int | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """log(exp(x[0]) + exp(x[1]) + ...) without overflow: in float32 for float32 and float16, else
    in float64. -inf for no elements.

    >>> upsweep.logsumexp([1000.0, 1000.0])
    np.float64(1000.6931471805599)
    """
    a = _wide(as_array(x, "logsumexp"), np.float64)
    if a.dtype.kind != "f":
        a = a.astype(np.float64)
    lines = Lines(a, axis)
    results = np.empty(lines.count, a.dtype)
    how = settings(threads, mode, "logsumexp")
    _core.log_sum_exp(type_name(a.dtype), lines.rows, results, how)
    return store(lines.reduced(results, keepdims), out, "logsumexp")
