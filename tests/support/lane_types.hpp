/// The names of types of elements, for kernels that take them at run time.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <type_traits>

namespace upsweep::test {

#ifdef UPSWEEP_HAS_FLOAT16
using half_float = float16;
#else
using half_float = bfloat16;
#endif

/// That of a real type.
template <class E>
inline constexpr host::simd::lane_type lane_type_of = [] {
  using enum host::simd::lane_type;
  return std::is_same_v<E, bfloat16>     ? bf16
         : std::is_same_v<E, half_float> ? f16
         : std::is_same_v<E, float>      ? f32
                                         : f64;
}();

}  // namespace upsweep::test
