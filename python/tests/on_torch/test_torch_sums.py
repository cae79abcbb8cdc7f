"""Sums and means of upsweep.torch against the combine tree."""

import math

import numpy as np
import pytest
import torch

import upsweep.torch as ut

REAL = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def same_bits(x, y):
    """Also of zeros; all NaN are the same."""
    integers = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    bits = [t.masked_fill(t.isnan(), 1).contiguous().view(integers) for t in (x, y)]
    return x.dtype == y.dtype and torch.equal(x.isnan(), y.isnan()) and torch.equal(*bits)


def sum_in_the_tree(a):
    """Of aligned blocks, the largest first, whose halves are added first."""
    total, at = None, 0
    while at < len(a):
        size = 1 << ((len(a) - at).bit_length() - 1)
        block, at = a[at : at + size], at + size
        while len(block) > 1:
            block = block[0::2] + block[1::2]
        total = block[0] if total is None else total + block[0]
    return total


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_sums_have_the_bits_of_the_tree(dtype):
    torch.manual_seed(1)
    a = torch.randn(9, 1547, dtype=torch.float64).to(dtype)
    for line, values in enumerate(([math.inf], [math.inf, -math.inf], [math.nan], [1e-40, -0.0])):
        for value in values:
            a[line, int(value == value) * 700 + line] = value
    a[8] = -0.0
    for x in (a, a[:, :64], a[:, :1], a[:, 3:1000], a[::2], a.T.contiguous().T):
        wide = x.double() if dtype == torch.float64 else x.float()
        with np.errstate(invalid="ignore"):
            lines = torch.tensor(np.array([sum_in_the_tree(line) for line in wide.numpy()]))
        for keepdim in (False, True):
            expected = lines.reshape(-1, 1) if keepdim else lines
            assert same_bits(ut.sum(x, -1, keepdim), expected.to(dtype))
            assert same_bits(ut.sum(x.T, 0, keepdim).reshape(-1), lines.to(dtype))
            assert same_bits(ut.mean(x, 1, keepdim), (expected / x.shape[1]).to(dtype))
        whole = sum_in_the_tree(wide.nan_to_num(1, 1, 1).reshape(-1).numpy())
        assert ut.sum(x.nan_to_num(1, 1, 1)) == torch.tensor(whole).to(dtype)


@pytest.mark.filterwarnings("ignore")
def test_what_does_not_convert_to_dtype_is_refused():
    quantized = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)
    for x in quantized, torch.empty(3, dtype=torch.bits8), torch.ones(3) * 1j:
        for f in lambda x: ut.sum(x, dtype=torch.float32), lambda x: ut.cumsum(x, 0):
            with pytest.raises(TypeError, match="x has elements of torch.*; give float16"):
                f(x)
    assert ut.sum(torch.ones(3).to(torch.float8_e4m3fn), dtype=torch.float32) == 3
    assert ut.sum(torch.ones(3, dtype=torch.bool), dtype=torch.float64) == 3
