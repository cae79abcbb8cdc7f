/// A terrain lit from the north-west: its slope in that direction, by a convolution with 3 x 3
/// numbers, in three forms with the same bits.
#include "pgm.hpp"

#include <upsweep/apps/convolution.hpp>

#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  gray_image terrain = read_pgm(count, arguments);
  std::vector<float> slope{2, 1,  0,   //
                           1, 0,  -1,  //
                           0, -1, -2};
  std::size_t const rows = terrain.rows - 2, columns = terrain.columns - 2;
  std::vector<float> direct(rows * columns), tiled = direct, product = direct;

  using upsweep::apps::outputs_kept;
  using view = upsweep::strided_view<float>;
  view const image(terrain.pixels.data(), {terrain.rows, terrain.columns}),
      filter(slope.data(), {3, 3});
  upsweep::apps::convolve(image, filter, view(direct.data(), {rows, columns}), outputs_kept::valid);
  upsweep::apps::convolve_tiled(image, filter, view(tiled.data(), {rows, columns}),
                                outputs_kept::valid);
  upsweep::apps::convolve_as_matrix_product(image, view(slope.data(), {1, 3, 3}),
                                            view(product.data(), {1, rows, columns}),
                                            outputs_kept::valid);
  for (float& x : tiled) x = -x;  // light falls on slopes that face it
  print_image(tiled, rows, columns);
  for (float& x : tiled) x = -x;
  std::printf("three forms: %s\n",
              direct == tiled && direct == product ? "the same bits" : "DIFFERENT BITS");
}
