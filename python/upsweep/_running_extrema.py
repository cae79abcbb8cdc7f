"""Running extrema, and drawdowns from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep._arrays import as_array, floats
from upsweep._calls import reduce as _reduce
from upsweep._calls import scan as _scan
from upsweep._entries import running
from upsweep._libraries import in_its_library, running_in_its_library

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Number


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
