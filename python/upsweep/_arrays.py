"""Conversion of arrays of any library to NumPy arrays, and to the 1-D slices of the extension."""

import itertools
import math
import numbers
import operator

import numpy as np

from upsweep import _core, _dates

# The library's name of each type of elements; a boolean is a byte.
TYPE_NAMES = {
    np.dtype(name): short
    for name, short in {
        "int8": "i8",
        "int16": "i16",
        "int32": "i32",
        "int64": "i64",
        "uint8": "u8",
        "uint16": "u16",
        "uint32": "u32",
        "uint64": "u64",
        "float16": "f16",
        "float32": "f32",
        "float64": "f64",
        "bool": "u8",
    }.items()
}
_DTYPES = {short: dtype for dtype, short in TYPE_NAMES.items() if dtype != bool}
_DTYPES["bool"] = np.dtype(bool)


def type_name(dtype):
    """The library's name of a dtype, or None if it has no such type."""
    name = TYPE_NAMES.get(dtype)
    if name is None and dtype.name == "bfloat16":  # of the package ml_dtypes
        _DTYPES["bf16"] = dtype
        name = TYPE_NAMES[dtype] = "bf16"
    return name


def native(dtype):
    """The type in the byte order of this machine."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def dtype_named(name):
    return _DTYPES[name]


def empty(shape, dtype):
    """An array for results. Large ones reuse the memory of a freed result, if there is one."""
    return _core.empty(shape, dtype)


def as_array(x, verb, also=""):
    """`x` as an aligned array in native byte order, of numbers or of a type whose character is in
    `also`. Copies only if necessary.
    """
    a = x if type(x) is np.ndarray else converted(x, verb)
    if a.dtype in TYPE_NAMES and a.flags.aligned:
        return a
    dtype = native(a.dtype)
    if type_name(dtype) is None and a.dtype.char not in also:
        raise TypeError(_refusal(a.dtype, verb))
    return np.require(a, dtype, "A")


def _refusal(dtype, verb):
    if dtype.kind == "O":
        why = "give numbers of one type; fill or drop missing values (None, NA)"
    elif dtype.kind in "mM":
        why = "min, max and sort accept them; otherwise give x.view('int64')"
    elif dtype.kind == "c":
        why = "give x.real and x.imag"
    elif dtype.kind == "f":
        why = "give x.astype('float64')"
    else:
        why = "give integers, floats or booleans"
    return f"{verb}: this function does not support elements of type {dtype}; {why}"


def converted(x, verb):
    """An array-like that is not exactly a NumPy array."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{verb}: masked arrays are not supported; give x.filled(value) or x.compressed()"
        )
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    if is_sparse(x):
        return np.asarray(x)
    if is_column(x):
        from upsweep._arrow import array_from_arrow

        return array_from_arrow(x, verb)
    _expect_no_nulls(x, verb)
    device = _device_of(x)
    if device not in (None, 1, 3):  # the CPU, or its pinned memory
        raise TypeError(f"{verb}: {_why_not_there(x)}")
    if not isinstance(x, np.generic) and not hasattr(x, "__array__") and device is not None:
        return np.from_dlpack(x)
    a = as_integers(_by_numpy(x, verb), x, verb)
    if a.ndim == 0 and a.dtype == object and not isinstance(x, numbers.Number):
        raise TypeError(
            f"{verb}: {'None' if x is None else f'a {type(x).__name__}'} is not an array of "
            "numbers; give an array or a list"
        )
    return a


def beside(x, verb):
    """A second argument as an aligned array without missing elements."""
    may_miss = isinstance(x, np.ma.MaskedArray) or is_column(x)
    a = converted(x, verb) if may_miss else as_integers(_by_numpy(x, verb), x, verb)
    return np.require(a, None, "A")


def _by_numpy(x, verb):
    """NumPy's array of `x`. What another library refuses is refused by one sentence."""
    try:
        return np.asarray(x)
    except (TypeError, ValueError, RuntimeError) as e:
        if not hasattr(x, "__dlpack__"):
            raise
        library = type(x).__module__.partition(".")[0]
        reason = str(e).splitlines()[0].rstrip(".")
        also = "; upsweep.torch takes bfloat16 and gradients" if library == "torch" else ""
        raise TypeError(
            f"{verb}: an array of {library} does not convert to NumPy's ({reason}); give a dense "
            f"one of integers, floats or booleans, on the CPU{also}"
        ) from None


def as_integers(a, x, verb):
    """`a`, the array of `x`, without the rounding of NumPy, which converts a list of integers of
    several types to float64. Refuses integers that no 64-bit type can hold."""
    if type(x) not in (list, tuple) or a.dtype not in (np.float64, object):
        return a
    if a.dtype == np.float64 and not (np.abs(a) >= 2**53).any():
        return a
    each = np.asarray(x, object)
    values = each.reshape(-1).tolist()
    if not values or not all(isinstance(v, numbers.Integral) for v in values):
        return a
    values = [int(v) for v in values]
    dtype = np.int64 if max(values) < 2**63 else np.uint64
    try:
        return np.array(values, dtype).reshape(each.shape)
    except OverflowError:
        raise TypeError(
            f"{verb}: x has integers from {min(values)} to {max(values)}, which no 64-bit integer "
            "type can hold together; give numpy.array(x, 'float64')"
        ) from None


def number(value, name, verb, wide=False):
    """An argument that is a number, as a float; if `wide`, an integer as an int."""
    if value is None or isinstance(value, str) or np.ndim(value):
        raise TypeError(f"{verb}: {name}={value!r} is not a number")
    return int(value) if wide and hasattr(value, "__index__") else float(value)


def integer(value, name, verb):
    """An argument that is an integer."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"{verb}: {name}={value!r} is not an integer")
    return operator.index(value)


def _device_of(x):
    """The kind of device of `x` in DLPack, or None."""
    device = getattr(x, "__dlpack_device__", None)
    try:
        return None if device is None else device()[0]
    except (ValueError, RuntimeError):  # PyTorch's meta tensors and others without elements
        return None


def on_gpu(x):
    """The module with functions for the device of `x`, or None."""
    if type(x) is np.ndarray or _device_of(x) not in (2, 13):  # CUDA's, also that it manages
        return None
    try:
        import upsweep_cuda13  # type: ignore[import-not-found]
    except ImportError:
        return None
    return upsweep_cuda13


def _why_not_there(x):
    if on_gpu(x):
        return "x is on a GPU, and this function has no GPU kernels; copy x to the CPU"
    if x.__dlpack_device__()[0] in (2, 13):
        return (
            "x is on a GPU; install the package upsweep-cuda13 (`make cuda-wheel`), or copy x to "
            "the CPU"
        )
    return "x is on a device that is not an NVIDIA GPU; copy x to the CPU"


_COLUMNS = ("__arrow_c_stream__", "__arrow_c_array__", "isna")


def is_column(x):
    """Whether `x` is a column of Arrow or pandas that may have nulls, not one of NumPy's arrays."""
    if not any(hasattr(x, name) for name in _COLUMNS):
        return False
    return getattr(x, "ndim", 1) == 1 and not isinstance(getattr(x, "dtype", None), np.dtype)


def _expect_no_nulls(x, verb):
    """Refuses a table of pandas with nulls, which NumPy would make NaN."""
    if hasattr(x, "isna") and getattr(x, "ndim", 1) == 2:
        for _, column in x.items():
            if is_column(column) and (nulls := column.isna().sum()):
                from upsweep._arrow import refuse_nulls

                refuse_nulls(nulls, len(x), verb)


def is_sparse(x):
    """Whether `x` is a sparse column of pandas."""
    return hasattr(getattr(x, "dtype", None), "fill_value")


def passed(a):
    """An array in the form that the extension accepts, which knows bfloat16 only by name."""
    return a if a.dtype.kind in "biufc" else a.view(np.uint16)


def floats(*arrays):
    """The arrays in float32 if it can hold all their numbers, otherwise in float64."""
    narrow = all(type_name(a.dtype) in ("f16", "bf16", "f32") for a in arrays)
    dtype = np.float32 if narrow else np.float64
    return [a.astype(dtype, copy=False) for a in arrays]


def _by_elements(a):
    """The array, or a copy if its strides are not multiples of the size of an element."""
    apart = all(stride % a.itemsize == 0 for stride in a.strides)
    return a if apart else np.ascontiguousarray(a)


class Lines:
    """The lines (1-D slices) of an array along one axis or several, or all elements as one line,
    in the order of the array's indices, for any memory layout.

    `matrix` has the lines along its third dimension, or its last two, after two others: a view of
    the array if possible. `rows` has them as contiguous rows.
    """

    def __init__(self, a, axis):
        self.ndim = a.ndim
        if axis is None or (a.ndim == 1 and axis in (0, -1)):
            self.axes, self.shape = tuple(range(a.ndim)), ()
            self.size, self.count = a.size, 1
            self.matrix = np.ascontiguousarray(a).reshape(1, 1, a.size)
            return
        axes = axis if isinstance(axis, tuple) else (axis,)
        self.axes = np.lib.array_utils.normalize_axis_tuple(axes, a.ndim)
        kept = [d for d in range(a.ndim) if d not in self.axes]
        self.shape = tuple(a.shape[d] for d in kept)
        self.size = math.prod(a.shape[d] for d in self.axes)
        self.count = math.prod(self.shape)
        self.matrix = self._as_view(_by_elements(a))
        if self.matrix is None:
            moved = a.transpose(kept + sorted(self.axes))
            self.matrix = np.ascontiguousarray(moved).reshape(self.count, 1, self.size)

    def _as_view(self, a):
        """The lines of a contiguous array without a copy, or None if more than two dimensions of
        either kind remain after adjacent ones are merged.
        """
        neighbors = itertools.groupby(range(a.ndim), lambda d: d in self.axes)
        runs = [(along, math.prod(a.shape[d] for d in run)) for along, run in neighbors]
        others = [k for k, (along, _) in enumerate(runs) if not along]
        lines = [k for k, (along, _) in enumerate(runs) if along]
        if len(others) > 2 or len(lines) not in (1, 2):
            return None
        view = a.reshape([size for _, size in runs]).transpose(others + lines)
        if others == [0]:
            return view[:, None]
        return view[(None,) * (2 - len(others))]

    @property
    def rows(self):
        return np.ascontiguousarray(self.matrix).reshape(self.count, self.size)

    def reduced(self, results, keepdims):
        """A result for each line, in the array's dimensions."""
        if keepdims:
            shape = iter(self.shape)
            return results.reshape([1 if d in self.axes else next(shape) for d in range(self.ndim)])
        return results.reshape(self.shape)

    def along(self, results):
        """An array of results with another size along the axis, in the form of `matrix`."""
        axis = self.axes[0]
        outer, inner = math.prod(results.shape[:axis]), math.prod(results.shape[axis + 1 :])
        return results.reshape(outer, results.shape[axis], inner).transpose(0, 2, 1)

    def unmoved(self, rows):
        """As many results for each line as `rows` has columns, along the axis of the lines."""
        results, axis = rows.reshape(*self.shape, rows.shape[1]), self.axes[0]
        return results if axis == self.ndim - 1 else np.moveaxis(results, -1, axis)


def store(result, out, verb):
    """`result`, or `out` filled with it."""
    if out is None:
        return result if result.ndim else result[()]
    check_out(out, result.shape, result.dtype, verb)
    if result.dtype.kind in "mM" and out.dtype != result.dtype:
        result = _dates.converted(result, out.dtype, f"{verb}: out")
    out[...] = result
    return out


def check_out(out, shape, dtype, verb):
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{verb}: out is a {type(out).__name__}; give a NumPy array")
    if out.shape != shape:
        raise ValueError(f"{verb}: out has the shape {out.shape}, but the result has {shape}")
    if not out.flags.writeable:
        raise ValueError(f"{verb}: out is read-only")
    if out.dtype.kind in "OSTU" or not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(f"{verb}: out has the type {out.dtype}, which does not hold {dtype}")
