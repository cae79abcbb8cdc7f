/// exp and log with the same bits on every machine: IEEE additions, multiplications and divisions
/// in a fixed order, nothing else.
///
/// The exponential and logarithm of the C library differ in the last bits between libraries,
/// versions and processors. These have errors below 1 ulp (tests/exact compares with MPFR), work
/// in constant expressions and do not set errno.
#pragma once

#include <upsweep/core/rounding.hpp>

#include <cstdint>
#include <limits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail::portable {

namespace detail {

using number = upsweep::detail::ieee<double>;

/// ln 2 = ln2_high + ln2_low, where ln2_high has 32 bits, so that its multiples by exponents are
/// exact.
inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr double log2_e = 0x1.71547652b82fep+0;  // 1 / ln 2

/// 2^n for -1022 <= n <= 1023.
[[nodiscard]] UPSWEEP_BOTH constexpr double power_of_two(int n) {
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(n + 1023) << 52);
}

/// exp(r) - 1 - r for |r| <= 0.35, by the terms r^2 / 2! ... r^13 / 13! of the series; the next is
/// below 2^-57.
[[nodiscard]] UPSWEEP_BOTH constexpr number exp_tail(number r) {
  number const z = r * r;
  number const even =
      1.0 / 2 +
      z * (1.0 / 24 +
           z * (1.0 / 720 + z * (1.0 / 40320 + z * (1.0 / 3628800 + z * (1.0 / 479001600)))));
  number const odd =
      1.0 / 6 +
      z * (1.0 / 120 +
           z * (1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800)))));
  return z * (even + r * odd);
}

/// 2 * (z/3 + z^2/5 + ... + z^10/21), which is log((1 + s) / (1 - s)) / s - 2 for z = s^2 <=
/// 0.0295; the next term is below 2^-57.
[[nodiscard]] UPSWEEP_BOTH constexpr number log_tail(number z) {
  number const w = z * z;
  number const odd = 2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19))));
  number const even = 2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21))));
  return z * (odd + z * even);
}

}  // namespace detail

/// e^x. exp(-inf) = 0, exp(inf) = inf, NaN stays NaN; overflow to infinity, gradual underflow to 0.
[[nodiscard]] UPSWEEP_BOTH constexpr double exp(double x) {
  using detail::number;
  if (!(x <= 709.8)) return x > 709.8 ? infinity<double> : x;
  if (x < -745.2) return 0;
  // x = n ln 2 + r + c, |r| <= ln 2 / 2, where c is what the subtraction rounds away
  auto const n = static_cast<int>((number(x) * detail::log2_e + (x < 0 ? -0.5 : 0.5)).value);
  number const multiple = static_cast<double>(n);
  number const high = x - multiple * detail::ln2_high;
  number const low = multiple * detail::ln2_low;
  number const r = high - low;
  number const c = (high - r) - low;
  double const y = 1.0 + (r + (detail::exp_tail(r) + (c + c * r)));
  if (n < -1021) return y * detail::power_of_two(n + 1000) * detail::power_of_two(-1000);
  if (n > 1023) return y * detail::power_of_two(n - 1) * 2;
  return y * detail::power_of_two(n);
}

/// The natural logarithm. log(+-0) = -inf, log(inf) = inf, NaN for negative numbers and NaN.
[[nodiscard]] UPSWEEP_BOTH constexpr double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity<double> : not_a_number<double>;
  if (x > largest<double>) return x;
  int n = 0;
  if (x < smallest_normal<double>) {
    x *= 0x1p54;
    n = -54;
  }
  // x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)
  constexpr auto sqrt_half = __builtin_bit_cast(std::uint64_t, 0x1.6a09e667f3bcdp-1);
  auto const bits = __builtin_bit_cast(std::uint64_t, x);
  auto const exponent = static_cast<int>(static_cast<std::int64_t>(bits - sqrt_half) >> 52);
  n += exponent;
  using detail::number;
  number const f =
      __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(exponent) << 52)) - 1;
  number const s = f / (2.0 + f);
  number const multiple = static_cast<double>(n);
  number const half_square = 0.5 * f * f;
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + tail)): f itself carries the leading bits without an error
  // (the form of fdlibm's e_log.c)
  number const correction =
      s * (half_square + detail::log_tail(s * s)) + multiple * detail::ln2_low;
  return multiple * detail::ln2_high - ((half_square - correction) - f);
}

/// In double, rounded once to float: almost always the correctly rounded value.
[[nodiscard]] UPSWEEP_BOTH constexpr float exp(float x) {
  double const y = exp(static_cast<double>(x));
  // An explicit test, because a conversion that overflows is not a constant expression.
  return y >= 0x1.ffffffp127 ? infinity<float> : static_cast<float>(y);
}
[[nodiscard]] UPSWEEP_BOTH constexpr float log(float x) {
  return static_cast<float>(log(static_cast<double>(x)));
}

}  // namespace upsweep::detail::portable
UPSWEEP_IEEE_END
