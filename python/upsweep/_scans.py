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
        Scan from the last element to the first.
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
    """Return the cumulative maximum along an axis.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
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
        Element i is the largest element up to and including i, with the type of the elements. NaN
        from the first NaN on.

    Raises
    ------
    ValueError
        If `x` has several dimensions and no `axis`.

    See Also
    --------
    max, scan, windowed, drawdown

    Notes
    -----
    -0 is less than +0. Work is O(n).

    Examples
    --------
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
    """Return the cumulative minimum along an axis.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
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
        Element i is the smallest element up to and including i, with the type of the elements. NaN
        from the first NaN on.

    Raises
    ------
    ValueError
        If `x` has several dimensions and no `axis`.

    See Also
    --------
    min, scan, windowed

    Notes
    -----
    -0 is less than +0. Work is O(n).

    Examples
    --------
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
    """Return the distance of each element below the largest element so far.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, optional
        The axis to scan along. It may be omitted for one dimension.
    relative : bool, default False
        Return the distance as a fraction of the largest element so far.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array with the shape of `x`
        float32 for float32 and float16, otherwise float64. NaN from the first NaN on.

    See Also
    --------
    max_drawdown, cummax

    Notes
    -----
    Bits and cost are those of `cummax`.

    Examples
    --------
    >>> upsweep.drawdown([100, 120, 90, 130])
    array([ 0.,  0., 30.,  0.])
    """
    a = as_array(x, "drawdown")
    if a.dtype.kind in "iu" and a.dtype.itemsize == 8:
        highest = _scan("drawdown", "max", a, axis, threads=threads)
        # Differences of integers are exact, and those of int64 are below 2^64.
        falls = (highest.astype(np.uint64) - a.astype(np.uint64)).astype(np.float64)
        highest = highest.astype(np.float64)
    else:
        (a,) = floats(a)
        highest = _scan("drawdown", "max", a, axis, threads=threads)
        falls = np.zeros_like(highest)
        with np.errstate(all="ignore"):
            np.subtract(highest, a, out=falls, where=highest != a)  # equal infinities are no fall
    if not relative:
        return falls
    with np.errstate(all="ignore"):
        return np.divide(falls, highest, out=falls)


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
    """Return the largest fall from an element to a later one.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, optional
        The axis. None, the default, treats the array as one 1-D array.
    relative : bool, default False
        Return the distance as a fraction of the largest element so far.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    scalar or array
        The largest result of `drawdown`.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    drawdown, cummax

    Notes
    -----
    Work is O(n), with a temporary array of the size of `x`.

    Examples
    --------
    >>> upsweep.max_drawdown([100, 120, 90, 130], relative=True)
    np.float64(0.25)
    """
    a = as_array(x, "max_drawdown")
    falls = drawdown(a.reshape(-1) if axis is None else a, axis=axis, relative=relative)
    falls = falls.reshape(a.shape) if axis is None else falls
    return _reduce("max_drawdown", "max", falls, axis, keepdims=keepdims, threads=threads)
