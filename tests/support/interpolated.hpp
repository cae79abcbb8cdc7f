/// Quantiles by their definition, for the tests of several interfaces.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// The value between two elements, of which the second has the weight `part`. Integers beyond 2^52
/// are interpolated exactly, here in 113 bits, and rounded once.
template <class T>
double between(T before, T after, double part) {
  __extension__ typedef __float128 wide;
  auto const lower = static_cast<double>(before), upper = static_cast<double>(after);
  if constexpr (std::is_integral_v<T>)
    if (std::max(std::abs(lower), std::abs(upper)) > 0x1p52)
      return static_cast<double>(static_cast<wide>(before) +
                                 (static_cast<wide>(after) - static_cast<wide>(before)) * part);
  double const width = upper - lower;
  return lower == upper || part == 0 ? lower
         : part < 0.5                ? lower + width * part
                                     : upper - width * (1 - part);
}

/// The quantile q of numbers in ascending order.
template <class T>
double quantile_of_sorted(std::vector<T> const& sorted, double q) {
  double const position = q * static_cast<double>(sorted.size() - 1);
  auto const rank = static_cast<std::size_t>(position);
  return between(sorted[rank], sorted[std::min(rank + 1, sorted.size() - 1)],
                 position - static_cast<double>(rank));
}

}  // namespace upsweep::test
