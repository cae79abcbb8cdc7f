"""Applications of scans: weighted samples, summed-area tables, convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, empty, integer, type_name
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._scans import cumulative_sum
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer


@running_in_its_library
def cumulative_distribution(
    weights: ArrayLike, /, *, threads: Integer | None = None
) -> NDArray[np.float64]:
    """Return cumulative sums of weights that never decrease.

    Rounding can make an element of `cumulative_sum` smaller than the one before it. Here it cannot.

    Parameters
    ----------
    weights : array_like, 1-D
        Weights of at least 0.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    1-D array of float64
        Cumulative sums, as a binary search needs them.

    Raises
    ------
    ValueError
        If a weight is negative or NaN; the message has its position.

    See Also
    --------
    cumulative_sum, weighted_sample

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. Work is
    O(n).

    Examples
    --------
    >>> upsweep.cumulative_distribution([1, 0, 3])
    array([1., 1., 4.])
    """
    w = _weights(weights, "cumulative_distribution")
    out = np.empty_like(w)
    how = settings(threads, "reproducible", "cumulative_distribution")
    _core.cumulative_distribution(w, out, how)
    return out


@in_its_library
def weighted_sample(
    weights: ArrayLike,
    size: Integer,
    /,
    *,
    seed: int | np.random.Generator | None = None,
    systematic: bool = False,
    threads: Integer | None = None,
) -> NDArray[np.int64]:
    """Draw positions with probabilities in proportion to their weights, with replacement.

    Parameters
    ----------
    weights : array_like, 1-D
        Weights of at least 0.
    size : int
        The number of draws.
    seed : int or numpy.random.Generator, optional
        The seed or the generator, as in ``numpy.random.default_rng``.
    systematic : bool, default False
        Draw in equal steps from one random number (Kitagawa 1996). A position of weight w is drawn
        size * w / sum(weights) times, rounded down or up. The positions are ascending.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    1-D array of ints
        `size` positions.

    Raises
    ------
    ValueError
        If a weight is negative or NaN; the message has its position.
        If no weight is larger than 0.

    See Also
    --------
    cumulative_distribution

    Notes
    -----
    The draws depend only on the weights and the seed.

    Examples
    --------
    >>> upsweep.weighted_sample([0, 2, 0, 1], 6, seed=1, systematic=True)
    array([1, 1, 1, 1, 3, 3])
    """
    verb = "weighted_sample"
    draws = integer(size, "size", verb)
    if draws < 0:
        raise ValueError(f"{verb}: size={size} is negative")
    w = _weights(weights, verb)
    random, how = np.random.default_rng(seed), settings(threads, "reproducible", verb)
    out = np.empty(draws, np.uint64)
    if systematic:
        _core.systematic_sample(w, random.random(), out, how)
    else:
        _core.weighted_sample(w, random.random(size), out, how)
    return out.view(np.int64)


def _weights(weights, verb):
    a = as_array(weights, verb)
    if a.ndim != 1:
        raise ValueError(f"{verb}: weights have {a.ndim} dimensions; give one")
    return np.ascontiguousarray(a, np.float64)


@in_its_library
def summed_area_table(x: ArrayLike, /, *, threads: Integer | None = None) -> NDArray[Any]:
    """Return the summed-area table (integral image): cumulative sums along every axis.

    The sum of a box is then a difference of a few elements.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array with the shape of `x`
        Each element is the sum of all elements with indices at most its own. Integers are
        accumulated in 64 bits, float32 in float64.

    Raises
    ------
    ValueError
        If `x` is a number.

    See Also
    --------
    cumulative_sum

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. Work is one
    cumulative sum per axis.

    Examples
    --------
    >>> upsweep.summed_area_table([[1, 2], [3, 4]])
    array([[ 1,  3],
           [ 4, 10]])
    """
    a = as_array(x, "summed_area_table")
    if a.ndim == 0:
        raise ValueError("summed_area_table: x is a number; there is no dimension to scan")
    wide = None if a.dtype.kind in "iub" else np.float64
    table = cumulative_sum(a, axis=0, dtype=wide, threads=threads)
    for axis in range(1, a.ndim):
        table = cumulative_sum(table, axis=axis, threads=threads)
    return table


@in_its_library
def convolve(
    x: ArrayLike,
    filter: ArrayLike,
    mode: Literal["full", "same", "valid"] = "full",
    *,
    threads: Integer | None = None,
) -> NDArray[Any]:
    """Return the convolution of two 1-D arrays, like ``numpy.convolve``, or of two images.

    Parameters
    ----------
    x : array_like, 1-D or 2-D
        The elements.
    filter : array_like
        The filter, with as many dimensions as `x`.
    mode : {"full", "same", "valid"}, default "full"
        Which part of the convolution to return, as in NumPy.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array
        float32 if both arguments are float32, otherwise float64.

    Raises
    ------
    ValueError
        If an argument is empty, or the dimensions differ.

    See Also
    --------
    lfilter, windowed

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. The
    products of an output are added in the order of the filter's elements. Work is O(n m).

    Examples
    --------
    >>> upsweep.convolve([1.0, 2.0, 3.0], [1.0, 0.5])
    array([1. , 2.5, 4. , 1.5])
    """
    a, f = as_array(x, "convolve"), as_array(filter, "convolve")
    if a.ndim != f.ndim or a.ndim not in (1, 2):
        raise ValueError(
            f"convolve: x has {a.ndim} dimensions and the filter {f.ndim}; give two of 1 or of 2"
        )
    if 0 in a.shape + f.shape:
        raise ValueError("convolve: x and the filter must not be empty")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve: mode={mode!r}; give 'full', 'same' or 'valid'")
    both_narrow = a.dtype == f.dtype == np.float32
    a, f = (np.ascontiguousarray(v, np.float32 if both_narrow else np.float64) for v in (a, f))
    shape = [_outputs(n, m, mode) for n, m in zip(a.shape, f.shape)]
    out = empty(shape, a.dtype)
    how = settings(threads, "reproducible", "convolve")
    image, kernel, images = (np.atleast_2d(v) for v in (a, f, out))
    _core.convolve(type_name(a.dtype), image, kernel, images, mode, how)
    return out


def _outputs(n, m, mode):
    return n + m - 1 if mode == "full" else max(n, m) if mode == "same" else abs(n - m) + 1
