"""Keys of groups and elements of unique, runs and mode: different ones stay apart, as in a dict."""

import datetime
from decimal import Decimal

import numpy as np
import pytest
import upsweep

NAN = float("nan")
APART = [
    [2**53 + 1, 0.5, 2**53],
    [0.5, 2**53, np.int64(2**53 + 1)],
    [np.uint64(2**63 + 1), np.int64(-1), np.uint64(2**63)],
    [2**70, 1, 2**70, 2**70 + 1],
    [np.float32(0.1), 0.1],
    [np.float16(2048), 2049, 2048],
    ["a\0", "a", "a\0\0"],
    ["", "\0"],
    [b"a\0", b"a"],
    [("b", 1), ("a", 2), ("b", 1)],
    (("b", 1), ("a", 2), ("b", 1)),
    [(1, 2), (1, 3), (1, 2)],
    [(1, 2), (1,), (1, 2, 3), ()],
    [("a", ("b", 1)), ("a", ("b", 2))],
    [1, True, 1.0, 2, np.bool_(False), 0],
    [0.0, -0.0, 0],
    ["a", np.str_("a"), "b"],
    [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1)],
    [np.datetime64("2020-01-02"), np.datetime64("2020-01-01"), np.datetime64("2020-01-02")],
    [Decimal("1.5"), 1.5, 2],
    [1, 2, 1],
    [1.5, 2, 1.5],
]


def plain(key):
    return key.item() if isinstance(key, np.floating) else key  # NumPy compares in float32


def summed(keys, x):
    totals: dict = {}
    for key, value in zip(keys, x):
        totals[key] = totals.get(key, 0) + value
    return sorted(totals.items())


@pytest.mark.parametrize("keys", APART, ids=repr)
def test_different_keys_stay_apart(keys):
    x = [10**k for k in range(len(keys))]
    given, keys = keys, [plain(key) for key in keys]
    groups, expected = upsweep.group_reduce(given, x), summed(keys, x)
    assert [*zip(groups.keys.tolist(), groups.values.tolist())] == expected
    running, totals = upsweep.group_scan(given, x).tolist(), {}
    for key, value, result in zip(keys, x, running):
        totals[key] = totals.get(key, 0) + value
        assert result == totals[key]
    values, counts = upsweep.unique(given, return_counts=True)
    assert values.tolist() == [key for key, _ in expected]
    assert counts.tolist() == [list(keys).count(key) for key, _ in expected]
    assert upsweep.mode(given).count == max(counts)
    assert upsweep.runs(given).values.tolist() == [
        key for k, key in enumerate(keys) if k == 0 or key != keys[k - 1]
    ]


@pytest.mark.parametrize(
    "keys",
    [
        [1, "1"],
        [b"a", "a"],
        [True, "True"],
        [np.int64(1), np.str_("1")],
        [1.5, "1.5"],
        [("a", 1), "a"],
        [(1, "a"), (1, 2)],
        [1j, 1],
        [[1], [2]],
        [[1, 2], [3]],
        ["a", ["b"]],
        [{}, {}],
    ],
    ids=repr,
)
def test_keys_without_an_order_or_a_hash_are_refused(keys):
    for call in (upsweep.group_reduce, upsweep.group_scan):
        with pytest.raises((TypeError, ValueError), match="keys (need a hash|have the shape)"):
            call(keys, [1] * len(keys))


@pytest.mark.parametrize("missing", [None, NAN, np.datetime64("NaT"), Decimal("nan"), "NA", "NaT"])
def test_missing_keys_are_no_texts(missing):
    pandas = pytest.importorskip("pandas")
    missing = {"NA": pandas.NA, "NaT": pandas.NaT}.get(missing, missing)
    others = [str(missing), "a", 1, 1.5, np.datetime64("2020-01-01"), ("a", 1)]
    for other in others:
        for keys in ([missing, other], [other, missing], [("b", missing), ("b", other)]):
            for call in (upsweep.group_reduce, upsweep.group_scan):
                with pytest.raises(ValueError, match="a key is .*(which is missing|equals no key)"):
                    call(keys, [1, 2])
    column = pandas.Series([missing, "a"], dtype=object)
    with pytest.raises(ValueError, match="a key is|are null"):
        upsweep.group_reduce(column, [1, 2])
    pairs = pandas.MultiIndex.from_tuples([("a", 1.0), ("a", NAN)])
    with pytest.raises(ValueError, match="a key is"):
        upsweep.group_reduce(pairs, [1, 2])


def test_lists_of_lists_are_elements_in_several_dimensions():
    assert upsweep.unique([[1, 2], [2, 3]]).tolist() == [1, 2, 3]
    assert upsweep.unique([["b", "a"], ["a", "c"]]).tolist() == ["a", "b", "c"]
    assert upsweep.unique([[2**53 + 1], [0.5], [2**53]]).tolist() == [0.5, 2**53, 2**53 + 1]
    assert upsweep.unique([NAN, 1, NAN]).tolist()[0] == 1 and upsweep.unique([]).size == 0
    with pytest.raises(TypeError, match="keys need a hash"):
        upsweep.unique([["a", 1]])
