"""Scans, reductions and sums of rows, forward and backward."""

import math

import numpy as np
import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

import upsweep
from upsweep.torch._derivatives import differentiable, differentiates, keep
from upsweep.torch._elements import exp, mapped
from upsweep.torch._recurrence import linear_recurrence
from upsweep.torch._tensors import (
    check,
    check_beside,
    check_dim,
    check_dims,
    combined,
    tensor,
    widened,
)

_LOG = "log_sum_exp"
OFFSETS = "segment_sum: offsets must ascend from 0 to {}"
KEYS = "index_add: index has {} to {}, but there are {} rows"


@torch.library.custom_op("upsweep::scan", mutates_args=(), device_types="cpu")
def _scan(x: Tensor, op: str, dim: int, reverse: bool) -> Tensor:
    if x.ndim == 0:
        return x.clone()
    a = combined(x)
    if op == _LOG:
        return tensor(_running_logarithms(a.astype(np.float64), dim, reverse), x.dtype)
    return tensor(upsweep.scan(a, op, axis=dim, reverse=reverse), x.dtype)


def _running_logarithms(x, dim, reverse):
    """log(s) + m of the running maximum m and the sum s of exp(x - m), a linear recurrence, whose
    errors would add up in float32."""
    m = upsweep.scan(x, "max", axis=dim, reverse=reverse)
    beside = np.full_like(np.take(m, [0], dim), -np.inf) if m.shape[dim] else m
    cut = lambda begin, end: (slice(None),) * dim + (slice(begin, end),)
    parts = [m[cut(1, None)], beside] if reverse else [beside, m[cut(None, -1)]]
    fall = _difference(np.concatenate(parts, dim), m)
    terms = mapped("exp", _difference(x, m)) * (m > -np.inf)
    s = upsweep.linear_recurrence(
        mapped("exp", fall), terms, axis=dim, reverse=reverse, tree="blocks"
    )
    return m + mapped("log", s)


def _difference(x, m):
    """x - m, and 0 where they are equal, also if they are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(x == m, x.dtype.type(0), x - m)


@_scan.register_fake
def _(x, op, dim, reverse):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def along(a, b, dim, reverse):
    """The recurrence along a dimension of two tensors."""
    if b.ndim == 0:
        return b
    moved = [x.movedim(dim, 0) for x in (a, b)]
    flat = [_rows(x)[None] for x in moved]
    return linear_recurrence(*flat, reverse=reverse).reshape(moved[1].shape).movedim(0, dim)


def _rows(x):
    """The elements as a matrix whose rows are those of the first dimension, also of no elements."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


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


def _backward_scan(ctx, grad):
    dim, by = ctx.dim, -1 if ctx.reverse else 1
    if ctx.op == "sum":
        return scan(grad, "sum", dim, not ctx.reverse), None, None, None
    x, y = ctx.saved_tensors
    if ctx.op == "product":  # r[i] = grad[i] + x[i+1] r[i+1], right beside zeros
        r = along(_shifted(x, dim, -by, 0), grad, dim, not ctx.reverse)
        before = _shifted(y, dim, by, 1)
        r = torch.where(before == 0, r.nan_to_num(), r)  # 0 also of what overflowed
        return r * before, None, None, None
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


@torch.library.custom_op("upsweep::cummax", mutates_args=(), device_types="cpu")
def _cummax(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    if x.ndim == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    a = combined(x)
    here = (a == upsweep.scan(a, "max", axis=dim)) | np.isnan(a)
    shape = [-1 if d == dim else 1 for d in range(a.ndim)]
    places = np.where(here, np.arange(a.shape[dim]).reshape(shape), 0)
    indices = torch.from_numpy(upsweep.scan(places, "max", axis=dim))
    return torch.gather(x, dim, indices), indices


@_cummax.register_fake
def _(x, dim):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device), torch.empty(
        x.shape, dtype=torch.int64, device=x.device
    )


@torch.library.custom_op("upsweep::segment_sum", mutates_args=(), device_types="cpu")
def _segments(x: Tensor, offsets: Tensor) -> Tensor:
    columns = combined(_rows(x)).T
    count, size = columns.shape
    borders = offsets.numpy().astype(np.int64)
    if borders[0] != 0 or borders[-1] != size or (borders[1:] < borders[:-1]).any():
        raise ValueError(OFFSETS.format(size))
    starts = (np.arange(count)[:, None] * size + borders[:-1]).reshape(-1)
    every = np.append(starts, count * size)
    sums = upsweep.segment_reduce(np.ascontiguousarray(columns).reshape(-1), every, "sum")
    rows = sums.reshape(count, len(borders) - 1).T
    return tensor(rows, x.dtype).reshape(len(borders) - 1, *x.shape[1:])


@_segments.register_fake
def _(x, offsets):
    return x.new_empty((offsets.shape[0] - 1, *x.shape[1:]))


def _setup_segments(ctx, inputs, output):
    keep(ctx, inputs[1])
    ctx.size = inputs[0].shape[0]


def _backward_segments(ctx, grad):
    (offsets,) = ctx.saved_tensors
    return grad.repeat_interleave(offsets.diff(), 0, output_size=ctx.size), None


def _forward_segments(ctx, of_x, _):
    return sums_of_segments(of_x, *ctx.saved_tensors)


sums_of_segments = differentiable(
    "segment_sum", _setup_segments, _backward_segments, _forward_segments
)


@torch.library.custom_op("upsweep::index_sums", mutates_args=(), device_types="cpu")
def _index_sums(source: Tensor, index: Tensor, size: int) -> Tensor:
    keys = index.numpy()
    if keys.size and not (0 <= keys.min() and keys.max() < size):
        raise IndexError(KEYS.format(keys.min(), keys.max(), size))
    order = torch.from_numpy(np.argsort(keys, kind="stable"))
    offsets = np.searchsorted(keys[order.numpy()], np.arange(size + 1))
    return _segments(source[order], torch.from_numpy(offsets))


@_index_sums.register_fake
def _(source, index, size):
    return source.new_empty((size, *source.shape[1:]))


def _setup_index(ctx, inputs, output):
    _, index, ctx.size = inputs
    keep(ctx, index)


def _backward_index(ctx, grad):
    return grad.index_select(0, ctx.saved_tensors[0]), None, None


def _forward_index(ctx, of_source, *_):
    return sums_of_indices(of_source, *ctx.saved_tensors, ctx.size)


sums_of_indices = differentiable("index_sums", _setup_index, _backward_index, _forward_index)


def _setup_cummax(ctx, inputs, output):
    ctx.dim = inputs[1]
    ctx.mark_non_differentiable(output[1])
    keep(ctx, output[1])


def _backward_cummax(ctx, grad, _):
    (indices,) = ctx.saved_tensors
    if grad.ndim == 0 or grad.numel() == 0:
        return grad, None
    lines = [x.movedim(ctx.dim, -1).reshape(-1, x.shape[ctx.dim]) for x in (grad, indices)]
    n = lines[0].shape[1]
    keys = lines[1] + n * torch.arange(len(lines[1]), device=grad.device)[:, None]
    sums = sums_of_indices(lines[0].reshape(-1), keys.reshape(-1), keys.numel())
    shape = grad.movedim(ctx.dim, -1).shape
    return sums.reshape(shape).movedim(-1, ctx.dim), None


def _forward_cummax(ctx, of_x, _):
    return of_x if of_x.ndim == 0 else of_x.gather(ctx.dim, *ctx.saved_tensors), None


running_maxima = differentiable("cummax", _setup_cummax, _backward_cummax, _forward_cummax)


@torch.library.custom_op("upsweep::reduce", mutates_args=(), device_types="cpu")
def _reduce(x: Tensor, op: str, dims: list[int], keepdim: bool) -> Tensor:
    a = combined(x)
    if x.ndim == 0:
        return x.clone()
    reduce = upsweep.sum if op == "sum" else upsweep.logsumexp
    results = reduce(a, axis=tuple(dims), keepdims=keepdim)
    return tensor(np.asarray(results, a.dtype), x.dtype)


@_reduce.register_fake
def _(x, op, dims, keepdim):
    kept = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    return torch.empty(kept, dtype=x.dtype, device=x.device)


def _setup_reduce(ctx, inputs, output):
    x, ctx.op, ctx.dims, ctx.keepdim = inputs
    ctx.shape = x.shape
    keep(ctx, *((x, output) if ctx.op == _LOG else ()))


def _extended(y, dims, keepdim):
    """A reduction with the dimensions of its elements."""
    for d in sorted(dims) if not keepdim else ():
        y = y.unsqueeze(d)
    return y


def _backward_reduce(ctx, grad):
    g = _extended(grad, ctx.dims, ctx.keepdim) if ctx.shape else grad
    if ctx.op != _LOG:
        return g.expand(ctx.shape), None, None, None
    x, y = ctx.saved_tensors
    y = _extended(y, ctx.dims, ctx.keepdim) if ctx.shape else y
    ends = x.ndim - len(ctx.dims)
    if x.is_cuda and x.numel() and min(ctx.dims) == ends and not torch.is_grad_enabled():
        lead = x.shape[:ends]  # in one pass over lines
        numbers = torch.stack([y.reshape(lead)] * 2)
        lines = g.reshape(lead), x.reshape(*lead, -1), numbers
        of_x = torch.ops.upsweep.line_gradient(*lines, "logsumexp", 0.0, None)
        return of_x.reshape(x.shape), None, None, None
    return g * _weight(x, y), None, None, None


def _forward_reduce(ctx, of_x, *_):
    if ctx.op == _LOG:
        x, y = ctx.saved_tensors
        of_x = of_x * _weight(x, _extended(y, ctx.dims, ctx.keepdim) if ctx.shape else y)
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
        g = widened(grad)
        g = reduce(g, "sum", dims, True) if dims else g
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


def _scanned(verb, x, op, dim, reverse=False):
    dim = check_dim(check(x, "x", verb), dim, verb)
    return scan(widened(x), op, dim, bool(reverse)).to(x.dtype)


def cumsum(x, dim, *, reverse=False):
    """The running sums along a dimension, with `upsweep.cumulative_sum`'s bits."""
    return _scanned("cumsum", x, "sum", dim, reverse)


def cumprod(x, dim, *, reverse=False):
    """The running products. Their gradient is right beside zeros."""
    return _scanned("cumprod", x, "product", dim, reverse)


def logcumsumexp(x, dim, *, reverse=False):
    """The logarithms of the running sums of exponentials."""
    return _scanned("logcumsumexp", x, _LOG, dim, reverse)


def cummax(x, dim):
    """The running maxima and their indices, the last one of equal elements."""
    check(x, "x", "cummax")
    return running_maxima(x, check_dim(x, dim, "cummax"))


def sum(x, dim=None, keepdim=False):
    """Sums over one dimension, several or all, with `upsweep.sum`'s bits: those of a row do not
    depend on the other rows."""
    check(x, "x", "sum")
    dims = check_dims(x, dim, "sum")
    return reduce(widened(x), "sum", dims, bool(keepdim)).to(x.dtype)


def logsumexp(x, dim=None, keepdim=False):
    """log(sum(exp(x))) without overflow, with `upsweep.logsumexp`'s bits."""
    check(x, "x", "logsumexp")
    dims = check_dims(x, dim, "logsumexp")
    return reduce(widened(x), _LOG, dims, bool(keepdim)).to(x.dtype)


def segment_sum(x, offsets):
    """The sums of the segments x[offsets[k] : offsets[k + 1]] along the first dimension."""
    check(x, "x", "segment_sum")
    check_beside(x, offsets, "offsets", "segment_sum", (torch.int32, torch.int64))
    if x.ndim == 0 or offsets.ndim != 1 or offsets.shape[0] == 0:
        raise ValueError("segment_sum: x needs a dimension, and offsets one and at least a border")
    return sums_of_segments(x, offsets.long())


def index_add(x, index, source):
    """x with the sum of the rows of `source` of each index added; the keys need not be sorted. The
    rows of an index are summed in their order, in the combine tree."""
    verb = "index_add"
    check(x, "x", verb)
    check_beside(x, source, "source", verb)
    check_beside(x, index, "index", verb, (torch.int32, torch.int64))
    if index.ndim != 1 or source.ndim == 0 or x.ndim == 0 or len(index) != len(source):
        raise ValueError(
            f"{verb}: index has the shape {list(index.shape)}, and source {list(source.shape)}; "
            "give an index for each row of source"
        )
    if x.shape[1:] != source.shape[1:] or x.dtype != source.dtype:
        raise ValueError(
            f"{verb}: the rows of source have the shape {list(source.shape[1:])} and {source.dtype}"
            f"; those of x {list(x.shape[1:])} and {x.dtype}"
        )
    return x + sums_of_indices(source, index.long(), x.shape[0])
