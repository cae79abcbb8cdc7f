/// Logical and, or and exclusive or: all, any and parity. Commutative and exact; the accumulator is
/// bool, to which elements convert: every number but 0 is true, including NaN.
#pragma once

#include <upsweep/core/compiler.hpp>

namespace upsweep {

/// True when every element is. The identity is true.
struct logical_and {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  [[nodiscard]] constexpr bool identity() const { return true; }
  [[nodiscard]] constexpr bool operator()(bool earlier, bool later) const {
    return earlier && later;
  }
  [[nodiscard]] constexpr bool is_final(bool a) const { return !a; }
};

/// True when any element is. The identity is false.
struct logical_or {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  [[nodiscard]] constexpr bool identity() const { return false; }
  [[nodiscard]] constexpr bool operator()(bool earlier, bool later) const {
    return earlier || later;
  }
  [[nodiscard]] constexpr bool is_final(bool a) const { return a; }
};

/// True when an odd number of elements are. The identity is false.
struct logical_xor {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  [[nodiscard]] constexpr bool identity() const { return false; }
  [[nodiscard]] constexpr bool operator()(bool earlier, bool later) const {
    return earlier != later;
  }
};

}  // namespace upsweep
