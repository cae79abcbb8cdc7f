/// Smallest and largest integers: the kernels of families.hpp, compiled once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/cpu/simd/integer_extrema.cpp>
#include <upsweep/cpu/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/cpu/simd/entries.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::simd::HWY_NAMESPACE {
integer_extrema const& table_of_integer_extrema() {
  return table_here<integer_extrema>::value;
}
}  // namespace upsweep::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::simd {
HWY_EXPORT(table_of_integer_extrema);
template <>
integer_extrema const& choose<integer_extrema>() {
  return HWY_DYNAMIC_DISPATCH(table_of_integer_extrema)();
}
}  // namespace upsweep::simd
#endif
