"""Columns of Arrow, pandas, polars and other libraries as NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import dtype_named

if TYPE_CHECKING:
    from numpy.typing import NDArray


def from_arrow(x: Any, /, *, skip_nulls: bool = False) -> NDArray[Any]:
    """Convert a column to a NumPy array.

    Other functions of the package call it for columns, and refuse nulls.

    Parameters
    ----------
    x : column
        An object with ``__arrow_c_stream__`` or ``__arrow_c_array__``, such as a column of pandas,
        polars or PyArrow, in one chunk or several.
    skip_nulls : bool, default False
        Leave nulls out.

    Returns
    -------
    1-D array
        The numbers, dates or times of the column.

    Raises
    ------
    ValueError
        If there is a null, unless `skip_nulls`.
    TypeError
        If `x` is not a column, or has elements that are not numbers or times.

    See Also
    --------
    sum

    Notes
    -----
    The elements are copied once.

    Examples
    --------
    >>> import pyarrow
    >>> upsweep.from_arrow(pyarrow.chunked_array([[1, 2], [None, 4]]), skip_nulls=True)
    array([1, 2, 4])
    """
    return array_from_arrow(x, "from_arrow", skip_nulls)


def column_of(x):
    """A column in Arrow's memory, or None if `x` has no interface of Arrow."""
    if hasattr(x, "__arrow_c_stream__"):
        return _core.Column.of_stream(x.__arrow_c_stream__())
    if hasattr(x, "__arrow_c_array__"):
        return _core.Column.of_array(*x.__arrow_c_array__())
    return None


def array_from_arrow(x, verb, skip_nulls=False):
    column = column_of(x)
    if column is None and hasattr(x, "isna"):
        return _array_from_pandas(x, verb, skip_nulls)
    if column is None:
        raise TypeError(f"{verb}: a {type(x).__name__} is not an Arrow column")
    if not column.type:
        raise TypeError(_refusal(column, verb))
    if column.nulls and not skip_nulls:
        refuse_nulls(column.nulls, column.size, verb)
    out = np.empty(column.size - column.nulls, dtype_named(column.type))
    column.store(out)
    return out.astype(_type_of_times(column.format)) if column.format[0] == "t" else out


def _type_of_times(format):
    """NumPy's type of Arrow's dates and times (td, ts) and spans of time (tD)."""
    unit = {"m": "ms", "u": "us", "n": "ns"}.get(format[2], format[2])
    return np.dtype(f"{'m8' if format[1] == 'D' else 'M8'}[{unit}]")


def _refusal(column, verb):
    format = column.format
    if column.extension:
        why = f"has elements of type {column.extension}, which are not numbers; convert them"
    elif column.has_dictionary:
        why = "is categorical, so its elements are not numbers; give x.to_numpy()"
    elif format.startswith("ts"):
        why = f"has times with the time zone {format[4:]}; remove it, with x.dt.tz_convert(None)"
    elif format.startswith("tt"):
        why = "has times of day; give time spans since midnight"
    else:
        why = (
            f"has the Arrow format {format!r}, which is not numeric; give integers, floats or "
            "Booleans, one column at a time"
        )
    return f"{verb}: the column {why}"


def _array_from_pandas(x, verb, skip_nulls):
    """A column of pandas before version 3, which has no interface of Arrow."""
    nulls = x.isna()
    if nulls.any() and not skip_nulls:
        refuse_nulls(nulls.sum(), len(x), verb)
    return np.asarray(x[~nulls], getattr(x.dtype, "numpy_dtype", None))


def refuse_nulls(nulls, size, verb):
    raise ValueError(
        f"{verb}: {nulls} of {size} elements are null; fill or drop them, or "
        "give upsweep.from_arrow(x, skip_nulls=True)"
    )
