/// Comparisons of neighbors by vector instructions, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/heads.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/loops.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The bits of up to eight elements.
template <class T>
std::uint8_t heads_of_few(T const* x, std::size_t n, bool follows) {
  unsigned heads = n > 0 && (!follows || x[0] != x[-1]) ? 1 : 0;
  for (std::size_t i = 1; i < n; ++i) heads |= (x[i] != x[i - 1] ? 1u : 0u) << i;
  return static_cast<std::uint8_t>(heads);
}

/// The bits of as many elements as a vector has, at least eight.
template <class T>
HWY_INLINE void store_heads(T const* x, std::uint8_t* bits) {
  hn::ScalableTag<T> const d;
  // Not Ne, which says of two NaNs that they do not differ.
  auto const heads = [&](T const* at) {
    return hn::Not(hn::Eq(hn::LoadU(d, at), hn::LoadU(d, at - 1)));
  };
  constexpr std::size_t lanes = hn::MaxLanes(d);
  if constexpr (lanes >= 8) {
    hn::StoreMaskBits(d, heads(x), bits);
  } else {
    std::uint8_t part[8], eight = 0;
    for (std::size_t i = 0; i < 8; i += lanes) {
      hn::StoreMaskBits(d, heads(x + i), part);
      eight = static_cast<std::uint8_t>(eight | part[0] << i);
    }
    *bits = eight;
  }
}

template <class T>
void find_heads_of(T const* x, std::size_t n, bool follows, std::uint8_t* bits) {
  if (n == 0) return;
  std::size_t i = n < 8 ? n : 8;
  *bits = heads_of_few(x, i, follows);
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>()), step = lanes < 8 ? 8 : lanes;
  for (; i + step <= n; i += step) store_heads(x + i, bits + i / 8);
#endif
  for (; i < n; i += 8) bits[i / 8] = heads_of_few(x + i, n - i < 8 ? n - i : 8, true);
}

auto const& kernels() {
  static constexpr auto all = std::make_tuple(
      find_heads_of<std::uint8_t>, find_heads_of<std::uint16_t>, find_heads_of<std::uint32_t>,
      find_heads_of<std::uint64_t>, find_heads_of<float>, find_heads_of<double>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(kernels);

template <class T>
void find_heads(T const* x, std::size_t n, bool follows, std::uint8_t* bits) {
  std::get<decltype(&find_heads<T>)>(HWY_DYNAMIC_DISPATCH(kernels)())(x, n, follows, bits);
}
template void find_heads(std::uint8_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(std::uint16_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(std::uint32_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(std::uint64_t const*, std::size_t, bool, std::uint8_t*);
template void find_heads(float const*, std::size_t, bool, std::uint8_t*);
template void find_heads(double const*, std::size_t, bool, std::uint8_t*);
}  // namespace upsweep::host::simd
#endif
