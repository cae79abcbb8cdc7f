/// Equality as the contract defines it: the same bits, except that any NaN equals any NaN; and the
/// format of values in a failure.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/parts.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

namespace upsweep::test {

// Integer arithmetic only, so that these stay true in a translation unit built with -ffast-math.
inline bool same_bits(float a, float b) {
  auto const x = std::bit_cast<std::uint32_t>(a), y = std::bit_cast<std::uint32_t>(b);
  return x == y || ((x & 0x7fffffffu) > 0x7f800000u && (y & 0x7fffffffu) > 0x7f800000u);
}
inline bool same_bits(double a, double b) {
  constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> 1, infinity = std::uint64_t{0x7ff} << 52;
  auto const x = std::bit_cast<std::uint64_t>(a), y = std::bit_cast<std::uint64_t>(b);
  return x == y || ((x & magnitude) > infinity && (y & magnitude) > infinity);
}
template <class T>
bool same_bits(std::complex<T> const& a, std::complex<T> const& b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}
template <class A, class B>
bool same_bits(std::pair<A, B> const& a, std::pair<A, B> const& b) {
  return same_bits(a.first, b.first) && same_bits(a.second, b.second);
}
template <class T>
bool same_bits(T const& a, T const& b) {
  if constexpr (detail::is_narrow_float<T>)
    return same_bits(static_cast<float>(a), static_cast<float>(b));  // the widening is exact
  else if constexpr (requires { a.same_bits(b); })
    return a.same_bits(b);
  else if constexpr (std::is_aggregate_v<T> && detail::parts::divisible<T const>)
    return detail::parts::same(a,
                               b);  // with == -0 would equal +0, and a NaN would not equal itself
  else
    return a == b;
}

template <class T>
std::string shown(T const& value) {
  char text[80];
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                detail::is_narrow_float<T>) {
    std::snprintf(text, sizeof text, "%a (%.9g)", static_cast<double>(value),
                  static_cast<double>(value));
    return text;
  } else if constexpr (detail::is_int128<T>) {
    auto const u = static_cast<uint128>(value);
    std::snprintf(text, sizeof text, "0x%016llx%016llx", static_cast<unsigned long long>(u >> 64),
                  static_cast<unsigned long long>(u));
    return text;
  } else {
    return testing::PrintToString(value);
  }
}

}  // namespace upsweep::test
