/// And, or and exclusive or of integers: the kernels of families.hpp, compiled once for each SIMD
/// target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/cpu/simd/bit_operations.cpp>
#include <upsweep/cpu/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/cpu/simd/entries.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::simd::HWY_NAMESPACE {
bit_operations const& table_of_bit_operations() {
  return table_here<bit_operations>::value;
}
}  // namespace upsweep::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::simd {
HWY_EXPORT(table_of_bit_operations);
template <>
bit_operations const& choose<bit_operations>() {
  return HWY_DYNAMIC_DISPATCH(table_of_bit_operations)();
}
}  // namespace upsweep::simd
#endif
