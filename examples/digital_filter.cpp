/// A filter of second order, y[i] = x[i] + 1.5 y[i-1] - 0.5625 y[i-2], on all cores: its answer to
/// an impulse.
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const impulse{1, 0, 0, 0, 0};
  upsweep::recurrence const filter({1.5, -0.5625});
  std::vector<double> answer(impulse.size());
  upsweep::inclusive_scan(impulse, answer, filter);

  for (double y : answer) std::printf("%g ", y);  // 1 1.5 1.6875 1.6875 1.58203
  std::printf("\n");
}
