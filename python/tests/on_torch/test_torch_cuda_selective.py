"""The selective scan as one kernel on a GPU: the bits of the chain of operators on the CPU, forward
and backward."""

import os
import random

import pytest
import torch
from gpu_calls import FLOATS, expect_same, expect_same_call, inputs, needs_gpu, on_gpu
from gpu_calls import poisoned_memory  # noqa: F401

import upsweep.torch as ut
from upsweep.torch import _models, _selective

pytestmark = needs_gpu
NAMES = "u delta A B C D z delta_bias".split()


def arguments(batch, channels, tokens, dtype, groups=None, seed=0):
    """u, delta, A, B, C, D, z and delta_bias, on the CPU."""
    u, delta = inputs((batch, channels, tokens), dtype, seed)
    A = -torch.rand(channels, 16, generator=torch.Generator().manual_seed(seed + 1)).to(dtype)
    shape = (batch, 16, tokens) if groups is None else (batch, groups, 16, tokens)
    B, C = inputs(shape, dtype, seed + 2)
    D, bias = inputs((channels,), dtype, seed + 3)
    z = inputs((batch, channels, tokens), dtype, seed + 4)[1]
    return [u, delta, A, B, C, D, z, bias]


@pytest.fixture
def launches(monkeypatch):
    """Counts the calls of the kernels."""
    made = []
    launch = _selective._launch

    def counted(*args, **named):
        made.append(named.get("of") is not None)
        return launch(*args, **named)

    monkeypatch.setattr(_selective, "_launch", counted)
    return made


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("tokens", [1, 16, 255, 257, 600])
def test_scans(dtype, tokens, launches):
    args = arguments(2, 11, tokens, dtype)
    call = lambda *x: ut.selective_scan(*x, delta_softplus=True, return_last_state=True)
    expect_same_call(call, *args, backward=False)
    args[5:] = None, None, None
    expect_same_call(lambda *x: ut.selective_scan(*x)[:, :, :], *args, backward=False)
    assert len(launches) == 2


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("groups", [None, 1, 3])
def test_gradients(dtype, groups, launches):
    args = arguments(2, 48, 512, dtype, groups)
    expect_same_call(lambda *x: ut.selective_scan(*x, delta_softplus=True), *args)
    expect_same_call(lambda *x: ut.selective_scan(*x), *args[:5])
    assert launches == [False, True] * 2


def test_gradients_without_a_kernel(launches):
    for args in (arguments(2, 48, 300, torch.float32), arguments(1, 24, 256, torch.float32)):
        expect_same_call(lambda *x: ut.selective_scan(*x, delta_softplus=True), *args)
    assert not launches


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_layouts_and_special_values(dtype):
    args = arguments(2, 11, 300, dtype)
    args[0][0, 0, 5], args[1][1, 3, 7], args[6][0, 2, 9] = torch.inf, torch.nan, -torch.inf
    args[2][4] = 3.0  # which grows
    args[0], args[1] = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in args[:2])
    args[3] = args[3].repeat_interleave(2, 2)[:, :, ::2]
    expect_same_call(lambda *x: ut.selective_scan(*x, delta_softplus=True), *args, backward=False)


def test_random_chunks_packs_and_batches():
    rng = random.Random(5)
    for case in range(int(os.environ.get("UPSWEEP_RANDOM_CASES", 60))):
        dtype = rng.choice(FLOATS)
        batch, channels = rng.choice([1, 2, 3]), rng.choice([1, 8, 9])
        tokens = rng.choice([1, 40, 300, 777])
        args = arguments(batch, channels, tokens, dtype, seed=case)
        args = [on_gpu(x) for x in args]
        whole, last = ut.selective_scan(*args, delta_softplus=True, return_last_state=True)
        parts, state, at = [], None, 0
        while at < tokens:
            n = min(rng.choice([0, 1, 5, 16, 64, 255, 256, 300]), tokens - at)
            part = [x[..., at : at + n] if k in (0, 1, 3, 4, 6) else x for k, x in enumerate(args)]
            y, end, state = ut.selective_scan(*part, True, True, state=state, return_state=True)
            parts.append(y)
            at += n
        assert torch.equal(torch.cat(parts, 2), whole) and torch.equal(end, last)
        alone = [x[-1:] if k in (0, 1, 3, 4, 6) else x for k, x in enumerate(args)]
        assert torch.equal(ut.selective_scan(*alone, True), whole[-1:])
        borders = sorted(rng.randrange(tokens + 1) for _ in range(3))
        cut = torch.tensor([0, *borders, tokens], device="cuda")
        packed, ends, states = ut.selective_scan(
            *alone, True, True, cu_seqlens=cut, return_state=True
        )
        for k, (i, j) in enumerate(zip(cut[:-1].tolist(), cut[1:].tolist())):
            one = [x[..., i:j] if n in (0, 1, 3, 4, 6) else x for n, x in enumerate(alone)]
            y, end, state = ut.selective_scan(*one, True, True, return_state=True)
            assert torch.equal(packed[..., i:j], y) and torch.equal(ends[k], end[0])
            for x, y in zip(states[:3], state[:3]):
                assert torch.equal(x[k], y[0])


def test_states_are_those_of_the_chain(launches):
    args = arguments(2, 5, 333, torch.float32)
    cpu = _models.selective_scan(*args, True, return_last_state=True, return_state=True)
    gpu = ut.selective_scan(*map(on_gpu, args), True, return_last_state=True, return_state=True)
    assert launches == [False]
    expect_same([*gpu[:2], gpu[2].value, gpu[2].position],
                [*cpu[:2], cpu[2].value, cpu[2].position])  # fmt: skip
    digits = [k for k in range(8) if 333 % 256 >> k & 1]
    expect_same([gpu[2].totals[:, digits]], [cpu[2].totals[:, digits]])
    more = arguments(2, 5, 50, torch.float32, seed=9)
    expect_same_call(
        lambda *x: ut.selective_scan(*x[:2], on_gpu(args[2]) if x[0].is_cuda else args[2], *x[2:],
                                     state=gpu[2] if x[0].is_cuda else cpu[2]),
        *more[:2], *more[3:5], backward=False,
    )  # fmt: skip


def test_transforms():
    args = [on_gpu(x).requires_grad_() for x in arguments(1, 16, 256, torch.float32)]
    op = torch.ops.upsweep.selective_scan.default
    torch.library.opcheck(op, (*args, True))
    call = lambda *x: ut.selective_scan(*x, delta_softplus=True)
    compiled = torch.compile(call, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(*args), call(*args))
    seed = torch.randn_like(args[0])
    once = torch.autograd.grad(call(*args), args, seed)
    twice = torch.autograd.grad(call(*args), args, seed, create_graph=True)
    for x, y in zip(once, twice, strict=True):
        assert torch.equal(x, y)
    few = [x.detach() for x in args]
    mapped = torch.vmap(lambda u: call(u, *few[1:]))(torch.stack([few[0], -few[0]]))
    assert torch.equal(mapped[0], call(*few)) and torch.equal(mapped[1], call(-few[0], *few[1:]))


def test_offsets_are_on_the_gpu_and_of_one_batch():
    one, two = ([on_gpu(x) for x in arguments(n, 8, 30, torch.float32)] for n in (1, 2))
    with pytest.raises(ValueError, match="cu_seqlens is on cpu"):
        ut.selective_scan(*one, cu_seqlens=torch.tensor([0, 30]))
    with pytest.raises(ValueError, match="and u a batch of 2"):
        ut.selective_scan(*two, cu_seqlens=torch.tensor([0, 30], device="cuda"))
    with pytest.raises(ValueError, match="cu_seqlens"):
        ut.selective_scan(*one, cu_seqlens=torch.tensor([0, 31], device="cuda"))
