/// Drawdown: the distance of values below their running maximum.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/min_max.hpp>

#include <cstdint>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// The accumulator and result of `drawdown`.
struct drawdown_of {
  std::uint64_t count = 0;
  double highest = 0, lowest = 0, latest = 0;
  double deepest = 0;  ///< the largest fall from a value to a later one; 0 if there is none

  /// The distance of the latest value from the highest.
  [[nodiscard]] UPSWEEP_BOTH constexpr double fall() const { return below(highest, latest); }
  /// The same as a fraction of the highest value, which must be positive.
  [[nodiscard]] UPSWEEP_BOTH constexpr double relative_fall() const {
    double const apart = fall();
    using detail::is_finite_value;
    if (is_finite_value(apart) || !is_finite_value(highest) || !is_finite_value(latest))
      return apart / highest;
    return (highest / 2 - latest / 2) / (highest / 2);  // the fall is out of range
  }

  /// The distance of a later value below an earlier one; 0 for equal infinities.
  [[nodiscard]] static UPSWEEP_BOTH constexpr double below(double earlier, double later) {
    return earlier == later ? 0 : earlier - later;
  }
  friend bool operator==(drawdown_of const&, drawdown_of const&) = default;
};

/// Drawdown: an inclusive scan gives the distance of each value below the running maximum, and the
/// deepest fall so far. Elements convert to double. The identity is no element; NaN propagates as
/// in max and min. Exact, because rounding keeps the order of differences; not commutative.
///
///   auto const worst = upsweep::reduce(prices, upsweep::drawdown{}).deepest;
struct drawdown {
  static constexpr char const* name = "drawdown";  ///< in the bytes of a partial
  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  template <class>
  using accumulator = drawdown_of;

  [[nodiscard]] UPSWEEP_BOTH constexpr drawdown_of identity() const { return {}; }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr drawdown_of lift(T const& x) const {
    auto const value = static_cast<double>(x);
    return {1, value, value, value, 0};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr drawdown_of operator()(drawdown_of const& earlier,
                                                              drawdown_of const& later) const {
    if (earlier.count == 0) return later;
    if (later.count == 0) return earlier;
    constexpr max largest{};
    double const across = drawdown_of::below(earlier.highest, later.lowest);
    return {earlier.count + later.count, largest(earlier.highest, later.highest),
            min{}(earlier.lowest, later.lowest), later.latest,
            largest(largest(earlier.deepest, later.deepest), across)};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
