"""Calls of operators by name over arrays: the common part of all reductions and scans."""

import numpy as np

from upsweep import _complex, _dates
from upsweep._arrays import (
    Lines,
    as_array,
    check_out,
    dtype_named,
    empty,
    on_gpu,
    passed,
    store,
)
from upsweep._entries import SUMS, elements_for, entry_of, way_of
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._settings import is_pairwise, settings


def initial_for(entry, initial, verb, to=None):
    """An initial value of results of the type `to` as an array of one result, or None."""
    if initial is None:
        return None
    if not entry.takes_initial:
        raise ValueError(f"{verb}: this operator takes no initial value")
    dtype = dtype_named(entry.result)
    given = np.asarray(initial)
    if to is not None and to.kind in "mM":
        given = _dates.initial_for(initial, to, verb)
    # What wraps has the same bits with and without a sign.
    wraps = to is not None and entry.wraps and to.kind + dtype.kind in ("iu", "ui")
    held = np.dtype(f"{to.kind}8") if wraps else dtype
    if given.ndim:
        raise ValueError(f"{verb}: initial has {given.ndim} dimensions; give a number")
    numeric = given.dtype.kind in "biuf" or isinstance(initial, int)
    if not numeric or (given.dtype.kind == "f" and dtype.kind in "iu"):
        raise TypeError(f"{verb}: initial={initial!r} is not of {held}, the type of the results")
    try:
        first = np.array([given.item()], dtype=held)
    except OverflowError as e:
        raise OverflowError(
            f"{verb}: initial={initial!r} does not fit {held}, the type of the results"
        ) from e
    return passed(first.view(dtype))


# Operators whose identity is no answer to what the largest of no numbers is.
NEED_ELEMENTS = {"min", "max", "min_number", "max_number", "argmin", "argmax"}


def operands(op, x, dtype, verb):
    """The operator, the elements and the result type of a call over `x`, as `elements_for`. Dates
    are represented by integers.
    """
    a = as_array(x, verb, _dates.TYPES.get(op, ""))
    if a.dtype.kind in "mM":
        return _dates.operands(op, a, dtype, verb)
    return op, *elements_for(op, a, dtype, verb)


def type_for(op, a, dtype, out):
    """The result type of a call with `out`: counts of Booleans may be stored as unsigned."""
    if dtype is None and a.dtype == bool and op in SUMS and isinstance(out, np.ndarray):
        return out.dtype if out.dtype.kind == "u" else None
    return dtype


def stored(results, dtype):
    if dtype is None or results.dtype == dtype:
        return results
    results = results.astype(dtype)
    if dtype.kind == "m" and np.isnat(results).any():
        raise OverflowError(f"a sum of {dtype} is -2^63, which represents NaT")
    return results


def reduce(
    verb,
    op,
    x,
    axis=None,
    dtype=None,
    out=None,
    keepdims=False,
    initial=None,
    threads=None,
    mode="reproducible",
    reverse=False,
    where=None,
    tree="prefix",
):
    """The reductions of the lines of `x`."""
    if where is not None and where is not True:
        rest = (dtype, out, keepdims, initial, threads, mode)
        return _reduce_chosen(verb, op, x, where, axis, *rest)
    if type(x) is np.ndarray and threads is None and mode == "reproducible" and tree == "prefix":
        if dtype is out is initial is None and keepdims is reverse is False:
            result = way_of(op).reduce(x, axis)
        elif type(keepdims) is type(reverse) is bool:
            result = way_of(op).reduce_by(x, axis, dtype, out, initial, keepdims, reverse)
        else:
            result = None
        if result is not None:
            return result
    keepdims, reverse = bool(keepdims), bool(reverse)
    gpu = type(x) is not np.ndarray and on_gpu(x)
    pairwise = is_pairwise(tree, verb)
    if gpu and pairwise:
        raise ValueError(
            f"{verb}: tree='pairwise' is not supported on a GPU; copy the array to the CPU"
        )
    if gpu:
        return gpu.reduce(verb, op, x, axis, dtype, out, keepdims, initial, reverse)
    how = (threads, mode, reverse, pairwise)
    return _reduce_lines(verb, op, x, axis, dtype, out, keepdims, initial, *how)


def _other_types(op):
    """The characters of the types for which an operator is defined without an entry."""
    return ("FD" if op in _complex.OPERATORS else "") + _dates.TYPES.get(op, "")


@in_its_library
def _reduce_lines(
    verb, op, x, axis, dtype, out, keepdims, initial, threads, mode, reverse, pairwise
):
    a = as_array(x, verb, _other_types(op))
    if a.dtype.kind == "c" and op == "product":
        if pairwise:
            raise ValueError(f"{verb}: complex products support only tree='prefix'")
        how = settings(threads, mode, verb)
        return _complex.reduce_products(verb, a, axis, dtype, out, keepdims, reverse, initial, how)
    if a.dtype.kind == "c":
        rest = (threads, mode, reverse, None, "pairwise" if pairwise else "prefix")
        return _reduce_parts(verb, op, a, axis, dtype, out, keepdims, initial, rest)
    op, a, to = operands(op, a, type_for(op, a, dtype, out), verb)
    entry = entry_of(op, a.dtype, verb)
    lines = Lines(a, axis)
    if lines.size == 0 and initial is None and op in NEED_ELEMENTS:
        raise ValueError(f"{verb}: x has no elements, so there is no {op}")
    results = np.empty(lines.count, dtype_named(entry.result))
    before = initial_for(entry, initial, verb, to)
    how = settings(threads, mode, verb)
    entry.reduce(passed(lines.matrix), passed(results), how, reverse, pairwise, before)
    return store(stored(lines.reduced(results, keepdims), to), out, verb)


def _reduce_parts(verb, op, a, axis, dtype, out, keepdims, initial, rest):
    """The reductions of the real and of the imaginary parts; `rest` are reduce's last arguments."""
    return _complex.by_parts(
        verb,
        op,
        a,
        dtype,
        out,
        initial,
        lambda part, first: reduce(verb, op, part, axis, None, None, keepdims, first, *rest),
    )


@in_its_library
def _reduce_chosen(verb, op, x, where, axis, dtype, out, keepdims, initial, threads, mode):
    """The reductions of the elements of each line with a true flag."""
    from upsweep._chosen import Chosen

    a = as_array(x, verb, _other_types(op))
    if a.dtype.kind == "c" and op == "product":
        how = settings(threads, mode, verb)
        rest = (dtype, out, keepdims, initial, how)
        return _complex.reduce_chosen_products(verb, Chosen(verb, a, where, axis), *rest)
    if a.dtype.kind == "c":
        rest = (threads, mode, False, where)
        return _reduce_parts(verb, op, a, axis, dtype, out, keepdims, initial, rest)
    chosen = Chosen(verb, a, where, axis)
    dtype = type_for(op, chosen.elements, dtype, out)
    op, elements, to = operands(op, chosen.elements, dtype, verb)
    entry = entry_of(op, elements.dtype, verb)
    without, skips_nat = chosen.counts == 0, op.endswith("_number") and a.dtype.kind in "mM"
    if initial is None and op in NEED_ELEMENTS and without.any() and not skips_nat:
        raise ValueError(f"{verb}: no element of where is true, so there is no {op}; give initial")
    results = np.empty(chosen.lines.count, dtype_named(entry.result))
    before, how = initial_for(entry, initial, verb, to), settings(threads, mode, verb)
    entry.reduce_segments(passed(elements), chosen.borders, passed(results), how, before)
    if skips_nat:
        results = results.view(to)
        if initial is None:
            results[without] = "NaT"
    return store(stored(chosen.lines.reduced(results, keepdims), to), out, verb)


def scan(
    verb,
    op,
    x,
    axis=None,
    dtype=None,
    out=None,
    initial=None,
    threads=None,
    mode="reproducible",
    exclusive=False,
    reverse=False,
    include_initial=False,
):
    """The scans of the lines of `x`."""
    if type(x) is np.ndarray and threads is None and mode == "reproducible":
        if type(exclusive) is type(reverse) is bool and not include_initial:
            result = way_of(op).scan(x, axis, dtype, out, initial, exclusive, reverse)
            if result is not None:
                return result
    exclusive, reverse = bool(exclusive), bool(reverse)
    gpu = type(x) is not np.ndarray and on_gpu(x)
    if gpu:
        how = (exclusive, reverse, include_initial)
        return gpu.scan(verb, op, x, axis, dtype, out, initial, *how)
    rest = (initial, threads, mode, exclusive, reverse, include_initial)
    return _scan_lines(verb, op, x, axis, dtype, out, *rest)


@running_in_its_library
def _scan_lines(
    verb, op, x, axis, dtype, out, initial, threads, mode, exclusive, reverse, include_initial
):
    a = as_array(x, verb, _other_types(op))
    if a.dtype.kind == "c" and op == "product":
        a, axis = scanned(a, axis, verb)
        rest = (exclusive, reverse, initial, include_initial, settings(threads, mode, verb))
        return _complex.scan_products(verb, a, axis, dtype, out, *rest)
    if a.dtype.kind == "c":
        rest = (threads, mode, exclusive, reverse, include_initial)
        return _complex.by_parts(
            verb,
            op,
            a,
            dtype,
            out,
            initial,
            lambda part, first: scan(verb, op, part, axis, None, None, first, *rest),
        )
    name, a, to = operands(op, a, type_for(op, a, dtype, out), verb)
    if exclusive:
        _dates.expect_elements(op, to, initial, verb)
    a, axis = scanned(a, axis, verb)
    entry = entry_of(name, a.dtype, verb)
    lines = Lines(a, axis)
    axis = lines.axes[0]
    natural = dtype_named(entry.result)
    final = to or natural
    shape = (*a.shape[:axis], lines.size + bool(include_initial), *a.shape[axis + 1 :])
    if out is not None:
        check_out(out, shape, final, verb)
    direct = final == natural and _is_target(out, a, final)
    results = out if direct else empty(shape, natural)
    before = initial_for(entry, initial, verb, to)
    how = settings(threads, mode, verb)
    matrix = passed(lines.along(results))
    to_scan = matrix[:, :, 1:] if include_initial else matrix
    entry.scan(passed(lines.matrix), to_scan, how, exclusive, reverse, before)
    if include_initial:  # the reduction of nothing
        first = np.empty(1, natural)
        nothing = passed(np.empty((1, 1, 0), a.dtype))
        entry.reduce(nothing, passed(first), how, False, False, before)
        matrix[:, :, 0] = passed(first)[0]
    return out if direct else store(stored(results, to), out, verb)


def scanned(a, axis, verb):
    """The array and the axis of a scan: a number is an array of one element."""
    if a.ndim == 0:
        a = a.reshape(1)
    if axis is None:
        if a.ndim > 1:
            raise ValueError(f"{verb}: x has {a.ndim} dimensions; give the axis to scan along")
        axis = 0
    if not hasattr(axis, "__index__"):
        raise TypeError(f"{verb}: axis={axis!r} is not an integer; a scan runs along one axis")
    return a, axis


def _is_target(out, a, dtype):
    """Whether the extension may store results directly in `out`."""
    if out is None or out.dtype != dtype or not (out.flags.c_contiguous and out.flags.aligned):
        return False
    in_place = out.ctypes.data == a.ctypes.data and out.dtype == a.dtype and out.shape == a.shape
    return (in_place and a.flags.c_contiguous) or not np.may_share_memory(out, a)
