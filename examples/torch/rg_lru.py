"""A small RG-LRU (the recurrence of Griffin and Hawk), trained on the documentation that comes with
Python, gives the same bits for a prompt in one piece, in chunks, token by token and in batches.

Linear layers and functions of elements count as well: the model takes upsweep.torch's sums and
functions when it infers, and PyTorch's own when it trains. With PyTorch's everywhere, the last part
of the output counts how many logits differ.

    python examples/torch/rg_lru.py [STEPS]
"""

import sys

import torch
from letters import PlainMath, SameBits, in_chunks, prompts, report_training, text
from torch import nn

import upsweep.torch as ut

CHANNELS, LAYERS = 48, 2


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        weight = lambda: nn.Parameter(torch.randn(CHANNELS, CHANNELS) / CHANNELS**0.5)
        self.scale = nn.Parameter(torch.ones(CHANNELS))
        self.into, self.gate, self.out = weight(), weight(), weight()
        self.input_gate, self.decay_gate = weight(), weight()
        self.decay = nn.Parameter(torch.linspace(-4, -1, CHANNELS))

    def forward(self, x, state, m):
        """h[t] = a[t] h[t-1] + sqrt(1 - a[t]^2) i[t] x[t], with a[t] = exp(-8 softplus(c) r[t])."""
        x0, x = x, m.norm(x, self.scale)
        gate, x = m.linear(x, self.gate), m.linear(x, self.into)
        log_a = -8 * m.softplus(self.decay) * m.sigmoid(m.linear(x, self.decay_gate))
        a = m.exp(log_a)
        b = torch.sqrt(1 - a * a + 1e-6) * (m.sigmoid(m.linear(x, self.input_gate)) * x)
        h, state = ut.linear_recurrence(a, b, state=state, return_state=True)
        return x0 + m.linear(h * (gate * m.sigmoid(gate)), self.out), state


class Model(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(letters, CHANNELS))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.scale = nn.Parameter(torch.ones(CHANNELS))
        self.head = nn.Parameter(torch.randn(letters, CHANNELS) / CHANNELS**0.5)

    def forward(self, tokens, states=None, m=PlainMath):
        """The logits of tokens [batch, length], and the states of the layers."""
        x, after = self.embedding[tokens], []
        for block, state in zip(self.blocks, states or [None] * LAYERS):
            x, state = block(x, state, m)
            after.append(state)
        return m.linear(m.norm(x, self.scale), self.head), after


def differing(model, several, m):
    """How many logits of other ways to infer differ from those of one piece."""
    whole = torch.cat([in_chunks(model, p[None], len(p), m) for p in several])
    counts = {}
    for size in (1, 7, 64, 1000):
        got = in_chunks(model, several[:1], size, m)
        counts[f"chunks of {size}"] = (got != whole[:1]).sum().item()
    for batch in (2, 5, 16):
        got = in_chunks(model, several[:batch], several.shape[1], m)
        counts[f"batch of {batch}"] = (got != whole[:batch]).sum().item()
        got = in_chunks(model, several[:batch], 64, m)
        counts[f"batch of {batch}, chunks of 64"] = (got != whole[:batch]).sum().item()
    return counts, whole[0].numel()


def main(steps=200):
    data, alphabet = text()
    model, _ = report_training(lambda: Model(len(alphabet)), data, steps)
    several = prompts(data)
    with torch.no_grad():
        for m in (SameBits, PlainMath):
            counts, size = differing(model, several, m)
            print(f"{m.__name__}: logits that differ from those of one piece ({size} a prompt)")
            for way, count in counts.items():
                print(f"  {way:26} {count}")
            if m is SameBits and any(counts.values()):
                sys.exit("the bits differ")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
