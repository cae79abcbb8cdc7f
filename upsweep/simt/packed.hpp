/// Several elements that one instruction loads or stores, under every compiler.
#pragma once

#include <cstddef>

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

}  // namespace upsweep::simt
