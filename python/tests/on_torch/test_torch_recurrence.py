"""upsweep.torch.linear_recurrence: one bit pattern, and its gradients."""

import re
from pathlib import Path

import pytest
import torch

import upsweep
import upsweep.torch as ut
from upsweep.torch import _recurrence

TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
TYPES += [torch.complex128]


def inputs(shape, dtype, seed=0):
    g = torch.Generator().manual_seed(seed)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    a = 0.8 + 0.2 * torch.rand(shape, generator=g, dtype=torch.float64)
    if dtype.is_complex:
        a = torch.polar(a, torch.rand(shape, generator=g, dtype=torch.float64))
    return a.to(dtype), torch.randn(shape, generator=g, dtype=wide).to(dtype)


def loop(a, b, h0=0):
    h, out = h0, []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        out.append(h)
    return torch.stack(out, 1)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_results_are_those_of_numpys_function(dtype):
    a, b = inputs((2, 600, 5), dtype)
    h = ut.linear_recurrence(a, b)
    assert h.dtype == dtype
    wide = torch.float32 if dtype.itemsize == 2 else dtype
    expected = upsweep.linear_recurrence(
        a.to(wide).numpy(), b.to(wide).numpy(), axis=1, tree="blocks"
    )
    assert torch.equal(h, torch.from_numpy(expected).to(dtype))
    exact = loop(a.to(torch.complex128), b.to(torch.complex128))
    tolerance = {torch.bfloat16: 0.04, torch.float16: 4e-3}.get(dtype, 1e-4)
    assert (h - exact).abs().max() < tolerance


def test_steps_have_the_bits_of_one_call_also_at_different_tokens():
    a, b = inputs((3, 700, 8), torch.float32)
    whole = ut.linear_recurrence(a, b)
    starts = [0, 100, 255]
    states = [ut.linear_recurrence(a[i : i + 1, :n], b[i : i + 1, :n], return_state=True)[1]
              for i, n in enumerate(starts)]  # fmt: skip
    state = ut.RecurrenceState(*map(torch.cat, zip(*states)))
    rows, at = torch.arange(3), torch.tensor(starts)
    for t in range(400):
        h, state = ut.linear_recurrence_step(state, a[rows, at + t], b[rows, at + t])
        assert torch.equal(h, whole[rows, at + t]), t


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128], ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_are_those_of_differences(dtype, reverse):
    a, b = (x.requires_grad_() for x in inputs((2, 5, 3), dtype))
    h0 = inputs((2, 3), dtype, 1)[1].requires_grad_()
    call = lambda *x: ut.linear_recurrence(*x, reverse=reverse)
    assert torch.autograd.gradcheck(call, (a, b, h0))
    assert torch.autograd.gradcheck(lambda a: ut.linear_recurrence(a, 1 + a, reverse=reverse), a)
    assert torch.autograd.gradgradcheck(call, (a, b, h0))


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_packed_sequences_are_their_own(reverse):
    a, b = inputs((1, 20, 3), torch.float64)
    h0 = inputs((4, 3), torch.float64, 1)[1]
    borders = torch.tensor([0, 6, 6, 13, 20])
    for x in (a, b, h0):
        x.requires_grad_()
    call = lambda *x: ut.linear_recurrence(*x, cu_seqlens=borders, reverse=reverse)
    assert torch.autograd.gradcheck(call, (a, b, h0))
    call(a, b, h0).square().sum().backward()
    for s, (begin, end) in enumerate(zip(borders[:-1], borders[1:])):
        own = [x.detach()[:, begin:end].requires_grad_() for x in (a, b)]
        first = h0.detach()[s : s + 1].requires_grad_()
        ut.linear_recurrence(*own, first, reverse=reverse).square().sum().backward()
        assert torch.equal(own[0].grad, a.grad[:, begin:end])
        assert torch.equal(own[1].grad, b.grad[:, begin:end])
        assert torch.equal(first.grad[0], h0.grad[s])


def test_gradients_do_not_depend_on_the_batch_and_continue_from_a_state():
    a, b = inputs((3, 700, 4), torch.float32)
    both = [x.clone().requires_grad_() for x in (a, b)]
    ut.linear_recurrence(*both).sum().backward()
    one = [x[1:2].clone().requires_grad_() for x in (a, b)]
    ut.linear_recurrence(*one).sum().backward()
    assert all(torch.equal(x.grad[0], y.grad[1]) for x, y in zip(one, both))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_one_pass_are_those_of_the_operators_that_have_second_derivatives(
    dtype, reverse
):
    borders = torch.tensor([0, 0, 300, 301, 700])
    _, before = ut.linear_recurrence(*inputs((4, 270, 66), dtype, 1), return_state=True)
    for cut in (None, borders):
        a, b = (x.requires_grad_() for x in inputs((4 if cut is None else 1, 700, 66), dtype))
        for start in ({}, {"h0": inputs((4, 66), dtype, 2)[1].requires_grad_()}, {"state": before}):
            how = {"cu_seqlens": cut, "reverse": reverse, **start}
            h = ut.linear_recurrence(a, b, **how)
            used = a, b, *(x for name, x in start.items() if name == "h0")
            seed = inputs(h.shape, dtype, 3)[1]
            once = torch.autograd.grad(h, used, seed, retain_graph=True)
            twice = torch.autograd.grad(h, used, seed, create_graph=True)
            assert all(torch.equal(x, y) for x, y in zip(once, twice, strict=True))


def test_gradients_of_several_seeds_are_those_of_each():
    for cut in (None, torch.tensor([0, 3, 3, 300])):
        a, b = (x.requires_grad_() for x in inputs((1, 300, 5), torch.float32))
        h0 = inputs((1 if cut is None else 3, 5), torch.float32, 1)[1].requires_grad_()
        h = ut.linear_recurrence(a, b, h0, cu_seqlens=cut)
        seeds = torch.stack([inputs(h.shape, torch.float32, n)[1] for n in range(3)])
        grad = lambda s, **how: torch.autograd.grad(h, (a, b, h0), s, retain_graph=True, **how)
        together = grad(seeds, is_grads_batched=True)
        for k in range(3):
            assert all(torch.equal(x[k], y) for x, y in zip(together, grad(seeds[k])))


def continued(x, h0):
    """Results of 5 tokens, of 3 more and of a step."""
    h, state = ut.linear_recurrence(x[:, :5], x[:, :5], h0, return_state=True)
    k, state = ut.linear_recurrence(x[:, 5:], x[:, 5:], state=state, return_state=True)
    return torch.cat([h, k, ut.linear_recurrence_step(state, x[:, 0], x[:, 1])[0][:, None]], 1)


def test_gradients_go_through_states():
    x, h0 = (t.requires_grad_() for t in (inputs((2, 8, 3), torch.float64)[1],
                                          inputs((2, 3), torch.float64)[1]))  # fmt: skip
    assert torch.autograd.gradcheck(continued, (x, h0))
    with pytest.raises(NotImplementedError, match="second derivatives through a state"):
        torch.autograd.gradgradcheck(continued, (x, h0))


def test_a_state_from_which_two_calls_continue_has_the_sum_of_their_gradients():
    x = inputs((2, 9, 3), torch.float64)[1].requires_grad_()

    def both(first, second):
        h, state = ut.linear_recurrence(x[:, :5], x[:, :5], return_state=True)
        one = ut.linear_recurrence(x[:, 5:7], x[:, 5:7], state=state)
        other = ut.linear_recurrence(x[:, 7:], x[:, 7:], state=state)
        return first * one.sum() + second * other.square().sum() + h.sum()

    together = torch.autograd.grad(both(1, 1), x)[0]
    parts = [torch.autograd.grad(both(*w), x)[0] for w in ((1, 0), (0, 1), (0, 0))]
    torch.testing.assert_close(together, parts[0] + parts[1] - parts[2])


def test_states_join_and_split_batches_with_their_gradients():
    a, b = (t.requires_grad_() for t in inputs((3, 40, 2), torch.float32))
    whole = torch.autograd.grad(ut.linear_recurrence(a, b)[:, 10:].square().sum(), (a, b))
    states = [ut.linear_recurrence(a[i : i + 1, :10], b[i : i + 1, :10], return_state=True)[1]
              for i in range(3)]  # fmt: skip
    joined = ut.RecurrenceState(*map(torch.cat, zip(*states)))
    one = ut.RecurrenceState(*(x[2:] for x in joined))
    two = ut.RecurrenceState(*(x[:2] for x in joined))
    parts = [ut.linear_recurrence(a[i, 10:], b[i, 10:], state=s)
             for i, s in ((slice(0, 2), two), (slice(2, 3), one))]  # fmt: skip
    got = torch.autograd.grad(torch.cat(parts).square().sum(), (a, b))
    assert all(torch.equal(x, y) for x, y in zip(got, whole))


def test_gradients_end_at_detached_states_and_states_without_gradients_keep_none():
    a, b = (t.requires_grad_() for t in inputs((2, 30, 3), torch.float32))
    _, state = ut.linear_recurrence(a[:, :20], b[:, :20], return_state=True)
    assert state.link.requires_grad
    ut.linear_recurrence(a[:, 20:], b[:, 20:], state=state.detach()).sum().backward()
    assert not a.grad[:, :20].any() and a.grad[:, 20:].all()
    with torch.no_grad():
        _, state = ut.linear_recurrence(a, b, return_state=True)
    assert state.link.numel() == 0 and not state.link.requires_grad
    constant = ut.linear_recurrence(a.detach(), b.detach(), state=state, return_state=True)
    assert not constant[0].requires_grad and constant[1].link.numel() == 0


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_the_operator_passes_torchs_own_checks(dtype):
    a, b = (x.requires_grad_() for x in inputs((2, 5, 3), dtype))
    h0 = inputs((2, 3), dtype)[1]
    value, totals, position, _ = ut._recurrence._started(h0, (2, 3), b, "test")
    link = value.new_zeros(2, 21, 3)
    for given in ((False,), (True, link.requires_grad_(), True)):
        torch.library.opcheck(
            torch.ops.upsweep.linear_recurrence, (a, b, value, totals, position, None, *given)
        )


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_the_operator_of_gradients_passes_torchs_own_checks(dtype):
    a, b = inputs((2, 5, 3), dtype)
    value, totals, position, _ = ut._recurrence._started(None, (2, 3), b, "test")
    state = value, totals, position
    torch.library.opcheck(
        torch.ops.upsweep.linear_recurrence_gradients,
        (a, b, b, value, *state, *state, None, False),
    )


def test_the_operator_compiles_without_graph_breaks():
    a, b = inputs((2, 300, 3), torch.float32)
    compiled = torch.compile(
        lambda a, b: ut.linear_recurrence(2 * a - 1, b), fullgraph=True, backend="eager"
    )
    assert torch.equal(compiled(a, b), ut.linear_recurrence(2 * a - 1, b))


def test_empty_tensors_have_empty_results():
    for shape in ((0, 5, 3), (2, 0, 3), (2, 5, 0)):
        a = torch.ones(shape, requires_grad=True)
        h = ut.linear_recurrence(a, a)
        assert h.shape == shape
        h.sum().backward()
        assert a.grad.shape == shape


def test_wrong_arguments_are_refused_by_name():
    x, v = torch.ones(2, 5, 3), torch.ones(2, 3)

    def refused(error, words, f, *given, **how):
        with pytest.raises(error, match=words):
            f(*given, **how)

    f, step = ut.linear_recurrence, ut.linear_recurrence_step
    refused(TypeError, "a is a float; give a tensor", f, 1.0, x)
    refused(TypeError, "b has elements of torch.int64; give float16", f, x, x.long())
    refused(TypeError, "a has elements of torch.float64, but b of torch.float32", f, x.double(), x)
    refused(ValueError, r"a has the shape \[2, 4, 3\], and b \[2, 5, 3\]", f, x[:, :4], x)
    refused(ValueError, "b has 2 dimensions; give .batch, tokens, channels", f, v, v)
    refused(ValueError, r"h0 has the shape \[5, 3\]; give \[2, 3\]", f, x, x, x[0])
    refused(TypeError, "h0 is complex", f, x, x, v.cfloat())
    refused(TypeError, "a has the layout torch.sparse_coo", f, x.to_sparse(), x)
    refused(ValueError, "a batch of 2; give offsets", f, x, x, cu_seqlens=torch.tensor([0, 5]))
    refused(TypeError, "cu_seqlens has elements", f, x[:1], x[:1], cu_seqlens=torch.ones(2))
    wrong = torch.tensor([0, 3, 2, 5])
    refused(ValueError, r"cu_seqlens\[2\]=2 is less", f, x[:1], x[:1], cu_seqlens=wrong)
    _, state = f(x, x, return_state=True)
    wrong = torch.tensor([0, 2**63 - 1, -(2**63), -1, 5])
    refused(ValueError, r"cu_seqlens\[2\]=-9223372036854775808 is less", f, x[:1], x[:1],
            cu_seqlens=wrong)  # fmt: skip
    refused(ValueError, "a is on meta, but b on cpu", f, x.to("meta"), x)
    refused(ValueError, "h0 is on meta; give it on cpu", f, x, x, v.to("meta"))
    for at in (-1, 256):
        wrong = ut.RecurrenceState(v, torch.ones(2, 8, 2, 3), torch.tensor([0, at]))
        refused(ValueError, f"position has .*{at}.*; give numbers of tokens from 0 to 255", f,
                x, x, state=wrong)  # fmt: skip
    wrong = ut.RecurrenceState(v, torch.ones(2, 8, 2, 3), torch.tensor([0, 1]), v)
    refused(ValueError, r"state.link has the shape \[2, 3\]; give \[2, 21, 3\]", f, x, x,
            state=wrong)  # fmt: skip
    refused(ValueError, "h0 and state are both given", f, x, x, v, state=state)
    refused(TypeError, "state is a Tensor", step, v, v, v)
    refused(TypeError, "state.value has elements of torch.float32; give float64", step, state,
            v.double(), v.double())  # fmt: skip
    refused(ValueError, r"state.value has the shape \[2, 3\]; give \[1, 3\]", step, state, v[:1],
            v[:1])  # fmt: skip


def test_examples_on_the_page_run():
    page = (Path(__file__).resolve().parents[3] / "docs/torch.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(code, {})


def test_states_are_loaded_without_trust(tmp_path):
    a, b = inputs((2, 5, 3), torch.float32)
    _, state = ut.linear_recurrence(a, b, return_state=True)
    torch.save(state, tmp_path / "state")
    loaded = torch.load(tmp_path / "state")  # weights_only
    assert type(loaded) is type(state)
    assert all(torch.equal(x, y) for x, y in zip(loaded[:3], state[:3]))


def test_nested_tensors_are_refused():
    parts = [torch.ones(2), torch.ones(3)]
    for layout in (torch.strided, torch.jagged):
        x = torch.nested.nested_tensor(parts, layout=layout)
        for f in (ut.sum, ut.cumsum, ut.softmax):
            with pytest.raises(TypeError, match=r"x is nested; give the tensors of x.unbind\(\)"):
                f(x, 0)
