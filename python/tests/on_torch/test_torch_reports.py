"""Public reports about other implementations of selective scans and recurrences, as calls of this
module; expected values are loops of PyTorch in float64."""

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
