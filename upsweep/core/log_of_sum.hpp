/// Logarithms of sums of exponentials that are near 1: of log(1 + 4e-18), a sum in double leaves
/// nothing.
#pragma once

#include <upsweep/core/portable_math.hpp>
#include <upsweep/core/rounding.hpp>

#include <cmath>
#include <cstddef>
#include <span>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// A number as the sum of two doubles, of which the second is below an ulp of the first: about 100
/// bits (Dekker 1971).
struct two_doubles {
  double high, low;

  UPSWEEP_BOTH static two_doubles sum_of(double a, double b) {
    double const sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  UPSWEEP_BOTH static two_doubles product_of(double a, double b) {
    double const product = detail::product(a, b);
    return {product, std::fma(a, b, -product)};
  }
  UPSWEEP_BOTH friend two_doubles operator+(two_doubles const& a, two_doubles const& b) {
    two_doubles const upper = sum_of(a.high, b.high), lower = sum_of(a.low, b.low);
    two_doubles const sum = sum_of(upper.high, upper.low + lower.high);
    return sum_of(sum.high, sum.low + lower.low);
  }
  UPSWEEP_BOTH friend two_doubles operator*(two_doubles const& a, two_doubles const& b) {
    two_doubles const product = product_of(a.high, b.high);
    return sum_of(product.high,
                  product.low + (detail::product(a.high, b.low) + detail::product(a.low, b.high)));
  }
};

/// e^x - 1 if `less_one`, else e^x, for x < 1.
UPSWEEP_BOTH inline two_doubles exponential(double x, bool less_one) {
  namespace constants = detail::portable::detail;
  constexpr double ln2_rest = 0x1.cc01f97b57a08p-87;  // ln 2 beyond the two constants
  if (x < -745.2) return {less_one ? -1.0 : 0.0, 0};
  if (less_one && std::fabs(x) < 0x1p-500) return {x, 0};
  double const n = std::nearbyint(x * constants::log2_e);
  two_doubles r = two_doubles::sum_of(x, -n * constants::ln2_high);  // the product is exact
  r = r + two_doubles::product_of(-n, constants::ln2_low);
  r = r + two_doubles{-n * ln2_rest, 0};
  constexpr int halvings = 6;
  r = {std::ldexp(r.high, -halvings), std::ldexp(r.low, -halvings)};
  // e^r - 1 = r (1 + r/2 (1 + r/3 (...))), then (1 + y)^2 - 1 = y (2 + y)
  two_doubles y{1, 0};
  for (int k = 12; k > 1; --k) {
    double const high = 1.0 / k;
    two_doubles const part{high, std::fma(-high, k, 1.0) / k};
    y = two_doubles{1, 0} + r * part * y;
  }
  y = r * y;
  for (int k = 0; k < halvings; ++k) y = y * (two_doubles{2, 0} + y);
  if (n == 0) return less_one ? y : two_doubles{1, 0} + y;
  two_doubles const all = two_doubles{1, 0} + y;
  two_doubles const power{std::ldexp(all.high, static_cast<int>(n)),
                          std::ldexp(all.low, static_cast<int>(n))};
  return less_one ? power + two_doubles{-1, 0} : power;
}

/// log(1 + x) of small x.
UPSWEEP_BOTH inline double log_of_one_and(two_doubles const& x) {
  if (std::fabs(x.high) < 0x1p-500) return x.high + x.low;
  double const s = x.high / (2 + x.high);
  double const log = 2 * s + s * detail::portable::detail::log_tail(s * s).value;
  return log + x.low / (1 + x.high);
}

/// The results near 0, of type T, that need a second look (log_of_sum).
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool is_near_zero(T log) {
  constexpr T small = T{1} / 16;
  return log < small && log > -small;
}
/// Whether one exponential is near 1, given the largest element.
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool has_one_near_1(T largest) {
  return largest > -T{1} / 16;
}

/// log(e^x[0] + e^x[1] + ...), `near` in a first look, with a relative error of some 2^-53 also if
/// it is small because one exponential is near 1 and the others are small.
template <class T>
T log_of_sum(std::span<T const> x, T near) {
  if (!is_near_zero(near)) return near;
  std::size_t largest = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] > x[largest]) largest = i;
  if (!has_one_near_1(x[largest])) return near;
  two_doubles sum = exponential(static_cast<double>(x[largest]), true);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i != largest) sum = sum + exponential(static_cast<double>(x[i]), false);
  return static_cast<T>(log_of_one_and(sum));
}

}  // namespace upsweep::detail
UPSWEEP_IEEE_END
