"""upsweep.torch.linear_recurrence: one bit pattern, and its gradients."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
import torch

import upsweep
import upsweep.torch as ut

TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
TYPES += [torch.complex128]
CASES = int(os.environ.get("UPSWEEP_RANDOM_CASES", "1000")) // 10


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


def cut(n, rng):
    at = [0]
    while at[-1] < n:
        at.append(min(n, at[-1] + int(rng.integers(1, rng.choice([2, 10, 300, 700])))))
    return list(zip(at, at[1:]))


def test_chunks_batches_packs_and_layouts_have_the_bits_of_one_call():
    rng = np.random.default_rng(1)
    for case in range(CASES):
        dtype = TYPES[case % len(TYPES)]
        batch, n, lanes = (
            int(rng.integers(low, high)) for low, high in ((1, 5), (1, 600), (1, 70))
        )
        a, b = inputs((batch, n, lanes), dtype, case)
        h0 = inputs((batch, lanes), dtype, case + 1)[1]
        whole = ut.linear_recurrence(a, b, h0)
        state, pieces = None, []
        for begin, end in cut(n, rng):
            first = {"h0": h0} if state is None else {"state": state}
            h, state = ut.linear_recurrence(
                a[:, begin:end], b[:, begin:end], **first, return_state=True
            )
            pieces.append(h)
        assert torch.equal(torch.cat(pieces, 1), whole)
        assert torch.equal(ut.linear_recurrence(a[:1], b[:1], h0[:1]), whole[:1])
        columns = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (a, b)]
        assert torch.equal(ut.linear_recurrence(*columns, h0), whole)
        packed = [x.reshape(1, -1, lanes) for x in (a, b)]
        borders = torch.arange(batch + 1) * n
        together = ut.linear_recurrence(*packed, h0, cu_seqlens=borders)
        assert torch.equal(together.reshape(whole.shape), whole)


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
    h, state = ut.linear_recurrence(a[:, :300], b[:, :300], return_state=True)
    later = [x[:, 300:].double().requires_grad_() for x in (a, b)]
    state = ut.RecurrenceState(state.value.double(), state.totals.double(), state.position)
    ut.linear_recurrence(*later, state=state).sum().backward()
    expected = [x[:, 300:].double().requires_grad_() for x in (a, b)]
    ut.linear_recurrence(*expected, h[:, -1].double()).sum().backward()
    for x, y in zip(later, expected):
        torch.testing.assert_close(x.grad, y.grad, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_the_operator_passes_torchs_own_checks(dtype):
    a, b = (x.requires_grad_() for x in inputs((2, 5, 3), dtype))
    h0 = inputs((2, 3), dtype)[1]
    value, totals, position = ut._recurrence._started(h0, (2, 3), b, "test")
    for reverse in (False, True):
        torch.library.opcheck(
            torch.ops.upsweep.linear_recurrence, (a, b, value, totals, position, None, reverse)
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
