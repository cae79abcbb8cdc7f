/// First-order linear recurrences x[i] = a[i] * x[i-1] + b[i], as the composition of affine maps.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/ops/order.hpp>

#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// The map x -> a * x + b. It converts explicitly to b, its value at 0, so a scan of maps can store
/// x[i] itself.
template <class T>
struct UPSWEEP_API affine_map {
  T a;
  T b;

  template <class U>
    requires(std::is_same_v<U, T> || (detail::order::number<U> && detail::order::number<T>))
  explicit UPSWEEP_BOTH constexpr operator U() const {
    return static_cast<U>(b);
  }
  friend bool operator==(affine_map const&, affine_map const&) = default;
};

/// Composition of affine maps: first the earlier map, then the later one. With x[-1] = 0, or
/// `.initial = affine_map<T>{0, x0}` for x[-1] = x0, the inclusive scan of {a[i], b[i]} solves the
/// recurrence. The identity is {1, 0}. Elements and accumulator are affine_map (of int64 or uint64
/// for narrow integers, of float for 16-bit floats). Not commutative; exact for integers, which
/// wrap. The multiplication and the addition are rounded separately, never fused.
struct UPSWEEP_API affine {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::maps,
      .identity = "a = 1, b = 0",
      .accumulator = "the pair a, b",
      .ordered = true,
      .meaning = "Recurrence x[i] = a[i] x[i-1] + b[i] of two columns a,b; x[-1] is 0 or --init.",
      .example = "2,1 3,4",
      .result = "7"};
  static constexpr bool commutative = false;
  template <class A>
  static constexpr bool exact = detail::is_integer<decltype(A::a)>;
  template <class Map>
  using accumulator = affine_map<detail::widened_t<std::remove_cvref_t<decltype(Map::a)>>>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    using T = decltype(A::a);
    return {T(1), T{}};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<affine_map<T>> lift(
      affine_map<T> const& x) const {
    return {static_cast<detail::widened_t<T>>(x.a), static_cast<detail::widened_t<T>>(x.b)};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr affine_map<T> operator()(
      affine_map<T> const& earlier, affine_map<T> const& later) const {
    constexpr detail::plain_multiplies times{};
    return {times(later.a, earlier.a), plus{}(times(later.a, earlier.b), later.b)};
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
