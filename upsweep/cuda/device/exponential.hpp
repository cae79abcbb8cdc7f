/// e^x and functions of it on a GPU, with the bits of core/portable_math.hpp and
/// core/quick_functions.hpp.
#pragma once

#include <upsweep/core/quick_functions.hpp>
#include <upsweep/simt/kernel.hpp>

#include <cstdint>

namespace upsweep::device {

using upsweep::detail::portable::powers_for_exp;

/// The table of exponential(), which blocks copy to shared memory.
using powers_of_exp = std::uint64_t[upsweep::detail::portable::exp_powers];
__device__ inline void copy_powers(powers_of_exp& to, unsigned threads) {
  constexpr auto count = static_cast<unsigned>(upsweep::detail::portable::exp_powers);
  for (unsigned i = threadIdx.x; i < count; i += threads) to[i] = powers_for_exp()[i];
}

/// Of float in 9 operations of double, rounded once.
__forceinline__ __device__ float exponential(float x,
                                             std::uint64_t const* powers = powers_for_exp()) {
#if UPSWEEP_ON_DEVICE
  asm("min.NaN.f32 %0, %0, %1;" : "+f"(x) : "f"(104.0F));
  asm("max.NaN.f32 %0, %0, %1;" : "+f"(x) : "f"(-104.0F));
  return static_cast<float>(upsweep::detail::portable::near_exp(x, powers));
#else
  return x != x ? x : upsweep::detail::portable::quick_exp(x < 104 ? x : 104, powers);
#endif
}
__forceinline__ __device__ double exponential(double x, std::uint64_t const* = nullptr) {
  return upsweep::detail::portable::exp(x);
}

__forceinline__ __device__ float softplus_of(float x,
                                             std::uint64_t const* powers = powers_for_exp()) {
  return upsweep::detail::portable::quick_softplus(x, powers);
}
__forceinline__ __device__ double softplus_of(double x, std::uint64_t const* = nullptr) {
  return upsweep::detail::portable::softplus(x);
}
__forceinline__ __device__ float logistic_of(float x,
                                             std::uint64_t const* powers = powers_for_exp()) {
  return upsweep::detail::portable::quick_logistic(x, powers);
}
__forceinline__ __device__ double logistic_of(double x, std::uint64_t const* = nullptr) {
  return upsweep::detail::portable::logistic(x);
}

/// softplus and its derivative, the logistic function.
template <class A>
struct value_and_slope {
  A value, slope;
};
__forceinline__ __device__ value_and_slope<float> softplus_with_slope(float x,
                                                                      std::uint64_t const* powers) {
  namespace quick = upsweep::detail::portable::detail;
  double const e = quick::near_exp_of_minus(x, powers);
  return {quick::softplus_by(e, x), quick::logistic_by(e, x)};
}
__forceinline__ __device__ value_and_slope<double> softplus_with_slope(double x,
                                                                       std::uint64_t const*) {
  return {softplus_of(x), logistic_of(x)};
}

}  // namespace upsweep::device
