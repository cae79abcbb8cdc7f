// The kept elements arrive, in any order.
#include <upsweep_check.h>

#include "kernel.cu"

#include <algorithm>
#include <vector>

void check_run(check::run& run) {
  if (!run.is("multiples of three")) return;
  auto const x = run.numbers<int>(run.n, -500, 500);
  std::vector<int> kept;
  for (int const value : x)
    if (value % 3 == 0) kept.push_back(value);
  check::device const in("in", x);
  check::device<int> const out("out", kept.size());
  check::device const count("count", std::vector<int>{0});
  compact<<<check::blocks_for(run.n, threads), threads>>>(in.data(), out.data(),
                                                          static_cast<int>(run.n), count.data());
  run.expect("count", count, {static_cast<int>(kept.size())});
  auto got = out.values();
  std::sort(got.begin(), got.end());
  std::sort(kept.begin(), kept.end());
  run.expect("the sorted out", got, kept);
}
