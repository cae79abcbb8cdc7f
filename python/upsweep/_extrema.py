"""The smallest and the largest element, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from upsweep._arrays import as_array
from upsweep._calls import reduce as _reduce
from upsweep._chosen import without_missing
from upsweep._entries import reduction
from upsweep._libraries import in_its_library

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Number


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
    """Return the smallest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
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
        The smallest element, with the type of the elements. NaN if there is a NaN, unless `skipna`;
        NaN with `skipna` if all elements are NaN.

    Raises
    ------
    ValueError
        If there are no elements and no `initial`.

    See Also
    --------
    max, minmax, argmin, cummin

    Notes
    -----
    -0 is less than +0, so the order of the elements does not matter. Work is O(n); the elements are
    read once.

    Examples
    --------
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
    """Return the largest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
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
        The largest element, with the type of the elements. NaN if there is a NaN, unless `skipna`;
        NaN with `skipna` if all elements are NaN.

    Raises
    ------
    ValueError
        If there are no elements and no `initial`.

    See Also
    --------
    min, minmax, argmax, cummax

    Notes
    -----
    -0 is less than +0, so the order of the elements does not matter. Work is O(n); the elements are
    read once.

    Examples
    --------
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
        where = without_missing(x, where, True, verb)
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
    """Return the smallest and the largest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
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
    MinMax
        A named tuple `min`, `max` of scalars or arrays.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    min, max

    Notes
    -----
    NaN and -0 are treated as in `min` and `max`. Work is O(n); the elements are read twice.

    Examples
    --------
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
    """Return the index of the first smallest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
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

    Returns
    -------
    int or array of ints
        The index along `axis`, or into the flattened array. The index of the first NaN if there is
        one.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    min, minmax

    Notes
    -----
    Of equal elements the first one counts. -0 is less than +0. Work is O(n); the elements are read
    once.

    Examples
    --------
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
    """Return the index of the first largest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
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

    Returns
    -------
    int or array of ints
        The index along `axis`, or into the flattened array. The index of the first NaN if there is
        one.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    max, minmax

    Notes
    -----
    Of equal elements the first one counts. -0 is less than +0. Work is O(n); the elements are read
    once.

    Examples
    --------
    >>> upsweep.argmax([3, 4, 4])
    np.int64(1)
    """
    return _reduce("argmax", "argmax", x, axis, None, out, keepdims, None, threads, mode)
