"""The argument `dtype` of the functions of upsweep.torch."""

import pytest
import torch
from test_torch_scans import REAL, numbers

import upsweep.torch as ut

TYPED = "cumsum cumprod softmax log_softmax sum mean".split()


@pytest.mark.parametrize("name", TYPED)
def test_elements_are_converted_to_the_type_of_results_first(name):
    ours, theirs = getattr(ut, name), getattr(torch, name)
    x = numbers(3, 40, dtype=torch.bfloat16).requires_grad_()
    for dtype in REAL:
        y = ours(x, 1, dtype=dtype)
        assert y.dtype == dtype and torch.equal(y, ours(x.to(dtype), 1))
        expected = theirs(x.double(), 1)
        eps = torch.finfo(dtype).eps
        torch.testing.assert_close(y.double(), expected, rtol=8 * eps, atol=40 * eps)
    seed = numbers(*ours(x, 1).shape, dtype=torch.float32, seed=1)
    (of_x,) = torch.autograd.grad(ours(x, 1, dtype=torch.float32), x, seed)
    wide = x.detach().float().requires_grad_()
    assert of_x.dtype == x.dtype
    assert torch.equal(of_x, torch.autograd.grad(ours(wide, 1), wide, seed)[0].to(x.dtype))
    counts = torch.tensor([[3, 1, 2], [0, 5, 1]])
    for y in (counts, counts > 1):
        assert torch.equal(ours(y, 0, dtype=torch.float64), ours(y.double(), 0))
    compiled = torch.compile(lambda x: ours(x, 1, dtype=torch.float64), fullgraph=True)
    assert torch.equal(compiled(x.detach()), ours(x.detach(), 1, dtype=torch.float64))


@pytest.mark.parametrize("name", TYPED)
def test_other_types_of_results_are_refused(name):
    known = "float16, bfloat16, float32, float64"
    for dtype in (torch.int64, torch.complex64, "float32"):
        with pytest.raises(TypeError, match=f"^{name}: dtype is .*; give {known}$"):
            getattr(ut, name)(torch.ones(3), 0, dtype=dtype)
    with pytest.raises(
        TypeError, match=f"^{name}: x has elements of torch.complex64; give {known}$"
    ):
        getattr(ut, name)(torch.ones(3, dtype=torch.complex64), 0, dtype=torch.float32)
    with pytest.raises(TypeError, match=f"^{name}: x is a list; give a tensor$"):
        getattr(ut, name)([1.0], 0, dtype=torch.float32)
