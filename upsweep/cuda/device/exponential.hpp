/// e^x on a GPU, with the bits of core/portable_math.hpp.
#pragma once

#include <upsweep/core/portable_math.hpp>
#include <upsweep/simt/kernel.hpp>

namespace upsweep::device {

/// Of float in 11 operations of double, rounded once.
__forceinline__ __device__ float exponential(float x) {
  return x != x ? x : upsweep::detail::portable::quick_exp(x < 104 ? x : 104);
}
__forceinline__ __device__ double exponential(double x) {
  return upsweep::detail::portable::exp(x);
}

}  // namespace upsweep::device
