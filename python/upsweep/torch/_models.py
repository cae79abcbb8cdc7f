"""What models are made of, on top of the scans and reductions."""

import torch  # type: ignore[import-not-found]

from upsweep.torch import _lines, _selective
from upsweep.torch._elements import exp, sigmoid, softplus, sqrt
from upsweep.torch._recurrence import linear_recurrence, result_of
from upsweep.torch._scans import logsumexp, reduce, spread, sum
from upsweep.torch._states import checked_cuts, checked_state, sequences_of
from upsweep.torch._tensors import (
    REAL,
    check,
    check_as,
    check_beside,
    check_dim,
    check_dims,
    check_same,
    converted,
    wide,
    widened,
)


def mean(x, dim=None, keepdim=False, *, dtype=None):
    """The sum divided by the number of elements. With `dtype`, of the elements in that type."""
    x = check_as(x, dtype, "mean")
    dims = check_dims(x, dim, "mean")
    return converted(_mean(x, dims, keepdim), x.dtype)


def _mean(x, dims, keepdim):
    """In the type in which elements are combined."""
    return _divided(reduce(x, "sum", dims, bool(keepdim)), _count(x, dims))


def _divided(x, number):
    """By a tensor: PyTorch on a GPU multiplies by the reciprocal of a number."""
    return x / x.new_full((), number)


def _precise(x):
    """The tensor in a type in which several roundings are no error of x's type."""
    return x.double() if x.dtype == torch.float32 else widened(x)


def var(x, dim=None, *, correction=1, keepdim=False):
    """The sum of the squared distances from the mean, divided by n - correction."""
    dims = check_dims(check(x, "x", "var"), dim, "var")
    count = _count(x, dims)
    divisor = max(count - correction, 0)
    if x.ndim > 0 and _lines.has_kernel(x, count):
        y = _lines.of_lines(x, "variance", dims, divisor)
    else:
        y = _variance(x, dims, divisor)
    if keepdim or x.ndim == 0:
        return y
    return y.reshape([n for d, n in enumerate(x.shape) if d not in dims])


def _variance(x, dims, divisor):
    w = _precise(x)
    d = w - spread(_mean(w, dims, True), w.shape)
    return _divided(sum(d * d, dims, True), divisor).to(x.dtype)


def _count(x, dims):
    count = 1
    for d in dims:  # math.prod of these would be a graph break
        count *= x.shape[d] if x.ndim else 1
    return count


def softmax(x, dim, dtype=None):
    """exp(x - max) / sum(exp(x - max)) along a dimension. With `dtype`, of the elements in that
    type."""
    x = check_as(x, dtype, "softmax")
    dim = check_dim(x, dim, "softmax")
    if x.numel() == 0:
        return x.clone()
    if x.ndim > 0 and _lines.has_kernel(x, x.shape[dim]):
        return _lines.of_lines(x, "softmax", [dim])
    return _softmax(x, dim)


def _softmax(x, dim):
    w = widened(x)
    e = exp(w - w.detach().amax(dim, keepdim=True))
    return (e / spread(sum(e, dim, keepdim=True), e.shape)).to(x.dtype)


def log_softmax(x, dim, dtype=None):
    """x - logsumexp(x) along a dimension. With `dtype`, of the elements in that type."""
    x = check_as(x, dtype, "log_softmax")
    dim = check_dim(x, dim, "log_softmax")
    if x.ndim > 0 and _lines.has_kernel(x, x.shape[dim]):
        return _lines.of_lines(x, "log_softmax", [dim])
    return _log_softmax(x, dim)


def _log_softmax(x, dim):
    w = widened(x)
    return (w - spread(logsumexp(w, dim, keepdim=True), w.shape)).to(x.dtype)


def rms_norm(x, weight=None, eps=1e-6):
    """x / sqrt(mean(x^2) + eps), times `weight`, over the last dimension, of x's type."""
    check(x, "x", "rms_norm")
    if x.ndim == 0:
        raise ValueError("rms_norm: x has no dimension; give [..., channels]")
    if weight is not None:
        check_beside(x, weight, "weight", "rms_norm")
        if weight.shape != x.shape[-1:]:
            raise ValueError(
                f"rms_norm: weight has the shape {list(weight.shape)}; give {list(x.shape[-1:])}"
            )
    kinds = x.dtype, x.dtype if weight is None else weight.dtype
    if kinds[0] == kinds[1] and _lines.has_kernel(x, x.shape[-1]):
        return _lines.of_lines(x, "rms_norm", [x.ndim - 1], eps, weight)
    return _rms_norm(x, eps, weight)


def _rms_norm(x, eps, weight):
    w = _precise(x)
    y = w / spread(sqrt(_mean(w * w, [x.ndim - 1], True) + eps), w.shape)
    if weight is not None:
        y = y * spread(weight.to(y.dtype), y.shape)
    return y.to(x.dtype)


_lines.CHAINS.update(
    softmax=lambda x, _, __: _softmax(x, x.ndim - 1),
    log_softmax=lambda x, _, __: _log_softmax(x, x.ndim - 1),
    rms_norm=_rms_norm,
    variance=lambda x, divisor, _: _variance(x, [x.ndim - 1], divisor).squeeze(-1),
)


def _check_rewards(verb, rewards, **others):
    check(rewards, "rewards", verb)
    if rewards.ndim != 2:
        raise ValueError(f"{verb}: rewards has {rewards.ndim} dimensions; give [batch, time]")
    for name, x in others.items():
        if x is None:
            continue
        check(x, name, verb)
        check_same(rewards, x, ("rewards", name), verb)
        shape = rewards.shape[:1] if name in ("bootstrap", "last_value") else rewards.shape
        if x.shape != shape:
            raise ValueError(f"{verb}: {name} has the shape {list(x.shape)}; give {list(shape)}")


def _goes_on(verb, rewards, flags, name):
    """0 where a flag is set, and 1 elsewhere."""
    if flags is None:
        return torch.ones_like(rewards)
    check_beside(rewards, flags, name, verb, (torch.bool, *REAL))
    if flags.shape != rewards.shape:
        raise ValueError(
            f"{verb}: {name} has the shape {list(flags.shape)}; give {list(rewards.shape)}"
        )
    return 1 - flags.to(rewards.dtype)


def _factor(x, rewards, name, verb):
    """A number, or a tensor of one with a gradient for each time."""
    if not isinstance(x, torch.Tensor):
        return x
    check_same(rewards, check(x, name, verb), ("rewards", name), verb)
    if x.numel() != 1:
        raise ValueError(f"{verb}: {name} has the shape {list(x.shape)}; give one number")
    return spread(x.reshape(()), rewards.shape)


def discounted_returns(rewards, discount, *, dones=None, bootstrap=None):
    """R[t] = rewards[t] + discount (1 - dones[t]) R[t+1] of tensors [batch, time]; R after the last
    time is `bootstrap` [batch], by default 0."""
    verb = "discounted_returns"
    _check_rewards(verb, rewards, bootstrap=bootstrap)
    goes_on = _goes_on(verb, rewards, dones, "dones")
    h0 = None if bootstrap is None else bootstrap[:, None]
    discount = _factor(discount, rewards, "discount", verb)
    a, b = (discount * goes_on)[:, :, None], rewards[:, :, None]
    return linear_recurrence(a, b, h0, reverse=True)[:, :, 0]


def gae(
    rewards, values, last_value, discount, smoothing, *, dones=None, terminated=None,
    next_values=None,
):  # fmt: skip
    """Generalized advantage estimates of tensors [batch, time]:
    A[t] = rewards[t] + discount e[t] next[t] - values[t] + discount smoothing c[t] A[t+1].

    c is 1 - dones: an episode ends there. e is 1 - terminated, by default 1 - dones: a state that
    ends an episode has no value, but the state where an episode is cut off has one. next is
    values[t+1], and `last_value` [batch] after the last time; or `next_values`, with `last_value`
    None, which for an episode that was cut off have the value of the state that was reached.
    """
    verb = "gae"
    if (last_value is None) == (next_values is None):
        raise ValueError(f"{verb}: give last_value or next_values, and None for the other one")
    _check_rewards(verb, rewards, values=values, last_value=last_value, next_values=next_values)
    flags = [(terminated, "terminated"), (dones, "dones")]
    given = [pair for pair in flags if pair[0] is not None] or flags
    has_value, goes_on = (_goes_on(verb, rewards, *given[k]) for k in (0, -1))
    discount = _factor(discount, rewards, "discount", verb)
    smoothing = _factor(smoothing, rewards, "smoothing", verb)
    if next_values is None:
        next_values = torch.cat([values[:, 1:], last_value[:, None]], 1)[:, : rewards.shape[1]]
    errors = rewards + discount * has_value * next_values - values
    a = (discount * smoothing) * goes_on
    return linear_recurrence(a[:, :, None], errors[:, :, None], reverse=True)[:, :, 0]


def selective_scan(
    u, delta, A, B, C, D=None, z=None, delta_bias=None, delta_softplus=False,
    return_last_state=False, *, cu_seqlens=None, state=None, return_state=False,
):  # fmt: skip
    """Mamba's selective scan, with the arguments of `mamba_ssm`'s `selective_scan_fn`.

    `u` and `delta` [B, D, L], `A` [D, N], `B` and `C` [B, N, L] (or [D, N] or [B, G, N, L]), `D`
    and `delta_bias` [D], `z` [B, D, L]. Returns y [B, D, L]; with `return_last_state` also the last
    state [B, D, N]. With `cu_seqlens`, the tokens of B = 1 are sequences one after another, and
    there is a last state for each. To continue, give the state that `return_state` returns. Chunks
    of any lengths, batches and packed sequences have the bits of one call, also the gradients of
    what has tokens. The gradients of A, D and delta_bias are sums over the tokens of a call.
    """
    verb = "selective_scan"
    check(u, "u", verb)
    if u.ndim != 3:
        raise ValueError(f"{verb}: u has the shape {list(u.shape)}; give [batch, channels, tokens]")
    batch, channels, tokens = u.shape
    check(A, "A", verb)
    if A.ndim != 2 or A.shape[0] != channels:
        raise ValueError(f"{verb}: A has the shape {list(A.shape)}; give [{channels}, N]")
    states = A.shape[1]
    shapes = dict(delta=(delta, u.shape), A=(A, A.shape), B=(B, None), C=(C, None))
    shapes |= dict(D=(D, (channels,)), z=(z, u.shape), delta_bias=(delta_bias, (channels,)))
    for name, (x, shape) in shapes.items():
        if x is None and name in ("D", "z", "delta_bias"):
            continue
        check_beside(u, x, name, verb)
        if shape is not None and x.shape != shape:
            raise ValueError(f"{verb}: {name} has the shape {list(x.shape)}; give {list(shape)}")
    if cu_seqlens is not None:
        cu_seqlens = checked_cuts(u, "u", cu_seqlens, verb)
    tensors = u, delta, A, B, C, D, z, delta_bias
    for m, name in ((B, "B"), (C, "C")):
        _check_states(m, name, verb, u, states)
    how = cu_seqlens, state, return_last_state, return_state
    run = _selective_scan
    if _selective.has_kernel(tensors, *how):
        run = _selective.selective_scan
        if state is not None:
            state = checked_state(state, (sequences_of(u, cu_seqlens), channels * states), u, verb)
            how = cu_seqlens, state, return_last_state, return_state
    y, last, after = run(tensors, delta_softplus, *how)
    results = [y]
    if return_last_state:
        results.append(last)
    if return_state:
        results.append(after)
    return results[0] if len(results) == 1 else tuple(results)


def _selective_scan(tensors, softplus_of_delta, cu_seqlens, state, return_last_state, _):
    """The chain of operators, of checked arguments."""
    u, delta, A, B, C, D, z, delta_bias = tensors
    (batch, channels, tokens), states = u.shape, A.shape[1]
    dtype = wide(u.dtype)
    x, step = (m.to(dtype).transpose(1, 2) for m in (u, delta))  # [batch, tokens, channels]
    if delta_bias is not None:
        step = step + spread(delta_bias.to(dtype), step.shape)
    if softplus_of_delta:
        step = softplus(step)
    full = (batch, tokens, channels, states)
    ahead, back = (spread(_by_token(m.to(dtype), u, states), full) for m in (B, C))
    a = exp(spread(step[..., None], full) * spread(A.to(dtype), full))
    b = spread((step * x)[..., None], full) * ahead
    flat = (batch, tokens, channels * states)
    h, after = linear_recurrence(
        a.reshape(flat), b.reshape(flat), cu_seqlens=cu_seqlens, state=state, return_state=True
    )
    y = sum(h.reshape(full) * back, -1)
    if D is not None:
        y = y + x * spread(D.to(dtype), x.shape)
    y = y.transpose(1, 2)
    if z is not None:
        gate = z.to(dtype)
        y = y * (gate * sigmoid(gate))
    last = None
    if return_last_state:
        last = _last(h, after, cu_seqlens).reshape(-1, channels, states)
    return y.to(u.dtype), last, after


_selective.CHAINS.append(lambda *x: _selective_scan(x[:8], x[8], None, None, False, False)[0])


def _last(h, after, cu_seqlens):
    """The last result of each sequence, also of those without tokens."""
    if h.shape[1] == 0:
        return result_of(after)
    if cu_seqlens is None:
        return h[:, -1]
    at = cu_seqlens[1:].long() - 1
    has = (at >= cu_seqlens[:-1])[:, None]
    return torch.where(has, h[0, at.clamp(min=0)], result_of(after))


def _check_states(m, name, verb, u, states):
    batch, channels, tokens = u.shape
    groups = m.shape[1] if m.ndim == 4 else 1
    shapes = (channels, states), (batch, states, tokens), (batch, groups, states, tokens)
    if m.shape not in shapes or groups == 0 or channels % groups:
        raise ValueError(
            f"{verb}: {name} has the shape {list(m.shape)}; give [{batch}, {states}, {tokens}], "
            f"[{channels}, {states}] or [{batch}, groups, {states}, {tokens}]"
        )


def _by_token(m, u, states):
    """B or C as [batch, tokens, channels, N], or with 1 in place of some."""
    batch, channels, tokens = u.shape
    if m.shape == (channels, states):
        return m[None, None]
    if m.ndim == 3:
        return m.transpose(1, 2)[:, :, None]
    groups = m.shape[1]
    rows = m.permute(0, 3, 1, 2)[:, :, :, None]
    each = spread(rows, (batch, tokens, groups, channels // groups, states))
    return each.reshape(batch, tokens, channels, states)
