"""Checks that the copies of users' loops for AVX-512 multiply and add as written: results must not
depend on the processor. `fused_products_test.py COMPILER ROOT`
"""

import subprocess
import sys

USE = """#include <upsweep/upsweep.hpp>
#include <span>
float f(std::span<float const> x) {
  return upsweep::reduce(x, [](float a, float b) { return a * 0.5f + b; });
}
"""


def main():
    compiler, root = sys.argv[1:]
    command = [compiler, "-std=c++20", "-O2", f"-I{root}", "-S", "-o", "-", "-x", "c++", "-"]
    assembly = subprocess.run(command, input=USE, check=True, capture_output=True, text=True).stdout
    if "zmm" not in assembly:
        print("this compiler makes no copies for AVX-512")
        sys.exit(77)
    if fused := [line for line in assembly.splitlines() if "\tvfm" in line or "\tvfnm" in line]:
        sys.exit("fused products:\n" + "\n".join(fused))


main()
