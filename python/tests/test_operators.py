"""`upsweep.add` and its relatives beside NumPy's ufuncs."""

import copy
import pickle

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered, tree_sums

UFUNCS = ["add", "multiply", "maximum", "minimum", "fmax", "fmin"]
UFUNCS += ["bitwise_and", "bitwise_or", "bitwise_xor"]
LOGICAL = ["logical_and", "logical_or", "logical_xor"]


@pytest.mark.parametrize("name", UFUNCS + LOGICAL + ["gcd"])
def test_methods_are_those_of_the_ufunc(name):
    ours, theirs = getattr(upsweep, name), getattr(np, name)
    x = scattered(6 * 50, "int64").reshape(6, 50)
    x[2] = 0
    if name == "gcd":
        x = (np.abs(x // 2**40) * 6).astype("uint64")  # NumPy keeps signs of single elements
    for axis in (0, 1, -1):
        assert same_bits(ours.reduce(x, axis=axis), theirs.reduce(x, axis=axis))
        expected = theirs.accumulate(x, axis=axis)
        if name in LOGICAL:  # NumPy's first column is the element itself
            expected = expected.astype(bool)
        assert same_bits(ours.accumulate(x, axis=axis), expected)
    assert same_bits(ours.reduce(x[0]), theirs.reduce(x[0]))


@pytest.mark.parametrize("indices", [[0], [0, 3, 7], [2, 5, 6], [4, 2, 2, 9], [9, 8, 0], []])
@pytest.mark.parametrize("axis", [0, 1])
def test_reduceat_is_that_of_the_ufunc(indices, axis):
    indices = np.array(indices, dtype=np.intp)
    x = scattered(10 * 10, "int32").reshape(10, 10)
    for name in ("add", "maximum"):
        expected = getattr(np, name).reduceat(x, indices, axis=axis)
        assert same_bits(getattr(upsweep, name).reduceat(x, indices, axis=axis), expected)


def test_reduceat_has_the_bits_of_each_stretch_alone():
    x = scattered(10_000, "float32")
    indices = [0, 5, 4096, 9000]
    expected = [tree_sums(part)[-1] for part in np.split(x, indices[1:])]
    assert same_bits(upsweep.add.reduceat(x, indices), np.array(expected))


def test_reduceat_refuses_positions_outside():
    with pytest.raises(IndexError, match="no element 10; x has 10"):
        upsweep.add.reduceat(np.arange(10), [0, 10])
    with pytest.raises(TypeError, match="integers"):
        upsweep.add.reduceat(np.arange(10), [0.5])


def test_operators_are_themselves_when_they_are_copied():
    for again in (copy.deepcopy(upsweep.add), pickle.loads(pickle.dumps(upsweep.add))):
        assert again is upsweep.add


def test_out_is_what_numpys_ufuncs_take():
    out = np.empty(2)
    assert type(upsweep.add.reduce([1, 2], out=...)) is np.ndarray
    assert upsweep.add.reduce(np.ones((3, 2)), out=(out,)) is out and out.tolist() == [3, 3]
    assert upsweep.add.accumulate([1.0, 2.0], out=(out,)) is out and out.tolist() == [1, 3]
    assert upsweep.add.reduceat([1.0, 2.0], [0, 1], out=(out,)) is out and out.tolist() == [1, 2]
