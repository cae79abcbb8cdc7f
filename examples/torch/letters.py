"""What the models of this folder share: a text, training, and ways to infer."""

import time
from pydoc_data.topics import topics

import torch
import torch.nn.functional as F

import upsweep.torch as ut

TOKENS, BATCH = 96, 8


class PlainMath:
    """PyTorch's own operators: fast, but their bits depend on shapes."""

    linear = staticmethod(lambda x, w: F.linear(x, w))
    sigmoid = staticmethod(torch.sigmoid)
    exp = staticmethod(torch.exp)
    softplus = staticmethod(F.softplus)
    norm = staticmethod(lambda x, w: F.rms_norm(x, w.shape, w, 1e-6))
    scan = staticmethod(ut.selective_scan)


class SameBits:
    """The bits of a row depend on that row alone."""

    linear = staticmethod(lambda x, w: ut.sum(x.unsqueeze(-2) * w, -1))
    sigmoid = staticmethod(ut.sigmoid)
    exp = staticmethod(ut.exp)
    softplus = staticmethod(ut.softplus)
    norm = staticmethod(lambda x, w: ut.rms_norm(x, w, 1e-6))
    scan = staticmethod(ut.selective_scan)


def text():
    """The documentation that comes with Python as numbers of its letters, and the alphabet."""
    letters = "\n".join(topics[name] for name in sorted(topics))
    alphabet = sorted(set(letters))
    index = {letter: i for i, letter in enumerate(alphabet)}
    return torch.tensor([index[letter] for letter in letters]), alphabet


def prompts(data):
    return torch.stack([data[i * 5000 : i * 5000 + 1000] for i in range(16)])


def trained(new_model, data, steps):
    """A model and its losses."""
    torch.manual_seed(1)
    model, losses = new_model(), []
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


def report_training(new_model, data, steps):
    """Trains, prints how the loss falls and whether a second run has the same one."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    start = time.perf_counter()
    model, losses = trained(new_model, data, steps)
    seconds, last = time.perf_counter() - start, losses[-20:]
    print(f"{len(data)} letters, {steps} steps in {seconds:.0f} s")
    print(f"loss {losses[0]:.3f} to {sum(last) / len(last):.3f}")
    again = trained(new_model, data, steps)[1]
    print(f"a second run has the same {steps} losses: {again == losses}")
    return model, losses


def in_chunks(model, tokens, size, m):
    """The logits of chunks of `size` tokens, each continued from the states before."""
    states, logits = None, []
    for t in range(0, tokens.shape[1], size):
        now, states = model(tokens[:, t : t + size], states, m)
        logits.append(now)
    return torch.cat(logits, 1)
