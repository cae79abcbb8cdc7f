"""Compiled operators, the types of their results, and the fast path of calls without options."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from upsweep import _core
from upsweep._arrays import TYPE_NAMES, dtype_named, native, type_name
from upsweep._settings import default_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    F = TypeVar("F", bound=Callable[..., Any])


# The library's names of NumPy's functions that are operators.
UFUNCS = {
    "add": "sum",
    "multiply": "product",
    "maximum": "max",
    "minimum": "min",
    "fmax": "max_number",
    "fmin": "min_number",
    "logical_and": "all",
    "logical_or": "any",
    "logical_xor": "parity",
    "bitwise_and": "bit_and",
    "bitwise_or": "bit_or",
    "bitwise_xor": "bit_xor",
    "gcd": "gcd",
}


# Functions of NumPy and of the module operator that are not associative.
_NOT_ASSOCIATIVE = frozenset(
    "subtract divide true_divide floor_divide power float_power remainder fmod divmod less "
    "less_equal greater greater_equal left_shift right_shift arctan2 ldexp nextafter copysign "
    "heaviside".split()
)
_NOT_ASSOCIATIVE_HERE = frozenset(
    "sub truediv floordiv pow mod lt le gt ge lshift rshift isub itruediv ifloordiv ipow "
    "imod".split()
)


# The operators and statistics that functions of an array apply to it.
_OF_ARRAYS = {
    "sum": "sum nansum cumsum cumulative_sum",
    "product": "prod nanprod cumprod cumulative_prod",
    "max": "max amax cummax",
    "min": "min amin cummin",
    "max_number": "nanmax",
    "min_number": "nanmin",
    "exact_sum": "exact_sum exact_cumulative_sum fsum",
    **{name: name for name in "argmax argmin any all mean var std median".split()},
}
_OF_ARRAYS = {of: here for here, names in _OF_ARRAYS.items() for of in names.split()}
_STATISTICS = {"mean", "var", "std", "median"}


def _expect_two_operands(op):
    """Refuses functions of arrays of this package, NumPy and Python."""
    home, name = getattr(op, "__module__", None), getattr(op, "__name__", "")
    of_python = home in ("builtins", "math") and name not in ("max", "min")  # which take two, too
    known = of_python or (home or "").partition(".")[0] in ("numpy", "upsweep")
    if not known or name not in _OF_ARRAYS or hasattr(op, "identity"):  # of an operator
        return
    here = _OF_ARRAYS[name]
    where = f" in segments, groups and windows, or call upsweep.{here}"
    raise TypeError(
        f"{home.partition('.')[0]}.{name} is a function of an array, not of two operands; give "
        f"{here!r}{where if here in _STATISTICS else ''}"
    )


def expect_associative(op):
    """Refuses functions that are known to be no operators; others cannot be judged here."""
    _expect_two_operands(op)
    name = getattr(op, "__name__", "")
    if isinstance(op, np.ufunc) and (op.nin, op.nout) != (2, 1):
        raise TypeError(f"{name} is not a function of two operands with one result")
    of_numpy = isinstance(op, np.ufunc) and name in _NOT_ASSOCIATIVE
    if of_numpy or (getattr(op, "__module__", "") == "_operator" and name in _NOT_ASSOCIATIVE_HERE):
        raise TypeError(
            f"{name} is not associative, so its result depends on the grouping; give an "
            "associative operator, or use functools.reduce for an order from left to right"
        )


def known_name(op):
    """The library's name of an operator that it has, or None."""
    if isinstance(op, np.ufunc):
        return UFUNCS.get(op.__name__)
    name = op if isinstance(op, str) else getattr(op, "name", None)
    return name if isinstance(name, str) else None


def is_own(op, x=None):
    """Whether an operator is user-defined, or a ufunc of NumPy over objects `x`."""
    if not callable(op) or isinstance(op, str):
        return False
    if isinstance(op, np.ufunc) and known_name(op) is not None:
        if x is None:
            return False
        dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
        return getattr(dtype, "kind", "") in tuple("OUST")  # PyTorch's types have none
    expect_associative(op)
    return known_name(op) is None


def operator_name(op, verb):
    """The library's name of an operator, given by name, as `upsweep.add` or as numpy.add."""
    name = known_name(op)
    if name is None:
        _expect_two_operands(op)
        raise TypeError(
            f"{verb}: {op!r} is not an operator of the library; give a name, or an operator such "
            "as upsweep.maximum; reduce, scan, Stream and Partial accept user-defined operators"
        )
    return name


_entries: dict = {}
# What operators that ignore NaN are where there is none.
SAME_OVER_INTEGERS = {"max_number": "max", "min_number": "min"}


def entry_of(op, dtype, verb):
    """The entry of an operator over elements of a type."""
    key = op, dtype
    entry = _entries.get(key)
    if entry is None:
        name = type_name(dtype)
        op = SAME_OVER_INTEGERS.get(op, op) if dtype.kind in "biu" else op
        entry = _core.entry(op, name) if name else None
        if entry is None or op == "affine":  # which linear_recurrence calls
            if op not in _core.operators:
                raise ValueError(
                    f"{verb}: {op!r} is not an operator; the operators are "
                    f"{', '.join(_core.operators)}"
                )
            raise TypeError(f"{verb}: {op} is not defined for elements of type {dtype}")
        _entries[key] = entry
    return entry


SUMS = {"sum", "product", "checked_sum", "checked_product"}
# Results are elements, or bits of them.
_SELECTING = {"min", "max", "min_number", "max_number", "bit_and", "bit_or", "bit_xor"}


def elements_for(op, a, dtype, verb):
    """The elements of a call with results of the type `dtype`, and the type to store, or None for
    that of the entry. Elements are converted if `dtype` is wider, otherwise results are. Booleans
    are bytes in the library. They are added as signed integers, as in NumPy.
    """
    if a.dtype == bool and op in SUMS:
        a = a.view(np.int8)
    if dtype is None:
        if op in ("argmin", "argmax"):
            return a, np.dtype(np.intp)
        return a, a.dtype if op in _SELECTING else None
    d = native(np.dtype(dtype))
    if type_name(d) is None or d == bool:
        raise TypeError(f"{verb}: dtype={d} is not a possible result type; give integers or floats")
    integers = "biu"  # bfloat16 is of another kind than the other floats
    if a.dtype.kind not in integers and d.kind in integers:
        raise TypeError(
            f"{verb}: dtype={d} cannot hold results of {a.dtype}; round the elements first"
        )
    if d.kind not in integers and (a.dtype.kind in integers or d.itemsize > a.dtype.itemsize):
        a = a.astype(np.float64 if d.itemsize == 8 else np.float32)
    return a, d


_short_ways: dict = {}


def way_of(op):
    """The entries of an operator for calls without options."""
    return _short_ways.get(op) or _short_way(op)


def _short_way(op):
    way = _core.ShortWay(default_settings())
    for dtype, name in TYPE_NAMES.items():
        a, to = elements_for(op, np.empty(0, dtype), None, "")
        entry = _core.entry(op, TYPE_NAMES[a.dtype]) if name != "bf16" else None
        if entry is not None:
            way.add("bool" if dtype == bool else name, entry, to or dtype_named(entry.result))
    _short_ways[op] = way
    return way


def reduction(op: str) -> Callable[[F], F]:
    """A decorator for a reduction by an operator. Calls with only an array and an axis take the
    fast path in the extension, if there is one for the array.
    """
    return functools.partial(short_call, op, False)


def running(op: str) -> Callable[[F], F]:
    """The same for an inclusive scan."""
    return functools.partial(short_call, op, True)


def short_call(op, scans, function, first_axis=False):
    """`function` with the fast path. With `first_axis`, the default axis is 0."""
    call = _core.ShortCall(scans, first_axis)
    call.find_way = functools.partial(way_of, op)
    return functools.update_wrapper(call, function)
