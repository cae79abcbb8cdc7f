"""Linear recurrences in the tree of anchored blocks, forward and backward."""

from typing import Optional

import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep import _core
from upsweep._anchored import DIGITS, checked_offsets
from upsweep._settings import default_settings
from upsweep.torch._derivatives import (
    called,
    differentiable,
    differentiates,
    keep,
    kernel_of,
    operator,
)
from upsweep.torch._states import (
    LINK_ROWS,
    RecurrenceState,
    checked_cuts,
    checked_state,
    link_shape,
    new_link,
    sequences_of,
)
from upsweep.torch._tensors import FLOATING, NAMES, check, check_beside, check_same, wide


@operator("linear_recurrence")
def _run(
    a: Tensor,
    b: Tensor,
    value: Tensor,
    totals: Tensor,
    position: Tensor,
    cu_seqlens: Optional[Tensor],
    reverse: bool,
    link: Optional[Tensor] = None,
    linked: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    h = torch.empty_like(b, memory_format=torch.contiguous_format)
    state = _run_core(a, b, h, cu_seqlens, (value, totals, position), reverse)
    return h, *state, new_link(value, linked)


def _run_core(a, b, h, cu_seqlens, state, reverse, gradients=None):
    """Stores the results and returns the state after them. `gradients` are what the core needs to
    make them, with the state before the recurrence at their end."""
    after = [x.clone(memory_format=torch.contiguous_format) for x in state]
    offsets, position = None, after[2]
    if cu_seqlens is not None:
        offsets = checked_offsets(cu_seqlens.numpy(), b.shape[1], "linear_recurrence")
    _core.recurrence_in_memory(
        NAMES[b.dtype],
        b.shape,
        strided(a),
        strided(b),
        strided(h),
        0 if offsets is None else offsets.ctypes.data,
        position.shape[0],
        addresses(after),
        reverse,
        default_settings(),
        None if gradients is None else addresses(gradients),
    )
    return after


def strided(x):
    """The address of a tensor's elements, and their strides."""
    return x.data_ptr(), *x.stride()


def addresses(tensors):
    return tuple([x.data_ptr() for x in tensors])


@_run.register_fake
def _(a, b, value, totals, position, cu_seqlens, reverse, link=None, linked=False):
    h = torch.empty(b.shape, dtype=b.dtype, device=b.device)
    state = (torch.empty_like(x, memory_format=torch.contiguous_format)
             for x in (value, totals, position))  # fmt: skip
    return h, *state, value.new_empty(link_shape(value, linked))


@operator("linear_recurrence_gradients")
def _gradients(
    a: Tensor,
    h: Tensor,
    grad: Tensor,
    factor: Tensor,
    value: Tensor,
    totals: Tensor,
    position: Tensor,
    after_value: Tensor,
    after_totals: Tensor,
    after_position: Tensor,
    cu_seqlens: Optional[Tensor],
    reverse: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The gradients of a and b, in one pass: g[t] = grad[t] + conj(a[t+1]) g[t+1] of b, and
    g[t] conj(h[t-1]) of a. `factor` is a after the last token; the recurrence of the gradients
    continues from the state after it. Returns that before the first token, too."""
    of_a, g = (torch.empty_like(h, memory_format=torch.contiguous_format) for _ in range(2))
    start = [x.contiguous() for x in (value, totals, position)]
    gradients = (factor.to(h.dtype).contiguous(), h.contiguous(), of_a, *start)
    after = after_value, after_totals, after_position
    return of_a, g, *_run_core(a, grad, g, cu_seqlens, after, not reverse, gradients)


@_gradients.register_fake
def _(a, h, grad, factor, value, totals, position, *state_and_how):
    new = (torch.empty(h.shape, dtype=h.dtype, device=h.device) for _ in range(2))
    state = (torch.empty_like(x, memory_format=torch.contiguous_format)
             for x in (value, totals, position))  # fmt: skip
    return *new, *state


_gradients_alone = called("linear_recurrence_gradients", _gradients)


def gradient_from_1(a, h, grad, reverse):
    """That of a in h[t] = a[t] h[t-1], where the value before the first token is 1."""
    ones = torch.ones((h.shape[0], h.shape[2]), dtype=wide(h.dtype), device=h.device)
    start, after = (_state_from(value)[:3] for value in (ones, torch.zeros_like(ones)))
    return _gradients_alone(a, h, grad, after[0], *start, *after, None, reverse)[0]


def _times(x, y):
    """The products of elements. Of complex numbers, PyTorch's own have other bits at the end of a
    tensor than in its middle."""
    if not x.is_complex():
        return x * y
    return torch.complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _before(value, totals, position):
    """The result before the first token: the state joined with its totals, the largest first."""
    h = value
    for k in reversed(range(DIGITS)):
        has = (position >> k & 1).bool()[:, None]
        h = torch.where(has, _times(totals[:, k, 0], h) + totals[:, k, 1], h)
    return h


def _setup(ctx, inputs, output):
    a, b, value, totals, position, cu_seqlens, ctx.reverse, *link = inputs
    h, *state, link_after = output
    ctx.mark_non_differentiable(*state)
    ctx.set_materialize_grads(False)
    keep(ctx, a, h, value, totals, position, cu_seqlens)
    ctx.continues = bool(link) and link[0] is not None and link[0].shape[1] > 0
    ctx.inputs, ctx.linked = len(inputs), link_after.shape[1] > 0


class _FirstOrder(torch.autograd.Function):
    """The tensor, whose gradient is refused by a sentence."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError(
            "linear_recurrence: second derivatives through a state are not computed; give all "
            "tokens in one call, or state.detach()"
        )

    jvp = backward


def _after_link(link, value, totals, position):
    """The state of the gradients' recurrence after the tokens that follow a link, and the
    coefficient of the first of these. Where no call or several continued, it begins with the sum of
    their gradients."""
    if link is None:
        zero = torch.zeros_like(value)
        return zero, torch.zeros_like(totals), torch.zeros_like(position), zero
    link = _FirstOrder.apply(link)
    rest, (factor, gradient, at, calls) = link[:, : 1 + 2 * DIGITS], link[:, -4:].unbind(1)
    once = (calls == 1).all(1)
    value = torch.where(once[:, None], rest[:, 0], gradient)
    at = torch.where(once, at.real.amax(1) if at.shape[1] else 0, 0).to(position.dtype)
    return value, rest[:, 1:].reshape(totals.shape), at, torch.where(once[:, None], factor, 1)


def _before_link(state, factor, gradient):
    """The gradient of the link from which a call continued."""
    value, totals, position = state
    at = position[:, None, None].to(value.dtype).expand(-1, 1, value.shape[1])
    rows = [factor[:, None], gradient[:, None], at, torch.ones_like(at)]
    return _FirstOrder.apply(torch.cat([value[:, None], totals.flatten(1, 2), *rows], 1))


def _ends(h, cu_seqlens, reverse):
    """The sequences that have tokens, and for each its row, its first token and its last."""
    if cu_seqlens is None:
        which = torch.arange(len(h) if h.shape[1] else 0, device=h.device)
        first, last = torch.zeros_like(which), torch.full_like(which, h.shape[1] - 1)
        rows = which
    else:
        which = (cu_seqlens[1:] > cu_seqlens[:-1]).nonzero()[:, 0]
        first, last = cu_seqlens[:-1][which], cu_seqlens[1:][which] - 1
        rows = torch.zeros_like(which)
    return (which, rows, last, first) if reverse else (which, rows, first, last)


def _differentiable_gradients(a, h, grad, factor, value, totals, position, *state_and_how):
    """`_gradients`, by operators that have gradients."""
    *state, cu_seqlens, reverse = state_and_how
    which, rows, _, last = _ends(h, cu_seqlens, reverse)
    a_next = a.roll(1 if reverse else -1, 1).index_put((rows, last), factor[which].to(a.dtype))
    h_before = _results_before(h, value, totals, position, cu_seqlens, reverse)
    g, *after, _ = recurrence(
        a_next.conj().resolve_conj(), grad.contiguous(), *state, cu_seqlens, not reverse
    )
    return _times(g, h_before.conj()), g, *after


def _results_before(h, value, totals, position, cu_seqlens, reverse):
    """The result before each token."""
    which, rows, first, _ = _ends(h, cu_seqlens, reverse)
    before = _before(value, totals, position)[which].to(h.dtype)
    return h.roll(-1 if reverse else 1, 1).index_put((rows, first), before)


def _backward(ctx, grad, _value, _totals, _position, grad_link):
    """g[t] = grad[t] + conj(a[t+1]) g[t+1] is a recurrence in the other direction, which a link
    continues from call to call; b has the gradient g, a has g[t] conj(h[t-1]), and the value before
    the first token conj(a[0]) g[0]."""
    a, h, value, totals, position, cu_seqlens = ctx.saved_tensors
    if grad_link is not None and grad_link.shape[1] == 0:
        grad_link = None
    if grad is None and grad_link is None:
        return (None,) * ctx.inputs
    grad = torch.zeros_like(h) if grad is None else grad
    *state, factor = _after_link(grad_link, value, totals, position)
    run = _differentiable_gradients if torch.is_grad_enabled() else _gradients_alone
    of_a, g, *after = run(
        a, h, grad, factor, value, totals, position, *state, cu_seqlens, ctx.reverse
    )
    grad_value = grad_link_before = None
    if ctx.needs_input_grad[2] or ctx.continues:
        which, rows, first, _ = _ends(h, cu_seqlens, ctx.reverse)
        a_first = a[rows, first]
        at_first = _times(a_first.conj(), g[rows, first]).to(value.dtype)
        # A sequence without tokens hands on what arrived.
        gradient = torch.zeros_like(value) if grad_link is None else grad_link[:, -3]
        gradient = gradient.index_put((which,), at_first)
        grad_value = torch.where(position[:, None] == 0, gradient, 0)
        if ctx.continues:
            factor = factor.index_put((which,), a_first.to(value.dtype))
            grad_link_before = _before_link(after, factor, gradient)
    rest = (grad_link_before, None)[: ctx.inputs - 7]
    return (of_a, g, grad_value, None, None, None, None, *rest)


def _forward(ctx, of_a, of_b, of_value, *others):
    """dh[t] = a[t] dh[t-1] + (da[t] h[t-1] + db[t]) is a recurrence in the same direction. The
    first row of a link has the tangent after the last token."""
    a, h, value, totals, position, cu_seqlens = ctx.saved_tensors
    of_link = others[4] if ctx.continues else None
    b = torch.zeros_like(h) if of_b is None else of_b
    if of_a is not None:
        before = _results_before(h, value, totals, position, cu_seqlens, ctx.reverse)
        b = _times(of_a, before) + b
    first = torch.zeros_like(value)
    if of_value is not None:
        first = torch.where(position[:, None] == 0, of_value, first)
    if of_link is not None:
        first = first + of_link[:, 0]
    start = first.contiguous(), torch.zeros_like(totals), torch.zeros_like(position)
    of_h, *after, _ = recurrence(a, b.contiguous(), *start, cu_seqlens, ctx.reverse)
    # The link has a tangent, also of no rows.
    rows = torch.zeros_like(value)[:, None].expand(-1, LINK_ROWS - 1, -1)
    of_link = torch.cat([_before(*after)[:, None], rows], 1)
    return of_h, None, None, None, of_link if ctx.linked else of_link[:, :0]


recurrence = differentiable("linear_recurrence", _setup, _backward, _forward)


def _called(a, b, state, cu_seqlens, reverse, return_state):
    """The results and the state after them, with a link if there is a derivative."""
    args = a, b, *state[:3], cu_seqlens, reverse, state.link
    run, linked = kernel_of("linear_recurrence", args), False
    if run is None:
        run = recurrence
        linked = return_state and (
            differentiates()
            or torch.is_grad_enabled()
            and any(x is not None and x.requires_grad for x in (a, b, state.value, state.link))
        )
    h, *after = run(*args, linked)
    return h, RecurrenceState(*after)


def result_of(state):
    """The result of the last token before a state."""
    return _before(*state[:3])


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
    Elements of 16 bits are combined in float32. `a`, `b` and `h0` have gradients, which go through
    a state to the calls before it, with the bits of one call.
    """
    verb = "linear_recurrence"
    a, b = _checked(a, b, verb)
    if b.ndim != 3:
        raise ValueError(f"{verb}: b has {b.ndim} dimensions; give [batch, tokens, channels]")
    if cu_seqlens is not None:
        cu_seqlens = checked_cuts(b, "b", cu_seqlens, verb)
    shape = (sequences_of(b, cu_seqlens), b.shape[2])
    if state is None:
        state = _started(h0, shape, b, verb)
    elif h0 is not None:
        raise ValueError(f"{verb}: h0 and state are both given; give one of them")
    else:
        state = checked_state(state, shape, b, verb)
    h, after = _called(a, b, state, cu_seqlens, bool(reverse), return_state)
    return (h, after) if return_state else h


def linear_recurrence_step(state, a, b):
    """Continue by one token: `a` and `b` [B, D]. Returns h [B, D] and the state after it, with the
    bits of one call of `linear_recurrence` over all tokens."""
    verb = "linear_recurrence_step"
    a, b = _checked(a, b, verb)
    if b.ndim != 2:
        raise ValueError(f"{verb}: b has {b.ndim} dimensions; give [batch, channels]")
    state = checked_state(state, tuple(b.shape), b, verb)
    h, after = _called(a.unsqueeze(1), b.unsqueeze(1), state, None, False, True)
    return h.squeeze(1), after


def _checked(a, b, verb):
    check(a, "a", verb, FLOATING)
    check(b, "b", verb, FLOATING)
    check_same(a, b, ("a", "b"), verb)
    if a.shape == b.shape:
        return a, b
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
        check_beside(b, h0, "h0", verb, FLOATING)
        if h0.is_complex() and not b.is_complex():
            raise TypeError(f"{verb}: h0 is complex, but b has elements of {b.dtype}")
        try:
            value = h0.to(dtype).expand(shape)
        except RuntimeError:
            raise ValueError(
                f"{verb}: h0 has the shape {list(h0.shape)}; give {list(shape)}"
            ) from None
    return _state_from(value)


def _state_from(value):
    """The state before any token."""
    count, lanes = value.shape
    # Not by value.new_zeros, which would be mapped by vmap if the value is.
    totals = torch.zeros((count, DIGITS, 2, lanes), dtype=value.dtype, device=value.device)
    position = torch.zeros(count, dtype=torch.int64, device=value.device)
    return RecurrenceState(value, totals, position)
