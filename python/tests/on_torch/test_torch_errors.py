"""The errors of upsweep.torch beside PyTorch's functions of float64."""

import torch
from test_torch_scans import REAL, F, numbers

import upsweep.torch as ut


def test_means_of_half_precision_are_rounded_once():
    x = torch.full((3, 100), 1000.0, dtype=torch.float16)
    assert ut.mean(x, 1).tolist() == [1000.0] * 3  # the sum is beyond float16
    assert ut.var(x * torch.tensor([1.0, -1.0]).half().repeat(50), 1).isinf().all()
    for dtype in REAL[:2]:
        x = numbers(5, 200, dtype=dtype)
        wide = x.double()
        for y, right in (
            (ut.softmax(x, 1), torch.softmax(wide, 1)),
            (ut.log_softmax(x, 1), torch.log_softmax(wide, 1)),
            (ut.rms_norm(x), F.rms_norm(wide, (200,), eps=1e-6)),
            (ut.mean(x, 1), wide.mean(1)),
            (ut.var(x, 1), wide.var(1)),
        ):
            half = 0.5001 * torch.finfo(dtype).eps
            assert ((y.double() - right).abs() <= half * right.abs() + 1e-7).all()
    weight = torch.ones(200)
    assert ut.rms_norm(x, weight).dtype == x.dtype


def test_errors_of_float32_do_not_add_up():
    x = numbers(4, 10000, dtype=torch.float32)
    eps = torch.finfo(torch.float32).eps
    size = lambda y: y.double().square().mean().sqrt()
    for f, right, bound in (
        (lambda x: ut.logcumsumexp(x, 1), lambda x: torch.logcumsumexp(x, 1), 2.5),
        (lambda x: ut.rms_norm(x), lambda x: F.rms_norm(x, (10000,), eps=1e-6), 0.3),
        (lambda x: ut.var(x, 1), lambda x: torch.var(x, 1), 0.3),
    ):
        y, z = x.clone().requires_grad_(), x.double().requires_grad_()
        got, expected = f(y), right(z)
        assert size(got.detach() - expected.detach()) < 0.5 * eps * size(expected.detach())
        weights = numbers(*got.shape, dtype=torch.float32, seed=1)
        got.backward(weights)
        expected.backward(weights.double())
        assert size(y.grad - z.grad) < bound * eps * size(z.grad)


def test_gradients_of_logarithms_of_half_precision_are_those_of_float32():
    x = (numbers(40) * 3 + 50).bfloat16().requires_grad_()
    ut.logsumexp(x, 0).backward()
    right = torch.softmax(x.detach().double(), 0)
    assert ((x.grad.double() - right).abs() <= 2.0**-8 * right + 1e-7).all()
