"""Checks the includes of a translation unit that reduces a std::vector<float> and, with --time, its
compile time.
"""

import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

USE = """#include <upsweep/upsweep.hpp>
#include <vector>
float total(std::vector<float> const& x) { return upsweep::reduce(x); }
"""
EMPTY = (
    "#include <vector>\nfloat total(std::vector<float> const& x) { return x.empty() ? 0 : x[0]; }\n"
)
LIMIT_SECONDS = 0.5


def compile_unit(compiler, root, text, *flags):
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "unit.cpp"
        unit.write_text(text)
        command = [
            compiler,
            "-std=c++20",
            "-O2",
            "-ffp-contract=off",
            f"-I{root}",
            *flags,
            str(unit),
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def seconds(compiler, root, text):
    """The minimum processor time of five runs, which other load affects least."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        compile_unit(compiler, root, text, "-c", "-o", "/dev/null")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main():
    compiler, root = sys.argv[1], sys.argv[2]
    seen = compile_unit(compiler, root, USE, "-M")
    foreign = sorted(
        set(
            re.findall(
                r"\S*/(?:tbb|oneapi|hwy|cuda)/\S*|"
                r"\S*/(?:iostream|functional|algorithm|random|execution|complex|string)\b(?!\.h)",
                seen,
            )
        )
    )
    if foreign:
        sys.exit("a user's translation unit includes " + ", ".join(foreign))
    if "--time" in sys.argv:
        extra = seconds(compiler, root, USE) - seconds(compiler, root, EMPTY)
        print(f"{extra:.2f} s more than an empty translation unit; the limit is {LIMIT_SECONDS} s")
        if extra > LIMIT_SECONDS:
            sys.exit(1)


if __name__ == "__main__":
    main()
