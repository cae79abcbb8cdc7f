"""User-defined operators: Python functions, applied along the combine tree."""

from __future__ import annotations

import ctypes
import functools
import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep import _core
from upsweep._arrays import as_array, type_name
from upsweep._libraries import in_its_library, running_in_its_library
from upsweep._settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable

_NOTHING = object()
_WORTH_COMPILING = 2**14  # elements: compiling takes a second or two, once
# What numba computes with the bits of Python and NumPy. What wraps does so in a wider type, too.
_WRAPPING = {
    getattr(operator, name)
    for name in "add sub mul and_ or_ xor neg pos invert iadd isub imul iand ior ixor".split()
}
_COMPARING = {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge}
_KNOWN = _WRAPPING | _COMPARING | {operator.truediv, operator.itruediv, abs, min, max, np.sqrt}
_C_TYPES = {ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_double}


class OwnMonoid:
    """An operator made by `monoid`."""

    def __init__(self, function: Callable[[Any, Any], Any], identity: Any) -> None:
        self.__name__: str = getattr(function, "__name__", repr(function))
        self.function = function
        self.identity = identity

    def __call__(self, earlier: Any, later: Any) -> Any:
        return self.function(earlier, later)

    def __reduce__(self) -> tuple[Any, ...]:
        has_none = self.identity is _NOTHING
        return monoid, (self.function,) if has_none else (self.function, self.identity)

    def __repr__(self) -> str:
        return f"<upsweep.monoid of {self.__name__}>"

    @functools.cached_property
    def _jitted(self):
        """The function and the loops, to be compiled by numba. None if numba is not installed or
        the function is not a Python function.
        """
        try:
            import numba

            if hasattr(self.function, "overloads"):
                return self.function, numba.njit(scan_into)
            # Division by zero as in NumPy.
            return numba.njit(self.function, error_model="numpy"), numba.njit(scan_into)
        except (ImportError, TypeError):
            return None

    def _compiled(self, dtype):
        """The loops with the function, compiled for elements of a type. None if that is not
        possible, or if the results could have other bits than Python's.
        """
        if self._jitted is None:
            return None
        import numba
        from numba.core.errors import NumbaError

        function, loops = self._jitted
        try:
            of = numba.from_dtype(dtype)
            function.compile((of, of))
            compiled = function.overloads[of, of]
        except (NumbaError, NotImplementedError):
            return None
        if function is self.function:  # numba's below _WORTH_COMPILING, too
            has_same_bits = compiled.signature.return_type == of
        else:
            has_same_bits = _has_bits_of_python(compiled, of)
        return functools.partial(loops, function) if has_same_bits else None

    @functools.cached_property
    def _in_c(self):
        """The address of a function of C, and the type of its operands and result; or None."""
        function: Any = getattr(self.function, "ctypes", self.function)
        types = [*(getattr(function, "argtypes", None) or ()), getattr(function, "restype", None)]
        if len(types) != 3 or any(t not in _C_TYPES or t is not types[0] for t in types):
            return None
        return ctypes.cast(function, ctypes.c_void_p).value, np.dtype(types[0])


def _has_bits_of_python(compiled, of):
    """Whether a function that numba has compiled for elements of the type `of` gives Python's bits:
    whether its operations are of that type, or of wider integers and all wrap.
    """
    from numba import types

    types_of, result = compiled.type_annotation.typemap, compiled.signature.return_type
    wraps = isinstance(of, types.Integer) and isinstance(result, types.Integer)
    exact = result == of
    for expression, signature in compiled.type_annotation.calltypes.items():
        kind = getattr(expression, "op", None)
        if kind == "call":
            function = getattr(types_of[expression.func.name], "typing_key", None)
        elif kind in ("unary", "binop", "inplace_binop"):
            function = expression.fn
        else:
            return False
        taken = {types_of[v.name] for v in expression.list_vars()}
        if function in (bool, operator.not_):  # a condition
            wraps = wraps and not taken.isdisjoint({of, types.boolean})
            continue
        whole = all(
            isinstance(t, types.Integer) and not isinstance(t, types.Literal) for t in taken
        )
        wraps = wraps and whole and function in _WRAPPING
        args = signature.args
        args = args[0] if len(args) == 1 and isinstance(args[0], types.BaseTuple) else args
        of_type = set(args) == {of} and (function in _COMPARING or signature.return_type == of)
        flags = of != types.boolean and types.boolean in taken  # that would count as numbers
        exact = exact and of_type and not flags and function in _KNOWN
    return wraps or exact


def monoid(function: Callable[[Any, Any], Any], identity: Any = _NOTHING) -> OwnMonoid:
    """Make an operator from an associative function and its identity.

    Parameters
    ----------
    function : callable
        An associative function of the earlier and the later operand. Operands are elements or
        results of the function, of any type.
    identity : object, optional
        The neutral element, which is the result of no elements.

    Returns
    -------
    OwnMonoid
        An operator for `reduce`, `scan`, `Stream` and `Partial`.

    Raises
    ------
    TypeError
        If `function` is not callable.

    See Also
    --------
    check_monoid, reduce, scan

    Notes
    -----
    Python applies the function in about 100 ns per element. If Numba is installed, it compiles the
    function for arrays of 2^14 elements or more if the bits stay the same: if the function consists
    of comparisons, ``+ - * / & | ^``, abs, min, max and ``numpy.sqrt`` of numbers of the type of
    the elements. The compiled function sees the global variables as they were at that time. A Numba
    ``cfunc``, or a ``ctypes`` function whose ``argtypes`` and ``restype`` are int32, int64, float32
    or float64 like the elements, is called by address on all threads. Results over an array are an
    array, of another type if the function returns one.

    Examples
    --------
    >>> joined = upsweep.monoid(lambda a, b: a + b, "")
    >>> upsweep.scan(["a", "b", "c"], joined)
    ['a', 'ab', 'abc']
    """
    if not callable(function):
        raise TypeError(f"monoid: {function!r} is not a function of two operands")
    return OwnMonoid(function, identity)


@functools.lru_cache(maxsize=8)
def _of_function(function):
    return OwnMonoid(function, _NOTHING)


def own_monoid(op):
    """The operator of a function. It is always the same object, so that numba compiles it once,
    unless the function depends on variables, whose values numba fixes when it compiles.
    """
    if isinstance(op, OwnMonoid):
        return op
    code = getattr(op, "__code__", None)
    if code is None or code.co_names or code.co_freevars:
        return OwnMonoid(op, _NOTHING)
    return _of_function(op)


def scan_into(function, x, begin, totals, prefixes, out):
    """Stores in out[i] the prefix of the combine tree that ends with x[i], which is element
    begin + i of all. totals[k] is the aggregate of the block of 2^k elements that belongs to
    bit k of their number, and prefixes[k] the prefix that ends with that block. numba compiles
    these loops as they are.
    """
    for i in range(len(x)):
        block = x[i]
        k, rest = 0, begin + i
        while rest & 1:
            block = function(totals[k], block)
            k += 1
            rest >>= 1
        totals[k] = block
        above, rest = k + 1, rest >> 1
        while rest and not rest & 1:
            above += 1
            rest >>= 1
        prefixes[k] = function(prefixes[above], block) if rest else block
        out[i] = prefixes[k]


def _by_address(results_of, op, x, size, threads):
    """`size` results, computed by the extension module; or None if the operator is not a C function
    over such elements.
    """
    if not isinstance(x, np.ndarray) or op._in_c is None or not x.flags.aligned:
        return None
    address, dtype = op._in_c
    if x.dtype != dtype or x.size == 0:
        return None
    out = np.empty(size, dtype)
    results_of(address, type_name(dtype), x, out, settings(threads, "reproducible", "reduce"))
    return out


def _inclusive(verb, op, x, threads):
    """The prefixes of `x`, a list or an array of one dimension."""
    if (results := _by_address(_core.scan_by, op, x, len(x), threads)) is not None:
        return results
    if isinstance(x, np.ndarray) and x.size >= _WORTH_COMPILING:
        if (compiled := op._compiled(x.dtype)) is not None:
            out = np.empty_like(x)
            compiled(x, 0, np.empty(64, x.dtype), np.empty(64, x.dtype), out)
            return out
        warnings.warn(
            f"{verb}: Python applies {op.__name__} to {x.size} elements, in about 100 ns each; "
            "numba, if installed, compiles what has the same bits: comparisons, + - * / & | ^, "
            "abs, min, max and numpy.sqrt of numbers of the type of the elements, "
            f"{x.dtype}",
            stacklevel=5,
        )
    out = [None] * len(x)
    scan_into(op.function, x, 0, [None] * 64, [None] * 64, out)
    return _like(x, out)


def _like(x, results):
    """Results as an array if `x` is one, of its type if that can hold them."""
    if not isinstance(x, np.ndarray):
        return results
    dtype = np.asarray(results).dtype if len(results) else x.dtype
    return np.array(results, x.dtype if np.can_cast(dtype, x.dtype, "safe") else dtype)


def _operands(verb, x, options):
    """The elements as a list, or as an array if `x` is an array of numbers."""
    given = [name for name, value in options.items() if value not in (None, False, "reproducible")]
    if given:
        raise ValueError(f"{verb}: user-defined operators do not support {', '.join(given)}")
    if getattr(x, "ndim", 1) != 1:
        raise ValueError(f"{verb}: x has {x.ndim} dimensions; user-defined operators need one")
    if type(x) is not np.ndarray and (hasattr(x, "__dlpack__") or hasattr(x, "__array__")):
        try:
            x = as_array(x, verb)
        except TypeError:
            if isinstance(x, np.ma.MaskedArray):
                raise
            return x.to_pylist() if hasattr(x, "to_pylist") else list(x)  # strings, other objects
    if isinstance(x, np.ndarray):
        return np.ascontiguousarray(x) if x.dtype.kind in "biufc" else x.tolist()
    if not hasattr(x, "__iter__"):
        raise TypeError(f"{verb}: {x!r} has no elements; give a list or an array")
    return list(x)


def result_for_none(verb, op, initial):
    """The reduction of no elements."""
    first = op.identity if initial is None else initial
    if first is _NOTHING:
        raise ValueError(
            f"{verb}: {op.__name__} has no identity, which is the result of no elements; give "
            "initial, or monoid(function, identity)"
        )
    return first


@in_its_library
def reduce_own(verb, op, x, initial, options, threads=None):
    elements = _operands(verb, x, options)
    if len(elements) == 0:
        return result_for_none(verb, op, initial)
    total = _by_address(_core.reduce_by, op, elements, 1, threads)
    total = (_inclusive(verb, op, elements, threads) if total is None else total)[-1]
    return total if initial is None else op.function(initial, total)


@running_in_its_library
def scan_own(verb, op, x, exclusive, initial, options, threads=None):
    elements = _operands(verb, x, options)
    results = _inclusive(verb, op, elements, threads)
    if initial is not None:
        results = _like(results, [op.function(initial, prefix) for prefix in results])
    if not exclusive or len(results) == 0:
        return results
    first = _like(results, [result_for_none(verb, op, initial)])
    rest = results[:-1]
    return np.concatenate([first, rest]) if isinstance(rest, np.ndarray) else first + rest
