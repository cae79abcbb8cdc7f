/// The vector kernels of one family of families.hpp, once for each SIMD target. CMake compiles this
/// file once for each family, with its name as UPSWEEP_FAMILY.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/family.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/host/simd/entries.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {
UPSWEEP_FAMILY::reductions const& reductions_of_family() {
  return table_here<UPSWEEP_FAMILY::reductions>::value;
}
UPSWEEP_FAMILY::scans const& scans_of_family() {
  return table_here<UPSWEEP_FAMILY::scans>::value;
}
}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(reductions_of_family);
HWY_EXPORT(scans_of_family);
template <>
UPSWEEP_FAMILY::reductions const& choose_reductions<UPSWEEP_FAMILY>() {
  return HWY_DYNAMIC_DISPATCH(reductions_of_family)();
}
template <>
UPSWEEP_FAMILY::scans const& choose_scans<UPSWEEP_FAMILY>() {
  return HWY_DYNAMIC_DISPATCH(scans_of_family)();
}
}  // namespace upsweep::host::simd
#endif
