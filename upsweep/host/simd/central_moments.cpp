/// The central moments of a block, once for each SIMD target: the tree of split_reduce.inl over
/// four numbers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/central_moments.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/host/simd/loops.hpp>
#include <upsweep/host/simd/split_reduce.inl>
#include <upsweep/ops/central_moments.hpp>

#include <cstddef>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

#if UPSWEEP_SIMD_VECTORS
template <class D>
struct four_vectors {
  hn::Vec<D> mean, m2, m3, m4;
  HWY_INLINE four_vectors() {}
  HWY_INLINE four_vectors(hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> d)
      : mean(a), m2(b), m3(c), m4(d) {}
};

template <class A, class D>
HWY_INLINE A total_of_first_lane(std::size_t n, four_vectors<D> const& v) {
  return {n, hn::GetLane(v.mean), hn::GetLane(v.m2), hn::GetLane(v.m3), hn::GetLane(v.m4)};
}
template <class D>
HWY_INLINE four_vectors<D> members_of(four_vectors<D> const& v) {
  return {v.mean, v.m2, v.m3, v.m4};
}
template <class D>
HWY_INLINE void store_members(four_vectors<D> const& v, four_vectors<D>& to) {
  to.mean = v.mean, to.m2 = v.m2, to.m3 = v.m3, to.m4 = v.m4;
}
template <int distance, class D>
HWY_INLINE four_vectors<D> swap(D d, four_vectors<D> const& v) {
  return {swap<distance>(d, v.mean), swap<distance>(d, v.m2), swap<distance>(d, v.m3),
          swap<distance>(d, v.m4)};
}
template <int distance, class D>
HWY_INLINE void pair_lanes(D d, four_vectors<D>& a, four_vectors<D>& b) {
  pair_lanes<distance>(d, a.mean, b.mean);
  pair_lanes<distance>(d, a.m2, b.m2);
  pair_lanes<distance>(d, a.m3, b.m3);
  pair_lanes<distance>(d, a.m4, b.m4);
}

/// The operator's formula where there are equally many elements on both sides, so that its l and r
/// are 0.5 and their difference is 0.
struct lane_central_moments {
  template <class T>
  using lane = double;
  template <class D>
  using totals = four_vectors<D>;
  static constexpr int levels_at_once = 2;
  template <class Lane>
  static constexpr std::size_t registers_at_once = 1;

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D, hn::Vec<D> v) {
    return v;
  }
  /// Of single elements, whose m2, m3 and m4 are 0.
  template <class D, std::size_t count>
  HWY_INLINE static void combine(D d, hn::Vec<D> const (&operand)[2 * count], int,
                                 four_vectors<D> (&total)[count]) {
    auto const half = hn::Set(d, 0.5), quarter = hn::Set(d, 0.25);
    for (std::size_t i = 0; i < count; ++i) {
      auto const apart = hn::Sub(operand[2 * i + 1], operand[2 * i]);
      auto const squared = hn::Mul(apart, apart), between = hn::Mul(squared, half);
      total[i].mean = hn::Add(operand[2 * i], hn::Mul(apart, half));
      total[i].m2 = between;
      total[i].m3 = hn::Zero(d);
      total[i].m4 = hn::Mul(squared, hn::Mul(between, quarter));
    }
  }
  template <class D, std::size_t count>
  HWY_INLINE static void combine(D d, four_vectors<D> const (&operand)[2 * count], int size,
                                 four_vectors<D> (&total)[count]) {
    auto const half = hn::Set(d, 0.5), quarter = hn::Set(d, 0.25);
    auto const half_size = hn::Set(d, 0.5 * size);
    for (std::size_t i = 0; i < count; ++i) {
      auto const& earlier = operand[2 * i];
      auto const& later = operand[2 * i + 1];
      auto const apart = hn::Sub(later.mean, earlier.mean);
      auto const squared = hn::Mul(apart, apart), between = hn::Mul(squared, half_size);
      total[i].mean = hn::Add(earlier.mean, hn::Mul(apart, half));
      total[i].m2 = hn::Add(hn::Add(earlier.m2, later.m2), between);
      auto const growth = hn::Sub(hn::Mul(half, later.m2), hn::Mul(half, earlier.m2));
      total[i].m3 =
          hn::Add(hn::Add(earlier.m3, later.m3), hn::Mul(apart, hn::Mul(hn::Set(d, 3.0), growth)));
      auto const spread = hn::Add(hn::Mul(quarter, later.m2), hn::Mul(quarter, earlier.m2));
      auto const even = hn::Add(hn::Mul(between, quarter), hn::Mul(hn::Set(d, 6.0), spread));
      auto const odd = hn::Sub(hn::Mul(half, later.m3), hn::Mul(half, earlier.m3));
      total[i].m4 = hn::Add(hn::Add(hn::Add(earlier.m4, later.m4), hn::Mul(squared, even)),
                            hn::Mul(hn::Mul(hn::Set(d, 4.0), apart), odd));
    }
  }
  /// What was not finite anywhere has made m4 infinite or NaN.
  static bool is_regular(detail::central_moments_of const& total) {
    return total.m4 - total.m4 == 0;
  }
};

template <>
struct lane_operator<central_moments> : std::type_identity<lane_central_moments> {};
#endif

namespace {
void central_moments_here(double const* x, std::size_t n, double (&to)[4]) {
  clean_registers const on_return;
  auto const total = split_reduce<central_moments, double>::run(x, n);
  to[0] = total.mean, to[1] = total.m2, to[2] = total.m3, to[3] = total.m4;
}
}  // namespace

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(central_moments_here);
void find_central_moments(double const* x, std::size_t n, double (&to)[4]) {
  HWY_DYNAMIC_DISPATCH(central_moments_here)(x, n, to);
}
}  // namespace upsweep::host::simd
#endif
