"""Where the package and NumPy differ: each row of the table in docs/python.md."""

import re
from pathlib import Path

import numpy as np
import pytest
import upsweep
from reference import fsum, same_bits, scattered

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_bits_do_not_depend_on_the_layout():
    x = scattered(10**6, "float32")
    two = np.zeros((len(x), 2), x.dtype)
    two[:, 0] = x
    swapped = x.astype(x.dtype.newbyteorder())
    numpy_sums = {np.sum(a).tobytes() for a in (x, swapped)} | {np.sum(two, axis=0)[:1].tobytes()}
    assert len(numpy_sums) > 1
    ours = {upsweep.sum(a).tobytes() for a in (x, swapped, two[:, 0])}
    ours |= {upsweep.sum(two, axis=0)[:1].tobytes(), upsweep.cumulative_sum(x)[-1:].tobytes()}
    assert len(ours) == 1


def test_errors_of_running_sums_grow_with_the_logarithm():
    x = np.full(10**6, 0.1, np.float32)
    exact = fsum(x)
    ours = abs(float(upsweep.cumulative_sum(x)[-1]) - exact)
    theirs = abs(float(np.cumsum(x)[-1]) - exact)
    assert ours < 0.05 and theirs > 100


def test_float16_is_combined_in_float32():
    x = np.ones(70_000, np.float16)
    with np.errstate(over="ignore"):
        theirs = np.sum(x)
    assert np.isinf(theirs) and theirs.dtype == np.float16
    assert upsweep.sum(x) == 70_000 and upsweep.sum(x).dtype == np.float32


def test_float32_has_its_mean_in_float64():
    x = np.full(10**6, 16777217 / 2**24, np.float32) + np.arange(10**6, dtype=np.float32) % 2
    assert upsweep.mean(x) == np.float32(fsum(x) / len(x))
    assert upsweep.mean(x).dtype == np.float32


def test_sums_keep_minus_zero():
    x = np.array([-0.0, -0.0])
    assert np.signbit(upsweep.sum(x)) and not np.signbit(np.sum(x))


def test_zeros_have_an_order():
    assert np.signbit(np.min([0.0, -0.0])) != np.signbit(np.min([-0.0, 0.0]))
    assert np.signbit(upsweep.min([0.0, -0.0])) and np.signbit(upsweep.min([-0.0, 0.0]))
    assert not np.signbit(upsweep.max([0.0, -0.0])) and not np.signbit(upsweep.max([-0.0, 0.0]))


def test_the_order_of_numbers_is_total():
    zeros = np.array([0.0, -0.0])
    assert np.argsort(zeros, kind="stable").tolist() == [0, 1]
    assert upsweep.argsort(zeros).tolist() == [1, 0]
    x = np.array([1.0, np.copysign(np.nan, -1), np.nan, 0.0])
    assert np.isnan(np.sort(x)[2:]).all()
    assert np.isnan(upsweep.sort(x)[[0, 3]]).all()


def test_a_narrower_dtype_rounds_the_result_not_the_elements():
    x = np.full(4096, 1 + 2**-30)
    assert upsweep.sum(x, dtype=np.float32) == np.float32(4096 + 2**-18)
    y = np.full(2**12, 1e-5)
    assert same_bits(upsweep.sum(y, dtype=np.float16), np.float16(upsweep.sum(y)))


def test_quantiles_are_float64():
    x = np.array([1, 2], np.float32)
    assert upsweep.median(x).dtype == np.float64 and np.median(x).dtype == np.float32


def test_quantiles_of_infinities_are_no_nan():
    x = [-np.inf, 1.0, np.inf]
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.quantile(x, [0, 0.5])).all()
    assert upsweep.quantile(x, [0, 0.5, 0.75]).tolist() == [-np.inf, 1, np.inf]


def test_integers_are_not_rounded():
    x = [2**63, 2**63 + 1, 1]
    assert len(np.unique(x)) == 2
    assert upsweep.sort(x).tolist() == [1, 2**63, 2**63 + 1]
    with pytest.raises(TypeError, match="no 64-bit integer type can hold"):
        upsweep.sort([*x, -1])
    assert upsweep.unique([*x, -1]).tolist() == [-1, 1, 2**63, 2**63 + 1]
    assert upsweep.unique(x).tolist() == [1, 2**63, 2**63 + 1]


def test_gcd_is_unsigned():
    least = np.array([-(2**63)])
    assert upsweep.gcd.reduce(least) == 2**63
    assert np.gcd.reduce(least) == -(2**63)


def test_bins_may_not_be_empty():
    assert np.histogram([1], [0, 1, 1, 2])[0].tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="ascending edges"):
        upsweep.histogram([1], [0, 1, 1, 2])


def test_sums_of_spans_do_not_wrap():
    x = np.full(2, np.timedelta64(2**62, "ns"))
    assert np.isnat(np.sum(x))
    with pytest.raises(OverflowError):
        upsweep.sum(x)


def test_edges_are_float64():
    x = np.array([0, 1], np.float32)
    assert upsweep.histogram(x)[1].dtype == np.float64
    assert np.histogram(x)[1].dtype == np.float32


def test_what_has_no_operators_is_refused():
    for x in (np.array([1, None]), np.ma.ones(2), np.array(["a"])):
        with pytest.raises(TypeError, match="^sum: "):
            upsweep.sum(x)
    for verb in (upsweep.max, upsweep.mean, upsweep.sort):
        with pytest.raises(TypeError, match="complex128.*x.real and x.imag"):
            verb(np.ones(2, complex))


def test_every_row_of_the_page_has_its_test():
    named = re.findall(r"`(test_\w+)`", PAGE.read_text())
    here = [name for name in globals() if name.startswith("test_")]
    assert len(named) > 10
    for name in named:
        assert name in here, name


def test_statistics_of_huge_numbers_are_finite():
    with np.errstate(all="ignore"):
        assert np.std([1e300, -1e300]) == np.inf
        assert np.std([1e-300, -1e-300]) == 0
    assert upsweep.std([1e300, -1e300]) == 1e300
    assert upsweep.std([1e-300, -1e-300]) == 1e-300


def test_medians_of_integers_are_rounded_once():
    x = np.array([-(2**63), 2**63 - 1])
    assert np.median(x) == 0
    assert upsweep.median(x) == -0.5
