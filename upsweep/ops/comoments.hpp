/// Means, variances and covariance of pairs in one pass: correlation and the regression line.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/monoid.hpp>

#include <cstdint>
#include <limits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// Two numbers that belong together: an element of `comoments` and `weighted_moments`.
template <class T>
struct UPSWEEP_API xy {
  T x;
  T y;
  friend bool operator==(xy const&, xy const&) = default;
};

namespace detail {

/// What `comoments` returns: the count, the means of x and y (0 when count is 0), and the sums of
/// (x - mean_x)^2, (y - mean_y)^2 and (x - mean_x) (y - mean_y).
struct comoments_of {
  std::uint64_t count = 0;
  double mean_x = 0;
  double mean_y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;

  /// The covariance xy / (count - correction), without a correction that of the population; NaN if
  /// that is not positive, or a number is infinite or NaN.
  [[nodiscard]] UPSWEEP_BOTH constexpr double covariance(double correction = 0) const {
    return detail::mean_product(xy, static_cast<double>(count) - correction, mean_x, mean_y);
  }
  /// The unbiased covariance xy / (count - 1); NaN below two pairs.
  [[nodiscard]] UPSWEEP_BOTH constexpr double sample_covariance() const { return covariance(1); }
  /// Pearson's correlation xy / (sqrt(xx) sqrt(yy)), which rounding may take beyond 1 by some ulps;
  /// NaN when all x or all y are equal.
  [[nodiscard]] double correlation() const {
    return xx > 0 && yy > 0 ? xy / (__builtin_sqrt(xx) * __builtin_sqrt(yy)) : nan();
  }
  /// The slope xy / xx of the line y = slope x + intercept with the least squared distances in y;
  /// NaN when all x are equal, or a number is infinite or NaN.
  [[nodiscard]] UPSWEEP_BOTH constexpr double slope() const {
    return detail::mean_product(xy, xx, mean_x, mean_y);
  }
  /// Its value at x = 0.
  [[nodiscard]] UPSWEEP_BOTH constexpr double intercept() const {
    return mean_y - detail::product(slope(), mean_x);
  }

  friend bool operator==(comoments_of const&, comoments_of const&) = default;

 private:
  static UPSWEEP_BOTH constexpr double nan() { return detail::not_a_number<double>; }
};

}  // namespace detail

/// Comoments of pairs xy, merged as `moments` are (Chan, Golub and LeVeque 1979; Pébay 2008): for n
/// and n' pairs whose means differ by dx and dy, each sum grows by its product of differences times
/// n n' / (n + n'). The identity is count 0; the accumulator holds doubles whatever the elements
/// are. Neither commutative nor exact. The result has count, mean_x, mean_y, xx, yy, xy,
/// covariance(correction), sample_covariance(), correlation(), slope() and intercept(). A NaN makes
/// what depends on it NaN.
struct UPSWEEP_API comoments {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::pairs,
      .identity = "count 0",
      .accumulator = "a count and five doubles",
      .ordered = true,
      .meaning = "covariance, correlation, slope and intercept of two columns x,y, four results.",
      .example = "1,1 2,3 3,2 4,4",
      .result = "1 0.7999999999999998 0.8 0.5"};
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  template <class>
  using accumulator = detail::comoments_of;

  [[nodiscard]] UPSWEEP_BOTH constexpr detail::comoments_of identity() const { return {}; }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::comoments_of lift(xy<T> const& e) const {
    return {1, static_cast<double>(e.x), static_cast<double>(e.y), 0, 0, 0};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::comoments_of operator()(
      detail::comoments_of const& earlier, detail::comoments_of const& later) const {
    if (earlier.count == 0) return later;
    if (later.count == 0) return earlier;
    std::uint64_t const count = earlier.count + later.count;
    using number = detail::ieee<double>;
    number const left = static_cast<double>(earlier.count) / static_cast<double>(count);
    number const right = static_cast<double>(later.count) / static_cast<double>(count);
    number const pairs = static_cast<double>(earlier.count) * right;
    number const dx = later.mean_x - earlier.mean_x;
    number const dy = later.mean_y - earlier.mean_y;
    return {count,
            detail::joint_mean(earlier.mean_x, later.mean_x, left, right),
            detail::joint_mean(earlier.mean_y, later.mean_y, left, right),
            earlier.xx + later.xx + dx * dx * pairs,
            earlier.yy + later.yy + dy * dy * pairs,
            earlier.xy + later.xy + dx * dy * pairs};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
