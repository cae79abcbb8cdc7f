// Every block splits its own tile by a bit.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <vector>

void check_run(check::run& run) {
  int const bit = run.is("bit 0") ? 0 : 7;
  auto const x = run.numbers<unsigned>(run.n, 0, 1023);
  std::vector<unsigned> wanted;
  for (std::size_t first = 0; first < run.n; first += threads)
    for (unsigned const side : {0u, 1u})
      for (std::size_t i = first; i < run.n && i < first + threads; ++i)
        if ((x[i] >> bit & 1u) == side) wanted.push_back(x[i]);
  check::device const in("in", x);
  check::device<unsigned> const out("out", run.n);
  split<<<check::blocks_for(run.n, threads), threads>>>(in.data(), out.data(),
                                                        static_cast<int>(run.n), bit);
  run.expect(
      "out", out, wanted,
      "The place of an element with bit 0 is the number of such elements before it. And that "
      "of an element with bit 1?");
}
