/// The order that min, max, argmin and argmax use, with -0 before +0, and the extreme values of
/// every number type. NaN is not ordered.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail::order {

/// The types whose extreme values are known here.
template <class T>
concept number = is_integer<T> || is_float<T>;

template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool is_nan([[maybe_unused]] T const& x) {
  if constexpr (is_float<T>)
    return is_nan_value(x);
  else
    return false;
}

/// The sign bit, which tells -0 from +0. (std::signbit is not constexpr before C++23.)
template <class T>
  requires is_float<T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool sign_bit(T x) {
  if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(std::int16_t, x) < 0;
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(std::int32_t, x) < 0;
  else if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(std::int64_t, x) < 0;
  else
    return __builtin_copysignl(1, x) < 0;
}

/// a < b, with -0 before +0; false when either is NaN. Types other than numbers use their own `<`.
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool precedes(T const& a, T const& b) {
  if constexpr (is_float<T>) {
    if (a == b) return sign_bit(a) && !sign_bit(b);
  }
  return static_cast<bool>(a < b);
}

/// The greatest value: +infinity, or the largest integer.
template <number T>
[[nodiscard]] UPSWEEP_BOTH constexpr T greatest() {
  if constexpr (is_float<T>) {
    return static_cast<T>(infinity<float>);
  } else if constexpr (std::is_signed_v<T> || std::is_same_v<T, int128>) {
    using U = typename unsigned_of<T>::type;
    return static_cast<T>(static_cast<U>(-1) >> 1);
  } else {
    return static_cast<T>(-1);
  }
}

/// The least value: -infinity, or the smallest integer.
template <number T>
[[nodiscard]] UPSWEEP_BOTH constexpr T least() {
  if constexpr (is_float<T>)
    return static_cast<T>(-infinity<float>);
  else if constexpr (std::is_signed_v<T> || std::is_same_v<T, int128>)
    return static_cast<T>(-greatest<T>() - 1);
  else
    return T{};
}

}  // namespace upsweep::detail::order
UPSWEEP_IEEE_END
