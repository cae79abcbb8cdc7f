"""What tests on a GPU share: inputs, and calls whose results are compared with those of the CPU."""

import pytest
import torch

from upsweep.torch import _tensors

needs_gpu = pytest.mark.skipif(
    not (torch.cuda.is_available() and _tensors._HAS_KERNELS),
    reason="needs a GPU and upsweep-cuda13",
)
TYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
TYPES += [torch.complex128]
FLOATS = TYPES[:4]


@pytest.fixture(autouse=True)
def poisoned_memory():
    """What PyTorch allocates next has other numbers than zeros."""
    if torch.cuda.is_available():
        x = [torch.full((1 << n,), -7.0e77, dtype=torch.float64, device="cuda") for n in range(24)]
        torch.cuda.synchronize()
        del x


def inputs(shape, dtype, seed=0):
    g = torch.Generator().manual_seed(seed)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    a = 0.5 + 0.55 * torch.rand(shape, generator=g, dtype=torch.float64)
    a = torch.where(torch.rand(shape, generator=g) < 0.02, -0.0, a)
    if dtype.is_complex:
        a = torch.polar(a, torch.rand(shape, generator=g, dtype=torch.float64))
    return a.to(dtype), torch.randn(shape, generator=g, dtype=wide).to(dtype)


def on_gpu(x):
    return x.cuda() if isinstance(x, torch.Tensor) else x


def expect_same(results, expected):
    """Of tensors on a GPU and on the CPU: bit by bit. Which NaN a result is, is not specified."""
    for x, y in zip(results, expected, strict=True):
        if y is None:
            assert x is None
            continue
        assert x.is_cuda and x.dtype == y.dtype and x.shape == y.shape
        x, y = (torch.view_as_real(z) if z.is_complex() else z for z in (x.cpu(), y))
        bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.dtype.itemsize]
        differ = x.contiguous().view(bits) != y.contiguous().view(bits)
        differ &= ~(x.isnan() & y.isnan())
        assert not differ.any(), f"{int(differ.sum())} of {differ.numel()} differ"


def expect_same_call(f, *args, backward=True, on_cpu=None):
    """f of tensors on a GPU has the results and the gradients of f, or of another function, on the
    CPU."""

    def run(f, args):
        args = [
            x.clone().requires_grad_(backward and x.dtype in TYPES)
            if isinstance(x, torch.Tensor)
            else x
            for x in args
        ]
        y = f(*args)
        ys = y if isinstance(y, tuple) else (y,)
        if not backward:
            return ys
        seeds = [torch.linspace(-1, 1, z.numel(), dtype=torch.float64) for z in ys]
        used = [x for x in args if isinstance(x, torch.Tensor) and x.requires_grad]
        grads = torch.autograd.grad(
            ys, used, [s.to(z.dtype).to(z.device).reshape(z.shape) for s, z in zip(seeds, ys)]
        )
        return *(z.detach() for z in ys), *grads

    expect_same(run(f, [on_gpu(x) for x in args]), run(on_cpu or f, args))
