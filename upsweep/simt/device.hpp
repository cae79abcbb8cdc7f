/// Dynamic shared memory, and shuffles for values wider than CUDA's own. Kernel files include
/// simt/kernel.hpp.
#pragma once

#ifndef __CUDACC__
#error "simt/device.hpp is for CUDA C++; include simt/kernel.hpp, which chooses"
#endif

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace upsweep::simt {

/// The dynamic shared memory of the launch, `launch_shape::shared_bytes` bytes.
template <class T>
__device__ T* dynamic_shared() {
#ifdef UPSWEEP_EMULATED  // without a definition, its address is that of the dynamic part
  extern __shared__ __attribute__((weak)) unsigned char upsweep_dynamic_shared[];
#else
  extern __shared__ __align__(128) unsigned char upsweep_dynamic_shared[];
#endif
  return reinterpret_cast<T*>(upsweep_dynamic_shared);
}

/// The same memory read as elements of another type, for vector accesses.
template <class U, class T>
__device__ U* pointer_cast(T* p) {
  return reinterpret_cast<U*>(p);
}

#ifdef UPSWEEP_EMULATED
/// `__shfl_sync` and its three variants for any trivially copyable value. A GPU needs one
/// instruction per 32-bit word; here the call counts once.
template <class T>
__device__ T shuffle(unsigned mask, T value, int source, int width = 32) {
  return __shfl_sync(mask, value, source, width);
}
template <class T>
__device__ T shuffle_up(unsigned mask, T value, unsigned distance, int width = 32) {
  return __shfl_up_sync(mask, value, distance, width);
}
template <class T>
__device__ T shuffle_down(unsigned mask, T value, unsigned distance, int width = 32) {
  return __shfl_down_sync(mask, value, distance, width);
}
template <class T>
__device__ T shuffle_xor(unsigned mask, T value, int lanes, int width = 32) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
#else
/// Applies `exchange` to each 32-bit word of `value`: CUDA's shuffles take arithmetic types only.
template <class T, class Exchange>
__device__ T shuffle_words(T value, Exchange exchange) {
  static_assert(std::is_trivially_copyable_v<T>,
                "a shuffle copies bytes, so the value must be trivially copyable");
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
    return exchange(value);
  } else {
    constexpr std::size_t words = (sizeof(T) + 3) / 4;
    unsigned word[words] = {};
    std::memcpy(word, &value, sizeof(T));
#pragma unroll
    for (std::size_t i = 0; i < words; ++i) word[i] = exchange(word[i]);
    std::memcpy(&value, word, sizeof(T));
    return value;
  }
}

/// `__shfl_sync` and its three variants for any trivially copyable value; one instruction per
/// 32-bit word.
template <class T>
__device__ T shuffle(unsigned mask, T value, int source, int width = 32) {
  return shuffle_words(value, [=](auto x) { return __shfl_sync(mask, x, source, width); });
}
template <class T>
__device__ T shuffle_up(unsigned mask, T value, unsigned distance, int width = 32) {
  return shuffle_words(value, [=](auto x) { return __shfl_up_sync(mask, x, distance, width); });
}
template <class T>
__device__ T shuffle_down(unsigned mask, T value, unsigned distance, int width = 32) {
  return shuffle_words(value, [=](auto x) { return __shfl_down_sync(mask, x, distance, width); });
}
template <class T>
__device__ T shuffle_xor(unsigned mask, T value, int lanes, int width = 32) {
  return shuffle_words(value, [=](auto x) { return __shfl_xor_sync(mask, x, lanes, width); });
}
#endif

}  // namespace upsweep::simt
