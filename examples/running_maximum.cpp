/// A running maximum, and a running minimum from the end: the largest fall of a price.
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const price{10, 12, 9, 11, 15, 7, 13};
  std::vector<double> highest(price.size()), lowest_to_come(price.size());

  upsweep::inclusive_scan(price, highest, upsweep::max{});
  upsweep::inclusive_scan(price, lowest_to_come, upsweep::min{}, {.reverse = true});

  double worst = 0;
  for (std::size_t day = 0; day < price.size(); ++day)
    worst = std::max(worst, highest[day] - lowest_to_come[day]);
  std::printf("largest fall: %g\n", worst);  // from 15 to 7
}
