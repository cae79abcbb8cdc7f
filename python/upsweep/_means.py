"""Means other than the arithmetic one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, store
from upsweep._calls import stored
from upsweep._libraries import in_its_library
from upsweep._moments import statistic_type
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer, Mode


@in_its_library
def geometric_mean(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the geometric mean: the n-th root of the product of n elements.

    Parameters
    ----------
    x : array_like of numbers
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

    Returns
    -------
    scalar or array
        float32 for float32 and float16, otherwise float64. 0 if an element is 0. NaN if an element
        is negative, and for no elements.

    See Also
    --------
    harmonic_mean, rms, mean

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is
    computed from logarithms in float64. Work is O(n).

    Examples
    --------
    >>> upsweep.geometric_mean([1.0, 4.0, 16.0])
    np.float64(4.0)
    """
    return _mean_of("geometric", "geometric_mean", x, axis, out, keepdims, threads, mode)


@in_its_library
def harmonic_mean(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the harmonic mean: n divided by the sum of 1 / x.

    It is the mean of speeds over equal distances.

    Parameters
    ----------
    x : array_like of numbers
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

    Returns
    -------
    scalar or array
        float32 for float32 and float16, otherwise float64.

    See Also
    --------
    geometric_mean, rms, mean

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is
    computed in float64. Work is O(n).

    Examples
    --------
    >>> upsweep.harmonic_mean([2, 6])
    np.float64(3.0)
    """
    return _mean_of("harmonic", "harmonic_mean", x, axis, out, keepdims, threads, mode)


@in_its_library
def rms(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the root mean square.

    Parameters
    ----------
    x : array_like of numbers
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

    Returns
    -------
    scalar or array
        float32 for float32 and float16, otherwise float64. NaN for no elements.

    See Also
    --------
    mean, std, geometric_mean

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is
    computed in float64. Elements are scaled if their squares leave the range of float64. Work is
    O(n).

    Examples
    --------
    >>> upsweep.rms([1, 7])
    np.float64(5.0)
    """
    return _mean_of("square", "rms", x, axis, out, keepdims, threads, mode)


def _mean_of(kind, verb, x, axis, out, keepdims, threads, mode):
    a = as_array(x, verb)
    lines = Lines(a.astype(np.float64, copy=False), axis)
    results = np.empty((lines.count, 1))
    _core.mean_of(kind, lines.rows, results, settings(threads, mode, verb))
    return store(stored(lines.reduced(results[:, 0], keepdims), statistic_type(a)), out, verb)
