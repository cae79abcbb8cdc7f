"""Linear recurrences: filters and exponential moving averages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from upsweep import _core
from upsweep._anchored import linear_recurrence_in_blocks
from upsweep._arrays import Lines, as_array, empty, floats, number, store, type_name
from upsweep._calls import scanned, stored
from upsweep._libraries import in_library_of, running_in_its_library
from upsweep._moments import statistic_type
from upsweep._settings import default_settings, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from upsweep._anchored import RecurrenceState
    from upsweep._types import Integer, Mode, Real


def is_only(axis):
    """Whether it is the axis of an array that has one."""
    return axis is None or (type(axis) is int and -1 <= axis <= 0)


def linear_recurrence(
    a: ArrayLike,
    b: ArrayLike,
    /,
    *,
    initial: ArrayLike | RecurrenceState = 0.0,
    axis: Integer | None = None,
    out: NDArray[Any] | None = None,
    reverse: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    tree: Literal["prefix", "blocks"] = "prefix",
    cu_seqlens: ArrayLike | None = None,
    return_state: bool = False,
) -> Any:
    """Solve the linear recurrence y[i] = a[i] y[i-1] + b[i] along an axis.

    Parameters
    ----------
    a : array_like or float
        The coefficients. A number is a constant coefficient, which is faster.
    b : array_like
        The terms. It broadcasts with `a`.
    initial : float, array_like or RecurrenceState, default 0.0
        The value y[-1]. With ``tree="blocks"`` it may be an array with the shape of the elements
        without the axis, or a state to continue from.
    axis : int, optional
        The axis. It may be omitted for one dimension.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    reverse : bool, default False
        Run from the last element to the first.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    tree : {"prefix", "blocks"}, default "prefix"
        The combine tree. "blocks" joins blocks of 256 elements one after another
        (docs/spec/blocks.md). It continues element by element with a small state, takes complex
        numbers, and has other bits from 257 elements on.
    cu_seqlens : array_like of integers, optional
        With ``tree="blocks"``: offsets that divide the elements along the axis into sequences, from
        0 to their number.
    return_state : bool, default False
        With ``tree="blocks"``: also return the state after the last element.

    Returns
    -------
    array, or tuple of array and RecurrenceState
        The sequence y, with the broadcast shape of `a` and `b`. float32 if both are float32 or
        narrower, otherwise float64. With ``tree="blocks"`` the type of the elements; 16-bit floats
        are combined in float32. With `return_state` also the state after the last element.

    Raises
    ------
    ValueError
        If the powers of a constant coefficient overflow. If `cu_seqlens` descends or does not end
        at the number of elements. If `initial` has another shape.

    See Also
    --------
    linear_recurrence_step, ema, lfilter, scan

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. It is an
    inclusive scan over affine maps and runs on all threads. Products of adjacent coefficients are
    formed first; from where such a product overflows, results are NaN. Work is O(n).

    With ``tree="blocks"``, chunks of any lengths, one element at a time, sequences that are packed
    or in a batch with others, and one call have the same bits.

    Examples
    --------
    >>> upsweep.linear_recurrence([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    array([ 1.,  3., 10.])
    >>> upsweep.linear_recurrence(0.5, [8.0, 0.0, 0.0])
    array([8., 4., 2.])
    >>> y, state = upsweep.linear_recurrence([2.0], [1.0], tree="blocks", return_state=True)
    >>> upsweep.linear_recurrence([3.0, 1.0], [1.0, 1.0], initial=state, tree="blocks")
    array([4., 5.])
    """
    if tree != "prefix" or return_state or cu_seqlens is not None:
        options = (tree, cu_seqlens, return_state)
        return _in_blocks(a, b, initial, axis, out, bool(reverse), threads, mode, *options)
    plain = out is threads is None and not reverse and mode == "reproducible" and is_only(axis)
    if plain and type(a) is type(initial) is float and initial == 0 and type(b) is np.ndarray:
        results: Any = _core.short_recurrence(a, b, default_settings())
        if results is not None:
            return results
    return _linear_recurrence(a, b, initial, axis, out, bool(reverse), threads, mode)


@running_in_its_library
def _in_blocks(a, b, initial, axis, out, reverse, threads, mode, tree, cu_seqlens, return_state):
    verb = "linear_recurrence"
    if tree not in ("prefix", "blocks"):
        raise ValueError(f"{verb}: tree={tree!r}; give 'prefix' or 'blocks'")
    if tree == "prefix":
        name = "return_state=True" if return_state else "cu_seqlens"
        raise ValueError(f"{verb}: {name} needs tree='blocks'")
    how = (axis, cu_seqlens, reverse, threads, mode)
    y, state = linear_recurrence_in_blocks(verb, a, b, initial, *how)
    y = store(y, out, verb)
    return (y, state) if return_state else y


@running_in_its_library
def _linear_recurrence(a, b, initial, axis, out, reverse, threads, mode):
    verb = "linear_recurrence"
    initial = number(initial, "initial", verb)
    factors, terms = floats(as_array(a, verb), as_array(b, verb))
    if factors.ndim == 0:
        how = (axis, out, reverse, threads, mode)
        return _constant(verb, float(factors), terms, initial, *how)
    factors, terms = np.broadcast_arrays(factors, terms)
    terms, axis = scanned(terms, axis, verb)
    pairs = empty(terms.shape, np.result_type(terms.dtype, np.complex64))
    pairs.real, pairs.imag = factors.reshape(terms.shape), terms
    entry = _core.entry("affine", type_name(terms.dtype))
    lines = Lines(pairs, axis)
    first = np.array([complex(0, initial)], pairs.dtype)
    entry.scan(lines.matrix, lines.matrix, settings(threads, mode, verb), False, reverse, first)
    return store(np.ascontiguousarray(pairs.imag), out, verb)


def ema(
    x: ArrayLike,
    weight: Real,
    /,
    *,
    initial: Real | None = None,
    axis: Integer | None = None,
    out: NDArray[Any] | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the exponential moving average, like pandas' ``ewm(alpha=weight, adjust=False)``.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    weight : float
        The weight of the newest element, from 0 to 1.
    initial : float, optional
        The value y[-1]. Without it, y[0] = x[0].
    axis : int, optional
        The axis. It may be omitted for one dimension.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array with the shape of `x`
        y[i] = (1 - weight) y[i-1] + weight x[i]. float32 for float32 and float16, otherwise
        float64.

    Raises
    ------
    ValueError
        If `weight` is below 0 or above 1.

    See Also
    --------
    linear_recurrence, lfilter, windowed

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. NaN is
    treated as missing: the average is repeated there. As in pandas, weights count missing elements:
    after k of them, y[i-1] has the weight (1 - weight)^(k + 1) and x[i] the weight `weight`, both
    divided by their sum. Work is O(n).

    Examples
    --------
    >>> upsweep.ema([4.0, 2.0, 0.0], 0.5)
    array([4. , 3. , 1.5])
    """
    plain = initial is out is threads is None and mode == "reproducible" and is_only(axis)
    if plain and type(x) is np.ndarray and type(weight) is float and 0 <= weight <= 1:
        results: Any = _core.short_moving_average(x, weight, default_settings())
        if results is not None:
            return results
    return _ema(x, weight, initial, axis, out, threads, mode)


@running_in_its_library
def _ema(x, weight, initial, axis, out, threads, mode):
    weight = number(weight, "weight", "ema")
    if not 0 <= weight <= 1:
        raise ValueError(f"ema: weight={weight} is not between 0 and 1")
    (a,) = floats(as_array(x, "ema"))
    a, axis = scanned(a, axis, "ema")
    lines = Lines(a, axis)
    rows, results = lines.rows, empty(lines.rows.shape, a.dtype)
    first = 0.0 if initial is None else number(initial, "initial", "ema")
    before = np.full((lines.count, 1), first, a.dtype) if first else None
    how = settings(threads, mode, "ema")
    _core.moving_average(type_name(a.dtype), weight, initial is None, rows, results, how, before)
    return store(np.ascontiguousarray(lines.unmoved(results)), out, "ema")


def lfilter(
    b: ArrayLike | Sequence[Real],
    a: ArrayLike | Sequence[Real],
    x: ArrayLike,
    axis: Integer = -1,
    zi: ArrayLike | None = None,
    *,
    out: NDArray[Any] | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Filter a sequence with a digital filter, like ``scipy.signal.lfilter``.

    Parameters
    ----------
    b : array_like, 1-D
        The coefficients of the input.
    a : array_like, 1-D
        The feedback coefficients. ``a[0]`` divides the others.
    x : array_like of numbers
        The elements, of any shape.
    axis : int, default -1
        The axis to filter along.
    zi : array_like, optional
        The state before the first element, as in SciPy: max(len(a), len(b)) - 1 values along
        `axis`.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array, or tuple of two arrays
        The sequence y with a[0] y[n] = b[0] x[n] + b[1] x[n-1] + ... - a[1] y[n-1] - .... float32
        for float32 and float16, otherwise float64. With `zi` also the state after the last element,
        for the elements that follow; it is an array, also for a Series. Results are in the library
        of `x`.

    Raises
    ------
    ValueError
        If ``a[0]`` is 0, or `zi` has another shape.

    See Also
    --------
    ema, linear_recurrence, convolve

    Notes
    -----
    Up to 4 feedback coefficients ``a[1:]`` run as a scan on all threads if that is as accurate as a
    loop: if the squares of the impulse response of the feedback add up to at most 16 (with one
    coefficient, 500). Other filters, such as narrow ones, run as SciPy's loop and have its bits.
    Either way the result is bitwise reproducible.

    Examples
    --------
    >>> upsweep.lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0])
    array([1.  , 0.5 , 0.25])
    """
    if type(x) is np.ndarray and zi is out is None and mode == "reproducible" and is_only(axis):
        y = _filtered_line(b, a, x, threads)
        if y is not None:
            return y
    return _lfilter(b, a, x, axis, zi, out, threads, mode)


def _filtered_line(b, a, x, threads):
    """The filtered elements of an array of one dimension, or None if it must be prepared."""
    if x.ndim != 1 or x.dtype != np.float64 or not x.flags.carray or not x.size:
        return None
    results, how = empty((1, x.size), x.dtype), settings(threads, "reproducible", "lfilter")
    _core.filter(*_coefficients(b, a), x[np.newaxis], results, None, None, how)
    return results[0]


def _coefficients(b, a):
    """The coefficients of x, and of earlier results, divided by a[0]."""
    ahead, back = (np.atleast_1d(as_array(c, "lfilter").astype(np.float64)) for c in (b, a))
    if ahead.ndim != 1 or back.ndim != 1 or not ahead.size or not back.size:
        raise ValueError(
            "lfilter: a and b must have one dimension, and at least one coefficient each"
        )
    if back[0] == 0:
        raise ValueError("lfilter: a[0] is 0; the filter is divided by it")
    return (ahead / back[0]).tolist(), (-back[1:] / back[0]).tolist()


def _lfilter(b, a, x, axis, zi, out, threads, mode):
    ahead, back = coefficients = _coefficients(b, a)
    given = as_array(x, "lfilter")
    elements, axis = scanned(given.astype(np.float64, copy=False), axis, "lfilter")
    lines = Lines(elements, axis)
    axis = lines.axes[0]
    memory, rows = max(len(ahead) - 1, len(back)), lines.rows
    before, after = None, None
    if zi is not None:
        shape = [memory if d == axis else n for d, n in enumerate(elements.shape)]
        before = _states(zi, tuple(shape), axis)
        after = np.empty_like(before)
    results, how = empty(rows.shape, rows.dtype), settings(threads, mode, "lfilter")
    _core.filter(*coefficients, rows, results, before, after, how)
    to = statistic_type(given)
    y = store(np.ascontiguousarray(stored(lines.unmoved(results), to)), out, "lfilter")
    y = in_library_of(y, x, out, running=True)
    if after is None:
        return y
    states = lines.unmoved(after.reshape(lines.count, memory))
    states = np.ascontiguousarray(stored(states, to))
    return y, in_library_of(states, x, columns=False)  # which have no index


def _states(zi, shape, axis):
    """The states before the slices, one slice after the other."""
    given = as_array(zi, "lfilter").astype(np.float64)
    if given.ndim != len(shape) or any(n not in (1, m) for n, m in zip(given.shape, shape)):
        raise ValueError(f"lfilter: zi has the shape {given.shape}; give {shape}")
    states = np.ascontiguousarray(np.broadcast_to(given, shape))
    return Lines(states, axis).rows.reshape(-1)


def _constant(verb, factor, terms, initial, axis, out, reverse, threads, mode):
    """y[i] = terms[i] + factor y[i-1] along the axis."""
    terms, axis = scanned(terms, axis, verb)
    lines = Lines(terms, axis)
    before = None
    if initial != 0:
        before = np.full((lines.count, 1), initial, terms.dtype)
    rows = lines.rows
    results = empty(rows.shape, rows.dtype)
    name, how = type_name(terms.dtype), settings(threads, mode, verb)
    _core.recurrence(name, factor, rows, results, how, reverse, before)
    return store(np.ascontiguousarray(lines.unmoved(results)), out, verb)
