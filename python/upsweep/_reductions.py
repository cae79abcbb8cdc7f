"""Reductions under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    """Reduce an array with an associative operator.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    op : str, operator, ufunc or callable, default "sum"
        The operator: a name such as "max", "bit_xor", "gcd" or "exact_sum"; an operator such as
        `upsweep.maximum`; a ufunc of NumPy; or a user-defined operator (a function, or the result
        of `monoid`).
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    reverse : bool, default False
        Combine from the last element to the first. Of equal elements, "argmin" and "argmax" still
        give the first.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    tree : {"prefix", "pairwise"}, default "prefix"
        The combine tree. "pairwise" gives sums of floats the bits of the tree of ISO's paper P4016
        with one lane (docs/spec/pairwise.md).

    Returns
    -------
    scalar or array
        The elements of each slice along `axis`, combined in the order of their indices.

    Raises
    ------
    ValueError
        If there are no elements and the operator has no result for none.
    OverflowError
        By the operators "checked_sum" and "checked_product", if the result does not fit.
    TypeError
        If the operator is not defined for the type of the elements.

    See Also
    --------
    scan, sum, monoid, segment_reduce, group_reduce, windowed

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. The
    operands keep their order, so the operator need not be commutative. Work is O(n) operator
    applications.

    Examples
    --------
    >>> upsweep.reduce([12, 18, 30], "gcd")
    np.uint64(6)
    >>> upsweep.reduce([[3, 1], [2, 5]], "max", axis=0)
    array([3, 5])
    """
    if is_own(op, x):
        op = own_monoid(op)
        if is_pairwise(tree, "reduce"):
            raise ValueError("reduce: user-defined operators support only tree='prefix'")
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
    """Return the sum of the elements.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.

    Returns
    -------
    scalar or array
        int64 or uint64 for integers and Booleans, float32 for float16, otherwise the type of the
        elements.

    Raises
    ------
    OverflowError
        If a sum of time spans does not fit.

    See Also
    --------
    exact_sum, mean, cumulative_sum, segment_reduce, group_reduce

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. The
    rounding error grows with log n. Sums of integers wrap around. Work is O(n); the elements are
    read once.

    Examples
    --------
    >>> upsweep.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    >>> upsweep.sum([0.5, float("nan"), 2.0], skipna=True)
    np.float64(2.5)
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
    """Return the product of the elements.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.

    Returns
    -------
    scalar or array
        The types are those of `sum`.

    See Also
    --------
    sum, cumulative_prod

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. Products of
    integers wrap around. Work is O(n); the elements are read once.

    Examples
    --------
    >>> upsweep.prod([2.0, 3.0])
    np.float64(6.0)
    """
    where = without_missing(x, where, skipna, "prod")
    return _reduce(
        "prod", "product", x, axis, dtype, out, keepdims, initial, threads, mode, where=where
    )


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
    """Return the correctly rounded sum, like ``math.fsum``.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    scalar or array
        For floats the exact sum, rounded once at the end. For integers and Booleans the sum.

    Raises
    ------
    OverflowError
        If a sum of integers, or the sum of the elements up to one of them, does not fit 64 bits.

    See Also
    --------
    sum, exact_cumulative_sum

    Notes
    -----
    A result of floats depends only on the elements, not on their order. Work is O(n); the elements
    are read once.

    Examples
    --------
    >>> upsweep.exact_sum([1e16, 1.0, -1e16])
    np.float64(1.0)
    """
    a = as_array(x, "exact_sum", also="FD")
    integers = a.dtype.kind in "iub" and (dtype is None or np.dtype(dtype).kind in "iu")
    op = "checked_sum" if integers else "exact_sum"
    return _reduce("exact_sum", op, a, axis, dtype, out, keepdims, initial, threads, mode)
