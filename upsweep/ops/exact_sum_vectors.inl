/// What the vector paths of exact_sum share, once for each SIMD target.

#if defined(UPSWEEP_EXACT_SUM_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_EXACT_SUM_VECTORS
#undef UPSWEEP_EXACT_SUM_VECTORS
#else
#define UPSWEEP_EXACT_SUM_VECTORS
#endif

#include <hwy/highway.h>

#include <upsweep/ops/exact_sum_state.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace upsweep::detail::exact::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using std::size_t;
using doubles = hn::ScalableTag<double>;
using longs = hn::RebindToUnsigned<doubles>;

/// Whether the caller's floating-point environment is IEEE's default, on which the windows rely.
inline bool default_arithmetic() {
  double const volatile smallest = 0x1p-1022, half = 0.5, one = 1, tie = 0x1p-53,
                        above_tie = 0x1.8p-53;
  return smallest * half > 0 && one + tie == one && -one - tie == -one && one + above_tie > one;
}

inline hn::Vec<doubles> load_doubles(double const* x) {
  return hn::LoadU(doubles(), x);
}
inline hn::Vec<doubles> load_doubles(float const* x) {
  return hn::PromoteTo(doubles(), hn::LoadU(hn::Rebind<float, doubles>(), x));
}

/// The largest magnitude in x[0, n), n a multiple of four vectors of doubles. A NaN may be missed
/// here; it shows in the windows' last remainder.
template <class T>
double largest(T const* x, size_t n) {
  hn::ScalableTag<T> const d;
  auto even = hn::Zero(d), odd = hn::Zero(d);
  for (size_t i = 0; i < n; i += 2 * hn::Lanes(d)) {
    even = hn::Max(even, hn::Abs(hn::LoadU(d, x + i)));
    odd = hn::Max(odd, hn::Abs(hn::LoadU(d, x + i + hn::Lanes(d))));
  }
  return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd))));
}

/// An exponent field whose power of two is larger than `x`.
inline int exponent_above(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) + 1;
}

/// The window that starts at 1.5 * 2^exponent (biased).
inline double window_start(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent) << 52 | std::uint64_t{1} << 51);
}

/// Adds +-magnitude in units of the last bit of a double with the (biased) exponent.
template <class T>
void add_units(superaccumulator<T>& sum, std::uint64_t magnitude, int exponent, bool negative) {
  int const position = exponent - 1075 + superaccumulator<T>::unit_exponent;
  if (position >= 0)
    sum.add(magnitude, position, negative);
  else  // floats have no bits below their unit, so none are lost
    sum.add(magnitude >> -position, 0, negative);
}

}  // namespace upsweep::detail::exact::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
