/// A bilevel image as runs: coded, decoded, and its black pixels counted without decoding.
#include <upsweep/apps/run_length_image.hpp>

#include <cstdio>

int main() {
  auto const image = upsweep::apps::read_pbm(
      "P1\n# an arrow that points up\n"
      "11 6\n"
      "00000100000\n"
      "00001110000\n"
      "00111111100\n"
      "00000100000\n"
      "00000100000\n"
      "11111111111\n");

  auto const runs = upsweep::apps::encode(image);
  auto const black = upsweep::apps::count_in_rows(runs, 1);
  for (std::size_t r = 0; r < runs.height; ++r) {
    for (std::size_t k = runs.rows[r]; k < runs.rows[r + 1]; ++k)
      std::printf("%u%s ", runs.lengths[k], runs.values[k] ? "B" : "w");
    std::printf("  %zu black\n", black[r]);
  }
  std::printf("%zu pixels in %zu runs, decoded %s\n", image.pixels.size(), runs.values.size(),
              upsweep::apps::decode(runs) == image ? "alike" : "differently");
}
