"""A small Mamba-1, trained on the documentation that comes with Python, gives the same bits for a
prompt in one piece, in chunks, token by token, in batches and packed with other prompts.

The table counts the logits that differ from those of one piece: with upsweep.torch everywhere, with
the formulas of Mamba's reference in place of its scan, and with PyTorch's linear layers as well.

    python examples/torch/mamba.py [STEPS]
"""

import sys

import torch
import torch.nn.functional as F
from letters import PlainMath, SameBits, in_chunks, prompts, report_training, text
from torch import nn

CHANNELS, INNER, STATES, RANK, TAPS, LAYERS = 32, 64, 8, 4, 4, 2


def reference_scan(
    u, delta, A, B, C, D, z, delta_bias, delta_softplus, *, cu_seqlens, state, return_state
):
    """The formulas of Mamba's reference, token by token; the state is h [batch, D, N]."""
    delta = F.softplus(delta + delta_bias[:, None])
    a = torch.exp(torch.einsum("bdl,dn->bdln", delta, A))
    b = torch.einsum("bdl,bnl,bdl->bdln", delta, B, u)
    h, y = a.new_zeros(u.shape[0], *A.shape) if state is None else state, []
    starts = set() if cu_seqlens is None else set(cu_seqlens.tolist())
    for t in range(u.shape[2]):
        h = a[:, :, t] * (torch.zeros_like(h) if t in starts else h) + b[:, :, t]
        y.append(torch.einsum("bdn,bn->bd", h, C[:, :, t]))
    return (torch.stack(y, 2) + u * D[:, None]) * F.silu(z), h


class ReferenceScan(SameBits):
    """The formulas of Mamba's reference between layers whose bits do not change."""

    scan = staticmethod(reference_scan)


class PyTorch(PlainMath):
    """The formulas of Mamba's reference and PyTorch's linear layers."""

    scan = staticmethod(reference_scan)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        weight = lambda out, into: nn.Parameter(torch.randn(out, into) / into**0.5)
        self.scale = nn.Parameter(torch.ones(CHANNELS))
        self.into, self.out = weight(2 * INNER, CHANNELS), weight(CHANNELS, INNER)
        self.taps = nn.Parameter(torch.randn(TAPS, INNER) / TAPS**0.5)
        self.choose = weight(RANK + 2 * STATES, INNER)
        self.step, self.step_bias = weight(INNER, RANK), nn.Parameter(torch.full((INNER,), -3.0))
        self.log_A = nn.Parameter(torch.arange(1.0, STATES + 1).log().repeat(INNER, 1))
        self.D = nn.Parameter(torch.ones(INNER))

    def forward(self, x, state, m, cu_seqlens):
        before, scanned = state or (x.new_zeros(x.shape[0], TAPS - 1, INNER), None)
        inner, z = m.linear(m.norm(x, self.scale), self.into).chunk(2, -1)
        inner, before = self.convolved(inner, before, cu_seqlens)
        inner = inner * m.sigmoid(inner)
        step, B, C = m.linear(inner, self.choose).split([RANK, STATES, STATES], -1)
        y, scanned = m.scan(
            inner.mT, m.linear(step, self.step).mT, -m.exp(self.log_A), B.mT, C.mT, self.D, z.mT,
            self.step_bias, True, cu_seqlens=cu_seqlens, state=scanned, return_state=True,
        )  # fmt: skip
        return x + m.linear(y.mT, self.out), (before, scanned)

    def convolved(self, x, before, cu_seqlens):
        """The sum over the last tokens of their products with taps, and these tokens."""
        padded, y = torch.cat([before, x], 1), x * self.taps[0]
        at = torch.arange(x.shape[1])
        if cu_seqlens is not None:  # the number of each token in its sequence
            at = at - cu_seqlens[torch.searchsorted(cu_seqlens, at, right=True) - 1]
        for k in range(1, TAPS):
            earlier = padded[:, TAPS - 1 - k : padded.shape[1] - k]
            if cu_seqlens is not None:
                earlier = torch.where((at >= k)[:, None], earlier, 0)
            y = y + earlier * self.taps[k]
        return y, padded[:, x.shape[1] :]


class Mamba(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(letters, CHANNELS))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.scale = nn.Parameter(torch.ones(CHANNELS))
        self.head = nn.Parameter(torch.randn(letters, CHANNELS) / CHANNELS**0.5)

    def forward(self, tokens, states=None, m=PlainMath, cu_seqlens=None):
        """The logits of tokens [batch, length], and the states of the layers."""
        x, after = self.embedding[tokens], []
        for block, state in zip(self.blocks, states or [None] * LAYERS):
            x, state = block(x, state, m, cu_seqlens)
            after.append(state)
        return m.linear(m.norm(x, self.scale), self.head), after


def ways(model, several, m):
    """For each way to infer, its logits and the numbers of the prompts in it."""
    for size in (1, 7, 64, 1000):
        yield f"chunks of {size}", in_chunks(model, several[:1], size, m)
    for batch in (2, 5, 16):
        yield f"batch of {batch}", in_chunks(model, several[:batch], several.shape[1], m)
    yield "batch of 16, chunks of 64", in_chunks(model, several, 64, m)
    whole = several.shape[1]
    lengths = torch.tensor([whole, 1, whole * 2 // 3, whole, 3])
    packed = torch.cat([several[i, :n] for i, n in enumerate(lengths)])[None]
    borders = F.pad(lengths.cumsum(0), (1, 0))
    logits, _ = model(packed, None, m, borders)
    pieces = logits[0].split(lengths.tolist())
    yield "packed with 4 others", torch.stack([pieces[0], pieces[3]])


def differing(model, several, m):
    """For each way, where logits differ from those of one piece: [prompt, token, letter]."""
    whole = torch.cat([in_chunks(model, p[None], len(p), m) for p in several])
    result = {}
    for way, logits in ways(model, several, m):
        same = whole[[0, 3]] if "packed" in way else whole[: len(logits)]
        result[way] = logits != same
    return result


def main(steps=200):
    data, alphabet = text()
    model, _ = report_training(lambda: Mamba(len(alphabet)), data, steps)
    several, columns = prompts(data), (SameBits, ReferenceScan, PyTorch)
    with torch.no_grad():
        found = [differing(model, several, m) for m in columns]
    print(f"{'logits that differ from one piece':36} {'of':>9}", end="")
    print("".join(f" {m.__name__:>13}" for m in columns))
    for way, of in found[0].items():
        counts = "".join(f" {int(f[way].sum()):13}" for f in found)
        print(f"{way:36} {of.numel():9}{counts}")
    if any(x.any() for x in found[0].values()):
        sys.exit("the bits differ")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
