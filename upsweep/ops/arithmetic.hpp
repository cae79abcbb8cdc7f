/// Sum and product. Integers are combined in 64 bits and wrap, 16-bit floats in float, every other
/// type in itself.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/monoid.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// Values of type `A` have an operator + that returns one of them.
template <class A>
concept has_plus = requires(A const& a) {
  { a + a } -> std::convertible_to<A>;
};

/// Products of floating-point numbers. A tree may overflow before it meets a zero, so infinity
/// times zero is zero here, unless the infinity is an element: `lift` marks those as one NaN of
/// either sign that arithmetic does not produce, and `finish` restores them. Partials have the size
/// and the bytes of a number.
template <class A>
inline constexpr bool has_marks = std::is_same_v<A, float> || std::is_same_v<A, double>;

template <class A>
struct marks {
  using bits = bits_of_size<sizeof(A)>;
  static constexpr bits sign = bits{1} << (8 * sizeof(A) - 1);
  static constexpr bits magnitude_of_infinity = __builtin_bit_cast(bits, infinity<A>);
  static constexpr bits infinite_element = mark_of_infinity<A>;

  [[nodiscard]] UPSWEEP_BOTH static constexpr bool is_marked(A a) {
    return (__builtin_bit_cast(bits, a) & ~sign) == infinite_element;
  }
  /// An element.
  [[nodiscard]] UPSWEEP_BOTH static constexpr A marked(A x) {
    bits const of_x = __builtin_bit_cast(bits, x), magnitude = of_x & ~sign;
    bits const infinite = (of_x & sign) | infinite_element;
    if (magnitude == magnitude_of_infinity) return __builtin_bit_cast(A, infinite);
    return magnitude == infinite_element ? not_a_number<A> : x;
  }
  /// A result.
  [[nodiscard]] UPSWEEP_BOTH static constexpr A unmarked(A a) {
    bits const of_a = __builtin_bit_cast(bits, a);
    bits const infinite = (of_a & sign) | magnitude_of_infinity;
    return is_marked(a) ? __builtin_bit_cast(A, infinite) : a;
  }
  /// The product of operands of which at least one is NaN or infinite, if a * b is NaN.
  [[nodiscard]] UPSWEEP_BOTH static constexpr A product_beyond(A a, A b) {
    bool const any_mark = is_marked(a) || is_marked(b);
    if ((is_nan_value(a) && !is_marked(a)) || (is_nan_value(b) && !is_marked(b)))
      return not_a_number<A>;
    if (any_mark && (a == 0 || b == 0)) return not_a_number<A>;
    bits const signs = (__builtin_bit_cast(bits, a) ^ __builtin_bit_cast(bits, b)) & sign;
    return __builtin_bit_cast(A, static_cast<bits>(signs | (any_mark ? infinite_element : bits{})));
  }
};

/// The product of two numbers as IEEE 754 has it. Integers wrap.
struct plain_multiplies {
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    if constexpr (is_integer<A>) {
      using U = typename unsigned_of<A>::type;
      return static_cast<A>(static_cast<U>(earlier) * static_cast<U>(later));
    } else {
      return product(earlier, later);
    }
  }
};

}  // namespace upsweep::detail

namespace upsweep {

/// Sum. The identity is +0, which is never added to an element: a sum of -0.0 alone stays -0.0.
struct UPSWEEP_API plus {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "0",
      .accumulator = "64 bits for integers, float for 16-bit floats, else the type itself",
      .ordered = true,
      .meaning =
          "Sum. Integers are summed in 64 bits and wrap (checked-sum does not); 16-bit floats in "
          "f32.",
      .example = "1 2 3",
      .result = "6"};
  static constexpr bool commutative = true;
  template <class A>
  static constexpr bool exact = detail::is_integer<A>;
  template <class T>
  using accumulator = detail::widened_t<T>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <detail::has_plus A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    if constexpr (detail::is_integer<A>) {
      // Unsigned arithmetic wraps; signed overflow would be undefined.
      using U = typename detail::unsigned_of<A>::type;
      return static_cast<A>(static_cast<U>(earlier) + static_cast<U>(later));
    } else {
      return detail::sum(earlier, later);
    }
  }
};

/// Product. The identity is 1. Of finite numbers with a zero it is zero, whatever overflows on the
/// way: multiplies{}(a, b) of an infinite `a` that is not lifted is 0 for b = 0.
struct UPSWEEP_API multiplies {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "1",
      .accumulator = "64 bits for integers, float for 16-bit floats, else the type itself",
      .ordered = true,
      .meaning = "Product. Integers are multiplied in 64 bits and wrap; 16-bit floats in f32.",
      .example = "2 3 4",
      .result = "24"};
  static constexpr bool commutative = true;
  template <class A>
  static constexpr bool exact = detail::is_integer<A>;
  template <class T>
  using accumulator = detail::widened_t<T>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A(1);
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    A const all = detail::plain_multiplies{}(earlier, later);
    if constexpr (detail::has_marks<A>)
      if (detail::is_nan_value(all)) return detail::marks<A>::product_beyond(earlier, later);
    return all;
  }
  /// Marks infinite elements, whose product with zero is NaN.
  template <class T>
    requires detail::has_marks<accumulator<T>>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T const& x) const {
    return detail::marks<accumulator<T>>::marked(static_cast<accumulator<T>>(x));
  }
  template <class A>
    requires detail::has_marks<A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A start(A const& initial) const {
    return detail::marks<A>::is_marked(initial) ? initial : detail::marks<A>::marked(initial);
  }
  template <class A>
    requires detail::has_marks<A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A finish(A const& a) const {
    return detail::marks<A>::unmarked(a);
  }
};

namespace detail {

/// Whether loops first try plain products of the elements, which compilers vectorize. A finite
/// total has the bits of multiplies.
template <class Op, class A>
inline constexpr bool tries_plain = std::is_same_v<Op, multiplies> && has_marks<A>;

template <class A>
[[nodiscard]] constexpr bool are_finite_products(A const* a, std::size_t n) {
  A odd{};  // x - x is 0, or else NaN
  for (std::size_t i = 0; i < n; ++i) odd += a[i] - a[i];
  return is_finite_value(odd);
}

/// f(op), a total.
template <class A, class Op, class F>
[[nodiscard]] UPSWEEP_INLINED inline A total_by(Op const& op, F const& f) {
  if constexpr (tries_plain<Op, A>) {
    A const total = f(plain_multiplies{});
    if (is_finite_value(total)) return total;
  }
  return f(op);
}

}  // namespace detail

}  // namespace upsweep
UPSWEEP_IEEE_END
