/// Minimum and maximum. All four operators are commutative and exact, order -0 before +0, and
/// combine in the type of the elements (16-bit floats in float). Types other than numbers are
/// ordered by their `<`, which must be a strict total order; they have no identity.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/about.hpp>
#include <upsweep/ops/order.hpp>

#include <limits>

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
