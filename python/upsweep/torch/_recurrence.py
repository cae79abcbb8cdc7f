"""Linear recurrences in the tree of anchored blocks, forward and backward."""

from typing import NamedTuple, Optional

import numpy as np
import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep import _core
from upsweep._anchored import DIGITS, checked_offsets
from upsweep._settings import default_settings
from upsweep.torch._tensors import NAMES, check, check_same, memory, wide


class RecurrenceState(NamedTuple):
    """The state after some tokens, as `upsweep.RecurrenceState`, of tensors: `value` [B, D],
    `totals` [B, 8, 2, D] and `position` [B]. It has no gradient."""

    value: Tensor
    totals: Tensor
    position: Tensor


def _sequences(b, cu_seqlens):
    return b.shape[0] if cu_seqlens is None else cu_seqlens.shape[0] - 1


@torch.library.custom_op("upsweep::linear_recurrence", mutates_args=(), device_types="cpu")
def _run(
    a: Tensor,
    b: Tensor,
    value: Tensor,
    totals: Tensor,
    position: Tensor,
    cu_seqlens: Optional[Tensor],
    reverse: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    h = torch.empty(b.shape, dtype=b.dtype)
    state = [x.clone(memory_format=torch.contiguous_format) for x in (value, totals, position)]
    offsets = None
    if cu_seqlens is not None:
        offsets = checked_offsets(cu_seqlens.numpy(), b.shape[1], "linear_recurrence")
    before, totals_before, at = (memory(x) for x in state)
    _core.anchored_recurrence(
        NAMES[b.dtype],
        memory(a),
        memory(b),
        memory(h),
        offsets,
        before,
        totals_before,
        at,
        reverse,
        default_settings(),
    )
    return h, state[0], state[1], state[2]


@_run.register_fake
def _(a, b, value, totals, position, cu_seqlens, reverse):
    h = torch.empty(b.shape, dtype=b.dtype, device=b.device)
    return h, *(torch.empty_like(x, memory_format=torch.contiguous_format)
                for x in (value, totals, position))  # fmt: skip


def _before(value, totals, position):
    """The result before the first token: the state joined with its totals, the largest first."""
    h = value
    for k in reversed(range(DIGITS)):
        has = (position >> k & 1).bool()[:, None]
        h = torch.where(has, totals[:, k, 0] * h + totals[:, k, 1], h)
    return h


def _setup(ctx, inputs, output):
    a, b, value, totals, position, cu_seqlens, reverse = inputs
    h, *state = output
    ctx.mark_non_differentiable(*state)
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(a, h, value, totals, position, cu_seqlens)
    ctx.reverse = reverse


def _firsts_and_lasts(cu_seqlens):
    """The first and the last token of each sequence that has tokens, and which these are."""
    full = (cu_seqlens[1:] > cu_seqlens[:-1]).nonzero()[:, 0]
    return cu_seqlens[:-1][full], cu_seqlens[1:][full] - 1, full


def _backward(ctx, grad, *_):
    """g[t] = grad[t] + conj(a[t+1]) g[t+1] is a recurrence in the other direction; b has the
    gradient g, a has g[t] conj(h[t-1]), and the value before the first token conj(a[0]) g[0]."""
    a, h, value, totals, position, cu_seqlens = ctx.saved_tensors
    if grad is None or grad.shape[1] == 0:
        return (None,) * 7 if grad is None else (grad, grad, torch.zeros_like(value)) + (None,) * 4
    reverse, step = ctx.reverse, -1 if ctx.reverse else 1
    first, last = (-1, 0) if reverse else (0, -1)
    before = _before(value, totals, position).to(h.dtype)
    if cu_seqlens is None:
        at_first, at_last, which = [first], [last], slice(None)
        start = before[:, None]
    else:
        at_first, at_last, which = _firsts_and_lasts(cu_seqlens)
        if reverse:
            at_first, at_last = at_last, at_first
        start = before[which][None]
    a_next, h_before = a.roll(-step, 1), h.roll(step, 1)
    a_next = a_next.index_fill(1, torch.as_tensor(at_last) % a.shape[1], 0)
    h_before = h_before.index_copy(1, torch.as_tensor(at_first) % a.shape[1], start)
    zero = [torch.zeros_like(x) for x in (value, totals, position)]
    g, *_ = _run(a_next.conj().resolve_conj(), grad.contiguous(), *zero, cu_seqlens, not reverse)
    grad_first = (a.conj() * g)[:, at_first].to(value.dtype)
    grad_value = torch.zeros_like(value)
    if cu_seqlens is None:
        grad_value = grad_first[:, 0]
    else:
        grad_value = grad_value.index_copy(0, which, grad_first[0])
    grad_value = torch.where(position[:, None] == 0, grad_value, 0)
    return g * h_before.conj(), g, grad_value, None, None, None, None


_run.register_autograd(_backward, setup_context=_setup)


def linear_recurrence(
    a, b, h0=None, *, cu_seqlens=None, reverse=False, state=None, return_state=False
):
    """Solve h[t] = a[t] h[t-1] + b[t] for each sequence and channel.

    `a` and `b` are tensors [B, L, D] of one type, and broadcast; `a` may be complex if `b` is.
    `h0` [B, D] is the value before the first token, by default 0; or `state`, from which the call
    continues. With `cu_seqlens`, the L tokens of B = 1 are sequences one after another, and `h0`
    has a row for each. Returns h [B, L, D], and with `return_state` the state after it, for
    `linear_recurrence_step` and further calls. Chunks of any lengths, steps, batches and packed
    sequences have one bit pattern, that of the tree of anchored blocks (docs/spec/blocks.md).
    Elements of 16 bits are combined in float32. `a`, `b` and `h0` have gradients; a state has none.
    """
    verb = "linear_recurrence"
    a, b = _checked(a, b, verb)
    if b.ndim != 3:
        raise ValueError(f"{verb}: b has {b.ndim} dimensions; give [batch, tokens, channels]")
    if cu_seqlens is not None:
        check(cu_seqlens, "cu_seqlens", verb, (torch.int32, torch.int64))
        if cu_seqlens.ndim != 1 or cu_seqlens.shape[0] == 0 or b.shape[0] != 1:
            raise ValueError(
                f"{verb}: cu_seqlens has the shape {list(cu_seqlens.shape)} and b a batch of "
                f"{b.shape[0]}; give offsets in one dimension and a batch of 1"
            )
        cu_seqlens = cu_seqlens.long()
    shape = (_sequences(b, cu_seqlens), b.shape[2])
    if state is None:
        state = _started(h0, shape, b, verb)
    elif h0 is not None:
        raise ValueError(f"{verb}: h0 and state are both given; give one of them")
    else:
        state = _checked_state(state, shape, b.dtype, verb)
    h, *after = torch.ops.upsweep.linear_recurrence(a, b, *state, cu_seqlens, bool(reverse))
    return (h, RecurrenceState(*after)) if return_state else h


def linear_recurrence_step(state, a, b):
    """Continue by one token: `a` and `b` [B, D]. Returns h [B, D] and the state after it, with the
    bits of one call of `linear_recurrence` over all tokens."""
    verb = "linear_recurrence_step"
    a, b = _checked(a, b, verb)
    if b.ndim != 2:
        raise ValueError(f"{verb}: b has {b.ndim} dimensions; give [batch, channels]")
    state = _checked_state(state, tuple(b.shape), b.dtype, verb)
    h, *after = torch.ops.upsweep.linear_recurrence(a[:, None], b[:, None], *state, None, False)
    return h[:, 0], RecurrenceState(*after)


def _checked(a, b, verb):
    check(a, "a", verb, tuple(NAMES))
    check(b, "b", verb, tuple(NAMES))
    check_same(a, b, ("a", "b"), verb)
    try:
        return torch.broadcast_tensors(a, b)
    except RuntimeError:
        raise ValueError(
            f"{verb}: a has the shape {list(a.shape)}, and b {list(b.shape)}"
        ) from None


def _started(h0, shape, b, verb):
    dtype = wide(b.dtype)
    if h0 is None:
        value = torch.zeros(shape, dtype=dtype, device=b.device)
    else:
        check(h0, "h0", verb, tuple(NAMES))
        if h0.is_complex() and not b.is_complex():
            raise TypeError(f"{verb}: h0 is complex, but b has elements of {b.dtype}")
        try:
            value = h0.to(dtype).expand(shape)
        except RuntimeError:
            raise ValueError(
                f"{verb}: h0 has the shape {list(h0.shape)}; give {list(shape)}"
            ) from None
    totals = torch.zeros((shape[0], DIGITS, 2, shape[1]), dtype=dtype, device=b.device)
    return value, totals, torch.zeros(shape[0], dtype=torch.int64, device=b.device)


def _checked_state(state, shape, dtype, verb):
    if not isinstance(state, tuple) or len(state) != 3:
        raise TypeError(f"{verb}: state is a {type(state).__name__}; give a RecurrenceState")
    shapes = shape, (shape[0], DIGITS, 2, shape[1]), shape[:1]
    dtypes = wide(dtype), wide(dtype), torch.int64
    for x, name, of, kind in zip(state, RecurrenceState._fields, shapes, dtypes):
        check(x, f"state.{name}", verb, (kind,))
        if tuple(x.shape) != of:
            raise ValueError(f"{verb}: state.{name} has the shape {list(x.shape)}; give {list(of)}")
    return tuple(x.detach() for x in state)
