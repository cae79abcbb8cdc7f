"""Recurrences of many sequences of one channel, which are computed side by side: the bits of each
sequence alone."""

import pytest
import torch

import upsweep.torch as ut


def inputs(batch, tokens, dtype):
    g = torch.Generator().manual_seed(batch)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    a, b = (torch.randn(batch, tokens, 1, generator=g, dtype=wide) for _ in range(2))
    return (0.7 * a).to(dtype), b.to(dtype)


def alone(a, b, cuts, reverse=False):
    """The results of each sequence in calls of its own, in parts that end at the cuts."""
    rows = []
    for i in range(len(a)):
        state, parts = None, []
        for begin, end in zip([0, *cuts], [*cuts, a.shape[1]]):
            part = slice(begin, end)
            h, state = ut.linear_recurrence(
                a[i : i + 1, part], b[i : i + 1, part], state=state, reverse=reverse,
                return_state=True,
            )  # fmt: skip
            parts.append(h)
        rows.append((torch.cat(parts, 1), state))
    return torch.cat([h for h, _ in rows]), [state for _, state in rows]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.complex128], ids=str)
@pytest.mark.parametrize("batch", [2, 64, 65, 200])
def test_sequences_side_by_side_have_the_bits_of_each_alone(batch, dtype):
    a, b = inputs(batch, 600, dtype)
    expected, states = alone(a, b, [300])
    state, parts = None, []
    for begin, end in ((0, 300), (300, 300), (300, 431), (431, 600)):
        h, state = ut.linear_recurrence(
            a[:, begin:end], b[:, begin:end], state=state, return_state=True
        )
        parts.append(h)
    assert torch.equal(torch.cat(parts, 1), expected)
    assert torch.equal(state.value, torch.cat([s.value for s in states]))
    assert state.position.tolist() == [600 % 256] * batch
    for k in range(8):
        if 600 % 256 >> k & 1:
            assert torch.equal(state.totals[:, k], torch.cat([s.totals[:, k] for s in states]))
    backward = ut.linear_recurrence(a, b, reverse=True)
    assert torch.equal(backward, alone(a, b, [], reverse=True)[0])


def test_sequences_at_different_tokens_have_the_bits_of_each_alone():
    a, b = inputs(5, 500, torch.float64)
    starts = [0, 17, 256, 256, 300]
    states = [
        ut.linear_recurrence(a[i : i + 1, :n], b[i : i + 1, :n], return_state=True)[1]
        for i, n in enumerate(starts)
    ]
    state = ut.RecurrenceState(*map(torch.cat, zip(*states)))
    whole = ut.linear_recurrence(a, b)
    rest = [torch.stack([x[i, n : n + 200] for i, n in enumerate(starts)]) for x in (a, b, whole)]
    assert torch.equal(ut.linear_recurrence(rest[0], rest[1], state=state), rest[2])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.complex64], ids=str)
def test_gradients_of_sequences_side_by_side_are_those_of_each_alone(dtype):
    a, b = inputs(70, 520, dtype)
    h0 = b[:, 0] * 0.5
    weights = inputs(70, 520, dtype)[0]

    def gradients(rows, cuts):
        x = [t[rows].clone().requires_grad_() for t in (a, b, h0)]
        state, parts = None, []
        for begin, end in zip([0, *cuts], [*cuts, 520]):
            start = {"h0": x[2]} if state is None else {"state": state}
            h, state = ut.linear_recurrence(
                x[0][:, begin:end], x[1][:, begin:end], **start, return_state=True
            )
            parts.append(h)
        (torch.cat(parts, 1) * weights[rows]).real.sum().backward()
        return [t.grad for t in x]

    expected = [torch.cat(g) for g in zip(*(gradients(slice(i, i + 1), []) for i in range(70)))]
    for cuts in ([], [100], [256, 300]):
        for got, want in zip(gradients(slice(None), cuts), expected):
            assert torch.equal(got, want), cuts
