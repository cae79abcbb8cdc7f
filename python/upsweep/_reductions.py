"""Reductions under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from upsweep._arrays import as_array
from upsweep._calls import reduce as _reduce
from upsweep._chosen import without_missing
from upsweep._entries import is_own, operator_name, reduction
from upsweep._libraries import in_its_library
from upsweep._own import own_monoid, reduce_own
from upsweep._settings import is_pairwise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Number, Operator, Tree


def reduce(
    x: ArrayLike,
    op: Operator = "sum",
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    reverse: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    tree: Tree = "prefix",
) -> Any:
    """The elements of `x` combined by an operator, in their order, with the same bits on any
    number of threads and in any layout.

    `op` is a name, such as "max", "bit_xor", "gcd" or "exact_sum", or one of `upsweep.add`,
    `upsweep.maximum` and their relatives, or a function of your own (`upsweep.monoid`). The
    elements of an axis, of several, or of the whole array (None) are combined in the order of their
    indices; `initial` stands on their left. `tree="pairwise"` gives sums of floats the bits of
    another tree, that of ISO's P4016 with one lane (docs/spec/pairwise.md).
    Raises ValueError where there are no elements and the operator has no result for none, and
    OverflowError by the operators "checked_sum" and "checked_product".

    >>> upsweep.reduce([12, 18, 30], "gcd")
    np.uint64(6)
    """
    if is_own(op, x):
        op = own_monoid(op)
        if is_pairwise(tree, "reduce"):
            raise ValueError("reduce: functions of your own are offered with tree='prefix' only")
        others = {
            "axis": axis,
            "dtype": dtype,
            "out": out,
            "keepdims": keepdims,
            "reverse": reverse,
        }
        return reduce_own("reduce", op, x, initial, others, threads)
    return _reduce(
        "reduce",
        operator_name(op, "reduce"),
        x,
        axis,
        dtype,
        out,
        keepdims,
        initial,
        threads,
        mode,
        reverse=reverse,
        tree=tree,
    )


@reduction("sum")
def sum(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """The sum. Integers add up in 64 bits, float16 in float32; the error of a sum of n floats
    grows with log n. With `where`, which broadcasts to the shape of `x`, the sum of those elements
    whose flag is true, with the bits of the sum of these alone; with `skipna` of those that are not
    NaN.

    >>> upsweep.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    """
    where = without_missing(x, where, skipna, "sum")
    return _reduce("sum", "sum", x, axis, dtype, out, keepdims, initial, threads, mode, where=where)


@reduction("product")
def prod(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """The product, with the types and options of `sum`.

    >>> upsweep.prod([2.0, 3.0])
    np.float64(6.0)
    """
    where = without_missing(x, where, skipna, "prod")
    return _reduce(
        "prod", "product", x, axis, dtype, out, keepdims, initial, threads, mode, where=where
    )


@reduction("min")
def min(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """The smallest element; NaN if there is one, or with `skipna` if there is nothing else; -0 lies
    below +0. Raises ValueError for no elements without `initial`.

    >>> upsweep.min([3, 1, 2])
    np.int64(1)
    """
    op, where = _extremum("min", x, where, skipna)
    return _reduce("min", op, x, axis, None, out, keepdims, initial, threads, mode, where=where)


@reduction("max")
def max(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """The largest element, as `min`.

    >>> upsweep.max([3, 1, 2])
    np.int64(3)
    """
    op, where = _extremum("max", x, where, skipna)
    return _reduce("max", op, x, axis, None, out, keepdims, initial, threads, mode, where=where)


def _extremum(verb, x, where, skipna):
    """The operator of an extremum, and the flags of its elements."""
    if not skipna:
        return verb, where
    if as_array(x, verb, "mM").dtype.kind in "mM":
        return verb, without_missing(x, where, True, verb)
    return f"{verb}_number", where


class MinMax(NamedTuple):
    """The smallest and the largest element."""

    min: object
    max: object


@in_its_library
def minmax(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """`min` and `max`. Raises ValueError for no elements.

    >>> upsweep.minmax([3.0, 1.0, 2.0]).max
    np.float64(3.0)
    """
    a = as_array(x, "minmax", also="mM")
    return MinMax(
        _reduce("minmax", "min", a, axis, None, None, keepdims, None, threads, mode),
        _reduce("minmax", "max", a, axis, None, None, keepdims, None, threads, mode),
    )


@reduction("argmin")
def argmin(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The position of the first smallest element, or of the first NaN. Raises ValueError for no
    elements.

    >>> upsweep.argmin([3, 1, 1])
    np.int64(1)
    """
    return _reduce("argmin", "argmin", x, axis, None, out, keepdims, None, threads, mode)


@reduction("argmax")
def argmax(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The position of the first largest element, or of the first NaN. Raises ValueError for no
    elements.

    >>> upsweep.argmax([3, 4, 4])
    np.int64(1)
    """
    return _reduce("argmax", "argmax", x, axis, None, out, keepdims, None, threads, mode)


@reduction("any")
def any(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
) -> Any:
    """Whether an element is not 0. NaN is not 0.

    >>> upsweep.any([0, 0, 1])
    np.True_
    """
    return _reduce("any", "any", x, axis, None, out, keepdims, None, threads, mode, where=where)


@reduction("all")
def all(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
) -> Any:
    """Whether no element is 0.

    >>> upsweep.all([1, 2, 0])
    np.False_
    """
    return _reduce("all", "all", x, axis, None, out, keepdims, None, threads, mode, where=where)


@in_its_library
def count_nonzero(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """How many elements are not 0.

    >>> upsweep.count_nonzero([0.0, -0.0, 2.0])
    np.int64(1)
    """
    a = as_array(x, "count_nonzero", also="FD")
    flags = a if a.dtype == bool else a != 0
    return _reduce("count_nonzero", "sum", flags, axis, None, None, keepdims, None, threads, mode)


@reduction("exact_sum")
@in_its_library
def exact_sum(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """The sum of floats without any rounding but one at the end, as math.fsum; of integers and
    booleans the sum, or OverflowError if it does not fit 64 bits.

    >>> upsweep.exact_sum([1e16, 1.0, -1e16])
    np.float64(1.0)
    """
    a = as_array(x, "exact_sum", also="FD")
    op = "exact_sum" if a.dtype.kind not in "iub" else "checked_sum"
    return _reduce("exact_sum", op, a, axis, dtype, out, keepdims, initial, threads, mode)
