/// Bitwise and, or and exclusive or. Commutative and exact, in the type of the elements: any
/// integer, or a type with the same operators such as std::byte or std::bitset.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/monoid.hpp>

namespace upsweep {

/// Bitwise and: the bits that are set in every element. The identity has all bits set.
struct UPSWEEP_API bit_and {
  static constexpr catalog::description about{.takes = catalog::operand_kind::integers,
                                              .identity = "all bits set",
                                              .accumulator = "the type itself",
                                              .ordered = false,
                                              .meaning = "Bits that are set in every value.",
                                              .example = "6 3",
                                              .result = "2"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    if constexpr (detail::is_integer<A>)
      return static_cast<A>(-1);
    else
      return static_cast<A>(~A{});
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    return static_cast<A>(earlier & later);
  }
};

/// Bitwise or: the bits that are set in any element. The identity is 0.
struct UPSWEEP_API bit_or {
  static constexpr catalog::description about{.takes = catalog::operand_kind::integers,
                                              .identity = "0",
                                              .accumulator = "the type itself",
                                              .ordered = false,
                                              .meaning = "Bits that are set in any value.",
                                              .example = "6 3",
                                              .result = "7"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    return static_cast<A>(earlier | later);
  }
};

/// Bitwise exclusive or: the bits that are set in an odd number of elements. The identity is 0.
struct UPSWEEP_API bit_xor {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::integers,
      .identity = "0",
      .accumulator = "the type itself",
      .ordered = false,
      .meaning = "Bits that are set in an odd number of values.",
      .example = "6 3",
      .result = "5"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const {
    return static_cast<A>(earlier ^ later);
  }
};

}  // namespace upsweep
