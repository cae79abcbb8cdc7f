/// libFuzzer target: histograms with any borders of any numbers are refused or those of a loop.
#include <upsweep/generic/reference.hpp>
#include <upsweep/histogram.hpp>
#include "verbs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace upsweep;
  fuzz::bytes from(data, size);
  auto const head = fuzz::take<std::uint8_t>(from, 2);
  if (head.size() < 2) return 0;
  std::size_t const bins = 1 + head[0] % 40;
  bool const closed_right = head[1] % 2 == 1;
  auto const borders = fuzz::take<double>(from, bins + 1);
  if (borders.size() <= bins) return 0;
  auto const x = fuzz::take<float>(from, size);
  bool ascends = true;
  for (std::size_t b = 0; b < bins; ++b) ascends = ascends && borders[b] < borders[b + 1];
  fuzz::on_processors([&](auto const& on) {
    std::vector<std::uint32_t> counts(bins), expected(bins);
    outside_counts outside, expected_outside;
    bool const refused = fuzz::refuses([&] {
      outside = upsweep::histogram(on, x, counts, borders, {.closed_right = closed_right});
    });
    fuzz::expect(refused != ascends, "borders that ascend are taken, and no others");
    if (refused) return;
    for (float const value : x) {
      long const b = reference::bin_of(value, borders, closed_right);
      if (b >= 0)
        ++expected[static_cast<std::size_t>(b)];
      else
        ++(b == -1   ? expected_outside.below
           : b == -2 ? expected_outside.above
                     : expected_outside.nan);
    }
    fuzz::expect(counts == expected && outside == expected_outside, "the counts are others");
  });
  return 0;
}
