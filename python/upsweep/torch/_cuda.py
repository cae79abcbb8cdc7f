"""The operators on NVIDIA GPUs, by the kernels of the package upsweep-cuda13: in PyTorch's current
stream, with the bits of the CPU. Only `cu_seqlens` is waited for, to be checked."""

import functools

import torch  # type: ignore[import-not-found]

import upsweep
from upsweep._anchored import DIGITS, checked_offsets
from upsweep.torch import _recurrence, _scans
from upsweep.torch._tensors import NAMES, wide, widened


@functools.cache
def _kernels():
    from upsweep_cuda13 import _core  # type: ignore[import-not-found]

    return _core


def _stream(x):
    """The number of the device, and of the current stream; the default one has 1, as in DLPack."""
    return x.device.index, torch.cuda.current_stream(x.device).cuda_stream or 1


def _memory(x):
    return x.data_ptr(), *x.stride()


def _lengths(cu_seqlens, tokens):
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
        most = int(_lengths(cu_seqlens, tokens).max(initial=0))
    a, b = (x.resolve_conj().resolve_neg() for x in (a, b))
    if b.shape[2] == 0:  # no channel, whose threads would store the positions
        moved = tokens if cu_seqlens is None else cu_seqlens.diff()
        after[2] = (before[2] + moved) % (1 << DIGITS)
    addresses = lambda tensors: tuple(x.data_ptr() for x in tensors)
    _kernels().linear_recurrence(
        NAMES[b.dtype],
        *_stream(b),
        (len(before[2]), most, b.shape[2]),
        *(_memory(x) for x in (a, b, h)),
        0 if cu_seqlens is None else cu_seqlens.data_ptr(),
        addresses(before),
        addresses(after),
        reverse,
        None if gradients is None else addresses(gradients),
    )
    return after


def _run_on_gpu(a, b, value, totals, position, cu_seqlens, reverse, link=None, linked=False):
    h = torch.empty(b.shape, dtype=b.dtype, device=b.device)
    after = _run_core(a, b, h, cu_seqlens, (value, totals, position), reverse)
    return h, *after, value.new_zeros(_recurrence._link_shape(value, linked))


def _gradients_on_gpu(a, h, grad, factor, value, totals, position, *state_and_how):
    *state, cu_seqlens, reverse = state_and_how
    of_a, g = (torch.empty(h.shape, dtype=h.dtype, device=h.device) for _ in range(2))
    start = [x.contiguous() for x in (value, totals, position)]
    gradients = (factor.to(h.dtype).contiguous(), h.contiguous(), of_a, *start)
    return of_a, g, *_run_core(a, grad, g, cu_seqlens, state, not reverse, gradients)


_recurrence._run.register_kernel("cuda", _run_on_gpu)
_recurrence._gradients.register_kernel("cuda", _gradients_on_gpu)
_recurrence.KERNELS["cuda"] = _run_on_gpu


@_scans._elementwise.register_kernel("cuda")
def _(x, function):
    elements = widened(x).contiguous()
    out = torch.empty_like(elements)
    memory = elements.data_ptr(), out.data_ptr(), out.numel()
    _kernels().elementwise(function, out.dtype == torch.float64, *_stream(x), *memory)
    return out.to(x.dtype)


@_scans._scan.register_kernel("cuda")
def _(x, op, dim, reverse):
    if x.ndim == 0 or x.numel() == 0:
        return x.clone()
    return upsweep.scan(x.detach(), op, axis=dim, reverse=reverse)


@_scans._reduce.register_kernel("cuda")
def _(x, op, dims, keepdim):
    if x.ndim == 0:
        return x.clone()
    if x.numel() == 0:
        return x.new_zeros(x.shape, dtype=wide(x.dtype)).sum(dims, keepdim)
    return upsweep.sum(x.detach(), axis=tuple(dims), keepdims=keepdim)
