"""Integers that float64 does not hold: results are rounded once, beside fractions."""

from fractions import Fraction

import numpy as np
import pytest
import upsweep

COLUMNS = [
    np.array([2**53 + 1, 2**53 + 2, 2**53 + 3, 2**53 + 6]),
    np.array([2**63 - 1, 2**63 - 2, 2**63 - 3, 2**63 - 7]),
    np.array([-(2**63), 2**63 - 1, 5, -(2**63) + 1, 2**53 + 1]),
    np.array([2**64 - 1, 2**64 - 2, 2**63, 0, 2**53 + 3], np.uint64),
]


@pytest.mark.parametrize("x", COLUMNS)
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint", "weibull"])
def test_quantiles_are_rounded_once(x, method):
    values = sorted(map(int, x))
    n = len(values)
    for q in (0.0, 0.25, 0.5, 0.625, 1.0):
        place = (n - 1) * q if method != "weibull" else min(max((n + 1) * q - 1, 0), n - 1)
        below, above = int(np.floor(place)), int(np.ceil(place))
        at = {"lower": below, "higher": above, "nearest": round(place)}.get(method, place)
        at = (below + above) / 2 if method == "midpoint" else at
        first = values[int(np.floor(at))]
        apart = values[int(np.ceil(at))] - first
        want = float(first + apart * (Fraction(at) - int(np.floor(at))))
        assert upsweep.quantile(x, q, method=method) == want, (method, q)


@pytest.mark.parametrize("x", COLUMNS)
def test_drawdowns_are_differences_of_integers(x):
    values = [*map(int, x)]
    highest = np.maximum.accumulate(x)
    want = [float(int(h) - v) for h, v in zip(highest, values, strict=True)]
    assert upsweep.drawdown(x).tolist() == want
    assert upsweep.max_drawdown(x) == max(want)
    relative = [w / float(int(h)) for w, h in zip(want, highest, strict=True) if h > 0]
    got = upsweep.drawdown(x, relative=True)[np.asarray(highest) > 0]
    assert got.tolist() == relative
    table = np.stack([x, x[::-1]], axis=1)
    assert upsweep.drawdown(table, axis=0)[:, 0].tolist() == want


def test_lists_of_integers_up_to_2_64_are_unsigned():
    assert upsweep.max([2**64 - 1, 0]) == 2**64 - 1
    assert upsweep.sum([2**63, 1]) == 2**63 + 1
    assert upsweep.min(((2**63, 7), (9, 2**64 - 1))) == 7
    for keys in ([2**63, 1], (1, 2**63, 2**63 + 1)):
        found = upsweep.unique(keys)
        assert found.dtype == np.uint64 and found.tolist() == sorted(keys)
        groups = upsweep.group_reduce(keys, np.ones(len(keys)))
        assert groups.keys.dtype == np.uint64 and groups.keys.tolist() == sorted(keys)
    for x in ([2**64, 1], [-1, 2**63], [2**100, -(2**100)]):
        with pytest.raises(TypeError, match=f"from {min(x)} to {max(x)}, which no 64-bit integer"):
            upsweep.sum(x)
