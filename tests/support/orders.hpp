/// Orders of the tests of sorts, and elements that are equal by them.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::test {

/// Whether `a` comes before `b` in the total order: floating-point numbers by sign and magnitude.
template <class T>
constexpr bool comes_before(T const& a, T const& b) {
  if constexpr (detail::is_float<T>) {
    using Signed =
        std::conditional_t<sizeof(T) == 2, std::int16_t,
                           std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
    auto const rank = [](T x) {
      auto const bits = std::bit_cast<Signed>(x);
      auto const magnitude = static_cast<Signed>(bits & std::numeric_limits<Signed>::max());
      return bits < 0 ? -1 - static_cast<std::int64_t>(magnitude)
                      : static_cast<std::int64_t>(magnitude);
    };
    return rank(a) < rank(b);
  } else {
    return a < b;
  }
}
struct total_order {
  template <class T>
  constexpr bool operator()(T const& a, T const& b) const {
    return comes_before(a, b);
  }
};

/// An element whose order is that of its first word.
struct labeled {
  std::uint32_t key, label;
  friend bool operator==(labeled const&, labeled const&) = default;
};
struct order_of_keys {
  constexpr bool operator()(labeled const& a, labeled const& b) const { return a.key < b.key; }
};

}  // namespace upsweep::test
