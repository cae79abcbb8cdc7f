/// Totals of parts of an array: of segments, of runs of equal keys, of sliding windows. Each has
/// the bits of its own reduction, regardless of its position.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::vector<float> const sales{5, 2.5f, 4, 1, 1.5f, 8};

  // Segment k is sales[offsets[k]], ..., sales[offsets[k + 1] - 1]; the second one is empty.
  std::vector<int> const offsets{0, 2, 2, 6};
  std::vector<float> totals(3), running(sales.size());
  upsweep::reduce_segments(sales, offsets, totals);           // 7.5 0 14.5
  upsweep::inclusive_scan_segments(sales, offsets, running);  // 5 7.5 4 5 6.5 14.5

  // Neighbors with equal keys belong together.
  std::vector<std::string> const shop{"A", "A", "B", "B", "B", "A"};
  std::vector<std::string> shops(shop.size());
  std::vector<float> largest(shop.size());
  std::size_t const runs =
      upsweep::reduce_runs(shop, sales, shops, largest, upsweep::max{});  // A 5, B 4, A 8

  std::vector<float> of_three_days(sales.size() - 2);
  upsweep::windowed(sales, 3, of_three_days);  // 11.5 7.5 6.5 10.5

  std::printf("%g %g %g; %g;", totals[0], totals[1], totals[2], running[5]);
  for (std::size_t k = 0; k < runs; ++k) std::printf(" %s %g", shops[k].c_str(), largest[k]);
  std::printf("; %g\n", of_three_days[3]);
}
