/// Statistics of numbers whose powers leave the range of double: moments and means of numbers near
/// 1e200 or 1e-200.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/weighted_moments.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// The exponent of zero, which takes part in sums of any scale.
inline constexpr int any_scale = -0x8000;

/// The multiple of `step` for which the finite number x / 2^scale is between 2^least and 2^(least +
/// step); 0 for infinities and NaN.
[[nodiscard]] inline int scale_of(double x, int least, int step) {
  if (x == 0) return any_scale;
  if (!is_finite_value(x)) return 0;
  int const above = std::ilogb(x) - least;
  return (above >= 0 ? above / step : (above - step + 1) / step) * step;
}
[[nodiscard]] inline double scaled(double x, int scale) {
  return scale == any_scale || scale == 0 ? x : std::scalbn(x, scale);
}

/// How the state of an operator changes where its elements are multiplied by 2^x, those of a second
/// column by 2^y; and which numbers need no scale: powers and products of their distances are
/// normal numbers. `zero_x` and `zero_y` tell from the state of such numbers whether all those of a
/// column are 0.
template <class Op>
struct scaling;
template <>
struct scaling<moments> {
  static constexpr char const* name = "wide-moments";
  static constexpr int least = -420, step = 900;
  static constexpr bool small_rules = false;
  static detail::moments_of of(detail::moments_of m, int x, int) {
    return {m.count, scaled(m.mean, x), scaled(m.m2, 2 * x)};
  }
  static bool zero_x(detail::moments_of m) { return m.mean == 0 && m.m2 == 0; }
  static bool zero_y(detail::moments_of) { return true; }
};
template <>
struct scaling<central_moments> {
  static constexpr char const* name = "wide-central-moments";
  static constexpr int least = -200, step = 420;
  static constexpr bool small_rules = false;
  static detail::central_moments_of of(detail::central_moments_of m, int x, int) {
    return {m.count, scaled(m.mean, x), scaled(m.m2, 2 * x), scaled(m.m3, 3 * x),
            scaled(m.m4, 4 * x)};
  }
  static bool zero_x(detail::central_moments_of m) { return m.mean == 0 && m.m2 == 0; }
  static bool zero_y(detail::central_moments_of) { return true; }
};
template <>
struct scaling<comoments> {
  static constexpr char const* name = "wide-comoments";
  static constexpr int least = -420, step = 900;
  static constexpr bool small_rules = false;
  static detail::comoments_of of(detail::comoments_of m, int x, int y) {
    return {m.count,
            scaled(m.mean_x, x),
            scaled(m.mean_y, y),
            scaled(m.xx, 2 * x),
            scaled(m.yy, 2 * y),
            scaled(m.xy, x + y)};
  }
  static bool zero_x(detail::comoments_of m) { return m.mean_x == 0 && m.xx == 0; }
  static bool zero_y(detail::comoments_of m) { return m.mean_y == 0 && m.yy == 0; }
};
template <>
struct scaling<weighted_moments> {
  static constexpr char const* name = "wide-weighted-moments";
  static constexpr int least = -300, step = 600;
  static constexpr bool small_rules = false;
  static detail::weighted_moments_of of(detail::weighted_moments_of m, int x, int y) {
    return {scaled(m.weight, y), scaled(m.mean, x), scaled(m.m2, 2 * x + y)};
  }
  static bool zero_x(detail::weighted_moments_of m) { return m.mean == 0 && m.m2 == 0; }
  static bool zero_y(detail::weighted_moments_of m) { return m.weight == 0; }
};
template <>
struct scaling<rms> {
  static constexpr char const* name = "wide-rms";
  static constexpr int least = -420, step = 900;
  static constexpr bool small_rules = false;
  static mean_sum of(mean_sum s, int x, int) { return {scaled(s.sum, 2 * x), s.count}; }
  static bool zero_x(mean_sum s) { return s.sum == 0; }
  static bool zero_y(mean_sum) { return true; }
};
template <>
struct scaling<harmonic_mean> {
  static constexpr char const* name = "wide-harmonic-mean";
  static constexpr int least = -900, step = 1800;
  static constexpr bool small_rules = true;  // the reciprocals of small numbers are the large ones
  static mean_sum of(mean_sum s, int x, int) { return {scaled(s.sum, -x), s.count}; }
  static bool zero_x(mean_sum s) { return s.sum == 0; }
  static bool zero_y(mean_sum) { return true; }
};

/// Whether powers and products of the distances of the element are in range as they are.
template <class Op, std::floating_point T>
[[nodiscard]] bool needs_no_scale(T const& x) {
  using rule = scaling<Op>;
  static double const least = std::ldexp(1, rule::least),
                      end = std::ldexp(1, rule::least + rule::step);
  double const size = std::fabs(x);
  return (size >= least && size < end) || size == 0 || !(size < infinity<double>);
}
template <class Op, class Pair>
  requires requires(Pair const& e) { e.x, e.y; }
[[nodiscard]] bool needs_no_scale(Pair const& e) {
  return needs_no_scale<Op>(e.x) && needs_no_scale<Op>(e.y);
}

}  // namespace upsweep::detail

namespace upsweep {

/// The state of `Op` over elements that were divided by 2^x, those of a second column by 2^y.
template <class Op, class State>
struct wide_state {
  State of{};
  int x = detail::any_scale;
  int y = detail::any_scale;

  friend bool operator==(wide_state const&, wide_state const&) = default;
};

/// `moments`, `central_moments`, `comoments`, `weighted_moments`, `rms` or `harmonic_mean` of
/// elements of any size: those that are so large or small that powers of their distances would
/// overflow or lose digits are multiplied by a power of two first, and statistic(f) undoes that.
/// Elements that need no scale have the results of `Op` in every bit, and so have others where `Op`
/// neither overflows nor underflows. Costs several times as much as `Op`. Neither commutative nor
/// exact; runs on processors.
template <class Op>
struct wide_range {
  using state = decltype(Op{}.identity());
  static constexpr bool commutative = false;
  static constexpr bool exact = false;
  static constexpr bool ignores_flags = true;
  template <class>
  using accumulator = wide_state<Op, state>;
  using total = wide_state<Op, state>;

  static constexpr char const* name = detail::scaling<Op>::name;  ///< in the bytes of partials

  [[nodiscard]] total identity() const { return {Op{}.identity()}; }
  /// The total of elements without a scale, of which `Op` has the total `of`.
  [[nodiscard]] static total of_plain(state const& of) {
    return {of, rule::zero_x(of) ? detail::any_scale : 0, rule::zero_y(of) ? detail::any_scale : 0};
  }
  template <class T>
  [[nodiscard]] total lift(T const& element) const {
    auto const x = static_cast<double>(element);
    int const scale = detail::scale_of(x, rule::least, rule::step);
    return {Op{}.lift(detail::scaled(x, undone(scale))), scale};
  }
  template <class T>
  [[nodiscard]] total lift(xy<T> const& e) const {
    auto const x = static_cast<double>(e.x), y = static_cast<double>(e.y);
    int const scale_x = detail::scale_of(x, rule::least, rule::step),
              scale_y = detail::scale_of(y, rule::least, rule::step);
    auto const of = Op{}.lift(
        xy<double>{detail::scaled(x, undone(scale_x)), detail::scaled(y, undone(scale_y))});
    if (of == Op{}.identity()) return identity();  // a weight of 0
    return {of, scale_x, scale_y};
  }
  [[nodiscard]] total operator()(total const& earlier, total const& later) const {
    int const x = joint(earlier.x, later.x), y = joint(earlier.y, later.y);
    return {Op{}(at(earlier, x, y), at(later, x, y)), x, y};
  }

 private:
  using rule = detail::scaling<Op>;

  static int undone(int scale) { return scale == detail::any_scale ? scale : -scale; }
  static int joint(int a, int b) {
    if (a == detail::any_scale || b == detail::any_scale) return a == detail::any_scale ? b : a;
    return (a < b) == rule::small_rules ? a : b;
  }
  static int apart(int from, int to) {
    return from == detail::any_scale || to == detail::any_scale ? 0 : from - to;
  }
  static state at(total const& s, int x, int y) {
    if (s.x == x && s.y == y) return s.of;
    return rule::of(s.of, apart(s.x, x), apart(s.y, y));
  }
};

namespace detail {

[[nodiscard]] inline int exponent(int scale) {
  return scale == any_scale ? 0 : scale;
}

}  // namespace detail

/// The same statistics of plain moments.
[[nodiscard]] inline double variance_of(detail::moments_of const& m, double correction = 0) {
  return m.variance(correction);
}
[[nodiscard]] inline double stddev_of(detail::moments_of const& m, double correction = 0) {
  return std::sqrt(m.variance(correction));
}
/// The statistics of states of wide_range, which are in range where the results are.
[[nodiscard]] inline double mean_of(wide_state<moments, detail::moments_of> const& s) {
  return detail::scaled(s.of.mean, s.x);
}
[[nodiscard]] inline double variance_of(wide_state<moments, detail::moments_of> const& s,
                                        double correction = 0) {
  return std::scalbn(s.of.variance(correction), 2 * detail::exponent(s.x));
}
[[nodiscard]] inline double stddev_of(wide_state<moments, detail::moments_of> const& s,
                                      double correction = 0) {
  return detail::scaled(std::sqrt(s.of.variance(correction)), s.x);
}
[[nodiscard]] inline double variance_of(
    wide_state<central_moments, detail::central_moments_of> const& s) {
  return std::scalbn(s.of.variance(), 2 * detail::exponent(s.x));
}
[[nodiscard]] inline double covariance_of(wide_state<comoments, detail::comoments_of> const& s,
                                          double correction = 0) {
  return std::scalbn(s.of.covariance(correction), detail::exponent(s.x) + detail::exponent(s.y));
}
[[nodiscard]] inline double slope_of(wide_state<comoments, detail::comoments_of> const& s) {
  return std::scalbn(s.of.slope(), detail::exponent(s.y) - detail::exponent(s.x));
}
[[nodiscard]] inline double intercept_of(wide_state<comoments, detail::comoments_of> const& s) {
  return detail::scaled(s.of.intercept(), s.y);
}
[[nodiscard]] inline double mean_of(
    wide_state<weighted_moments, detail::weighted_moments_of> const& s) {
  return s.of.weight > 0 ? detail::scaled(s.of.mean, s.x) : detail::not_a_number<double>;
}
[[nodiscard]] inline double variance_of(
    wide_state<weighted_moments, detail::weighted_moments_of> const& s) {
  return std::scalbn(s.of.variance(), 2 * detail::exponent(s.x));
}
[[nodiscard]] inline double stddev_of(
    wide_state<weighted_moments, detail::weighted_moments_of> const& s) {
  return detail::scaled(s.of.stddev(), s.x);
}
template <class Function>
[[nodiscard]] double mean_of(wide_state<mean_of_function<Function>, mean_sum> const& s) {
  return detail::scaled(mean_of_function<Function>{}.finish(s.of), s.x);
}

}  // namespace upsweep
UPSWEEP_IEEE_END
