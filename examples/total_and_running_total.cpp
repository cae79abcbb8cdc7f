/// The sum of an array and its running sums, the two basic calls.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> const rain{3.5f, 0.0f, 12.25f, 1.0f, 0.0f, 7.75f, 2.5f};  // mm per day

  float const week = upsweep::reduce(rain);
  std::vector<float> so_far(rain.size());
  upsweep::inclusive_scan(rain, so_far);

  std::printf("week %g mm, after three days %g mm\n", static_cast<double>(week),
              static_cast<double>(so_far[2]));
}
