/// The elements of verbs that neither convert nor reverse, as selections and sorts, and their
/// number.
#pragma once

#include <upsweep/cuda/device/elements.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// Elements as they are, by any iterator; `vectors`: memory that is aligned to 16 bytes.
template <class It>
struct element_input {
  using element = std::remove_cvref_t<decltype(std::declval<It const&>()[0])>;
  It first;
  bool vectors;

  /// The elements [i, i + items) that are before n.
  template <unsigned items>
  __device__ void load(std::size_t i, std::size_t n, element (&x)[items]) const {
    constexpr unsigned step = vector_items<element>(items);
    if constexpr (is_memory<It, element> && step == items && has_vectors<element>) {
      if (vectors && i + items <= n) {
        using vector = vector_of<element, items>;
        vector const piece = simt::pointer_cast<vector const>(first + i)[0];
        std::memcpy(static_cast<void*>(x), &piece, sizeof piece);
        return;
      }
    }
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (i + j < n) x[j] = first[i + j];
  }
};

/// The elements [i, i + count), of which a thread asks for all, will soon be loaded: they go to L2
/// if they are before n, and in memory from i on by whole vectors.
template <class It>
__device__ void fetch_to_l2([[maybe_unused]] element_input<It> const& in,
                            [[maybe_unused]] std::size_t i, [[maybe_unused]] unsigned count,
                            [[maybe_unused]] std::size_t n) {
#if defined(__NVCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using T = typename element_input<It>::element;
  if constexpr (is_memory<It, T> && sizeof(T) % 4 == 0)
    if (in.vectors && i + count <= n)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in.first + i),
                   "r"(count * static_cast<unsigned>(sizeof(T))));
#endif
}

/// A size that the host knows, or of which it knows an upper bound.
struct bounded_size {
  std::size_t most;
  unsigned long long const* given;  ///< null, or in device memory: the size, if it is less

  __device__ std::size_t size() const {
    if (given == nullptr) return most;
    std::size_t const n = given[0];
    return n < most ? n : most;
  }
};

}  // namespace upsweep::device
