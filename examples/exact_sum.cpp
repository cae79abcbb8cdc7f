/// The correctly rounded sum of numbers for which a plain loop is wrong.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const x{1e16, 1.0, -1e16, 1.0, 0.5};
  double plain = 0;
  for (double value : x) plain += value;
  std::printf("loop %g, exact %g\n", plain, upsweep::reduce(x, upsweep::exact_sum{}));
}
