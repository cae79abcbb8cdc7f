"""upsweep.torch on a GPU: other devices than the current one, PyTorch's deterministic mode, and
more elements than 32 bits count."""

import pytest
import torch
from gpu_calls import expect_same_call, inputs, needs_gpu, on_gpu
from gpu_calls import poisoned_memory  # noqa: F401

import upsweep.torch as ut

pytestmark = needs_gpu
X, Y = inputs((1, 300, 32), torch.float32)
STEPS = torch.tensor([0, 3, 100, 300])
KEYS = torch.randint(0, 9, (300,), generator=torch.Generator().manual_seed(0))
SELECTED = [Y.mT, X.mT, -X[0, :16].mT, X[:, :16, :16].repeat(1, 1, 19)[..., :300]]
# Functions of tensors, of which all but keys and offsets have gradients.
CALLS = {
    "recurrence": (ut.linear_recurrence, X, Y),
    "packs": (lambda a, b, cut: ut.linear_recurrence(a, b, cu_seqlens=cut), X, Y, STEPS),
    "selective_scan": (lambda u, d, A, B: ut.selective_scan(u, d, A, B, B), *SELECTED),
    "cumsum": (lambda x: ut.cumsum(x, 1), Y),
    "cumprod": (lambda x: ut.cumprod(x, 2), X),
    "cummax": (lambda x: ut.cummax(x, 1)[0], Y),
    "logcumsumexp": (lambda x: ut.logcumsumexp(x, 1), Y),
    "sum": (lambda x: ut.sum(x, 1), Y),
    "sum of all": (ut.sum, Y),
    "logsumexp": (lambda x: ut.logsumexp(x, 2), Y),
    "softmax": (lambda x: ut.softmax(x, 1), Y),
    "log_softmax": (lambda x: ut.log_softmax(x, 2), Y),
    "rms_norm": (ut.rms_norm, Y, X[0, 0]),
    "var": (lambda x: ut.var(x, 1), Y),
    "segment_sum": (lambda x, cut: ut.segment_sum(x[0], cut), Y, STEPS),
    "index_add": (lambda x, keys: ut.index_add(x[0, :9], keys, x[0]), Y, KEYS),
    "elements": (lambda x: ut.softplus(ut.sigmoid(x)) + ut.exp(x), Y),
}


def gradients(f, args):
    needs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in args]
    y = f(*needs)
    used = [x for x in needs if x.requires_grad]
    return y.detach(), *torch.autograd.grad(y, used, torch.ones_like(y))


@pytest.mark.parametrize("name", CALLS)
def test_pytorchs_deterministic_mode_refuses_nothing(name):
    f, *args = CALLS[name]
    torch.use_deterministic_algorithms(True)
    try:
        expect_same_call(f, *args)
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
@pytest.mark.parametrize("name", CALLS)
def test_tensors_need_not_be_on_the_current_device(name):
    f, *args = CALLS[name]
    there = gradients(f, [x.to("cuda:1") for x in args])
    assert torch.cuda.current_device() == 0
    for x, y in zip(there, gradients(f, [on_gpu(x) for x in args]), strict=True):
        assert x.device.index == 1 and torch.equal(x.cpu(), y.cpu())


def pattern(size, dtype=torch.bfloat16):
    """Integers of few digits that repeat after a prime number of elements."""
    few = torch.arange(251, device="cuda").to(dtype)
    return few.repeat(size // 251 + 1)[:size]


MANY = (1 << 31) + 1003
needs_memory = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_properties(0).total_memory < 100e9,
    reason="needs 100 GB of a GPU",
)


@needs_memory
def test_lines_of_more_elements_than_32_bits_count():
    x = pattern(MANY)
    wholes, rest = divmod(MANY, 251)
    # Sums of whole numbers are exact as long as a double has their digits.
    total = wholes * (250 * 251 // 2) + rest * (rest - 1) // 2
    assert ut.sum(x.double()).item() == total
    # The terms of 250 outweigh all others: 8,555,754 times e^250 (1 + e^-1 + ...).
    weights = torch.arange(251, dtype=torch.float64).sub(250).exp()
    expected = 250 + torch.log(wholes * weights.sum() + weights[:rest].sum())
    assert abs(ut.logsumexp(x.float(), 0).item() - expected.item()) < 1e-4
    del x
    y = ut.cummax(pattern(MANY, torch.float32), 0)
    assert y[0][-1] == 250 and y[1][-1] == MANY - 1 - (MANY - 1 - 250) % 251


@needs_memory
def test_arrays_of_more_elements_than_32_bits_count():
    """Rows and channels at their ends have the results of a small call."""
    channels = 2048
    tokens = MANY // channels + 2
    b = pattern(tokens * channels).reshape(1, tokens, channels)
    a = torch.full_like(b[:, :1], 0.5).expand_as(b)
    h = ut.linear_recurrence(a, b)
    last = h[:, :, -3:].clone()
    assert torch.equal(ut.linear_recurrence(a[:, :, -3:], b[:, :, -3:].contiguous()), last)
    del h
    x, cut = b[0], torch.tensor([0, 5, tokens - 3, tokens], device="cuda")
    end = ut.segment_sum(x, cut)[2]
    assert torch.equal(end, ut.segment_sum(x[-3:], cut[:2] * 3 // 5)[0])
    del end
    assert torch.equal(ut.softmax(x, 1)[-1], ut.softmax(x[-1:], 1)[0])
    assert torch.equal(ut.logsumexp(x, 1)[-2:], ut.logsumexp(x[-2:], 1))
    assert torch.equal(ut.sum(x, 1)[-2:], ut.sum(x[-2:], 1))
