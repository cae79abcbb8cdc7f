/// The kernels of windows, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/window_totals.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/window_totals.hpp>

#include <bit>
#include <limits>
#include <type_traits>

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

template <pairing how, class T>
void combine(T const* a, T const* b, T const* c, T const* d, T* HWY_RESTRICT to, std::size_t n) {
  if (c == nullptr)
    for_each_vector<T>(n, [&](auto tag, std::size_t i) HWY_ATTR {
      hn::StoreU(combined<how>(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i)), tag, to + i);
    });
  else
    for_each_vector<T>(n, [&](auto tag, std::size_t i) HWY_ATTR {
      auto const left = combined<how>(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i)),
                 right = combined<how>(hn::LoadU(tag, c + i), hn::LoadU(tag, d + i));
      hn::StoreU(combined<how>(left, right), tag, to + i);
    });
}

/// Negative numbers have their order reversed; twice is the identity.
template <class V>
HWY_INLINE V ordered(V bits) {
  hn::DFromV<V> const d;
  using T = hn::TFromD<decltype(d)>;
  return hn::Xor(bits,
                 hn::And(hn::BroadcastSignBit(bits), hn::Set(d, std::numeric_limits<T>::max())));
}

template <class T, class Key>
void order(T const* x, std::size_t n, Key* HWY_RESTRICT to, T nan) {
  for_each_vector<T>(n, [&](auto tag, std::size_t i) HWY_ATTR {
    hn::RebindToSigned<decltype(tag)> const di;
    auto const v = hn::LoadU(tag, x + i);
    auto const number = hn::IfThenElse(hn::Eq(v, v), v, hn::Set(tag, nan));
    hn::StoreU(ordered(hn::BitCast(di, number)), di, to + i);
  });
}
template <class T, class Key>
void unorder(Key const* x, std::size_t n, T* HWY_RESTRICT to) {
  for_each_vector<T>(n, [&](auto tag, std::size_t i) HWY_ATTR {
    hn::RebindToSigned<decltype(tag)> const di;
    hn::StoreU(hn::BitCast(tag, ordered(hn::LoadU(di, x + i))), tag, to + i);
  });
}

void add_i32(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
             std::int32_t const* d, std::int32_t* to, std::size_t n) {
  combine<pairing::sum>(a, b, c, d, to, n);
}
void add_i64(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
             std::int64_t const* d, std::int64_t* to, std::size_t n) {
  combine<pairing::sum>(a, b, c, d, to, n);
}
void add_f32(float const* a, float const* b, float const* c, float const* d, float* to,
             std::size_t n) {
  combine<pairing::sum>(a, b, c, d, to, n);
}
void add_f64(double const* a, double const* b, double const* c, double const* d, double* to,
             std::size_t n) {
  combine<pairing::sum>(a, b, c, d, to, n);
}
void smaller_i32(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                 std::int32_t const* d, std::int32_t* to, std::size_t n) {
  combine<pairing::smaller>(a, b, c, d, to, n);
}
void smaller_i64(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                 std::int64_t const* d, std::int64_t* to, std::size_t n) {
  combine<pairing::smaller>(a, b, c, d, to, n);
}
void larger_i32(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                std::int32_t const* d, std::int32_t* to, std::size_t n) {
  combine<pairing::larger>(a, b, c, d, to, n);
}
void larger_i64(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                std::int64_t const* d, std::int64_t* to, std::size_t n) {
  combine<pairing::larger>(a, b, c, d, to, n);
}
void order_f32(float const* x, std::size_t n, std::int32_t* to, float nan) {
  order(x, n, to, nan);
}
void order_f64(double const* x, std::size_t n, std::int64_t* to, double nan) {
  order(x, n, to, nan);
}
void unorder_f32(std::int32_t const* x, std::size_t n, float* to) {
  unorder(x, n, to);
}
void unorder_f64(std::int64_t const* x, std::size_t n, double* to) {
  unorder(x, n, to);
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(add_i32);
HWY_EXPORT(add_i64);
HWY_EXPORT(add_f32);
HWY_EXPORT(add_f64);
HWY_EXPORT(smaller_i32);
HWY_EXPORT(smaller_i64);
HWY_EXPORT(larger_i32);
HWY_EXPORT(larger_i64);
HWY_EXPORT(order_f32);
HWY_EXPORT(order_f64);
HWY_EXPORT(unorder_f32);
HWY_EXPORT(unorder_f64);

void window_kernels::add(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                         std::int32_t const* d, std::int32_t* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_i32)(a, b, c, d, to, n);
}
void window_kernels::add(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                         std::int64_t const* d, std::int64_t* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_i64)(a, b, c, d, to, n);
}
void window_kernels::add(float const* a, float const* b, float const* c, float const* d, float* to,
                         std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_f32)(a, b, c, d, to, n);
}
void window_kernels::add(double const* a, double const* b, double const* c, double const* d,
                         double* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(add_f64)(a, b, c, d, to, n);
}
void window_kernels::smaller(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                             std::int32_t const* d, std::int32_t* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(smaller_i32)(a, b, c, d, to, n);
}
void window_kernels::smaller(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                             std::int64_t const* d, std::int64_t* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(smaller_i64)(a, b, c, d, to, n);
}
void window_kernels::larger(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                            std::int32_t const* d, std::int32_t* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(larger_i32)(a, b, c, d, to, n);
}
void window_kernels::larger(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                            std::int64_t const* d, std::int64_t* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(larger_i64)(a, b, c, d, to, n);
}
void window_kernels::order(float const* x, std::size_t n, std::int32_t* to, float nan) {
  HWY_DYNAMIC_DISPATCH(order_f32)(x, n, to, nan);
}
void window_kernels::order(double const* x, std::size_t n, std::int64_t* to, double nan) {
  HWY_DYNAMIC_DISPATCH(order_f64)(x, n, to, nan);
}
void window_kernels::numbers(std::int32_t const* x, std::size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(unorder_f32)(x, n, to);
}
void window_kernels::numbers(std::int64_t const* x, std::size_t n, double* to) {
  HWY_DYNAMIC_DISPATCH(unorder_f64)(x, n, to);
}
}  // namespace upsweep::host::simd
#endif
