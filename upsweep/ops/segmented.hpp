/// Any operator, restarted at flags: one scan for all segments.
#pragma once

#include <upsweep/ops/monoid.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep {

/// A value, and whether it starts a new segment.
template <class T>
struct flagged {
  bool starts;
  T value;
  friend bool operator==(flagged const&, flagged const&) = default;
};

/// `Op` on elements flagged<T>, restarted wherever `starts` is true. An inclusive scan gives the
/// scan of each segment, a reduction the reduction of the last segment. An exclusive scan gives the
/// prefix before each element; at the start of a segment that is the reduction of the previous
/// segment. The accumulator is `flagged` of the accumulator of Op, the identity {false, identity of
/// Op}. Exact if Op is, never commutative. Values of different segments are never combined.
template <class Op>
class segmented {
 public:
  static constexpr bool commutative = false;
  static constexpr bool ignores_flags = detail::ignores_flags<Op>;
  static constexpr bool refuses_empty = detail::refuses_empty<Op>;
  template <class A>
  static constexpr bool exact = is_exact<Op, decltype(A::value)>;
  template <class Flagged>
  using accumulator = flagged<accumulator_t<Op, std::remove_cvref_t<decltype(Flagged::value)>>>;

  UPSWEEP_BOTH constexpr explicit segmented(Op op) : op_(std::move(op)) {}

  template <class A>
    requires monoid_over<Op, decltype(A::value)>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return {false, identity_of<decltype(A::value)>(op_)};
  }

  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<flagged<T>> lift(flagged<T> const& x,
                                                                    std::size_t index) const {
    return {x.starts, detail::lift(op_, x.value, index)};
  }
  template <class A>
    requires detail::combines<Op, A>
  [[nodiscard]] UPSWEEP_BOTH constexpr flagged<A> operator()(flagged<A> const& earlier,
                                                             flagged<A> const& later) const {
    if (later.starts) return later;
    return {earlier.starts, op_(earlier.value, later.value)};
  }
  template <class A, class T>
  UPSWEEP_BOTH constexpr void absorb(flagged<A>& a, flagged<T> const& x, std::size_t index) const {
    if (x.starts)
      a = lift(x, index);
    else
      detail::absorb(op_, a.value, x.value, index);
  }
  template <class A>
    requires requires(Op const& op, A const& a) { op.accepts(a); }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool accepts(flagged<A> const& a) const {
    return op_.accepts(a.value);
  }
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr auto finish(flagged<A> const& a) const {
    return std::remove_cvref_t<decltype(detail::finish(op_, a.value))>(
        detail::finish(op_, a.value));
  }
  template <class A>
    requires detail::has_start<Op, A>
  [[nodiscard]] UPSWEEP_BOTH constexpr flagged<A> start(flagged<A> const& a) const {
    return {a.starts, op_.start(a.value)};
  }

 private:
  Op op_;
};

}  // namespace upsweep
