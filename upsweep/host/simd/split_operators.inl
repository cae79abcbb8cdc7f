/// The operators whose accumulator is made of two numbers, on lanes, once for each SIMD target:
/// moments and log_sum_exp.

#if defined(UPSWEEP_SIMD_SPLIT_OPERATORS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SPLIT_OPERATORS
#undef UPSWEEP_SIMD_SPLIT_OPERATORS
#else
#define UPSWEEP_SIMD_SPLIT_OPERATORS
#endif

#include <upsweep/host/compiled.hpp>
#include <upsweep/host/simd/exponential.inl>
#include <upsweep/host/simd/operators.inl>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if UPSWEEP_SIMD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

template <class A, class D>
HWY_INLINE A total_of_first_lane(std::size_t n, pair_vector<D> const& v) {
  return join_parts<A>(n, hn::GetLane(v.a), hn::GetLane(v.b));
}
template <class D>
HWY_INLINE pair_vector<D> members_of(pair_vector<D> const& v) {
  return {v.a, v.b};
}
template <class D>
HWY_INLINE void store_members(pair_vector<D> const& v, pair_vector<D>& to) {
  to.a = v.a, to.b = v.b;
}

// combine() sets total[i] to operand[2i] op operand[2i + 1]. Each lane of an operand is an element,
// or the total of `size` elements. append() sets total[i] to earlier[i] op later[i], whose lanes
// are the totals of count[i] and size[i] elements. Both are the operator's if is_regular() of the
// total, or of both operands.

/// Mean and m2. Where there are equally many elements on both sides, the operator's left and right
/// are 0.5.
struct lane_moments {
  template <class T>
  using lane = double;
  template <class D>
  using totals = pair_vector<D>;
  static constexpr bool is_counted = true;  // an accumulator is a count and the two numbers
  static constexpr int levels_at_once = 2;
  template <class Lane>
  static constexpr std::size_t registers_at_once = 1;

  template <class D, class V>
  HWY_INLINE static hn::Vec<D> load(D d, V v) {
    using T = hn::TFromV<V>;
    if constexpr (std::is_same_v<T, double>)
      return v;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
      return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToUnsigned<D>(), v));
    else if constexpr (sizeof(T) == 4)
      return hn::PromoteTo(d, v);
    else
      return hn::ConvertTo(d, v);
  }
  template <class D, std::size_t count>
  HWY_INLINE static void combine(D d, hn::Vec<D> const (&operand)[2 * count], int,
                                 pair_vector<D> (&total)[count]) {
    auto const half = hn::Set(d, 0.5);
    for (std::size_t i = 0; i < count; ++i) {
      auto const apart = hn::Sub(operand[2 * i + 1], operand[2 * i]);
      total[i].a = hn::Add(operand[2 * i], hn::Mul(apart, half));
      total[i].b = hn::Mul(hn::Mul(apart, apart), half);
    }
  }
  template <class D, std::size_t count>
  HWY_INLINE static void combine(D d, pair_vector<D> const (&operand)[2 * count], int size,
                                 pair_vector<D> (&total)[count]) {
    auto const half = hn::Set(d, 0.5), half_size = hn::Set(d, 0.5 * size);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& earlier = operand[2 * i];
      auto const& later = operand[2 * i + 1];
      auto const apart = hn::Sub(later.a, earlier.a);
      auto const between = hn::Mul(hn::Mul(apart, apart), half_size);
      total[i].a = hn::Add(earlier.a, hn::Mul(apart, half));
      total[i].b = hn::Add(hn::Add(earlier.b, later.b), between);
    }
  }
  template <class D, std::size_t n>
  HWY_INLINE static void append(D, pair_vector<D> const (&earlier)[n], hn::Vec<D> const (&count)[n],
                                pair_vector<D> const (&later)[n], hn::Vec<D> const (&size)[n],
                                pair_vector<D> (&total)[n]) {
    for (std::size_t i = 0; i < n; ++i) {
      auto const right = hn::Div(size[i], hn::Add(count[i], size[i]));
      auto const apart = hn::Sub(later[i].a, earlier[i].a);
      auto const between = hn::Mul(hn::Mul(apart, apart), hn::Mul(count[i], right));
      total[i].a = hn::Add(earlier[i].a, hn::Mul(apart, right));
      total[i].b = hn::Add(hn::Add(earlier[i].b, later[i].b), between);
    }
  }
  /// False if a difference of means was not finite, for which the operator has another formula, or
  /// if the count is 0 or not exact in double.
  static bool is_regular(detail::moments_of const& total) {
    return total.mean - total.mean == 0 && total.count > 0 && total.count < std::uint64_t{1} << 52;
  }
  /// The same of n results of append().
  template <class D>
  static bool are_regular(D d, double const* mean, std::size_t n) {
    auto doubt = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d))
      doubt = hn::Or(doubt, hn::Sub(hn::Load(d, mean + i), hn::Load(d, mean + i)));
    return hn::AllTrue(d, hn::Eq(doubt, hn::Zero(d)));
  }
};

/// Largest exponent and sum. The difference of exponents is limited to -80, below which the smaller
/// sum is too small to change the other: sums are between 1 and 2^60, or 0 with the exponent -inf.
struct lane_log_sum_exp {
  template <class T>
  using lane = T;
  template <class D>
  using totals = pair_vector<D>;
  static constexpr int levels_at_once = 1;
  /// Four registers of doubles: the steps of fewer exponentials wait for each other.
  template <class Lane>
  static constexpr std::size_t registers_at_once = sizeof(Lane) / 2;

  /// -0 becomes +0, as in the operator's lift.
  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, hn::Vec<D> v) {
    return hn::Add(v, hn::Zero(d));
  }
  template <class D, std::size_t count>
  HWY_INLINE static void combine(D d, hn::Vec<D> const (&operand)[2 * count], int,
                                 pair_vector<D> (&total)[count]) {
    hn::Vec<D> scale[count];
    for (std::size_t i = 0; i < count; ++i)
      scale[i] = difference(d, operand[2 * i], operand[2 * i + 1]);
    exp_of_lanes(d, scale);
    for (std::size_t i = 0; i < count; ++i) {
      total[i].a = hn::Max(operand[2 * i], operand[2 * i + 1]);
      total[i].b = hn::Add(hn::Set(d, 1), scale[i]);
    }
  }
  template <class D, std::size_t count>
  HWY_INLINE static void combine(D d, pair_vector<D> const (&operand)[2 * count], int,
                                 pair_vector<D> (&total)[count]) {
    hn::Vec<D> scale[count];
    for (std::size_t i = 0; i < count; ++i)
      scale[i] = difference(d, operand[2 * i].a, operand[2 * i + 1].a);
    exp_of_lanes(d, scale);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& earlier = operand[2 * i];
      auto const& later = operand[2 * i + 1];
      auto const grows = hn::Lt(earlier.a, later.a);
      auto const kept = hn::IfThenElse(grows, later.b, earlier.b);
      auto const scaled = hn::IfThenElse(grows, earlier.b, later.b);
      total[i].a = hn::Max(earlier.a, later.a);
      total[i].b = hn::Add(kept, hn::Mul(scaled, scale[i]));
    }
  }
  template <class D, std::size_t n>
  HWY_INLINE static void append(D d, pair_vector<D> const (&earlier)[n], hn::Vec<D> const (&)[n],
                                pair_vector<D> const (&later)[n], hn::Vec<D> const (&)[n],
                                pair_vector<D> (&total)[n]) {
    pair_vector<D> operand[2 * n];
    for (std::size_t i = 0; i < n; ++i) operand[2 * i] = earlier[i], operand[2 * i + 1] = later[i];
    combine(d, operand, 0, total);
  }
  /// The logarithms of the sums, to `a`.
  template <class D, std::size_t count>
  HWY_INLINE static void finish(D d, pair_vector<D> (&total)[count]) {
    hn::Vec<D> log[count];
    for (std::size_t i = 0; i < count; ++i) log[i] = total[i].b;
    log_of_lanes(d, log);
    for (std::size_t i = 0; i < count; ++i) total[i].a = hn::Add(total[i].a, log[i]);
  }
  /// False if an element is NaN.
  template <class T>
  static bool is_regular(detail::scaled_exponentials<T> const& total) {
    return total.largest == total.largest && total.sum >= 1 && total.sum <= T{0x1p60};
  }
  template <class D>
  static bool are_regular(D, hn::TFromD<D> const*, std::size_t) {
    return true;
  }

 private:
  /// -|a - b|, at least -80; 0 for equal exponents, which may be infinite; NaN for NaN.
  template <class D>
  HWY_INLINE static hn::Vec<D> difference(D d, hn::Vec<D> a, hn::Vec<D> b) {
    auto const least = hn::Set(d, -80);
    auto const x = hn::IfThenZeroElse(hn::Eq(a, b), hn::Or(hn::Sub(a, b), hn::SignBit(d)));
    return hn::IfThenElse(hn::Lt(x, least), least, x);
  }
};

template <>
struct lane_operator<moments> : std::type_identity<lane_moments> {};
template <>
struct lane_operator<log_sum_exp> : std::type_identity<lane_log_sum_exp> {};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
