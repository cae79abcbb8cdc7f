"""Skewness, kurtosis, statistics of two arrays, and means other than the arithmetic one."""

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
    """The skewness g1 of the elements, 0 if they are symmetric, as scipy.stats.skew; without `bias`
    G1 of a sample, as pandas has it. In float64, in one pass (Pébay 2008); of float32 and float16
    stored as float32. NaN where all elements are equal, and without `bias` below 3 elements.

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
    """The excess kurtosis g2, 0 for a normal distribution, as scipy.stats.kurtosis; without `bias`
    G2 of a sample, as pandas has it. Computed as `skew`. NaN where all elements are equal, and
    without `bias` below 4 elements.

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
    """The covariance of two arrays of the same shape: the products of their distances from their
    means, divided by n - `correction`; 1 gives that of numpy.cov and pandas. In float64, in one
    pass (Pébay 2008); of float32 and float16 stored as float32. NaN where there are no more than
    `correction` elements. Raises ValueError for arrays of two shapes.

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
    """Pearson's correlation of two arrays of the same shape, computed as `covariance`. Rounding may
    take it beyond 1 by some ulps; NaN where all elements of an array are equal.

    >>> upsweep.correlation([1, 2, 3, 4], [1, 3, 2, 4])
    np.float64(0.7999999999999998)
    """
    lines, found, to = _comoments("correlation", x, y, axis, threads, mode)
    return store(stored(lines.reduced(found[:, 1], keepdims), to), out, "correlation")


class Line(NamedTuple):
    """y = slope x + intercept."""

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
    """The line y = slope x + intercept with the least squared distances in y, computed as
    `covariance`. NaN where all x are equal.

    >>> upsweep.linear_regression([1, 2, 3, 4], [1, 3, 2, 4])
    Line(slope=np.float64(0.8), intercept=np.float64(0.5))
    """
    lines, found, to = _comoments("linear_regression", x, y, axis, threads, mode)
    slope, intercept = (stored(lines.reduced(found[:, k], keepdims), to)[()] for k in (2, 3))
    return Line(slope, intercept)


def _comoments(verb, x, y, axis, threads, mode, correction=0.0):
    """The lines, the statistics of each in a row, and the type of results."""
    a, b = as_array(x, verb), as_array(y, verb)
    if a.shape != b.shape:
        raise ValueError(f"{verb}: x and y have the shapes {a.shape} and {b.shape}; give the same")
    pairs = np.empty(a.shape, np.complex128)
    pairs.real, pairs.imag = a, b
    lines = Lines(pairs, axis)
    found = np.empty((lines.count, 4))
    _core.comoments(lines.rows, found, correction, settings(threads, mode, verb))
    return lines, found, statistic_type(a, b)


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
    """The n-th root of the product of n elements, by way of logarithms in float64; of float32 and
    float16 stored as float32. 0 if an element is 0; NaN if one is negative, and for no elements.

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
    """n divided by the sum of 1 / x: the mean of speeds over equal distances. Computed and stored
    as `geometric_mean`.

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
    """The root of the mean square. Computed and stored as `geometric_mean`.

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
