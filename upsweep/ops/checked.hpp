/// Sum and product of integers with overflow detection. An overflow is an error that names the
/// first element whose inclusive prefix overflows.
///
/// Whether a *prefix* of the input overflows must not depend on the grouping of the elements. A
/// block in the middle may overflow although no prefix does ({-9, max, 9}: the block {max, 9}), and
/// a total may fit although a prefix does not ({max, 1, -5}). The accumulator of consecutive
/// elements therefore holds their total, and the lowest and highest total of their prefixes, the
/// empty prefix included. Appending `later` to `earlier` shifts (for products: scales) the prefixes
/// of `later` by the total of `earlier`, which is exactly associative:
///
///   total   = e.total + l.total
///   lowest  = min(e.lowest, e.total + l.lowest)
///   highest = max(e.highest, e.total + l.highest)
///
/// Sums of up to 2^63 elements of 64 bits fit 128 bits. Products saturate at +-2^64, beyond every
/// result type: a saturated prefix stays out of range when it is scaled by anything but 0, and
/// saturating multiplication of integers is associative, so the answer stays exact.
///
/// No accumulator of fixed size can tell *which* element overflows first, because that depends on
/// the total of all earlier elements. A scan finishes its prefixes in input order, and the first
/// one that does not fit throws. A reduction whose total is not accepted reads its input again, on
/// one thread, until a prefix does not fit; only a failing call pays for that.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/ops/order.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace upsweep::detail {

/// The sum of a run of integers and the range of its prefix sums, `Neutral` (the empty
/// prefix) among them. `last` is the index of the run's last element. `R` is the type that the
/// total and every prefix must fit.
template <class R, int Neutral>
struct prefix_range {
  int128 total = Neutral;
  int128 lowest = Neutral;
  int128 highest = Neutral;
  std::size_t last = static_cast<std::size_t>(-1);

  constexpr prefix_range() = default;
  UPSWEEP_BOTH constexpr prefix_range(int128 value, std::size_t index)
      : total(value),
        lowest(value < Neutral ? value : Neutral),
        highest(value > Neutral ? value : Neutral),
        last(index) {}
  // NOLINTNEXTLINE: implicit, for `.initial = x`
  UPSWEEP_BOTH constexpr prefix_range(R value)
      : prefix_range(int128{value}, static_cast<std::size_t>(-1)) {}

  /// True when every prefix fits R.
  [[nodiscard]] UPSWEEP_BOTH constexpr bool fits() const {
    return lowest >= int128{detail::order::least<R>()} &&
           highest <= int128{detail::order::greatest<R>()};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr auto parts() {
    return std::tie(total, lowest, highest, last);
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr auto parts() const {
    return std::tie(total, lowest, highest, last);
  }
  friend bool operator==(prefix_range const&, prefix_range const&) = default;
};

/// Sums of integers of at most 64 bits for Neutral = 0, and products for 1, with result `R` or, for
/// void, int64 or uint64 as for the unchecked operator.
template <class R, int Neutral>
struct checked_operator {
  static constexpr bool commutative = false;  // another order has other prefixes
  static constexpr bool exact = true;
  template <class T>
  using result = std::conditional_t<std::is_void_v<R>, widened_t<T>, R>;
  template <class T>
  using accumulator = prefix_range<result<T>, Neutral>;
  template <class S>
  using prefixes = prefix_range<S, Neutral>;
  using unchecked =  ///< the same results where nothing overflows
      std::conditional_t<Neutral == 0, plus, multiplies>;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return A{};
  }
  template <class T>
    requires std::is_integral_v<T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T x, std::size_t index) const {
    return {int128{x}, index};
  }
  template <class S>
  [[nodiscard]] UPSWEEP_BOTH constexpr prefixes<S> operator()(prefixes<S> const& earlier,
                                                              prefixes<S> const& later) const {
    prefixes<S> both = earlier;
    int128 const from_lowest = combined(earlier.total, later.lowest),
                 from_highest = combined(earlier.total, later.highest);
    both.total = combined(earlier.total, later.total);
    both.lowest = lower(earlier.lowest, lower(from_lowest, from_highest));
    both.highest = higher(earlier.highest, higher(from_lowest, from_highest));
    if (later.last + 1 != 0) both.last = later.last;
    return both;
  }
  template <class S, class T>
  UPSWEEP_BOTH constexpr void absorb(prefixes<S>& a, T x, std::size_t index) const {
    a.total = combined(a.total, int128{x});
    a.lowest = lower(a.lowest, a.total);
    a.highest = higher(a.highest, a.total);
    a.last = index;
  }
  /// The results after `a` for elements x[0], x[1], ..., to `out`, which may be x, until a prefix
  /// does not fit; returns how many do. Afterwards `a` has the last total, but not the range of its
  /// prefixes, all of which fit, nor its index.
  template <class S, class T>
    requires(!narrows<T, S>)
  std::size_t scan_range(prefixes<S>& a, T const* x, S* out, std::size_t n, bool inclusive) const {
    if (!a.fits()) return 0;
    S total = static_cast<S>(a.total);
    std::size_t i = 0;
    if (inclusive)
      for (S next; i < n && !overflows(total, S{x[i]}, next); ++i) out[i] = total = next;
    else
      for (S next; i < n && !overflows(total, S{x[i]}, next); ++i) {
        out[i] = total;
        total = next;
      }
    a = total;
    return i;
  }
  template <class S>
  [[nodiscard]] UPSWEEP_BOTH constexpr bool accepts(prefixes<S> const& a) const {
    return a.fits();
  }
  UPSWEEP_SIDES_UNCHECKED
  template <class S>
  [[nodiscard]] UPSWEEP_BOTH constexpr S finish(prefixes<S> const& a) const {
#if !UPSWEEP_ON_DEVICE  // kernels leave totals that do not fit to the host
    if (!a.fits())
      throw overflow_error(Neutral == 0 ? "checked_plus" : "checked_multiplies", a.last);
#endif
    return static_cast<S>(a.total);
  }

 private:
  static UPSWEEP_BOTH constexpr int128 lower(int128 a, int128 b) { return b < a ? b : a; }
  static UPSWEEP_BOTH constexpr int128 higher(int128 a, int128 b) { return a < b ? b : a; }

  /// Combines two numbers; true if the result does not fit.
  template <class N>
  static bool overflows(N earlier, N later, N& both) {
    return Neutral == 0 ? __builtin_add_overflow(earlier, later, &both)
                        : __builtin_mul_overflow(earlier, later, &both);
  }
  static UPSWEEP_BOTH constexpr int128 combined(int128 a, int128 b) {
    return Neutral == 0 ? a + b : product(a, b);
  }
  /// a * b, saturated at +-2^64.
  static UPSWEEP_BOTH constexpr int128 product(int128 a, int128 b) {
    constexpr uint128 limit = uint128{1} << 64;
    auto const short_a = static_cast<std::int64_t>(a), short_b = static_cast<std::int64_t>(b);
    if (short_a == a && short_b == b) {
      int128 const whole = int128{short_a} * short_b, most = static_cast<int128>(limit);
      return whole < -most ? -most : whole < most ? whole : most;
    }
    if (a == 0 || b == 0) return 0;
    uint128 const left = magnitude(a), right = magnitude(b);
    uint128 const whole = left < limit && right < limit ? left * right : limit;
    auto const size = static_cast<int128>(whole < limit ? whole : limit);
    return (a < 0) != (b < 0) ? -size : size;
  }
  static UPSWEEP_BOTH constexpr uint128 magnitude(int128 a) {
    return a < 0 ? uint128{0} - static_cast<uint128>(a) : static_cast<uint128>(a);
  }
};

}  // namespace upsweep::detail

namespace upsweep {

/// Sum of integers of up to 64 bits in int64 or uint64 (`checked_plus<std::int32_t>{}`: in int32).
/// It throws overflow_error with the index of the first element whose inclusive prefix, `.initial`
/// included, does not fit. The identity is 0. Exact; not commutative, because the order determines
/// the prefixes.
template <class R = void>
struct checked_plus : detail::checked_operator<R, 0> {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::integers,
      .identity = "0",
      .accumulator = "the range of all prefixes, 128 bits",
      .ordered = true,
      .meaning = "Sum in 64 bits; overflow is an error that names the row.",
      .example = "1 2 3",
      .result = "6"};
};

/// Product of integers of up to 64 bits in int64 or uint64 (`checked_multiplies<std::int32_t>{}`:
/// in int32). It throws overflow_error with the index of the first element whose inclusive prefix,
/// `.initial` included, does not fit; a later factor 0 does not undo that. The identity is 1.
/// Exact; not commutative, because the order determines the prefixes.
template <class R = void>
struct checked_multiplies : detail::checked_operator<R, 1> {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::integers,
      .identity = "1",
      .accumulator = "the range of all prefixes, 128 bits",
      .ordered = true,
      .meaning = "Product in 64 bits; overflow is an error that names the row.",
      .example = "2 3 4",
      .result = "24"};
};

}  // namespace upsweep
