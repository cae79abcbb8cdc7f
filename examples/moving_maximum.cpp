/// Windows: the highest value of each three days, with any operator.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const temperature{19.5, 21, 20, 18, 23.5, 22, 19};
  std::vector<double> highest(temperature.size() - 2);
  upsweep::windowed(temperature, 3, highest, upsweep::max{});

  for (double t : highest) std::printf("%g ", t);  // 21 21 23.5 23.5 23.5
  std::printf("\n");
}
