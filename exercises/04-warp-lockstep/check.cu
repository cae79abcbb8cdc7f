// Every block reduces its own tile to one result.
#include <upsweep_check.h>

#include "kernel.cu"

template <class Op>
void check_tiles(check::run& run, Op op) {
  constexpr unsigned tile = 2 * threads;
  auto const x = run.elements(run.n, op);
  unsigned const blocks = check::blocks_for(run.n, tile);
  check::device const in("in", x);
  check::device<typename Op::element> const out("out", blocks);
  last_warp_reduce<<<blocks, threads>>>(in.data(), out.data(), static_cast<int>(run.n), op);
  run.expect("out", out, check::reductions(x, op, tile));
}

void check_run(check::run& run) {
  if (run.is("sum")) check_tiles(run, check::sum<int>{});
  if (run.is("maximum")) check_tiles(run, check::maximum<int>{});
}
