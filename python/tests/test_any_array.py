"""Arrays of any shape, layout and type: each line has the bits of itself alone."""

import sys

import numpy as np
import upsweep
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import FLOATS, INTEGERS, same_bits, scattered, tree_sums


@st.composite
def arrays(draw):
    shape = draw(st.lists(st.integers(0, 9), min_size=1, max_size=4))
    dtype = draw(st.sampled_from(INTEGERS + FLOATS))
    a = scattered(int(np.prod(shape)), dtype, seed=draw(st.integers(0, 9))).reshape(shape)
    a = a.transpose(draw(st.permutations(range(a.ndim))))
    if draw(st.booleans()):
        a = a.astype(a.dtype.newbyteorder())
    if draw(st.booleans()):
        a = np.asfortranarray(a)
    for axis in range(a.ndim):
        a = np.flip(a, axis) if draw(st.booleans()) else a
        step = draw(st.integers(1, 2))
        a = a[(slice(None),) * axis + (slice(None, None, step),)]
    return a


def running(line):
    """The running sums of one line, by NumPy for integers, along the tree for floats."""
    native = line.astype(line.dtype.newbyteorder("="))
    return tree_sums(native) if native.dtype.kind == "f" else np.cumsum(native)


@settings(max_examples=300, deadline=None)
@given(arrays(), st.data())
def test_lines_have_their_own_bits(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    threads = data.draw(st.sampled_from([None, 1, 2]))
    before = a.copy()
    lines = np.moveaxis(a, axis, -1)
    scans = np.moveaxis(upsweep.cumulative_sum(a, axis=axis, threads=threads), axis, -1)
    sums = upsweep.sum(a, axis=axis, threads=threads)
    assert scans.shape == lines.shape and np.shape(sums) == lines.shape[:-1]
    for index in np.ndindex(lines.shape[:-1]):
        expected = running(lines[index])
        assert same_bits(scans[index], expected)
        if len(expected):
            assert same_bits(np.asarray(sums)[index], expected[-1])
    order = running(np.ravel(a))
    if a.size:
        assert same_bits(upsweep.sum(a, threads=threads), order[-1])
    assert same_bits(a, before)


@settings(max_examples=100, deadline=None)
@given(arrays(), st.data())
def test_reductions_over_axes_are_those_of_numpy(a, data):
    axes = data.draw(st.sets(st.integers(0, a.ndim - 1), min_size=1))
    axes, keepdims = tuple(axes), data.draw(st.booleans())
    native = a.dtype.newbyteorder("=")
    for name in ("min", "max", "any", "all"):
        if a.size == 0 and name in ("min", "max"):
            continue
        ours = getattr(upsweep, name)(a, axis=axes, keepdims=keepdims)
        theirs = getattr(np, name)(a.astype(native), axis=axes, keepdims=keepdims)
        assert same_bits(ours, theirs), name


def test_calls_keep_no_references():
    x, keys = scattered(10_000), np.arange(10_000) % 7
    y = x.reshape(100, 100).T
    flags = x > 0
    calls = [
        lambda: upsweep.sum(x),
        lambda: upsweep.sum(y, axis=0),
        lambda: upsweep.cumulative_sum(y, axis=1),
        lambda: upsweep.group_reduce(keys, x),
        lambda: upsweep.select(x, flags),
        lambda: upsweep.sort(x),
        lambda: upsweep.Stream().push(x).scan(x),
        lambda: upsweep.linear_recurrence(0.5, x),
        lambda: upsweep.histogram(x, 10),
    ]
    for call in calls:
        call()
    counts = [sys.getrefcount(a) for a in (x, keys, y, flags)]
    for call in calls * 5:
        call()
    assert [sys.getrefcount(a) for a in (x, keys, y, flags)] == counts
