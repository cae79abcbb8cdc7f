/// The first and the last element. An exclusive scan with `last` shifts the input by one.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/ops/monoid.hpp>

#include <optional>
#include <utility>

namespace upsweep {

/// A value that may be absent: like std::optional, with an explicit conversion to T so that a scan
/// can store into a range of T. Reading an absent value throws precondition_error.
template <class T>
class maybe {
 public:
  constexpr maybe() = default;
  UPSWEEP_BOTH constexpr maybe(T value)
      : value_(std::move(value)) {}  // NOLINT: implicit, for `.initial = x`

  [[nodiscard]] UPSWEEP_BOTH constexpr bool has_value() const { return value_.has_value(); }
  [[nodiscard]] UPSWEEP_BOTH constexpr T const& value() const {
    if (!has_value())
      detail::fail(
          "first, last: there is no element at or before this one; give .initial, or store "
          "maybe<T> and test has_value()");
    return *value_;
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr T const& operator*() const { return value(); }
  explicit UPSWEEP_BOTH constexpr operator T() const { return value(); }

  friend bool operator==(maybe const&, maybe const&) = default;

 private:
  std::optional<T> value_;
};

/// The first element, of any type. The accumulator and result is maybe<T>; the identity holds
/// nothing. Exact, not commutative.
struct first {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "nothing",
                                              .accumulator = "a value or nothing",
                                              .ordered = true,
                                              .meaning = "First value.",
                                              .example = "3 1 2",
                                              .result = "3"};
  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = maybe<T>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr maybe<T> operator()(maybe<T> const& earlier,
                                                           maybe<T> const& later) const {
    return earlier.has_value() ? earlier : later;
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_final(maybe<T> const& a) const {
    return a.has_value();
  }
};

/// The last element, of any type. The accumulator and result is maybe<T>; the identity holds
/// nothing. Exact, not commutative.
struct last {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "nothing",
      .accumulator = "a value or nothing",
      .ordered = true,
      .meaning = "Last value; as an exclusive scan it shifts a column by one row.",
      .example = "3 1 2",
      .result = "2"};
  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = maybe<T>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr maybe<T> operator()(maybe<T> const& earlier,
                                                           maybe<T> const& later) const {
    return later.has_value() ? later : earlier;
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr bool replaces(maybe<T> const& a) const {
    return a.has_value();
  }
};

}  // namespace upsweep
