"""Public reports about other implementations of scans, sums and recurrences, as calls of this
module; expected values are those of the reports, or loops of PyTorch in float64."""

import pytest
import torch

import upsweep.torch as ut
from upsweep.torch import _tensors

DEVICES = ["cpu"]
if torch.cuda.is_available() and _tensors._HAS_KERNELS:
    DEVICES.append("cuda")
pytestmark = pytest.mark.parametrize("device", DEVICES)


def arguments(tokens, channels, device, batch=2, dtype=torch.float32):
    g = torch.Generator().manual_seed(tokens)
    random = lambda *shape: torch.randn(shape, generator=g, dtype=torch.float64)
    A = -torch.arange(1.0, 17, dtype=torch.float64).repeat(channels, 1)
    args = [random(batch, channels, tokens), random(batch, channels, tokens), A,
            random(batch, 16, tokens), random(batch, 16, tokens), random(channels),
            random(batch, channels, tokens), random(channels)]  # fmt: skip
    return [x.to(device, dtype) for x in args]


def loop(u, delta, A, B, C, D, z, bias):
    """The definition, token by token."""
    step = torch.nn.functional.softplus(delta + bias[:, None])
    h, results = u.new_zeros(u.shape[0], *A.shape), []
    for t in range(u.shape[2]):
        h = torch.exp(step[:, :, t, None] * A) * h
        h = h + (step[:, :, t] * u[:, :, t])[..., None] * B[:, None, :, t]
        results.append((h * C[:, None, :, t]).sum(-1))
    y = torch.stack(results, -1) + u * D[:, None]
    return y * torch.nn.functional.silu(z)


@pytest.mark.parametrize("tokens", [100, 256, 300])
def test_gradients_are_right_with_softplus_and_a_bias_at_any_length(device, tokens):
    """state-spaces/mamba#368 (a bias beyond the last token) and #352 (NaN if the length is no
    multiple of 256)."""
    args = arguments(tokens, 16, device)
    made, exact = ([x.clone().to(d).requires_grad_() for x in args] for d in (None, torch.float64))
    y, want = ut.selective_scan(*made, delta_softplus=True), loop(*exact)
    torch.testing.assert_close(y.double(), want, rtol=1e-4, atol=1e-4)
    seed = torch.ones_like(want)
    pairs = zip(torch.autograd.grad(y, made, seed.float()), torch.autograd.grad(want, exact, seed))
    for got, right in pairs:
        assert got.isfinite().all()
        torch.testing.assert_close(got.double(), right, rtol=1e-3, atol=2e-3)


def test_steps_have_the_results_of_one_call(device):
    """state-spaces/mamba#683, #187, #500 and #641: others from the 30th token on."""
    args = arguments(100, 16, device)
    whole = ut.selective_scan(*args, delta_softplus=True)
    state, parts = None, []
    for t in range(100):
        token = [x[..., t : t + 1] if k in (0, 1, 3, 4, 6) else x for k, x in enumerate(args)]
        y, state = ut.selective_scan(*token, True, state=state, return_state=True)
        parts.append(y)
    assert torch.equal(torch.cat(parts, -1), whole)


def test_products_that_underflow_leave_numbers(device):
    """MzeroMiko/mamba-mini#6: a division by a running product that is 0."""
    args = arguments(700, 16, device)
    args[1] = args[1] + 5
    y = ut.selective_scan(*args, delta_softplus=True)
    torch.testing.assert_close(y.double(), loop(*(x.double() for x in args)), rtol=1e-4, atol=1e-3)


def test_gradients_of_complex_recurrences_are_those_of_a_loop(device):
    """alxndrTL/mamba.py#65."""
    g = torch.Generator().manual_seed(0)
    shape = 2, 70, 3
    make = lambda: torch.complex(*(torch.rand(shape, generator=g, dtype=torch.float64)
                                   for _ in "ri")).to(device)  # fmt: skip
    a, b = 0.7 * make(), make()
    made, exact = ([x.clone().requires_grad_() for x in (a, b)] for _ in range(2))
    h, results = torch.zeros_like(b[:, 0]), []
    for t in range(shape[1]):
        h = exact[0][:, t] * h + exact[1][:, t]
        results.append(h)
    pairs = [(ut.linear_recurrence(*made), torch.stack(results, 1))]
    losses = [y.sum().abs() for y in pairs[0]]
    pairs += zip(*(torch.autograd.grad(x, of) for x, of in zip(losses, (made, exact))))
    for got, right in pairs:
        torch.testing.assert_close(got, right)


def test_a_scan_begins_with_a_state(device):
    """state-spaces/mamba#285 and #536: a prompt in two parts."""
    args = arguments(512, 16, device)
    whole, last = ut.selective_scan(*args, delta_softplus=True, return_last_state=True)
    cut = lambda x, i, j, k: x[..., i:j] if k in (0, 1, 3, 4, 6) else x
    first, rest = ([cut(x, i, j, k) for k, x in enumerate(args)] for i, j in ((0, 30), (30, 512)))
    y, state = ut.selective_scan(*first, True, return_state=True)
    y2, end = ut.selective_scan(*rest, True, True, state=state)
    assert torch.equal(torch.cat([y, y2], -1), whole) and torch.equal(end, last)


@pytest.mark.parametrize(
    "x, expected",
    [
        ([0.0, 2, 3], [9.0, 0, 0]),
        ([2.0, 3, 0], [4.0, 2, 6]),
        ([2.0, 0, 0, 3], [1.0, 2, 0, 0]),
        ([2.0, 0, 3, 4], [1.0, 32, 0, 0]),
    ],
)
def test_gradients_of_products_are_right_beside_zeros(device, x, expected):
    """tensorflow/tensorflow#119430 and tracel-ai/burn#3864: NaN, or 0."""
    x = torch.tensor(x, device=device, requires_grad=True)
    ut.cumprod(x, 0).sum().backward()
    assert x.grad.tolist() == expected


def test_a_zero_stays_one_before_products_that_overflow(device):
    """pytorch/pytorch#88556: NaN on a GPU. The gradients after the zero are 0, too."""
    x = torch.arange(0, 50, 0.5, device=device).requires_grad_()
    y = ut.cumprod(x, 0)
    y.sum().backward()
    assert y.tolist() == [0] * 100 and x.grad[1:].tolist() == [0] * 99


def test_logarithms_of_sums_begin_with_masked_terms(device):
    """pytorch/pytorch#52213 and #31829, tinygrad/tinygrad#17853: NaN after two terms of -inf, and
    as the gradient of these."""
    inf = torch.inf
    x = torch.tensor([[2, -inf, -inf, 1, -inf, -inf, 3], [-inf, -inf, -inf, 1, -inf, -inf, 3]])
    made, exact = x.clone().to(device).requires_grad_(), x.double()
    y = ut.logcumsumexp(made, 1)
    want = torch.stack([exact[:, : k + 1].exp().sum(1).log() for k in range(7)], 1)
    torch.testing.assert_close(y.cpu().double(), want, rtol=1e-6, atol=0)
    seed = torch.arange(1.0, 8)
    y.backward(seed.expand(2, 7).to(device))
    parts = torch.exp(exact[:, :, None] - want[:, None]).nan_to_num() * seed  # [line, term, sum]
    slopes = torch.triu(parts).sum(2)
    torch.testing.assert_close(made.grad.cpu().double(), slopes, rtol=1e-6, atol=0)
    assert not ut.logsumexp(torch.full((3,), -inf, device=device), 0).isfinite()


def test_segments_may_be_empty_and_must_cover_all_rows(device):
    """rusty1s/pytorch_scatter#452: an error of shapes in the backward pass."""
    x = torch.rand(8, 3, device=device, requires_grad=True)
    with pytest.raises(ValueError, match="must ascend from 0 to 8"):
        ut.segment_sum(x, torch.tensor([0, 3, 7], device=device))
    ut.segment_sum(x, torch.tensor([0, 0, 3, 3, 8, 8], device=device)).sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x))


def test_an_index_without_elements_has_a_gradient(device):
    """pytorch/pytorch#94336: a gradient of the wrong shape."""
    x, source = (torch.ones(n, 3, device=device, requires_grad=True) for n in (2, 0))
    ut.index_add(x, torch.zeros(0, dtype=torch.int64, device=device), source).sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x)) and source.grad.shape == (0, 3)


def advantages(r, v, following, done, terminated, discount, smoothing):
    """The definition, one time after another."""
    a, results = 0.0, []
    for t in reversed(range(len(r))):
        error = r[t] + discount * (1 - terminated[t]) * following[t] - v[t]
        a = error + discount * smoothing * (1 - done[t]) * a
        results.append(a)
    return results[::-1]


def test_an_episode_that_was_cut_off_has_a_value_after_it(device):
    """pytorch/rl#2773 and thu-ml/tianshou#869: `done` and `terminated` taken for each other."""
    g = torch.Generator().manual_seed(0)
    r, v, following = (torch.rand(40, generator=g, dtype=torch.float64) for _ in range(3))
    done = (torch.rand(40, generator=g) < 0.3).double()
    terminated = done * (torch.rand(40, generator=g) < 0.5)
    want = torch.tensor(advantages(r, v, following, done, terminated, 0.9, 0.8))
    on = lambda x: x[None].to(device)
    flags = dict(dones=on(done), terminated=on(terminated).bool())
    made = ut.gae(on(r), on(v), None, 0.9, 0.8, next_values=on(following), **flags)
    torch.testing.assert_close(made[0].cpu(), want)
    # thu-ml/tianshou#869 has these numbers: the last state ends the episode and has no value.
    one = lambda *x: torch.tensor([x], dtype=torch.float64, device=device)
    last = ut.gae(one(1, 1, 1), one(2, 2, 2), one(2)[0], 0.9, 0.8, terminated=one(0, 0, 1))
    assert last[0, 2].item() == 1 - 2
