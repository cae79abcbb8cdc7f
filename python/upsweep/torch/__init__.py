"""Recurrences, scans and reductions of PyTorch's tensors: the same bits for any chunks, batches and
numbers of threads, with gradients that are as reproducible.

PyTorch is imported only here. docs/torch.md describes the functions and their limits.
"""

try:
    import torch as _torch  # type: ignore[import-not-found]  # noqa: F401
except ImportError as e:
    raise ImportError("upsweep.torch needs PyTorch: pip install torch") from e

from upsweep.torch import _batches, _cuda  # noqa: F401
from upsweep.torch._associative import associative_scan
from upsweep.torch._elements import exp, log, sigmoid, softplus
from upsweep.torch._models import (
    discounted_returns,
    gae,
    log_softmax,
    mean,
    rms_norm,
    selective_scan,
    softmax,
    var,
)
from upsweep.torch._recurrence import linear_recurrence, linear_recurrence_step
from upsweep.torch._rows import index_add, segment_sum
from upsweep.torch._scans import (
    cummax,
    cumprod,
    cumsum,
    logcumsumexp,
    logsumexp,
    sum,
)
from upsweep.torch._states import RecurrenceState

__all__ = [
    "RecurrenceState",
    "associative_scan",
    "cummax",
    "cumprod",
    "cumsum",
    "discounted_returns",
    "exp",
    "gae",
    "index_add",
    "linear_recurrence",
    "linear_recurrence_step",
    "log",
    "log_softmax",
    "logcumsumexp",
    "logsumexp",
    "mean",
    "rms_norm",
    "segment_sum",
    "selective_scan",
    "sigmoid",
    "softmax",
    "softplus",
    "sum",
    "var",
]
