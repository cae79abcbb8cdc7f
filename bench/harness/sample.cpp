/// Order statistics by sorting: there are at most a few dozen values.
#include <bench/harness/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace upsweep::bench {
namespace {

double quantile(std::vector<double> const& ordered, double q) {
  double const at = q * static_cast<double>(ordered.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  auto const above = std::min(below + 1, ordered.size() - 1);
  return std::lerp(ordered[below], ordered[above], at - static_cast<double>(below));
}

}  // namespace

sample summary(std::vector<double> values) {
  if (values.empty())
    throw std::invalid_argument("summary: there are no values; time at least one round");
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

sample ratio(std::vector<double> const& numerator, std::vector<double> const& denominator) {
  if (numerator.size() != denominator.size())
    throw std::invalid_argument(
        "ratio: " + std::to_string(numerator.size()) + " rounds of one competitor and " +
        std::to_string(denominator.size()) + " of the other; time both in the same rounds");
  std::vector<double> ratios(numerator.size());
  for (std::size_t r = 0; r < ratios.size(); ++r) ratios[r] = numerator[r] / denominator[r];
  return summary(std::move(ratios));
}

}  // namespace upsweep::bench
