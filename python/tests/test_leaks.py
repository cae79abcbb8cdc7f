"""Calls leak nothing: after many of them there are as many objects, and references to what
was passed, as before.
"""

import gc
import sys

import numpy as np
import pytest
import upsweep
from test_libraries import CALLS, FLAGS, KEYS, X

REFUSED = {
    "a word": lambda of: upsweep.sum(np.array(["a"])),
    "no axis": lambda of: upsweep.cumulative_sum(of(np.ones((2, 3))), axis=2),
    "no element": lambda of: upsweep.max(of(np.ones(0))),
    "out too small": lambda of: upsweep.cumulative_sum(of(np.ones(3)), out=np.ones(2)),
    "overflow": lambda of: upsweep.reduce(of(np.array([2**62, 2**62])), "checked_sum"),
    "borders": lambda of: upsweep.segment_reduce(of(np.ones(3)), np.array([0, 4])),
}
TIMES = 100


def counts():
    shared = X, KEYS, FLAGS, X.dtype, KEYS.dtype, np.float32, np.int64
    return [sys.getallocatedblocks(), *map(sys.getrefcount, shared)]


def repeat(call):
    for _ in range(TIMES):
        try:
            call(np.asarray)
            raised = False
        except (ValueError, TypeError, IndexError, OverflowError):
            raised = True
    gc.collect()
    return raised


@pytest.mark.parametrize("name", [*CALLS, *REFUSED])
def test_calls_leave_nothing_open(name):
    call = CALLS.get(name) or REFUSED[name]
    assert repeat(call) == (name in REFUSED)
    before = counts()
    repeat(call)
    grown = [now - earlier for now, earlier in zip(counts(), before, strict=True)]
    assert max(grown) < TIMES, grown
