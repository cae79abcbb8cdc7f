"""Scans under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep._arrays import as_array, floats
from upsweep._calls import reduce as _reduce
from upsweep._calls import scan as _scan
from upsweep._entries import is_own, operator_name, running
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._own import own_monoid, scan_own

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Number, Operator


def scan(
    x: ArrayLike,
    op: Operator = "sum",
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    exclusive: bool = False,
    reverse: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The running reductions of `x` by an operator, as `reduce` takes them. An exclusive scan
    leaves each element out of its own result; a reverse scan runs from the end.

    >>> upsweep.scan([3, 1, 2], "max")
    array([3, 3, 3])
    >>> upsweep.scan([3, 1, 2], exclusive=True)
    array([0, 3, 4])
    """
    if is_own(op, x):
        op = own_monoid(op)
        others = {"axis": axis, "dtype": dtype, "out": out, "reverse": reverse}
        return scan_own("scan", op, x, exclusive, initial, others, threads)
    return _scan(
        "scan",
        operator_name(op, "scan"),
        x,
        axis,
        dtype,
        out,
        initial,
        threads,
        mode,
        exclusive=exclusive,
        reverse=reverse,
    )


@running("sum")
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    include_initial: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Running sums along an axis, which may be left out for one dimension. With `include_initial`
    the first is `initial`, or 0.

    >>> upsweep.cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    """
    return _scan(
        "cumulative_sum",
        "sum",
        x,
        axis,
        dtype,
        out,
        initial,
        threads,
        mode,
        include_initial=include_initial,
    )


@running("product")
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    include_initial: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Running products, as `cumulative_sum`.

    >>> upsweep.cumulative_prod([1.0, 2.0, 3.0])
    array([1., 2., 6.])
    """
    return _scan(
        "cumulative_prod",
        "product",
        x,
        axis,
        dtype,
        out,
        initial,
        threads,
        mode,
        include_initial=include_initial,
    )


@running("max")
def cummax(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The largest element so far; from a NaN on, NaN.

    >>> upsweep.cummax([1, 3, 2])
    array([1, 3, 3])
    """
    return _scan("cummax", "max", x, axis, None, out, initial, threads, mode)


@running("min")
def cummin(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    out: NDArray[Any] | None = None,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The smallest element so far; from a NaN on, NaN.

    >>> upsweep.cummin([2, 3, 1])
    array([2, 2, 1])
    """
    return _scan("cummin", "min", x, axis, None, out, initial, threads, mode)


@running("exact_sum")
@running_in_its_library
def exact_cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Running sums of which each is rounded once; of integers, or OverflowError as `exact_sum`.

    >>> upsweep.exact_cumulative_sum([1e16, 1.0, -1e16])
    array([1.e+16, 1.e+16, 1.e+00])
    """
    a = as_array(x, "exact_cumulative_sum", also="FD")
    op = "exact_sum" if a.dtype.kind not in "iub" else "checked_sum"
    return _scan("exact_cumulative_sum", op, a, axis, dtype, out, initial, threads, mode)


@running_in_its_library
def drawdown(
    x: ArrayLike,
    /,
    *,
    axis: Integer | None = None,
    relative: bool = False,
    threads: Integer | None = None,
) -> NDArray[Any]:
    """How far each element is below the largest so far, along an axis, which may be left out for
    one dimension; with `relative` as a share of that. In float64, or float32 for float32 and
    float16. From a NaN on NaN.

    >>> upsweep.drawdown([100, 120, 90, 130])
    array([ 0.,  0., 30.,  0.])
    """
    (a,) = floats(as_array(x, "drawdown"))
    highest = _scan("drawdown", "max", a, axis, threads=threads)
    falls = np.zeros_like(highest)
    with np.errstate(all="ignore"):
        np.subtract(highest, a, out=falls, where=highest != a)  # equal infinities are no fall
        return np.divide(falls, highest, out=falls) if relative else falls


@in_its_library
def max_drawdown(
    x: ArrayLike,
    /,
    axis: Integer | None = None,
    *,
    relative: bool = False,
    keepdims: bool = False,
    threads: Integer | None = None,
) -> Any:
    """The deepest fall from an element to a later one: the largest `drawdown`. Raises ValueError
    for no elements.

    >>> upsweep.max_drawdown([100, 120, 90, 130], relative=True)
    np.float64(0.25)
    """
    a = as_array(x, "max_drawdown")
    falls = drawdown(a.reshape(-1) if axis is None else a, axis=axis, relative=relative)
    falls = falls.reshape(a.shape) if axis is None else falls
    return _reduce("max_drawdown", "max", falls, axis, keepdims=keepdims, threads=threads)
