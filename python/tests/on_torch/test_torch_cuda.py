"""upsweep.torch on a GPU: the bits of the CPU, forward and backward, for any layout, chunks, packed
sequences and streams; and what is refused."""

import os
import random

import pytest
import torch
from gpu_calls import FLOATS, TYPES, expect_same, expect_same_call, inputs, needs_gpu
from gpu_calls import poisoned_memory  # noqa: F401

import upsweep.torch as ut

pytestmark = needs_gpu
TOKENS = [0, 1, 2, 15, 16, 17, 31, 255, 256, 257, 511, 512, 513, 1000]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("channels", [1, 3, 32, 33, 64])
def test_recurrences_at_every_size(dtype, channels):
    for tokens in TOKENS:
        a, b = inputs((2, tokens, channels), dtype, tokens)
        h0 = inputs((2, channels), dtype, 1)[1]
        expect_same_call(ut.linear_recurrence, a, b, h0)
        expect_same_call(lambda a, b: ut.linear_recurrence(a, b, reverse=True), a, b)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("channels", [5, 64])
def test_states_go_on_in_chunks_and_steps(dtype, channels):
    a, b = inputs((3, 700, channels), dtype)
    results = []
    for device in ("cuda", "cpu"):
        x, y = a.to(device), b.to(device)
        state, parts, at = None, [], 0
        for n in (1, 254, 1, 1, 100, 0, 256, 40):
            part = x[:, at : at + n], y[:, at : at + n]
            h, state = ut.linear_recurrence(*part, state=state, return_state=True)
            parts.append(h)
            at += n
        while at < 700:
            h, state = ut.linear_recurrence_step(state, x[:, at], y[:, at])
            parts.append(h[:, None])
            at += 1
        h = torch.cat(parts, 1)
        assert torch.equal(h, ut.linear_recurrence(x, y))
        set_digits = [k for k in range(8) if 700 % 256 >> k & 1]
        results.append((h, state.value, state.totals[:, set_digits], state.position))
    expect_same(*results)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_packed_sequences(dtype, reverse):
    borders = torch.tensor([0, 5, 5, 700, 956, 957, 1500])
    a, b = inputs((1, 1500, 7), dtype)
    h0 = inputs((6, 7), dtype, 1)[1]
    call = lambda a, b, h0, cut: ut.linear_recurrence(a, b, h0, cu_seqlens=cut, reverse=reverse)
    expect_same_call(call, a, b, h0, borders)
    expect_same_call(call, a, b, h0, borders.int())


def many_lanes():
    """The fewest whose elements of 16 bits are copied to shared memory tile by tile."""
    return 64 * -(-torch.cuda.get_device_properties(0).multi_processor_count // 12)


def recurrence(**options):
    return lambda a, b, h0=None: ut.linear_recurrence(a, b, h0, **options)


@pytest.mark.parametrize("dtype", TYPES[:2], ids=str)
def test_many_lanes_of_16_bits_in_any_direction_chunks_and_rows(dtype):
    lanes = many_lanes()
    for batch, wide in (
        (1, lanes),
        (lanes // 64, 64),
        (1, lanes + 32),
    ):  # the last has another kernel
        for tokens in (1, 255, 256, 257, 513):
            a, b = inputs((batch, tokens, wide), dtype, tokens)
            h0 = inputs((batch, wide), dtype, 1)[1]
            expect_same_call(recurrence(), a, b, h0)
            expect_same_call(recurrence(reverse=True), a, b)
    a, b = inputs((1, 700, lanes), dtype)
    h0 = inputs((1, lanes), dtype, 1)[1]
    for sizes in ([1, 254, 1, 2, 255, 0, 187], [32, 64, 16, 80, 244, 64, 200]):
        expect_same_call(lambda *x: in_chunks(*x, sizes), a, b, h0, on_cpu=recurrence())
    for first in (8, 1):  # rows of wider ones, in vectors of 16 bytes and not
        part = lambda x: x.narrow(2, first, lanes)
        wide = inputs((1, 300, lanes + 64), dtype)
        expect_same_call(lambda a, b: ut.linear_recurrence(part(a), part(b)), *wide)


@pytest.mark.parametrize("dtype", TYPES[:2], ids=str)
def test_many_lanes_of_16_bits_in_packed_sequences(dtype):
    lanes, sizes = many_lanes(), [5, 0, 695, 256, 1, 343]
    a, b = inputs((1, 1300, lanes), dtype)
    h0 = inputs((6, lanes), dtype, 1)[1]
    cut = torch.tensor([0, *sizes]).cumsum(0)
    for reverse in (False, True):
        expect_same_call(
            lambda a, b, h0: recurrence(cu_seqlens=cut.to(b.device), reverse=reverse)(a, b, h0),
            a, b, h0,
            on_cpu=lambda a, b, h0: one_by_one(a, b, h0, sizes, 1, reverse),
        )  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES[:2], ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_five_tiles_of_16_bits_for_each_multiprocessor(dtype, reverse):
    a, b = inputs((12, 1025, many_lanes()), dtype)
    expect_same_call(recurrence(reverse=reverse), a, b)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_gradients_of_one_pass_are_those_of_operators(dtype):
    for shape in ((2, 1, 64), (2, 700, 64), (1, 513, 7), (1, 9000, 2)):
        a, b = (x.cuda().requires_grad_() for x in inputs(shape, dtype))
        for reverse in (False, True):
            h = ut.linear_recurrence(a, b, reverse=reverse)
            seed = inputs(h.shape, dtype, 3)[1].cuda()
            once = torch.autograd.grad(h, (a, b), seed, retain_graph=True)
            twice = torch.autograd.grad(h, (a, b), seed, create_graph=True)
            assert all(torch.equal(x, y) for x, y in zip(once, twice))


def test_gradients_go_through_states():
    a, b = inputs((2, 600, 3), torch.float32)

    def chunks(a, b):
        h0, state = ut.linear_recurrence(a[:, :300], b[:, :300], return_state=True)
        h1, state = ut.linear_recurrence(a[:, 300:599], b[:, 300:599], state=state,
                                         return_state=True)  # fmt: skip
        h2, _ = ut.linear_recurrence_step(state, a[:, 599], b[:, 599])
        return torch.cat([h0, h1, h2[:, None]], 1)

    expect_same_call(chunks, a, b)
    expect_same_call(ut.linear_recurrence, a, b)


def in_chunks(a, b, h0, sizes):
    """Calls that continue from each other, those of one token by steps."""
    state, results = None, []
    for x, y in zip(a.split(sizes, 1), b.split(sizes, 1)):
        if state is not None and x.shape[1] == 1:
            h, state = ut.linear_recurrence_step(state, x.squeeze(1), y.squeeze(1))
            h = h.unsqueeze(1)
        else:
            h, state = ut.linear_recurrence(
                x, y, h0 if state is None else None, state=state, return_state=True
            )
        results.append(h)
    return torch.cat(results, 1)


def one_by_one(a, b, h0, sizes, dim, reverse):
    """A call for each part of the tensors."""
    starts = [None] * len(sizes) if h0 is None else h0.split(1)
    parts = zip(a.split(sizes, dim), b.split(sizes, dim), starts, strict=True)
    return torch.cat([ut.linear_recurrence(x, y, h, reverse=reverse) for x, y, h in parts], dim)


def random_sizes(total):
    ends = sorted(random.randint(0, total) for _ in range(random.randint(0, 4)))
    if random.random() < 0.5:  # single tokens
        ends = sorted(ends + [min(total, e + 1) for e in ends])
    return [q - p for p, q in zip([0, *ends], [*ends, total])]


def expect_random_case(case):
    """A recurrence on the GPU in one call, in chunks and steps, of packed sequences, or of a batch,
    has the bits of single calls on the CPU."""
    random.seed(case)
    dtype = random.choice(TYPES)
    shape = [random.choice([1, 2, 5]), random.choice(TOKENS), random.randint(1, 70)]
    if random.random() < 0.02:
        shape[1] = 3000
    if random.random() < 0.4:
        shape[2] = 32 * random.randint(1, 4)
    if random.random() < 0.1:
        shape[0], shape[2] = random.randint(1, 300), random.choice([1, 2])
    way = random.choice(["call", "chunks", "packed", "batch"])
    if way == "packed":
        shape[0] = 1
    order = random.sample(range(3), 3)
    back = sorted(range(3), key=order.__getitem__)
    a, b = (x.permute(back) for x in inputs([shape[d] for d in order], dtype, case))
    reverse = way != "chunks" and random.random() < 0.5
    sizes = random_sizes(shape[1])
    h0 = None
    if random.random() < 0.5:
        h0 = inputs((len(sizes) if way == "packed" else shape[0], shape[2]), dtype, case + 1)[1]
    if random.random() < 0.2 and shape[1] > 0:
        a = a[:, :1].expand(shape)  # one coefficient for all tokens
    call = on_cpu = lambda a, b, h0: ut.linear_recurrence(a, b, h0, reverse=reverse)
    if way == "chunks":
        call = lambda a, b, h0: in_chunks(a, b, h0, sizes)
    if way == "batch" and shape[0] < 10:
        on_cpu = lambda a, b, h0: one_by_one(a, b, h0, [1] * shape[0], 0, reverse)
    if way == "packed":
        cut = torch.tensor([0, *sizes]).cumsum(0)
        call = lambda a, b, h0: ut.linear_recurrence(
            a, b, h0, cu_seqlens=cut.to(b.device), reverse=reverse
        )
        on_cpu = lambda a, b, h0: one_by_one(a, b, h0, sizes, 1, reverse)
    expect_same_call(call, a, b, h0, backward=random.random() < 0.7, on_cpu=on_cpu)


def test_random_cases():
    for case in range(int(os.environ.get("UPSWEEP_RANDOM_CASES", 300))):
        try:
            expect_random_case(case)
        except Exception as e:
            raise AssertionError(f"case {case}") from e


def test_products_that_overflow():
    """An infinite gradient times a zero is NaN, with other bits on a GPU."""
    a, b = torch.full((2, 3000, 32), 1.05, dtype=torch.float16), torch.ones(2, 3000, 32).half()
    expect_same_call(lambda a, b: ut.linear_recurrence(a, b, reverse=True), a, b)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_returns_and_advantages(dtype):
    for batch, time in ((3, 700), (100, 40)):
        rewards, values = inputs((batch, time), dtype)
        last = values[:, 0].contiguous()
        dones = torch.rand(batch, time, generator=torch.Generator().manual_seed(0)) < 0.05
        expect_same_call(
            lambda r, d, last: ut.discounted_returns(r, 0.99, dones=d, bootstrap=last),
            rewards, dones, last,
        )  # fmt: skip
        expect_same_call(
            lambda r, v, last, d: ut.gae(r, v, last, 0.99, 0.95, dones=d),
            rewards, values, last, dones,
        )  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_functions_of_elements(dtype):
    x = torch.randn(5000, generator=torch.Generator().manual_seed(0)) * 30
    x = torch.cat([x, torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 1e-30, 88.8, -104])])
    for f in (ut.exp, ut.softplus, ut.sigmoid):
        expect_same_call(f, x.to(dtype), backward=False)
    expect_same_call(ut.log, x.to(dtype).abs(), backward=False)
    for f in (ut.exp, ut.softplus, ut.sigmoid):
        expect_same_call(f, x[:5000].to(dtype) / 10)


def test_exp_of_many_floats():
    bits = torch.arange(-(2**31), 2**31, 1499, dtype=torch.int64).int()
    x = bits.view(torch.float32)
    x = x[~x.isnan()]
    for f in (ut.exp, ut.softplus, ut.sigmoid):
        expect_same_call(f, x, backward=False)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sums_along_a_dimension(dtype):
    x = inputs((40, 300, 35), dtype)[1]
    for dim in range(3):
        expect_same_call(lambda x: ut.cumsum(x, dim), x)
        expect_same_call(lambda x: ut.cumsum(x, dim, reverse=True), x)
        expect_same_call(lambda x: ut.sum(x, dim), x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_selective_scan(dtype):
    batch, channels, states, tokens = 2, 6, 16, 600
    u, delta = inputs((batch, channels, tokens), dtype)
    A = -torch.rand(channels, states, generator=torch.Generator().manual_seed(1)).to(dtype)
    B, C = inputs((batch, states, tokens), dtype, 2)
    D, bias = inputs((channels,), dtype, 3)
    z = inputs((batch, channels, tokens), dtype, 4)[1]
    call = lambda *x: ut.selective_scan(*x, delta_softplus=True, return_last_state=True)
    expect_same_call(call, u, delta, A, B, C, D, z, bias, backward=False)
    expect_same_call(call, u, delta, A, B, C, D, z, bias)


def test_calls_run_in_the_current_stream_and_in_graphs():
    a, b = (x.cuda() for x in inputs((2, 1000, 64), torch.float32))
    whole = ut.linear_recurrence(a, b)
    torch.cuda.synchronize()
    late = torch.zeros_like(b)
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(100_000_000)
        late.copy_(b)
        h = ut.linear_recurrence(a, late)
    torch.cuda.synchronize()
    assert torch.equal(h, whole)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        h = ut.linear_recurrence(a, late)
    for factor in (1, 2, -1):
        late.copy_(b * factor)
        graph.replay()
        assert torch.equal(h, whole * factor)


def test_operators_pass_opcheck_and_compile_without_breaks():
    a, b = (x.cuda().requires_grad_() for x in inputs((2, 300, 3), torch.float32))
    state = [torch.zeros(2, 3), torch.zeros(2, 8, 2, 3), torch.zeros(2, dtype=torch.int64)]
    op = torch.ops.upsweep.linear_recurrence.default
    torch.library.opcheck(op, (a, b, *(x.cuda() for x in state), None, False))
    compiled = torch.compile(ut.linear_recurrence, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(a, b), ut.linear_recurrence(a, b))


def test_what_is_refused():
    x = torch.ones(2, 3, 4, device="cuda")
    cut = torch.tensor([0, 2, 1, 3], device="cuda")
    for f, error, words in (
        (lambda: ut.linear_recurrence(x, x.cpu()), ValueError, "a is on cuda:0, but b on cpu"),
        (lambda: ut.linear_recurrence(x, x, x[:, 0].cpu()), ValueError, "h0 is on cpu"),
        (lambda: ut.linear_recurrence(x, x.double()), TypeError, "a has elements of"),
        (
            lambda: ut.linear_recurrence(x[:1], x[:1], cu_seqlens=cut),
            ValueError,
            r"cu_seqlens\[2\]=1 is less than the 2 before it",
        ),
        (
            lambda: ut.linear_recurrence(x[:1], x[:1], cu_seqlens=cut.cpu()),
            ValueError,
            "cu_seqlens is on cpu; give it on cuda:0",
        ),
        (
            lambda: ut.segment_sum(x, cut),
            ValueError,
            "segment_sum: offsets must ascend from 0 to 2",
        ),
        (lambda: ut.segment_sum(x, cut.cpu()), ValueError, "offsets is on cpu; give it on cuda:0"),
        (lambda: ut.index_add(x, cut[2:], x), IndexError, "index has 1 to 3, but there are 2 rows"),
        (lambda: ut.index_add(x, cut[:2].cpu(), x), ValueError, "index is on cpu; give it on cuda"),
        (lambda: ut.rms_norm(x, x[0, 0].cpu()), ValueError, "weight is on cpu; give it on cuda:0"),
        (lambda: ut.softmax(x, 3), IndexError, "softmax: dim=3, but the tensor has 3 dimensions"),
        (lambda: ut.logsumexp(x.int(), 1), TypeError, "logsumexp: x has elements of torch.int32"),
    ):
        with pytest.raises(error, match=words):
            f()
