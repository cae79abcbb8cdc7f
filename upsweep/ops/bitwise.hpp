/// And, or and exclusive or of all bits. Commutative and exact, in the element's own type: any
/// integer, or a type with the same operators such as std::byte or std::bitset.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>

namespace upsweep {

/// Bits that are set in every element. The identity has all bits set.
struct UPSWEEP_API bit_and {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] constexpr A identity() const {
    if constexpr (detail::is_integer<A>)
      return static_cast<A>(-1);
    else
      return static_cast<A>(~A{});
  }
  template <class A>
  [[nodiscard]] constexpr A operator()(A const& earlier, A const& later) const {
    return static_cast<A>(earlier & later);
  }
};

/// Bits that are set in any element. The identity is 0.
struct UPSWEEP_API bit_or {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] constexpr A identity() const {
    return A{};
  }
  template <class A>
  [[nodiscard]] constexpr A operator()(A const& earlier, A const& later) const {
    return static_cast<A>(earlier | later);
  }
};

/// Bits that are set in an odd number of elements. The identity is 0.
struct UPSWEEP_API bit_xor {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] constexpr A identity() const {
    return A{};
  }
  template <class A>
  [[nodiscard]] constexpr A operator()(A const& earlier, A const& later) const {
    return static_cast<A>(earlier ^ later);
  }
};

}  // namespace upsweep
