"""Selective scans on a GPU as one operator, with the bits of the chain of operators of models."""

from typing import Optional

import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep.torch._cuda import kernels, lengths, stream_of
from upsweep.torch._derivatives import differentiates, is_traced
from upsweep.torch._states import RecurrenceState
from upsweep.torch._tensors import NAMES, wide

# What the kernels take (cuda/anchored/selective.hpp): the states of a channel; that the channels of
# a group are a multiple of the first number, for gradients of the second; blocks of tokens, and
# after how many a result is kept.
_STATES, _CHANNELS, _GRADIENT_CHANNELS, _BLOCK, _KEPT = 16, 8, 16, 256, 32
# The chain of operators, of the tensors and `softplus`.
CHAINS: list = []


def _groups(m):
    return m.shape[1] if m.ndim == 4 else 1


def _by_group(m):
    """B or C as [batch, groups, states, tokens]."""
    return m if m.ndim == 4 else m[:, None]


def has_kernel(tensors, cu_seqlens, state, return_state, return_last_state):
    """Whether the kernels take the call: the tensors are u, delta, A, B, C, D, z and delta_bias."""
    u, delta, A, B, C, _, z, _ = tensors
    beside = [x for x in (delta, B, C, z) if x is not None]
    if u.device.type != "cuda" or u.numel() == 0 or A.shape[1] != _STATES or differentiates():
        return False
    if B.ndim < 3 or C.ndim < 3 or any(x.dtype != u.dtype for x in beside):
        return False
    groups = _groups(B)
    each = u.shape[1] // groups
    if _groups(C) != groups or groups * each != u.shape[1] or (groups > 1 and each % _CHANNELS):
        return False
    needs_gradients = _differentiates(tensors, state)
    continues = state is not None or return_state or return_last_state or cu_seqlens is not None
    if continues and (needs_gradients or is_traced(tensors)):
        return False
    return not needs_gradients or (u.shape[2] % _BLOCK == 0 and each % _GRADIENT_CHANNELS == 0)


def _differentiates(tensors, state=None):
    linked = () if state is None else (state[0], *state[3:4])
    needs = any(x is not None and x.requires_grad for x in (*tensors, *linked))
    return needs and torch.is_grad_enabled()


def _strided(x):
    return x.data_ptr(), *x.stride()


def _tokens(x):
    """The memory of [batch, channels, tokens] as that of [batch, tokens, channels]."""
    return _strided(x.transpose(1, 2))


def _launch(
    tensors, softplus, y, starts=None, last=None, cut=None, before=None, after=None, of=None
):
    u, delta, A, B, C, D, z, bias = tensors
    numbers = [None if x is None else x.to(wide(u.dtype)).contiguous() for x in (A, D, bias)]
    address = lambda x: 0 if x is None else x.data_ptr()
    states = lambda state: (0, 0, 0) if state is None else tuple(map(address, state))
    batch, channels, tokens = u.shape
    kernels().selective_scan(
        NAMES[u.dtype],
        *stream_of(u),
        (batch if cut is None else len(cut) - 1, tokens, channels, _groups(B)),
        softplus,
        tuple((0, 0, 0, 0) if x is None else _tokens(x) for x in (u, delta, z, y)),
        tuple(_strided(_by_group(m)) for m in (B, C)),
        tuple(map(address, (*numbers, last, starts))),
        address(cut),
        states(before),
        states(after),
        of,
    )


def _empty(x, shape, dtype=None):
    return torch.empty(shape, dtype=dtype or x.dtype, device=x.device)


@torch.library.custom_op("upsweep::selective_scan", mutates_args=(), device_types="cuda")
def _scan(
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Optional[Tensor],
    z: Optional[Tensor],
    delta_bias: Optional[Tensor],
    softplus: bool,
) -> tuple[Tensor, Tensor]:
    """The results, and the states between some tokens, from which the gradients go back."""
    y, starts = _empty_results(u)
    _launch((u, delta, A, B, C, D, z, delta_bias), softplus, y, starts)
    return y, starts


def _empty_results(u):
    batch, channels, tokens = u.shape
    starts = tokens // _KEPT + 1, batch, channels * _STATES
    return _empty(u, u.shape), _empty(u, starts, wide(u.dtype))


@_scan.register_fake
def _(u, delta, A, B, C, D, z, delta_bias, softplus):
    return _empty_results(u)


@torch.library.custom_op("upsweep::selective_scan_gradients", mutates_args=(), device_types="cuda")
def _gradients(
    grad: Tensor,
    u: Tensor,
    delta: Tensor,
    A: Tensor,
    B: Tensor,
    C: Tensor,
    D: Optional[Tensor],
    z: Optional[Tensor],
    delta_bias: Optional[Tensor],
    softplus: bool,
    starts: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Those of all arguments, in their order; of arguments that are not given, tensors of any
    size."""
    batch, channels, tokens = u.shape
    kind, groups = wide(u.dtype), _groups(B)
    blocks, tiles = batch * (tokens // _BLOCK), channels // _GRADIENT_CHANNELS
    elements = [_empty(u, u.shape) for _ in range(2)] + [_empty(u, u.shape if z is not None else 0)]
    rates = _empty(u, (blocks, channels * _STATES), kind)
    rows = [_empty(u, (blocks, channels), kind) for _ in range(2)]
    matrices = [_empty(u, (tiles, batch * _STATES * tokens), kind) for _ in range(2)]
    memory = [x.data_ptr() for x in (*elements, rates, *rows, *matrices)]
    tensors = u, delta, A, B, C, D, z, delta_bias
    of = _tokens(grad), tuple(memory)
    _launch(tensors, softplus, elements[0], starts, of=of)
    added = lambda x: torch.ops.upsweep.reduce(x, "sum", [0], False)

    def of_matrix(x, m):
        each = [added(part) for part in x.chunk(groups)]
        sums = torch.stack([y.reshape(batch, _STATES, tokens) for y in each], 1)
        return sums.reshape(m.shape).to(m.dtype)

    of_a = added(rates).reshape(A.shape).to(A.dtype)
    of_d, of_bias = (
        _empty(u, 0) if m is None else added(x).to(m.dtype) for x, m in zip(rows, (D, delta_bias))
    )
    of_b, of_c = map(of_matrix, matrices, (B, C))
    return *elements[:2], of_a, of_b, of_c, of_d, elements[2], of_bias


@_gradients.register_fake
def _(grad, u, delta, A, B, C, D, z, delta_bias, softplus, starts):
    tensors = u, delta, A, B, C, D, z, delta_bias
    return tuple(_empty(u, 0) if x is None else _empty(x, x.shape) for x in tensors)


def _setup(ctx, inputs, output):
    *tensors, ctx.softplus = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, *output[1:])


def _backward(ctx, grad, *_):
    *tensors, starts = ctx.saved_tensors
    if grad is None:
        return (None,) * 9
    needs = ctx.needs_input_grad[:8]
    if torch.is_grad_enabled():  # for second derivatives
        y = CHAINS[0](*tensors, ctx.softplus)
        wanted = [x for x, needed in zip(tensors, needs) if needed]
        found = iter(torch.autograd.grad(y, wanted, grad, create_graph=True))
        return *(next(found) if needed else None for needed in needs), None
    made = torch.ops.upsweep.selective_scan_gradients(grad, *tensors, ctx.softplus, starts)
    return *(x if needed else None for x, needed in zip(made, needs)), None


_scan.register_autograd(_backward, setup_context=_setup)


def selective_scan(tensors, softplus, cu_seqlens, state, return_last_state, return_state):
    """The results, the last state [sequence, channel, state], and the state after the call, as far
    as they are wanted. `state` is checked."""
    if _differentiates(tensors) or is_traced(tensors):
        return torch.ops.upsweep.selective_scan(*tensors, softplus)[0], None, None
    u = tensors[0]
    kind, most = wide(u.dtype), u.shape[2]
    sequences = u.shape[0]
    if cu_seqlens is not None:
        sequences = len(cu_seqlens) - 1
        cu_seqlens = cu_seqlens.contiguous()
        lengths(cu_seqlens, most)
    lanes = u.shape[1] * _STATES
    y = _empty(u, u.shape)
    last = _empty(u, (sequences, u.shape[1], _STATES), kind) if return_last_state else None
    before = after = None
    if state is not None:
        before = [x.contiguous() for x in state[:3]]
    if return_state:
        after = [_empty(u, (sequences, lanes), kind), _empty(u, (sequences, 8, 2, lanes), kind)]
        after.append(_empty(u, (sequences,), torch.int64))
    _launch(tensors, softplus, y, None, last, cu_seqlens, before, after)
    if after is not None:
        after = RecurrenceState(*after, after[0].new_zeros((sequences, 0, lanes)))
    return y, last, after
