/// A terrain blurred at two scales by the recursive Gaussian, and their difference: ridges
/// and valleys of a certain width, as an edge detector sees them.
#include "pgm.hpp"

#include <upsweep/apps/recursive_gaussian.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  gray_image terrain = read_pgm(count, arguments);
  auto const view = [&](std::vector<float>& pixels) {
    return upsweep::strided_view<float>(pixels.data(), {terrain.rows, terrain.columns});
  };
  std::vector<float> fine(terrain.pixels.size()), coarse(fine), between(fine);
  upsweep::apps::recursive_gaussian(view(terrain.pixels), 2.0, view(fine));
  upsweep::apps::recursive_gaussian(view(terrain.pixels), 8.0, view(coarse));
  for (std::size_t i = 0; i < fine.size(); ++i) between[i] = fine[i] - coarse[i];

  auto const describe = [&](char const* what, std::vector<float> const& pixels) {
    auto const [low, high] = std::minmax_element(pixels.begin(), pixels.end());
    std::printf("%s: %.0f to %.0f m\n", what, static_cast<double>(*low),
                static_cast<double>(*high));
  };
  describe("the terrain", terrain.pixels);
  describe("blurred, sigma 2 points", fine);
  describe("blurred, sigma 8 points", coarse);
  describe("the difference", between);
  print_image(between, terrain.rows, terrain.columns);
}
