"""Quantiles, by the methods of NumPy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, passed, store, type_name
from upsweep._chosen import is_missing
from upsweep._libraries import in_its_library
from upsweep._settings import default_settings, settings
from upsweep._sorts import sort

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer


def quantile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    method: str = "linear",
    skipna: bool = False,
    threads: Integer | None = None,
) -> Any:
    """Return quantiles, like ``numpy.quantile``.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    q : array_like
        Fractions from 0 to 1.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    method : str, default "linear"
        One of the methods of ``numpy.quantile``.
    skipna : bool, default False
        Ignore NaN.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    scalar or array
        float64, interpolated between two elements as in NumPy. NaN if there is a NaN, or with
        `skipna` if all elements are NaN. The dimensions of `q` come first.

    Raises
    ------
    ValueError
        If there are no elements, or a fraction is below 0 or above 1.

    See Also
    --------
    percentile, median, rank

    Notes
    -----
    Results are float64 for all types of elements. Work is that of a selection; methods other than
    "linear" sort a copy.

    Examples
    --------
    >>> upsweep.quantile([1.0, 2.0, 3.0, 4.0], [0.5, 1.0])
    array([2.5, 4. ])
    """
    if axis is out is threads is None and not keepdims and type(x) is np.ndarray:
        if type(q) is float and 0 <= q <= 1 and method == "linear" and not skipna:
            result: Any = _core.short_quantile(x, q, default_settings())
            if result is not None:
                return result
    return _quantiles("quantile", x, q, axis, out, keepdims, method, skipna, threads)


def percentile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    method: str = "linear",
    skipna: bool = False,
    threads: Integer | None = None,
) -> Any:
    """Return percentiles, like ``numpy.percentile``.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    q : array_like
        Percentages from 0 to 100.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    method : str, default "linear"
        One of the methods of ``numpy.quantile``.
    skipna : bool, default False
        Ignore NaN.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    scalar or array
        float64, interpolated between two elements as in NumPy. NaN if there is a NaN, or with
        `skipna` if all elements are NaN. The dimensions of `q` come first.

    Raises
    ------
    ValueError
        If there are no elements, or a percentage is below 0 or above 100.

    See Also
    --------
    quantile, median

    Notes
    -----
    Results are float64 for all types of elements. Work is that of a selection; methods other than
    "linear" sort a copy.

    Examples
    --------
    >>> upsweep.percentile([1.0, 2.0, 3.0, 4.0], 25, method="lower")
    np.float64(1.0)
    """
    shares = as_array(q, "percentile").astype(np.float64) / 100
    return _quantiles("percentile", x, shares, axis, out, keepdims, method, skipna, threads)


def median(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    skipna: bool = False,
    threads: Integer | None = None,
) -> Any:
    """Return the median.

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
    skipna : bool, default False
        Ignore NaN.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    scalar or array
        float64: the middle element, or the mean of the two middle elements. NaN if there is a NaN,
        or with `skipna` if all elements are NaN.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    quantile, mean, mode

    Notes
    -----
    The mean of two integers is rounded once. Work is that of a selection.

    Examples
    --------
    >>> upsweep.median([1, 2, 4, 3])
    np.float64(2.5)
    """
    if axis is out is threads is None and not keepdims and not skipna and type(x) is np.ndarray:
        result: Any = _core.short_quantile(x, 0.5, default_settings())
        if result is not None:
            return result
    return _quantiles("median", x, 0.5, axis, out, keepdims, "linear", skipna, threads)


@in_its_library
def _quantiles(verb, x, q, axis, out, keepdims, method, skipna, threads):
    a = as_array(x, verb)
    lines = Lines(a, axis)
    wanted = as_array(q, verb).astype(np.float64)
    shares = np.ascontiguousarray(wanted).reshape(-1)
    if lines.size == 0 and lines.count > 0:
        raise ValueError(f"{verb}: x has no elements, so there is no {verb}")
    if not all(0 <= share <= 1 for share in shares.tolist()):
        most = "100" if verb == "percentile" else "1"
        raise ValueError(f"{verb}: q has a number that is not between 0 and {most}")
    if method not in _PLACES:
        raise ValueError(f"{verb}: method={method!r}; give one of {', '.join(_PLACES)}")
    missing = is_missing(lines.rows) if a.dtype.kind not in "biu" else None
    if missing is not None and not missing.any():
        missing = None
    if method == "linear" and not (skipna and missing is not None):
        rows = np.empty((lines.count, shares.size))
        how = settings(threads, "reproducible", verb)
        _core.quantiles(type_name(a.dtype), passed(lines.rows), shares, rows, how)
    else:
        rows = _by_method(lines.rows, missing, shares, method, skipna, threads)
    shape = lines.reduced(np.empty(lines.count), keepdims).shape
    return store(np.ascontiguousarray(rows.T).reshape(wanted.shape + shape), out, verb)


def _by_method(rows, missing, shares, method, skipna, threads):
    """The quantiles of the elements of each row that are not missing."""
    if missing is None:
        return _of_places(np.asarray(sort(rows, threads=threads)), _PLACES[method], shares)
    sizes = rows.shape[1] - np.count_nonzero(missing, axis=1, keepdims=True)
    rows = np.where(missing, rows.dtype.type(np.nan), rows)  # without a sign, at the end
    ordered = np.asarray(sort(rows, threads=threads))
    place = _PLACES[method](np.maximum(sizes, 1), shares)
    last = np.maximum(sizes - 1, 0)
    lower = np.clip(np.floor(place), 0, last).astype(np.int64)
    upper = np.clip(np.floor(place) + 1, 0, last).astype(np.int64)
    low, high = (np.take_along_axis(ordered, at, 1) for at in (lower, upper))
    results = _between(low, high, place - np.floor(place))
    results[sizes[:, 0] == 0] = np.nan
    if not skipna:
        results[missing.any(axis=1)] = np.nan
    return results


def _of_places(ordered, place_of, shares):
    """The quantiles of sorted rows."""
    size = ordered.shape[1]
    place = place_of(size, shares)
    below = np.floor(place)
    part, at = place - below, below.astype(np.int64)
    low = ordered[:, np.clip(at, 0, size - 1)]
    if not part.any():
        return low.astype(np.float64)
    high = ordered[:, np.clip(at + 1, 0, size - 1)]
    return _between(low, high, np.broadcast_to(part, low.shape))


def _between(low, high, part):
    """Interpolate from the nearer end. Next to an infinity: the element, or the infinity."""
    exact = _rounded_once(low, high, part) if low.dtype.kind in "iu" else None
    low, high = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(all="ignore"):
        apart = high - low
        near = np.where(part < 0.5, low + apart * part, high - apart * (1 - part))
        near = np.where(np.isinf(apart), low * (1 - part) + high * part, near)
    results = np.where((part == 0) | (low == high), low, near)
    if exact is not None:
        for at, value in exact.items():
            results[at] = value
    return results


def _rounded_once(low, high, part):
    """The results that depend on digits of integers that float64 does not hold."""
    inexact = (part != 0) & (
        np.maximum(np.abs(low.astype(float)), np.abs(high.astype(float))) > 2**52
    )
    exact = {}
    for at in zip(*np.nonzero(inexact), strict=True):
        first, share = int(low[at]), Fraction(float(part[at]))
        exact[at] = float(first + (int(high[at]) - first) * share)
    return exact


def _continuous(alpha, beta):
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _step(place, down):
    """`place` if it is an integer for which `down` is true, otherwise the next integer."""
    below = np.floor(place)
    return np.where((place == below) & down(below), below, below + 1)


def _averaged(n, q):
    below = np.floor(n * q - 1)
    return np.where(n * q - 1 == below, below + 0.5, below + 1)


def _midpoint(n, q):
    return 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q))


# Where the quantile q of n elements lies, between 0 and n - 1 or beyond.
_PLACES = {
    "linear": lambda n, q: (n - 1) * q,
    "inverted_cdf": lambda n, q: _step(n * q - 1, lambda below: below == below),
    "averaged_inverted_cdf": _averaged,
    "closest_observation": lambda n, q: _step(n * q - 1 - 0.5, lambda below: below % 2 == 1),
    "interpolated_inverted_cdf": _continuous(0, 1),
    "hazen": _continuous(0.5, 0.5),
    "weibull": _continuous(0, 0),
    "median_unbiased": _continuous(1 / 3, 1 / 3),
    "normal_unbiased": _continuous(3 / 8, 3 / 8),
    "lower": lambda n, q: np.floor((n - 1) * q),
    "higher": lambda n, q: np.ceil((n - 1) * q),
    "midpoint": _midpoint,
    "nearest": lambda n, q: np.around((n - 1) * q),
}
