/// Several elements that one instruction moves, under every compiler.
#pragma once

#include <cstddef>

namespace upsweep::simt {

/// N elements side by side, aligned to their size together: `pointer_cast<packed<float, 4>>(p)[i]`
/// is one access of 16 bytes.
template <class T, std::size_t N>
struct alignas(sizeof(T) * N) packed {
  static_assert((N & (N - 1)) == 0 && sizeof(T) * N <= 16,
                "a GPU moves up to 16 bytes at once, a power of two of elements");

  T value[N];
};

}  // namespace upsweep::simt
