/// The element types by name, as files, the C interface, the tool and the benchmark call them.
#pragma once

#include <upsweep/names/compiled.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace upsweep::dynamic {

/// `f16` is IEEE binary16, `bf16` the upper half of a binary32; a boolean is one byte, 0 or 1.
enum class dtype : std::uint8_t {
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  boolean
};

inline constexpr dtype all_dtypes[] = {
    dtype::i8,  dtype::i16, dtype::i32,  dtype::i64, dtype::u8,  dtype::u16,    dtype::u32,
    dtype::u64, dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::boolean};

[[nodiscard]] constexpr bool is_signed_integer(dtype t) noexcept {
  return t <= dtype::i64;
}
[[nodiscard]] constexpr bool is_integer(dtype t) noexcept {
  return t <= dtype::u64;
}
[[nodiscard]] constexpr bool is_float(dtype t) noexcept {
  return t >= dtype::f16 && t <= dtype::f64;
}
[[nodiscard]] constexpr bool is_signed(dtype t) noexcept {
  return is_signed_integer(t) || is_float(t);
}

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(dtype t) noexcept {
  constexpr std::size_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1};
  return sizes[static_cast<int>(t)];
}
/// "i32", "bf16", "bool".
[[nodiscard]] constexpr std::string_view name_of(dtype t) noexcept {
  constexpr std::string_view names[] = {"i8",  "i16", "i32",  "i64", "u8",  "u16", "u32",
                                        "u64", "f16", "bf16", "f32", "f64", "bool"};
  return names[static_cast<int>(t)];
}
/// The type for which name_of() returns `name`.
[[nodiscard]] constexpr std::optional<dtype> find_dtype(std::string_view name) noexcept {
  for (dtype const t : all_dtypes)
    if (name_of(t) == name) return t;
  return {};
}

/// The dtype of a C++ type; integers by size and sign, whatever the platform calls them.
template <class T>
inline constexpr dtype dtype_of = [] {
  static_assert(std::is_integral_v<T> || is_in<T, floats>, "upsweep: not a type of elements");
  if constexpr (std::is_same_v<T, bool>) {
    return dtype::boolean;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr int first = static_cast<int>(std::is_signed_v<T> ? dtype::i8 : dtype::u8);
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<dtype>(first + log2_size);
  } else {
    return std::is_same_v<T, float>      ? dtype::f32
           : std::is_same_v<T, double>   ? dtype::f64
           : std::is_same_v<T, bfloat16> ? dtype::bf16
                                         : dtype::f16;
  }
}();

/// The type of the numbers that an element consists of.
template <class T>
struct numbers_in {
  using type = T;
};
template <class T>
  requires requires(T const& x) { x.a; }
struct numbers_in<T> {
  using type = std::remove_cvref_t<decltype(T::a)>;
};
template <class T>
  requires requires(T const& x) { x.y; }
struct numbers_in<T> {
  using type = std::remove_cvref_t<decltype(T::y)>;
};
template <class T>
using number_of = typename numbers_in<T>::type;

/// Calls f.operator()<T>() with the type of the list that `t` names, and returns what that returns;
/// `otherwise()` if the list has none (f16 with a compiler that has no such type, for example).
template <class F, class Otherwise, class First, class... Rest>
constexpr decltype(auto) dispatch(types<First, Rest...>, dtype t, F&& f, Otherwise&& otherwise) {
  if (t == dtype_of<First>) return f.template operator()<First>();
  if constexpr (sizeof...(Rest) > 0)
    return dispatch(types<Rest...>{}, t, f, otherwise);
  else
    return otherwise();
}

}  // namespace upsweep::dynamic
