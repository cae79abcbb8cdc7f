"""Versions, threads and checks of this machine, for reports of problems."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from upsweep import _core
from upsweep._settings import threads_from_environment


def show_versions() -> None:
    """Print the versions of the package, of Python and of related libraries.

    See Also
    --------
    doctor

    Notes
    -----
    Include the output in reports of problems.
    """
    print(f"upsweep           {_core.version} (combine tree {_core.tree_version})")
    print(f"compiled by       {_core.compiler}")
    print(f"python            {platform.python_version()} ({platform.platform()})")
    for name in ("numpy", "nanobind-backend", "numba", "pandas", "polars", "pyarrow", "scipy"):
        try:
            print(f"{name:17} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{name:17} is not installed")


def doctor() -> bool:
    """Print what this process may use, and check the bits of some results.

    Returns
    -------
    bool
        True if all checks pass.

    See Also
    --------
    show_versions

    Notes
    -----
    The checks take a few milliseconds.
    """
    import numpy as np

    from upsweep import exact_sum, sum

    well = True
    print(f"upsweep {_core.version}, Python {platform.python_version()}, {sys.platform}")
    print(f"vector instructions: {_core.instructions()}")
    print(f"threads that this process may use: {_core.available_threads()}")
    try:
        limit = threads_from_environment()
        print(f"UPSWEEP_NUM_THREADS: {limit or 'not set, or 0: all of them'}")
    except ValueError as error:
        print(error)
        return False
    x = np.sin(np.arange(100_003, dtype=np.float64) ** 2)
    totals = {sum(x, threads=threads).tobytes() for threads in (1, 2, 3)}
    checks = {
        "same sum on 1, 2 and 3 threads": len(totals) == 1,
        "same sum for any stride": sum(np.repeat(x, 3)[::3]).tobytes() in totals,
        "exact sums": exact_sum([1e16, 1.0, -1e16]) == 1.0,
    }
    for what, passes in checks.items():
        print(f"{what}: {'correct' if passes else 'WRONG'}")
        well = well and passes
    return well
