"""The operators on NVIDIA GPUs, by the kernels of the package upsweep-cuda13: in PyTorch's current
stream, with the bits of the CPU. Only offsets and indices are waited for, to be checked."""

import functools
import math

import torch  # type: ignore[import-not-found]

import upsweep
from upsweep._anchored import DIGITS, checked_offsets
from upsweep.torch import _recurrence, _rows, _scans
from upsweep.torch._derivatives import kernel
from upsweep.torch._tensors import NAMES, wide, widened
from upsweep.torch._tensors import rows as rows_of


@functools.cache
def kernels():
    from upsweep_cuda13 import _core  # type: ignore[import-not-found]

    return _core


def stream_of(x):
    """The number of the device, and of the current stream; the default one has 1, as in DLPack."""
    return x.device.index, torch.cuda.current_stream(x.device).cuda_stream or 1


def _memory(x):
    return x.data_ptr(), *x.stride()


def lengths(cu_seqlens, tokens):
    """Those of packed sequences, of checked offsets."""
    offsets = checked_offsets(cu_seqlens.cpu().numpy(), tokens, "linear_recurrence")
    return offsets[1:] - offsets[:-1]


def _run_core(a, b, h, cu_seqlens, state, reverse, gradients=None):
    """Stores the results and returns the state after them. `gradients` are what the kernel needs to
    make them, with the state before the recurrence at their end."""
    before = [x.contiguous() for x in state]
    after = [torch.empty_like(x) for x in before]
    tokens = most = b.shape[1]
    if cu_seqlens is not None:
        cu_seqlens = cu_seqlens.contiguous()
        most = int(lengths(cu_seqlens, tokens).max(initial=0))
    a, b = (x.resolve_conj().resolve_neg() for x in (a, b))
    if b.shape[2] == 0:  # no channel, whose threads would store the positions
        moved = tokens if cu_seqlens is None else cu_seqlens.diff()
        after[2] = (before[2] + moved) % (1 << DIGITS)
    addresses = lambda tensors: tuple(x.data_ptr() for x in tensors)
    kernels().linear_recurrence(
        NAMES[b.dtype],
        *stream_of(b),
        (len(before[2]), most, b.shape[2]),
        *(_memory(x) for x in (a, b, h)),
        0 if cu_seqlens is None else cu_seqlens.data_ptr(),
        addresses(before),
        addresses(after),
        reverse,
        None if gradients is None else addresses(gradients),
    )
    return after


@kernel("linear_recurrence", "cuda")
def _(a, b, value, totals, position, cu_seqlens, reverse, link=None, linked=False):
    h = torch.empty(b.shape, dtype=b.dtype, device=b.device)
    after = _run_core(a, b, h, cu_seqlens, (value, totals, position), reverse)
    return h, *after, value.new_zeros(_recurrence.link_shape(value, linked))


@kernel("linear_recurrence_gradients", "cuda")
def _(a, h, grad, factor, value, totals, position, *state_and_how):
    *state, cu_seqlens, reverse = state_and_how
    of_a, g = (torch.empty(h.shape, dtype=h.dtype, device=h.device) for _ in range(2))
    start = [x.contiguous() for x in (value, totals, position)]
    gradients = (factor.to(h.dtype).contiguous(), h.contiguous(), of_a, *start)
    return of_a, g, *_run_core(a, grad, g, cu_seqlens, state, not reverse, gradients)


@kernel("elementwise", "cuda")
def _(x, function):
    elements = widened(x).contiguous()
    if function == "sqrt":
        return torch.sqrt(elements).to(x.dtype)
    out = torch.empty_like(elements)
    memory = elements.data_ptr(), out.data_ptr(), out.numel()
    kernels().elementwise(function, out.dtype == torch.float64, *stream_of(x), *memory)
    return out.to(x.dtype)


@kernel("scan", "cuda")
def _(x, op, dim, reverse):
    if x.ndim == 0 or x.numel() == 0:
        return x.clone()
    if op == _scans._LOG:
        return _running_logarithms(x, dim, reverse)
    return _along(x, op, dim, reverse)


# The types that scans of lines have in the extension.
_SCANNED = {torch.float32: "f32", torch.float64: "f64", torch.int32: "i32", torch.int64: "i64"}


def _along(x, op, dim, reverse=False):
    x = x.contiguous() if 0 in x.stride() else x  # no matrix: a launch for each line
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    # Also of one dimension.
    lines = x.data_ptr(), (1, *x.shape), (0, *x.stride()), dim + 1, out.data_ptr(), reverse
    if x.dtype in _SCANNED and kernels().scan_lines(op, _SCANNED[x.dtype], *stream_of(x), *lines):
        return out
    every = upsweep.scan(x.detach()[None], op, axis=dim + 1, reverse=reverse)
    return every.squeeze(0).contiguous()


def _running_logarithms(x, dim, reverse):
    """Those of running sums (host/running_columns.hpp): terms and results are a launch each."""
    moved = x.detach().movedim(dim, -1)
    lines = moved.reshape(-1, moved.shape[-1]).contiguous()
    m = _along(lines, "max", 1, reverse)
    a, b = (torch.empty_like(lines, dtype=torch.float64) for _ in range(2))
    how = x.dtype == torch.float64, *stream_of(x), tuple(lines.shape)
    addresses = lambda *tensors: tuple(t.data_ptr() for t in tensors)
    kernels().log_terms(*how, reverse, addresses(lines, m, a, b))
    sums = _recurrence.linear_recurrence(a[:, :, None], b[:, :, None], reverse=reverse)
    out = torch.empty_like(lines)
    kernels().log_results(*how, addresses(sums, m, out))
    return out.reshape(moved.shape).movedim(-1, dim).contiguous()


@kernel("cummax", "cuda")
def _(x, dim):
    if x.ndim == 0 or x.numel() == 0:
        return x.clone(), torch.zeros(x.shape, dtype=torch.int64, device=x.device)
    a = widened(x)
    here = (a == _along(a, "max", dim)) | a.isnan()
    shape = [-1 if d == dim else 1 for d in range(a.ndim)]
    short = torch.int32 if a.shape[dim] <= 1 << 31 else torch.int64  # half the memory
    numbers = torch.arange(a.shape[dim], dtype=short, device=x.device).reshape(shape)
    indices = _along(torch.where(here, numbers, 0), "max", dim).long()
    return torch.gather(x, dim, indices), indices


# Of fewer columns, sums of rows are sums of columns one after another.
_FEW_COLUMNS = 4
# Sums of lines as segments: of fewer than 32 long ones, which would be a launch each, and of those
# that are at least so long and lie one after another. Lines of 16 bits are read without a copy from
# that length on.
_LONG, _ENOUGH = 1 << 14, 1 << 10


@kernel("reduce", "cuda")
def _(x, op, dims, keepdim):
    if x.ndim == 0:
        return widened(x).clone()
    kept = [n for d, n in enumerate(x.shape) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(x.shape)] if keepdim else kept
    count = math.prod(kept)
    if x.numel() == 0:
        empty = 0 if op == "sum" else -math.inf
        return torch.full(shape, empty, dtype=wide(x.dtype), device=x.device)
    size = x.numel() // count
    few = count < 32 and (not kept or size > _LONG)
    ends = x.is_contiguous() and size >= _ENOUGH and min(dims) == len(kept)
    if op == "sum" and not few and not ends:
        results = upsweep.sum(widened(x.detach()), axis=tuple(dims), keepdims=keepdim)
        return results.reshape(shape)
    to = range(-len(dims), 0)
    lines = x if op != "sum" and size >= _ENOUGH else widened(x)
    lines = lines.movedim(sorted(dims), tuple(to)).contiguous()
    out = torch.empty(shape, dtype=wide(x.dtype), device=x.device)
    memory = lines.data_ptr(), out.data_ptr(), count, size
    kernels().reduce_lines(op, NAMES[lines.dtype], *stream_of(x), *memory)
    return out


# What is looked at by the host is looked at after the kernels are in the stream, so that the GPU
# does not wait. Wrong offsets lead them to no access outside.
@kernel("segment_sum", "cuda")
def _(x, offsets):
    sums = _sums_of_segments(x, offsets)
    steps = offsets.diff()
    least = steps.amin() if len(steps) > 0 else offsets[0]
    first, last, least = torch.stack([offsets[0], offsets[-1], least]).tolist()
    if first != 0 or last != len(x) or least < 0:
        raise ValueError(_rows.OFFSETS.format(len(x)))
    return sums


def _sums_of_segments(x, borders, order=None):
    """Of the rows between borders, in the order of the numbers that are given, if any."""
    rows = rows_of(x).contiguous()
    (size, count), segments = rows.shape, len(borders) - 1
    if rows.numel() == 0 or segments == 0:
        return x.new_zeros((segments, *x.shape[1:]))
    if count < _FEW_COLUMNS:
        return _sums_of_columns(x if order is None else x[order], borders)
    out = x.new_empty((segments, *x.shape[1:]))
    memory = rows, order, borders.contiguous()
    addresses = (0 if t is None else t.data_ptr() for t in memory)
    sizes = segments, size if order is None else len(order), count
    kernels().sum_rows(NAMES[x.dtype], *stream_of(x), *addresses, sizes, out.data_ptr())
    return out


def _sums_of_columns(x, borders):
    """The same of columns one after another, where a warp would have too few of them."""
    rows = widened(rows_of(x))
    (size, count), segments = rows.shape, len(borders) - 1
    columns = torch.arange(count, device=x.device)[:, None]
    starts = (columns * size + borders[:-1]).reshape(-1)
    every = torch.cat([starts, starts.new_full((1,), count * size)])
    sums = upsweep.segment_reduce(rows.T.reshape(-1).detach(), every, "sum")
    return sums.reshape(count, segments).T.reshape(segments, *x.shape[1:]).contiguous().to(x.dtype)


@kernel("take_rows", "cuda")
def _(x, index):
    x, index = x.contiguous(), index.contiguous()
    out = x.new_empty((len(index), *x.shape[1:]))
    if out.numel():
        size = out.numel() // len(index) * x.element_size()
        memory = x.data_ptr(), index.data_ptr(), len(index), size, out.data_ptr()
        kernels().take_rows(*stream_of(x), *memory)
    return out


@kernel("index_sums", "cuda")
def _(source, index, size):
    keys, order = torch.sort(index, stable=True)
    every = torch.arange(size + 1, dtype=keys.dtype, device=keys.device)
    sums = _sums_of_segments(source, torch.searchsorted(keys, every), order)
    if index.numel():
        low, high = torch.stack([keys[0], keys[-1]]).tolist()
        if not 0 <= low <= high < size:
            raise IndexError(_rows.KEYS.format(low, high, size))
    return sums
