/// Dispatch from the type of a column to its C++ type, or to that in which operators compute; and
/// numbers as operators need them.
#pragma once

#include <io/dtype.hpp>
#include <io/error.hpp>
#include <upsweep/core/number_types.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::cli {

/// Calls `f.template operator()<T>()` with the C++ type of `type` (bool for booleans). Throws
/// usage_error for f16 if the compiler has no such type.
template <class F>
decltype(auto) dispatch(io::dtype type, F&& f) {
  return dynamic::dispatch(
      dynamic::numbers_and_bool{}, type, f, []() -> decltype(f.template operator()<double>()) {
        throw io::usage_error(
            "This build does not support f16, because its compiler does not; use --dtype f32.");
      });
}

/// Calls `f.template operator()<T>()` with the C++ type of a compute type.
template <class F>
decltype(auto) with_compute_type(io::dtype type, F&& f) {
  switch (type) {
    case io::dtype::i64:
      return f.template operator()<std::int64_t>();
    case io::dtype::u64:
      return f.template operator()<std::uint64_t>();
    case io::dtype::f32:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

/// Calls `f.template operator()<Bits>()` with the unsigned integer of so many bytes.
template <class F>
decltype(auto) with_bits(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<std::uint8_t>();
    case 2:
      return f.template operator()<std::uint16_t>();
    case 4:
      return f.template operator()<std::uint32_t>();
    default:
      return f.template operator()<std::uint64_t>();
  }
}

/// -0 and 0 are one number, and all NaNs are.
template <class T>
T one_of_equals(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x + T(0);
  return x;
}

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
