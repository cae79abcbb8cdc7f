/// Draws samples with probabilities proportional to weights: independent ones, and systematic ones,
/// whose numbers are as even as they can be.
#include <upsweep/apps/weighted_sampling.hpp>

#include <cstdio>
#include <random>
#include <vector>

int main() {
  std::vector<float> const weights{1, 0, 2, 5};
  upsweep::apps::weighted_sampler const sampler(weights);

  std::mt19937_64 random(7);
  std::vector<double> uniform(80'000);
  for (double& u : uniform) u = static_cast<double>(random() >> 11) * 0x1p-53;  // in [0, 1)
  std::vector<int> drawn(uniform.size()), times(weights.size());
  sampler.draw(uniform, drawn);
  for (int const i : drawn) ++times[static_cast<std::size_t>(i)];
  for (int const count : times) std::printf("%.1f ", count / 10'000.0);
  std::printf("in 8; systematic:");

  std::vector<int> even(20);
  sampler.draw_systematic(0.5, even);
  for (int const i : even) std::printf(" %d", i);
  std::printf("\n");
}
