/// Draws samples with probabilities proportional to weights: a binary search in the cumulative
/// distribution.
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

int main() {
  std::vector<float> const weights{1, 0, 2, 5};
  std::vector<float> below(weights.size());
  upsweep::cumulative_distribution(weights,
                                   below);  // never decreases, as upper_bound requires

  std::vector<int> drawn(weights.size());
  std::mt19937 random(7);
  for (int i = 0; i < 80'000; ++i) {
    float const u =
        below.back() * static_cast<float>(random() >> 8) * 0x1p-24f;  // uniform in [0, total)
    ++drawn[static_cast<std::size_t>(std::upper_bound(below.begin(), below.end(), u) -
                                     below.begin())];
  }
  for (int const times : drawn) std::printf("%.1f ", times / 10'000.0);
  std::printf("in 8\n");
}
