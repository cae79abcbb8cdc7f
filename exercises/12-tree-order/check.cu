// Every block reduces its own tile to one result.
#include <upsweep_check.h>

#include "kernel.cu"

template <class Op>
void check_tiles(check::run& run, Op op) {
  auto const launch = [](unsigned blocks, auto... given) {
    ordered_reduce<<<blocks, threads>>>(given...);
  };
  check::expect_tiles(run, op, 2 * threads, launch, check::reductions,
                      run.is("sum") ? ""
                                    : "Composing maps does not commute: is the left operand of op "
                                      "always the earlier one?");
}

void check_run(check::run& run) {
  if (run.is("sum")) check_tiles(run, check::sum<int>{});
  if (run.is("composition of maps")) check_tiles(run, check::composition{});
}
