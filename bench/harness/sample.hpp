/// Statistics of a few timings: median and quartiles, also of the ratios of two competitors that
/// ran in the same rounds.
#pragma once

#include <vector>

namespace upsweep::bench {

/// The median and the quartiles. Every figure shows the quartiles as its error range.
struct sample {
  double low = 0;
  double median = 0;
  double high = 0;
};

/// Quartiles by linear interpolation between the ordered values. Throws std::invalid_argument if
/// there are no values.
[[nodiscard]] sample summary(std::vector<double> values);

/// The summary of the ratios numerator[r] / denominator[r]. A disturbance of a whole round cancels
/// out in them, but not in the ratio of two medians. Throws std::invalid_argument unless both have
/// the same number of rounds.
[[nodiscard]] sample ratio(std::vector<double> const& numerator,
                           std::vector<double> const& denominator);

}  // namespace upsweep::bench
