/// Compositions of affine maps: the kernels of families.hpp, compiled once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/cpu/simd/recurrences.cpp>
#include <upsweep/cpu/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/cpu/simd/entries.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::simd::HWY_NAMESPACE {
recurrences const& table_of_recurrences() {
  return table_here<recurrences>::value;
}
}  // namespace upsweep::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::simd {
HWY_EXPORT(table_of_recurrences);
template <>
recurrences const& choose<recurrences>() {
  return HWY_DYNAMIC_DISPATCH(table_of_recurrences)();
}
}  // namespace upsweep::simd
#endif
