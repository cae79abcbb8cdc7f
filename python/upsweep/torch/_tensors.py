"""Tensors as the extension takes them, and the checks of arguments."""

import importlib.util
import math

import numpy as np
import torch  # type: ignore[import-not-found]

# The extension's names of types, and the types in which their states are kept.
NAMES = {
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "c64",
    torch.complex128: "c128",
}
FLOATING = tuple(NAMES)
REAL = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_INTEGERS = (
    *(torch.bool, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
)
# Whether the kernels for NVIDIA GPUs are installed.
_HAS_KERNELS = importlib.util.find_spec("upsweep_cuda13") is not None


def wide(dtype):
    """The type in which elements are combined."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def converted(x, dtype):
    """The tensor in a type. That it has it already is found faster here than by PyTorch."""
    return x if x.dtype == dtype else x.to(dtype)


def widened(x):
    """The tensor in the type in which its elements are combined."""
    return converted(x, wide(x.dtype))


def memory(x):
    """The tensor's memory as an array of NumPy, which has no bfloat16: its bits."""
    # `force` also leaves out the gradient and resolves conjugated and negated numbers.
    return (x.view(torch.uint16) if x.dtype == torch.bfloat16 else x).numpy(force=True)


def combined(x):
    """The elements as an array of the type in which they are combined."""
    return memory(widened(x))


def tensor(a, dtype):
    """An array as a tensor of that type."""
    return converted(torch.from_numpy(np.asarray(a, order="C")), dtype)


def _listed(dtypes):
    return ", ".join(str(d).removeprefix("torch.") for d in dtypes)


def check(x, name, verb, dtypes=REAL):
    """Refuses what is not a tensor of these types where the function has kernels, by the name of
    the argument."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{verb}: {name} is a {type(x).__name__}; give a tensor")
    if x.dtype not in dtypes:
        raise TypeError(f"{verb}: {name} has elements of {x.dtype}; give {_listed(dtypes)}")
    if x.is_cpu:
        pass
    elif x.is_cuda:
        if not _HAS_KERNELS:
            raise ValueError(
                f"{verb}: {name} is on {x.device}; install the package upsweep-cuda13 (`make "
                f"cuda-wheel`), or give {name}.cpu()"
            )
    elif not x.is_meta:
        raise ValueError(
            f"{verb}: {name} is on {x.device}, for which there are no kernels; nothing is "
            f"copied; give {name}.cpu()"
        )
    if x.is_nested:
        raise TypeError(f"{verb}: {name} is nested; give the tensors of {name}.unbind()")
    if x.layout != torch.strided:
        raise TypeError(f"{verb}: {name} has the layout {x.layout}; give {name}.to_dense()")
    return x


def check_as(x, dtype, verb):
    """The tensor x in the type of the results, if one is given: PyTorch, too, converts the elements
    before it computes. Then x may have other types, integers for example."""
    if dtype is None:
        return check(x, "x", verb)
    if dtype not in REAL:
        raise TypeError(f"{verb}: dtype is {dtype!r}; give {_listed(REAL)}")
    kind = x.dtype if isinstance(x, torch.Tensor) else None
    converts = kind in _INTEGERS or (kind is not None and kind.is_floating_point)
    return converted(check(x, "x", verb, (kind,) if converts else REAL), dtype)


def check_dim(x, dim, verb):
    """A dimension as a number from 0 on."""
    if not isinstance(dim, int):
        raise TypeError(f"{verb}: dim is a {type(dim).__name__}; give an integer")
    if not -max(x.ndim, 1) <= dim < max(x.ndim, 1):
        raise IndexError(f"{verb}: dim={dim}, but the tensor has {x.ndim} dimensions")
    return dim % max(x.ndim, 1)


def check_dims(x, dim, verb):
    """One dimension, several, or all if `dim` is None or (), as in PyTorch, as a list."""
    given = list(dim) if isinstance(dim, (tuple, list)) else [] if dim is None else [dim]
    if not given:
        return list(range(x.ndim))
    dims = [check_dim(x, d, verb) for d in given]
    if len(set(dims)) < len(dims):
        raise ValueError(f"{verb}: dim={given} has a dimension twice")
    return dims


def check_beside(x, y, name, verb, dtypes=REAL):
    """Refuses what is not a tensor of these types on the device of x."""
    check(y, name, verb, dtypes)
    if x.device != y.device:
        raise ValueError(f"{verb}: {name} is on {y.device}; give it on {x.device}, as the others")


def check_same(x, y, names, verb):
    """Refuses two tensors of different types or devices."""
    if x.dtype != y.dtype:
        raise TypeError(
            f"{verb}: {names[0]} has elements of {x.dtype}, but {names[1]} of {y.dtype}; convert "
            "one of them"
        )
    if x.device != y.device:
        raise ValueError(
            f"{verb}: {names[0]} is on {x.device}, but {names[1]} on {y.device}; move one of them"
        )


def rows(x):
    """The elements as a matrix whose rows are those of the first dimension, also of no elements."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))
