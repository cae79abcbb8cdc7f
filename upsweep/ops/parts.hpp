/// The parts of a value, for any type: what the law checker compares, perturbs and prints.
///
/// A value is split into parts if it is a range (but not a string), has a member parts() that
/// returns a tuple of references, is like std::tuple, std::optional or std::complex, or is an
/// aggregate of up to eight members, none of them a C array. Any other value is one part.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>

#include <cstddef>
#include <iterator>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upsweep::detail::parts {

struct anything {
  template <class T>
  UPSWEEP_BOTH constexpr operator T() const;  // NOLINT: never called, it only counts members
};

inline constexpr std::size_t most_members = 8;

/// The number of members of the aggregate `T`, at most most_members + 1.
template <class T, class... Member>
[[nodiscard]] consteval std::size_t members() {
  if constexpr (sizeof...(Member) <= most_members && requires { T{Member{}..., anything{}}; })
    return members<T, Member..., anything>();
  else
    return sizeof...(Member);
}

template <class T>
concept number_like = is_integer<T> || is_float<T>;
template <class T>
concept string_like = std::is_convertible_v<T const&, std::string_view>;
template <class T>
concept range_like = std::ranges::forward_range<T> && !string_like<T>;
template <class T>
concept has_parts = requires(T& x) { x.parts(); };
template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };
template <class T>
concept optional_like = requires(T const& x) {
  x.has_value();
  *x;
};
template <class T>
concept complex_like = requires(T x, typename T::value_type v) {
  x.real(v);
  x.imag(v);
};
template <class T>
concept aggregate_like = std::is_aggregate_v<T> && std::is_class_v<T> &&
                         members<std::remove_const_t<T>>() <= most_members;

/// Calls f with a tuple of references to the members of the aggregate `x`.
template <class T, class F>
UPSWEEP_BOTH constexpr decltype(auto) with_members(T& x, F const& f) {
  constexpr std::size_t count = members<std::remove_const_t<T>>();
  if constexpr (count == 0) {
    return f(std::tie());
  } else if constexpr (count == 1) {
    auto& [a] = x;
    return f(std::tie(a));
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    return f(std::tie(a, b));
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    return f(std::tie(a, b, c));
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    return f(std::tie(a, b, c, d));
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    return f(std::tie(a, b, c, d, e));
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, g] = x;
    return f(std::tie(a, b, c, d, e, g));
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, g, h] = x;
    return f(std::tie(a, b, c, d, e, g, h));
  } else {
    auto& [a, b, c, d, e, g, h, i] = x;
    return f(std::tie(a, b, c, d, e, g, h, i));
  }
}

/// Calls f with a tuple of references to the parts of `x`, whose number is known at compile time.
/// Those of types that only the host has are functions of the host.
UPSWEEP_SIDES_UNCHECKED
template <class T, class F>
UPSWEEP_BOTH constexpr decltype(auto) with(T& x, F const& f) {
  using V = std::remove_const_t<T>;
  if constexpr (has_parts<T>)
    return f(x.parts());
  else if constexpr (tuple_like<V>)
    return std::apply([&](auto&... part) -> decltype(auto) { return f(std::tie(part...)); }, x);
  else
    return with_members(x, f);
}

template <class T>
concept divisible = has_parts<T> || tuple_like<T> || aggregate_like<T>;

/// Whether the values are equal in every bit, where all NaN count as equal.
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool same(T const& a, T const& b) {
  if constexpr (is_float<T>) {
    if (is_nan_value(a) || is_nan_value(b)) return is_nan_value(a) && is_nan_value(b);
    return a == b && (a != T{} || T(1) / a == T(1) / b);  // 1 / 0 tells +0 from -0
  } else if constexpr (number_like<T> || string_like<T>) {
    return a == b;
  } else if constexpr (range_like<T const>) {
    auto i = std::ranges::begin(a);
    auto j = std::ranges::begin(b);
    for (; i != std::ranges::end(a) && j != std::ranges::end(b); ++i, ++j)
      if (!same(*i, *j)) return false;
    return i == std::ranges::end(a) && j == std::ranges::end(b);
  } else if constexpr (optional_like<T>) {
    return a.has_value() == b.has_value() && (!a.has_value() || same(*a, *b));
  } else if constexpr (complex_like<T>) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (divisible<T const>) {
    return with(a, [&](auto const& left) {
      return with(b, [&](auto const& right) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
          return (same(std::get<I>(left), std::get<I>(right)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(left)>>>{});
      });
    });
  } else {
    static_assert(
        requires { a == b; },
        "upsweep: the law checker needs operator== or a member parts() for this accumulator");
    return static_cast<bool>(a == b);
  }
}

/// Calls f(number) for each floating-point number inside `x`, which f may change when `x` is not
/// const.
template <class T, class F>
UPSWEEP_BOTH constexpr void each_float(T& x, F const& f) {
  using V = std::remove_const_t<T>;
  if constexpr (is_float<V>) {
    f(x);
  } else if constexpr (number_like<V> || string_like<V>) {
    return;
  } else if constexpr (range_like<T>) {
    for (auto& part : x) each_float(part, f);
  } else if constexpr (optional_like<V>) {
    if (!x.has_value()) return;
    auto part = *x;
    each_float(part, f);
    if constexpr (!std::is_const_v<T>) x = T(std::move(part));
  } else if constexpr (complex_like<V>) {
    auto real = x.real();
    auto imag = x.imag();
    f(real);
    f(imag);
    if constexpr (!std::is_const_v<T>) x = T(real, imag);
  } else if constexpr (divisible<T>) {
    with(x, [&](auto const& all) {
      std::apply([&](auto&... part) { (each_float(part, f), ...); }, all);
    });
  }
}

}  // namespace upsweep::detail::parts
