/// A terrain before and after a Gaussian blur by three box filters: the ridges without their
/// gullies.
#include "pgm.hpp"

#include <upsweep/apps/box_filter.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  gray_image terrain = read_pgm(count, arguments);
  std::vector<float> smooth(terrain.pixels.size());
  upsweep::strided_view<float> const in(terrain.pixels.data(), {terrain.rows, terrain.columns}),
      out(smooth.data(), {terrain.rows, terrain.columns});
  upsweep::apps::gaussian_blur(in, 3.0, out);

  auto const describe = [&](char const* what, std::vector<float> const& pixels) {
    auto const [low, high] = std::minmax_element(pixels.begin(), pixels.end());
    std::printf("%s: %.0f to %.0f m\n", what, static_cast<double>(*low),
                static_cast<double>(*high));
    print_image(pixels, terrain.rows, terrain.columns);
  };
  describe("the terrain", terrain.pixels);
  describe("blurred, sigma 3 points", smooth);
}
