"""Recurrences, running sums and sums of segments of JAX's arrays: the same bits for any chunks,
batches and numbers of threads, and with or without jit, with gradients that are as reproducible.

JAX is imported only here. docs/jax.md describes the functions and their limits.
"""

from typing import Any, NamedTuple

import numpy as np

try:
    import jax  # type: ignore[import-not-found]
    import jax.numpy as jnp  # type: ignore[import-not-found]
    from jax.interpreters import ad  # type: ignore[import-not-found]
except ImportError as e:
    raise ImportError("upsweep.jax needs JAX 0.5 or newer: pip install jax") from e

from upsweep._anchored import DIGITS
from upsweep._arrays import integer, native
from upsweep._jax_calls import bind, call_primitive, halves, like, primitive

__all__ = [
    "RecurrenceState",
    "cumsum",
    "linear_recurrence",
    "linear_recurrence_step",
    "segment_sum",
]

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_NUMBERS = (*_FLOATS, "complex64", "complex128")


class RecurrenceState(NamedTuple):
    """The state after some tokens, as `upsweep.RecurrenceState`, of arrays: `value` [..., D],
    `totals` [..., 8, 2, D] and `position` [...] of int32. It has no gradient."""

    value: Any
    totals: Any
    position: Any


def _zero(x):
    """No tangent of a result."""
    return ad.Zero(like(x).to_tangent_aval())


def _is_zero(tangent):
    return type(tangent) is ad.Zero


# ---- Products, which XLA would fuse with what is added to them

_product_p = call_primitive("product", lambda x, y: like(x))
ad.defbilinear(_product_p, lambda ct, x, y: bind(_product_p, ct, y),
               lambda ct, x, y: bind(_product_p, x, ct))  # fmt: skip


# ---- Running sums


def _cumsum_on_gpu(call, shape, x, *, trailing, reverse):
    axis = x.ndim - 1 - trailing
    if trailing and x.size < 32 * x.shape[axis]:  # few lines, which kernels take without gaps
        x = jnp.moveaxis(x, axis, -1)
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        y = _cumsum_on_gpu(call, shape, x, trailing=0, reverse=reverse)
        return jnp.moveaxis(y, -1, axis)
    if x.dtype.itemsize > 2:
        return call(shape, x, trailing=trailing, reverse=reverse)
    both = shape, jax.ShapeDtypeStruct(x.shape, np.float32)  # the second is temporary storage
    return call(both, x, trailing=trailing, reverse=reverse)[0]


_cumsum_p = call_primitive("cumsum", lambda x, *, trailing, reverse: like(x), on_gpu=_cumsum_on_gpu)
ad.deflinear2(
    _cumsum_p,
    lambda ct, x, *, trailing, reverse: [
        bind(_cumsum_p, ct, trailing=trailing, reverse=not reverse)
    ],
)


def cumsum(x, axis=None, *, reverse=False):
    """The running sums along an axis, with `upsweep.cumulative_sum`'s bits; with `reverse` from the
    end. The axis may be omitted for one dimension. Elements of 16 bits are added in float32."""
    verb = "cumsum"
    x = _checked(x, "x", verb, _FLOATS)
    if axis is None and x.ndim != 1:
        raise ValueError(f"{verb}: x has {x.ndim} dimensions; give axis")
    axis = 0 if axis is None else integer(axis, "axis", verb)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"{verb}: axis={axis}, but x has {x.ndim} dimensions")
    return bind(_cumsum_p, x, trailing=x.ndim - 1 - axis % x.ndim, reverse=bool(reverse))


# ---- Sums of segments


def _sums_shape(x, offsets, *, trailing):
    axis = len(x.shape) - 1 - trailing
    return like(x, (*x.shape[:axis], offsets.shape[-1] - 1, *x.shape[axis + 1 :]))


def _spread_shape(y, offsets, *, size, trailing):
    axis = len(y.shape) - 1 - trailing
    return like(y, (*y.shape[:axis], size, *y.shape[axis + 1 :]))


def _spread(y, offsets, *, size, trailing):
    """Each row as often as its segment has elements."""

    def rows(y, offsets):
        return y[jnp.searchsorted(offsets, jnp.arange(size), side="right") - 1]

    for _ in range(y.ndim - 1 - trailing):
        rows = jax.vmap(rows)
    return rows(y, offsets)


def _segments_on_gpu(call, shape, x, offsets, *, trailing):
    """Offsets are not looked at by the host; wrong ones make all sums NaN."""
    size = x.shape[x.ndim - 1 - trailing]
    ends = (offsets[..., :1] == 0).all() & (offsets[..., -1:] == size).all()
    right = ends & (offsets[..., 1:] >= offsets[..., :-1]).all()
    y = call(shape, x, halves(offsets), trailing=trailing)
    return jnp.where(right, y, jnp.nan)


_segments_p = call_primitive("segment_sum", _sums_shape, on_gpu=_segments_on_gpu)
_spread_p = primitive("spread", _spread_shape, _spread, on_gpu=_spread)


def _segments_jvp(p):
    def rule(primals, tangents, **params):
        x, offsets = primals
        y = bind(p, x, offsets, **params)
        dx = tangents[0]
        return y, _zero(y) if _is_zero(dx) else bind(p, dx, offsets, **params)

    return rule


def _segments_transpose(ct, x, offsets, *, trailing):
    size = x.aval.shape[-1 - trailing]
    return [bind(_spread_p, ct, offsets, size=size, trailing=trailing), None]


def _spread_transpose(ct, y, offsets, *, size, trailing):
    return [bind(_segments_p, ct, offsets, trailing=trailing), None]


ad.primitive_jvps[_segments_p] = _segments_jvp(_segments_p)
ad.primitive_jvps[_spread_p] = _segments_jvp(_spread_p)
ad.primitive_transposes[_segments_p] = _segments_transpose
ad.primitive_transposes[_spread_p] = _spread_transpose


def segment_sum(x, offsets):
    """The sums of the segments x[offsets[k] : offsets[k + 1]] along the first dimension, with
    `upsweep.segment_reduce`'s bits. Offsets ascend from 0 to len(x)."""
    verb = "segment_sum"
    x = _checked(x, "x", verb, _FLOATS)
    offsets = _checked(offsets, "offsets", verb, ("int32", "int64"))
    if x.ndim == 0:
        raise ValueError(f"{verb}: x has no dimension; give [elements, ...]")
    if offsets.ndim != 1 or offsets.shape[0] == 0:
        raise ValueError(
            f"{verb}: offsets has the shape {list(offsets.shape)}; give one dimension from 0 to "
            f"{x.shape[0]}"
        )
    if offsets.shape[0] == 1 and x.shape[0]:  # XLA makes no call that has no results
        raise ValueError(f"{verb}: offsets has no segment, but x has {x.shape[0]} elements")
    return bind(_segments_p, x, offsets, trailing=x.ndim - 1)


# ---- Linear recurrences


def _recurrence_shapes(a, b, value, totals, position, *, reverse):
    return [like(x) for x in (b, value, totals, position)]


def _recurrence_on_gpu(call, shapes, a, b, value, totals, position, *, reverse):
    shapes = [*shapes[:3], jax.ShapeDtypeStruct((*position.shape, 2), jnp.int32)]
    *results, after = call(shapes, a, b, value, totals, halves(position), reverse=reverse)
    return [*results, after[..., 0].astype(position.dtype)]


_recurrence_p = call_primitive("linear_recurrence", _recurrence_shapes, True, _recurrence_on_gpu)


def _from_zero(a, b, value, reverse):
    """h of a recurrence that begins with `value`, or with 0."""
    lead, lanes = b.shape[:-2], b.shape[-1]
    dtype = _wide(b.dtype)
    value = jnp.zeros((*lead, lanes), dtype) if value is None else value
    totals = jnp.zeros((*lead, DIGITS, 2, lanes), dtype)
    return bind(_recurrence_p, a, b, value, totals, jnp.zeros(lead, jnp.int32), reverse=reverse)[0]


def _shifted(x, beside, reverse):
    """x[t - 1], with `beside` at the first token; x[t + 1] with `reverse`."""
    beside = jnp.expand_dims(beside, -2).astype(x.dtype)
    if reverse:
        return jnp.concatenate([x, beside], -2)[..., 1:, :]
    return jnp.concatenate([beside, x], -2)[..., : x.shape[-2], :]


def _before(value, totals, position):
    """The result before the first token: the state joined with its totals, the largest first."""
    h = value
    for k in reversed(range(DIGITS)):
        has = (position >> k & 1)[..., None] == 1
        joined = bind(_product_p, totals[..., k, 0, :], h) + totals[..., k, 1, :]
        h = jnp.where(has, joined, h)
    return h


def _recurrence_jvp(primals, tangents, *, reverse):
    """The tangent is the recurrence of the terms db[t] + da[t] h[t-1]."""
    a, b, value, totals, position = primals
    da, db, dvalue, *_ = tangents
    h, *state = results = bind(_recurrence_p, *primals, reverse=reverse)
    zeros = [_zero(x) for x in results]
    if all(map(_is_zero, (da, db, dvalue))):
        return results, zeros
    terms = None if _is_zero(db) else db
    if not _is_zero(da):
        product = bind(_product_p, da, _shifted(h, _before(value, totals, position), reverse))
        terms = product if terms is None else terms + product
    terms = jnp.zeros_like(h) if terms is None else terms
    dh = _from_zero(a, terms, None if _is_zero(dvalue) else dvalue, reverse)
    return results, [dh, *zeros[1:]]


def _recurrence_transpose(cts, a, b, value, totals, position, *, reverse):
    """g[t] = ct[t] + a[t+1] g[t+1] is a recurrence in the other direction; b has the cotangent g,
    and the value before the first token a[0] g[0]."""
    ct, *of_state = cts
    if not all(map(_is_zero, of_state)):
        raise NotImplementedError("linear_recurrence: a state has no gradient")
    if _is_zero(ct):
        return [None] * 5
    last = jnp.zeros((*a.shape[:-2], a.shape[-1]), a.dtype)
    g = _from_zero(_shifted(a, last, not reverse), ct, None, not reverse)
    ct_value = None
    if ad.is_undefined_primal(value):
        dtype, shape = value.aval.dtype, value.aval.shape
        at = -1 if reverse else 0
        ct_value = jnp.zeros(shape, dtype)
        if a.shape[-2]:
            ct_value = bind(_product_p, a[..., at, :], g[..., at, :]).astype(dtype)
    return [None, g if ad.is_undefined_primal(b) else None, ct_value, None, None]


ad.primitive_jvps[_recurrence_p] = _recurrence_jvp
ad.primitive_transposes[_recurrence_p] = _recurrence_transpose


def linear_recurrence(a, b, h0=None, *, reverse=False, state=None, return_state=False):
    """Solve h[t] = a[t] h[t-1] + b[t] for each sequence and channel.

    `a` and `b` are arrays [..., L, D] of one type, and broadcast. `h0` [..., D] is the value before
    the first token, by default 0; or `state`, from which the call continues. With `reverse` the
    last token is the first. Returns h [..., L, D], and with `return_state` the state after it, for
    `linear_recurrence_step` and further calls. Chunks of any lengths, steps and batches have one
    bit pattern, that of the tree of anchored blocks (docs/spec/blocks.md). Elements of 16 bits are
    combined in float32. `a`, `b` and `h0` have gradients; a state has none.
    """
    verb = "linear_recurrence"
    a, b = _pair(a, b, verb)
    if b.ndim < 2:
        raise ValueError(f"{verb}: b has {b.ndim} dimensions; give [..., tokens, channels]")
    shape = (*b.shape[:-2], b.shape[-1])
    if state is None:
        state = _started(h0, shape, b.dtype, verb)
    elif h0 is not None:
        raise ValueError(f"{verb}: h0 and state are both given; give one of them")
    else:
        state = _checked_state(state, shape, b.dtype, verb)
    h, *after = bind(_recurrence_p, a, b, *state, reverse=bool(reverse))
    return (h, RecurrenceState(*after)) if return_state else h


def linear_recurrence_step(state, a, b):
    """Continue by one token: `a` and `b` [..., D]. Returns h [..., D] and the state after it, with
    the bits of one call of `linear_recurrence` over all tokens."""
    verb = "linear_recurrence_step"
    a, b = _pair(a, b, verb)
    if b.ndim < 1:
        raise ValueError(f"{verb}: b has no dimension; give [..., channels]")
    state = _checked_state(state, b.shape, b.dtype, verb)
    a, b = (jnp.expand_dims(x, -2) for x in (a, b))
    h, *after = bind(_recurrence_p, a, b, *state, reverse=False)
    return h[..., 0, :], RecurrenceState(*after)


# ---- Arguments


def _checked(x, name, verb, dtypes):
    """The argument as an array of JAX; refuses other types by its name."""
    if not isinstance(x, (jax.Array, np.ndarray)):
        raise TypeError(f"{verb}: {name} is a {type(x).__name__}; give an array")
    if str(native(x.dtype)) not in dtypes:
        raise TypeError(
            f"{verb}: {name} has elements of {x.dtype}; give {', '.join(dtypes[:-1])} or "
            f"{dtypes[-1]}"
        )
    if isinstance(x, np.ndarray):
        x = x.astype(native(x.dtype), copy=False)
    # JAX has no int64 by default; what does not fit is refused later.
    return jnp.asarray(x.clip(-1, 2**31 - 1).astype(np.int32) if x.dtype.kind == "i" else x)


def _wide(dtype):
    """The type in which elements are combined."""
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


def _pair(a, b, verb):
    a, b = (_checked(x, name, verb, _NUMBERS) for x, name in ((a, "a"), (b, "b")))
    if a.dtype != b.dtype:
        raise TypeError(
            f"{verb}: a has elements of {a.dtype}, but b of {b.dtype}; convert one of them"
        )
    try:
        return jnp.broadcast_arrays(a, b)
    except ValueError:
        raise ValueError(
            f"{verb}: a has the shape {list(a.shape)}, and b {list(b.shape)}"
        ) from None


def _started(h0, shape, dtype, verb):
    wide = _wide(dtype)
    if h0 is None:
        value = jnp.zeros(shape, wide)
    else:
        value = _checked(h0, "h0", verb, _NUMBERS)
        if value.dtype.kind == "c" and wide.kind != "c":
            raise TypeError(f"{verb}: h0 is complex, but b has elements of {dtype}")
        try:
            value = jnp.broadcast_to(value.astype(wide), shape)
        except ValueError:
            raise ValueError(
                f"{verb}: h0 has the shape {list(value.shape)}; give {list(shape)}"
            ) from None
    totals = jnp.zeros((*shape[:-1], DIGITS, 2, shape[-1]), wide)
    return value, totals, jnp.zeros(shape[:-1], jnp.int32)


def _checked_state(state, shape, dtype, verb):
    if not isinstance(state, tuple) or len(state) != 3:
        raise TypeError(f"{verb}: state is a {type(state).__name__}; give a RecurrenceState")
    shapes = shape, (*shape[:-1], DIGITS, 2, shape[-1]), shape[:-1]
    wide = (str(_wide(dtype)),)
    checked = []
    for x, name, of, kinds in zip(
        state, RecurrenceState._fields, shapes, (wide, wide, ("int32", "int64"))
    ):
        x = _checked(x, f"state.{name}", verb, kinds)
        if x.shape != of:
            raise ValueError(f"{verb}: state.{name} has the shape {list(x.shape)}; give {list(of)}")
        checked.append(jax.lax.stop_gradient(x))
    return tuple(checked)
