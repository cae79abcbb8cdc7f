/// `describe(x)`: a value as a string, for messages. Overload it in the namespace of your type,
/// where argument-dependent lookup finds it.
#pragma once

#include <upsweep/ops/parts.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace upsweep {

/// Integers of up to 128 bits in decimal; floats in the shortest form that reads back the same;
/// strings in quotes; ranges as [1, 2]; tuples and aggregates as {1, 2}; an empty optional as
/// "none".
template <class T>
[[nodiscard]] std::string describe(T const& x);

namespace detail::describing {

inline std::string integer(uint128 magnitude, bool negative) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  } while (magnitude != 0);
  return negative ? "-" + digits : digits;
}

template <class T>
std::string number(T x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (is_integer<T>) {
    bool const negative = x < T{};
    return integer(negative ? uint128{0} - static_cast<uint128>(x) : static_cast<uint128>(x),
                   negative);
  } else if constexpr (is_narrow_float<T>) {
    return number(static_cast<float>(x));
  } else {
    char text[64];
    auto const end = std::to_chars(text, text + sizeof text, x).ptr;
    return {text, end};
  }
}

template <class Tuple>
std::string list(char open, Tuple const& parts, char close) {
  std::string text(1, open);
  std::apply(
      [&](auto const&... part) { ((text += (text.size() > 1 ? ", " : "") + describe(part)), ...); },
      parts);
  return text + close;
}

}  // namespace detail::describing

template <class T>
std::string describe(T const& x) {
  if constexpr (detail::parts::number_like<T>) {
    return detail::describing::number(x);
  } else if constexpr (detail::parts::string_like<T>) {
    return '"' + std::string(std::string_view(x)) + '"';
  } else if constexpr (detail::parts::range_like<T const>) {
    std::string text = "[";
    for (auto const& part : x) text += (text.size() > 1 ? ", " : "") + describe(part);
    return text + "]";
  } else if constexpr (detail::parts::optional_like<T>) {
    return x.has_value() ? describe(*x) : "none";
  } else if constexpr (detail::parts::complex_like<T>) {
    return detail::describing::list('(', std::tuple(x.real(), x.imag()), ')');
  } else if constexpr (detail::parts::divisible<T const>) {
    return detail::parts::with(
        x, [](auto const& all) { return detail::describing::list('{', all, '}'); });
  } else {
    return "(a value without describe())";
  }
}

}  // namespace upsweep
