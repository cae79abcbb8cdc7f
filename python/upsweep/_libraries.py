"""Conversion of results to the library of the elements."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    F = TypeVar("F", bound=Callable[..., Any])

_ON_PROCESSOR = 1  # the kind of device in DLPack
# The types of most arguments, of which no result follows.
_PLAIN = {np.ndarray, list, tuple, int, float, bool, str, type(None)}


def in_its_library(function: F) -> F:
    """A decorator that returns results in the library of the first argument that is not a NumPy
    array: arrays of torch, JAX, CuPy and others with the array standard, columns of pandas, polars
    and Arrow. A result of one dimension becomes a column; other results are not converted.
    """
    return _decorated(function, running=False)


def running_in_its_library(function: F) -> F:
    """The same for a function whose last result belongs to the last element: a pandas Series keeps
    the index of the elements.
    """
    return _decorated(function, running=True)


def _decorated(function, running):
    @functools.wraps(function)
    def call(*arguments, **options):
        results = function(*arguments, **options)
        return in_library_of(results, *arguments, *options.values(), running=running)

    return call


def in_library_of(results, *given, running=False, columns=True):
    """Results in the library of the first of the given arguments that has one; without `columns`,
    in one of arrays.
    """
    for x in given:
        if type(x) not in _PLAIN and (convert := _conversion(x, running, columns)):
            return _converted(results, convert, given)
    return results


def _converted(results, convert, given):
    if isinstance(results, tuple):
        parts = [_converted(part, convert, given) for part in results]
        return type(results)(*parts) if hasattr(results, "_fields") else tuple(parts)
    if not isinstance(results, (np.ndarray, np.generic)):
        return results
    is_out = any(results is x for x in given)
    return results if is_out else convert(results)


def _conversion(x, running, columns):
    """The function that makes an array or a number of NumPy one of the library of `x`, or None."""
    root = type(x).__module__.partition(".")[0]
    library = sys.modules.get(root)
    for name, make in _COLUMNS.get(root, {}).items():
        if columns and isinstance(x, getattr(library, name)):
            return lambda a: make(library, x, a, running) if a.ndim == 1 else a
    if isinstance(x, (np.ndarray, np.generic)) or not hasattr(x, "__dlpack__"):
        return None
    if hasattr(x, "__array_namespace__"):
        library = x.__array_namespace__()
    return functools.partial(_array, library, x) if hasattr(library, "from_dlpack") else None


def _array(library, x, a):
    if a.dtype.kind not in "biufc":  # strings and dates, which only NumPy has; or bfloat16
        return a if a.dtype.kind != "V" else library.asarray(a)
    if x.__dlpack_device__()[0] != _ON_PROCESSOR:  # such as the edges of a histogram
        return library.asarray(a, **({} if library.__name__ == "cupy" else {"device": x.device}))
    made = library.from_dlpack(np.asarray(a))
    if a.dtype.kind in "iu" and np.from_dlpack(made).dtype != a.dtype:
        if not np.array_equal(np.from_dlpack(made), a):
            raise OverflowError(
                f"a result does not fit the integers of {library.__name__}, which has no {a.dtype} "
                "here; give a NumPy array, or enable 64-bit types in the library"
            )
    return made


def _pandas_series(pandas, x, a, running):
    index = x.index[len(x) - len(a) :] if running and len(a) <= len(x) else None
    return pandas.Series(a, index, name=x.name, copy=False)


def _polars_series(polars, x, a, running):
    return polars.Series(x.name, a)


def _arrow_array(pyarrow, x, a, running):
    return pyarrow.array(a)


def _arrow_chunks(pyarrow, x, a, running):
    return pyarrow.chunked_array([a])


_COLUMNS = {
    "pandas": {"Series": _pandas_series},
    "polars": {"Series": _polars_series},
    "pyarrow": {"Array": _arrow_array, "ChunkedArray": _arrow_chunks},
}
