/// Sums of short segments, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/segment_sums.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/segment_blocks.inl>
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

/// The sum of one segment.
template <class T>
struct alone_sum {
  T const* x;
  T sum = T{};
  segment_blocks<T> blocks;

  HWY_INLINE explicit alone_sum(T const* elements) : x(elements) {}

  template <bool is_last>
  HWY_INLINE void run(std::size_t j, std::size_t left) {
    constexpr std::size_t n = segment_blocks<T>::n;
    hn::ScalableTag<T> const d;
    T const* const from = x + j * n;
    if constexpr (is_last) {
      alignas(64) T prefixes[n];
      hn::Store(blocks.prefixes(j, load_last(from, left)), d, prefixes);
      sum = prefixes[left - 1];
    } else {
      blocks.pass(j, hn::LoadU(d, from));
    }
  }
};
template <class T>
HWY_NOINLINE std::size_t sum_alone(T const* x, std::uint32_t const* at, std::size_t count, T* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const size = at[i + 1] - at[i];
    if (size > most_alone) return i;
    alone_sum<T> sum(x + at[i]);
    if (size > 0) segment_blocks<T>::for_each(size, sum);
    to[i] = sum.sum;
  }
  return count;
}

template <class T>
std::size_t sum_segments_of(T const* x, std::uint32_t const* borders, std::size_t count, T* to) {
  tag<T> const d;
  return run_groups<T>(
      borders, count,
      [&](std::size_t k, std::uint32_t const* at, std::int32_t const* length, std::size_t size) {
        lane_sums<T> sums(x, at, length);
        bool const equal = sums.all_equal() && !sums.any_longer(most);
        if (!equal && sums.any_longer(2 * item)) return sum_alone(x, at, size, to + k);
        if (!equal)
          run_mixed<0>(sums);
        else if (length[0] == 1)
          sums.sum = hn::LoadU(d, x + at[0]);
        else
          run_equal<0>(sums, static_cast<std::size_t>(length[0]));
        if (size == lanes<T>)
          hn::StoreU(sums.sum, d, to + k);
        else
          hn::BlendedStore(sums.sum, hn::FirstN(d, size), d, to + k);
        return size;
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
