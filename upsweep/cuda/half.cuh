/// CUDA's own 16-bit floats as elements: __half and __nv_bfloat16, combined in float like float16
/// and bfloat16.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <upsweep/core/number_types.hpp>

namespace upsweep {

template <>
inline constexpr bool detail::is_narrow_float<__half> = true;
template <>
inline constexpr bool detail::is_narrow_float<__nv_bfloat16> = true;

namespace device {

template <>
inline constexpr bool is_half<__half> = true;
template <>
inline constexpr bool is_bfloat16<__nv_bfloat16> = true;

}  // namespace device
}  // namespace upsweep
