// Seven weights.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <vector>

void check_run(check::run& run) {
  if (!run.is("seven weights")) return;
  auto const x = run.numbers<int>(run.n, -50, 50);
  weights w;
  for (int& weight : w.of) weight = static_cast<int>(run.random() % 9) + 1;
  std::vector<int> wanted(run.n);
  std::ptrdiff_t const size = static_cast<std::ptrdiff_t>(run.n);
  for (std::ptrdiff_t i = 0; i < size; ++i)
    for (int k = 0; k <= 2 * radius; ++k)
      if (std::ptrdiff_t const at = i + k - radius; at >= 0 && at < size)
        wanted[i] += w.of[k] * x[at];
  check::device const in("in", x);
  check::device<int> const out("out", run.n);
  convolve<<<check::blocks_for(run.n, threads), threads>>>(in.data(), out.data(),
                                                           static_cast<int>(run.n), w);
  run.expect("out", out, wanted,
             "The elements at the edges of a tile need elements of the tiles beside it, the halo: "
             "are they loaded?");
}
