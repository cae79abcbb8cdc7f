/// The kernels of windows, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/window_totals.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/codecs.inl>
#include <upsweep/host/simd/loops.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

enum class pairing { sum, smaller, larger };

/// Calls step(d, i) for vectors from i on that cover [0, n), at the end some elements twice, with
/// vectors of fewer lanes if there are fewer elements.
template <class T, class F>
HWY_INLINE void for_each_vector(std::size_t n, F const& step) {
  hn::ScalableTag<T> const d;
  std::size_t const lanes = hn::Lanes(d);
  if (n < lanes) {
    hn::CappedTag<T, 1> const one;
    for (std::size_t i = 0; i < n; ++i) step(one, i);
    return;
  }
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) step(d, i);
  if (i < n) step(d, n - lanes);
}

template <pairing how, class V>
HWY_INLINE V combined(V a, V b) {
  if constexpr (how == pairing::sum)
    return hn::Add(a, b);
  else if constexpr (how == pairing::smaller)
    return hn::Min(a, b);
  else
    return hn::Max(a, b);
}

/// The width of windows, and what is kept of the elements before those that come next.
///
/// The total of the 2^(k+1) elements up to each position is made of those of 2^k elements up to
/// this position and to the one 2^k before it; and a window's blocks up to bit k of its width
/// of the larger blocks, whose last position is 2^k before its own, and a block of 2^k. So
/// the kernel puts four vectors at a time through all levels, and through the bits of the width
/// from the largest to the smallest. Each level and bit keeps the last 2^k values that it got: in
/// a ring or, of less than four vectors, the last one or two of them.
template <pairing how, class D>
class windows {
 public:
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D()), step = 4 * lanes;

  windows(std::size_t width, T* memory)
      : width_(width), top_(detail::floor_log2(width)), memory_(memory) {
    T* next = memory + bits_in_step * (step + 2 * 2 * lanes);
    for (int k = bits_in_step; k < top_; ++k) add_ring(next, nullptr, k);
    for (int k = top_; k-- > bits_in_step;)
      if (has(k)) add_ring(next, rings_[k - bits_in_step].values, k);
  }

  /// Stores the totals of the windows that end in each of the `step` elements from position `at`
  /// on.
  HWY_INLINE void pass(T const* HWY_RESTRICT x, std::size_t at, T* HWY_RESTRICT to) const {
    D const d;
    V v0 = hn::LoadU(d, x), v1 = hn::LoadU(d, x + lanes), v2 = hn::LoadU(d, x + 2 * lanes),
      v3 = hn::LoadU(d, x + 3 * lanes);
    T* const kept = memory_ + bits_in_step * 2 * 2 * lanes;
    rise<0>(kept, v0, v1, v2, v3);
    for (ring const *r = rings_, *const end = rings_ + count_; r != end; ++r) {
      std::size_t const slot = at & (r->size - 1);
      T* const values = r->values + slot;
      V const o0 = hn::LoadU(d, values), o1 = hn::LoadU(d, values + lanes),
              o2 = hn::LoadU(d, values + 2 * lanes), o3 = hn::LoadU(d, values + 3 * lanes);
      store(v0, v1, v2, v3, values);
      if (r->with != nullptr) {
        T const* const with = r->with + slot;
        v0 = hn::LoadU(d, with);
        v1 = hn::LoadU(d, with + lanes);
        v2 = hn::LoadU(d, with + 2 * lanes);
        v3 = hn::LoadU(d, with + 3 * lanes);
      }
      v0 = combined<how>(o0, v0);
      v1 = combined<how>(o1, v1);
      v2 = combined<how>(o2, v2);
      v3 = combined<how>(o3, v3);
    }
    fall<bits_in_step - 1>(kept, v0, v1, v2, v3);
    store(v0, v1, v2, v3, to);
  }

 private:
  static constexpr int bits_in_step = std::bit_width(step) - 1;
  /// The last values of a level, or of a bit with those of its level.
  struct ring {
    T* values;
    T const* with;
    std::size_t size;
  };

  [[nodiscard]] bool has(int k) const { return (width_ >> k & 1) != 0; }
  void add_ring(T*& next, T const* with, int k) {
    std::size_t const size = std::size_t{1} << k;
    rings_[count_++] = {next, with, size};
    next += size + 320 / sizeof(T);  // not at the same position of a page as other rings
  }
  static HWY_INLINE void store(V const& v0, V const& v1, V const& v2, V const& v3, T* to) {
    D const d;
    hn::StoreU(v0, d, to);
    hn::StoreU(v1, d, to + lanes);
    hn::StoreU(v2, d, to + 2 * lanes);
    hn::StoreU(v3, d, to + 3 * lanes);
  }

  template <int k>
  HWY_INLINE void rise(T* kept, V& v0, V& v1, V& v2, V& v3) const {
    if constexpr (k < bits_in_step) {
      if (k >= top_) return;
      if (has(k)) store(v0, v1, v2, v3, kept + k * step);
      V const w0 = v0, w1 = v1, w2 = v2, w3 = v3;
      delay<k>(memory_ + k * 2 * lanes, v0, v1, v2, v3);
      v0 = combined<how>(v0, w0);
      v1 = combined<how>(v1, w1);
      v2 = combined<how>(v2, w2);
      v3 = combined<how>(v3, w3);
      rise<k + 1>(kept, v0, v1, v2, v3);
    }
  }
  template <int k>
  HWY_INLINE void fall(T const* kept, V& v0, V& v1, V& v2, V& v3) const {
    if constexpr (k >= 0) {
      if (k < top_ && has(k)) {
        D const d;
        T const* const with = kept + k * step;
        delay<k>(memory_ + (bits_in_step + k) * 2 * lanes, v0, v1, v2, v3);
        v0 = combined<how>(v0, hn::LoadU(d, with));
        v1 = combined<how>(v1, hn::LoadU(d, with + lanes));
        v2 = combined<how>(v2, hn::LoadU(d, with + 2 * lanes));
        v3 = combined<how>(v3, hn::LoadU(d, with + 3 * lanes));
      }
      fall<k - 1>(kept, v0, v1, v2, v3);
    }
  }

  /// The values 2^k before these, less than four vectors.
  template <int k>
  static HWY_INLINE void delay(T* last, V& v0, V& v1, V& v2, V& v3) {
    D const d;
    constexpr std::size_t distance = std::size_t{1} << k;
    V const older = hn::LoadU(d, last);
    if constexpr (distance == 2 * lanes) {
      V const old = hn::LoadU(d, last + lanes);
      hn::StoreU(v2, d, last);
      hn::StoreU(v3, d, last + lanes);
      v3 = v1;
      v2 = v0;
      v1 = old;
      v0 = older;
    } else {
      hn::StoreU(v3, d, last);
      v3 = shifted<distance>(v2, v3);
      v2 = shifted<distance>(v1, v2);
      v1 = shifted<distance>(v0, v1);
      v0 = shifted<distance>(older, v0);
    }
  }
  /// The lanes `distance` before those of v, which follows `older`.
  template <std::size_t distance>
  static HWY_INLINE V shifted(V const& older, V const& v) {
    if constexpr (distance == lanes) {
      return older;
    } else {
      hn::RebindToFloat<D> const d;  // whose registers say how large a lane is
      return hn::BitCast(D(), shifted<distance>(hn::BitCast(d, older), hn::BitCast(d, v),
                                                std::make_index_sequence<lanes>()));
    }
  }
  template <std::size_t distance, class F, std::size_t... lane>
  static HWY_INLINE F shifted(F const& older, F const& v, std::index_sequence<lane...>) {
    return F{
        __builtin_shufflevector(older.raw, v.raw, static_cast<int>(lanes - distance + lane)...)};
  }

  std::size_t width_;
  int top_;
  T* memory_;
  ring rings_[128];
  std::size_t count_ = 0;
};

template <pairing how, class T>
void total(T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory, T* to) {
#if UPSWEEP_SIMD_VECTORS
  using D = hn::ScalableTag<T>;
#else
  using D = hn::CappedTag<T, 1>;
#endif
  using W = windows<how, D>;
  W const all(width, memory);
  // Elements in which no window ends.
  std::size_t const none = at + 1 < width ? width - 1 - at : 0;
  for (std::size_t i = 0; i < n; i += W::step) {
    if (i >= none && i + W::step <= n) {
      all.pass(x + i, at + i, to + (i - none));
      continue;
    }
    HWY_ALIGN T some[2 * W::step] = {};
    std::size_t const end = n - i < W::step ? n - i : W::step;
    for (std::size_t j = 0; j < end; ++j) some[j] = x[i + j];
    all.pass(some, at + i, some + W::step);
    for (std::size_t j = i < none ? none - i : 0; j < end; ++j)
      to[i + j - none] = some[W::step + j];
  }
}

template <class T>
void order(T const* x, std::size_t n, window_key<T>* HWY_RESTRICT to, T nan) {
  for_each_vector<T>(n, [&](auto tag, std::size_t i) HWY_ATTR {
    hn::RebindToSigned<decltype(tag)> const di;
    auto const v = hn::LoadU(tag, x + i);
    auto const number = hn::IfThenElse(hn::Eq(v, v), v, hn::Set(tag, nan));
    hn::StoreU(turn_negative(hn::BitCast(di, number)), di, to + i);
  });
}
template <class T>
void unorder(window_key<T> const* x, std::size_t n, T* HWY_RESTRICT to) {
  for_each_vector<T>(n, [&](auto tag, std::size_t i) HWY_ATTR {
    hn::RebindToSigned<decltype(tag)> const di;
    hn::StoreU(hn::BitCast(tag, turn_negative(hn::LoadU(di, x + i))), tag, to + i);
  });
}

auto const& sums() {
  static constexpr auto all =
      std::make_tuple(total<pairing::sum, std::int32_t>, total<pairing::sum, std::int64_t>,
                      total<pairing::sum, float>, total<pairing::sum, double>);
  return all;
}
auto const& smaller_ones() {
  static constexpr auto all =
      std::make_tuple(total<pairing::smaller, std::int32_t>, total<pairing::smaller, std::int64_t>);
  return all;
}
auto const& larger_ones() {
  static constexpr auto all =
      std::make_tuple(total<pairing::larger, std::int32_t>, total<pairing::larger, std::int64_t>);
  return all;
}
auto const& orders() {
  static constexpr auto all = std::make_tuple(order<float>, order<double>);
  return all;
}
auto const& numbers_of() {
  static constexpr auto all = std::make_tuple(unorder<float>, unorder<double>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(sums);
HWY_EXPORT(smaller_ones);
HWY_EXPORT(larger_ones);
HWY_EXPORT(orders);
HWY_EXPORT(numbers_of);

template <class T>
void window_kernels::add(T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory,
                         T* to) {
  std::get<decltype(&add<T>)>(HWY_DYNAMIC_DISPATCH(sums)())(x, n, at, width, memory, to);
}
template <class T>
void window_kernels::smaller(T const* x, std::size_t n, std::size_t at, std::size_t width,
                             T* memory, T* to) {
  std::get<decltype(&smaller<T>)>(HWY_DYNAMIC_DISPATCH(smaller_ones)())(x, n, at, width, memory,
                                                                        to);
}
template <class T>
void window_kernels::larger(T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory,
                            T* to) {
  std::get<decltype(&larger<T>)>(HWY_DYNAMIC_DISPATCH(larger_ones)())(x, n, at, width, memory, to);
}
template <class T>
void window_kernels::order(T const* x, std::size_t n, window_key<T>* to, T nan) {
  std::get<decltype(&order<T>)>(HWY_DYNAMIC_DISPATCH(orders)())(x, n, to, nan);
}
template <class T>
void window_kernels::numbers(window_key<T> const* keys, std::size_t n, T* to) {
  std::get<decltype(&numbers<T>)>(HWY_DYNAMIC_DISPATCH(numbers_of)())(keys, n, to);
}

#define UPSWEEP_INSTANTIATE(verb, T) \
  template void window_kernels::verb(T const*, std::size_t, std::size_t, std::size_t, T*, T*);
UPSWEEP_INSTANTIATE(add, std::int32_t)
UPSWEEP_INSTANTIATE(add, std::int64_t)
UPSWEEP_INSTANTIATE(add, float)
UPSWEEP_INSTANTIATE(add, double)
UPSWEEP_INSTANTIATE(smaller, std::int32_t)
UPSWEEP_INSTANTIATE(smaller, std::int64_t)
UPSWEEP_INSTANTIATE(larger, std::int32_t)
UPSWEEP_INSTANTIATE(larger, std::int64_t)
#undef UPSWEEP_INSTANTIATE
template void window_kernels::order(float const*, std::size_t, std::int32_t*, float);
template void window_kernels::order(double const*, std::size_t, std::int64_t*, double);
template void window_kernels::numbers(std::int32_t const*, std::size_t, float*);
template void window_kernels::numbers(std::int64_t const*, std::size_t, double*);
}  // namespace upsweep::host::simd
#endif
