// reduce() reduces the whole array.
#include <upsweep_check.h>

#include "kernel.cu"

#include <vector>

template <class Op>
void check_whole(check::run& run, Op op) {
  auto const x = run.elements(run.n, op);
  check::device const in("in", x);
  auto const got = reduce(in.data(), static_cast<int>(run.n), op);
  auto const wanted = check::reductions(x, op).front();
  auto const full = x.size() - x.size() % threads;
  bool const lacks_last_block =
      got == check::reductions(std::vector(x.begin(), x.begin() + full), op).front();
  run.expect_value(
      "the result", got, wanted,
      lacks_last_block ? "The elements of the last, partial block are missing."
      : x.size() % threads != 0
          ? "What do the threads beyond the last element contribute? Only op.identity() "
            "changes nothing, whatever the operator."
          : "");
}

void check_run(check::run& run) {
  if (run.is("sum")) check_whole(run, check::sum<int>{});
  if (run.is("composition of maps")) check_whole(run, check::composition{});
}
