/// The logarithm of a sum of exponentials, log(e^a + e^b + ...), without overflow: sums of
/// probabilities that are stored as logarithms.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/portable_math.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/monoid.hpp>

#include <limits>
#include <tuple>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// The value sum * e^largest, where `largest` is the largest exponent so far. A number x represents
/// e^x.
template <class T>
struct scaled_exponentials {
  T largest = -detail::infinity<T>;
  T sum = 0;

  constexpr scaled_exponentials() = default;
  /// Implicit, so that a number can be an initial value. -0 becomes +0; otherwise `largest` would
  /// show the order of two zeros.
  UPSWEEP_BOTH constexpr scaled_exponentials(T x) : largest(x + T{0}), sum(1) {}  // NOLINT
  UPSWEEP_BOTH constexpr scaled_exponentials(T exponent, T factor)
      : largest(exponent), sum(factor) {}

  [[nodiscard]] UPSWEEP_BOTH constexpr auto parts() const { return std::tie(largest, sum); }
  [[nodiscard]] UPSWEEP_BOTH constexpr auto parts() { return std::tie(largest, sum); }
  friend bool operator==(scaled_exponentials const&, scaled_exponentials const&) = default;
};

}  // namespace upsweep::detail

namespace upsweep {

/// log(e^x[0] + e^x[1] + ...), with one exponential per application. Commutative, not exactly
/// associative: the combine tree fixes the grouping, and core/portable_math.hpp the bits of exp and
/// log. float and 16-bit floats are combined in float, other types in double. The identity is -inf,
/// the logarithm of nothing. An element +inf makes the result +inf, unless there is a NaN, which
/// makes it NaN. The absolute error is a few units of 2^-53 * (log2 n + |result|) (2^-24 for
/// float).
struct UPSWEEP_API log_sum_exp {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "-inf",
      .accumulator = "largest exponent and scaled sum",
      .ordered = true,
      .meaning = "log(exp(x[0]) + exp(x[1]) + ...) without overflow.",
      .example = "1000 1000",
      .result = "1000.6931471805599"};
  static constexpr bool commutative = true;
  static constexpr bool exact = false;
  template <class T>
  using accumulator = detail::scaled_exponentials<
      std::conditional_t<std::is_same_v<T, float> || detail::is_narrow_float<T>, float, double>>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T const& x) const {
    return {static_cast<decltype(accumulator<T>::sum)>(x)};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::scaled_exponentials<T> operator()(
      detail::scaled_exponentials<T> const& earlier,
      detail::scaled_exponentials<T> const& later) const {
    if (earlier.largest > later.largest)
      return {earlier.largest, earlier.sum + scaled(later, earlier.largest)};
    if (later.largest > earlier.largest)
      return {later.largest, scaled(earlier, later.largest) + later.sum};
    // Equal, perhaps infinite; or one is NaN, and then so is their sum.
    return {earlier.largest == later.largest ? earlier.largest : earlier.largest + later.largest,
            earlier.sum + later.sum};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr T finish(detail::scaled_exponentials<T> const& a) const {
    return a.largest + detail::portable::log(a.sum);
  }

 private:
  template <class T>
  [[nodiscard]] static UPSWEEP_BOTH constexpr T scaled(detail::scaled_exponentials<T> const& a,
                                                       T largest) {
    return detail::product(a.sum, detail::portable::exp(a.largest - largest));
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
