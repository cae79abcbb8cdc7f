"""Random cases of upsweep.torch: one bit pattern of results and gradients for any chunks, batches,
packs and layouts. UPSWEEP_RANDOM_CASES sets their number."""

import os

import numpy as np
import pytest
import torch

import upsweep.torch as ut

CASES = int(os.environ.get("UPSWEEP_RANDOM_CASES", "500"))
SEED = int(os.environ.get("UPSWEEP_RANDOM_SEED", "1"))
REAL = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
TYPES = [*REAL, torch.complex64, torch.complex128]


@pytest.fixture(autouse=True)
def one_thread():
    """The cases are small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def normal(rng, shape, dtype):
    wide = torch.complex128 if dtype.is_complex else torch.float64
    parts = [torch.from_numpy(rng.standard_normal(shape)) for _ in range(2)]
    return (torch.complex(*parts) if dtype.is_complex else parts[0]).to(wide).to(dtype)


def length(rng):
    return int(rng.integers(1, rng.choice([3, 20, 60, 300, 700], p=[0.2, 0.3, 0.3, 0.1, 0.1])))


def leaves(*tensors):
    return [x if x is None else x.detach().clone().requires_grad_() for x in tensors]


def laid_out(rng, x):
    """A leaf with the elements of x in memory in another order, and with gaps."""
    order = tuple(int(i) for i in rng.permutation(x.ndim))
    far = x.permute(order).repeat_interleave(2, -1)
    back = torch.from_numpy(np.argsort(order))
    return far[..., ::2].permute(*back.tolist()).detach().requires_grad_()


def same(got, expected, what):
    assert got.dtype == expected.dtype, what
    equal = (got == expected) | (got.isnan() & expected.isnan())
    assert got.shape == expected.shape and bool(equal.all()), what


def gradients(h, inputs, weights):
    given = [x for x in inputs if x is not None]
    return torch.autograd.grad(h, given, weights)


class Recurrence:
    """A recurrence in one call, with its gradients."""

    def __init__(self, rng, case):
        self.rng, self.dtype = rng, TYPES[case % len(TYPES)]
        self.n, self.reverse = length(rng), bool(rng.integers(2))
        self.batch, lanes = int(rng.integers(1, 6)), int(rng.choice([1, 2, 3, 8, 17, 65]))
        shape = (self.batch, self.n, lanes)
        self.a = normal(rng, shape, self.dtype) * 0.6
        self.b, self.weights = (normal(rng, shape, self.dtype) for _ in range(2))
        self.h0 = normal(rng, shape[::2], self.dtype) if rng.integers(2) else None
        inputs = leaves(self.a, self.b, self.h0)
        self.h = ut.linear_recurrence(*inputs, reverse=self.reverse)
        self.gradients = gradients(self.h, inputs, self.weights)
        self.what = f"case {case}: {self.dtype}, {list(shape)}, reverse={self.reverse}"

    def compare(self, h, got, of, what):
        """Results and gradients of what `of` selects from a tensor of the inputs' shape."""
        same(h, of(self.h), f"{self.what}, {what}")
        for name, x, y in zip(("a", "b"), got, self.gradients):
            same(x, of(y), f"{self.what}, {what}: gradient of {name}")

    def first_value(self, got, of, what):
        if self.h0 is not None:
            same(got[2], of(self.gradients[2]), f"{self.what}, {what}: gradient of h0")

    def in_chunks(self):
        a, b, h0 = inputs = leaves(self.a, self.b, self.h0)
        at, state, pieces = [0], None, []
        while at[-1] < self.n:
            step = self.rng.integers(0, self.rng.choice([2, 10, 300]), endpoint=True)
            at.append(min(self.n, at[-1] + int(step)))
        chunks = list(zip(at, at[1:]))[:: -1 if self.reverse else 1]
        for begin, end in chunks:
            first = {"h0": h0} if state is None else {"state": state}
            h, state = ut.linear_recurrence(
                a[:, begin:end], b[:, begin:end], reverse=self.reverse, return_state=True, **first
            )
            pieces.append(h)
        h = torch.cat(pieces[:: -1 if self.reverse else 1], 1)
        got = gradients(h, inputs, self.weights)
        self.compare(h, got, lambda x: x, "chunks")
        self.first_value(got, lambda x: x, "chunks")

    def in_other_batches(self):
        rows = torch.from_numpy(self.rng.permutation(self.batch)[: self.rng.integers(1, 6)])
        h0 = None if self.h0 is None else self.h0[rows]
        inputs = [laid_out(self.rng, self.a[rows]), *leaves(self.b[rows], h0)]
        h = ut.linear_recurrence(*inputs, reverse=self.reverse)
        got = gradients(h, inputs, self.weights[rows])
        self.compare(h, got, lambda x: x[rows], "batch")
        self.first_value(got, lambda x: x[rows], "batch")

    def in_packs(self):
        """Two packs: some tokens of each sequence, then its others."""
        cut = torch.from_numpy(self.rng.integers(0, self.n, self.batch, endpoint=True)).tolist()
        first = [slice(i, None) if self.reverse else slice(0, i) for i in cut]
        second = [slice(0, i) if self.reverse else slice(i, None) for i in cut]
        a, b, h0 = inputs = leaves(self.a, self.b, self.h0)
        state, pieces = {"h0": h0}, []
        for part in (first, second):
            packed = [torch.cat([x[s, p] for s, p in enumerate(part)])[None] for x in (a, b)]
            lengths = torch.tensor([0, *(self.a[s, p].shape[0] for s, p in enumerate(part))])
            h, after = ut.linear_recurrence(
                *packed, **state, cu_seqlens=lengths.cumsum(0), reverse=self.reverse,
                return_state=True,
            )  # fmt: skip
            pieces.append(h[0].split(lengths[1:].tolist()))
            state = {"state": after}
        order = pieces[::-1] if self.reverse else pieces
        h = torch.stack([torch.cat(parts) for parts in zip(*order)])
        got = gradients(h, inputs, self.weights)
        self.compare(h, got, lambda x: x, "packs")
        self.first_value(got, lambda x: x, "packs")


def test_recurrences_have_one_bit_pattern_forward_and_backward():
    rng = np.random.default_rng(SEED)
    for case in range(CASES):
        one = Recurrence(rng, case)
        one.in_chunks()
        one.in_other_batches()
        one.in_packs()


NAMES = "cumsum cumprod logcumsumexp softmax log_softmax sum mean var logsumexp"
ALONG = {name: getattr(ut, name) for name in NAMES.split()}
ALONG["cummax"] = lambda x, dim: ut.cummax(x, dim)[0]
ALONG["rms_norm"] = lambda x, dim: ut.rms_norm(x.movedim(dim, -1)).movedim(-1, dim)
ALONG["segment_sum"] = lambda x, dim: ut.segment_sum(
    x.movedim(dim, 0), torch.tensor([0, x.shape[dim] // 3, x.shape[dim]])
)
ALONG["index_add"] = lambda x, dim: ut.index_add(
    x.movedim(dim, 0)[:2] * 0, torch.arange(x.shape[dim]) % min(2, x.shape[dim]), x.movedim(dim, 0)
)


def test_functions_along_a_dimension_have_one_bit_pattern_forward_and_backward():
    rng = np.random.default_rng(SEED)
    for case in range(CASES):
        name = list(ALONG)[case % len(ALONG)]
        f, dtype = ALONG[name], REAL[case // len(ALONG) % len(REAL)]
        batch, n = int(rng.integers(1, 40)), length(rng)
        inputs = leaves(normal(rng, (n, batch), dtype))
        y = f(inputs[0], 0)
        weights = normal(rng, y.shape, dtype)
        (gradient,) = gradients(y, inputs, weights)
        what = f"case {case}: {name} of {dtype}, {[n, batch]}"
        columns = torch.from_numpy(rng.permutation(batch)[: rng.integers(1, batch + 1)])
        other = [laid_out(rng, inputs[0][:, columns])]
        z = f(other[0], 0)
        same(z, y[..., columns], what)
        (got,) = gradients(z, other, weights[..., columns].clone())
        same(got, gradient[:, columns], f"{what}: gradient")
