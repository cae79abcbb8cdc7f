/// Count, mean and variance in one pass.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/monoid.hpp>

#include <cstdint>
#include <limits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// The mean of both parts, whose shares of the weight are left and right.
[[nodiscard]] UPSWEEP_BOTH constexpr double joint_mean(ieee<double> earlier, ieee<double> later,
                                                       ieee<double> left, ieee<double> right) {
  ieee<double> const apart = later - earlier;
  // Otherwise an element is infinite, or the difference of the means overflows.
  bool const finite = is_finite_value(apart.value);
  return finite ? earlier + apart * right : earlier * left + later * right;
}

/// sum / weight of a sum of products of distances from means; NaN where the weight is not positive,
/// and where a mean is infinite or NaN, because an element is.
template <class... Mean>
[[nodiscard]] UPSWEEP_BOTH constexpr double mean_product(double sum, double weight, Mean... means) {
  bool const finite = (is_finite_value(static_cast<double>(means)) && ...);
  return weight > 0 && finite ? sum / weight : not_a_number<double>;
}

/// What `moments` returns: the count, the mean (0 when count is 0) and m2, the sum of squared
/// distances from the mean.
struct UPSWEEP_API moments_of {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0;

  /// The variance m2 / (count - correction), without a correction that of the population; NaN if
  /// that is not positive, or an element is infinite or NaN.
  [[nodiscard]] UPSWEEP_BOTH constexpr double variance(double correction = 0) const {
    return detail::mean_product(m2, static_cast<double>(count) - correction, mean);
  }
  /// The unbiased variance m2 / (count - 1) of the population that these are a sample of; NaN below
  /// two values.
  [[nodiscard]] UPSWEEP_BOTH constexpr double sample_variance() const { return variance(1); }
  /// The square root of variance().
  [[nodiscard]] double stddev() const { return __builtin_sqrt(variance()); }
  /// The square root of sample_variance().
  [[nodiscard]] double sample_stddev() const { return __builtin_sqrt(sample_variance()); }

  friend bool operator==(moments_of const&, moments_of const&) = default;
};

}  // namespace upsweep::detail

namespace upsweep {

/// Moments of numbers, merged by the formula of Chan, Golub and LeVeque (1979), which avoids the
/// cancellation of sums of squares: for n and n' elements whose means differ by d, the mean is
/// mean + d n' / (n + n'), and m2 + m2' + d^2 n n' / (n + n'). Along the tree the relative error of
/// m2 is of the order of 2^-53 log2(n) sqrt(1 + mean^2 / variance) (pairwise updating in the same
/// authors' paper of 1983, The American Statistician 37); tests/ops/values_test.cpp stays below it.
/// The identity is {0, 0, 0}; the accumulator holds doubles whatever the elements are (integers
/// beyond 2^53 are rounded first). Neither commutative nor exact: the rounding of the mean depends
/// on order and grouping. The result has the members count, mean, m2, variance(correction),
/// sample_variance(), stddev() and sample_stddev(). A NaN element makes the mean NaN; an infinite
/// one makes it what IEEE addition makes of it. Beside them m2 is not defined, and variances are
/// NaN.
struct UPSWEEP_API moments {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "count 0",
                                              .accumulator = "a count and two doubles",
                                              .ordered = true,
                                              .meaning = "count, mean and var, three results.",
                                              .example = "1 2 3 4",
                                              .result = "4 2.5 1.25"};
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = detail::moments_of;

  [[nodiscard]] UPSWEEP_BOTH constexpr detail::moments_of identity() const { return {}; }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::moments_of lift(T const& x) const {
    return {1, static_cast<double>(x), 0.0};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::moments_of operator()(
      detail::moments_of const& earlier, detail::moments_of const& later) const {
    if (earlier.count == 0) return later;
    if (later.count == 0) return earlier;
    std::uint64_t const count = earlier.count + later.count;
    using number = detail::ieee<double>;
    number const total = static_cast<double>(count);
    number const left = static_cast<double>(earlier.count) / total;
    number const right = static_cast<double>(later.count) / total;
    number const apart = later.mean - earlier.mean;
    double const mean = detail::joint_mean(earlier.mean, later.mean, left, right);
    number const between = apart * apart * (static_cast<double>(earlier.count) * right);
    return {count, mean, earlier.m2 + later.m2 + between};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
