"""Support for threadpoolctl, which limits the threads of many libraries at once."""

from __future__ import annotations

import importlib
from typing import Any

from upsweep import _core, _settings

_registered = False


def register_threadpoolctl() -> None:
    """Make the package known to threadpoolctl.

    Afterwards ``threadpool_info`` lists the package, and ``threadpool_limits`` sets the number of
    threads of calls without `threads`.

    Raises
    ------
    ImportError
        If threadpoolctl is not installed.

    See Also
    --------
    doctor

    Notes
    -----
    The limit holds for all threads of Python.

    Examples
    --------
    >>> import threadpoolctl
    >>> upsweep.register_threadpoolctl()
    >>> with threadpoolctl.threadpool_limits(1, user_api="upsweep"):
    ...     upsweep.sum([1.0, 2.0])  # on one thread
    np.float64(3.0)
    """
    threadpoolctl: Any = importlib.import_module("threadpoolctl")

    class Controller(threadpoolctl.LibController):
        user_api = internal_api = "upsweep"
        filename_prefixes = ("_core",)
        check_symbols = ("upsweep_python_module",)

        def get_num_threads(self):
            return _settings.default_threads() or _core.available_threads()

        def set_num_threads(self, num_threads):
            _settings.set_default_threads(num_threads)

        def get_version(self):
            return _core.version

    global _registered
    if not _registered:
        threadpoolctl.register(Controller)
        _registered = True
