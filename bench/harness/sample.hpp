/// Statistics of a few timings: median and quartiles, also of the ratios of two competitors that
/// ran in the same rounds.
#pragma once

#include <vector>

namespace upsweep::bench {

/// The middle value and the quartiles around it; the quartiles are the spread that every figure
/// shows.
struct sample {
  double low = 0;
  double median = 0;
  double high = 0;
};

/// Quartiles by linear interpolation between the ordered values; throws std::invalid_argument when
/// there is no value.
[[nodiscard]] sample summary(std::vector<double> values);

/// The summary of numerator[r] / denominator[r], round by round. A disturbance that hits a whole
/// round cancels out in it, which it does not in the ratio of two medians. Throws
/// std::invalid_argument unless both have the same number of rounds.
[[nodiscard]] sample ratio(std::vector<double> const& numerator,
                           std::vector<double> const& denominator);

}  // namespace upsweep::bench
