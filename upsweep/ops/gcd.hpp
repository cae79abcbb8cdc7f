/// The greatest common divisor.
#pragma once

#include <upsweep/core/number_types.hpp>

namespace upsweep {

/// The greatest common divisor of integers, by Euclid's algorithm. The running divisor soon divides
/// most elements, which then cost one division each. The identity is 0 (every number divides 0).
/// The accumulator is uint64, or uint128 for 128-bit elements, so the magnitude of the smallest
/// integer fits. Commutative, exact.
struct gcd {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = typename detail::unsigned_of<detail::widened_t<T>>::type;

  template <class A>
  [[nodiscard]] constexpr A identity() const {
    return A{};
  }
  template <class T>
    requires detail::is_integer<T>
  [[nodiscard]] constexpr accumulator<T> lift(T x) const {
    using A = accumulator<T>;
    auto const magnitude = static_cast<A>(detail::widened_t<T>{x});
    return x < T{} ? static_cast<A>(A{} - magnitude) : magnitude;
  }
  template <class A>
    requires detail::is_integer<A>
  [[nodiscard]] constexpr A operator()(A earlier, A later) const {
    while (earlier != 0) {
      A const rest = later % earlier;
      later = earlier;
      earlier = rest;
    }
    return later;
  }
  /// 1 divides everything.
  template <class A>
  [[nodiscard]] constexpr bool is_final(A divisor) const {
    return divisor == 1;
  }
};

}  // namespace upsweep
