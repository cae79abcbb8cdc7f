/// Sum and product. Integers are combined in 64 bits and wrap, 16-bit floats in float, every other
/// type in itself.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/about.hpp>

#include <concepts>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

namespace detail {

/// Values of type `A` have an operator + that returns one of them.
template <class A>
concept has_plus = requires(A const& a) {
  { a + a } -> std::convertible_to<A>;
};

}  // namespace detail

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

/// Product. The identity is 1.
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
    if constexpr (detail::is_integer<A>) {
      using U = typename detail::unsigned_of<A>::type;
      return static_cast<A>(static_cast<U>(earlier) * static_cast<U>(later));
    } else {
      return detail::product(earlier, later);
    }
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
