#!/usr/bin/env python3
"""Prints the errors of upsweep.torch and of PyTorch on the CPU beside float64, as a table of
Markdown: root mean squares over the elements, relative to the root mean square of the right ones,
in units of the type's epsilon. Needs PyTorch and the package.
"""

import torch

import upsweep.torch as ut

F = torch.nn.functional
ROWS, N = 16, 10000
FUNCTIONS = {
    "cumsum": (ut.cumsum, torch.cumsum),
    "logcumsumexp": (ut.logcumsumexp, torch.logcumsumexp),
    "softmax": (ut.softmax, torch.softmax),
    "rms_norm": (lambda x, d: ut.rms_norm(x), lambda x, d: F.rms_norm(x, x.shape[-1:], eps=1e-6)),
    "logsumexp": (ut.logsumexp, torch.logsumexp),
    "sum": (ut.sum, torch.sum),
    "var": (lambda x, d: ut.var(x, d), lambda x, d: torch.var(x, d)),
}


def loop(x, dim):
    """Running sums from left to right, each rounded: what a loop of the type has."""
    total, out = torch.zeros_like(x[:, 0]), []
    for column in x.unbind(dim):
        total = total + column
        out.append(total)
    return torch.stack(out, dim)


def results(f, x, weights):
    """The results and the gradients of a function."""
    x = x.detach().requires_grad_()
    y = f(x, 1)
    return y.detach(), torch.autograd.grad(y, x, weights(y))[0]


def error(y, right):
    scale = right.square().mean().sqrt() * torch.finfo(y.dtype).eps
    return ((y.double() - right).square().mean().sqrt() / scale).item()


def rows(dtype, kind, x):
    for name, (ours, theirs) in FUNCTIONS.items():
        weights = lambda y: (
            torch.randn(y.shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
            .to(dtype)
            .to(y.dtype)
        )
        right = results(theirs, x.double(), weights)
        columns = [results(f, x, weights) for f in (ours, theirs)]
        cells = [f"{error(c[k], right[k]):.2f}" for k in (0, 1) for c in columns]
        if name == "cumsum":
            cells[1] += f" ({error(loop(x, 1), right[0]):.2f})"
        print(f"| {name} | {dtype}".replace("torch.", ""), kind, *cells, sep=" | ", end=" |\n")


def main():
    torch.set_num_threads(1)
    g = torch.Generator().manual_seed(1)
    normal = torch.randn(ROWS, N, generator=g, dtype=torch.float64)
    uniform = torch.rand(ROWS, N, generator=g, dtype=torch.float64)
    print("| function | type | elements | forward | PyTorch | gradient | PyTorch |")
    print("|---|---|---|--:|--:|--:|--:|")
    for dtype in (torch.float32, torch.bfloat16):
        for kind, x in (("normal", normal), ("0 to 1", uniform)):
            rows(dtype, kind, x.to(dtype))


if __name__ == "__main__":
    main()
