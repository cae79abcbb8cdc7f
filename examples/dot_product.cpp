/// A function of two ranges on the way: a dot product, a distance, running weighted sums.
#include <upsweep/upsweep.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const x{1, 2, 3}, y{4, 5, 6};
  auto const product = [](double a, double b) { return a * b; };
  auto const difference = [](double a, double b) { return std::abs(a - b); };

  double const dot = upsweep::transform_reduce(x, y, product);
  double const largest = upsweep::transform_reduce(x, y, difference, upsweep::max{});
  std::vector<double> running(x.size());
  upsweep::transform_inclusive_scan(x, y, running, product);

  std::printf("dot %.1f, largest difference %.1f, running sums %.1f %.1f %.1f\n", dot, largest,
              running[0], running[1], running[2]);
}
