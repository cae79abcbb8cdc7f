// Blocks of sizes that are, and that are not, multiples of a warp.
#include <upsweep_check.h>

#include "kernel.cu"

#include <string>
#include <vector>

void check_run(check::run& run) {
  std::vector<unsigned> sizes{32, 128, 1024};
  if (run.is("any block")) sizes = {1, 31, 33, 100, 999};
  auto const x = run.numbers<int>(run.n, -99, 99);
  check::device const in("in", x);
  for (unsigned const threads : sizes) {
    unsigned const blocks = check::blocks_for(run.n, threads);
    check::device<int> const out("out", blocks);
    sum_of_blocks<<<blocks, threads>>>(in.data(), out.data(), static_cast<int>(run.n));
    std::string const advice = "Blocks of " + std::to_string(threads) +
                               " threads: which warps are there, and which of their lanes?";
    run.expect("out", out, check::reductions(x, check::sum<int>{}, threads), advice);
  }
}
