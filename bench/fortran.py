#!/usr/bin/env python3
"""Times the Fortran module beside an earlier version of it, alternately in one run, and prints the
medians in microseconds. Both use the same library.

Usage: fortran.py BUILD_FOLDER COMMIT [RUNS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def compiled(folder, module, build):
    """The program with this module."""
    folder.mkdir()
    (folder / "upsweep.F90").write_text(module)
    sources = ["upsweep.F90", str(ROOT / "bench" / "fortran.F90")]
    libraries = [f"{build}/upsweep/libupsweep.a", "-lhwy_contrib", "-lhwy", "-lstdc++", "-lpthread"]
    command = ["mpif90", "-O2", f"-I{ROOT}/fortran", *sources, *libraries, "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "program"


def times_of(program):
    """{name: microseconds}."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "-n", "1", program]
    environment = os.environ | allowed
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return {line[:24].strip(): float(line[24:]) for line in run.stdout.splitlines()}


def main():
    build = Path(sys.argv[1]).resolve()
    show = ["git", "-C", ROOT, "show", f"{sys.argv[2]}:fortran/upsweep.F90"]
    before = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    after = (ROOT / "fortran" / "upsweep.F90").read_text()
    with tempfile.TemporaryDirectory() as folder:
        programs = [
            compiled(Path(folder) / name, module, build)
            for name, module in (("before", before), ("after", after))
        ]
        runs = [
            [times_of(program) for program in programs]
            for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 5)
        ]
    print(f"{'':24} {'before':>9} {'after':>9} {'ratio':>6}")
    for name in runs[0][1]:
        pair = [statistics.median(run[k][name] for run in runs) for k in range(2)]
        ratio = statistics.median(run[1][name] / run[0][name] for run in runs)
        print(f"{name:24} {pair[0]:9.2f} {pair[1]:9.2f} {ratio:6.2f}")


if __name__ == "__main__":
    main()
