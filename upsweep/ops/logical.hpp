/// All, any and parity of truth values. Commutative and exact; the accumulator is bool, into which
/// an element converts: every number but 0 is true, NaN too.
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
