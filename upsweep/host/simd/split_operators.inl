/// The operators whose accumulator is made of two numbers, on lanes, once for each SIMD target:
/// moments and log_sum_exp.

#if defined(UPSWEEP_SIMD_SPLIT_OPERATORS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SPLIT_OPERATORS
#undef UPSWEEP_SIMD_SPLIT_OPERATORS
#else
#define UPSWEEP_SIMD_SPLIT_OPERATORS
#endif

#include <upsweep/host/simd/exponential.inl>
#include <upsweep/host/simd/operators.inl>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if UPSWEEP_SIMD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

// combine() sets total[i] to operand[2i] op operand[2i + 1]. Each lane of an operand is an element,
// or the total of `size` elements.

/// Mean and m2. Equally many elements on both sides: the operator's left and right are 0.5.
struct lane_moments {
  template <class T>
  using lane = double;
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
  /// False if a difference of means was not finite, for which the operator has another formula.
  static bool is_regular(pair_value<double> total) { return total.a - total.a == 0; }
  static moments_of accumulator(std::size_t n, pair_value<double> total) {
    return {n, total.a, total.b};
  }
};

/// Largest exponent and sum. The difference of exponents is limited to -80, below which the smaller
/// sum is too small to change the other: blocks have few elements, and sums are at least 1.
struct lane_log_sum_exp {
  template <class T>
  using lane = T;
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
  /// False if an element is NaN.
  template <class T>
  static bool is_regular(pair_value<T> total) {
    return total.b == total.b;
  }
  template <class T>
  static scaled_exponentials<T> accumulator(std::size_t, pair_value<T> total) {
    return {total.a, total.b};
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
