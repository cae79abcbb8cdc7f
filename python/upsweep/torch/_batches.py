"""How the operators run under torch.vmap: as one call, the mapped dimension being one more of the
elements, wherever arguments other than elements are not mapped."""

import torch  # type: ignore[import-not-found]

from upsweep.torch import _lines, _selective  # noqa: F401  # have the operators
from upsweep.torch._derivatives import batched
from upsweep.torch._elements import elementwise
from upsweep.torch._recurrence import recurrence
from upsweep.torch._rows import sums_of_indices, sums_of_runs, sums_of_segments, taken_rows
from upsweep.torch._scans import reduce, running_maxima, scan

_ops = torch.ops.upsweep


def _front(x, dim, size):
    """The tensor with the mapped dimension first."""
    return x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)


def _at(args, dims, k):
    """The arguments of one index of the mapped dimension."""
    return [x if d is None else x.select(d, k) for x, d in zip(args, dims)]


def _each(op, info, dims, *args):
    """One call for each index of the mapped dimension; outputs have it first."""
    results = [op(*_at(args, dims, k)) for k in range(info.batch_size)]
    return torch.stack(results), 0


@batched("elementwise")
def _(info, dims, x, function):
    return elementwise(x, function), dims[0]


@batched("scan")
def _(info, dims, x, op, dim, reverse):
    x = x.movedim(dims[0], 0)
    return (x.clone() if x.ndim == 1 else scan(x, op, dim + 1, reverse)), 0


@batched("cummax")
def _(info, dims, x, dim):
    x = x.movedim(dims[0], 0)
    if x.ndim == 1:
        places = torch.zeros(x.shape, dtype=torch.int64, device=x.device)
        return (x.clone(), places), (0, 0)
    return running_maxima(x, dim + 1), (0, 0)


@batched("reduce")
def _(info, dims, x, op, over, keepdim):
    x = x.movedim(dims[0], 0)
    return (x.clone() if x.ndim == 1 else reduce(x, op, [d + 1 for d in over], keepdim)), 0


@batched("line_function")
def _(info, dims, x, function, parameter, weight):
    op = lambda x, weight: _ops.line_function(x, function, parameter, weight)
    if dims[3] is not None:
        at = lambda t, d, k: t if d is None else t.select(d, k)
        pairs = [op(at(x, dims[0], k), at(weight, dims[3], k)) for k in range(info.batch_size)]
        return tuple(map(torch.stack, zip(*pairs))), (0, 0)
    return op(x.movedim(dims[0], 0), weight), (0, 1)


@batched("line_gradient")
def _(info, dims, grad, x, numbers, function, parameter, weight):
    op = lambda *args: _ops.line_gradient(*args[:3], function, parameter, args[3])
    if dims[5] is not None:
        args, of_args = (grad, x, numbers, weight), (*dims[:3], dims[5])
        return _each(op, info, of_args, *args)
    size = info.batch_size
    numbers = _front(numbers, dims[2], size).movedim(0, 1)
    return op(_front(grad, dims[0], size), _front(x, dims[1], size), numbers, weight), 0


@batched("weight_gradient")
def _(info, dims, grad, x, numbers):
    return _each(_ops.weight_gradient, info, dims, grad, x, numbers)


@batched("selective_scan")
def _(info, dims, *args):
    results = [_ops.selective_scan(*_at(args, dims, k)) for k in range(info.batch_size)]
    return tuple(map(torch.stack, zip(*results))), (0, 0)


@batched("selective_scan_gradients")
def _(info, dims, *args):
    results = [_ops.selective_scan_gradients(*_at(args, dims, k)) for k in range(info.batch_size)]
    return tuple(map(torch.stack, zip(*results))), (0,) * 8


@batched("segment_sum")
def _(info, dims, x, offsets):
    if dims[1] is not None:
        return _each(sums_of_segments, info, dims, x, offsets)
    return sums_of_segments(x.movedim(dims[0], -1), offsets), -1


@batched("take_rows")
def _(info, dims, x, index):
    if dims[1] is not None:
        return _each(taken_rows, info, dims, x, index)
    return taken_rows(x.movedim(dims[0], -1), index), -1


@batched("run_sums")
def _(info, dims, lines, indices):
    both = [_front(x, d, info.batch_size) for x, d in zip((lines, indices), dims)]
    sums = sums_of_runs(*(x.flatten(0, 1) for x in both))
    return sums.unflatten(0, (info.batch_size, -1)), 0


@batched("index_sums")
def _(info, dims, source, index, size):
    if dims[1] is not None:
        return _each(sums_of_indices, info, dims, source, index, size)
    return sums_of_indices(source.movedim(dims[0], -1), index, size), -1


def _as_one(op, size, args, dims, cu_seqlens, cu_dim):
    """One call of recurrences: mapped sequences are a larger batch; mapped packs are more channels,
    the last dimension of all but positions."""
    if cu_dim is not None:
        raise NotImplementedError(
            "linear_recurrence: cu_seqlens is mapped by vmap; give offsets that are not"
        )

    def flat(x, dim):
        if x is None:
            return x
        if cu_seqlens is None:
            return _front(x, dim, size).flatten(0, 1)
        if x.dtype != torch.int64:
            return _front(x, dim, size).movedim(0, -2).flatten(-2)
        if dim is not None:
            raise NotImplementedError(
                "linear_recurrence: state.position is mapped by vmap, which cannot be with "
                "cu_seqlens"
            )
        return x

    def split(y):
        if cu_seqlens is None:
            return y.unflatten(0, (size, -1))
        if y.dtype == torch.int64:
            return y.expand(size, -1)
        return y.unflatten(-1, (size, -1)).movedim(-2, 0)

    return tuple(map(split, op(*map(flat, args, dims)))), (0,) * 5


@batched("linear_recurrence")
def _(info, dims, a, b, value, totals, position, cu_seqlens, reverse, link=None, linked=False):
    def op(*args):
        return recurrence(*args[:5], cu_seqlens, reverse, args[5], linked)

    args, of_args = (
        (a, b, value, totals, position, link),
        (*dims[:5], dims[7] if len(dims) > 7 else None),
    )
    return _as_one(op, info.batch_size, args, of_args, cu_seqlens, dims[5])


@batched("linear_recurrence_gradients")
def _(info, dims, *args):
    *args, cu_seqlens, reverse = args
    op = lambda *x: _ops.linear_recurrence_gradients(*x, cu_seqlens, reverse)
    return _as_one(op, info.batch_size, args, dims[:10], cu_seqlens, dims[10])
