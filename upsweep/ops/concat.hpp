/// Concatenation of strings, or of anything else that appends with `+=`.
#pragma once

#include <upsweep/core/compiler.hpp>
#include <upsweep/ops/monoid.hpp>

#include <iosfwd>  // declares std::string; <string> takes 0.2 s of every compilation
#include <string_view>
#include <type_traits>

namespace upsweep::detail {

/// True for elements that are concatenated in a std::string.
template <class T>
inline constexpr bool is_text =
    std::is_same_v<T, char> || std::is_convertible_v<T, std::string_view>;

}  // namespace upsweep::detail

namespace upsweep {

/// Concatenation in input order. Elements of a class with `+=` combine in that class; char, char
/// const* and std::string_view combine in std::string; include <string> for them. The identity is
/// the empty A{}. Exact, not commutative. A reduction takes time linear in the length of its result
/// on executors that append in place; a scan stores every prefix, which takes quadratic time.
struct concat {
  static constexpr catalog::description about{.takes = catalog::operand_kind::text,
                                              .identity = "the empty string",
                                              .accumulator = "a string",
                                              .ordered = false,
                                              .meaning = "The values as text, one after another.",
                                              .example = "1 2 3",
                                              .result = "123",
                                              .parameter = "[SEPARATOR]"};
  static constexpr bool commutative = false;
  static constexpr bool exact = true;

  template <class T>
  using accumulator = std::conditional_t<detail::is_text<T>, std::string, T>;

  template <class A>
    requires std::is_class_v<A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
  [[nodiscard]] accumulator<T> lift(T const& x) const {
    if constexpr (std::is_same_v<T, char>)
      return accumulator<T>(1, x);
    else
      return accumulator<T>(x);
  }
  template <class A>
    requires std::is_class_v<A>
  [[nodiscard]] A operator()(A const& earlier, A const& later) const {
    A joined = earlier;
    joined += later;
    return joined;
  }
  template <class A, class T>
  void absorb(A& a, T const& x) const {
    a += x;
  }
};

}  // namespace upsweep
