/// A summed-area table of a terrain: the mean altitude of any box by four lookups; here, of all
/// boxes of 16 x 16, to find the highest ground.
#include "pgm.hpp"

#include <upsweep/apps/summed_area.hpp>

#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  gray_image terrain = read_pgm(count, arguments);
  std::vector<double> sums(terrain.pixels.size());
  upsweep::strided_view<double> const table(sums.data(), {terrain.rows, terrain.columns});
  upsweep::apps::summed_area_table(
      upsweep::strided_view<float>(terrain.pixels.data(), {terrain.rows, terrain.columns}), table);

  double highest = 0;
  std::size_t row = 0, column = 0;
  for (std::size_t r = 0; r + 16 <= terrain.rows; ++r)
    for (std::size_t c = 0; c + 16 <= terrain.columns; ++c) {
      double const mean = upsweep::apps::box_sum(table, {r, c}, {r + 16, c + 16}) / 256;
      if (mean > highest) highest = mean, row = r, column = c;
    }
  double const all = upsweep::apps::box_sum(table, {0, 0}, {terrain.rows, terrain.columns});
  std::printf("mean altitude %.1f m; highest 16 x 16 points: %.1f m, from row %zu, column %zu\n",
              all / static_cast<double>(sums.size()), highest, row, column);
}
