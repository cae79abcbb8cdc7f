/// The quotient of two integers, rounded once.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <cmath>

namespace upsweep::cli {

/// `a / b` as f64, correctly rounded, for magnitudes below 2^126; by 0 as IEEE 754 divides.
[[nodiscard]] inline double integer_quotient(int128 a, int128 b) {
  constexpr int128 exact = int128{1} << 53;
  bool const is_negative = (a < 0) != (b < 0);
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  if ((a <= exact && b <= exact) || b == 0 || a == 0)
    return static_cast<double>(is_negative ? -a : a) / static_cast<double>(b);
  // Digits in base 2 until there are more than f64 has; the last one says whether others follow.
  int128 digits = a / b, rest = a % b;
  int shift = 0;
  for (; digits < int128{1} << 60 && rest != 0; ++shift) {
    rest *= 2;
    digits = 2 * digits + (rest >= b ? 1 : 0);
    if (rest >= b) rest -= b;
  }
  double const size = std::ldexp(static_cast<double>(digits | (rest != 0 ? 1 : 0)), -shift);
  return is_negative ? -size : size;
}

}  // namespace upsweep::cli
