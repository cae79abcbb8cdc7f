"""Rolling windows: an operator or a statistic of every `width` adjacent elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core, _dates
from upsweep._arrays import Lines, as_array, dtype_named, integer, passed, type_name
from upsweep._calls import initial_for, operands, scanned, stored
from upsweep._chosen import STATISTICS, WITHOUT_NAN, correction_of, is_missing, nothing
from upsweep._dates import movable
from upsweep._entries import entry_of, operator_name, way_of
from upsweep._libraries import running_in_its_library
from upsweep._missing import bfill, ffill
from upsweep._moments import statistic_type
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer, Mode, Number, Operator, Real

# What a missing element is for an operator, where that is not another operator.
_NOTHING = {"sum": -0.0, "exact_sum": 0.0, "product": 1.0, "any": 0.0, "all": 1.0, "parity": 0.0}
_INTEGERS = np.iinfo(np.int64)  # the smallest is NaT
_NOTHING_OF_DATES = {
    "sum": 0,
    "min": _INTEGERS.max,
    "max": _INTEGERS.min + 1,
    "min_number": _INTEGERS.max,
    "max_number": _INTEGERS.min + 1,
}


def windowed(
    x: ArrayLike,
    width: Integer,
    op: Operator = "sum",
    /,
    *,
    axis: Integer | None = None,
    initial: Number | None = None,
    min_periods: Integer | None = None,
    skipna: bool | None = None,
    correction: Real = 0,
    ddof: Real | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> NDArray[Any]:
    """Reduce every window of `width` adjacent elements (rolling window).

    With `min_periods`, it is pandas' ``rolling(width, min_periods=min_periods)``: window i ends at
    element i, and the first windows are shorter.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    width : int
        The number of elements of a window, at least 1.
    op : str, operator or ufunc, default "sum"
        An operator as in `reduce`, except user-defined ones; or a statistic: "mean", "var", "std",
        "median", "count" (of the elements that are not NaN), "first" or "last".
    axis : int, optional
        The axis. It may be omitted for one dimension.
    initial : scalar, optional
        A value to the left of the first element of each window.
    min_periods : int, optional
        The number of elements that are not NaN that a result needs, from 0 to `width`.
    skipna : bool, optional
        Ignore NaN, and NaT where dates are accepted. The default is True with `min_periods`,
        otherwise False.
    correction : float, default 0
        The correction of "var" and "std", as in `var`.
    ddof : float, optional
        NumPy's name of `correction`; give one of the two.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    array
        Without `min_periods`, one result for each full window: n - `width` + 1 along `axis`. With
        it, one result per element, NaN where fewer than `min_periods` elements of the window are
        not NaN.

    Raises
    ------
    ValueError
        If `width` is below 1, or `min_periods` is not between 0 and `width`.

    See Also
    --------
    segment_reduce, ema, cumulative_sum, convolve

    Notes
    -----
    Each result has the bits of a call on its own elements alone. Ignored elements keep their
    positions there, as the identity of the operator. Rounding errors of other windows have no
    effect. A window of any width takes at most about four operator applications.

    Examples
    --------
    >>> upsweep.windowed([1, 5, 2, 4], 2, "max")
    array([5, 5, 4])
    >>> upsweep.windowed([1.0, float("nan"), 2.0, 4.0], 2, "mean", min_periods=1)
    array([1., 1., 2., 3.])
    """
    plain = axis is initial is threads is min_periods is None and mode == "reproducible"
    if plain and not skipna and type(op) is str and type(width) is int and op not in STATISTICS:
        results: Any = way_of(op).windowed(x, width) if 0 < width < 2**63 else None
        if results is not None:
            return results
    how = (initial, threads, mode)
    return _windowed(x, width, op, axis, min_periods, skipna, correction, ddof, how)


@running_in_its_library
def _windowed(x, width, op, axis, min_periods, skipna, correction, ddof, how):
    verb = "windowed"
    if not hasattr(width, "__index__"):
        raise TypeError(f"{verb}: width={width!r} is not an integer; give a number of elements")
    if width < 1:
        raise ValueError(f"{verb}: width={width}; a window has at least 1 element")
    width = min(int(width), 2**63 - 1)  # of 64 bits
    min_periods = None if min_periods is None else integer(min_periods, "min_periods", verb)
    if min_periods is not None and not 0 <= min_periods <= width:
        raise ValueError(
            f"{verb}: min_periods={min_periods}; give a number from 0 to the width, {width}"
        )
    correction = correction_of(correction, ddof, verb)
    if isinstance(op, str) and op in STATISTICS:
        a, axis = scanned(
            as_array(x, verb, "mM" if op in ("count", "first", "last") else ""), axis, verb
        )
        windows = _Windows(a, axis, width, min_periods, skipna, how)
        return windows.shaped(*windows.statistic(op, correction), op == "count")
    name = operator_name(op, verb)
    a, axis = scanned(as_array(x, verb, _dates.TYPES.get(name, "")), axis, verb)
    windows = _Windows(a, axis, width, min_periods, skipna, how)
    return windows.shaped(windows.reduced(name))


class _Windows:
    """The windows of the lines of an array."""

    def __init__(self, a, axis, width, min_periods, skipna, how):
        self.a, self.width, self.min_periods = a, width, min_periods
        self.lines = Lines(a, axis)
        self.rows = self.lines.rows
        self.from_first = min_periods is not None
        self.initial, threads, mode = how
        self.how = settings(threads, mode, "windowed")
        size = self.lines.size
        self.count = size if self.from_first else max(size - width + 1, 0)
        self.missing = (
            is_missing(self.rows) if skipna or (skipna is None and self.from_first) else None
        )
        if self.missing is not None and not self.missing.any():
            self.missing = None

    def shaped(self, rows, to=None, is_count=False):
        """Results along the axis, NaN where too few elements are not missing, or for a count where
        there are too few.
        """
        rows, has_missing = stored(rows, to), self.missing is not None and not is_count
        if self.from_first and self.min_periods > (not has_missing):
            rows = rows.astype(np.float64) if rows.dtype.kind in "biu" else rows
            few = self.present() < self.min_periods if has_missing else slice(self.min_periods - 1)
            rows[few if has_missing else (slice(None), few)] = nothing(rows.dtype)
        return np.ascontiguousarray(self.lines.unmoved(rows))

    def run(self, name, rows, initial=None):
        """The reductions of the windows of rows by an operator of the library."""
        entry = entry_of(name, rows.dtype, "windowed")
        dtype = dtype_named(entry.result)
        ahead = min(self.width - 1, self.lines.size) if self.from_first else 0
        out = np.empty((self.lines.count, self.count), dtype)
        if self.count > ahead:
            whole = np.empty((self.lines.count, self.count - ahead), dtype)
            entry.windowed(passed(rows), self.width, passed(whole), self.how, initial)
            out[:, ahead:] = whole
        if ahead:
            first = np.empty((self.lines.count, 1, ahead), dtype)
            begin = np.ascontiguousarray(rows[:, :ahead]).reshape(first.shape)
            entry.scan(passed(begin), passed(first), self.how, False, False, initial)
            out[:, :ahead] = first[:, 0]
        return out

    def present(self):
        """How many elements of each window are not missing."""
        missing = is_missing(self.rows)
        return self.run("sum", (~missing).view(np.int8))

    def reduced(self, name):
        """The results of an operator."""
        rows, skips = self.rows, self.missing is not None
        if skips and rows.dtype.kind in "mM":
            if name not in _NOTHING_OF_DATES:
                raise TypeError(f"windowed: {name} cannot ignore NaT; fill NaT first")
            rows = np.where(self.missing, _NOTHING_OF_DATES[name], movable(rows)).view(rows.dtype)
        elif skips and name in WITHOUT_NAN:
            name = WITHOUT_NAN[name]
        elif skips and name in _NOTHING:
            rows = np.where(self.missing, rows.dtype.type(_NOTHING[name]), rows)
        elif skips:
            raise TypeError(f"windowed: {name} cannot ignore NaN; fill NaN first")
        op, rows, to = operands(name, rows, None, "windowed")
        initial = initial_for(entry_of(op, rows.dtype, "windowed"), self.initial, "windowed", to)
        results = stored(self.run(op, rows, initial), to)
        if skips and initial is None and (name == "sum" or results.dtype.kind in "mM"):
            results[self.present() == 0] = 0 if name == "sum" else nothing(results.dtype)
        return results

    def statistic(self, op, correction):
        """Results, and the type to store them in."""
        if self.initial is not None:
            raise ValueError(f"windowed: {op} takes no initial value")
        shape = self.lines.count, self.count
        options = self.width, self.from_first, self.missing is not None
        if op == "count":
            return self.present(), None
        if op in ("first", "last"):
            return self.ends(op), None
        results = np.empty(shape)
        if op == "median" and self.rows.dtype in (np.int64, np.uint64):
            name = type_name(self.rows.dtype)
            _core.windowed_medians(name, self.rows, *options, results, self.how)
            return results, None
        rows, to = self.rows.astype(np.float64, copy=False), statistic_type(self.a)
        if op == "median":
            _core.windowed_medians("f64", rows, *options, results, self.how)
            return results, None
        spreads, counts = np.empty(shape), np.empty(shape, np.uint64)
        wanted = correction, op == "std"
        _core.windowed_moments(rows, *options, results, spreads, counts, *wanted, self.how)
        if op != "mean":
            return spreads, to
        results[counts == 0] = np.nan
        return results, to

    def ends(self, op):
        """The first or the last element of each window that is not missing."""
        rows = self.rows
        if self.missing is not None:
            rows = np.asarray((bfill if op == "first" else ffill)(rows, axis=1))
        ahead = 0 if self.from_first else self.width - 1
        if op == "last":
            results = rows[:, ahead : ahead + self.count].copy()
        else:
            begins = np.maximum(np.arange(self.count) + ahead - self.width + 1, 0)
            results = rows[:, begins]
        if self.missing is not None:
            results[self.present() == 0] = nothing(rows.dtype)
        return results
