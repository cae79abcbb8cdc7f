/// The elements and operators for grading. The tool shares this file with the program that it
/// compiles around a kernel.
#pragma once

#include <upsweep/ops/affine.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::grading {

/// x -> a x + b modulo 2^32: composition is exact and does not commute.
using map_element = affine_map<std::uint32_t>;

template <class T>
inline constexpr std::string_view name_of_type = "";
template <>
inline constexpr std::string_view name_of_type<std::int32_t> = "i32";
template <>
inline constexpr std::string_view name_of_type<std::int64_t> = "i64";
template <>
inline constexpr std::string_view name_of_type<double> = "f64";
template <>
inline constexpr std::string_view name_of_type<map_element> = "affine";

template <class T>
inline constexpr bool is_map = std::is_same_v<T, map_element>;

struct sum {
  template <class T>
  [[nodiscard]] T identity() const {
    return T{};
  }
  template <class T>
  [[nodiscard]] T operator()(T earlier, T later) const {
    return earlier + later;
  }
};
struct product {
  template <class T>
  [[nodiscard]] T identity() const {
    return T{1};
  }
  template <class T>
  [[nodiscard]] T operator()(T earlier, T later) const {
    if constexpr (std::is_integral_v<T>)  // modulo 2^bits
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(earlier) *
                            static_cast<std::make_unsigned_t<T>>(later));
    else
      return earlier * later;
  }
};
struct maximum {
  template <class T>
  [[nodiscard]] T identity() const {
    return std::numeric_limits<T>::lowest();
  }
  template <class T>
  [[nodiscard]] T operator()(T earlier, T later) const {
    return earlier < later ? later : earlier;
  }
};
struct minimum {
  template <class T>
  [[nodiscard]] T identity() const {
    return std::numeric_limits<T>::max();
  }
  template <class T>
  [[nodiscard]] T operator()(T earlier, T later) const {
    return later < earlier ? later : earlier;
  }
};
/// Applies the earlier map first.
struct composition {
  template <class T>
  [[nodiscard]] T identity() const {
    return {1, 0};
  }
  [[nodiscard]] map_element operator()(map_element earlier, map_element later) const {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
};

/// Calls `f` with the operator of that name over elements of type T; sum for any other name.
template <class T, class F>
decltype(auto) with_operator(std::string_view name, F&& f) {
  if constexpr (is_map<T>) {
    return f(composition{});
  } else {
    if (name == "product") return f(product{});
    if (name == "max") return f(maximum{});
    if (name == "min") return f(minimum{});
    return f(sum{});
  }
}

/// SplitMix64: number i of the sequence for `seed`.
[[nodiscard]] inline std::uint64_t random_number(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// n elements that reveal mistakes: sums are exact in any grouping; maxima are below zero and
/// minima above, so that a zero in their place shows; factors are odd, so that no product becomes
/// zero.
template <class T>
[[nodiscard]] std::vector<T> elements(std::string_view op, std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const r = random_number(seed, i) >> 8;
    if constexpr (is_map<T>)
      x[i] = {static_cast<std::uint32_t>(r % 5) * 2 + 1, static_cast<std::uint32_t>(r / 5 % 100)};
    else if (op == "max")
      x[i] = static_cast<T>(-1 - static_cast<int>(r % 199));
    else if (op == "min")
      x[i] = static_cast<T>(1 + static_cast<int>(r % 199));
    else if (op == "product")
      x[i] = static_cast<T>(std::is_integral_v<T> ? 2 * static_cast<int>(r % 7) - 5
                                                  : 1 - 2 * static_cast<int>(r % 2));
    else
      x[i] = static_cast<T>(static_cast<int>(r % 19) - 9);
  }
  return x;
}

}  // namespace upsweep::grading
