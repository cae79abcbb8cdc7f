"""Sums of rows by segment, by index and by runs of equal indices, forward and backward."""

import math

import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep import _core
from upsweep._settings import default_settings
from upsweep.torch._derivatives import called, differentiable, keep, operator
from upsweep.torch._tensors import NAMES, check, check_beside

OFFSETS = "segment_sum: offsets must ascend from 0 to {}"
KEYS = "index_add: index has {} to {}, but there are {} rows"


@operator("segment_sum")
def _segments(x: Tensor, offsets: Tensor) -> Tensor:
    try:
        return _sums_of_rows(x, offsets)
    except ValueError:
        raise ValueError(OFFSETS.format(len(x))) from None


def _sums_of_rows(x, borders, order=None):
    """Of the rows between borders, in the order of the numbers that are given, if any."""
    x, borders = x.contiguous(), borders.contiguous()
    out = x.new_empty((len(borders) - 1, *x.shape[1:]))
    memory = x.data_ptr(), order.data_ptr() if order is not None else 0
    sizes = len(out), len(x), math.prod(x.shape[1:])
    memory += borders.data_ptr(), out.data_ptr()
    _core.sum_rows(NAMES[x.dtype], memory, sizes, default_settings())
    return out


@_segments.register_fake
def _(x, offsets):
    return x.new_empty((offsets.shape[0] - 1, *x.shape[1:]))


@operator("take_rows")
def _take_rows(x: Tensor, index: Tensor) -> Tensor:
    """The rows of these numbers, which are checked."""
    return x.index_select(0, index)


@_take_rows.register_fake
def _(x, index):
    return x.new_empty((index.shape[0], *x.shape[1:]))


def _setup_rows(ctx, inputs, output):
    x, index = inputs
    ctx.size = x.shape[0]
    keep(ctx, index)


def _backward_rows(ctx, grad):
    return sums_of_indices(grad, *ctx.saved_tensors, ctx.size), None


def _forward_rows(ctx, of_x, _):
    return taken_rows(of_x, *ctx.saved_tensors)


taken_rows = differentiable("take_rows", _setup_rows, _backward_rows, _forward_rows)


def _setup_segments(ctx, inputs, output):
    keep(ctx, inputs[1])
    ctx.size = inputs[0].shape[0]


def _backward_segments(ctx, grad):
    (offsets,) = ctx.saved_tensors
    return taken_rows(grad, torch.repeat_interleave(offsets.diff(), output_size=ctx.size)), None


def _forward_segments(ctx, of_x, _):
    return sums_of_segments(of_x, *ctx.saved_tensors)


sums_of_segments = differentiable(
    "segment_sum", _setup_segments, _backward_segments, _forward_segments
)


@operator("index_sums")
def _index_sums(source: Tensor, index: Tensor, size: int) -> Tensor:
    index, order = index.contiguous(), torch.empty_like(index)
    borders = index.new_empty(size + 1)
    addresses = order.data_ptr(), borders.data_ptr()
    if not _core.order_by_index(index.data_ptr(), len(index), size, *addresses):
        raise IndexError(KEYS.format(index.min(), index.max(), size))
    return _sums_of_rows(source, borders, order)


@_index_sums.register_fake
def _(source, index, size):
    return source.new_empty((size, *source.shape[1:]))


def _setup_index(ctx, inputs, output):
    _, index, ctx.size = inputs
    keep(ctx, index)


def _backward_index(ctx, grad):
    return taken_rows(grad, ctx.saved_tensors[0]), None, None


def _forward_index(ctx, of_source, *_):
    return sums_of_indices(of_source, *ctx.saved_tensors, ctx.size)


sums_of_indices = differentiable("index_sums", _setup_index, _backward_index, _forward_index)


_sums_of_flat = called("segment_sum", _segments)


@operator("run_sums", ("cpu", "cuda"))
def _run_sums(lines: Tensor, indices: Tensor) -> Tensor:
    """The sums of the elements whose indices are equal, which follow one another in their line, at
    these indices of the line, and 0 elsewhere."""
    begins = torch.ones_like(indices, dtype=torch.bool)
    torch.ne(indices[:, 1:], indices[:, :-1], out=begins[:, 1:])
    starts = begins.reshape(-1).nonzero()[:, 0]
    flat = lines.reshape(-1)
    sums = _sums_of_flat(flat, torch.cat([starts, starts.new_full((1,), len(flat))]))
    positions = starts - starts % lines.shape[1] + indices.reshape(-1)[starts]
    return torch.zeros_like(flat).index_copy_(0, positions, sums).reshape(lines.shape)


@_run_sums.register_fake
def _(lines, indices):
    return lines.new_empty(lines.shape)


def _setup_runs(ctx, inputs, output):
    keep(ctx, inputs[1])


def _backward_runs(ctx, grad):
    return grad.gather(1, *ctx.saved_tensors), None


def _forward_runs(ctx, of_lines, _):
    return sums_of_runs(of_lines, *ctx.saved_tensors)


sums_of_runs = differentiable("run_sums", _setup_runs, _backward_runs, _forward_runs)


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
