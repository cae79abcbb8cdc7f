/// What PTX instructions become: moves, conversions, arithmetic, comparisons, functions.
#pragma once

#include "numbers.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace upsweep::emulated::ptx {

/// The same bits in another type.
template <class T, class V>
UPSWEEP_EMULATED_WORD T move(V value) {
  if constexpr (sizeof(T) == sizeof(V) &&
                std::is_floating_point_v<T> != std::is_floating_point_v<V>)
    return __builtin_bit_cast(T, value);
  else
    return (T)value;
}
template <class T, class V, class... Rest>
UPSWEEP_EMULATED_WORD T pack(V low, Rest... rest) {
  constexpr int bits = 8 * static_cast<int>(sizeof(T) / (1 + sizeof...(rest)));
  unsigned long long all = 0;
  int at = 0;
  auto const put = [&](auto part) {
    unsigned long long part_bits = 0;
    __builtin_memcpy(&part_bits, &part, sizeof part);
    all |= (part_bits & ~0ULL >> (64 - bits)) << at;
    at += bits;
  };
  put(low);
  (put(rest), ...);
  T result;
  __builtin_memcpy(&result, &all, sizeof result);
  return result;
}
template <class V, class... Results>
UPSWEEP_EMULATED_WORD void unpack(V value, Results&... results) {
  constexpr int bits = 8 * static_cast<int>(sizeof(V) / sizeof...(results));
  unsigned long long all = 0;
  __builtin_memcpy(&all, &value, sizeof value);
  auto const take = [&](auto& part) {
    __builtin_memcpy(&part, &all, sizeof part);
    all = bits == 64 ? 0 : all >> (bits & 63);
  };
  (take(results), ...);
}
/// From U to T; to an integer as C++ does.
template <class T, class U, class V>
UPSWEEP_EMULATED_WORD T convert(V value) {
  return static_cast<T>(static_cast<U>(value));
}

/// Integers wrap.
template <class T>
using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;
template <class T>
UPSWEEP_EMULATED_WORD T add(T a, T b) {
  return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}
template <class T>
UPSWEEP_EMULATED_WORD T sub(T a, T b) {
  return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
}
template <class T>
UPSWEEP_EMULATED_WORD T mul(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
}
template <class T>
UPSWEEP_EMULATED_WORD T mul_hi(T a, T b) {
  using wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>(static_cast<wide>(a) * b >> bits_of<T>);
}
template <class T>
using twice =
    std::conditional_t<sizeof(T) == 2,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
UPSWEEP_EMULATED_WORD twice<T> mul_wide(T a, T b) {
  return static_cast<twice<T>>(static_cast<twice<T>>(a) * static_cast<twice<T>>(b));
}
template <class T>
UPSWEEP_EMULATED_WORD T mad(T a, T b, T c) {
  return add<T>(mul<T>(a, b), c);
}
template <class T>
UPSWEEP_EMULATED_WORD T mad_hi(T a, T b, T c) {
  return add<T>(mul_hi<T>(a, b), c);
}
template <class T>
UPSWEEP_EMULATED_WORD twice<T> mad_wide(T a, T b, twice<T> c) {
  return add<twice<T>>(mul_wide<T>(a, b), c);
}
template <class T>
UPSWEEP_EMULATED_WORD T fma(T a, T b, T c) {
  if constexpr (std::is_same_v<T, float>)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
}
/// An integer divided by 0 has all bits set.
template <class T>
UPSWEEP_EMULATED_WORD T div(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(a / b);
  else
    return a / b;
}
template <class T>
UPSWEEP_EMULATED_WORD T rem(T a, T b) {
  return b == 0 ? a : static_cast<T>(a % b);
}
template <class T>
UPSWEEP_EMULATED_WORD T min(T a, T b) {
  return ::min(a, b);
}
template <class T>
UPSWEEP_EMULATED_WORD T max(T a, T b) {
  return ::max(a, b);
}
template <class T>
UPSWEEP_EMULATED_WORD T neg(T a) {
  return static_cast<T>(-static_cast<wrapping<T>>(a));
}
template <class T>
UPSWEEP_EMULATED_WORD T abs(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else
    return a < 0 ? neg<T>(a) : a;
}
template <class T>
UPSWEEP_EMULATED_WORD T selp(T a, T b, bool choose_a) {
  return choose_a ? a : b;
}
template <class T>
UPSWEEP_EMULATED_WORD bool equal(T a, T b) {
  return a == b;
}
template <class T>
UPSWEEP_EMULATED_WORD bool less(T a, T b) {
  return a < b;
}
template <class T>
UPSWEEP_EMULATED_WORD bool less_equal(T a, T b) {
  return a <= b;
}

// A GPU approximates these; here they are those of the C library.
#define UPSWEEP_EMULATED_PTX_FUNCTION(name, value) \
  template <class T>                               \
  UPSWEEP_EMULATED_WORD T name(T x) {              \
    return static_cast<T>(value);                  \
  }
UPSWEEP_EMULATED_PTX_FUNCTION(ex2, std::exp2(x))
UPSWEEP_EMULATED_PTX_FUNCTION(lg2, std::log2(x))
UPSWEEP_EMULATED_PTX_FUNCTION(rcp, 1 / x)
UPSWEEP_EMULATED_PTX_FUNCTION(rsqrt, 1 / std::sqrt(static_cast<double>(x)))
UPSWEEP_EMULATED_PTX_FUNCTION(sqrt, std::sqrt(x))
UPSWEEP_EMULATED_PTX_FUNCTION(sin, std::sin(x))
UPSWEEP_EMULATED_PTX_FUNCTION(cos, std::cos(x))
UPSWEEP_EMULATED_PTX_FUNCTION(tanh, std::tanh(x))
#undef UPSWEEP_EMULATED_PTX_FUNCTION

}  // namespace upsweep::emulated::ptx
