/// Count, mean and central moments up to the fourth in one pass: skewness and kurtosis.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/monoid.hpp>

#include <cstdint>
#include <limits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// What `central_moments` returns: the count, the mean (0 when count is 0), and the sums m2, m3 and
/// m4 of the second, third and fourth powers of the distances from the mean.
struct central_moments_of {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0;
  double m3 = 0;
  double m4 = 0;

  /// The population variance m2 / count; NaN when count is 0, or an element is infinite or NaN.
  [[nodiscard]] UPSWEEP_BOTH constexpr double variance() const {
    return detail::mean_product(m2, n(), mean);
  }
  /// The skewness g1 of the population, sqrt(count) m3 / m2^1.5; NaN when all values are equal.
  [[nodiscard]] double skewness() const {
    return m2 > 0 ? __builtin_sqrt(n()) * m3 / (m2 * __builtin_sqrt(m2)) : nan();
  }
  /// The excess kurtosis g2 of the population, count m4 / m2^2 - 3, which is 0 for a normal
  /// distribution; NaN when all values are equal.
  [[nodiscard]] UPSWEEP_BOTH constexpr double kurtosis() const {
    return m2 > 0 ? n() * m4 / (m2 * m2) - 3 : nan();
  }
  /// G1 = g1 sqrt(n (n - 1)) / (n - 2) of a sample, as pandas and spreadsheets have it; NaN below
  /// three values.
  [[nodiscard]] double sample_skewness() const {
    return count > 2 ? skewness() * __builtin_sqrt(n() * (n() - 1)) / (n() - 2) : nan();
  }
  /// G2 = ((n + 1) g2 + 6) (n - 1) / ((n - 2) (n - 3)) of a sample; NaN below four values.
  [[nodiscard]] UPSWEEP_BOTH constexpr double sample_kurtosis() const {
    if (count <= 3) return nan();
    double const raised = detail::product(n() + 1, kurtosis()) + 6;
    return raised * (n() - 1) / ((n() - 2) * (n() - 3));
  }

  friend bool operator==(central_moments_of const&, central_moments_of const&) = default;

 private:
  [[nodiscard]] UPSWEEP_BOTH constexpr double n() const { return static_cast<double>(count); }
  static UPSWEEP_BOTH constexpr double nan() { return detail::not_a_number<double>; }
};

}  // namespace upsweep::detail

namespace upsweep {

/// Central moments of numbers, merged by the formulas of Pébay (Sandia report SAND2008-6212, 2008,
/// equations 2.1 and 3.1), which do not cancel as sums of powers do. The identity is {0, 0, 0, 0,
/// 0}; the accumulator holds doubles whatever the elements are. Neither commutative nor exact.
/// The result has count, mean, m2, m3, m4, variance(), skewness(), kurtosis(), sample_skewness()
/// and sample_kurtosis(). A NaN or infinite element makes the mean what `moments` makes of it, and
/// all statistics NaN.
struct UPSWEEP_API central_moments {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "count 0",
      .accumulator = "a count and four doubles",
      .ordered = true,
      .meaning = "count, mean, var, skewness and kurtosis, five results.",
      .example = "1 1 1 5",
      .result = "4 2 3 1.1547005383792515 -0.6666666666666665"};
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = detail::central_moments_of;

  [[nodiscard]] UPSWEEP_BOTH constexpr detail::central_moments_of identity() const { return {}; }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::central_moments_of lift(T const& x) const {
    return {1, static_cast<double>(x), 0, 0, 0};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::central_moments_of operator()(
      detail::central_moments_of const& earlier, detail::central_moments_of const& later) const {
    if (earlier.count == 0) return later;
    if (later.count == 0) return earlier;
    std::uint64_t const count = earlier.count + later.count;
    using number = detail::ieee<double>;
    number const total = static_cast<double>(count);
    number const l = static_cast<double>(earlier.count) / total;
    number const r = static_cast<double>(later.count) / total;
    number const apart = later.mean - earlier.mean;
    number const squared = apart * apart;
    number const between = squared * (static_cast<double>(earlier.count) * r);
    return {
        count, detail::joint_mean(earlier.mean, later.mean, l, r), earlier.m2 + later.m2 + between,
        earlier.m3 + later.m3 + apart * (between * (l - r) + 3.0 * (l * later.m2 - r * earlier.m2)),
        earlier.m4 + later.m4 +
            squared * (between * (l * l - l * r + r * r) +
                       6.0 * (l * l * later.m2 + r * r * earlier.m2)) +
            4.0 * apart * (l * later.m3 - r * earlier.m3)};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
