"""Functions of lines that are one operator: softmax, norms and variances. Where they are
transformed or differentiated twice they are chains of operators, with the same bits."""

import math
from typing import Optional

import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep import _core
from upsweep._settings import default_settings
from upsweep.torch._cuda import kernels, stream_of
from upsweep.torch._derivatives import called, differentiates, operator
from upsweep.torch._tensors import NAMES, wide

# The most elements of a line that the kernels of each type of device take (cuda/norms/on_gpu.hpp).
_LONGEST = {"cpu": math.inf, "cuda": 1 << 21}
_DEVICES = tuple(_LONGEST)
# The chain of operators of each function: of x, a parameter and the weight of a norm.
CHAINS: dict = {}


def has_kernel(x, size):
    fits = 0 < size <= _LONGEST.get(x.device.type, 0) and x.numel() > 0
    return fits and not differentiates()


def _numbers_type(function, dtype):
    precise = dtype == torch.float32 and function in ("rms_norm", "variance")
    return torch.float64 if precise else wide(dtype)


def _empty_results(x, function):
    """The results, and the numbers of lines from which gradients are computed, of lines that are
    the last dimension of x."""
    lines, kind = x.shape[:-1], _numbers_type(function, x.dtype)
    out = torch.empty(lines if function == "variance" else x.shape, dtype=x.dtype, device=x.device)
    return out, torch.empty((2, *lines), dtype=kind, device=x.device)


def _run(function, x, grad, weight, numbers, out, parameter):
    """Stores the results and the numbers, or of a gradient only the results."""
    size = x.shape[-1]
    weight = None if weight is None else weight.contiguous()
    addresses = tuple(0 if t is None else t.data_ptr() for t in (x, grad, weight, numbers, out))
    how = addresses, x.numel() // size, size, parameter
    if x.is_cuda:
        kernels().line_function(function, NAMES[x.dtype], *stream_of(x), *how)
    else:
        _core.line_function(function, NAMES[x.dtype], *how, default_settings())


_reduced = called("reduce", torch.ops.upsweep.reduce)


@operator("line_function", _DEVICES)
def _function(
    x: Tensor, function: str, parameter: float, weight: Optional[Tensor]
) -> tuple[Tensor, Tensor]:
    out, numbers = _empty_results(x, function)
    x = x.contiguous()
    if function == "log_softmax" and x.is_cpu:
        memory = x.data_ptr(), numbers.zero_().data_ptr(), out.data_ptr()
        size = x.shape[-1]
        how = x.numel() // size, size, default_settings()
        _core.line_logarithms(NAMES[x.dtype], memory, *how)
    elif function == "log_softmax":
        y = _reduced(x, "log_sum_exp", [x.ndim - 1], True)
        torch.sub(x, y, out=out)
        numbers[:] = y.squeeze(-1)
    else:
        _run(function, x, None, weight, numbers, out, parameter)
    return (numbers[1].to(x.dtype, copy=True) if function == "variance" else out), numbers


@_function.register_fake
def _(x, function, parameter, weight):
    return _empty_results(x, function)


@torch.library.custom_op("upsweep::line_gradient", mutates_args=(), device_types=_DEVICES)
def line_gradient(
    grad: Tensor,
    x: Tensor,
    numbers: Tensor,
    function: str,
    parameter: float,
    weight: Optional[Tensor],
) -> Tensor:
    """That of x; `grad` is that of each element, or of variance and logsumexp of each line."""
    x, grad, numbers = (t.contiguous() for t in (x, grad, numbers))
    out = torch.empty_like(x)
    _run(f"{function}_gradient", x, grad, weight, numbers, out, parameter)
    return out


@line_gradient.register_fake
def _(grad, x, numbers, function, parameter, weight):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


@torch.library.custom_op("upsweep::weight_gradient", mutates_args=(), device_types="cuda")
def _weight_gradient(grad: Tensor, x: Tensor, numbers: Tensor) -> Tensor:
    """That of rms_norm's weight."""
    x, grad, scale = (t.contiguous() for t in (x, grad, numbers[1]))
    out = torch.empty(x.shape[-1:], dtype=x.dtype, device=x.device)
    size = x.shape[-1]
    memory = tuple(t.data_ptr() for t in (x, grad, scale, out))
    kernels().sum_normed_rows(NAMES[x.dtype], *stream_of(x), memory, x.numel() // size, size)
    return out


@_weight_gradient.register_kernel("cpu")
def _(grad, x, numbers):
    products = x.to(numbers.dtype, copy=True).div_(numbers[1].unsqueeze(-1)).mul_(grad)
    return _reduced(products.reshape(-1, x.shape[-1]), "sum", [0], False).to(x.dtype)


@_weight_gradient.register_fake
def _(grad, x, numbers):
    return torch.empty(x.shape[-1:], dtype=x.dtype, device=x.device)


def _setup(ctx, inputs, output):
    x, ctx.function, ctx.parameter, weight = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(x, weight, output[1])


def _backward(ctx, grad, _):
    x, weight, numbers = ctx.saved_tensors
    of_x, of_weight = ctx.needs_input_grad[0], ctx.needs_input_grad[3]
    if torch.is_grad_enabled():  # for second derivatives
        needed = [t for t, needs in ((x, of_x), (weight, of_weight)) if needs]
        y = CHAINS[ctx.function](x, ctx.parameter, weight)
        found = iter(torch.autograd.grad(y, needed, grad, create_graph=True))
        return next(found) if of_x else None, None, None, next(found) if of_weight else None
    how = ctx.function, ctx.parameter, weight
    return (
        torch.ops.upsweep.line_gradient(grad, x, numbers, *how) if of_x else None,
        None,
        None,
        torch.ops.upsweep.weight_gradient(grad, x, numbers) if of_weight else None,
    )


_function.register_autograd(_backward, setup_context=_setup)
_called = called("line_function", torch.ops.upsweep.line_function)


def of_lines(x, function, dims, parameter=0.0, weight=None):
    """The function of the lines along dimensions of x; of variance with size 1 in these."""
    ends, dims = list(range(x.ndim - len(dims), x.ndim)), sorted(dims)
    moved = x if dims == ends else x.movedim(dims, ends)
    # A view, also of x itself: a weight may depend on x, but not on the view, whose second
    # derivative would have the weight's, too.
    lines = moved.reshape(*moved.shape[: x.ndim - len(dims)], -1)
    out = _called(lines, function, float(parameter), weight)[0]
    if function == "variance":
        return out.reshape([1 if d in dims else n for d, n in enumerate(x.shape)])
    return out if moved is x else out.reshape(moved.shape).movedim(ends, dims).contiguous()
