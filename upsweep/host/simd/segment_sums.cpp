/// Sums of short segments, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/segment_sums.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/segment_items.inl>
#include <upsweep/host/simd/segment_sums.hpp>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32

template <class T>
struct lane_sums : lane_items<T> {
  using V = vector<T>;

  V sum;

  HWY_INLINE lane_sums(T const* x, std::uint32_t const* borders, std::int32_t const* lengths)
      : lane_items<T>(x, borders, lengths), sum(hn::Zero(tag<T>())) {}

  /// Where the segments have more than `than` elements.
  HWY_INLINE auto longer(std::size_t than) const {
    typename lane_items<T>::length_tag const di;
    auto const is = hn::Gt(this->lengths(), hn::Set(di, static_cast<std::int32_t>(than)));
    if constexpr (sizeof(T) == 4) {
      return hn::RebindMask(tag<T>(), is);
    } else {
      hn::RebindToSigned<tag<T>> const wide;
      return hn::RebindMask(tag<T>(),
                            hn::MaskFromVec(hn::PromoteTo(wide, hn::VecFromMask(di, is))));
    }
  }
  template <items of>
  HWY_INLINE void run(std::size_t j) {
    V v[item];
    for (std::size_t i = 0; i < item; ++i) v[i] = this->template load<of>(i, j);
    transpose(v);
    this->scan(v, j);
    if constexpr (of == items::whole)
      sum = v[item - 1];
    else if constexpr (of == items::equal)
      sum = v[static_cast<std::size_t>(this->length[0]) - j * item - 1];
    else
      for (std::size_t i = 0; i < item; ++i) sum = hn::IfThenElse(longer(j * item + i), v[i], sum);
  }
};

template <class T>
std::size_t sum_segments_of(T const* x, std::uint32_t const* borders, std::size_t count, T* to) {
  tag<T> const d;
  return run_groups<T>(borders, count,
                       [&](std::size_t k, std::uint32_t const* at, std::int32_t const* length) {
                         lane_sums<T> sums(x, at, length);
                         if (sums.any_longer(most)) return false;
                         if (!sums.all_equal())
                           run_mixed<0>(sums);
                         else if (length[0] == 1)
                           sums.sum = hn::LoadU(d, x + at[0]);
                         else
                           run_equal<0>(sums, static_cast<std::size_t>(length[0]));
                         if (count - k >= lanes<T>) {
                           hn::StoreU(sums.sum, d, to + k);
                         } else {
                           alignas(32) T totals[lanes<T>];
                           hn::Store(sums.sum, d, totals);
                           for (std::size_t i = 0; k + i < count; ++i) to[k + i] = totals[i];
                         }
                         return true;
                       });
}

#else

template <class T>
std::size_t sum_segments_of(T const*, std::uint32_t const*, std::size_t, T*) {
  return 0;
}

#endif

std::size_t sum_segments_of_floats(float const* x, std::uint32_t const* at, std::size_t count,
                                   float* to) {
  return sum_segments_of(x, at, count, to);
}
std::size_t sum_segments_of_doubles(double const* x, std::uint32_t const* at, std::size_t count,
                                    double* to) {
  return sum_segments_of(x, at, count, to);
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(sum_segments_of_floats);
HWY_EXPORT(sum_segments_of_doubles);

std::size_t sum_segments(float const* x, std::uint32_t const* at, std::size_t count, float* to) {
  return HWY_DYNAMIC_DISPATCH(sum_segments_of_floats)(x, at, count, to);
}
std::size_t sum_segments(double const* x, std::uint32_t const* at, std::size_t count, double* to) {
  return HWY_DYNAMIC_DISPATCH(sum_segments_of_doubles)(x, at, count, to);
}
}  // namespace upsweep::host::simd
#endif
