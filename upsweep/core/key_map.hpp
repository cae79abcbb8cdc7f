/// Bits of numbers as unsigned integers of the same order, and back.
#pragma once

#include <upsweep/core/compiler.hpp>

namespace upsweep::detail {

/// Unsigned integers to unsigned integers, one to one: `always` is xored to each, and `by_sign`,
/// which does not have the highest bit, to those whose highest bit is set.
template <class U>
struct key_map {
  U by_sign, always;

  /// From the bits of numbers to the integers of their order: integers by value, floating-point
  /// numbers by std::strong_order, from NaN with a sign over -0 and +0 to NaN without.
  [[nodiscard]] static UPSWEEP_BOTH constexpr key_map of_numbers(bool are_floats, bool have_sign,
                                                                 bool descending = false) {
    constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
    U const ascending = are_floats || have_sign ? sign : U{};
    return {are_floats ? static_cast<U>(~sign) : U{},
            descending ? static_cast<U>(~ascending) : ascending};
  }

  /// No branches: of random numbers every second would be predicted wrongly.
  [[nodiscard]] UPSWEEP_BOTH constexpr U operator()(U bits) const {
    return static_cast<U>(bits ^ (all_if_negative(bits) & by_sign) ^ always);
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr key_map inverse() const {
    return {by_sign, static_cast<U>(always ^ (all_if_negative(always) & by_sign))};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_identity() const {
    return by_sign == 0 && always == 0;
  }

  [[nodiscard]] static UPSWEEP_BOTH constexpr U all_if_negative(U bits) {
    return static_cast<U>(0 - (bits >> (8 * sizeof(U) - 1)));
  }
};

}  // namespace upsweep::detail
