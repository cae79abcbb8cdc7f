// Square matrices of n rows.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <vector>

void check_run(check::run& run) {
  if (!run.is("square matrices")) return;
  std::size_t const n = run.n;
  auto const x = run.numbers<int>(n * n, -9, 9), y = run.numbers<int>(n * n, -9, 9);
  std::vector<int> wanted(n * n);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t column = 0; column < n; ++column)
        wanted[row * n + column] += x[row * n + k] * y[k * n + column];
  check::device const a("a", x), b("b", y);
  check::device<int> const c("c", n * n);
  dim3 const grid(check::blocks_for(n, side), check::blocks_for(n, side));
  multiply<<<grid, dim3(side, side)>>>(a.data(), b.data(), c.data(), static_cast<int>(n));
  run.expect("c", c, wanted);
}
