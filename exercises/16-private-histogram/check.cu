// Counts of 64 bins; in one case most elements are equal.
#include <upsweep_check.h>

#include "kernel.cu"

#include <vector>

void check_run(check::run& run) {
  auto x = run.numbers<unsigned char>(run.n, 0, bins - 1);
  if (run.is("mostly one value"))
    for (auto& value : x)
      if (run.random() % 8 != 0) value = 5;
  std::vector<int> wanted(bins);
  for (auto const value : x) ++wanted[value];
  check::device const in("in", x);
  check::device const counts("counts", std::vector<int>(bins));
  histogram<<<grid, threads>>>(in.data(), counts.data(), static_cast<int>(run.n));
  run.expect("counts", counts, wanted);
}
