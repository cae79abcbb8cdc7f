"""Reductions of flags: any, all, count_nonzero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep._arrays import as_array
from upsweep._calls import reduce as _reduce
from upsweep._entries import reduction, way_of
from upsweep._libraries import in_its_library

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer, Mode


def flags_of(x, axis):
    """Which numbers are not 0, if the reductions of these flags along an axis are faster."""
    if axis is None or type(x) is not np.ndarray or x.ndim < 2 or x.dtype.kind not in "iuf":
        return x
    return x != 0


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
    """Return whether any element is not 0.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.

    Returns
    -------
    bool or array of bools
        False for no elements.

    See Also
    --------
    all, count_nonzero

    Notes
    -----
    NaN is not 0. The call may stop at the first element that is not 0.

    Examples
    --------
    >>> upsweep.any([0, 0, 1])
    np.True_
    """
    x = flags_of(x, axis)
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
    """Return whether no element is 0.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.

    Returns
    -------
    bool or array of bools
        True for no elements.

    See Also
    --------
    any, count_nonzero

    Notes
    -----
    NaN is not 0. The call may stop at the first 0.

    Examples
    --------
    >>> upsweep.all([1, 2, 0])
    np.False_
    """
    x = flags_of(x, axis)
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
    """Return the number of elements that are not 0.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    int or array of ints
        The number of elements that are not 0.

    See Also
    --------
    any, sum

    Notes
    -----
    NaN is not 0. -0 is 0. Work is O(n).

    Examples
    --------
    >>> upsweep.count_nonzero([0.0, -0.0, 2.0])
    np.int64(1)
    """
    plain = threads is None and mode == "reproducible" and not keepdims
    if plain and type(x) is np.ndarray and x.dtype.kind in "biuf":
        result = way_of("sum").reduce(x if x.dtype.kind == "b" else x != 0, axis)
        if result is not None:
            return result
    a = as_array(x, "count_nonzero", also="FD")
    flags = a if a.dtype == bool else a != 0
    return _reduce("count_nonzero", "sum", flags, axis, None, None, keepdims, None, threads, mode)
