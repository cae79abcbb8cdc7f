"""Histograms and counts.

Elements are compared with the edges of the bins, so no rounded quotient decides.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import (
    as_array,
    beside,
    dtype_named,
    integer,
    number,
    on_gpu,
    passed,
    type_name,
)
from upsweep._calls import stored
from upsweep._calls import reduce as _reduce
from upsweep._entries import elements_for, entry_of, operator_name
from upsweep._libraries import in_its_library
from upsweep._settings import default_settings, settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer, Operator, Real


@in_its_library
def histogram(
    x: ArrayLike,
    bins: int | str | ArrayLike = 10,
    range: tuple[Real, Real] | None = None,
    *,
    weights: ArrayLike | None = None,
    density: bool = False,
    threads: Integer | None = None,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Count the elements in each bin, like ``numpy.histogram``.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    bins : int, str or array_like, default 10
        The number of bins of equal width; the ascending edges of the bins; or a rule of
        ``numpy.histogram_bin_edges`` such as "auto".
    range : tuple of two numbers, optional
        The lowest and the highest edge. The default is the smallest and the largest element.
    weights : array_like, optional
        Weights with the shape of `x`. The results are then the sums of the weights of each bin.
    density : bool, default False
        Divide by the width of the bin and by the sum of all counts.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    tuple of two 1-D arrays
        The counts of the bins, and the edges. Edges are float64, or integers if float64 cannot
        represent them.

    Raises
    ------
    ValueError
        If an element is infinite or NaN and neither `range` nor edges are given. With them, such
        elements are ignored.

    See Also
    --------
    weighted_histogram, bincount

    Notes
    -----
    Elements are compared with the edges, so no rounded quotient decides. The last bin includes its
    upper edge. Work is O(n).

    Examples
    --------
    >>> upsweep.histogram([1, 2, 1], bins=[0, 1, 2, 3])
    (array([0, 2, 1]), array([0., 1., 2., 3.]))
    """
    if weights is not None:
        results, edges = weighted_histogram(x, weights, bins, range, threads=threads)
    elif on_gpu(x) and not density:
        return on_gpu(x).histogram(x, bins, range)
    else:
        a = _flat(x, "histogram")
        how = settings(threads, "reproducible", "histogram")
        edges, even = _edges(a, bins, range, "histogram")
        counts = np.empty(len(edges) - 1, np.uint64)
        name = type_name(a.dtype)
        if even:
            _core.histogram_even(name, passed(a), edges[0], edges[-1], counts, how)
        else:
            _core.histogram_levels(name, passed(a), type_name(edges.dtype), edges, counts, how)
        results = counts.view(np.int64)
    if density:
        with np.errstate(invalid="ignore", divide="ignore"):  # nothing in any bin: NaN
            results = results / np.diff(edges) / results.sum()
    return results, edges


@in_its_library
def weighted_histogram(
    x: ArrayLike,
    weights: ArrayLike,
    bins: int | ArrayLike = 10,
    range: tuple[Real, Real] | None = None,
    op: Operator = "sum",
    *,
    threads: Integer | None = None,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Reduce the weights of the elements in each bin.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    weights : array_like
        Weights with the shape of `x`.
    bins : int or array_like, default 10
        The number of bins of equal width, or the ascending edges of the bins.
    range : tuple of two numbers, optional
        The lowest and the highest edge. The default is the smallest and the largest element.
    op : str, operator or ufunc, default "sum"
        An operator as in `reduce`, except user-defined ones.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    tuple of two 1-D arrays
        One result per bin, and the edges, as in `histogram`.

    Raises
    ------
    ValueError
        If the shapes differ, or for the arguments that `histogram` refuses.

    See Also
    --------
    histogram, bincount, group_reduce

    Notes
    -----
    The weights of a bin are combined in the order of the input, with the bits of `reduce` over
    these weights alone. Elements are compared with the edges, so no rounded quotient decides. The
    last bin includes its upper edge. Work is O(n).

    Examples
    --------
    >>> upsweep.weighted_histogram([0.5, 2.5, 0.5], [1, 2, 3], 3, (0, 3))[0]
    array([4, 0, 2])
    """
    verb = "weighted_histogram"
    a = as_array(x, verb)
    name = operator_name(op, verb)
    w, to = elements_for(name, _weights_of(a, weights, verb), None, verb)
    a = np.ascontiguousarray(a).reshape(-1)
    entry = entry_of(name, w.dtype, verb)
    if isinstance(bins, str):
        raise TypeError(
            f"{verb}: bins={bins!r} is a rule that does not support weights; give a number of "
            "bins, or edges"
        )
    edges, even = _edges(a, bins, range, verb)
    out = np.empty(len(edges) - 1, dtype_named(entry.result))
    how = settings(threads, "reproducible", verb)
    given = type_name(a.dtype), passed(a), entry, passed(w)
    if even:
        _core.weighted_even(*given, edges[0], edges[-1], passed(out), how)
    else:
        _core.weighted_levels(*given, type_name(edges.dtype), edges, passed(out), how)
    return stored(out, to), edges


def bincount(
    x: ArrayLike,
    /,
    weights: ArrayLike | None = None,
    minlength: Integer = 0,
    *,
    threads: Integer | None = None,
) -> NDArray[Any]:
    """Count how often each of the numbers 0, 1, ... occurs, like ``numpy.bincount``.

    Parameters
    ----------
    x : array_like of ints, 1-D
        The numbers to count.
    weights : array_like, optional
        One weight per element. The results are then the sums of the weights.
    minlength : int, default 0
        The smallest size of the result.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    1-D array
        int64 counts, or float64 sums of weights.

    Raises
    ------
    ValueError
        If a number is negative.
    TypeError
        If the elements are floats.

    See Also
    --------
    histogram, group_reduce

    Notes
    -----
    A sum of weights has the bits of `sum` over these weights alone. Work is O(n).

    Examples
    --------
    >>> upsweep.bincount([1, 3, 1])
    array([0, 2, 0, 1])
    """
    if threads is None and type(minlength) is int and 0 <= minlength < 2**63:
        counts: Any = _core.short_bincount(x, weights, minlength, default_settings())
        if counts is not None:
            return counts
    return _bincount(x, weights, minlength, threads)


@in_its_library
def _bincount(x, weights, minlength, threads):
    verb = "bincount"
    a = as_array(x, verb)
    if a.ndim != 1:
        raise ValueError(f"{verb}: x has {a.ndim} dimensions; give one")
    if a.dtype.kind not in "biu" and a.size:
        raise TypeError(f"{verb}: x has the type {a.dtype}; give integers")
    minlength = integer(minlength, "minlength", verb)
    if minlength < 0:
        raise ValueError(f"{verb}: minlength={minlength} is negative")
    w = None if weights is None else _weights_of(a, weights, verb).astype(np.float64, copy=False)
    if not a.size:
        _expect_size(minlength, verb)
        return np.zeros(minlength, np.int64 if w is None else np.float64)
    a = np.ascontiguousarray(a)
    name, how = type_name(a.dtype), settings(threads, "reproducible", verb)
    negative, largest = _core.range_of_indices(name, a, how)
    if negative:
        raise ValueError(f"{verb}: x has the negative element {negative}")
    size = max(minlength, largest + 1)
    _expect_size(size, verb)
    if w is None:
        counts = np.empty(size, np.int64)
        _core.count_indices(name, a, counts.view(np.uint64), how)
        return counts
    sums = np.empty(size, np.float64)
    _core.reduce_indices(name, a, entry_of("sum", w.dtype, verb), w, sums, how)
    return sums


def _expect_size(size, verb):
    if size > np.iinfo(np.intp).max // 8:
        raise ValueError(
            f"{verb}: the result would have {size} elements; give smaller integers, or call "
            "unique(x, return_counts=True)"
        )


def _flat(x, verb):
    return np.ascontiguousarray(as_array(x, verb)).reshape(-1)


def _weights_of(a, weights, verb):
    """The weights of the elements of an array, in one line."""
    w = as_array(weights, verb)
    if w.size != a.size:
        raise ValueError(f"{verb}: there are {w.size} weights, but x has {a.size} elements")
    if w.shape != a.shape:
        raise ValueError(f"{verb}: weights have the shape {w.shape}, but x has {a.shape}")
    return np.ascontiguousarray(w).reshape(-1)


def _edges(a, bins, limits, verb):
    """The edges of the bins in float64, or integers that it does not hold; and whether these have
    equal width."""
    if limits is not None:
        if np.shape(limits) != (2,):
            raise TypeError(f"{verb}: range={limits!r}; give the lowest and the highest edge")
        limits = [number(limit, "range", verb, wide=True) for limit in limits]
    if isinstance(bins, str):
        bins = len(np.histogram_bin_edges(a, bins, limits)) - 1
    if np.ndim(bins):
        edges = _given_edges(bins, verb)
        if edges.ndim != 1 or edges.size < 2 or not (edges[1:] > edges[:-1]).all():
            raise ValueError(f"{verb}: bins must be at least two ascending edges, in one dimension")
        return edges, False
    if not hasattr(bins, "__index__"):
        raise TypeError(f"{verb}: bins={bins!r} is not an integer; give a number of bins, or edges")
    if bins < 1:
        raise ValueError(f"{verb}: bins={bins}; give at least 1 bin")
    if limits is not None:
        low, high = limits
    elif a.size == 0:
        low, high = 0.0, 1.0
    else:
        low, high = (_reduce(verb, op, a).item() for op in ("min", "max"))
    if a.dtype.kind in "iu" and isinstance(low, int) and isinstance(high, int):
        if low <= high and max(abs(low), abs(high)) >= 2**53:
            return _integer_edges(a.dtype, low, high, int(bins), verb), False
    low, high = float(low), float(high)
    if not (np.isfinite(low) and np.isfinite(high)) or low > high:
        raise ValueError(f"{verb}: the range from {low} to {high} is not a finite range")
    if low == high:
        low = np.minimum(low - 0.5, np.nextafter(low, -np.inf))
        high = np.maximum(high + 0.5, np.nextafter(high, np.inf))
    # Where the width is out of range, that between quarters is not.
    unit = 1 if math.isfinite(high - low) else 4
    edges = np.linspace(low / unit, high / unit, int(bins) + 1) * unit
    if not (edges[1:] > edges[:-1]).all():
        raise ValueError(
            f"{verb}: float64 cannot distinguish the edges of {bins} bins from {low} to {high}; "
            "give fewer bins or a wider range"
        )
    return edges, unit == 1


def _given_edges(bins, verb):
    edges = beside(bins, verb)
    if edges.dtype.kind in "iu" and edges.dtype.itemsize == 8:
        edges = np.ascontiguousarray(edges, np.int64 if edges.dtype.kind == "i" else np.uint64)
        if all(int(float(edge)) == edge for edge in edges.reshape(-1).tolist()):
            edges = edges.astype(np.float64)
        return edges
    return np.ascontiguousarray(edges, np.float64)


def _integer_edges(dtype, low, high, bins, verb):
    """An integer lies above the edge low + b (high - low) / bins if it is no less than the next
    integer."""
    limits = np.iinfo(np.int64 if dtype.kind == "i" else np.uint64)
    if low == high:
        low = max(min(low - bins // 2, limits.max - bins), limits.min)
        high = low + bins
    if low < limits.min or high > limits.max:
        raise ValueError(
            f"{verb}: the range from {low} to {high} is wider than the integers of x; give ends "
            f"from {limits.min} to {limits.max}"
        )
    edges = [low - (low - high) * b // bins for b in range(bins + 1)]
    if any(one >= other for one, other in itertools.pairwise(edges)):
        raise ValueError(
            f"{verb}: there are not {bins} integers from {low} to {high}; give fewer bins or a "
            "wider range"
        )
    return np.array(edges, limits.dtype)
