"""Reductions under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from upsweep._arrays import as_array
from upsweep._calls import reduce as _reduce
from upsweep._chosen import without_missing
from upsweep._entries import is_own, operator_name, reduction, way_of
from upsweep._libraries import in_its_library
from upsweep._own import own_monoid, reduce_own
from upsweep._settings import is_pairwise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from upsweep._types import Axis, Integer, Mode, Number, Operator, Tree


def reduce(
    x: ArrayLike,
    op: Operator = "sum",
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    reverse: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    tree: Tree = "prefix",
) -> Any:
    """Reduce an array with an associative operator.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    op : str, operator, ufunc or callable, default "sum"
        The operator: a name such as "max", "bit_xor", "gcd" or "exact_sum"; an operator such as
        `upsweep.maximum`; a ufunc of NumPy; or a user-defined operator (a function, or the result
        of `monoid`).
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    reverse : bool, default False
        Combine from the last element to the first.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    tree : {"prefix", "pairwise"}, default "prefix"
        The combine tree. "pairwise" gives sums of floats the bits of the tree of ISO's paper P4016
        with one lane (docs/spec/pairwise.md).

    Returns
    -------
    scalar or array
        The elements of each slice along `axis`, combined in the order of their indices.

    Raises
    ------
    ValueError
        If there are no elements and the operator has no result for none.
    OverflowError
        By the operators "checked_sum" and "checked_product", if the result does not fit.
    TypeError
        If the operator is not defined for the type of the elements.

    See Also
    --------
    scan, sum, monoid, segment_reduce, group_reduce, windowed

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. The
    operands keep their order, so the operator need not be commutative. Work is O(n) operator
    applications.

    Examples
    --------
    >>> upsweep.reduce([12, 18, 30], "gcd")
    np.uint64(6)
    >>> upsweep.reduce([[3, 1], [2, 5]], "max", axis=0)
    array([3, 5])
    """
    if is_own(op, x):
        op = own_monoid(op)
        if is_pairwise(tree, "reduce"):
            raise ValueError("reduce: user-defined operators support only tree='prefix'")
        others = {
            "axis": axis,
            "dtype": dtype,
            "out": out,
            "keepdims": keepdims,
            "reverse": reverse,
        }
        return reduce_own("reduce", op, x, initial, others, threads)
    return _reduce(
        "reduce",
        operator_name(op, "reduce"),
        x,
        axis,
        dtype,
        out,
        keepdims,
        initial,
        threads,
        mode,
        reverse=reverse,
        tree=tree,
    )


@reduction("sum")
def sum(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """Return the sum of the elements.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.

    Returns
    -------
    scalar or array
        int64 or uint64 for integers and Booleans, float32 for float16, otherwise the type of the
        elements.

    Raises
    ------
    OverflowError
        If a sum of time spans does not fit.

    See Also
    --------
    exact_sum, mean, cumulative_sum, segment_reduce, group_reduce

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. The
    rounding error grows with log n. Sums of integers wrap around. Work is O(n); the elements are
    read once.

    Examples
    --------
    >>> upsweep.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    >>> upsweep.sum([0.5, float("nan"), 2.0], skipna=True)
    np.float64(2.5)
    """
    where = without_missing(x, where, skipna, "sum")
    return _reduce("sum", "sum", x, axis, dtype, out, keepdims, initial, threads, mode, where=where)


@reduction("product")
def prod(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """Return the product of the elements.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.

    Returns
    -------
    scalar or array
        The types are those of `sum`.

    See Also
    --------
    sum, cumulative_prod

    Notes
    -----
    The result is bitwise reproducible: it depends only on the elements and their order. Products of
    integers wrap around. Work is O(n); the elements are read once.

    Examples
    --------
    >>> upsweep.prod([2.0, 3.0])
    np.float64(6.0)
    """
    where = without_missing(x, where, skipna, "prod")
    return _reduce(
        "prod", "product", x, axis, dtype, out, keepdims, initial, threads, mode, where=where
    )


@reduction("min")
def min(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """Return the smallest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.

    Returns
    -------
    scalar or array
        The smallest element, with the type of the elements. NaN if there is a NaN, unless `skipna`;
        NaN with `skipna` if all elements are NaN.

    Raises
    ------
    ValueError
        If there are no elements and no `initial`.

    See Also
    --------
    max, minmax, argmin, cummin

    Notes
    -----
    -0 is less than +0, so the order of the elements does not matter. Work is O(n); the elements are
    read once.

    Examples
    --------
    >>> upsweep.min([3, 1, 2])
    np.int64(1)
    """
    op, where = _extremum("min", x, where, skipna)
    return _reduce("min", op, x, axis, None, out, keepdims, initial, threads, mode, where=where)


@reduction("max")
def max(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
    skipna: bool = False,
) -> Any:
    """Return the largest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.
    where : array_like of bool, optional
        Flags that broadcast to the shape of `x`. Only elements with a true flag take part; the
        result has the bits of a call on these elements alone.
    skipna : bool, default False
        Ignore NaN, and NaT where dates are accepted.

    Returns
    -------
    scalar or array
        The largest element, with the type of the elements. NaN if there is a NaN, unless `skipna`;
        NaN with `skipna` if all elements are NaN.

    Raises
    ------
    ValueError
        If there are no elements and no `initial`.

    See Also
    --------
    min, minmax, argmax, cummax

    Notes
    -----
    -0 is less than +0, so the order of the elements does not matter. Work is O(n); the elements are
    read once.

    Examples
    --------
    >>> upsweep.max([3, 1, 2])
    np.int64(3)
    """
    op, where = _extremum("max", x, where, skipna)
    return _reduce("max", op, x, axis, None, out, keepdims, initial, threads, mode, where=where)


def _extremum(verb, x, where, skipna):
    """The operator of an extremum, and the flags of its elements."""
    if not skipna:
        return verb, where
    if as_array(x, verb, "mM").dtype.kind in "mM":
        return verb, without_missing(x, where, True, verb)
    return f"{verb}_number", where


def flags_of(x, axis):
    """Which numbers are not 0, if the reductions of these flags along an axis are faster."""
    if axis is None or type(x) is not np.ndarray or x.ndim < 2 or x.dtype.kind not in "iuf":
        return x
    return x != 0


class MinMax(NamedTuple):
    """The smallest and the largest element."""

    min: object
    max: object


@in_its_library
def minmax(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the smallest and the largest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    MinMax
        A named tuple `min`, `max` of scalars or arrays.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    min, max

    Notes
    -----
    NaN and -0 are treated as in `min` and `max`. Work is O(n); the elements are read twice.

    Examples
    --------
    >>> upsweep.minmax([3.0, 1.0, 2.0]).max
    np.float64(3.0)
    """
    a = as_array(x, "minmax", also="mM")
    return MinMax(
        _reduce("minmax", "min", a, axis, None, None, keepdims, None, threads, mode),
        _reduce("minmax", "max", a, axis, None, None, keepdims, None, threads, mode),
    )


@reduction("argmin")
def argmin(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the index of the first smallest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
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
    int or array of ints
        The index along `axis`, or into the flattened array. The index of the first NaN if there is
        one.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    min, minmax

    Notes
    -----
    Of equal elements the first one counts. -0 is less than +0. Work is O(n); the elements are read
    once.

    Examples
    --------
    >>> upsweep.argmin([3, 1, 1])
    np.int64(1)
    """
    return _reduce("argmin", "argmin", x, axis, None, out, keepdims, None, threads, mode)


@reduction("argmax")
def argmax(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the index of the first largest element.

    Parameters
    ----------
    x : array_like
        Numbers, dates or time spans, of any shape.
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
    int or array of ints
        The index along `axis`, or into the flattened array. The index of the first NaN if there is
        one.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    max, minmax

    Notes
    -----
    Of equal elements the first one counts. -0 is less than +0. Work is O(n); the elements are read
    once.

    Examples
    --------
    >>> upsweep.argmax([3, 4, 4])
    np.int64(1)
    """
    return _reduce("argmax", "argmax", x, axis, None, out, keepdims, None, threads, mode)


@reduction("any")
def any(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
) -> Any:
    """Return whether any element is not 0.

    Parameters
    ----------
    x : array_like
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

    Returns
    -------
    bool or array of bools
        False for no elements.

    See Also
    --------
    all, count_nonzero

    Notes
    -----
    NaN is not 0. The call may stop at the first element that is not 0.

    Examples
    --------
    >>> upsweep.any([0, 0, 1])
    np.True_
    """
    x = flags_of(x, axis)
    return _reduce("any", "any", x, axis, None, out, keepdims, None, threads, mode, where=where)


@reduction("all")
def all(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
    where: ArrayLike | None = None,
) -> Any:
    """Return whether no element is 0.

    Parameters
    ----------
    x : array_like
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

    Returns
    -------
    bool or array of bools
        True for no elements.

    See Also
    --------
    any, count_nonzero

    Notes
    -----
    NaN is not 0. The call may stop at the first 0.

    Examples
    --------
    >>> upsweep.all([1, 2, 0])
    np.False_
    """
    x = flags_of(x, axis)
    return _reduce("all", "all", x, axis, None, out, keepdims, None, threads, mode, where=where)


@in_its_library
def count_nonzero(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the number of elements that are not 0.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    int or array of ints
        The number of elements that are not 0.

    See Also
    --------
    any, sum

    Notes
    -----
    NaN is not 0. -0 is 0. Work is O(n).

    Examples
    --------
    >>> upsweep.count_nonzero([0.0, -0.0, 2.0])
    np.int64(1)
    """
    plain = threads is None and mode == "reproducible" and not keepdims
    if plain and type(x) is np.ndarray and x.dtype.kind in "biuf":
        result = way_of("sum").reduce(x if x.dtype.kind == "b" else x != 0, axis)
        if result is not None:
            return result
    a = as_array(x, "count_nonzero", also="FD")
    flags = a if a.dtype == bool else a != 0
    return _reduce("count_nonzero", "sum", flags, axis, None, None, keepdims, None, threads, mode)


@reduction("exact_sum")
@in_its_library
def exact_sum(
    x: ArrayLike,
    /,
    axis: Axis = None,
    *,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
    keepdims: bool = False,
    initial: Number | None = None,
    threads: Integer | None = None,
    mode: Mode = "reproducible",
) -> Any:
    """Return the correctly rounded sum, like ``math.fsum``.

    Parameters
    ----------
    x : array_like
        The elements, of any shape.
    axis : int, tuple of ints or None, optional
        The axis or axes to reduce. None, the default, reduces the whole array in the order of its
        indices.
    dtype : dtype, optional
        The type of the result. By default integers are accumulated in 64 bits and float16 in
        float32, and the result has that type. A narrower type rounds the result, not the elements.
    out : numpy.ndarray, optional
        The array to store the result in. It must have the shape of the result and a type that can
        hold it.
    keepdims : bool, default False
        Keep the reduced axes as axes of length 1.
    initial : scalar, optional
        A value to the left of the first element. It is also the result if there are no elements.
    threads : int, optional
        The largest number of threads; 0 means all that this process may use. The default is the
        value of ``UPSWEEP_NUM_THREADS``, or 0.
    mode : {"reproducible", "fast"}, default "reproducible"
        "fast" may regroup floats. The bits may then depend on the number of threads.

    Returns
    -------
    scalar or array
        For floats the exact sum, rounded once at the end. For integers and Booleans the sum.

    Raises
    ------
    OverflowError
        If a sum of integers does not fit 64 bits.

    See Also
    --------
    sum, exact_cumulative_sum

    Notes
    -----
    The result depends only on the elements, not on their order. Work is O(n); the elements are read
    once.

    Examples
    --------
    >>> upsweep.exact_sum([1e16, 1.0, -1e16])
    np.float64(1.0)
    """
    a = as_array(x, "exact_sum", also="FD")
    op = "exact_sum" if a.dtype.kind not in "iub" else "checked_sum"
    return _reduce("exact_sum", op, a, axis, dtype, out, keepdims, initial, threads, mode)
