/// Sums of integers: the kernels of families.hpp, compiled once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/cpu/simd/integer_sums.cpp>
#include <upsweep/cpu/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/cpu/simd/entries.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::simd::HWY_NAMESPACE {
integer_sums const& table_of_integer_sums() {
  return table_here<integer_sums>::value;
}
}  // namespace upsweep::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::simd {
HWY_EXPORT(table_of_integer_sums);
template <>
integer_sums const& choose<integer_sums>() {
  return HWY_DYNAMIC_DISPATCH(table_of_integer_sums)();
}
}  // namespace upsweep::simd
#endif
