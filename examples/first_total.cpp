/// The total of the numbers on standard input, with one call. `make demo` shows it first.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> x;
  for (double next; std::scanf("%lf", &next) == 1;) x.push_back(next);
  std::printf("%zu values, total %.1f\n", x.size(), upsweep::reduce(x));
}
