// Any number of tiles of 128 elements.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <vector>

void check_run(check::run& run) {
  if (!run.is("whole tiles")) return;
  std::size_t const tiles = run.n;
  auto const x = run.numbers<int>(tiles * threads, 0, 999);
  std::vector<int> wanted(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    wanted[i] = x[i / threads * threads + (threads - 1 - i % threads)];
  check::device const in("in", x);
  check::device<int> const out("out", x.size());
  reverse_tiles<<<grid, threads>>>(in.data(), out.data(), static_cast<int>(tiles));
  run.expect("out", out, wanted);
}
