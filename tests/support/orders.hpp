/// Orders of the tests of sorts, elements that are equal by them, and quantiles by their
/// definition.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// Whether `a` comes before `b` in the total order: floating-point numbers by sign and magnitude.
template <class T>
constexpr bool comes_before(T const& a, T const& b) {
  if constexpr (detail::is_float<T>) {
    using Signed =
        std::conditional_t<sizeof(T) == 2, std::int16_t,
                           std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
    auto const rank = [](T x) {
      auto const bits = std::bit_cast<Signed>(x);
      auto const magnitude = static_cast<Signed>(bits & std::numeric_limits<Signed>::max());
      return bits < 0 ? -1 - static_cast<std::int64_t>(magnitude)
                      : static_cast<std::int64_t>(magnitude);
    };
    return rank(a) < rank(b);
  } else {
    return a < b;
  }
}
struct total_order {
  template <class T>
  constexpr bool operator()(T const& a, T const& b) const {
    return comes_before(a, b);
  }
};

/// An element whose order is that of its first word.
struct labeled {
  std::uint32_t key, label;
  friend bool operator==(labeled const&, labeled const&) = default;
};
struct order_of_keys {
  constexpr bool operator()(labeled const& a, labeled const& b) const { return a.key < b.key; }
};

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
