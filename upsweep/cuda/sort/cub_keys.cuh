/// What CUB has to know of float_key: in which order its bits are.
#pragma once

#include <upsweep/cuda/sort/keys.hpp>

#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

/// CUB's radix sorts take a type for which this is specialized as a number of its own, and sort it
/// by the integers that TwiddleIn returns.
template <class U>
struct NumericTraits<upsweep::device::float_key<U>> {
  using key = upsweep::device::float_key<U>;
  using UnsignedBits = U;
  static constexpr U LOWEST_KEY = key::first, MAX_KEY = key::last;
  static constexpr bool is_primitive = false;

  static __host__ __device__ __forceinline__ U TwiddleIn(U bits) { return key::ordered(bits); }
  static __host__ __device__ __forceinline__ U TwiddleOut(U bits) {
    return key::from_ordered(bits);
  }
};

CUB_NAMESPACE_END
