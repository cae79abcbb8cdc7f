"""Sums of rows by segment and by index have the bits of upsweep.segment_reduce of each column."""

import math

import numpy as np
import pytest
import torch

import upsweep
import upsweep.torch as ut

REAL = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SHAPES = [
    (0, ()),
    (0, (3,)),
    (1, (2,)),
    (7, (0,)),
    (40, ()),
    (300, (1,)),
    (300, (5,)),
    (90, (2, 40)),
]
SHAPES += [(20_000, ()), (20_000, (3,)), (5000, (16,)), (600, (130,))]


def sums_of_columns(x, borders):
    """By one call for each column, in the type in which elements are added."""
    wide = x.float() if x.itemsize == 2 else x
    columns = np.ascontiguousarray(wide.flatten(1).T.numpy() if x.ndim > 1 else wide[None].numpy())
    sums = [upsweep.segment_reduce(c, borders.long().numpy(), "sum") for c in columns]
    sums = np.array(sums, columns.dtype).reshape(len(columns), len(borders) - 1).T
    return torch.from_numpy(sums).reshape(len(borders) - 1, *x.shape[1:]).to(x.dtype)


def same(a, b):
    """Whether the bits are equal, but for those of NaN."""
    assert a.dtype == b.dtype and a.shape == b.shape
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[a.itemsize]
    values = (x.masked_fill(x.isnan(), 0).view(bits) for x in (a, b))
    return torch.equal(a.isnan(), b.isnan()) and torch.equal(*values)


def case(n, shape, segments, dtype, seed):
    """Rows, some of whose elements are special, an index of each, and the borders of its counts."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn((n, *shape), generator=g, dtype=torch.float64).to(dtype)
    where = torch.rand(x.shape, generator=g)
    x[where < 0.2] = -0.0
    for k, special in enumerate((math.nan, math.inf, -math.inf, 6e-8, 1e-310)):
        x[(where > 0.4 + 0.1 * k) & (where < 0.4 + 0.1 * k + 0.3 / (n + 1))] = special
    index = torch.randint(0, segments, (n,), generator=g)
    borders = torch.cat([index.new_zeros(1), index.bincount(minlength=segments).cumsum(0)])
    return x, index, borders


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("n, shape", SHAPES, ids=str)
def test_sums_are_those_of_each_column(n, shape, dtype):
    for segments in (1, 70, 2500):
        x, index, borders = case(n, shape, segments, dtype, n + segments)
        assert same(ut.segment_sum(x, borders), sums_of_columns(x, borders))
        base = torch.ones((segments, *shape), dtype=dtype)
        expected = sums_of_columns(x[index.argsort(stable=True)], borders)
        assert same(ut.index_add(base, index, x), base + expected)


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_segments_without_rows_are_0_and_single_rows_keep_their_zero(dtype):
    for shape in ((), (1,), (33,)):
        x = torch.full((2, *shape), -0.0, dtype=dtype)
        sums = ut.segment_sum(x, torch.tensor([0, 0, 1, 2]))
        assert not sums[0].signbit().any() and sums[1:].signbit().all()


def test_arguments_may_be_of_any_layout_and_integers_of_32_bits():
    x, index, borders = case(200, (6, 4), 9, torch.float32, 1)
    sums, base = ut.segment_sum(x, borders), torch.zeros(9, 6, 4)
    added = ut.index_add(base, index, x)
    strided = lambda t: torch.stack([t, t], -1)[..., 0]
    for change in (strided, lambda t: t.transpose(0, -1).contiguous().transpose(0, -1)):
        assert not change(x).is_contiguous()
        assert same(ut.segment_sum(change(x), borders), sums)
        assert same(ut.index_add(change(base), index, change(x)), added)
    for change in (strided, torch.Tensor.int, lambda t: t.int().flip(0).flip(0)):
        assert same(ut.segment_sum(x, change(borders)), sums)
        assert same(ut.index_add(base, change(index), x), added)
    negated = torch.complex(x, -x).conj().imag
    assert negated.is_neg() and same(ut.segment_sum(negated, borders), sums)
    assert same(ut.segment_sum(x[:, :1, 0].expand(200, 24), borders), sums[:, :1, 0].expand(9, 24))


def test_gradients_are_rows_and_their_sums():
    x, index, borders = case(3000, (40,), 50, torch.float32, 2)
    for f, rows in (
        (lambda x: ut.segment_sum(x, borders), index.sort()[0]),
        (lambda x: ut.index_add(torch.zeros(50, 40), index, x), index),
    ):
        x.requires_grad_()
        y = f(x)
        g = torch.randn(y.shape, generator=torch.Generator().manual_seed(3)).requires_grad_()
        (grad,) = torch.autograd.grad(y, x, g, create_graph=True)
        assert same(grad.detach(), g.detach()[rows])
        (back,) = torch.autograd.grad(grad, g, x.detach())
        order = rows.argsort(stable=True)
        assert same(back, sums_of_columns(x.detach()[order], borders))


def test_wrong_offsets_and_indices_are_refused():
    for shape in ((), (1,), (3,), (40,), (0,)):
        x = torch.ones(4, *shape)
        message = r"segment_sum: offsets must ascend from 0 to 4$"
        for wrong in ([0, 3, 2, 4], [1, 4], [0, 3], [0, 5], [0], [0, -1, 4], [0, 2**62, 4]):
            with pytest.raises(ValueError, match=message):
                ut.segment_sum(x, torch.tensor(wrong))
        for wrong, found in (([0, 1, -1, 2], "-1 to 2"), ([0, 3, 2, 1], "0 to 3")):
            message = f"index_add: index has {found}, but there are 3 rows"
            with pytest.raises(IndexError, match=message):
                ut.index_add(torch.zeros(3, *shape), torch.tensor(wrong), x)
    with pytest.raises(IndexError, match="index has 0 to 0, but there are 0 rows"):
        ut.index_add(torch.zeros(0, 3), torch.tensor([0]), torch.ones(1, 3))


def test_runs_of_equal_indices_are_summed_in_the_gradient_of_cummax():
    x = torch.tensor([[3.0, 1.0, 2.0, 5.0, 5.0, 4.0], [1.0, 2.0, 3.0, 3.0, 0.0, 9.0]])
    x.requires_grad_()
    g = torch.randn(2, 6, generator=torch.Generator().manual_seed(5))
    maxima, indices = ut.cummax(x, 1)
    (grad,) = torch.autograd.grad(maxima, x, g)
    expected = torch.zeros(2, 6)
    for line in range(2):
        for i in indices[line].unique():
            expected[line, i] = ut.sum(g[line, indices[line] == i], 0)
    assert same(grad, expected)
