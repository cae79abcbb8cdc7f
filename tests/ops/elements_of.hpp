/// Which element types the tests give to each operator of the catalog, and elements of those types
/// made from random words.
#pragma once

#include <upsweep/ops/catalog.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace upsweep::test {

template <class... T>
struct types {};

#ifdef UPSWEEP_HAS_FLOAT16
using float16_or_float = float16;
#else
using float16_or_float = float;
#endif

using integers = types<std::int8_t, uint128>;
using numbers = types<std::int8_t, std::uint64_t, double, bfloat16>;

template <class Op>
auto elements_of(Op) {
  constexpr bool are_integers = Op::about.takes == catalog::operand_kind::integers;
  static_assert(are_integers || Op::about.takes == catalog::operand_kind::numbers,
                "write an overload for this operator");
  return std::conditional_t<are_integers, integers, numbers>{};
}
// Operators with other elements.
types<std::int8_t, std::uint64_t, int128, float, double, float16_or_float, bfloat16,
      std::complex<float>>
    elements_of(plus);
types<std::int8_t, std::uint64_t, int128, float, double, float16_or_float, bfloat16,
      std::complex<float>>
    elements_of(multiplies);
types<std::int8_t, std::uint64_t, int128, float, double, float16_or_float, bfloat16> elements_of(
    min);
types<bool, double> elements_of(logical_and);
types<bool, double> elements_of(logical_or);
types<bool, double> elements_of(logical_xor);
types<std::int8_t, double> elements_of(argmin_last);
types<std::int8_t, double> elements_of(argmax_last);
types<affine_map<std::int8_t>, affine_map<float>, affine_map<double>> elements_of(affine);
types<matrix2x2<std::int8_t>, matrix2x2<float>, matrix2x2<double>> elements_of(matrix2x2_product);
types<std::int32_t, float, double> elements_of(moments);
types<float, double> elements_of(central_moments);
types<xy<std::int32_t>, xy<double>> elements_of(comoments);
types<xy<std::int32_t>, xy<double>> elements_of(weighted_moments);
types<float, std::string> elements_of(first);
types<float, std::string> elements_of(last);
types<std::string, char> elements_of(concat);
types<float, double> elements_of(exact_sum);
types<float, double> elements_of(log_sum_exp);
types<std::int8_t, std::int64_t, std::uint64_t> elements_of(checked_plus<>);
types<std::int8_t, std::int64_t, std::uint64_t> elements_of(checked_multiplies<>);

/// Zero for the word 0, small numbers for small words, and every special value among the rest.
template <class T>
T element(std::uint64_t word) {
  if constexpr (detail::is_float<T>) {
    using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    using limits = std::numeric_limits<wide>;
    constexpr std::array<wide, 10> special{limits::infinity(),
                                           -limits::infinity(),
                                           limits::quiet_NaN(),
                                           limits::max(),
                                           -limits::max(),
                                           limits::denorm_min(),
                                           -limits::min(),
                                           limits::epsilon(),
                                           wide{0},
                                           -wide{0}};
    auto const small = static_cast<double>(static_cast<std::int64_t>(word) % 1000);
    if (word % 16 == 15) return static_cast<T>(special[word / 16 % special.size()]);
    return static_cast<T>(static_cast<wide>(word % 16 < 8 ? small : small / 7));
  } else if constexpr (std::is_same_v<T, bool>) {
    return word % 2 == 1;
  } else if constexpr (detail::is_integer<T>) {
    constexpr std::array special{detail::order::greatest<T>(), detail::order::least<T>(),
                                 static_cast<T>(-1), static_cast<T>(detail::order::least<T>() + 1)};
    if (word % 16 == 15) return special[word / 16 % special.size()];
    return static_cast<T>(word % 16 < 8 ? word % 100 : word);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string(word % 4, static_cast<char>('a' + word / 4 % 26));
  } else if constexpr (requires(T x) { x.d; }) {
    using part = decltype(T::a);
    return {element<part>(word), element<part>(word >> 8), element<part>(word >> 16),
            element<part>(word >> 24)};
  } else if constexpr (requires(T x) { x.y; }) {
    using part = decltype(T::x);
    part const weight = element<part>(word >> 8);
    return {element<part>(word), weight < 0 ? part{} : weight};
  } else if constexpr (requires(T x) { x.a; }) {
    using part = decltype(T::a);
    return {element<part>(word), element<part>(word >> 8)};
  } else {
    using part = typename T::value_type;
    return T(element<part>(word), element<part>(word >> 8));
  }
}

/// The type's name as the compiler prints it.
template <class T>
constexpr std::string_view name_of() {
  return __PRETTY_FUNCTION__;
}

/// Calls f(type_identity<T>) for each type.
template <class... T, class F>
void for_each_type(types<T...>, F const& f) {
  (f(std::type_identity<T>{}), ...);
}

template <class First, class... T>
auto ends_of(types<First, T...>) {
  return types<First, typename decltype((std::type_identity<T>{}, ...))::type>{};
}

/// Calls f(name, op, type_identity<T>) for every operator of the catalog and the first and last
/// type that the tests give it.
template <class F>
void for_each_end_case(F const& f) {
  catalog::for_each_operator([&](std::string_view name, auto const& op) {
    for_each_type(ends_of(decltype(elements_of(op)){}), [&](auto type) { f(name, op, type); });
  });
}

/// Calls f(name, op, type_identity<T>) for every operator of the catalog and every type that the
/// tests give it.
template <class F>
void for_each_case(F const& f) {
  catalog::for_each_operator([&](std::string_view name, auto const& op) {
    for_each_type(decltype(elements_of(op)){}, [&](auto type) { f(name, op, type); });
  });
}

}  // namespace upsweep::test
