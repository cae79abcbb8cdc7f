// A matrix of n columns; a square one, and one with n / 2 + 1 rows.
#include <upsweep_check.h>

#include "kernel.cu"

#include <vector>

void check_run(check::run& run) {
  int const width = static_cast<int>(run.n), height = run.is("square") ? width : width / 2 + 1;
  auto const x = run.numbers<float>(run.n * height, -1000, 1000);
  std::vector<float> wanted(x.size());
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      wanted[column * height + row] = x[row * width + column];
  check::device const in("in", x);
  check::device<float> const out("out", x.size());
  dim3 const grid(check::blocks_for(width, side), check::blocks_for(height, side));
  transpose<<<grid, dim3(side, rows)>>>(in.data(), out.data(), width, height);
  run.expect("out", out, wanted);
}
