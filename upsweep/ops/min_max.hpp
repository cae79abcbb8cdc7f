/// Minimum and maximum. All four operators are commutative and exact, order -0 before +0, and
/// combine in the type of the elements (16-bit floats in float). Types other than numbers are
/// ordered by their `<`, which must be a strict total order; they have no identity.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/ops/order.hpp>

#include <bit>
#include <limits>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// Minimum; NaN if any element is NaN. The identity is +infinity, or the largest integer.
struct UPSWEEP_API min {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "+inf or the largest integer",
                                              .accumulator = "the type itself",
                                              .ordered = true,
                                              .meaning = "Smallest value; NaN if any value is NaN.",
                                              .example = "3 1 2",
                                              .result = "1"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = detail::selected_t<T>;

  template <detail::order::number A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return detail::order::greatest<A>();
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    if (detail::order::is_nan(earlier)) return earlier;
    return detail::order::is_nan(later) || detail::order::precedes(later, earlier) ? later
                                                                                   : earlier;
  }
};

/// Maximum; NaN if any element is NaN. The identity is -infinity, or the smallest integer.
struct UPSWEEP_API max {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "-inf or the smallest integer",
                                              .accumulator = "the type itself",
                                              .ordered = true,
                                              .meaning = "Largest value; NaN if any value is NaN.",
                                              .example = "3 1 2",
                                              .result = "3"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = detail::selected_t<T>;

  template <detail::order::number A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return detail::order::least<A>();
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    if (detail::order::is_nan(earlier)) return earlier;
    return detail::order::is_nan(later) || detail::order::precedes(earlier, later) ? later
                                                                                   : earlier;
  }
};

/// Minimum of the elements that are not NaN; NaN if there are none. The identity is the largest
/// integer, or NaN, the only value that every other one replaces: +infinity would turn an all-NaN
/// input into +infinity.
struct UPSWEEP_API min_number {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "NaN or the largest integer",
                                              .accumulator = "the type itself",
                                              .ordered = true,
                                              .meaning = "Smallest value that is not NaN.",
                                              .example = "nan 3 1",
                                              .result = "1"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = detail::selected_t<T>;

  template <detail::order::number A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    if constexpr (detail::is_float<A>)
      return static_cast<A>(detail::not_a_number<float>);
    else
      return detail::order::greatest<A>();
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    if (detail::order::is_nan(later)) return earlier;
    return detail::order::is_nan(earlier) || detail::order::precedes(later, earlier) ? later
                                                                                     : earlier;
  }
};

/// Maximum of the elements that are not NaN; NaN if there are none. The identity is NaN, or the
/// smallest integer.
struct UPSWEEP_API max_number {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "NaN or the smallest integer",
                                              .accumulator = "the type itself",
                                              .ordered = true,
                                              .meaning = "Largest value that is not NaN.",
                                              .example = "nan 3 1",
                                              .result = "3"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = detail::selected_t<T>;

  template <detail::order::number A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    if constexpr (detail::is_float<A>)
      return static_cast<A>(detail::not_a_number<float>);
    else
      return detail::order::least<A>();
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    if (detail::order::is_nan(later)) return earlier;
    return detail::order::is_nan(earlier) || detail::order::precedes(earlier, later) ? later
                                                                                     : earlier;
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// The greater of two numbers, or the lesser, with -0 before +0; NaN if one is. It is chosen as
/// bits, of which compilers make no branch, and vectors in loops. Equal numbers differ as zeros
/// only.
template <bool greatest>
struct chosen_extremum {
  template <class T>
  [[nodiscard]] constexpr T operator()(T const& earlier, T const& later) const {
    auto const a = std::bit_cast<bits_of_size<sizeof(T)>>(earlier),
               b = std::bit_cast<bits_of_size<sizeof(T)>>(later);
    auto const kept = earlier == later ? (greatest ? a & b : a | b) : a;
    auto const chosen = (greatest ? later > earlier : later < earlier) ? b : kept;
    return std::bit_cast<T>(is_nan_value(later) ? b : chosen);
  }
};

/// Whether `Op` is min or max over float or double.
template <class Op, class A>
inline constexpr bool has_branches = (std::is_same_v<A, float> || std::is_same_v<A, double>) &&
                                     (std::is_same_v<Op, min> || std::is_same_v<Op, max>);

/// The operator's form without branches, if it has one, or itself. For running extrema the branches
/// are predicted, and take less time.
template <class A, class Op>
[[nodiscard]] constexpr decltype(auto) without_branches(Op const& op) {
  if constexpr (has_branches<Op, A>)
    return chosen_extremum<std::is_same_v<Op, max>>();
  else
    return (op);
}

}  // namespace upsweep::detail
UPSWEEP_IEEE_END
