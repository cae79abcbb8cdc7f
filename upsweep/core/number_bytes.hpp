/// Numbers as bytes, the same on every machine: little endian, and every NaN is written as one, so
/// that the bytes are a function of the value and not of the CPU that computed it.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace upsweep::detail::bytes {

/// How many bytes a number has: of the long double of x86 ten, as the others are padding.
template <class T>
inline constexpr std::size_t size_of =
    std::is_same_v<T, long double> && std::numeric_limits<long double>::digits == 64 ? 10
                                                                                     : sizeof(T);

/// The bits of `x`; of a NaN those of the quiet one without sign and payload, unless it marks an
/// infinite factor of a product. Integer arithmetic, as -ffast-math knows of no NaN.
template <class T>
[[nodiscard]] constexpr bits_of_size<sizeof(T)> bits_without_payload(T x) {
  using bits = bits_of_size<sizeof(T)>;
  // numeric_limits of g++ 12 has no float16.
  constexpr int digits = std::is_same_v<T, bfloat16> ? 8
                         : sizeof(T) == 2            ? 11
                                                     : std::numeric_limits<T>::digits;
  constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
  constexpr auto infinity = static_cast<bits>(sign - (bits{1} << (digits - 1)));
  constexpr auto quiet = static_cast<bits>(infinity | bits{1} << (digits - 2));
  auto const b = std::bit_cast<bits>(x);
  auto const magnitude = static_cast<bits>(b & ~sign);
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8)
    if (magnitude == mark_of_infinity<T>) return b;
  return magnitude > infinity ? quiet : b;
}
/// The same of a long double of 10 or 16 bytes, in them.
template <std::size_t n>
constexpr void remove_payload(std::array<std::byte, n>& b) {
  constexpr std::size_t fraction = n == 10 ? 8 : 14;  // in bytes; of ten, with the bit before it
  auto rest = static_cast<unsigned>(b[fraction - 1]) & (n == 10 ? 0x7fu : 0xffu);
  for (std::size_t i = 0; i + 1 < fraction; ++i) rest |= static_cast<unsigned>(b[i]);
  auto const exponent = static_cast<unsigned>(b[n - 2]) | (static_cast<unsigned>(b[n - 1]) & 0x7fu)
                                                              << 8;
  if (exponent != 0x7fff || rest == 0) return;
  b = {};
  b[fraction - 1] = std::byte{n == 10 ? 0xc0 : 0x80};
  b[n - 2] = std::byte{0xff};
  b[n - 1] = std::byte{0x7f};
}

/// The bytes of a number, the lowest first.
template <class T>
[[nodiscard]] std::array<std::byte, size_of<T>> little_endian(T x) {
  std::array<std::byte, size_of<T>> b{};
  if constexpr (is_integer<T>) {
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<std::byte>(static_cast<std::uint8_t>(x >> (8 * i)));
  } else if constexpr (sizeof(T) <= 8) {
    return little_endian(bits_without_payload(x));
  } else {
    std::array<std::byte, sizeof(T)> memory{};
    std::memcpy(memory.data(), &x, sizeof(T));  // has padding, so it is no constant expression
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = memory[std::endian::native == std::endian::little ? i : b.size() - 1 - i];
    remove_payload(b);
  }
  return b;
}
template <class T>
[[nodiscard]] T from_little_endian(std::array<std::byte, size_of<T>> const& b) {
  if constexpr (std::is_same_v<T, bool>) {
    return b[0] != std::byte{0};
  } else if constexpr (is_integer<T>) {
    using bits = typename unsigned_of<T>::type;
    bits x = 0;
    for (std::size_t i = 0; i < b.size(); ++i)
      x = static_cast<bits>(x | static_cast<bits>(static_cast<bits>(b[i]) << (8 * i)));
    return static_cast<T>(x);
  } else {
    std::array<std::byte, sizeof(T)> memory{};
    for (std::size_t i = 0; i < b.size(); ++i)
      memory[std::endian::native == std::endian::little ? i : b.size() - 1 - i] = b[i];
    T x{};
    std::memcpy(&x, memory.data(), sizeof(T));
    return x;
  }
}

}  // namespace upsweep::detail::bytes
