/// The monoid of intervals of elements: an engine that combines [0, 1), [1, 2) ... to [0, n)
/// combines any n elements correctly, whatever the associative operator is. Chong, Donaldson,
/// Ketema, "A sound and complete abstraction for reasoning about parallel prefix sums", POPL 2014.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace upsweep::test {

/// [begin, end), the identity, or an error, which remembers the two intervals that did not meet.
struct interval {
  enum class kind : std::uint32_t { nothing, identity, elements, apart };
  kind is = kind::nothing;
  std::int32_t begin = -7, end = -9, other_begin = -11, other_end = -13;

  static interval of(std::size_t begin, std::size_t end) {
    return {kind::elements, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), 0, 0};
  }
  static interval identity() { return {kind::identity, 0, 0, 0, 0}; }

  [[nodiscard]] interval then(interval const& later) const {
    if (is == kind::identity) return later;
    if (later.is == kind::identity) return *this;
    if (is == kind::apart) return *this;
    if (later.is == kind::apart) return later;
    bool const meet = is == kind::elements && later.is == is && end == later.begin;
    if (!meet) return {kind::apart, begin, end, later.begin, later.end};
    return {kind::elements, begin, later.end, 0, 0};
  }
  friend bool operator==(interval const&, interval const&) = default;
  friend std::ostream& operator<<(std::ostream& to, interval const& x) {
    if (x.is == kind::identity) return to << "the identity";
    if (x.is == kind::nothing) return to << "no value of this call";
    to << '[' << x.begin << ", " << x.end << ')';
    if (x.is == kind::apart)
      to << " op [" << x.other_begin << ", " << x.other_end << "), which do not meet";
    return to;
  }
};

/// The same, not trivial to copy: for engines of large elements.
struct copied_interval : interval {
  copied_interval() = default;
  copied_interval(interval const& x) : interval(x) {}  // NOLINT(google-explicit-constructor)
  copied_interval(copied_interval const& x) : interval(x) {}
  copied_interval& operator=(copied_interval const&) = default;
  ~copied_interval() {}  // NOLINT(modernize-use-equals-default)
};

/// Joins intervals that meet. `is_exact`: engines may group in any way, in order.
template <class T, bool is_exact = false>
struct join_intervals {
  static constexpr bool exact = is_exact;
  T operator()(T const& earlier, T const& later) const { return T(earlier.then(later)); }
  T identity() const { return T(interval::identity()); }
};

/// [1, 2), [2, 3) ... in the scan's direction; the initial value is [0, 1).
template <class T>
std::vector<T> single_intervals(std::size_t n, bool reverse = false) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const at = 1 + (reverse ? n - 1 - i : i);
    x.push_back(T(interval::of(at, at + 1)));
  }
  return x;
}

}  // namespace upsweep::test
