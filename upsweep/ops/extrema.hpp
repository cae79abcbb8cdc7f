/// Minimum and maximum in one pass.
#pragma once

#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/monoid.hpp>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

template <class T>
struct extrema {  ///< the smallest and the largest element
  T min;
  T max;
  friend bool operator==(extrema const&, extrema const&) = default;
};

/// Minimum and maximum of the same elements, with the rules of `min` and `max`: both NaN if any
/// element is NaN, -0 < +0. The accumulator and result is extrema<T> (of float for 16-bit floats).
/// The identity is {+infinity, -infinity} or {largest, smallest integer}. Commutative and exact.
struct minmax {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "those of min and max",
                                              .accumulator = "two values of the type itself",
                                              .ordered = true,
                                              .meaning = "min and max, two results.",
                                              .example = "3 1 2",
                                              .result = "1 3"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = extrema<detail::selected_t<T>>;

  template <class A>
    requires detail::order::number<decltype(A::min)>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    using T = decltype(A::min);
    return {upsweep::min{}.template identity<T>(), upsweep::max{}.template identity<T>()};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T const& x) const {
    auto const selected = static_cast<detail::selected_t<T>>(x);
    return {selected, selected};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr extrema<T> operator()(extrema<T> const& earlier,
                                                             extrema<T> const& later) const {
    return {upsweep::min{}(earlier.min, later.min), upsweep::max{}(earlier.max, later.max)};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
