/// The bins of elements by the formula of even bins, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/even_bins.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Elements that floats alone decide, or doubles for all of them.
constexpr std::size_t group = 64;

/// The elements at `x` as signed integers: vectors convert no others, so unsigned ones are less by
/// 2^31.
template <class D, class T>
HWY_INLINE auto load_signed(D d, T const* x) {
  auto const v = hn::LoadU(d, reinterpret_cast<std::int32_t const*>(x));
  if constexpr (std::is_same_v<T, std::uint32_t>)
    return hn::Xor(v, hn::Set(d, std::int32_t{-0x7fffffff - 1}));
  else
    return v;
}

/// By exact comparison with the nearest border.
template <class T>
HWY_INLINE void find_by_doubles(T const* x, detail::even_line const& line, std::uint32_t* to) {
  hn::ScalableTag<double> const d;
  hn::Rebind<std::int32_t, decltype(d)> const di;
  auto const load = [&](T const* from) HWY_ATTR {
    if constexpr (std::is_same_v<T, double>)
      return hn::LoadU(d, from);
    else if constexpr (std::is_same_v<T, float>)
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), from));
    else if constexpr (std::is_same_v<T, std::uint32_t>)
      return hn::Add(hn::PromoteTo(d, load_signed(di, from)), hn::Set(d, 0x1p31));
    else
      return hn::PromoteTo(d, load_signed(di, from));
  };
  auto const low = hn::Set(d, line.low), step = hn::Set(d, line.step), one = hn::Set(d, 1.0),
             per_step = hn::Set(d, line.per_step), end = hn::Set(d, line.end),
             half = hn::Set(d, 0.5), last = hn::Set(d, static_cast<double>(line.bins)),
             nan = hn::Set(d, static_cast<double>(line.bins + 2));
  for (std::size_t j = 0; j < group; j += hn::Lanes(d)) {
    auto const v = load(x + j);
    auto const place = hn::Mul(hn::Sub(v, low), per_step);
    auto const border = hn::Floor(hn::Add(hn::Min(hn::Max(place, hn::Zero(d)), last), half));
    auto const level =
        hn::IfThenElse(hn::Eq(border, last), end, hn::Add(low, hn::Mul(border, step)));
    auto const reached = hn::Add(border, hn::IfThenElseZero(hn::Ge(v, level), one));
    auto const index = hn::IfThenElse(hn::Eq(v, v), reached, nan);
    hn::StoreU(hn::DemoteTo(di, index), di, reinterpret_cast<std::int32_t*>(to) + j);
  }
}

/// Finds bins by positions on the line, which are in [b, b + 1) between the borders b - 1 and b;
/// false if one is so near a whole number that rounding may hide its bin.
template <class T>
HWY_INLINE bool find_by_floats(T const* x, detail::even_line const& line, std::uint32_t* to) {
  hn::ScalableTag<float> const d;
  hn::RebindToSigned<decltype(d)> const di;
  auto const load = [&](T const* from) HWY_ATTR {
    if constexpr (std::is_same_v<T, float>)
      return hn::LoadU(d, from);
    else
      return hn::ConvertTo(d, load_signed(di, from));
  };
  auto const low = hn::Set(d, line.low_in_floats), one = hn::Set(d, 1.0f),
             per_step = hn::Set(d, static_cast<float>(line.per_step)), half = hn::Set(d, 0.5f),
             last = hn::Set(d, static_cast<float>(line.bins) + 1.5f),
             most = hn::Set(d, 0.5f - line.margin);
  auto const nan = hn::Set(di, static_cast<std::int32_t>(line.bins + 2));
  auto farthest = hn::Zero(d);
  for (std::size_t j = 0; j < group; j += hn::Lanes(d)) {
    auto const v = load(x + j);
    auto const on_line = hn::MulAdd(hn::Sub(v, low), per_step, one);
    auto const place = hn::Min(hn::Max(on_line, half), last);
    auto index = hn::ConvertTo(di, place);
    auto const from_middle = hn::Abs(hn::Sub(hn::Sub(place, hn::ConvertTo(d, index)), half));
    if constexpr (std::is_same_v<T, float>) {
      auto const is_number = hn::Eq(v, v);
      index = hn::IfThenElse(hn::RebindMask(di, is_number), index, nan);
      farthest = hn::Max(farthest, hn::IfThenElseZero(is_number, from_middle));
    } else {
      farthest = hn::Max(farthest, from_middle);
    }
    hn::StoreU(index, di, reinterpret_cast<std::int32_t*>(to) + j);
  }
  return hn::AllTrue(d, hn::Le(farthest, most));
}

template <class T>
HWY_INLINE void find_group(T const* x, detail::even_line const& line, std::uint32_t* to) {
  if constexpr (!std::is_same_v<T, double>)
    if (line.margin > 0 && find_by_floats(x, line, to)) return;
  find_by_doubles(x, line, to);
}

template <class T>
void find_bins_of(T const* x, std::size_t n, detail::even_line const& line, std::uint32_t* to) {
  std::size_t i = 0;
  for (; n - i >= group; i += group) find_group(x + i, line, to + i);
  if (i == n) return;
  T last[group] = {};
  std::uint32_t found[group];
  std::copy(x + i, x + n, last);
  find_group(last, line, found);
  std::copy(found, found + (n - i), to + i);
}

auto const& kernels() {
  static constexpr auto all =
      std::make_tuple(find_bins_of<float>, find_bins_of<double>, find_bins_of<std::int32_t>,
                      find_bins_of<std::uint32_t>);
  return all;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(kernels);

template <class T>
void find_even_bins(T const* x, std::size_t n, detail::even_line const& line, std::uint32_t* to) {
  std::get<decltype(&find_even_bins<T>)>(HWY_DYNAMIC_DISPATCH(kernels)())(x, n, line, to);
}
template void find_even_bins(float const*, std::size_t, detail::even_line const&, std::uint32_t*);
template void find_even_bins(double const*, std::size_t, detail::even_line const&, std::uint32_t*);
template void find_even_bins(std::int32_t const*, std::size_t, detail::even_line const&,
                             std::uint32_t*);
template void find_even_bins(std::uint32_t const*, std::size_t, detail::even_line const&,
                             std::uint32_t*);
}  // namespace upsweep::host::simd
#endif
