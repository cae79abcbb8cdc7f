/// Reads a matrix of Matrix Market, a stiffness matrix of 48 unknowns, and finds its largest
/// eigenvalue by repeated products with a vector.
#include <upsweep/apps/sparse_matrix.hpp>
#include "text_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <vector>

int main(int count, char** arguments) try {
  std::istringstream file(text_of_file(count > 1 ? arguments[1] : "examples/data/bcsstk01.mtx"));
  auto const m = upsweep::apps::read_matrix_market(file);
  if (m.height != m.width) throw std::runtime_error("only a square matrix has eigenvalues");
  std::size_t longest = 0;
  for (std::size_t r = 0; r < m.height; ++r) longest = std::max(longest, m.rows[r + 1] - m.rows[r]);
  std::printf("%zu x %zu, %zu elements, at most %zu in a row\n", m.height, m.width, m.values.size(),
              longest);

  std::vector<double> x(m.width, 1), y(m.height);
  auto const product = [](double a, double b) { return a * b; };
  double largest = 0;
  for (int step = 0; step < 2000; ++step) {
    upsweep::apps::multiply(m, x, y);
    largest = std::sqrt(upsweep::transform_reduce(y, y, product));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[i] / largest;
  }
  std::printf("largest eigenvalue %.6e\n", largest);
} catch (std::exception const& e) {
  std::fprintf(stderr, "sparse_matrix: %s\n", e.what());
  return 1;
}
