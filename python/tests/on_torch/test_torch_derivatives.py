"""Derivatives of upsweep.torch forward, backward and by the transforms of torch.func, against
differences of values."""

import math

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

import upsweep.torch as ut
from upsweep.torch import _scans, _tensors

DEVICES = ["cpu"]
if torch.cuda.is_available() and _tensors._HAS_KERNELS:
    DEVICES.append("cuda")
on_each_device = pytest.mark.parametrize("device", DEVICES)
OFFSETS = torch.tensor([0, 3, 3, 7])
INDEX = torch.tensor([2, 0, 2, 1, 0, 2, 2])


def positive(*shape):
    made = torch.rand(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return made + 0.2


def in_two_calls(x, **how):
    parts = [x[None, :3], x[None, 3:]]
    parts = parts[::-1] if how.get("reverse") else parts
    first, state = ut.linear_recurrence(parts[0], parts[0], x[:1], return_state=True, **how)
    return torch.cat([first, ut.linear_recurrence(parts[1], parts[1], state=state, **how)], 1)


def in_steps(x):
    _, state = ut.linear_recurrence(x[None, :0], x[None, :0], x[:1], return_state=True)
    results = []
    for row in x:
        h, state = ut.linear_recurrence_step(state, row[None], row[None])
        results.append(h)
    return torch.cat(results)


# Functions of a positive tensor [7, 4].
ONCE = {
    "two calls": in_two_calls,
    "two calls, reverse": lambda x: in_two_calls(x, reverse=True),
    "steps": in_steps,
}
TWICE = {
    "exp": ut.exp,
    "log": ut.log,
    "softplus": ut.softplus,
    "sigmoid": ut.sigmoid,
    "cumsum": lambda x: ut.cumsum(x, 0),
    "cumsum, reverse": lambda x: ut.cumsum(x, 1, reverse=True),
    "cumprod": lambda x: ut.cumprod(x, 0),
    "cumprod, reverse": lambda x: ut.cumprod(x, -1, reverse=True),
    "logcumsumexp": lambda x: ut.logcumsumexp(x, 1),
    "logcumsumexp, reverse": lambda x: ut.logcumsumexp(x, 0, reverse=True),
    "cummax": lambda x: ut.cummax(x, 0)[0],
    "scalars": lambda x: ut.cumprod(x[0, 0], 0) + ut.sum(x[0, 1]) * ut.cummax(x[0, 2], 0)[0],
    "sum": lambda x: ut.sum(x, (0, 1)),
    "mean": lambda x: ut.mean(x, 0, keepdim=True),
    "var": lambda x: ut.var(x, 0),
    "logsumexp": lambda x: ut.logsumexp(x, 1),
    "softmax": lambda x: ut.softmax(x, 1),
    "log_softmax": lambda x: ut.log_softmax(x, 0),
    "rms_norm": lambda x: ut.rms_norm(x, x[0]),
    "segment_sum": lambda x: ut.segment_sum(x, OFFSETS.to(x.device)),
    "index_add": lambda x: ut.index_add(x[:3], INDEX.to(x.device), x),
    "recurrence": lambda x: ut.linear_recurrence(x[None], x[None], x[:1]),
    "recurrence, reverse": lambda x: ut.linear_recurrence(x[None], x[None], reverse=True),
    "packs": lambda x: ut.linear_recurrence(
        x[None], x[None], x[:3], cu_seqlens=OFFSETS.to(x.device)
    ),
    "returns": lambda x: ut.discounted_returns(x, 0.9),
    "gae": lambda x: ut.gae(x, x * 2, x[:, 0], 0.9, 0.8),
    "selective": lambda x: ut.selective_scan(x[None], x[None], -x[:, :3], x[None, :3], x[None, :3]),
}
ALL = ONCE | TWICE


@pytest.mark.parametrize("name", ALL)
def test_derivatives_are_those_of_values_in_both_directions(name):
    x = positive(7, 4).requires_grad_()
    assert torch.autograd.gradcheck(ALL[name], x, check_forward_ad=True)
    if name in TWICE:
        assert torch.autograd.gradgradcheck(TWICE[name], x)


@on_each_device
@pytest.mark.parametrize("name", ALL)
def test_transforms_have_the_derivatives_of_backward(name, device):
    f, x = ALL[name], positive(7, 4).to(device)
    tangent = x.flip(0)
    square = lambda x: f(x).square().sum()
    jacobian = torch.autograd.functional.jacobian(f, x)
    along = (jacobian * tangent).flatten(-2).sum(-1)
    torch.testing.assert_close(jacrev(f)(x), jacobian)
    torch.testing.assert_close(jacfwd(f)(x), jacobian)
    torch.testing.assert_close(jvp(f, (x,), (tangent,))[1], along)
    torch.testing.assert_close(jvp(vmap(f), (x[None],), (tangent[None],))[1][0], along)
    with forward_ad.dual_level():
        dual = f(forward_ad.make_dual(x, tangent))
        torch.testing.assert_close(forward_ad.unpack_dual(dual).tangent, along)
    each = vmap(grad(square))(torch.stack([x, tangent]))
    for k, one in enumerate((x, tangent)):
        y = one.clone().requires_grad_()
        assert torch.equal(each[k], torch.autograd.grad(square(y), y)[0])
    if name in TWICE:
        second = torch.autograd.functional.hessian(square, x)
        torch.testing.assert_close(hessian(square)(x), second)


def test_complex_recurrences_have_tangents():
    b = torch.complex(positive(1, 7, 2), positive(1, 7, 2).flip(1)).requires_grad_()
    a = (b.detach() / 2).requires_grad_()
    f = lambda a, b: ut.linear_recurrence(a, b, b[:, 0])
    assert torch.autograd.gradcheck(f, (a, b), check_forward_ad=True)


def test_second_derivatives_through_a_state_are_refused_by_a_sentence():
    with pytest.raises(NotImplementedError, match="second derivatives through a state"):
        hessian(lambda x: in_two_calls(x).sum())(positive(7, 4))


def test_a_compiled_call_has_tangents_or_is_refused():
    """PyTorch runs what it cannot compile as it is, or, in older versions, refuses it."""
    f, x = (lambda x: ut.linear_recurrence(x[None], ut.softmax(x, 0)[None])), positive(7, 4)
    tangent = jvp(f, (x,), (x,))[1]
    compiled = lambda f: torch.compile(f, backend="aot_eager")
    square = lambda x: f(x).square().sum()
    for call, expected in (
        (lambda: compiled(lambda x: jvp(f, (x,), (x,))[1])(x), tangent),
        (lambda: jvp(compiled(f), (x,), (x,))[1], tangent),
        (lambda: compiled(grad(square))(x), grad(square)(x)),
    ):
        try:
            made = call()
        except torch._dynamo.exc.TorchDynamoException:
            continue
        torch.testing.assert_close(made, expected)


@pytest.mark.parametrize("dtype", _tensors.REAL, ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_the_gradient_of_products_in_one_pass_has_the_bits_of_the_chain(dtype, reverse):
    g = torch.Generator().manual_seed(5)
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    for shape, dim in (((7,), 0), ((1,), 0), ((3, 600), 1), ((600, 5), 0), ((4, 300, 6), 1)):
        for kind in ("plain", "zeros", "large", "special"):
            x = torch.randn(shape, generator=g).to(dtype)
            if kind == "zeros":
                x *= torch.rand(shape, generator=g) > 0.1
            elif kind == "large":
                x *= 100
            elif kind == "special":
                flat = x.view(-1)
                flat[::7], flat[3::50], flat[1::30] = math.inf, math.nan, 0
            x.requires_grad_()
            grad = torch.randn(shape, generator=g).to(dtype)
            y = _scans.scan(x, "product", dim, reverse)
            (plain,) = torch.autograd.grad(y, x, grad, retain_graph=True)
            (chain,) = torch.autograd.grad(y, x, grad, create_graph=True)
            same = (plain.view(bits) == chain.detach().view(bits)) | (plain.isnan() & chain.isnan())
            assert same.all(), (shape, dim, kind)


def test_reductions_of_a_scalar_have_derivatives():
    for ours, theirs in ((ut.logsumexp, torch.logsumexp), (ut.sum, torch.sum)):
        grads = []
        for function in (ours, theirs):
            x = torch.tensor(1.5, requires_grad=True)
            (function(x, 0) if function is torch.logsumexp else function(x)).backward()
            grads.append(x.grad)
        assert torch.equal(*grads)
