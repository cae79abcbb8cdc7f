"""A small RG-LRU (the recurrence of Griffin and Hawk), trained on the documentation that comes with
Python, gives the same bits for a prompt in one piece, in chunks, token by token and in batches.

Linear layers and functions of elements count as well: the model takes upsweep.torch's sums and
functions when it infers, and PyTorch's own when it trains. With PyTorch's everywhere, the last part
of the output counts how many logits differ.

    python examples/torch/rg_lru.py [STEPS]
"""

import sys
import time
from pydoc_data.topics import topics

import torch
import torch.nn.functional as F
from torch import nn

import upsweep.torch as ut

CHANNELS, LAYERS, TOKENS, BATCH = 48, 2, 96, 8


class PlainMath:
    """PyTorch's own operators: fast, but their bits depend on shapes."""

    linear = staticmethod(lambda x, w: F.linear(x, w))
    sigmoid = staticmethod(torch.sigmoid)
    exp = staticmethod(torch.exp)
    softplus = staticmethod(F.softplus)
    norm = staticmethod(lambda x, w: F.rms_norm(x, w.shape, w, 1e-6))


class SameBits:
    """The bits of a row depend on that row alone."""

    linear = staticmethod(lambda x, w: ut.sum(x.unsqueeze(-2) * w, -1))
    sigmoid = staticmethod(ut.sigmoid)
    exp = staticmethod(ut.exp)
    softplus = staticmethod(ut.softplus)
    norm = staticmethod(lambda x, w: ut.rms_norm(x, w, 1e-6))


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


def text():
    """The text as numbers of its letters."""
    letters = "\n".join(topics[name] for name in sorted(topics))
    alphabet = sorted(set(letters))
    index = {letter: i for i, letter in enumerate(alphabet)}
    return torch.tensor([index[letter] for letter in letters]), alphabet


def trained(data, letters, steps):
    """A model and its losses."""
    torch.manual_seed(1)
    model, losses = Model(letters), []
    optimizer = torch.optim.Adam(model.parameters(), 4e-3)
    for _ in range(steps):
        at = torch.randint(len(data) - TOKENS - 1, (BATCH,))
        batch = torch.stack([data[i : i + TOKENS + 1] for i in at])
        logits, _ = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


def in_chunks(model, tokens, size, m):
    """The logits of chunks of `size` tokens, each continued from the states before."""
    states, logits = None, []
    for t in range(0, tokens.shape[1], size):
        now, states = model(tokens[:, t : t + size], states, m)
        logits.append(now)
    return torch.cat(logits, 1)


def differing(model, prompts, m):
    """How many logits of other ways to infer differ from those of one piece."""
    whole = torch.cat([in_chunks(model, p[None], len(p), m) for p in prompts])
    counts = {}
    for size in (1, 7, 64, 1000):
        got = in_chunks(model, prompts[:1], size, m)
        counts[f"chunks of {size}"] = (got != whole[:1]).sum().item()
    for batch in (2, 5, 16):
        got = in_chunks(model, prompts[:batch], prompts.shape[1], m)
        counts[f"batch of {batch}"] = (got != whole[:batch]).sum().item()
        got = in_chunks(model, prompts[:batch], 64, m)
        counts[f"batch of {batch}, chunks of 64"] = (got != whole[:batch]).sum().item()
    return counts, whole[0].numel()


def main(steps=200):
    data, alphabet = text()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    start = time.perf_counter()
    model, losses = trained(data, len(alphabet), steps)
    seconds, last = time.perf_counter() - start, losses[-20:]
    print(f"{len(data)} letters, {steps} steps in {seconds:.0f} s")
    print(f"loss {losses[0]:.3f} to {sum(last) / len(last):.3f}")
    again = trained(data, len(alphabet), min(steps, 20))[1]
    print(f"a second run has the same losses: {again == losses[: len(again)]}")
    prompts = torch.stack([data[i * 5000 : i * 5000 + 1000] for i in range(16)])
    with torch.no_grad():
        for m in (SameBits, PlainMath):
            counts, size = differing(model, prompts, m)
            print(f"{m.__name__}: logits that differ from those of one piece ({size} a prompt)")
            for way, count in counts.items():
                print(f"  {way:26} {count}")
            if m is SameBits and any(counts.values()):
                sys.exit("the bits differ")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
