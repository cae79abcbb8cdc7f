"""Settings of calls: the number of threads, and whether floats may be regrouped."""

import os

from upsweep import _core

_MODES = {"reproducible": False, "fast": True}
_default = None  # the settings of calls without options
_default_threads = None


def settings(threads, mode, verb):
    """The settings of a call. Threads: None for the default, 0 for all that are available."""
    if threads is None and mode == "reproducible":
        return default_settings()
    if mode not in _MODES:
        raise ValueError(f"{verb}: mode={mode!r}; give 'reproducible' or 'fast'")
    if threads is None:
        return _core.Settings(default_threads(), _MODES[mode])
    if not hasattr(threads, "__index__"):
        raise TypeError(
            f"{verb}: threads={threads!r} is not an integer; give a number, or 0 for all"
        )
    if threads < 0:
        raise ValueError(f"{verb}: threads={threads} is negative; give a number, or 0 for all")
    return _core.Settings(min(threads, 1024), _MODES[mode])


def is_pairwise(tree, verb):
    """Whether a reduction uses the pairwise tree (docs/spec/pairwise.md)."""
    if tree not in ("prefix", "pairwise"):
        raise ValueError(f"{verb}: tree={tree!r}; give 'prefix' or 'pairwise'")
    return tree == "pairwise"


def default_settings():
    global _default
    if _default is None:
        _default = _core.Settings(default_threads(), False)
    return _default


def default_threads():
    """The threads of calls without `threads`: as set, otherwise UPSWEEP_NUM_THREADS."""
    return threads_from_environment() if _default_threads is None else _default_threads


def set_default_threads(threads):
    global _default_threads
    _default_threads = threads
    if _default is not None:  # what has kept it has the new number
        _default.threads = default_threads()


def threads_from_environment():
    text = os.environ.get("UPSWEEP_NUM_THREADS", "").strip()
    if not text:
        return 0
    if not text.isdecimal():
        raise ValueError(
            f"UPSWEEP_NUM_THREADS is {text!r}; give a whole number, 0 for all available threads"
        )
    return min(int(text), 1024)
