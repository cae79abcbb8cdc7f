"""What the verbs need of the library that owns an array: its stream, its memory, its types."""

import functools
import sys

from upsweep_cuda13 import _core

# The library's name of each type of elements, and the one that all array libraries have.
NAMES = {
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "bool": "bool",
}
SHORT_NAMES = {name: short for short, name in NAMES.items()}

_LEGACY = 1  # DLPack's number of the default stream, which waits for all streams that block


class DeviceArray:
    """A result in device memory, for a library of which the package knows no way to allocate.
    Other libraries take it by DLPack or by the CUDA array interface, without a copy.
    """

    __slots__ = ("_stream", "view")

    def __init__(self, view, stream):
        self.view, self._stream = view, stream

    @property
    def shape(self):
        return self.view.shape

    @property
    def dtype(self):
        return NAMES[self.view.type]

    def __dlpack_device__(self):
        return 2, self.view.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream != -1:
            _core.wait(stream or _LEGACY, self._stream, self.view.device)
        return self.view.exported().__dlpack__(
            max_version=max_version, dl_device=dl_device, copy=copy
        )

    @property
    def __cuda_array_interface__(self):
        kind, size = _TYPE_STRINGS[self.view.type]
        return {
            "shape": self.view.shape,
            "typestr": f"{'|' if size == 1 else '<'}{kind}{size}",
            "data": (self.view.address, False),
            "version": 3,
            "stream": self._stream,
        }

    def __repr__(self):
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.view.device})"


_TYPE_STRINGS = {
    short: ("b" if name == "bool" else name[0], 1 if name == "bool" else int(short[1:]) // 8)
    for short, name in NAMES.items()
    if short != "bf16"
}


class Library:
    """Of a library that is not listed below: it exports its arrays by DLPack, in the order of the
    stream that the array names, and takes results by its namespace's from_dlpack, if it has one.
    """

    def stream(self, x):
        interface = getattr(x, "__cuda_array_interface__", None) or {}
        return interface.get("stream") or _LEGACY

    def view(self, x, stream):
        return _core.View(x.__dlpack__(stream=stream))

    def empty(self, shape, name, near, stream):
        """A new array in the memory of the array `near`, of which no other work knows."""
        return DeviceArray(_core.allocate(shape, name, near.device, stream), stream)

    def finished(self, result, x):
        """A result as the library's own."""
        namespace = self._namespace(x)
        return namespace.from_dlpack(result) if namespace else result

    def keep(self, view, stream):
        """Holds an input until the stream has read it: its library does not know of the stream."""
        _core.keep(view, stream)

    def contiguous(self, x):
        return self._functions(x, "copy its elements one after another").asarray(x, copy=True)

    def converted(self, x, name):
        functions = self._functions(x, f"convert its elements to {NAMES[name]}")
        return functions.astype(x, getattr(functions, NAMES[name]))

    def moved(self, x, axes, to):
        return self._functions(x, f"move its axes {axes} to {to}").moveaxis(x, axes, to)

    def _namespace(self, x):
        get = getattr(x, "__array_namespace__", None)
        return get() if get else None

    def _functions(self, x, what):
        namespace = self._namespace(x)
        if namespace is None:
            raise TypeError(
                f"x is a {type(x).__name__}, which has no functions of the array standard; they "
                f"are needed to {what}"
            )
        return namespace


class _Jax(Library):
    """Of arrays that are constant; XLA runs in streams of its own and lets ours wait for them."""

    def stream(self, x):
        return _LEGACY


class _Ordered(Library):
    """Of a library that has a current stream, in whose order its pool reuses memory."""

    def view(self, x, stream):
        return _core.View(x.__dlpack__(stream=-1))

    def finished(self, result, x):
        return result

    def keep(self, view, stream):
        pass


class _CuPy(_Ordered):
    def stream(self, x):
        return sys.modules["cupy"].cuda.get_current_stream().ptr or _LEGACY

    def empty(self, shape, name, near, stream):
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(near.device):
            return cupy.empty(shape, NAMES[name])

    def contiguous(self, x):
        return sys.modules["cupy"].ascontiguousarray(x)

    def converted(self, x, name):
        return x.astype(NAMES[name])

    def moved(self, x, axes, to):
        return sys.modules["cupy"].moveaxis(x, axes, to)


class _Torch(_Ordered):
    """The functions that current_stream and __dlpack__ call, which take less of the host."""

    def stream(self, x):
        return sys.modules["torch"]._C._cuda_getCurrentRawStream(x.get_device()) or _LEGACY

    def view(self, x, stream):
        if x.requires_grad:
            return super().view(x, stream)  # which refuses it in PyTorch's words
        return _core.View(sys.modules["torch"].utils.dlpack.to_dlpack(x))

    def empty(self, shape, name, near, stream):
        torch = sys.modules["torch"]
        device = torch.device("cuda", near.device)
        return torch.empty(shape, dtype=getattr(torch, NAMES[name]), device=device)

    def contiguous(self, x):
        return x.contiguous()

    def converted(self, x, name):
        return x.to(getattr(sys.modules["torch"], NAMES[name]))

    def moved(self, x, axes, to):
        return x.movedim(axes, to)


_OTHER = Library()
_LIBRARIES = {"torch": _Torch(), "cupy": _CuPy(), "jaxlib": _Jax(), "jax": _Jax()}


def library_of(x):
    return _library_of_type(type(x))


@functools.cache
def _library_of_type(array_type):
    """By the module of the array's type, or of one from which that is derived."""
    for kind in array_type.__mro__:
        library = _LIBRARIES.get(kind.__module__.partition(".")[0])
        if library:
            return library
    return _OTHER


def name_of(dtype):
    """The short name of a type as any array library writes it: float32, torch.float32, "f4"."""
    short = SHORT_NAMES.get(str(dtype).rpartition(".")[2])
    if short is None:
        import numpy as np

        short = SHORT_NAMES.get(np.dtype(dtype).name)
    return short
