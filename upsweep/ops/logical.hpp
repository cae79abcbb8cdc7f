/// Logical and, or and exclusive or: all, any and parity. Commutative and exact. The accumulator is
/// bool, to which elements convert: every number but 0 is true, including NaN.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/ops/monoid.hpp>

#include <cstddef>

namespace upsweep::detail {

/// What the logical operators tell of elements: that none is 0, that one is not, that an odd number
/// are not.
enum class logical { all, any, parity };

/// The results of an inclusive or exclusive scan of x[0, n) with prefix `a` to `out`, which may be
/// x; then `a` is the prefix of what follows. Returns n.
UPSWEEP_API std::size_t scan_logical(logical what, bool& a, bool const* x, bool* out, std::size_t n,
                                     bool inclusive);

}  // namespace upsweep::detail

namespace upsweep {

/// Logical and: true if every element is true. The identity is true.
struct logical_and {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "true",
                                              .accumulator = "bool",
                                              .ordered = false,
                                              .meaning = "True when no value is 0.",
                                              .example = "1 0 2",
                                              .result = "false"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  [[nodiscard]] UPSWEEP_BOTH constexpr bool identity() const { return true; }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool operator()(bool earlier, bool later) const {
    return earlier && later;
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_final(bool a) const { return !a; }
  std::size_t scan_range(bool& a, bool const* x, bool* out, std::size_t n, bool inclusive) const {
    return detail::scan_logical(detail::logical::all, a, x, out, n, inclusive);
  }
};

/// Logical or: true if any element is true. The identity is false.
struct logical_or {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "false",
                                              .accumulator = "bool",
                                              .ordered = false,
                                              .meaning = "True when a value is not 0.",
                                              .example = "0 0 2",
                                              .result = "true"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  [[nodiscard]] UPSWEEP_BOTH constexpr bool identity() const { return false; }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool operator()(bool earlier, bool later) const {
    return earlier || later;
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_final(bool a) const { return a; }
  std::size_t scan_range(bool& a, bool const* x, bool* out, std::size_t n, bool inclusive) const {
    return detail::scan_logical(detail::logical::any, a, x, out, n, inclusive);
  }
};

/// Logical exclusive or: true if an odd number of elements is true. The identity is false.
struct logical_xor {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "false",
      .accumulator = "bool",
      .ordered = false,
      .meaning = "True when an odd number of values are not 0.",
      .example = "1 0 5",
      .result = "false"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class>
  using accumulator = bool;

  [[nodiscard]] UPSWEEP_BOTH constexpr bool identity() const { return false; }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool operator()(bool earlier, bool later) const {
    return earlier != later;
  }
  std::size_t scan_range(bool& a, bool const* x, bool* out, std::size_t n, bool inclusive) const {
    return detail::scan_logical(detail::logical::parity, a, x, out, n, inclusive);
  }
};

}  // namespace upsweep
