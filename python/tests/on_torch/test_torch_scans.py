"""The scans, reductions and models of upsweep.torch beside PyTorch's, and their gradients."""

import math

import numpy as np
import pytest
import torch

import upsweep
import upsweep.torch as ut

F = torch.nn.functional
REAL = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
DIMS = [(ut.cumsum, torch.cumsum), (ut.cumprod, torch.cumprod), (ut.softmax, torch.softmax)]
DIMS += [(ut.logcumsumexp, torch.logcumsumexp), (ut.log_softmax, torch.log_softmax)]
DIMS += [(ut.sum, torch.sum), (ut.mean, torch.mean), (ut.logsumexp, torch.logsumexp)]
DIMS += [(lambda x, d: ut.var(x, d), lambda x, d: torch.var(x, d))]
DIMS += [(lambda x, d: ut.cummax(x, d)[0], lambda x, d: torch.cummax(x, d)[0])]
NAMES = "cumsum cumprod softmax logcumsumexp log_softmax sum mean logsumexp var cummax".split()


def numbers(*shape, dtype=torch.float64, seed=0):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=g, dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("ours, theirs", DIMS, ids=NAMES)
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_results_are_close_to_pytorchs(ours, theirs, dtype):
    x = numbers(3, 40, 5, dtype=dtype)
    for dim in (0, 1, -1):
        y = ours(x, dim)
        assert y.dtype == dtype
        eps = torch.finfo(dtype).eps
        torch.testing.assert_close(y.double(), theirs(x.double(), dim), rtol=8 * eps, atol=40 * eps)


@pytest.mark.parametrize("ours, theirs", DIMS, ids=NAMES)
def test_results_of_a_row_do_not_depend_on_the_others(ours, theirs):
    x = numbers(7, 1000, dtype=torch.float32)
    for i in (0, 3):
        assert torch.equal(ours(x, 1)[i], ours(x[i : i + 1].clone(), 1)[0])
        assert torch.equal(ours(x.T, 0)[..., i], ours(x, 1)[i])


def test_results_have_the_bits_of_the_package():
    x = numbers(4, 300, dtype=torch.float32)
    same = lambda y, expected: np.array_equal(y.numpy(), expected)
    assert same(ut.cumsum(x, 1), upsweep.cumulative_sum(x.numpy(), axis=1))
    assert same(ut.cumsum(x, 0, reverse=True), upsweep.scan(x.numpy(), axis=0, reverse=True))
    assert same(ut.sum(x, (0, 1)), upsweep.sum(x.numpy()))
    assert same(ut.logsumexp(x, 0), upsweep.logsumexp(x.numpy(), axis=0))


@pytest.mark.parametrize("ours, theirs", DIMS, ids=NAMES)
def test_gradients_are_those_of_differences(ours, theirs):
    x = numbers(3, 4).requires_grad_()
    for dim in (0, 1):
        assert torch.autograd.gradcheck(lambda x: ours(x, dim), x)
        y, z = (x.detach().clone().requires_grad_() for _ in range(2))
        weights = numbers(*ours(x, dim).shape, seed=1)
        (ours(y, dim) * weights).sum().backward()
        (theirs(z, dim) * weights).sum().backward()
        torch.testing.assert_close(y.grad, z.grad)


def test_gradients_of_running_products_are_right_beside_zeros():
    x = torch.tensor([[2.0, 0.0, 3.0, 0.0, 5.0]], dtype=torch.float64).requires_grad_()
    ut.cumprod(x, 1).sum().backward()
    assert x.grad.tolist() == [[1.0, 8.0, 0.0, 0.0, 0.0]]
    assert torch.autograd.gradcheck(lambda x: ut.cumprod(x, 1, reverse=True), x)


def test_running_maxima_have_pytorchs_indices():
    x = torch.tensor([[1.0, 3, 3, 2, 3, 4, math.nan, 5], [0.0, -0.0, 0.0, -1, 1, 1, 0, 0]])
    values, indices = ut.cummax(x, 1)
    expected = torch.cummax(x, 1)
    assert torch.equal(values[1], expected.values[1])
    assert torch.equal(indices[0, :6], expected.indices[0, :6])
    assert values[0, 6:].isnan().all()
    x = x[:, :6].double().requires_grad_()
    ut.cummax(x, 1)[0].sum().backward()
    assert x.grad[0].tolist() == [1, 1, 2, 0, 1, 1]


def test_logarithms_of_sums_take_infinities():
    inf = math.inf
    x = torch.tensor([[-inf, -inf, 1.0, -inf, 2.0], [-inf] * 5], dtype=torch.float64)
    x.requires_grad_()
    y = ut.logcumsumexp(x, 1)
    torch.testing.assert_close(y.detach(), torch.logcumsumexp(x.detach(), 1))
    y[0, 2:].sum().backward()
    assert x.grad.isfinite().all() and x.grad[0, :2].tolist() == [0, 0]
    assert ut.logsumexp(x, 1)[1] == -inf


@pytest.mark.parametrize("ours, theirs", DIMS, ids=NAMES)
def test_tensors_without_elements_have_pytorchs_shapes_and_a_gradient(ours, theirs):
    for shape, dim in (((0, 3), 1), ((3, 0), 0), ((2, 0, 3), 0), ((0, 3), 0), ((0,), 0)):
        x = torch.ones(shape, requires_grad=True)
        y = ours(x, dim)
        full = theirs(torch.ones([n + 2 for n in shape]), dim).shape
        assert y.shape == tuple(n - 2 for n in full)
        y.sum().backward()
        assert x.grad.shape == shape


def test_rows_without_elements_have_sums_and_gradients():
    for shape in ((0, 3), (0,), (0, 2, 0)):
        x = torch.ones(shape, requires_grad=True)
        y = ut.segment_sum(x, torch.tensor([0, 0, 0]))
        assert torch.equal(y, torch.zeros(2, *shape[1:]))
        to = torch.ones(4, *shape[1:], requires_grad=True)
        z = ut.index_add(to, torch.zeros(0, dtype=torch.int64), x)
        assert torch.equal(z, to)
        (y.sum() + z.sum()).backward()
        assert x.grad.shape == shape and to.grad.shape == to.shape


def test_sums_over_no_dimensions_are_over_all_as_in_pytorch():
    x = numbers(3, 4)
    pairs = (ut.sum, torch.sum), (ut.mean, torch.mean), (ut.logsumexp, torch.logsumexp)
    for ours, theirs in pairs:
        torch.testing.assert_close(ours(x, ()), theirs(x, (0, 1)))
    assert ut.var(x, []).shape == ()


def test_logarithms_of_sums_have_pytorchs_gradients_of_nan_and_infinity():
    inf, nan = math.inf, math.nan
    for line in ([1, nan, 2], [nan, 1, 2], [1, inf, 2], [inf, inf, -inf, 3], [-inf, 0, nan]):
        for ours, theirs in (
            (ut.logcumsumexp, torch.logcumsumexp),
            (ut.logsumexp, torch.logsumexp),
        ):
            x, y = (torch.tensor(line, dtype=torch.float64, requires_grad=True) for _ in range(2))
            ours(x, 0).sum().backward()
            theirs(y, 0).sum().backward()
            torch.testing.assert_close(x.grad, y.grad, equal_nan=True)


FUNCTIONS = [(ut.exp, torch.exp), (ut.log, torch.log), (ut.softplus, lambda x: soft(x))]
FUNCTIONS += [(ut.sigmoid, torch.sigmoid)]


def soft(x):
    return torch.logaddexp(x, torch.zeros((), dtype=x.dtype))


@pytest.mark.parametrize("ours, theirs", FUNCTIONS, ids=["exp", "log", "softplus", "sigmoid"])
def test_functions_of_doubles_are_close_and_have_gradients(ours, theirs):
    wide = torch.cat(
        [numbers(1000) * 10, torch.tensor([-745.0, -40.0, -37.0, -1e-300, 0.0, 700.0])]
    )
    wide = wide.abs() if ours is ut.log else wide
    torch.testing.assert_close(ours(wide), theirs(wide), rtol=2e-15, atol=5e-324)
    assert torch.autograd.gradcheck(ours, numbers(20).abs().add(0.1).requires_grad_())
    assert ours(torch.tensor([math.nan])).isnan().all()


def test_segments_and_indices_are_summed_in_their_order():
    x, offsets = numbers(50, 2, 3, dtype=torch.float32), torch.tensor([0, 7, 7, 40, 50])
    sums = ut.segment_sum(x, offsets)
    for k, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:])):
        assert torch.equal(sums[k], ut.sum(x[begin:end], 0))
    index = torch.tensor([3, 0, 3, 1] * 10)
    base, rows = torch.zeros(5, 2), numbers(40, 2, dtype=torch.float32)
    added = ut.index_add(base, index, rows)
    for k in range(5):
        assert torch.equal(added[k], ut.sum(rows[index == k], 0))
    args = numbers(50, 2).requires_grad_(), numbers(5, 2).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: ut.segment_sum(x, offsets), args[0])
    call = lambda y, x: ut.index_add(y, index, x[:40])
    assert torch.autograd.gradcheck(call, (args[1], args[0]))


def test_norms_have_the_value_and_gradients_of_the_formula():
    x, w = numbers(3, 8).requires_grad_(), numbers(8, seed=1).requires_grad_()
    torch.testing.assert_close(ut.rms_norm(x, w, 1e-5), F.rms_norm(x, (8,), w, 1e-5))
    assert torch.autograd.gradcheck(ut.rms_norm, (x, w))


def test_roots_of_norms_are_correctly_rounded():
    x = numbers(2000, 8)  # PyTorch's torch.sqrt is not, where MKL computes it
    squares = ut.mean(x * x, -1, keepdim=True).numpy()
    assert np.array_equal(ut.rms_norm(x).numpy(), x.numpy() / np.sqrt(squares + 1e-6))
    assert ut.rms_norm(-x[:1], eps=-1e9).isnan().all()


def test_returns_and_advantages_are_their_loops():
    r, v = numbers(3, 300), numbers(3, 300, seed=1)
    last, dones = numbers(3, seed=2), numbers(3, 300, seed=3) > 1.5
    returns, total = ut.discounted_returns(r, 0.9, dones=dones, bootstrap=last), last
    advantages = ut.gae(r, v, last, 0.9, 0.8, dones=dones)
    following, advantage = last, torch.zeros(3, dtype=torch.float64)
    for t in reversed(range(300)):
        goes_on = (~dones[:, t]).double()
        total = r[:, t] + 0.9 * goes_on * total
        torch.testing.assert_close(returns[:, t], total)
        error = r[:, t] + 0.9 * goes_on * following - v[:, t]
        advantage = error + 0.9 * 0.8 * goes_on * advantage
        torch.testing.assert_close(advantages[:, t], advantage)
        following = v[:, t]


def selective_inputs(batch=2, channels=3, states=4, tokens=9, dtype=torch.float64):
    u, delta, z = (numbers(batch, channels, tokens, seed=s, dtype=dtype) for s in range(3))
    B, C = (numbers(batch, states, tokens, seed=s, dtype=dtype) for s in (3, 4))
    A = -torch.rand(channels, states, dtype=torch.float64).exp().to(dtype)
    D, bias = (numbers(channels, seed=s, dtype=dtype) for s in (5, 6))
    return u, delta, A, B, C, D, z, bias


def selective_reference(u, delta, A, B, C, D, z, bias):
    """mamba's selective_scan_ref."""
    delta = F.softplus(delta + bias[:, None])
    h, out = torch.zeros(*u.shape[:2], A.shape[1], dtype=u.dtype), []
    for t in range(u.shape[2]):
        h = torch.exp(delta[:, :, t, None] * A) * h
        h = h + (delta * u)[:, :, t, None] * B[:, None, :, t]
        out.append((h * C[:, None, :, t]).sum(-1))
    return (torch.stack(out, 2) + u * D[:, None]) * F.silu(z), h


def test_the_selective_scan_is_mambas():
    inputs = selective_inputs()
    y, last = ut.selective_scan(*inputs, delta_softplus=True, return_last_state=True)
    expected, h = selective_reference(*inputs)
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(last, h)
    small = [x.requires_grad_() for x in selective_inputs(1, 2, 2, 4)]
    assert torch.autograd.gradcheck(lambda *x: ut.selective_scan(*x, delta_softplus=True), small)
    u, delta, A, B, C, *_ = inputs
    grouped = ut.selective_scan(u, delta, A, B[:, None], C[:, None])
    assert torch.equal(grouped, ut.selective_scan(u, delta, A, B, C))


def test_the_selective_scan_has_one_bit_pattern_for_any_chunks():
    u, delta, A, B, C, D, z, bias = selective_inputs(2, 3, 4, 600, torch.float32)
    whole = ut.selective_scan(u, delta, A, B, C, D, z, bias, True)
    for size in (1, 7, 64, 300):
        state, pieces = None, []
        for t in range(0, 600, size):
            now = slice(t, t + size)
            y, state = ut.selective_scan(
                u[..., now], delta[..., now], A, B[..., now], C[..., now], D, z[..., now], bias,
                True, state=state, return_state=True,
            )  # fmt: skip
            pieces.append(y)
        assert torch.equal(torch.cat(pieces, 2), whole), size
    alone = ut.selective_scan(u[1:], delta[1:], A, B[1:], C[1:], D, z[1:], bias, True)
    assert torch.equal(alone, whole[1:])


def test_packed_selective_scans_continue_from_states():
    u, delta, A, B, C, D, z, bias = selective_inputs(3, 2, 4, 60, torch.float32)
    whole, last = ut.selective_scan(u, delta, A, B, C, D, z, bias, True, return_last_state=True)
    state, pieces = None, []
    for begin, end in ((0, 1), (1, 23), (23, 60)):
        packed = [torch.cat(list(x[..., begin:end]), -1)[None] for x in (u, delta, B, C, z)]
        borders = torch.arange(4) * (end - begin)
        y, after, state = ut.selective_scan(
            *packed[:2], A, *packed[2:4], D, packed[4], bias, True, True,
            cu_seqlens=borders, state=state, return_state=True,
        )  # fmt: skip
        pieces.append(torch.stack(y[0].split(end - begin, -1)))
    assert torch.equal(torch.cat(pieces, -1), whole) and torch.equal(after, last)
    none = torch.tensor([0, 0, 0, 0])
    empty = [x[:1, ..., :0] for x in (u, delta, B, C, z)]
    y, still = ut.selective_scan(*empty[:2], A, *empty[2:4], D, empty[4], bias, True, True,
                                 cu_seqlens=none, state=state)  # fmt: skip
    assert y.shape == (1, 2, 0) and torch.equal(still, last)
    some = [x[:1, ..., :5] for x in (u, delta, B, C, z)]
    after = ut.selective_scan(*some[:2], A, *some[2:4], D, some[4], bias, True, True,
                              cu_seqlens=torch.tensor([0, 0, 5, 5]), state=state)[1]  # fmt: skip
    assert torch.equal(after[::2], last[::2]) and not torch.equal(after[1], last[1])


def test_gradients_of_the_selective_scan_do_not_depend_on_chunks_and_batches():
    u, delta, A, B, C, D, z, bias = selective_inputs(3, 5, 4, 300, torch.float32)
    weights = numbers(3, 5, 300, dtype=torch.float32, seed=9)

    def gradients(rows, chunks):
        given = [x[rows].clone().requires_grad_() for x in (u, delta, B, C, z)]
        state, pieces = None, []
        for begin, end in zip(chunks, chunks[1:]):
            now = [x[..., begin:end] for x in given]
            y, state = ut.selective_scan(
                *now[:2], A, *now[2:4], D, now[4], bias, True, state=state, return_state=True
            )
            pieces.append(y)
        return torch.autograd.grad(torch.cat(pieces, -1), given, weights[rows])

    whole = gradients(slice(None), [0, 300])
    for rows, chunks in (([1], [0, 300]), ([2, 0], [0, 1, 77, 256, 300]), ([0], range(0, 301, 20))):
        for x, y in zip(whole, gradients(rows, list(chunks))):
            assert torch.equal(x[rows], y)


def test_operators_pass_torchs_own_checks():
    ops, x = torch.ops.upsweep, numbers(4, 5).requires_grad_()
    for op in ("sum", "product", "log_sum_exp"):
        torch.library.opcheck(ops.scan, (x, op, 1, False))
    for op in ("sum", "log_sum_exp"):
        torch.library.opcheck(ops.reduce, (x, op, [0], True))
    torch.library.opcheck(ops.cummax, (x, 1))
    for function in ("exp", "softplus", "sigmoid"):
        torch.library.opcheck(ops.elementwise, (x, function))
    torch.library.opcheck(ops.elementwise, (x.detach().abs().requires_grad_(), "sqrt"))
    torch.library.opcheck(ops.segment_sum, (x, torch.tensor([0, 1, 4])))
    torch.library.opcheck(ops.index_sums, (x, torch.tensor([2, 0, 2, 1]), 3))


def test_functions_compile_without_graph_breaks():
    x = numbers(3, 40, dtype=torch.float32)
    f = lambda x: ut.softmax(ut.cumsum(x, 1), 1) + ut.rms_norm(ut.cummax(x, 1)[0])
    assert torch.equal(torch.compile(f, fullgraph=True, backend="eager")(x), f(x))

    def scanned(u, delta, A, B, C, D, z, bias):
        y, state = ut.selective_scan(u, delta, A, B, C, D, z, bias, True, return_state=True)
        y2 = ut.selective_scan(y, delta, A, B, C, D, z, bias, True, state=state)
        return (y2 + ut.var(ut.log_softmax(y2, 1), 1, keepdim=True)).square().sum()

    inputs = [x.requires_grad_() for x in selective_inputs(dtype=torch.float32)]
    expected = torch.autograd.grad(scanned(*inputs), inputs)
    compiled = torch.compile(scanned, fullgraph=True, backend="aot_eager")
    for got, right in zip(torch.autograd.grad(compiled(*inputs), inputs), expected):
        assert torch.equal(got, right)


def test_wrong_arguments_are_refused_by_name():
    x = torch.ones(2, 3)
    names = "u delta A B C D z delta_bias".split()
    selective = lambda **other: ut.selective_scan(
        **{**dict(zip(names, selective_inputs())), **other}
    )
    for f, error, words in (
        (lambda: ut.cumsum([1.0], 0), TypeError, "cumsum: x is a list; give a tensor"),
        (lambda: ut.cumsum(x.int(), 0), TypeError, "x has elements of torch.int32; give float16"),
        (lambda: ut.sum(x, 2), IndexError, "sum: dim=2, but the tensor has 2 dimensions"),
        (lambda: ut.sum(x, (0, -2)), ValueError, r"dim=\[0, -2\] has a dimension twice"),
        (lambda: ut.rms_norm(x, x[0, :2]), ValueError, r"weight has the shape \[2\]; give \[3\]"),
        (lambda: ut.index_add(x, torch.tensor([2]), x[:1]), IndexError, "index has 2 to 2"),
        (lambda: ut.index_add(x, torch.tensor([0]), x), ValueError, r"index has the shape \[1\]"),
        (lambda: ut.segment_sum(x, torch.tensor([0, 3])), ValueError, "ascend from 0 to 2"),
        (lambda: ut.discounted_returns(x[0], 1.0), ValueError, "rewards has 1 dimensions"),
        (lambda: ut.gae(x, x, x, 1.0, 1.0), ValueError, "last_value has the shape"),
        (lambda: ut.gae(x, x, None, 1.0, 1.0), ValueError, "give last_value or next_values"),
        (lambda: ut.gae(x, x, None, 1, 1, next_values=x[0]), ValueError, "next_values has the sh"),
        (lambda: ut.gae(x, x, x[:, 0], 1, 1, terminated=x[0]), ValueError, "terminated has the sh"),
        (lambda: ut.selective_scan(x, x, x, x, x), ValueError, "u has the shape"),
        (lambda: ut.cumsum(x, None), TypeError, "cumsum: dim is a NoneType; give an integer"),
        (lambda: ut.sum(x, (0, 1.0)), TypeError, "sum: dim is a float; give an integer"),
        (
            lambda: ut.segment_sum(x, torch.tensor([0, 2**63 - 1, -(2**63), -1, 2])),
            ValueError,
            "ascend from 0 to 2",
        ),
        (
            lambda: ut.segment_sum(x, torch.tensor([0, 2], device="meta")),
            ValueError,
            "offsets is on meta; give it on cpu",
        ),
        (lambda: ut.discounted_returns(x, x), ValueError, r"discount has the shape \[2, 3\]"),
        (lambda: selective(D=x[0, :2]), ValueError, r"D has the shape \[2\]; give \[3\]"),
        (
            lambda: selective(z=torch.ones(1, 3, 9)),
            ValueError,
            r"z has the shape \[1, 3, 9\]; give "
            r"\[2, 3, 9\]",
        ),
        (lambda: selective(delta=x), ValueError, r"delta has the shape \[2, 3\]; give \[2, 3, 9\]"),
        (lambda: selective(delta_bias=x), ValueError, r"delta_bias has the shape"),
        (lambda: selective(B=x), ValueError, r"B has the shape \[2, 3\]; give \[2, 4, 9\]"),
        (lambda: selective(C=x.int()), TypeError, "C has elements of torch.int32"),
        (
            lambda: selective(cu_seqlens=torch.tensor([0, 9])),
            ValueError,
            r"cu_seqlens has the shape \[2\] and u a batch of 2",
        ),
    ):
        with pytest.raises(error, match=words):
            f()
