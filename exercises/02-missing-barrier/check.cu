// Every block reduces its own tile to one result.
#include <upsweep_check.h>

#include "kernel.cu"

template <class Op>
void check_tiles(check::run& run, Op op) {
  auto const launch = [](unsigned blocks, auto... given) {
    tree_reduce<<<blocks, threads>>>(given...);
  };
  check::expect_tiles(run, op, 2 * threads, launch, check::reductions);
}

void check_run(check::run& run) {
  if (run.is("sum")) check_tiles(run, check::sum<int>{});
  if (run.is("maximum")) check_tiles(run, check::maximum<int>{});
}
