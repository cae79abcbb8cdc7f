/// Geometric mean, harmonic mean and root mean square: means of a function of the values.
#pragma once

#include <upsweep/core/portable_math.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cmath>
#include <cstdint>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// The accumulator of these means: a sum of functions of the elements, and their number.
struct mean_sum {
  double sum = 0;
  std::uint64_t count = 0;
  friend bool operator==(mean_sum const&, mean_sum const&) = default;
};

/// The mean M of n elements x with F(M) = (F(x[0]) + ... + F(x[n-1])) / n, where `Function` has F
/// as `to` and its inverse as `from`. NaN for no elements. Elements convert to double. The sum is
/// rounded as by plus, so the operator is neither commutative nor exact.
template <class Function>
struct mean_of_function {
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  static constexpr bool ignores_flags = true;
  template <class>
  using accumulator = mean_sum;

  [[nodiscard]] UPSWEEP_BOTH constexpr mean_sum identity() const { return {}; }
  template <class T>
  [[nodiscard]] mean_sum lift(T const& x) const {
    return {Function::to(static_cast<double>(x)), 1};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr mean_sum operator()(mean_sum const& earlier,
                                                           mean_sum const& later) const {
    if (earlier.count == 0) return later;
    if (later.count == 0) return earlier;
    return {plus{}(earlier.sum, later.sum), earlier.count + later.count};
  }
  [[nodiscard]] double finish(mean_sum const& s) const {
    return Function::from(s.sum / static_cast<double>(s.count));
  }
};

namespace detail {

struct logarithm {
  static constexpr char const* mean_name = "geometric-mean";
  static double to(double x) { return portable::log(x); }
  static double from(double y) { return portable::exp(y); }
};
struct reciprocal {
  static constexpr char const* mean_name = "harmonic-mean";
  static double to(double x) { return 1 / x; }
  static double from(double y) { return 1 / y; }
};
struct square {
  static constexpr char const* mean_name = "rms";
  static double to(double x) { return product(x, x); }
  static double from(double y) { return std::sqrt(y); }
};

}  // namespace detail

/// Geometric mean: the n-th root of the product of n elements, computed by logarithms. 0 if an
/// element is 0, NaN if one is negative.
using geometric_mean = mean_of_function<detail::logarithm>;
/// Harmonic mean: n divided by the sum of 1 / x, the mean of speeds over equal distances.
using harmonic_mean = mean_of_function<detail::reciprocal>;
/// Root mean square.
using rms = mean_of_function<detail::square>;

}  // namespace upsweep
UPSWEEP_IEEE_END
