"""Reductions, scans and norms of upsweep.torch on a GPU: the bits of the CPU, also of gradients."""

import math

import pytest
import torch
from gpu_calls import FLOATS, expect_same_call, inputs, needs_gpu
from gpu_calls import poisoned_memory  # noqa: F401

import upsweep.torch as ut

pytestmark = needs_gpu
SHAPES = [(7,), (40, 300, 35), (1, 513), (3, 16385), (2, 70001), (300, 1000), (5000, 24)]
IDS = ["x".join(map(str, s)) for s in SHAPES]
each_type = pytest.mark.parametrize("dtype", FLOATS, ids=str)
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=IDS)


def numbers(shape, dtype, seed=0):
    return inputs(shape, dtype, seed)[1]


@each_type
@each_shape
def test_logarithms_of_sums(dtype, shape):
    x = 5 * numbers(shape, dtype)
    for dim in range(x.ndim):
        expect_same_call(lambda x: ut.logsumexp(x, dim), x)
        expect_same_call(lambda x: ut.log_softmax(x, dim), x)
    expect_same_call(ut.logsumexp, x)
    expect_same_call(lambda x: ut.logsumexp(x, (-1, 0) if x.ndim > 1 else 0, keepdim=True), x)
    expect_same_call(lambda x: ut.logsumexp(x.mT[..., ::2] if x.ndim > 1 else x[::2], -1), x)


@each_type
def test_logarithms_of_sums_at_every_size(dtype):
    for size in [*range(1, 70), 127, 128, 129, 511, 512, 513, 1023, 1024, 1535, 2049, 4097, 9999]:
        for count in (1, 3, 50):
            expect_same_call(lambda x: ut.logsumexp(x, 1), 9 * numbers((count, size), dtype, size))


@each_type
def test_logarithms_of_special_values(dtype):
    inf, nan = math.inf, math.nan
    for values in (
        [inf], [-inf], [nan], [inf, inf], [-inf, -inf], [-inf, inf], [inf, nan], [-inf, nan, 1.0],
        [-inf, 1.0, -inf], [0.0, -0.0], [-0.0], [65504.0, 65504.0], [-60000.0, 60000.0],
        [-87.0, 0.0], [-103.0, 0.0], [-104.0, 0.0, -88.0, -90.5],
    ):  # fmt: skip
        for size in (len(values), 40, 2000, 50_000):
            x = numbers((2, size), dtype).clamp(-3, 3)
            x[:, -len(values) :] = torch.tensor(values).to(dtype)
            expect_same_call(lambda x: ut.logsumexp(x, 1), x, backward=False)
    for shape in ((0, 3), (3, 0), (0,), ()):
        x = torch.ones(shape, dtype=dtype)
        expect_same_call(lambda x: ut.logsumexp(x, -1), x)
        expect_same_call(lambda x: ut.softmax(x, -1), x)
        expect_same_call(lambda x: ut.log_softmax(x, -1), x)


@each_type
def test_logarithms_near_zero(dtype):
    """One exponential is near 1, so the result is computed again with more bits."""
    for size in (2, 257, 20_000):
        x = numbers((6, size), dtype) - 60
        at = torch.tensor([0, size - 1, size // 2, 0, 1, size // 3])
        x[torch.arange(6), at] = torch.tensor([0.0, -1e-7, -0.01, -0.06, -0.07, 1e-3]).to(dtype)
        x[3, 0] = x[3, 1] = -1.0  # two large ones, none near 1
        expect_same_call(lambda x: ut.logsumexp(x, 1), x)
        y = ut.log_softmax(x.double(), 1).to(dtype)
        expect_same_call(lambda y: ut.logsumexp(y, 1), y)


@each_type
@each_shape
def test_softmax(dtype, shape):
    x = 5 * numbers(shape, dtype)
    for dim in range(x.ndim):
        expect_same_call(lambda x: ut.softmax(x, dim), x)


@each_type
@each_shape
def test_means_variances_and_norms(dtype, shape):
    x = 2 + numbers(shape, dtype)
    for dim in [*range(x.ndim), None]:
        expect_same_call(lambda x: ut.sum(x, dim), x)
        expect_same_call(lambda x: ut.mean(x, dim), x)
        expect_same_call(lambda x: ut.var(x, dim), x)
    expect_same_call(lambda x: ut.var(x, -1, correction=0.5, keepdim=True), x)
    expect_same_call(ut.rms_norm, x)
    expect_same_call(ut.rms_norm, x, numbers(shape[-1:], dtype, 1))
    expect_same_call(lambda x: ut.var(x[..., :1], -1), x, backward=False)  # 0 / 0


@each_type
def test_lines_of_every_size(dtype):
    """A block has a line of up to 8192 elements, otherwise a part of one."""
    for size in [*range(1, 40), 255, 256, 257, 511, 512, 700, 4096, 8191, 8192, 8193, 9000, 40_000]:
        for count in (1, 5):
            x = 3 * numbers((count, size), dtype, size)
            weight = numbers((size,), dtype, 1)
            for f in (ut.softmax, ut.log_softmax, ut.var):
                expect_same_call(lambda x: f(x, 1), x)
            expect_same_call(ut.rms_norm, x, weight)


@each_type
def test_lines_that_are_elsewhere_in_memory(dtype):
    x = numbers((9, 1000), dtype)
    for f in (ut.softmax, ut.log_softmax, ut.logsumexp, ut.var):
        expect_same_call(lambda x: f(x[:, 1:], 1), x)
        expect_same_call(lambda x: f(x[::2, ::3], 1), x)
        expect_same_call(lambda x: f(x.reshape(-1)[1:-999].reshape(8, 1000), 1), x)
    expect_same_call(lambda x, w: ut.rms_norm(x[:, 1:], w[1:]), x, numbers((1000,), dtype, 1))


@each_type
def test_softmax_of_special_values(dtype):
    inf, nan = math.inf, math.nan
    for values in ([inf], [-inf], [nan], [-inf, -inf], [inf, inf, 0.0], [-inf, 1.0], [-0.0, 0.0]):
        for size in (len(values), 300, 20_000):
            x = numbers((2, size), dtype)
            x[0, :] = -inf
            x[:, -len(values) :] = torch.tensor(values).to(dtype)
            for f in (ut.softmax, ut.log_softmax):
                expect_same_call(lambda x: f(x, 1), x)


def test_weights_of_a_norm_have_gradients_over_all_rows():
    for dtype in FLOATS:
        x, weight = numbers((3, 1700, 40), dtype), numbers((40,), dtype, 1)
        expect_same_call(ut.rms_norm, x, weight)
        expect_same_call(lambda w: ut.rms_norm(x.to(w.device), w), weight)
    x = numbers((9, 40), torch.float32)  # a weight of another type
    expect_same_call(ut.rms_norm, x, numbers((40,), torch.float64, 1))


def test_second_derivatives_of_lines():
    x = numbers((3, 7), torch.float64).cuda().requires_grad_()
    weight = numbers((7,), torch.float64, 1).cuda().requires_grad_()
    for f in (ut.softmax, ut.log_softmax, ut.var, ut.logsumexp):
        torch.autograd.gradcheck(lambda x: f(x, 1), x)
        torch.autograd.gradgradcheck(lambda x: f(x, 1), x)
    torch.autograd.gradcheck(ut.rms_norm, (x, weight))
    torch.autograd.gradgradcheck(ut.rms_norm, (x, weight))


@each_type
@pytest.mark.parametrize("shape", [(7,), (40, 300, 35), (33, 16385), (300, 1000)], ids=str)
def test_scans_along_a_dimension(dtype, shape):
    x = numbers(shape, dtype)
    near_1 = 1 + x / 64
    near_1.view(-1)[5] = 0
    for dim in range(x.ndim):
        for reverse in (False, True):
            expect_same_call(lambda x: ut.cumprod(x, dim, reverse=reverse), near_1)
            expect_same_call(lambda x: ut.logcumsumexp(x, dim, reverse=reverse), x)
        expect_same_call(lambda x: ut.cummax(x, dim)[0], x)
        expect_same_call(lambda x: ut.cummax(x.round(), dim), x, backward=False)  # with ties


# Around the length up to which a table of few lines is one launch, and around tiles.
LONG = [(2, 16384), (2, 16385), (31, 16387), (3, 20_003), (2, 65_536), (5, 131_071), (1, 70_001)]
each_long_shape = pytest.mark.parametrize("shape", LONG, ids=["x".join(map(str, s)) for s in LONG])


@pytest.fixture
def only_single_launches(monkeypatch):
    """Calls fail that would be a launch for each line."""
    from upsweep_cuda13 import _core

    monkeypatch.setattr(_core, "scan", None)


@each_type
@each_long_shape
def test_few_long_lines_are_scanned(dtype, shape):
    x = numbers(shape, dtype)
    near_1 = 1 + x / 64
    near_1.view(-1)[5] = 0
    for reverse in (False, True):
        expect_same_call(lambda x: ut.cumsum(x, 1, reverse=reverse), x)
        expect_same_call(lambda x: ut.cumprod(x, 1, reverse=reverse), near_1)
        expect_same_call(lambda x: ut.logcumsumexp(x, 1, reverse=reverse), x)
    expect_same_call(lambda x: ut.cummax(x, 1)[0], x)
    expect_same_call(lambda x: ut.cummax(x.round(), 1), x, backward=False)  # with ties
    expect_same_call(lambda x: ut.cummax(-x.abs().round(), 1), x, backward=False)  # with -0.0


@each_type
@pytest.mark.parametrize(("count", "size"), [(31, 16387), (3, 70_001)])
def test_few_long_lines_of_special_values(dtype, count, size):
    special = torch.tensor([math.inf, -math.inf, math.nan, 0.0, -0.0, 60_000.0]).to(dtype)
    g = torch.Generator().manual_seed(size)
    for some in (special, special[:2], special[2:3], special[3:5], special[[0, 3]]):
        x = numbers((count, size), dtype)
        at = torch.randint(size, (count, 4), generator=g)
        x[torch.arange(count)[:, None], at] = some[torch.randint(len(some), at.shape, generator=g)]
        for reverse in (False, True):
            expect_same_call(lambda x: ut.cumprod(x, 1, reverse=reverse), x, backward=False)
            expect_same_call(lambda x: ut.logcumsumexp(x, 1, reverse=reverse), x, backward=False)
        expect_same_call(lambda x: ut.cummax(x, 1), x, backward=False)


def test_few_long_lines_are_one_launch(only_single_launches):
    for dtype in (torch.float32, torch.float64):
        for shape in ((2, 16_385), (31, 20_003)):
            x = 1 + numbers(shape, dtype) / 64
            for f in (ut.cumsum, ut.cumprod, ut.logcumsumexp):
                for reverse in (False, True):
                    expect_same_call(lambda x: f(x, 1, reverse=reverse), x, backward=False)
                    expect_same_call(lambda x: f(x.T, 0, reverse=reverse), x, backward=False)
            expect_same_call(lambda x: ut.cummax(x, 1), x, backward=False)
            expect_same_call(lambda x: ut.cummax(x.T.contiguous(), 0), x, backward=False)
            every = x.repeat_interleave(2, 1)
            expect_same_call(lambda x: ut.cumprod(x[:, ::2], 1), every, backward=False)


@each_type
def test_scans_of_special_values(dtype):
    x = numbers((50, 200), dtype)
    x[3, 7], x[4, 0], x[5, 9], x[6] = math.inf, -math.inf, math.nan, -math.inf
    for f in (lambda x: ut.cummax(x, 1), lambda x: ut.logcumsumexp(x, 1)):
        expect_same_call(f, x, backward=False)
    for shape in ((0, 3), (3, 0), ()):
        x = torch.ones(shape, dtype=dtype)
        for f in (ut.cumprod, ut.logcumsumexp, lambda x, d: ut.cummax(x, d)[0]):
            expect_same_call(lambda x: f(x, -1), x)


@each_type
@pytest.mark.parametrize("row", [(), (1,), (5,), (3, 24)], ids=str)
def test_rows_by_segment_and_index(dtype, row):
    g = torch.Generator().manual_seed(0)
    x, source = numbers((50, *row), dtype), numbers((3000, *row), dtype, 1)
    for keys in (torch.randint(0, 50, (3000,), generator=g), torch.full((3000,), 7)):
        expect_same_call(lambda x, s: ut.index_add(x, keys.to(x.device), s), x, source)
    offsets = torch.tensor([0, 0, 1, 5, 5, 2000, 2999, 3000, 3000])
    for kind in (torch.int32, torch.int64):
        cut = offsets.to(kind)
        expect_same_call(lambda s: ut.segment_sum(s, cut.to(s.device)), source)
    long = torch.tensor([0, 256, 513, 1025, 1026, 2999])
    expect_same_call(lambda s: ut.segment_sum(s[:2999], long.to(s.device)), source)
    none = torch.zeros(1, dtype=torch.int64)
    expect_same_call(lambda s: ut.segment_sum(s, none.to(s.device)), source[:0])
    expect_same_call(lambda x, s: ut.index_add(x, none[:0].to(x.device), s), x, source[:0])


@each_type
def test_functions_of_two_elements(dtype):
    x = numbers((40, 300), dtype)
    for fn in (torch.minimum, torch.maximum, torch.logaddexp, torch.add):
        expect_same_call(lambda x: ut.associative_scan(fn, x, 1), x, backward=False)
    a, b = inputs((40, 300), dtype)
    affine = lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1])
    expect_same_call(lambda a, b: ut.associative_scan(affine, (a, b), 1), a, b)


def test_batches_of_vmap():
    x = numbers((6, 40, 30), torch.float32)
    for f in (ut.softmax, ut.log_softmax, ut.logsumexp, ut.cumprod, ut.logcumsumexp, ut.var):
        expect_same_call(torch.vmap(lambda x: f(x, 1)), x)
    expect_same_call(torch.vmap(lambda x: ut.cummax(x, 1)[0]), x)
    weights = numbers((6, 30), torch.float32, 1)
    expect_same_call(torch.vmap(ut.rms_norm), x)
    expect_same_call(torch.vmap(ut.rms_norm), x, weights)
    expect_same_call(torch.vmap(lambda w: ut.rms_norm(x.to(w.device)[0], w)), weights)
    for f in (ut.softmax, ut.log_softmax, ut.logsumexp, ut.var, lambda x, _: ut.rms_norm(x)):
        y = x[0].cuda().requires_grad_()
        z = f(y, 1)
        seeds = torch.randn(4, *z.shape, device="cuda")
        of = lambda seed, **how: torch.autograd.grad(z, y, seed, retain_graph=True, **how)[0]
        assert torch.equal(of(seeds, is_grads_batched=True), torch.stack([*map(of, seeds)]))


def test_operators_pass_opcheck_and_compile_without_breaks():
    ops, x = torch.ops.upsweep, numbers((4, 5), torch.float64).cuda().requires_grad_()
    for op in ("sum", "product", "log_sum_exp"):
        torch.library.opcheck(ops.scan, (x, op, 1, False))
    for op in ("sum", "log_sum_exp"):
        torch.library.opcheck(ops.reduce, (x, op, [0], True))
    torch.library.opcheck(ops.cummax, (x, 1))
    keys = torch.tensor([2, 0, 2, 1], device="cuda")
    torch.library.opcheck(ops.segment_sum, (x, torch.tensor([0, 1, 4], device="cuda")))
    torch.library.opcheck(ops.index_sums, (x, keys, 3))
    torch.library.opcheck(ops.take_rows, (x, keys))
    runs = torch.tensor([[0, 0, 2, 2, 4]] * 4, device="cuda")
    torch.library.opcheck(ops.run_sums, (x, runs))
    weight = torch.rand(5, dtype=torch.float64, device="cuda", requires_grad=True)
    for function in ("softmax", "log_softmax", "variance"):
        torch.library.opcheck(ops.line_function, (x, function, 4.0, None))
    torch.library.opcheck(ops.line_function, (x, "rms_norm", 1e-6, weight))
    y = numbers((3, 40), torch.float32).cuda()
    f = lambda x: ut.softmax(ut.logcumsumexp(x, 1), 1) + ut.rms_norm(ut.cummax(x, 1)[0])
    assert torch.equal(torch.compile(f, fullgraph=True, backend="eager")(y), f(y))


def test_calls_are_recorded_in_graphs():
    x = numbers((4, 20_000), torch.float32).cuda()
    f = lambda x: (ut.logsumexp(x, 1), ut.softmax(x, 1), ut.rms_norm(x), ut.var(x, 1))
    expected = f(x), f(-x)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        f(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = f(x)
    for sign in (0, 1):
        graph.replay()
        assert all(torch.equal(r, e) for r, e in zip(results, expected[sign]))
        x.neg_()
