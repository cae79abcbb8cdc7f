/// Scans of short segments, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/segment_scans.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/loops.hpp>
#include <upsweep/host/simd/segment_blocks.inl>
#include <upsweep/host/simd/segment_items.inl>

#include <cstddef>
#include <cstdint>
#include <tuple>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32

template <class T>
struct lane_scans : lane_items<T> {
  using V = vector<T>;
  static constexpr std::size_t n = lanes<T>;

  segment_scan<T> const& s;
  T* out;

  HWY_INLINE lane_scans(segment_scan<T> const& of, std::uint32_t const* borders,
                        std::int32_t const* lengths, T* to)
      : lane_items<T>(of.x, borders, lengths), s(of), out(to) {}

  /// Stores the first lanes of v. (Not a half of a vector under a mask: g++ 12 makes one
  /// instruction of taking the half and storing it, which faults for elements outside the mask.)
  template <items of>
  HWY_INLINE void store_item(V v, std::size_t i, std::size_t j) const {
    T* const to = out + this->at[i] + j * item;
    if constexpr (of == items::whole)
      hn::StoreU(first_item(v), item_tag<T>(), to);
    else
      hn::BlendedStore(v, hn::MaskFromVec(widened(this->left(of == items::equal ? 0 : i, j))),
                       tag<T>(), to);
  }
  template <items of>
  HWY_INLINE void store(V v, std::size_t i, std::size_t j) const {
    store_item<of>(v, i, j);
    if constexpr (n > item) store_item<of>(hn::ConcatUpperUpper(tag<T>(), v, v), i + item, j);
  }
  HWY_INLINE static hn::Vec<item_tag<T>> first_item(V v) {
    if constexpr (n > item)
      return hn::LowerHalf(v);
    else
      return v;
  }
  HWY_INLINE static V widened(hn::Vec<item_tag<T>> v) {
    if constexpr (n > item)
      return hn::ZeroExtendVector(tag<T>(), v);
    else
      return v;
  }
  /// The results of item j from its prefixes.
  HWY_INLINE void finish(V (&v)[item], std::size_t j) const {
    tag<T> const d;
    if (s.first) {
      v[3] = v[2];
      v[2] = v[1];
      v[1] = v[0];
      if (j > 0) v[0] = this->prefix[j];
    }
    if (s.initial)
      for (V& p : v) p = hn::Add(hn::Set(d, *s.initial), p);
    if (s.first && j == 0) v[0] = hn::Set(d, *s.first);
  }
  template <items of>
  HWY_INLINE void run(std::size_t j) {
    V v[item];
    for (std::size_t i = 0; i < item; ++i) v[i] = this->template load<of>(i, j);
    transpose_items(v);
    this->scan(v, j);
    if (s.first || s.initial) finish(v, j);
    transpose_items(v);
    for (std::size_t i = 0; i < item; ++i) store<of>(v[i], i, j);
  }
};

/// Segments of one element, from element `begin` on.
template <class T>
HWY_INLINE void copy_ones(segment_scan<T> const& s, std::size_t begin, T* out) {
  tag<T> const d;
  auto v = hn::LoadU(d, s.x + begin);
  if (s.first)
    v = hn::Set(d, *s.first);
  else if (s.initial)
    v = hn::Add(hn::Set(d, *s.initial), v);
  hn::StoreU(v, d, out + begin);
}

/// The scan of one segment.
template <class T>
struct alone_scan {
  segment_scan<T> const& s;
  T const* x;
  T* out;
  segment_blocks<T> blocks;

  HWY_INLINE alone_scan(segment_scan<T> const& of, std::uint32_t at, T* to)
      : s(of), x(of.x + at), out(to + at) {}

  template <bool is_last>
  HWY_INLINE void run(std::size_t j, std::size_t left) {
    constexpr std::size_t n = segment_blocks<T>::n;
    hn::ScalableTag<T> const d;
    T const* const from = x + j * n;
    auto const v = is_last ? load_last(from, left) : hn::LoadU(d, from);
    auto const before = blocks.prefix();
    auto results = blocks.prefixes(j, v);
    if (s.first || s.initial) results = finished(j, before, results);
    if constexpr (is_last)
      hn::BlendedStore(results, hn::FirstN(d, left), d, out + j * n);
    else
      hn::StoreU(results, d, out + j * n);
  }

 private:
  using V = typename segment_blocks<T>::V;

  /// The results of block j from its prefixes and the one before it.
  HWY_INLINE V finished(std::size_t j, V before, V prefixes) const {
    hn::ScalableTag<T> const d;
    V v = prefixes;
    if (s.first) v = segment_blocks<T>::moved_up(prefixes, before);
    if (s.initial) v = hn::Add(hn::Set(d, *s.initial), v);
    if (s.first && j == 0) v = segment_blocks<T>::with_first(v, hn::Set(d, *s.first));
    return v;
  }
};
template <class T>
HWY_NOINLINE std::size_t scan_alone(segment_scan<T> const& s, std::uint32_t const* at,
                                    std::size_t count, T* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const size = at[i + 1] - at[i];
    if (size > most_alone) return i;
    alone_scan<T> scan(s, at[i], out);
    if (size > 0) segment_blocks<T>::for_each(size, scan);
  }
  return count;
}

template <class T>
std::size_t scan_segments_of(segment_scan<T> const& s, T* out) {
  return run_groups<lanes<T>>(
      s.at, s.count,
      [&](std::size_t, std::uint32_t begin) HWY_ATTR {
        for (std::size_t i = 0; i < batch; i += lanes<T>) copy_ones(s, begin + i, out);
      },
      [&](std::size_t, std::uint32_t const* at, std::int32_t const* length, std::size_t size) {
        lane_scans<T> scans(s, at, length, out);
        bool const equal = scans.all_equal() && !scans.any_longer(most);
        if (!equal && scans.any_longer(2 * item)) return scan_alone(s, at, size, out);
        if (!equal)
          run_mixed<0>(scans);
        else if (length[0] == 1)
          copy_ones(s, at[0], out);
        else
          run_equal<0>(scans, static_cast<std::size_t>(length[0]));
        return size;
      });
}

#else

template <class T>
std::size_t scan_segments_of(segment_scan<T> const&, T*) {
  return 0;
}

#endif

auto const& kernels() {
  static constexpr auto all = std::make_tuple(scan_segments_of<float>, scan_segments_of<double>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(kernels);

template <class T>
std::size_t scan_segments(segment_scan<T> const& s, T* out) {
  return std::get<decltype(&scan_segments<T>)>(HWY_DYNAMIC_DISPATCH(kernels)())(s, out);
}
template std::size_t scan_segments(segment_scan<float> const&, float*);
template std::size_t scan_segments(segment_scan<double> const&, double*);
}  // namespace upsweep::host::simd
#endif
