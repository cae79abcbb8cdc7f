/// Operators that observe how they are used: they count, check their operands, or throw.
#pragma once

#include <support/random.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace upsweep::test {

/// Any operator, counting its applications in `*applications`.
template <class Op>
struct counted : Op {
  std::atomic<std::size_t>* applications;

  template <class A>
  A operator()(A const& earlier, A const& later) const {
    applications->fetch_add(1, std::memory_order_relaxed);
    return Op::operator()(earlier, later);
  }
};

/// The elements [begin, end) of the scan's direction, combined. `mark` is right only in values that
/// came from an input element, the initial value or an application.
struct interval {
  static constexpr std::uint32_t genuine = 0x600d600d, neutral = 0x1de0717e;
  std::int64_t begin = -7;
  std::int64_t end = -9;
  std::uint32_t mark = 0xbad;

  static interval sentinel() { return {-11, -13, 0x5e47}; }
  friend bool operator==(interval const&, interval const&) = default;
};

/// What went wrong first, and how often anything did.
class complaints {
 public:
  void add(interval const& a, interval const& b) {
    if (count_.fetch_add(1) == 0) {
      left_ = a;
      right_ = b;
    }
  }
  [[nodiscard]] std::size_t count() const { return count_.load(); }
  [[nodiscard]] std::string first() const { return text(left_) + " op " + text(right_); }

 private:
  static std::string text(interval const& s) {
    if (s.mark == interval::neutral) return "(identity)";
    if (s.mark != interval::genuine) return "(no value of this call)";
    return "[" + std::to_string(s.begin) + ", " + std::to_string(s.end) + ")";
  }
  std::atomic<std::size_t> count_{0};
  interval left_, right_;
};

/// Combines intervals and reports operands that are not adjacent, or are not an input, the initial
/// value or an earlier result. The initial value is the interval [-1, 0), so it can only be to the
/// left of everything. For a reversed scan the input is built backwards: the last element is [0,
/// 1).
struct join_intervals {
  static constexpr bool exact = false;
  complaints* wrong;

  interval operator()(interval const& earlier, interval const& later) const {
    bool const values = earlier.mark == interval::genuine && later.mark == interval::genuine;
    if (!values || earlier.end != later.begin) wrong->add(earlier, later);
    return {earlier.begin, later.end, interval::genuine};
  }
  interval identity() const { return {0, 0, interval::neutral}; }
};

/// What the throwing probes throw: the position of the element that did it.
struct bad_element : std::runtime_error {
  explicit bad_element(std::size_t position)
      : std::runtime_error("element " + std::to_string(position) + " is bad"), at(position) {}
  std::size_t at;
};

/// How many values of type `living` exist.
inline std::atomic<std::ptrdiff_t> living_now{0};

/// A value whose copies are counted, so that a leak or a double destruction shows. `bad` elements
/// make `add_living` throw.
class living {
 public:
  explicit living(std::uint64_t value, std::size_t bad_at = no_position)
      : value_(value), bad_at_(bad_at) {
    ++living_now;
  }
  living(living const& other) : value_(other.value_), bad_at_(other.bad_at_) { ++living_now; }
  living& operator=(living const&) = default;
  ~living() { --living_now; }

  static living sentinel() { return living(0x5e57); }
  static constexpr std::size_t no_position = ~std::size_t{0};
  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::size_t bad_at() const { return bad_at_; }
  bool same_bits(living const& b) const { return value_ == b.value_; }

 private:
  std::uint64_t value_;
  std::size_t bad_at_;
};

/// Neither commutative nor associative, so results show the tree; throws for its first bad operand.
struct add_living {
  living operator()(living const& earlier, living const& later) const {
    if (earlier.bad_at() != living::no_position) throw bad_element(earlier.bad_at());
    if (later.bad_at() != living::no_position) throw bad_element(later.bad_at());
    return living(earlier.value() * 3 + (later.value() ^ earlier.value() >> 7));
  }
};

}  // namespace upsweep::test
