"""How the operators run under torch.vmap: as one call, the mapped dimension being one more of the
elements, wherever arguments other than elements are not mapped."""

import torch  # type: ignore[import-not-found]

from upsweep.torch import _scans  # noqa: F401  # has the operators

_ops = torch.ops.upsweep


def _front(x, dim, size):
    """The tensor with the mapped dimension first."""
    return x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)


def _each(op, info, dims, *args):
    """One call for each index of the mapped dimension; outputs have it first."""
    at = lambda k: [x if d is None else x.select(d, k) for x, d in zip(args, dims)]
    results = [op(*at(k)) for k in range(info.batch_size)]
    return torch.stack(results), 0


@torch.library.register_vmap("upsweep::elementwise")
def _(info, dims, x, function):
    return _ops.elementwise(x, function), dims[0]


@torch.library.register_vmap("upsweep::scan")
def _(info, dims, x, op, dim, reverse):
    x = x.movedim(dims[0], 0)
    return (x.clone() if x.ndim == 1 else _ops.scan(x, op, dim + 1, reverse)), 0


@torch.library.register_vmap("upsweep::cummax")
def _(info, dims, x, dim):
    x = x.movedim(dims[0], 0)
    if x.ndim == 1:
        return (x.clone(), torch.zeros(x.shape, dtype=torch.int64)), (0, 0)
    return _ops.cummax(x, dim + 1), (0, 0)


@torch.library.register_vmap("upsweep::reduce")
def _(info, dims, x, op, over, keepdim):
    x = x.movedim(dims[0], 0)
    return (x.clone() if x.ndim == 1 else _ops.reduce(x, op, [d + 1 for d in over], keepdim)), 0


@torch.library.register_vmap("upsweep::segment_sum")
def _(info, dims, x, offsets):
    if dims[1] is not None:
        return _each(_ops.segment_sum, info, dims, x, offsets)
    return _ops.segment_sum(x.movedim(dims[0], -1), offsets), -1


@torch.library.register_vmap("upsweep::index_sums")
def _(info, dims, source, index, size):
    if dims[1] is not None:
        return _each(_ops.index_sums, info, dims, source, index, size)
    return _ops.index_sums(source.movedim(dims[0], -1), index, size), -1


@torch.library.register_vmap("upsweep::linear_recurrence")
def _(info, dims, a, b, value, totals, position, cu_seqlens, reverse, link=None, linked=False):
    """Mapped sequences are a larger batch; mapped packs are more channels."""
    if dims[5] is not None:
        raise NotImplementedError(
            "linear_recurrence: cu_seqlens is mapped by vmap; give offsets that are not"
        )
    n = info.batch_size
    args = [_front(x, d, n) for x, d in zip((a, b, value, totals, position), dims)]
    link = None if link is None else _front(link, dims[7], n)
    if cu_seqlens is None:
        flat = [x.flatten(0, 1) for x in args]
        link = None if link is None else link.flatten(0, 1)
        results = _ops.linear_recurrence(*flat, None, reverse, link, linked)
        return tuple(y.unflatten(0, (n, -1)) for y in results), (0,) * 5
    if dims[4] is not None:
        raise NotImplementedError(
            "linear_recurrence: state.position is mapped by vmap, which cannot be with cu_seqlens"
        )
    channels = lambda x: None if x is None else x.movedim(0, -2).flatten(-2)
    flat = [channels(x) for x in args[:4]]
    *results, after, link = _ops.linear_recurrence(
        *flat, position, cu_seqlens, reverse, channels(link), linked
    )
    split = lambda y: y.unflatten(-1, (n, -1)).movedim(-2, 0)
    return (*map(split, results), after.expand(n, -1), split(link)), (0,) * 5
