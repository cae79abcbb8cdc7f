/// Weighted mean and variance in one pass.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/monoid.hpp>

#include <limits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// What `weighted_moments` returns: the sum of the weights, the weighted mean (0 when the weight is
/// 0), and m2, the weighted sum of squared distances from the mean.
struct weighted_moments_of {
  double weight = 0;
  double mean = 0;
  double m2 = 0;

  /// The variance m2 / weight; NaN when the weight is 0, or a value or weight is infinite or NaN.
  [[nodiscard]] UPSWEEP_BOTH constexpr double variance() const {
    return detail::mean_product(m2, weight, mean, weight);
  }
  /// The square root of variance().
  [[nodiscard]] double stddev() const { return __builtin_sqrt(variance()); }
  /// m2 / (weight - 1), which is unbiased if weights say how often a value was seen; NaN up to
  /// weight 1.
  [[nodiscard]] UPSWEEP_BOTH constexpr double sample_variance() const {
    return detail::mean_product(m2, weight - 1, mean, weight);
  }

  friend bool operator==(weighted_moments_of const&, weighted_moments_of const&) = default;
};

}  // namespace upsweep::detail

namespace upsweep {

/// Moments of the values x of pairs xy whose weights y are at least 0, merged as `moments` are with
/// weights in place of counts (West 1979; Chan, Golub and LeVeque 1979). A pair of weight 0 changes
/// nothing, whatever its value. The identity is weight 0; the accumulator holds doubles whatever
/// the elements are. Neither commutative nor exact. The result has weight, mean, m2, variance(),
/// stddev() and sample_variance(). That of negative weights is not defined.
struct UPSWEEP_API weighted_moments {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::pairs,
      .identity = "weight 0",
      .accumulator = "three doubles",
      .ordered = true,
      .meaning = "weighted-mean and weighted-var of a column x by a column y, two results.",
      .example = "1,1 2,2 5,1",
      .result = "2.5 2.25"};
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = detail::weighted_moments_of;

  [[nodiscard]] UPSWEEP_BOTH constexpr detail::weighted_moments_of identity() const { return {}; }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::weighted_moments_of lift(xy<T> const& e) const {
    auto const weight = static_cast<double>(e.y);
    return weight == 0 ? identity()
                       : detail::weighted_moments_of{weight, static_cast<double>(e.x), 0};
  }
  [[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr detail::weighted_moments_of operator()(
      detail::weighted_moments_of const& earlier, detail::weighted_moments_of const& later) const {
    if (earlier.weight == 0) return later;
    if (later.weight == 0) return earlier;
    using number = detail::ieee<double>;
    double const weight = earlier.weight + later.weight;
    number const right = later.weight / weight;
    number const apart = later.mean - earlier.mean;
    return {weight, detail::joint_mean(earlier.mean, later.mean, earlier.weight / weight, right),
            earlier.m2 + later.m2 + apart * apart * (earlier.weight * right)};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
