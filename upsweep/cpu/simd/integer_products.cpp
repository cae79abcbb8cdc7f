/// Products of integers: the kernels of families.hpp, compiled once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/cpu/simd/integer_products.cpp>
#include <upsweep/cpu/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/cpu/simd/entries.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::simd::HWY_NAMESPACE {
integer_products const& table_of_integer_products() {
  return table_here<integer_products>::value;
}
}  // namespace upsweep::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::simd {
HWY_EXPORT(table_of_integer_products);
template <>
integer_products const& choose<integer_products>() {
  return HWY_DYNAMIC_DISPATCH(table_of_integer_products)();
}
}  // namespace upsweep::simd
#endif
