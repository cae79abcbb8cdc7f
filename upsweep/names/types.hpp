/// Lists of types, and the number types by kind, from which every table of types is made.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::dynamic {

template <class... T>
struct types {
  static constexpr std::size_t size = sizeof...(T);
};

template <class T, class List>
inline constexpr bool is_in = false;
template <class T, class... Ts>
inline constexpr bool is_in<T, types<Ts...>> = (std::is_same_v<T, Ts> || ...);

template <class... Lists>
struct joined_lists {
  using type = types<>;
};
template <class... T>
struct joined_lists<types<T...>> {
  using type = types<T...>;
};
template <class... T, class... U, class... Rest>
struct joined_lists<types<T...>, types<U...>, Rest...> : joined_lists<types<T..., U...>, Rest...> {
};
template <class... Lists>
using join = typename joined_lists<Lists...>::type;

/// Calls f.operator()<T>() for each type of the list.
template <class... T, class F>
constexpr void for_each_type(types<T...>, F&& f) {
  (f.template operator()<T>(), ...);
}

using signed_integers = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using integers = join<signed_integers, unsigned_integers>;
#ifdef UPSWEEP_HAS_FLOAT16
using narrow_floats = types<float16, bfloat16>;
#else
using narrow_floats = types<bfloat16>;
#endif
using wide_floats = types<float, double>;
using floats = join<narrow_floats, wide_floats>;
using numbers = join<integers, floats>;
using numbers_and_bool = join<numbers, types<bool>>;

/// The type that represents T in the library: for an integer, the fixed-width type of its size
/// and sign.
template <class T>
struct fixed_width {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct fixed_width<T> {
  template <class Small, class Middle, class Large, class Largest>
  using by_size =
      std::conditional_t<sizeof(T) == 1, Small,
                         std::conditional_t<sizeof(T) == 2, Middle,
                                            std::conditional_t<sizeof(T) == 4, Large, Largest>>>;
  using type =
      std::conditional_t<std::is_signed_v<T>,
                         by_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>,
                         by_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
};
template <class T>
using fixed_width_t = typename fixed_width<T>::type;

}  // namespace upsweep::dynamic
