/// Bits of numbers as unsigned integers of the same order, and back.
#pragma once

#include <upsweep/core/compiler.hpp>

namespace upsweep::detail {

/// Unsigned integers to unsigned integers, one to one: `always` is xored to each, and `by_sign`,
/// which does not have the highest bit, to those whose highest bit is set.
template <class U>
struct key_map {
  U by_sign, always;

  /// No branches: of random numbers every second would be predicted wrongly.
  [[nodiscard]] constexpr U operator()(U bits) const {
    return static_cast<U>(bits ^ (all_if_negative(bits) & by_sign) ^ always);
  }
  [[nodiscard]] constexpr key_map inverse() const {
    return {by_sign, static_cast<U>(always ^ (all_if_negative(always) & by_sign))};
  }
  [[nodiscard]] constexpr bool is_identity() const { return by_sign == 0 && always == 0; }

  [[nodiscard]] static constexpr U all_if_negative(U bits) {
    return static_cast<U>(0 - (bits >> (8 * sizeof(U) - 1)));
  }
};

}  // namespace upsweep::detail
