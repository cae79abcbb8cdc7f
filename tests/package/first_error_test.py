"""Checks that the first error is a clear message if a public header cannot be compiled: with an old
language standard, without exceptions, or with an old compiler; and if a call needs another header.
Argument: the compiler.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted(
    path.relative_to(ROOT)
    for folder in ("", "core", "ops")
    for path in (ROOT / "upsweep" / folder).glob("*.hpp")
)
UMBRELLA = [Path("upsweep/upsweep.hpp")]


ALL_CORES = """
#include <upsweep/sort.hpp>
#include <vector>
void f(std::vector<float>& x);
void f(std::vector<float>& x) { upsweep::sort(x); }
"""

EVEN_BINS = """
#include <upsweep/upsweep.hpp>
#include <vector>
void f(std::vector<float>& x, std::vector<int>& counts);
void f(std::vector<float>& x, std::vector<int>& counts) {
  upsweep::histogram(x, upsweep::even{0, 1}, counts, upsweep::histogram_options{});
}
"""


def first_error(header, *flags, program=None):
    command = [
        sys.argv[1],
        "-Wfatal-errors",
        "-fsyntax-only",
        "-x",
        "c++",
        f"-I{ROOT}",
        *flags,
        ROOT / header if program is None else "-",
    ]
    output = subprocess.run(command, input=program, capture_output=True, text=True).stderr
    return next((line for line in output.splitlines() if "error:" in line), "none")


def complaints():
    old = ["-U__GNUC__", "-D__GNUC__=11", "-U__clang_major__", "-D__clang_major__=13"]
    for headers, sentence, flags in (
        (HEADERS, "upsweep needs C++20: compile with -std=c++20 or newer", ["-std=c++17"]),
        (UMBRELLA, "upsweep reports errors as exceptions", ["-std=c++20", "-fno-exceptions"]),
        (UMBRELLA, "upsweep needs g++ 12, clang 14 or a newer one", ["-std=c++20", *old]),
    ):
        for header in headers:
            found = first_error(header, *flags)
            if f"error: {sentence}" not in found.replace("#error ", "").replace('"', ""):
                yield (
                    f"{header} with {' '.join(flags)}: the first error is not '{sentence}', but: "
                    f"{found}"
                )

    sentence = "upsweep: calls without an executor run on all cores of the CPU; include"
    if sentence not in (found := first_error(None, "-std=c++20", program=ALL_CORES)):
        yield f"without host/executor.hpp the first error is not '{sentence}', but: {found}"

    sentence = "count_indices need #include <upsweep/histogram.hpp>"
    if sentence not in (found := first_error(None, "-std=c++20", program=EVEN_BINS)):
        yield f"without histogram.hpp the first error is not '{sentence}', but: {found}"


if __name__ == "__main__":
    sys.exit("\n".join(complaints()) or 0)
