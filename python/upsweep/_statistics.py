"""Skewness, kurtosis, statistics of two arrays, and geometric, harmonic and quadratic means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, store
from upsweep._calls import stored
from upsweep._libraries import in_its_library
from upsweep._moments import statistic_type
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Real


@in_its_library
def skew(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    bias: bool = True,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the skewness, like ``scipy.stats.skew``.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    bias : bool, default True
        True: g1 of the elements, as in SciPy. False: G1 of a sample, as in pandas.
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
    scalar or array
        float32 for float32 and float16, otherwise float64. 0 for symmetric elements. NaN if all
        elements are equal, and without `bias` for fewer than 3 elements.

    See Also
    --------
    kurtosis, var

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is
    computed in float64 in one pass (Pébay 2008). Work is O(n).

    Examples
    --------
    >>> upsweep.skew([1, 1, 1, 5])
    np.float64(1.1547005383792515)
    """
    return _shape("skew", 0 if bias else 2, x, axis, out, keepdims, threads, mode)


@in_its_library
def kurtosis(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    bias: bool = True,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the excess kurtosis, like ``scipy.stats.kurtosis``.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    bias : bool, default True
        True: g2 of the elements, as in SciPy. False: G2 of a sample, as in pandas.
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
    scalar or array
        float32 for float32 and float16, otherwise float64. 0 for a normal distribution. NaN if all
        elements are equal, and without `bias` for fewer than 4 elements.

    See Also
    --------
    skew, var

    Notes
    -----
    Computed as `skew`.

    Examples
    --------
    >>> upsweep.kurtosis([1, 1, 1, 5])
    np.float64(-0.6666666666666665)
    """
    return _shape("kurtosis", 1 if bias else 3, x, axis, out, keepdims, threads, mode)


def _shape(verb, column, x, axis, out, keepdims, threads, mode):
    a = as_array(x, verb)
    to = statistic_type(a)
    lines = Lines(a.astype(np.float64, copy=False), axis)
    results = np.empty((lines.count, 4))
    _core.shapes(lines.rows, results, settings(threads, mode, verb))
    return store(stored(lines.reduced(results[:, column], keepdims), to), out, verb)


@in_its_library
def covariance(
    x: ArrayLike,
    y: ArrayLike,
    /,
    axis: Axis = None,
    *,
    correction: Real = 0,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the covariance of two arrays.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    y : array_like of numbers
        The other elements, with the shape of `x`.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    correction : float, default 0
        The divisor is n - `correction`. 1 gives the covariance of ``numpy.cov`` and pandas.
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
    scalar or array
        float32 for float32 and float16, otherwise float64. The products of the distances from the
        means, divided by n - `correction`. NaN if there are no more than `correction` elements.

    Raises
    ------
    ValueError
        If the shapes of `x` and `y` differ.

    See Also
    --------
    correlation, linear_regression, var

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is
    computed in float64 in one pass (Pébay 2008). Work is O(n).

    Examples
    --------
    >>> upsweep.covariance([1, 2, 3, 4], [1, 3, 2, 4])
    np.float64(1.0)
    """
    lines, found, to = _comoments("covariance", x, y, axis, threads, mode, float(correction))
    return store(stored(lines.reduced(found[:, 0], keepdims), to), out, "covariance")


@in_its_library
def correlation(
    x: ArrayLike,
    y: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return Pearson's correlation coefficient of two arrays.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    y : array_like of numbers
        The other elements, with the shape of `x`.
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
    scalar or array
        float32 for float32 and float16, otherwise float64. NaN if all elements of an array are
        equal.

    Raises
    ------
    ValueError
        If the shapes of `x` and `y` differ.

    See Also
    --------
    covariance, linear_regression

    Notes
    -----
    Computed as `covariance`. Rounding may make it exceed 1 by a few units in the last place.

    Examples
    --------
    >>> upsweep.correlation([1, 2, 3, 4], [1, 3, 2, 4])
    np.float64(0.7999999999999998)
    """
    lines, found, to = _comoments("correlation", x, y, axis, threads, mode)
    return store(stored(lines.reduced(found[:, 1], keepdims), to), out, "correlation")


class Line(NamedTuple):
    """The line y = slope x + intercept."""

    slope: Any
    intercept: Any


@in_its_library
def linear_regression(
    x: ArrayLike,
    y: ArrayLike,
    /,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Fit the line y = slope x + intercept by least squares.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    y : array_like of numbers
        The other elements, with the shape of `x`.
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
    Line
        A named tuple `slope`, `intercept` of scalars or arrays. NaN if all elements of `x` are
        equal.

    Raises
    ------
    ValueError
        If the shapes of `x` and `y` differ.

    See Also
    --------
    correlation, covariance

    Notes
    -----
    Computed as `covariance`.

    Examples
    --------
    >>> upsweep.linear_regression([1, 2, 3, 4], [1, 3, 2, 4])
    Line(slope=np.float64(0.8), intercept=np.float64(0.5))
    """
    lines, found, to = _comoments("linear_regression", x, y, axis, threads, mode)
    slope, intercept = (stored(lines.reduced(found[:, k], keepdims), to)[()] for k in (2, 3))
    return Line(slope, intercept)


def _comoments(verb, x, y, axis, threads, mode, correction=0.0):
    """The slices, the statistics of each in a row, and the type of results."""
    a, b = as_array(x, verb), as_array(y, verb)
    if a.shape != b.shape:
        raise ValueError(f"{verb}: x and y have the shapes {a.shape} and {b.shape}; give the same")
    pairs = np.empty(a.shape, np.complex128)
    pairs.real, pairs.imag = a, b
    lines = Lines(pairs, axis)
    found = np.empty((lines.count, 4))
    _core.comoments(lines.rows, found, correction, settings(threads, mode, verb))
    return lines, found, statistic_type(a, b)
