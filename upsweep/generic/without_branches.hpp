/// Extrema of two floats without a branch, which half of the time would be predicted wrongly.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/min_max.hpp>

#include <bit>
#include <type_traits>

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
    return std::bit_cast<T>(later != later ? b : chosen);
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
