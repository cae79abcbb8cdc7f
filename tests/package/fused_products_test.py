"""Checks that the copies of users' loops for AVX-512 multiply and add as written, and so do the
library's operators and bins in files for CPUs with fused multiply-adds: results must not
depend on the CPU. `fused_products_test.py COMPILER ROOT`
"""

import subprocess
import sys

USE = """#include <upsweep/upsweep.hpp>
#include <span>
float f(std::span<float const> x) {
  return upsweep::reduce(x, [](float a, float b) { return a * 0.5f + b; });
}
"""


OURS = """#include <upsweep/histogram.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>
#include <deque>
#include <span>
float square(std::span<float const> x) {
  return upsweep::transform_reduce(x, [](float a) { return a * a; });
}
double several(std::deque<double> const& x) {
  return upsweep::reduce(x, upsweep::moments{}).m2 + upsweep::reduce(x, upsweep::log_sum_exp{}) +
         upsweep::reduce(x, upsweep::recurrence({1.6, -0.64})) + upsweep::quantile(x, 0.3);
}
void bins(std::span<long const> x, std::span<long> counts) {
  upsweep::histogram(x, counts, upsweep::even{-0.4, 4});
}
"""


def compiled(compiler, root, source, *flags):
    command = [compiler, "-std=c++20", "-O2", f"-I{root}", *flags, "-S", "-o", "-", "-x", "c++"]
    return subprocess.run(
        [*command, "-"], input=source, check=True, capture_output=True, text=True
    ).stdout


def main():
    compiler, root = sys.argv[1:]
    assembly = compiled(compiler, root, USE)
    if "zmm" not in assembly:
        print("this compiler makes no copies for AVX-512")
        sys.exit(77)
    assembly += compiled(compiler, root, OURS, "-march=x86-64-v3", "-DUPSWEEP_ANY_FLAGS")
    if fused := [line for line in assembly.splitlines() if "\tvfm" in line or "\tvfnm" in line]:
        sys.exit("fused products:\n" + "\n".join(fused))


main()
