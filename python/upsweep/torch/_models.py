"""What models are made of, on top of the scans and reductions."""

import torch  # type: ignore[import-not-found]

from upsweep.torch._recurrence import linear_recurrence
from upsweep.torch._scans import exp, logsumexp, sigmoid, softplus, sum
from upsweep.torch._tensors import check, check_dim, check_dims, check_same


def mean(x, dim=None, keepdim=False):
    """The sum divided by the number of elements."""
    check(x, "x", "mean")
    dims = check_dims(x, dim, "mean")
    return sum(x, dims, keepdim) / _count(x, dims)


def var(x, dim=None, *, correction=1, keepdim=False):
    """The sum of the squared distances from the mean, divided by n - correction."""
    check(x, "x", "var")
    dims = check_dims(x, dim, "var")
    d = x - mean(x, dims, keepdim=True)
    return sum(d * d, dims, keepdim) / max(_count(x, dims) - correction, 0)


def _count(x, dims):
    count = 1
    for d in dims:
        count *= x.shape[d] if x.ndim else 1
    return count


def softmax(x, dim):
    """exp(x - max) / sum(exp(x - max)) along a dimension."""
    check(x, "x", "softmax")
    dim = check_dim(x, dim, "softmax")
    if x.numel() == 0:
        return x.clone()
    e = exp(x - x.detach().amax(dim, keepdim=True))
    return e / sum(e, dim, keepdim=True)


def log_softmax(x, dim):
    """x - logsumexp(x) along a dimension."""
    check(x, "x", "log_softmax")
    dim = check_dim(x, dim, "log_softmax")
    return x - logsumexp(x, dim, keepdim=True)


def rms_norm(x, weight=None, eps=1e-6):
    """x / sqrt(mean(x^2) + eps), times `weight`, over the last dimension."""
    check(x, "x", "rms_norm")
    if x.ndim == 0:
        raise ValueError("rms_norm: x has no dimension; give [..., channels]")
    y = x / torch.sqrt(mean(x * x, -1, keepdim=True) + eps)
    if weight is None:
        return y
    check(weight, "weight", "rms_norm")
    if weight.shape != x.shape[-1:]:
        raise ValueError(
            f"rms_norm: weight has the shape {list(weight.shape)}; give {list(x.shape[-1:])}"
        )
    return y * weight


def _rewards(verb, rewards, dones, **others):
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
    if dones is None:
        return torch.ones_like(rewards)
    check(dones, "dones", verb, (torch.bool, *check.__defaults__[0]))
    if dones.shape != rewards.shape:
        raise ValueError(
            f"{verb}: dones has the shape {list(dones.shape)}; give {list(rewards.shape)}"
        )
    return 1 - dones.to(rewards.dtype)


def discounted_returns(rewards, discount, *, dones=None, bootstrap=None):
    """R[t] = rewards[t] + discount (1 - dones[t]) R[t+1] of tensors [batch, time]; R after the last
    time is `bootstrap` [batch], by default 0."""
    goes_on = _rewards("discounted_returns", rewards, dones, bootstrap=bootstrap)
    h0 = None if bootstrap is None else bootstrap[:, None]
    a, b = (discount * goes_on)[:, :, None], rewards[:, :, None]
    return linear_recurrence(a, b, h0, reverse=True)[:, :, 0]


def gae(rewards, values, last_value, discount, smoothing, *, dones=None):
    """Generalized advantage estimates of tensors [batch, time], and `last_value` [batch]:
    A[t] = rewards[t] + discount c[t] values[t+1] - values[t] + discount smoothing c[t] A[t+1], with
    c = 1 - dones."""
    goes_on = _rewards("gae", rewards, dones, values=values, last_value=last_value)
    following = torch.cat([values[:, 1:], last_value[:, None]], 1)[:, : rewards.shape[1]]
    errors = rewards + discount * goes_on * following - values
    a = (discount * smoothing) * goes_on
    return linear_recurrence(a[:, :, None], errors[:, :, None], reverse=True)[:, :, 0]


def selective_scan(
    u, delta, A, B, C, D=None, z=None, delta_bias=None, delta_softplus=False,
    return_last_state=False, *, state=None, return_state=False,
):  # fmt: skip
    """Mamba's selective scan, with the arguments of `mamba_ssm`'s `selective_scan_fn`.

    `u` and `delta` [B, D, L], `A` [D, N], `B` and `C` [B, N, L] (or [D, N] or [B, G, N, L]), `D`
    and `delta_bias` [D], `z` [B, D, L]. Returns y [B, D, L]; with `return_last_state` also the last
    state [B, D, N]. To continue, give the state that `return_state` returns. Chunks of any lengths
    have the bits of one call.
    """
    verb = "selective_scan"
    for name, x in dict(u=u, delta=delta, A=A, B=B, C=C).items():
        check(x, name, verb)
    for name, x in dict(D=D, z=z, delta_bias=delta_bias).items():
        if x is not None:
            check(x, name, verb)
    if u.ndim != 3 or delta.shape != u.shape:
        raise ValueError(
            f"{verb}: u has the shape {list(u.shape)} and delta {list(delta.shape)}; give "
            "[batch, channels, tokens]"
        )
    batch, channels, tokens = u.shape
    if A.ndim != 2 or A.shape[0] != channels:
        raise ValueError(f"{verb}: A has the shape {list(A.shape)}; give [{channels}, N]")
    states = A.shape[1]
    u32, step = u.float() if u.itemsize < 4 else u, delta.float() if u.itemsize < 4 else delta
    if delta_bias is not None:
        step = step + delta_bias[:, None]
    if delta_softplus:
        step = softplus(step)
    step, x = step.transpose(1, 2), u32.transpose(1, 2)  # [batch, tokens, channels]
    ahead, back = (_by_token(m, name, verb, u32, states) for m, name in ((B, "B"), (C, "C")))
    a = exp(step[..., None] * A)
    b = (step * x)[..., None] * ahead
    flat = [m.expand(batch, tokens, channels, states).reshape(batch, tokens, -1) for m in (a, b)]
    h, after = linear_recurrence(*flat, state=state, return_state=True)
    h = h.reshape(batch, tokens, channels, states)
    y = sum(h * back, -1)
    if D is not None:
        y = y + x * D
    y = y.transpose(1, 2)
    if z is not None:
        gate = z.to(y.dtype)
        y = y * (gate * sigmoid(gate))
    y = y.to(u.dtype)
    results = [y]
    if return_last_state:
        results.append(h[:, -1])
    if return_state:
        results.append(after)
    return y if len(results) == 1 else tuple(results)


def _by_token(m, name, verb, u, states):
    """B or C as [batch, tokens, channels or 1, N]."""
    batch, channels, tokens = u.shape
    m = m.to(u.dtype)
    if m.shape == (channels, states):
        return m[None, None]
    if m.shape == (batch, states, tokens):
        return m.transpose(1, 2)[:, :, None]
    if m.ndim == 4 and m.shape[::2] == (batch, states) and m.shape[3] == tokens:
        if m.shape[1] and channels % m.shape[1] == 0:
            return m.repeat_interleave(channels // m.shape[1], 1).permute(0, 3, 1, 2)
    raise ValueError(
        f"{verb}: {name} has the shape {list(m.shape)}; give [{batch}, {states}, {tokens}], "
        f"[{channels}, {states}] or [{batch}, groups, {states}, {tokens}]"
    )
