/// The monoid of intervals: what combines [0, 1), [1, 2) ... [n-1, n) to [0, n) combines any n
/// elements correctly, whatever the associative operator is.
///
/// Source: N. Chong, A. F. Donaldson, J. Ketema, "A sound and complete abstraction for reasoning
/// about parallel prefix sums", POPL 2014. An interval is a number of 64 bits, because shuffles and
/// atomics take those. Zeros, uninitialized memory and sums of intervals are no intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::intervals {

using coded = std::uint64_t;

/// The largest end of an interval.
inline constexpr unsigned most = (1u << 15) - 1;
/// The identity, [i, i) for every i.
inline constexpr coded empty = 0xe2d1'4c9b'8f03'76a5;

namespace detail {

// The uppermost four bits say what a value is. Below them: of an interval a check, begin and end;
// of two intervals that do not meet the begins and ends of both; of an interval and a value that is
// none, which of them was on the left, and the interval.
inline constexpr coded interval_tag = 0x9, apart_tag = 0xc, foreign_tag = 0xd;
inline constexpr coded half = (coded{1} << 30) - 1, foreign_on_the_left = coded{1} << 30;

constexpr coded tag(coded x) {
  return x >> 60;
}
/// 30 bits that depend on all bits of begin and end.
constexpr coded check_of(coded ends) {
  return ((ends + 0x2545f491) * 0x9e3779b97f4a7c15) >> 34;
}
constexpr std::size_t begin(coded ends) {
  return ends >> 15 & most;
}
constexpr std::size_t end(coded ends) {
  return ends & most;
}
inline std::string text_of_ends(coded ends) {
  return "[" + std::to_string(begin(ends)) + ", " + std::to_string(end(ends)) + ")";
}

}  // namespace detail

/// [begin, end), of which both are at most `most`.
constexpr coded make(std::size_t begin, std::size_t end) {
  coded const ends = coded{begin} << 15 | coded{end};
  return detail::interval_tag << 60 | detail::check_of(ends) << 30 | ends;
}
constexpr bool is_interval(coded x) {
  return detail::tag(x) == detail::interval_tag &&
         (x >> 30 & detail::half) == detail::check_of(x & detail::half);
}
/// What intervals that do not meet combine to, and what an interval and another value combine to.
constexpr bool is_error(coded x) {
  return detail::tag(x) == detail::apart_tag || detail::tag(x) == detail::foreign_tag;
}

/// The operator. An error remembers the first two operands that did not meet.
constexpr coded join(coded earlier, coded later) {
  using namespace detail;
  if (earlier == empty) return later;
  if (later == empty) return earlier;
  if (is_error(earlier)) return earlier;
  if (is_error(later)) return later;
  if (!is_interval(later)) return foreign_tag << 60 | (is_interval(earlier) ? earlier & half : 0);
  if (!is_interval(earlier)) return foreign_tag << 60 | foreign_on_the_left | (later & half);
  if (end(earlier) != begin(later))
    return apart_tag << 60 | (earlier & half) << 30 | (later & half);
  return make(begin(earlier), end(later));
}

/// "[0, 3)", "the identity", "a value that is no element", "the combination of [0, 1) and [2, 3),
/// which do not meet".
inline std::string text_of(coded x) {
  using namespace detail;
  constexpr char const* stranger = "a value that is no element";
  if (x == empty) return "the identity";
  if (is_interval(x)) return text_of_ends(x);
  if (tag(x) == apart_tag)
    return "the combination of " + text_of_ends(x >> 30 & half) + " and " + text_of_ends(x & half) +
           ", which do not meet";
  if (tag(x) != foreign_tag) return stranger;
  if ((x & half) == 0) return "the combination of two values that are no elements";
  std::string const known = text_of_ends(x & half);
  return (x & foreign_on_the_left) != 0
             ? std::string("the combination of ") + stranger + " and " + known
             : "the combination of " + known + " and " + stranger;
}

}  // namespace upsweep::intervals
