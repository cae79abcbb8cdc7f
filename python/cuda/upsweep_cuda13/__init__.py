"""The verbs of upsweep for arrays in the memory of a GPU, with the bits of the CPU.

The package `upsweep` calls this one for arrays of PyTorch, CuPy, JAX and others that speak DLPack.
Calls run in the stream that is current for the library of the array, where the array lies, and
return without waiting, but for `select`, which has to know how many elements it returns.
"""

from upsweep_cuda13._core import available
from upsweep_cuda13._libraries import DeviceArray
from upsweep_cuda13._verbs import (
    argsort,
    histogram,
    reduce,
    scan,
    segment_reduce,
    segment_scan,
    select,
    sort,
)

__all__ = [
    "DeviceArray",
    "argsort",
    "available",
    "histogram",
    "reduce",
    "scan",
    "segment_reduce",
    "segment_scan",
    "select",
    "sort",
]
