"""Scans under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep._arrays import as_array
from upsweep._calls import scan as _scan
from upsweep._entries import is_own, operator_name, running
from upsweep._libraries import running_in_its_library
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
    """Scan an array with an associative operator: return all its prefixes.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    op : str, operator, ufunc or callable, default "sum"
        The operator: a name such as "max", "bit_xor", "gcd" or "exact_sum"; an operator such as
        `upsweep.maximum`; a ufunc of NumPy; or a user-defined operator (a function, or the result
        of `monoid`).
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    exclusive : bool, default False
        Leave each element out of its own result (exclusive prefix sum).
    reverse : bool, default False
        Scan from the last element to the first. Of equal elements, "argmin" and "argmax" still
        give the first.
    initial : scalar, optional
        A value to the left of the first element.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array with the shape of `x`
        Element i combines the elements up to and including i, or with `exclusive` those before i.

    Raises
    ------
    ValueError
        If `x` has several dimensions and no `axis`; for an exclusive scan by an operator without an
        identity and without `initial`.
    OverflowError
        By the operators "checked_sum" and "checked_product", if a result does not fit.
    TypeError
        If the operator is not defined for the type of the elements.

    See Also
    --------
    reduce, cumulative_sum, cummax, segment_scan, group_scan, linear_recurrence

    Notes
    -----
    The result is bitwise reproducible, and its last element has the bits of the reduction. The
    operands keep their order, so the operator need not be commutative. Work is O(n) operator
    applications.

    Examples
    --------
    >>> upsweep.scan([3, 1, 2], "max")
    array([3, 3, 3])
    >>> upsweep.scan([3, 1, 2], exclusive=True)
    array([0, 3, 4])
    >>> upsweep.scan([3, 1, 2], reverse=True)
    array([6, 3, 2])
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
    """Return the cumulative sums (inclusive prefix sums) along an axis.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    include_initial : bool, default False
        Put `initial`, or the identity of the operator, before the other results. The result has one
        more element along `axis`.
    initial : scalar, optional
        A value to the left of the first element.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array with the shape of `x`
        Element i is the sum of the elements up to and including i. int64 or uint64 for integers and
        Booleans, float32 for float16, otherwise the type of the elements.

    Raises
    ------
    ValueError
        If `x` has several dimensions and no `axis`.

    See Also
    --------
    sum, scan, exact_cumulative_sum, segment_scan, group_scan

    Notes
    -----
    The result is bitwise reproducible, and its last element has the bits of the reduction. The
    rounding error grows with log n. Work is O(n); the elements are read and the results written
    once.

    Examples
    --------
    >>> upsweep.cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    >>> upsweep.cumulative_sum([[1, 2], [3, 4]], axis=0)
    array([[1, 2],
           [4, 6]])
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
    """Return the cumulative products along an axis.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    include_initial : bool, default False
        Put `initial`, or the identity of the operator, before the other results. The result has one
        more element along `axis`.
    initial : scalar, optional
        A value to the left of the first element.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array with the shape of `x`
        Element i is the product of the elements up to and including i. The types are those of
        `prod`.

    Raises
    ------
    ValueError
        If `x` has several dimensions and no `axis`.

    See Also
    --------
    prod, cumulative_sum, scan

    Notes
    -----
    The result is bitwise reproducible, and its last element has the bits of the reduction. Work is
    O(n).

    Examples
    --------
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
    """Return cumulative sums that are each rounded correctly.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    initial : scalar, optional
        A value to the left of the first element.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array with the shape of `x`
        Element i is the exact sum of the elements up to and including i, rounded once.

    Raises
    ------
    OverflowError
        If a sum of integers does not fit 64 bits.

    See Also
    --------
    exact_sum, cumulative_sum

    Notes
    -----
    Each result depends only on its elements, not on their order. Work is O(n).

    Examples
    --------
    >>> upsweep.exact_cumulative_sum([1e16, 1.0, -1e16])
    array([1.e+16, 1.e+16, 1.e+00])
    """
    a = as_array(x, "exact_cumulative_sum", also="FD")
    integers = a.dtype.kind in "iub" and (dtype is None or np.dtype(dtype).kind in "iu")
    op = "checked_sum" if integers else "exact_sum"
    return _scan("exact_cumulative_sum", op, a, axis, dtype, out, initial, threads, mode)
