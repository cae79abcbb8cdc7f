/// How many days had which amount of rain, the median, and the wettest three.
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> const rain{0, 2.5f, 13, 0, 0.25f, 7, 4.25f, 31, 0, 9.5f};
  std::vector<int> days(3);
  auto const outside = upsweep::histogram(rain, days, upsweep::even{0, 30});
  std::vector<float> wettest(3);
  upsweep::top(rain, wettest);

  std::printf("%d %d %d days, %zu above 30 mm; median %g; wettest %g %g %g\n", days[0], days[1],
              days[2], outside.above, upsweep::quantile(rain, 0.5), wettest[0], wettest[1],
              wettest[2]);
}
