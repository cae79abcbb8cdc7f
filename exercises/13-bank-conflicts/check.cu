// Every block scans its own tile; its first result is the identity.
#include <upsweep_check.h>

#include "kernel.cu"

template <class Op>
void check_tiles(check::run& run, Op op) {
  auto const launch = [](unsigned blocks, auto... given) {
    conflicting_scan<<<blocks, threads>>>(given...);
  };
  check::expect_tiles(run, op, size, launch, check::exclusive_scan);
}

void check_run(check::run& run) {
  if (run.is("sum")) check_tiles(run, check::sum<int>{});
}
