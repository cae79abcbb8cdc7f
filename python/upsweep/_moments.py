"""Mean, variance, standard deviation, and logarithms of sums of exponentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, number, store, type_name
from upsweep._calls import stored
from upsweep._chosen import chosen_statistic, correction_of, without_missing
from upsweep._libraries import in_its_library
from upsweep._settings import default_settings, settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Real


def mean(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """Return the arithmetic mean.

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
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN.

    Returns
    -------
    scalar or array
        float32 for float32 and float16, otherwise float64. NaN for no elements.

    See Also
    --------
    var, std, sum, geometric_mean, median

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. Sums are
    accumulated in float64, to which an integer beyond 2**53 is rounded first. Work is O(n); the
    elements are read once.

    Examples
    --------
    >>> upsweep.mean([1, 2, 6])
    np.float64(3.0)
    """
    plain = out is threads is where is None and not skipna and not keepdims
    if plain and mode == "reproducible" and type(x) is np.ndarray:
        result: Any = _core.short_moment(x, axis, None, False, default_settings())
        if result is not None:
            return result
    if skipna:
        where = without_missing(x, where, True, "mean")
        if where is None:
            return mean(x, axis, out=out, keepdims=keepdims, threads=threads, mode=mode)
    if where is not None:
        rest = (out, keepdims, threads, mode)
        return chosen_statistic("mean", x, axis, where, False, 0.0, *rest)
    return _mean(x, axis, out, keepdims, threads, mode)


@in_its_library
def _mean(x, axis, out, keepdims, threads, mode):
    lines, means, _, to = _moments("mean", x, axis, threads, mode)
    if lines.size == 0:
        means[:] = np.nan
    return store(stored(lines.reduced(means, keepdims), to), out, "mean")


def var(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    correction: Real = 0,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
    ddof: Real | None = None,
) -> Any:
    """Return the variance.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    correction : float, default 0
        The divisor is n - `correction`. 1 gives the unbiased variance of a sample.
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
    skipna : bool, default False
        Ignore NaN.
    ddof : float, optional
        NumPy's name of `correction`; give one of the two.

    Returns
    -------
    scalar or array
        The squared distances from the mean, divided by n - `correction`. float32 for float32 and
        float16, otherwise float64. NaN if there are no more than `correction` elements.

    See Also
    --------
    std, mean, skew, covariance

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is
    computed in float64, to which an integer beyond 2**53 is rounded first, in one pass (Chan,
    Golub and LeVeque 1979). A second pass scales the elements if their squares leave the range of
    float64. Work is O(n).

    Examples
    --------
    >>> upsweep.var([1.0, 2.0, 6.0], correction=1)
    np.float64(7.0)
    """
    chosen = (where, skipna)
    return _var("var", x, axis, correction, ddof, chosen, out, keepdims, threads, mode)


def std(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    correction: Real = 0,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
    ddof: Real | None = None,
) -> Any:
    """Return the standard deviation: the square root of `var`.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    correction : float, default 0
        The divisor is n - `correction`. 1 gives the unbiased variance of a sample.
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
    skipna : bool, default False
        Ignore NaN.
    ddof : float, optional
        NumPy's name of `correction`; give one of the two.

    Returns
    -------
    scalar or array
        float32 for float32 and float16, otherwise float64. NaN if there are no more than
        `correction` elements.

    See Also
    --------
    var, mean

    Notes
    -----
    Bits and cost are those of `var`.

    Examples
    --------
    >>> upsweep.std([1.0, 3.0])
    np.float64(1.0)
    """
    chosen = (where, skipna)
    return _var("std", x, axis, correction, ddof, chosen, out, keepdims, threads, mode)


def _var(verb, x, axis, correction, ddof, chosen, out, keepdims, threads, mode):
    if ddof is not None:
        correction = correction_of(correction, ddof, verb)
    where = without_missing(x, *chosen, verb)
    if where is not None:
        correction = number(correction, "correction", verb)
        rest = (out, keepdims, threads, mode)
        return chosen_statistic(verb, x, axis, where, False, correction, *rest)
    plain = out is threads is None and not keepdims and mode == "reproducible"
    if plain and type(x) is np.ndarray:
        if type(correction) in (int, float):
            result = _core.short_moment(x, axis, correction, verb == "std", default_settings())
            if result is not None:
                return result
    return _var_of_lines(verb, x, axis, correction, out, keepdims, threads, mode)


@in_its_library
def _var_of_lines(verb, x, axis, correction, out, keepdims, threads, mode):
    correction = number(correction, "correction", verb)
    lines, _, results, to = _moments(verb, x, axis, threads, mode, correction, verb == "std")
    return store(stored(lines.reduced(results, keepdims), to), out, verb)


def _moments(verb, x, axis, threads, mode, correction=None, root=False):
    """The lines of `x`, the mean of each and with a correction its variance, or the square root of
    that; the type of results."""
    a = as_array(x, verb)
    to = statistic_type(a)
    a = _wide(a, np.int32)
    lines = Lines(a, axis)
    means = np.empty(lines.count)
    spreads = None if correction is None else np.empty(lines.count)
    how = settings(threads, mode, verb)
    _core.moments(type_name(a.dtype), lines.matrix, means, spreads, correction or 0.0, root, how)
    return lines, means, spreads, to


def statistic_type(*arrays):
    """The type of a statistic that is computed in float64, or None for that."""
    narrow = all(type_name(a.dtype) in ("f16", "bf16", "f32") for a in arrays)
    return np.dtype(np.float32) if narrow else None


def _wide(a, integers):
    """The same numbers in a type of at least 32 bits; integers below in the type `integers`."""
    if type_name(a.dtype) in ("f16", "bf16"):
        return a.astype(np.float32)
    return a.astype(integers) if a.dtype.itemsize < 4 else a


@in_its_library
def logsumexp(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return log(exp(x[0]) + exp(x[1]) + ...) without overflow.

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
        float32 for float32 and float16, otherwise float64. -inf for no elements.

    See Also
    --------
    sum, max

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. Work is
    O(n).

    Examples
    --------
    >>> upsweep.logsumexp([1000.0, 1000.0])
    np.float64(1000.6931471805599)
    """
    a = _wide(as_array(x, "logsumexp"), np.float64)
    if a.dtype.kind != "f":
        a = a.astype(np.float64)
    lines = Lines(a, axis)
    results = np.empty(lines.count, a.dtype)
    how = settings(threads, mode, "logsumexp")
    _core.log_sum_exp(type_name(a.dtype), lines.rows, results, how)
    return store(lines.reduced(results, keepdims), out, "logsumexp")
