"""Scans and reductions, forward and backward."""

import math

import numpy as np
import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

import upsweep
from upsweep import _core
from upsweep._settings import default_settings
from upsweep.torch._derivatives import (
    differentiable,
    differentiates,
    is_dispatched,
    keep,
    operator,
)
from upsweep.torch._elements import exp
from upsweep.torch._recurrence import gradient_from_1, linear_recurrence
from upsweep.torch._rows import sums_of_runs
from upsweep.torch._tensors import (
    NAMES,
    check,
    check_as,
    check_dim,
    check_dims,
    combined,
    converted,
    rows,
    tensor,
    wide,
    widened,
)

_LOG = "log_sum_exp"


@operator("scan")
def _scan(x: Tensor, op: str, dim: int, reverse: bool) -> Tensor:
    if x.ndim == 0:
        return x.clone()
    if op != _LOG:
        return tensor(upsweep.scan(combined(x), op, axis=dim, reverse=reverse), x.dtype)
    elements = widened(x).contiguous()
    out = torch.empty_like(elements)
    memory = NAMES[out.dtype], (elements.data_ptr(), out.data_ptr())
    _core.running_log_sums(*memory, _sizes(x, dim), reverse, default_settings())
    return converted(out, x.dtype)


def _sizes(x, dim):
    """Matrices one after another, their rows and columns, whose rows are along a dimension."""
    return math.prod(x.shape[:dim]), x.shape[dim], math.prod(x.shape[dim + 1 :])


@_scan.register_fake
def _(x, op, dim, reverse):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def _as_sequences(dim, *tensors):
    """The lines along a dimension as sequences, and how to make their results a tensor again. On a
    CPU lines of the last dimension are sequences of one channel, which needs no copies."""
    shape = tensors[0].shape
    if tensors[0].is_cpu and dim == len(shape) - 1:
        flat = math.prod(shape[:dim]), shape[dim], 1
        return [x.reshape(flat) for x in tensors], lambda y: y.reshape(shape)
    moved = [x.movedim(dim, 0) for x in tensors]
    restored = lambda y: y.reshape(moved[0].shape).movedim(0, dim)
    return [rows(x)[None] for x in moved], restored


def along(a, b, dim, reverse):
    """The recurrence along a dimension of two tensors."""
    if b.ndim == 0:
        return b
    (a, b), restored = _as_sequences(dim, a, b)
    return restored(linear_recurrence(a, b, reverse=reverse))


def _weight(x, y):
    """exp(x - y), the part of a term in the logarithm y of a sum; 0 if there is none."""
    return exp(torch.where(y == -torch.inf, -torch.inf, x - y))


def _ratio(x, y):
    """exp(x - y), also of equal infinities."""
    return exp(torch.where(x == y, 0, x - y))


def _shifted(x, dim, by, fill):
    """x[i - by], and `fill` beyond the ends."""
    if x.ndim == 0 or x.shape[dim] == 0:
        return torch.full_like(x, fill)
    end = 0 if by > 0 else x.shape[dim] - 1
    index = torch.full((1,), end, device=x.device)
    return x.roll(by, dim).index_fill(dim, index, fill)


def _setup_scan(ctx, inputs, output):
    x, ctx.op, ctx.dim, ctx.reverse = inputs
    keep(ctx, *(() if ctx.op == "sum" else (x, output)))


def _gradient_of_products(x, y, grad, dim, reverse):
    """r[i] y[i-1] with r[i] = grad[i] + x[i+1] r[i+1], right beside zeros. On a CPU in one pass, as
    y[i] = x[i] y[i-1] + 0 is a recurrence; unless there are NaN, which may have to become 0."""
    is_plain = not torch.is_grad_enabled() and not is_dispatched((x, y, grad))
    if grad.is_cpu and grad.numel() > 1 and is_plain:
        (a, h, g), restored = _as_sequences(dim, x, y, grad)
        gradient = gradient_from_1(a, h, g, reverse)
        if not gradient.isnan().any():
            return restored(gradient)
    by = -1 if reverse else 1
    r = along(_shifted(x, dim, -by, 0), grad, dim, not reverse)
    before = _shifted(y, dim, by, 1)
    r = torch.where(before == 0, r.nan_to_num(), r)  # 0 also of what overflowed
    return r * before


def _backward_scan(ctx, grad):
    dim, by = ctx.dim, -1 if ctx.reverse else 1
    if ctx.op == "sum":
        return scan(grad, "sum", dim, not ctx.reverse), None, None, None
    x, y = ctx.saved_tensors
    if ctx.op == "product":
        return _gradient_of_products(x, y, grad, dim, ctx.reverse), None, None, None
    # r[i] = grad[i] + exp(y[i] - y[i+1]) r[i+1], whose factors are at most 1. Their errors add up.
    x, y, g = x.double(), y.double(), grad.double()
    r = along(_ratio(y, _shifted(y, dim, -by, math.inf)), g, dim, not ctx.reverse)
    return (r * _weight(x, y)).to(grad.dtype), None, None, None


def _forward_scan(ctx, of_x, *_):
    """The derivative of y[i] is that of x[i] times y[i-1], and x[i] times the one before."""
    dim, by = ctx.dim, -1 if ctx.reverse else 1
    if ctx.op == "sum":
        return scan(of_x, "sum", dim, ctx.reverse)
    x, y = ctx.saved_tensors
    if ctx.op == "product":
        return along(x, of_x * _shifted(y, dim, by, 1), dim, ctx.reverse)
    x, y = x.double(), y.double()
    fall = _ratio(_shifted(y, dim, by, -math.inf), y)
    return along(fall, of_x * _weight(x, y), dim, ctx.reverse).to(of_x.dtype)


scan = differentiable("scan", _setup_scan, _backward_scan, _forward_scan)


@operator("cummax")
def _cummax(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    if x.ndim == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64, device=x.device)
    x = x.contiguous()
    values, indices = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
    addresses = x.data_ptr(), values.data_ptr(), indices.data_ptr()
    _core.running_maxima(NAMES[x.dtype], addresses, _sizes(x, dim), default_settings())
    return values, indices


@_cummax.register_fake
def _(x, dim):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device), torch.empty(
        x.shape, dtype=torch.int64, device=x.device
    )


def _setup_cummax(ctx, inputs, output):
    ctx.dim = inputs[1]
    ctx.mark_non_differentiable(output[1])
    keep(ctx, output[1])


def _backward_cummax(ctx, grad, _):
    (indices,) = ctx.saved_tensors
    if grad.ndim == 0 or grad.numel() == 0:
        return grad, None
    lines = [x.movedim(ctx.dim, -1).reshape(-1, x.shape[ctx.dim]) for x in (grad, indices)]
    shape = grad.movedim(ctx.dim, -1).shape
    return sums_of_runs(*lines).reshape(shape).movedim(-1, ctx.dim), None


def _forward_cummax(ctx, of_x, _):
    return of_x if of_x.ndim == 0 else of_x.gather(ctx.dim, *ctx.saved_tensors), None


running_maxima = differentiable("cummax", _setup_cummax, _backward_cummax, _forward_cummax)


@operator("reduce")
def _reduce(x: Tensor, op: str, dims: list[int], keepdim: bool) -> Tensor:
    """In the type in which elements are combined."""
    if x.ndim == 0:
        return widened(x).clone()
    ends, kind = x.ndim - len(dims), wide(x.dtype)
    out = torch.empty(_reduced_shape(x, dims, keepdim), dtype=kind)
    if op == _LOG:
        x = x.movedim(sorted(dims), tuple(range(ends, x.ndim))).contiguous()
    elif min(dims) < ends or not x.is_contiguous():
        sums = upsweep.sum(combined(x), axis=tuple(dims))
        return tensor(np.asarray(sums), kind).reshape(out.shape)
    memory, count, how = (x.data_ptr(), out.data_ptr()), out.numel(), default_settings()
    size = math.prod(x.shape[ends:])
    if op == "sum":
        _core.sum_lines(NAMES[x.dtype], memory, count, size, how)
    else:
        _core.line_logarithms(NAMES[x.dtype], (*memory, 0), count, size, how)
    return out


def _reduced_shape(x, dims, keepdim):
    return [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]


@_reduce.register_fake
def _(x, op, dims, keepdim):
    return torch.empty(_reduced_shape(x, dims, keepdim), dtype=wide(x.dtype), device=x.device)


def _setup_reduce(ctx, inputs, output):
    x, ctx.op, ctx.dims, ctx.keepdim = inputs
    ctx.shape, ctx.dtype = x.shape, x.dtype
    keep(ctx, *((x, output) if ctx.op == _LOG else ()))


def _extended(y, dims, keepdim):
    """A reduction with the dimensions of its elements."""
    for d in sorted(dims) if not keepdim else ():
        y = y.unsqueeze(d)
    return y


def _backward_reduce(ctx, grad):
    g = _extended(grad, ctx.dims, ctx.keepdim) if ctx.shape else grad
    if ctx.op != _LOG:
        return g.expand(ctx.shape).to(ctx.dtype), None, None, None
    x, y = ctx.saved_tensors
    y = _extended(y, ctx.dims, ctx.keepdim) if ctx.shape else y
    ends = x.ndim - len(ctx.dims)
    last = x.ndim and x.numel() and min(ctx.dims) == ends
    if last and not x.is_meta and not torch.is_grad_enabled():
        lead = x.shape[:ends]  # in one pass over lines
        numbers = torch.stack([y.reshape(lead)] * 2)
        lines = g.reshape(lead).to(x.dtype), x.reshape(*lead, -1), numbers
        of_x = torch.ops.upsweep.line_gradient(*lines, "logsumexp", 0.0, None)
        return of_x.reshape(x.shape), None, None, None
    return (g * _weight(widened(x), y)).to(x.dtype), None, None, None


def _forward_reduce(ctx, of_x, *_):
    if ctx.op == _LOG:
        x, y = ctx.saved_tensors
        y = _extended(y, ctx.dims, ctx.keepdim) if ctx.shape else y
        of_x = of_x * _weight(widened(x), y)
    return reduce(of_x, "sum", ctx.dims, ctx.keepdim)


reduce = differentiable("reduce", _setup_reduce, _backward_reduce, _forward_reduce)


class _Spread(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, *shape):
        return x.expand(shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.results = inputs[0].shape, output.shape
        keep(ctx)

    @staticmethod
    def backward(ctx, grad):
        new = grad.ndim - len(ctx.shape)
        dims = [d for d, n in enumerate(grad.shape) if d < new or ctx.shape[d - new] != n]
        g = reduce(grad, "sum", dims, True) if dims else grad
        return g.to(grad.dtype).reshape(ctx.shape), *(None for _ in ctx.results)


class _SpreadForward(_Spread):
    """The same with the derivative that a compiled call refuses."""

    @staticmethod
    def jvp(ctx, of_x, *_):
        return of_x.expand(ctx.results)


def spread(x, shape):
    """x with a larger shape, as PyTorch broadcasts it. Its gradient is a sum with the bits of this
    module; those of PyTorch's depend on the batch and the layout."""
    function = _SpreadForward if differentiates() else _Spread
    return x if x.shape == tuple(shape) else function.apply(x, *shape)


def _scanned(verb, x, op, dim, reverse, dtype=None):
    x = check_as(x, dtype, verb)
    dim = check_dim(x, dim, verb)
    return converted(scan(widened(x), op, dim, bool(reverse)), x.dtype)


def cumsum(x, dim, *, dtype=None, reverse=False):
    """The running sums along a dimension, with `upsweep.cumulative_sum`'s bits. With `dtype`, of
    the elements in that type."""
    return _scanned("cumsum", x, "sum", dim, reverse, dtype)


def cumprod(x, dim, *, dtype=None, reverse=False):
    """The running products. Their gradient is right beside zeros. With `dtype`, of the elements in
    that type."""
    return _scanned("cumprod", x, "product", dim, reverse, dtype)


def logcumsumexp(x, dim, *, reverse=False):
    """The logarithms of the running sums of exponentials."""
    return _scanned("logcumsumexp", x, _LOG, dim, reverse)


def cummax(x, dim):
    """The running maxima and their indices, the last one of equal elements."""
    check(x, "x", "cummax")
    return running_maxima(x, check_dim(x, dim, "cummax"))


def sum(x, dim=None, keepdim=False, *, dtype=None):
    """Sums over one dimension, several or all, with `upsweep.sum`'s bits: those of a row do not
    depend on the other rows. With `dtype`, of the elements in that type."""
    x = check_as(x, dtype, "sum")
    dims = check_dims(x, dim, "sum")
    return converted(reduce(x, "sum", dims, bool(keepdim)), x.dtype)


def logsumexp(x, dim=None, keepdim=False):
    """log(sum(exp(x))) without overflow, with `upsweep.logsumexp`'s bits."""
    check(x, "x", "logsumexp")
    dims = check_dims(x, dim, "logsumexp")
    return converted(reduce(x, _LOG, dims, bool(keepdim)), x.dtype)
