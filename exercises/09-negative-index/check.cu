// Every block scans its own tile; its first result is the identity.
#include <upsweep_check.h>

#include "kernel.cu"

template <class Op>
void check_tiles(check::run& run, Op op) {
  constexpr unsigned tile = threads;
  auto const x = run.elements(run.n, op);
  unsigned const blocks = check::blocks_for(run.n, tile);
  check::device const in("in", x);
  check::device<typename Op::element> const out("out", x.size());
  shifted_scan<<<blocks, threads>>>(in.data(), out.data(), static_cast<int>(run.n), op);
  run.expect(
      "out", out, check::exclusive_scan(x, op, tile),
      "The first result of each tile is op.identity(), and every other one covers the elements "
      "before it.");
}

void check_run(check::run& run) {
  if (run.is("sum")) check_tiles(run, check::sum<int>{});
  if (run.is("composition of maps")) check_tiles(run, check::composition{});
}
