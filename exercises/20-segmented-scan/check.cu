// Segments of any length within tiles.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <vector>

void check_run(check::run& run) {
  unsigned const mean = run.is("short segments") ? 3 : 40;
  auto const x = run.numbers<int>(run.n, -9, 9);
  std::vector<int> starts(run.n), wanted(run.n);
  for (int& flag : starts) flag = run.random() % mean == 0 ? 1 : 0;
  for (std::size_t i = 0; i < run.n; ++i)
    wanted[i] = x[i] + (i % threads == 0 || starts[i] != 0 ? 0 : wanted[i - 1]);
  check::device const in("in", x), heads("heads", starts);
  check::device<int> const out("out", run.n);
  segmented_scan<<<check::blocks_for(run.n, threads), threads>>>(
      in.data(), heads.data(), out.data(), static_cast<int>(run.n));
  run.expect("out", out, wanted,
             "Which elements does sums[t - stride] cover? Is there a head among those that "
             "sums[t] covers by then?");
}
