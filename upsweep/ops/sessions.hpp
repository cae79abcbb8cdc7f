/// Numbers for parts of a sequence: sessions, which a long gap separates, and runs of equal values.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstdint>

namespace upsweep {

/// The accumulator of `sessions` and `run_number`: the first and the last element, and the number
/// of sessions or runs.
template <class T>
struct sequence_state {
  T first{};
  T last{};
  std::uint64_t count = 0;  ///< 0: no element

  friend bool operator==(sequence_state const&, sequence_state const&) = default;
};

namespace detail {

template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr sequence_state<T> joined(sequence_state<T> const& earlier,
                                                              sequence_state<T> const& later,
                                                              bool separate) {
  if (earlier.count == 0) return later;
  if (later.count == 0) return earlier;
  return {earlier.first, later.last, earlier.count + later.count - (separate ? 0 : 1)};
}

}  // namespace detail

/// Session numbers: an inclusive scan of times gives the number of each time's session, from 1; a
/// reduction gives the number of sessions. A session begins where a time is more than `gap` after
/// the previous one, so `sessions{1}` numbers the islands of consecutive integers.
///
///   upsweep::inclusive_scan(seconds, visit, upsweep::sessions{1800.0});
///
/// Times have the type of the gap, and their differences must not overflow. The identity is no
/// element. Exact, not commutative.
template <class T>
struct sessions {
  T gap;

  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  template <class>
  using accumulator = sequence_state<T>;

  [[nodiscard]] UPSWEEP_BOTH constexpr sequence_state<T> identity() const { return {}; }
  template <class X>
  [[nodiscard]] UPSWEEP_BOTH constexpr sequence_state<T> lift(X const& x) const {
    return {static_cast<T>(x), static_cast<T>(x), 1};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr sequence_state<T> operator()(
      sequence_state<T> const& earlier, sequence_state<T> const& later) const {
    return detail::joined(earlier, later, later.first - earlier.last > gap);
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr std::uint64_t finish(sequence_state<T> const& s) const {
    return s.count;
  }
};

/// Run numbers: an inclusive scan gives the number of each element's run of equal values, from 1; a
/// reduction gives the number of runs. The identity is no element. Exact, not commutative.
struct run_number {
  static constexpr char const* name = "run-number";  ///< in the bytes of a partial
  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = sequence_state<T>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr sequence_state<T> lift(T const& x) const {
    return {x, x, 1};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr sequence_state<T> operator()(
      sequence_state<T> const& earlier, sequence_state<T> const& later) const {
    return detail::joined(earlier, later, !(earlier.last == later.first));
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr std::uint64_t finish(sequence_state<T> const& s) const {
    return s.count;
  }
};

}  // namespace upsweep
