/// What a tower on a hill sees along a row of a terrain, and how far the view from the western edge
/// reaches in every row.
#include "pgm.hpp"

#include <upsweep/apps/line_of_sight.hpp>

#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  gray_image terrain = read_pgm(count, arguments);
  double const spacing = 74.4;  // meters: 3 arc seconds of longitude at 36.6 degrees north
  std::size_t const columns = terrain.columns, row = 24;
  std::vector<float> const ray(&terrain.pixels[row * columns],
                               &terrain.pixels[(row + 1) * columns]);
  std::vector<char> seen(columns);
  upsweep::apps::line_of_sight(
      ray, {.altitude = static_cast<double>(ray[0]) + 20, .spacing = spacing}, seen);

  // The profile in steps of 50 m, every second point; what is seen is #, the rest is .
  for (int level = 950; level >= 450; level -= 50) {
    std::printf("%4d m  ", level);
    for (std::size_t i = 0; i < columns; i += 2)
      std::putchar(ray[i] < static_cast<float>(level) ? ' ' : seen[i] ? '#' : '.');
    std::printf("\n");
  }
  std::size_t points = 0;
  for (char const s : seen) points += s != 0;
  std::printf("seen from the west: %zu of %zu points\n", points, columns);

  std::vector<char> all(terrain.pixels.size());
  upsweep::apps::lines_of_sight(
      upsweep::strided_view<float>(terrain.pixels.data(), {terrain.rows, columns}),
      {.altitude = 1000, .spacing = spacing},
      upsweep::strided_view<char>(all.data(), {terrain.rows, columns}));
  std::size_t total = 0;
  for (char const s : all) total += s != 0;
  std::printf("from 1000 m above the sea, in all rows: %zu of %zu points\n", total, all.size());
}
