/// Sums along an axis: of each row and of each column of a matrix, through a view without copying.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> matrix{1, 2, 3,  //
                             4, 5, 6};
  std::vector<double> rows(2), columns(3);
  upsweep::strided_view<double> const m(matrix.data(), {2, 3});

  upsweep::reduce(m, upsweep::strided_view<double>(rows.data(), {2}), upsweep::plus{}, {.axis = 1});
  upsweep::reduce(m, upsweep::strided_view<double>(columns.data(), {3}), upsweep::plus{},
                  {.axis = 0});

  std::printf("rows %g %g, columns %g %g %g\n", rows[0], rows[1], columns[0], columns[1],
              columns[2]);
}
