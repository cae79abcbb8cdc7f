/// The totals of a piece of an array, as kernels store them: those of the maximal aligned blocks of
/// its elements.
#pragma once

#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// The maximal aligned blocks of the elements [begin, end): blocks that grow, then blocks that
/// shrink. Bit k of a mask: there is one of 2^k elements.
struct piece_blocks {
  std::size_t growing = 0, shrinking = 0;

  constexpr piece_blocks(std::size_t begin, std::size_t end) {
    std::size_t low = begin ^ end;  // <bit> gives wrong numbers on the device
    for (unsigned shift = 1; shift < 64; shift *= 2) low |= low >> shift;
    if ((begin & low) != 0) low >>= 1;
    growing = -begin & low;
    shrinking = end & low;
  }
};

/// What is known of a piece after it has been reduced. Only the blocks that it has are stored.
template <class A>
struct piece_totals {
  std::size_t begin, end;
  A growing[64];    ///< [k]: the total of the block of 2^k elements
  A shrinking[64];  ///< the same

  /// Calls f(k, total) for each block, in their order.
  template <class F>
  void for_each(F const& f) const {
    piece_blocks const blocks(begin, end);
    for (int k = 0; k < 64; ++k)
      if ((blocks.growing >> k & 1) != 0) f(k, growing[k]);
    for (int k = 64; k-- > 0;)
      if ((blocks.shrinking >> k & 1) != 0) f(k, shrinking[k]);
  }
};

}  // namespace upsweep::device
