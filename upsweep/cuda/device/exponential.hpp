/// e^x and functions of it on a GPU, with the bits of core/portable_math.hpp and
/// core/portable_functions.hpp.
#pragma once

#include <upsweep/core/portable_functions.hpp>
#include <upsweep/simt/kernel.hpp>

namespace upsweep::device {

/// Of float in 11 operations of double, rounded once. Without a branch around them, so that those
/// of several values overlap.
__forceinline__ __device__ float exponential(float x) {
  float y = upsweep::detail::portable::quick_exp(x < 104 ? x : 104);
#if UPSWEEP_ON_DEVICE
  asm volatile("" : "+f"(y));  // computed for NaN, too
#endif
  return x != x ? x : y;
}
__forceinline__ __device__ double exponential(double x) {
  return upsweep::detail::portable::exp(x);
}

__forceinline__ __device__ float softplus_of(float x) {
  return upsweep::detail::portable::quick_softplus(x);
}
__forceinline__ __device__ double softplus_of(double x) {
  return upsweep::detail::portable::softplus(x);
}
__forceinline__ __device__ float logistic_of(float x) {
  return upsweep::detail::portable::quick_logistic(x);
}
__forceinline__ __device__ double logistic_of(double x) {
  return upsweep::detail::portable::logistic(x);
}

}  // namespace upsweep::device
