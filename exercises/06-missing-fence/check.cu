// scan() scans the whole array.
#include <upsweep_check.h>

#include "kernel.cu"

template <class Op>
void check_whole(check::run& run, Op op) {
  auto const x = run.elements(run.n, op);
  check::device const in("in", x);
  check::device<typename Op::element> const out("out", x.size());
  scan(in.data(), out.data(), static_cast<int>(run.n), op);
  run.expect("out", out, check::inclusive_scan(x, op));
}

void check_run(check::run& run) {
  if (run.is("sum")) check_whole(run, check::sum<int>{});
  if (run.is("composition of maps")) check_whole(run, check::composition{});
}
