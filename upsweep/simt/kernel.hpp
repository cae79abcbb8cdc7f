/// What kernels use beside CUDA C++: several elements as one, shared memory for values of any type,
/// and shuffles for values wider than CUDA's own.
#pragma once

#include <cstddef>
#ifdef __CUDACC__
#include <cstring>
#include <type_traits>
#endif

namespace upsweep::simt {

/// N adjacent elements, aligned to their total size: `pointer_cast<packed<float, 4>>(p)[i]` is one
/// access of 16 bytes.
template <class T, std::size_t N>
struct alignas(sizeof(T) * N) packed {
  static_assert(
      (N & (N - 1)) == 0 && sizeof(T) * N <= 16,
      "a GPU accesses up to 16 bytes at once, and the number of elements must be a power of two");

  T value[N];
};

#ifdef __CUDACC__  // host code that includes a kernel's file needs only `packed`

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

/// A value in shared memory, where CUDA requires a type without a constructor. It consists of the
/// largest units that one access moves: a struct of four floats takes one access, not four. (The
/// builtin, because a position in std::bit_cast says nothing.)
template <class A>
struct box {
  static constexpr std::size_t largest = sizeof(A) & (~sizeof(A) + 1),
                               bytes = largest < 16 ? largest : 16;
  using unit = std::conditional_t<bytes % 4 == 0, packed<unsigned, bytes / 4 + (bytes < 4)>,
                                  packed<unsigned char, bytes>>;
  alignas(A) alignas(unit) unit units[sizeof(A) / sizeof(unit)];

  box() = default;
  __device__ box(A const& a) : box(__builtin_bit_cast(box, a)) {}
  __device__ operator A() const { return __builtin_bit_cast(A, *this); }
};
/// `A` in shared memory: itself if CUDA allows that and one access moves it.
template <class A>
using boxed = std::conditional_t<std::is_trivially_default_constructible_v<A> &&
                                     (alignof(A) >= 16 || alignof(A) == sizeof(A)),
                                 A, box<A>>;

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

#endif

}  // namespace upsweep::simt
