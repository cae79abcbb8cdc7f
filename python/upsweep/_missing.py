"""Missing elements (NaN or NaT) of sequences: filled from adjacent elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import Lines, as_array, empty, type_name
from upsweep._calls import scanned, stored
from upsweep._dates import movable
from upsweep._libraries import running_in_its_library
from upsweep._moments import statistic_type
from upsweep._settings import settings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from upsweep._types import Integer


@running_in_its_library
def ffill(
    x: ArrayLike, /, *, axis: Integer | None = None, threads: Integer | None = None
) -> NDArray[Any]:
    """Replace missing elements by the last element before them, like pandas' ``ffill``.

    Missing elements are NaN and NaT.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, optional
        The axis. It may be omitted for one dimension.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array with the shape of `x`
        A copy of `x`. Elements before the first one that is not missing stay missing.

    See Also
    --------
    bfill, interpolate

    Notes
    -----
    Work is O(n).

    Examples
    --------
    >>> import numpy as np
    >>> upsweep.ffill([np.nan, 20.5, np.nan, 21.0, np.nan])
    array([ nan, 20.5, 20.5, 21. , 21. ])
    """
    return _filled("ffill", x, axis, False, threads)


@running_in_its_library
def bfill(
    x: ArrayLike, /, *, axis: Integer | None = None, threads: Integer | None = None
) -> NDArray[Any]:
    """Replace missing elements by the next element after them, like pandas' ``bfill``.

    Missing elements are NaN and NaT.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, optional
        The axis. It may be omitted for one dimension.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array with the shape of `x`
        A copy of `x`. Elements after the last one that is not missing stay missing.

    See Also
    --------
    ffill, interpolate

    Notes
    -----
    Work is O(n).

    Examples
    --------
    >>> import numpy as np
    >>> upsweep.bfill([np.nan, 20.5, np.nan, 21.0, np.nan])
    array([20.5, 20.5, 21. , 21. ,  nan])
    """
    return _filled("bfill", x, axis, True, threads)


def _filled(verb, x, axis, reverse, threads):
    given, axis = scanned(as_array(x, verb, "mM"), axis, verb)
    if given.dtype.kind in "biu":
        return given.copy()
    a = movable(given)
    narrow = type_name(a.dtype) in ("f16", "bf16")
    lines = Lines(a.astype(np.float32) if narrow else a, axis)
    rows = lines.rows
    out = empty(rows.shape, rows.dtype)
    how = settings(threads, "reproducible", verb)
    _core.fill(type_name(rows.dtype), rows, out, how, reverse)
    return np.ascontiguousarray(stored(lines.unmoved(out), a.dtype)).view(given.dtype)


@running_in_its_library
def interpolate(
    x: ArrayLike, /, *, axis: Integer | None = None, threads: Integer | None = None
) -> NDArray[Any]:
    """Replace NaN by linear interpolation between the elements before and after it.

    Parameters
    ----------
    x : array_like of numbers
        The elements, of any shape.
    axis : int, optional
        The axis. It may be omitted for one dimension.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.

    Returns
    -------
    array with the shape of `x`
        float32 for float32 and float16, otherwise float64. NaN without an element before or after
        it stays NaN, as in polars. (pandas repeats the last element.)

    See Also
    --------
    ffill, bfill

    Notes
    -----
    Work is O(n).

    Examples
    --------
    >>> import numpy as np
    >>> upsweep.interpolate([1.0, np.nan, np.nan, 4.0, np.nan])
    array([ 1.,  2.,  3.,  4., nan])
    """
    a, axis = scanned(as_array(x, "interpolate"), axis, "interpolate")
    lines = Lines(a.astype(np.float64), axis)
    rows = lines.rows
    _core.interpolate(rows, settings(threads, "reproducible", "interpolate"))
    return np.ascontiguousarray(stored(lines.unmoved(rows), statistic_type(a)))
