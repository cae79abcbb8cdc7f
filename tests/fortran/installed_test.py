"""An installed tree is enough for a program in Fortran or C with MPI: the module file, the headers
and what pkg-config prints. Arguments: the build folder, mpif90, mpicc, mpirun.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = "share/upsweep/fortran/upsweep.F90"
SHIMS = "share/upsweep/fortran"
EXAMPLES = "share/doc/upsweep/examples"


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    build, fortran, c, mpirun = sys.argv[1:]
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder) / "prefix"
        for component in "dev", "doc":
            run(["cmake", "--install", build, "--component", component, "--prefix", prefix])
        found = [str(path.parent) for path in prefix.rglob("upsweep.pc")]
        if len(found) != 1:
            sys.exit(f"upsweep.pc is installed {len(found)} times")
        flags = run(
            ["pkg-config", "--cflags", "--libs", "--static", "upsweep"],
            env=environment | {"PKG_CONFIG_PATH": found[0]},
        ).split()
        shims = sorted((prefix / SHIMS).glob("*_*.F90"))
        if len(shims) != 3:
            sys.exit(f"{len(shims)} modules of models are installed, not 3")
        programs = {
            "fortran": [fortran, prefix / MODULE, *shims, prefix / EXAMPLES / "global_total.f90"],
            "c": [c, prefix / EXAMPLES / "global_total.c"],
        }
        for name, command in programs.items():
            run([*command, *flags, "-lm", "-o", name], cwd=folder)
            printed = run([mpirun, "-n", "2", f"./{name}"], cwd=folder, env=environment)
            if not re.search(r"heat +\d\.\d+E?e?\+\d+ J in 2097 cells", printed):
                sys.exit(f"the program in {name} printed: {printed}")


if __name__ == "__main__":
    main()
