"""Gaps in sequences: elements that are missing, NaN or NaT, get values from their neighbours."""

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
    """The elements, and the latest one before in place of each that is NaN or NaT, along an axis,
    which may be left out for one dimension; as pandas' ffill. Those before the first stay missing.

    >>> import numpy as np
    >>> upsweep.ffill([np.nan, 20.5, np.nan, 21.0, np.nan])
    array([ nan, 20.5, 20.5, 21. , 21. ])
    """
    return _filled("ffill", x, axis, False, threads)


@running_in_its_library
def bfill(
    x: ArrayLike, /, *, axis: Integer | None = None, threads: Integer | None = None
) -> NDArray[Any]:
    """The same with the next element after, as pandas' bfill.

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
    """The elements, and in place of NaN a value on the line between the elements before and after,
    along an axis as `ffill`; in float64, or float32 for float32 and float16. What has no element
    before or after stays NaN, as in polars; pandas repeats the last.

    >>> import numpy as np
    >>> upsweep.interpolate([1.0, np.nan, np.nan, 4.0, np.nan])
    array([ 1.,  2.,  3.,  4., nan])
    """
    a, axis = scanned(as_array(x, "interpolate"), axis, "interpolate")
    lines = Lines(a.astype(np.float64), axis)
    rows = lines.rows
    _core.interpolate(rows, settings(threads, "reproducible", "interpolate"))
    return np.ascontiguousarray(stored(lines.unmoved(rows), statistic_type(a)))
