"""Reductions and prefix scans with any associative operator, with bitwise reproducible results.

Functions have NumPy's names where NumPy has them: `upsweep.sum`, `upsweep.cumulative_sum`,
`upsweep.add.reduce`. Modules are loaded when one of their functions is first used, so
importing the package is fast. docs/python.md describes the differences from NumPy.
"""

import importlib
import sys

_MODULES = {
    "_reductions": "exact_sum prod reduce sum",
    "_extrema": "argmax argmin max min minmax",
    "_flags": "all any count_nonzero",
    "_moments": "logsumexp mean std var",
    "_statistics": "correlation covariance kurtosis linear_regression skew",
    "_means": "geometric_mean harmonic_mean rms",
    "_missing": "bfill ffill interpolate",
    "_scans": "cumulative_prod cumulative_sum exact_cumulative_sum scan",
    "_running_extrema": "cummax cummin drawdown max_drawdown",
    "_operators": "add bitwise_and bitwise_or bitwise_xor fmax fmin gcd logical_and logical_or "
    "logical_xor maximum minimum multiply",
    "_recurrences": "ema lfilter linear_recurrence",
    "_anchored": "RecurrenceState linear_recurrence_step",
    "_selections": "mode partition runs select unique",
    "_sorts": "argsort rank sort sort_by_key top",
    "_quantiles": "median percentile quantile",
    "_segments": "segment_reduce segment_scan",
    "_groups": "group_reduce group_scan",
    "_windows": "windowed",
    "_histograms": "bincount histogram weighted_histogram",
    "_streams": "Stream",
    "_partial": "Partial",
    "_associativity": "check_monoid",
    "_own": "monoid",
    "_arrow": "from_arrow",
    "_applications": "convolve cumulative_distribution summed_area_table weighted_sample",
    "_diagnosis": "doctor show_versions",
    "_threadpool": "register_threadpoolctl",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name):
    if name == "__version__":
        from upsweep._core import version

        return version
    if name == "lab":
        return importlib.import_module("upsweep.lab")
    if name not in _HOMES:
        hint = importlib.import_module("upsweep._hints").hint(name)
        raise AttributeError(f"module 'upsweep' has no attribute {name!r}{hint}")
    if "upsweep._core" not in sys.modules:
        _expect_main_interpreter()
    value = getattr(importlib.import_module(f"upsweep.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def _expect_main_interpreter():
    """Refuse sub-interpreters: the extension module can be loaded only once per process."""
    try:
        interpreters = importlib.import_module("_interpreters")
    except ImportError:  # before Python 3.13
        interpreters = importlib.import_module("_xxsubinterpreters")
    if interpreters.get_current() != interpreters.get_main():
        raise ImportError(
            "upsweep: sub-interpreters are not supported; use threads, which run in parallel "
            "during calls of upsweep, or processes"
        )


def __dir__():
    return [*__all__, "__version__", "lab"]
