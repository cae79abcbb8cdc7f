"""Functions of elements, the same bits on every machine, forward and backward."""

import numpy as np
import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep import _core
from upsweep._settings import default_settings
from upsweep.torch._derivatives import differentiable, keep, operator
from upsweep.torch._tensors import check, combined, tensor


@operator("elementwise")
def _elementwise(x: Tensor, function: str) -> Tensor:
    a = np.ascontiguousarray(combined(x)).reshape(-1)
    out = np.empty_like(a)
    if function == "sqrt":
        with np.errstate(invalid="ignore"):
            np.sqrt(a, out)
    else:
        _core.elementwise(function, a.dtype == np.float64, a, out, default_settings())
    return tensor(out.reshape(x.shape), x.dtype)


@_elementwise.register_fake
def _(x, function):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def _setup_elementwise(ctx, inputs, output):
    x, ctx.function = inputs
    keep(ctx, x, output)


def _times_slope(ctx, grad):
    """A gradient or a tangent, times the derivative of the function."""
    x, y = ctx.saved_tensors
    if ctx.function == "exp":
        return grad * y
    if ctx.function == "log":
        return grad / x
    if ctx.function == "sqrt":
        return grad / (2 * y)
    if ctx.function == "softplus":
        return grad * elementwise(x, "sigmoid")
    return grad * (y * (1 - y))


elementwise = differentiable(
    "elementwise",
    _setup_elementwise,
    lambda ctx, grad: (_times_slope(ctx, grad), None),
    lambda ctx, of_x, _: _times_slope(ctx, of_x),
)


def exp(x):
    """e^x, the same bits on every machine; float32 with an error of at most 0.501 ulp."""
    return elementwise(check(x, "x", "exp"), "exp")


def log(x):
    """The natural logarithm, likewise."""
    return elementwise(check(x, "x", "log"), "log")


def sqrt(x):
    """The square root, correctly rounded; that of PyTorch on a CPU, which MKL computes, is not."""
    return elementwise(x, "sqrt")


def softplus(x):
    """log(1 + e^x), likewise, without a threshold."""
    return elementwise(check(x, "x", "softplus"), "softplus")


def sigmoid(x):
    """1 / (1 + e^-x), likewise."""
    return elementwise(check(x, "x", "sigmoid"), "sigmoid")
