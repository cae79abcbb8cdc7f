"""Linear recurrences that continue step by step, in the tree of anchored blocks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep import _core
from upsweep._arrays import converted, empty, native, passed, type_name
from upsweep._calls import scanned
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer

DIGITS = 8  # a block has 2^8 elements
# The names of the extension, and the types in which states are kept.
_TYPES = {
    "f16": ("f16", np.float32),
    "bf16": ("bf16", np.float32),
    "f32": ("f32", np.float32),
    "f64": ("f64", np.float64),
    "complex64": ("c64", np.complex64),
    "complex128": ("c128", np.complex128),
}


class RecurrenceState(NamedTuple):
    """The state of a linear recurrence after some elements, from which it continues.

    Parameters
    ----------
    value : numpy.ndarray
        The result before the current block of 256 elements: the shape of the elements without the
        axis. Of 16-bit floats it is float32.
    totals : numpy.ndarray
        The maps ``a`` and ``b`` of the aligned blocks of 1, 2, 4, ..., 128 elements of the current
        block: two axes of 8 and 2 elements in the place of the axis. Totals whose bit is not set in
        `position` have no meaning.
    position : numpy.ndarray of int64
        The number of elements in the current block of each sequence, from 0 to 255: the shape of
        the elements before the axis.

    See Also
    --------
    linear_recurrence, linear_recurrence_step

    Examples
    --------
    >>> y, state = upsweep.linear_recurrence([0.5, 0.5], [8.0, 2.0], tree="blocks",
    ...                                      return_state=True)
    >>> int(state.position)
    2
    """

    value: NDArray[Any]
    totals: NDArray[Any]
    position: NDArray[Any]


def linear_recurrence_step(
    state: RecurrenceState, a: ArrayLike, b: ArrayLike, /, *, threads: Integer | None = None
) -> tuple[Any, RecurrenceState]:
    """Continue a linear recurrence by one element: h = a h + b.

    Parameters
    ----------
    state : RecurrenceState
        The state after the elements before.
    a : array_like
        The coefficients, with the shape of ``state.value`` or one that broadcasts to it.
    b : array_like
        The terms, likewise.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    h : array
        The result for this element.
    state : RecurrenceState
        The state after it.

    Raises
    ------
    TypeError, ValueError
        If `state` is not a state, or `a` and `b` do not fit it.

    See Also
    --------
    linear_recurrence

    Notes
    -----
    The results have the bits of one call of ``linear_recurrence(..., tree="blocks")`` over all
    elements.

    Examples
    --------
    >>> h, state = upsweep.linear_recurrence([0.5], [8.0], tree="blocks", return_state=True)
    >>> h, state = upsweep.linear_recurrence_step(state, 0.5, 1.0)
    >>> float(h)
    5.0
    """
    verb = "linear_recurrence_step"
    value, _, position = _checked_state(state, verb)
    factors, terms = (elements(x, name, verb) for x, name in ((a, "a"), (b, "b")))
    for x, name in ((factors, "a"), (terms, "b")):
        try:
            np.broadcast_to(x, value.shape)
        except ValueError:
            raise ValueError(
                f"{verb}: {name} has the shape {x.shape}, but the state has {value.shape}"
            ) from None
    axis = position.ndim
    factors, terms = (
        np.expand_dims(np.broadcast_to(x, value.shape), axis) for x in (factors, terms)
    )
    how = settings(threads, "reproducible", verb)
    h, after = _call(verb, factors, terms, state, axis, None, False, how)
    return h.squeeze(axis)[()], after


def linear_recurrence_in_blocks(verb, a, b, initial, axis, cu_seqlens, reverse, threads, mode):
    """The results, and the state after them."""
    factors, terms = (elements(x, name, verb) for x, name in ((a, "a"), (b, "b")))
    factors, terms = np.broadcast_arrays(factors, terms)
    terms, axis = scanned(terms, axis, verb)
    how = settings(threads, mode, verb)
    factors = factors.reshape(terms.shape)
    axis = np.lib.array_utils.normalize_axis_index(axis, terms.ndim)
    offsets = None
    if cu_seqlens is not None:
        if math.prod(terms.shape[:axis]) != 1:
            raise ValueError(
                f"{verb}: cu_seqlens divides the elements of one batch, but b has the shape "
                f"{terms.shape} before axis {axis}"
            )
        offsets = checked_offsets(cu_seqlens, terms.shape[axis], verb)
    return _call(verb, factors, terms, initial, axis, offsets, reverse, how)


def elements(x, name, verb):
    """An argument of floats or complex numbers; integers become float64."""
    a = converted(x, verb)
    a = a.astype(native(a.dtype), copy=False)
    if a.dtype.kind in "iub":
        a = a.astype(np.float64)
    if type_of(a.dtype) is None:
        raise TypeError(
            f"{verb}: {name} has elements of type {a.dtype}; give float16, bfloat16, float32, "
            "float64, complex64 or complex128"
        )
    return a


def type_of(dtype):
    """The name of a type of elements in the extension and the type of its states, or None."""
    return _TYPES.get(dtype.name if dtype.kind == "c" else type_name(dtype))


def common_type(one, other):
    """The type of the results: the type of both, or that of NumPy's sum."""
    if one == other:
        return one
    narrow = {"f16", "bf16"} == {type_name(one), type_name(other)}
    return np.dtype(np.float32) if narrow else np.result_type(one, other)


def checked_offsets(cu_seqlens, tokens, verb):
    offsets = np.asarray(cu_seqlens)
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or offsets.size < 1:
        raise TypeError(f"{verb}: cu_seqlens must be integers in one dimension, from 0 to {tokens}")
    offsets = np.ascontiguousarray(offsets, np.int64)
    if offsets[0] != 0 or offsets[-1] != tokens:
        raise ValueError(
            f"{verb}: cu_seqlens goes from {offsets[0]} to {offsets[-1]}; it must go from 0 to "
            f"{tokens}, the number of elements along the axis"
        )
    falls = np.flatnonzero(offsets[1:] < offsets[:-1])
    if falls.size:
        i = int(falls[0]) + 1
        raise ValueError(
            f"{verb}: cu_seqlens[{i}]={offsets[i]} is less than the {offsets[i - 1]} before it"
        )
    return offsets


def _checked_state(state, verb):
    if not isinstance(state, tuple) or len(state) != 3:
        raise TypeError(
            f"{verb}: state is a {type(state).__name__}; give a RecurrenceState, which "
            "linear_recurrence(..., tree='blocks', return_state=True) returns"
        )
    value, totals, position = map(np.asarray, state)
    n = position.ndim
    shape = (*value.shape[:n], DIGITS, 2, *value.shape[n:])
    if totals.shape != shape or position.shape != value.shape[:n]:
        raise ValueError(
            f"{verb}: state.totals has the shape {totals.shape} and state.position "
            f"{position.shape}; for a value of the shape {value.shape} they are {shape} and "
            f"{value.shape[:n]}"
        )
    if position.dtype.kind not in "iu" or ((position < 0) | (position >= 1 << DIGITS)).any():
        raise ValueError(f"{verb}: state.position must be integers from 0 to 255")
    return value, totals, position


def _started(verb, initial, lead, trail, dtype):
    """The state before the first element, as contiguous arrays that are not the caller's."""
    shape = (*lead, *trail)
    if isinstance(initial, tuple) and len(initial) == 3:
        value, totals, position = _checked_state(initial, verb)
        if value.shape != shape or position.shape != lead:
            raise ValueError(
                f"{verb}: initial is a state of the shape {value.shape}, but the elements without "
                f"the axis have {shape}"
            )
        for x, name in ((value, "value"), (totals, "totals")):
            if x.dtype != dtype:
                raise TypeError(
                    f"{verb}: initial.{name} has the type {x.dtype}; give {np.dtype(dtype)}"
                )
        return RecurrenceState(
            *(np.array(x, t, order="C") for x, t in zip((value, totals), (dtype, dtype))),
            np.array(position, np.int64, order="C"),
        )
    given = np.asarray(initial)
    kinds = "biufc" if np.dtype(dtype).kind == "c" else "biuf"
    if given.dtype.kind not in kinds and type_name(given.dtype) != "bf16":
        raise TypeError(f"{verb}: initial has the type {given.dtype}; give real numbers")
    try:
        value = np.array(np.broadcast_to(given, shape), dtype, order="C")
    except ValueError:
        raise ValueError(
            f"{verb}: initial has the shape {given.shape}, but the elements without the axis have "
            f"{shape}"
        ) from None
    totals = np.zeros((*lead, DIGITS, 2, *trail), dtype)
    return RecurrenceState(value, totals, np.zeros(lead, np.int64))


def _call(verb, factors, terms, initial, axis, offsets, reverse, how):
    """Runs the recurrence; returns results and state."""
    dtype = common_type(factors.dtype, terms.dtype)
    name, state_type = type_of(dtype)
    shape, tokens = terms.shape, terms.shape[axis]
    lead = shape[:axis] if offsets is None else (len(offsets) - 1,)
    trail = shape[axis + 1 :]
    state = _started(verb, initial, lead, trail, state_type)
    h = empty(shape, dtype)
    whole = (math.prod(shape[:axis]), tokens, math.prod(trail))
    a, b, out = (passed(x.astype(dtype, copy=False)).reshape(whole) for x in (factors, terms, h))
    count = math.prod(lead)
    value, totals = state.value.reshape(count, whole[2]), state.totals
    totals = totals.reshape(count, DIGITS, 2, whole[2])
    position = state.position.reshape(count)
    beside = offsets is None and whole[2] == 1 and count > 1 and (position == position[0]).all()
    if not beside:
        rows = (value, totals, position)
        _core.anchored_recurrence(name, a, b, out, offsets, rows, bool(reverse), how)
        return h, state
    # Sequences with one lane each and at the same element become lanes of one sequence.
    a, b, out = (x.transpose(2, 1, 0) for x in (a, b, out))
    lanes = np.ascontiguousarray(totals.transpose(3, 1, 2, 0))
    at = position[:1].copy()
    rows = (value.reshape(1, count), lanes, at)
    _core.anchored_recurrence(name, a, b, out, None, rows, bool(reverse), how)
    totals[...] = lanes.transpose(3, 1, 2, 0)
    position[...] = at
    return h, state
