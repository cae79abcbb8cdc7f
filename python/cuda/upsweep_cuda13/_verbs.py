"""The verbs over arrays of any library in the memory of a GPU."""

import math

import numpy as np
from upsweep._arrays import dtype_named
from upsweep._histograms import _edges

from upsweep_cuda13 import _core
from upsweep_cuda13._libraries import NAMES, DeviceArray, library_of, name_of


class Operand:
    """An array as the compiled part takes it."""

    def __init__(self, x, verb):
        self.verb, self.library = verb, library_of(x)
        self.stream = self.library.stream(x)
        self._beside = []
        self._take(x)
        if self.type is None:
            raise TypeError(f"{verb}: this function does not support elements of that type")

    @property
    def dtype(self):
        """NumPy's type of the elements."""
        return dtype_named(self.type)

    def flat(self):
        """The view, of a copy if that is needed for elements to lie one after another."""
        if not self.view.contiguous:
            self._take(self.library.contiguous(self.given))
        return self.view

    def lines(self, axes):
        """A view of the lines along these axes, contiguous, one after another; of a copy if that
        is needed. The last dimension are the lines' elements.
        """
        rank = len(self.view.shape)
        if rank == 1:
            return self.flat()
        if axes != tuple(range(rank))[-len(axes) :]:
            to = tuple(range(-len(axes), 0))
            self._take(self.library.moved(self.given, axes, to))
        kept = self.view.shape[: rank - len(axes)]
        return self.flat().reshaped((*kept, math.prod(self.view.shape[rank - len(axes) :])))

    def _take(self, x):
        self.given, self.view = x, self.library.view(x, self.stream)
        self.type = self.view.type

    def convert(self, name):
        """Makes the elements of another type, which holds all their values."""
        if name == self.type:
            return
        self._take(self.library.converted(self.given, name))
        if self.type != name:
            raise TypeError(
                f"{self.verb}: the elements must be converted to {NAMES[name]}, which the "
                "library of x does not have; JAX has it with jax_enable_x64"
            )

    def beside(self, y, what, names):
        """Another argument of the call, on the same device, of one of these types."""
        device = getattr(y, "__dlpack_device__", None)
        if device is None or device()[1] != self.view.device or device()[0] not in (2, 13):
            raise TypeError(
                f"{self.verb}: {what} must be on the device of x, which is cuda:{self.view.device}"
            )
        library = library_of(y)
        view = library.view(y, self.stream)
        self._beside.append((library, view))
        if view.type not in names:
            wanted = " or ".join(NAMES[name] for name in names)
            raise TypeError(f"{self.verb}: {what} must have the type {wanted}")
        if not view.contiguous:
            raise ValueError(f"{self.verb}: {what} must be contiguous")
        return view

    def empty(self, shape, name):
        """A new array near this one, and the view of it."""
        result = self.library.empty(shape, name, self.view, self.stream)
        return result, self.seen(result)

    def seen(self, result):
        if isinstance(result, DeviceArray):
            return result.view
        return self.library.view(result, self.stream)

    def launched(self):
        """All kernels of the call are launched."""
        for library, view in ((self.library, self.view), *self._beside):
            library.keep(view, self.stream)

    def finished(self, result):
        self.launched()
        return self.library.finished(result, self.given)

    def line(self):
        if len(self.view.shape) != 1:
            raise ValueError(f"{self.verb}: x has {len(self.view.shape)} dimensions; give one")
        self.flat()
        return self

    def has_kernels(self, op):
        return _AS_BYTES.get(self.type, self.type) in _core.kernels.get(op, ())

    def check_kernels(self, op):
        if self.has_kernels(op):
            return
        names = _core.kernels.get(op)
        if names is None:
            raise TypeError(
                f"{self.verb}: {op} has no kernels on a GPU; copy x to the CPU, which supports "
                "all operators"
            )
        raise TypeError(
            f"{self.verb}: {op} of {NAMES[self.type]} has no kernels on a GPU; give "
            f"{', '.join(NAMES[name] for name in names)}, or copy x to the CPU"
        )


_AS_BYTES = {"bool": "u8"}
_SHORT_FLOATS = ("f16", "bf16")
_ACCUMULATORS = {"i8": "i64", "i16": "i64", "i32": "i64", "bool": "i64"}
_ACCUMULATORS |= {"u8": "u64", "u16": "u64", "u32": "u64"}
# Types that hold all values of others, whose kernels are left out.
_WIDER = {"f16": "f32", "bf16": "f32", "bool": "i32", "i8": "i32", "i16": "i32", "u8": "i32"}
_WIDER |= {"u16": "i32", "u32": "i64"}


def _natural(op, name):
    """The type of the results on the CPU."""
    if op not in ("sum", "product"):
        return name
    return "f32" if name in _SHORT_FLOATS else _ACCUMULATORS.get(name, name)


def _elements(a, op, dtype):
    """Converts elements to a type that has kernels, and to a wider one where results of `dtype`
    are; returns the type of results.
    """
    name = _natural(op, a.type)
    if dtype is not None:
        name = name_of(dtype)
        if name in (None, "bool"):
            raise TypeError(
                f"{a.verb}: dtype={dtype} is not a possible result type; give integers or floats"
            )
        floats, mine = "f" in name, "f" in a.type
        if mine and not floats:
            raise TypeError(
                f"{a.verb}: dtype={dtype} cannot hold results of {NAMES[a.type]}; round "
                "the elements first"
            )
        if floats and (not mine or (name == "f64" and a.type != "f64")):
            a.convert("f64" if name == "f64" else "f32")
    if not a.has_kernels(op):
        wider = _WIDER.get(a.type, a.type)
        a.convert("i64" if op == "product" and wider == "i32" else wider)
        a.check_kernels(op)
    return name


def _axes(axis, rank):
    return tuple(sorted(np.lib.array_utils.normalize_axis_tuple(axis, rank)))


def _initial(initial, name, verb):
    """An initial value as the bytes of one result, or None."""
    if initial is None:
        return None
    dtype, given = dtype_named(name), np.asarray(initial)
    if given.ndim or given.dtype.kind not in "biuf":
        raise TypeError(f"{verb}: initial={initial!r} is not a number")
    if given.dtype.kind == "f" and dtype.kind in "iu":
        raise TypeError(f"{verb}: initial={initial!r} is not of {dtype}, the type of the results")
    return np.array([given.item()], dtype).tobytes()


def _target(a, out, shape, name):
    """Where results go: to `out`, or to a new array."""
    if out is None:
        return a.empty(shape, name)
    view = a.beside(out, "out", (name,))
    if view.shape != shape:
        raise ValueError(f"{a.verb}: out has the shape {view.shape}, but the result has {shape}")
    return out, view


def _stored(a, result, natural, name, out):
    """A result of the type that was asked for."""
    if out is not None:
        a.launched()
        return out
    result = a.finished(result)
    return result if name == natural else a.library.converted(result, name)


def reduce(
    verb, op, x, axis=None, dtype=None, out=None, keepdims=False, initial=None, reverse=False
):
    """The reductions of the lines along an axis, or of all elements, on the device."""
    a = Operand(x, verb)
    name = _elements(a, op, dtype)
    shape = a.view.shape
    if axis is None:
        axes, kept = tuple(range(len(shape))), ()
    else:
        axes = _axes(axis, len(shape))
        kept = tuple(n for d, n in enumerate(shape) if d not in axes)
    if initial is None and op in ("min", "max") and any(shape[d] == 0 for d in axes):
        raise ValueError(f"{verb}: x has no elements, so there is no {op}")
    natural = _natural(op, a.type)
    ones = keepdims and tuple(1 if d in axes else n for d, n in enumerate(shape))
    result, to = _target(a, out, ones if keepdims else kept, natural)
    how = a.stream, reverse, _initial(initial, natural, verb)
    if keepdims:
        to = to.reshaped(kept)
    if len(axes) == len(shape):
        _core.reduce(op, a.flat(), to, *how)
    elif len(axes) > 1 or not _core.along_axis(True, op, a.view, axes[0], to, *how):
        lines = a.lines(axes)
        if not _core.along_axis(True, op, lines, len(kept), to, *how):
            _core.reduce(op, lines, to, *how)
    return _stored(a, result, natural, name, out)


def scan(
    verb,
    op,
    x,
    axis=None,
    dtype=None,
    out=None,
    initial=None,
    exclusive=False,
    reverse=False,
    include_initial=False,
):
    """The scans of the lines along an axis."""
    a = Operand(x, verb)
    rank = len(a.view.shape)
    if axis is None and rank != 1:
        raise ValueError(f"{verb}: x has {rank} dimensions; give the axis to scan along")
    (axis,) = (0,) if axis is None else _axes(axis, rank)
    name = _elements(a, op, dtype)
    natural = _natural(op, a.type)
    how = a.stream, reverse, _initial(initial, natural, verb)
    seen = a.view if rank > 1 and not exclusive and not include_initial else None
    if seen is not None:
        result, to = _target(a, out, seen.shape, natural)
        if _core.along_axis(False, op, seen, axis, to, *how):
            return _stored(a, result, natural, name, out)
    a.convert(natural)  # the other kernels store the type that they read
    moves = axis != rank - 1
    if moves and out is not None:
        raise ValueError(f"{verb}: out= is not supported for this axis on a GPU; omit it")
    lines, size = a.lines((axis,)), a.view.shape[-1]
    result, to = _target(a, out, (*a.view.shape[:-1], size + bool(include_initial)), natural)
    is_copy = seen is not None and a.view is not seen
    if not is_copy or not _core.along_axis(False, op, lines, rank - 1, to, *how):
        stream, reverse, before = how
        _core.scan(op, lines, size, to, stream, exclusive, reverse, include_initial, before)
    if moves:
        result = a.library.moved(a.finished(result), -1, axis)
        return result if name == natural else a.library.converted(result, name)
    return _stored(a, result, natural, name, out)


def sort(x, axis=-1, descending=False):
    """The elements in order."""
    a = Operand(x, "sort").line()
    a.check_kernels("sort")
    result, to = a.empty(a.view.shape, a.type)
    _core.sort(a.view, to, a.stream, descending)
    return a.finished(result)


def argsort(x, axis=-1, descending=False):
    """The positions of the elements in their order."""
    a = Operand(x, "argsort").line()
    a.check_kernels("sort")
    result, to = a.empty(a.view.shape, "i64")
    _core.argsort(a.view, to, a.stream, descending)
    return a.finished(result)


def select(x, flags):
    """The elements whose flag is set; waits for their number."""
    a = Operand(x, "select")
    a.flat()
    chosen = a.beside(flags, "flags", ("bool",))
    if chosen.shape != a.view.shape:
        raise ValueError(f"select: flags have the shape {chosen.shape}, but x has {a.view.shape}")
    count, number = a.empty((), "i64")
    _core.reduce("sum", chosen, number, a.stream, False, None)
    result, to = a.empty((_core.read(number, a.stream),), a.type)
    _core.select(a.view, chosen, to, number, a.stream)
    return a.finished(result)


def _offsets(a, offsets):
    borders = a.beside(offsets, "offsets", ("i64", "u64"))
    if len(borders.shape) != 1 or borders.size == 0:
        raise ValueError(
            f"{a.verb}: offsets must have one dimension, and go from 0 to the size of x"
        )
    return borders


def _sums_of_segments(verb, op, x):
    a = Operand(x, verb).line()
    if op != "sum":
        raise TypeError(f"{verb}: {op} has no kernels for segments on a GPU; only sum has")
    return a


def segment_reduce(x, offsets, op, initial=None):
    """The sum of each segment. Offsets are not checked, which would have to wait for them."""
    a = _sums_of_segments("segment_reduce", op, x)
    if a.type not in _core.kernels["segments"]:
        a.convert(_natural(op, a.type))
    a.check_kernels("segments")
    natural = _natural(op, a.type)
    borders = _offsets(a, offsets)
    result, to = a.empty((borders.size - 1,), natural)
    before = _initial(initial, natural, "segment_reduce")
    _core.reduce_segments(op, a.view, borders, to, a.stream, before)
    return a.finished(result)


def segment_scan(x, offsets, op, exclusive=False, initial=None):
    """The prefix sums of each segment."""
    a = _sums_of_segments("segment_scan", op, x)
    natural = _natural(op, a.type)
    a.convert(natural)
    a.check_kernels("segments")
    result, to = a.empty(a.view.shape, natural)
    before = _initial(initial, natural, "segment_scan")
    _core.scan_segments(op, a.view, _offsets(a, offsets), to, a.stream, exclusive, before)
    return a.finished(result)


def histogram(x, bins, range):
    """How many elements are in each bin, on the device, and the edges, in the host's memory."""
    a = Operand(x, "histogram")
    a.flat()
    a.check_kernels("histogram")
    if np.ndim(bins) == 0 and range is None:
        raise ValueError(
            "histogram: give range=(low, high), or edges; computing them would wait for x"
        )
    edges, even = _edges(a, bins, range, "histogram")
    if edges.dtype != np.float64:
        raise TypeError(
            "histogram: float64 does not hold these edges, and a GPU has no kernels for others; "
            "copy x to the CPU, or give edges up to 2^53"
        )
    counts, to = a.empty((len(edges) - 1,), "i64")
    _, outside = a.empty((3,), "i64")
    borders = np.array([edges[0], edges[-1]]) if even else edges
    _core.histogram(a.view, borders, even, to, outside, a.stream)
    return a.finished(counts), edges
