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

  UPSWEEP_BOTH constexpr piece_blocks(std::size_t begin, std::size_t end) {
    std::size_t low = begin ^ end;  // <bit> gives wrong numbers on the device
    for (unsigned shift = 1; shift < 64; shift *= 2) low |= low >> shift;
    if ((begin & low) != 0) low >>= 1;
    growing = -begin & low;
    shrinking = end & low;
  }
};

/// How a piece is cut at the borders of chunks and tiles, which are aligned blocks of the array: a
/// few elements, whole chunks, whole tiles, whole chunks, and a few elements.
struct piece_cut {
  std::size_t head, tail;  ///< elements before the first chunk, and after the last one
  std::size_t tiles;
  std::size_t front, edges;  ///< chunks before the first tile; these and those after the last

  /// Of n elements at `begin`; a tile has `tile_chunks` chunks of `chunk` elements.
  UPSWEEP_BOTH constexpr piece_cut(std::size_t begin, std::size_t n, std::size_t chunk,
                                   std::size_t tile_chunks) {
    auto const to_border = [](std::size_t at, std::size_t size, std::size_t most) {
      std::size_t const distance = (size - at % size) % size;
      return distance < most ? distance : most;
    };
    head = to_border(begin, chunk, n);
    std::size_t const chunks = (n - head) / chunk;
    tail = n - head - chunks * chunk;
    front = to_border((begin + head) / chunk, tile_chunks, chunks);
    tiles = (chunks - front) / tile_chunks;
    edges = chunks - tiles * tile_chunks;
  }
};

/// Whether prefixes of n elements after `position` are the total of all elements before with the
/// blocks of these n elements appended to it: no element ends a block that begins before them.
/// In aligned pieces only the last one can do so, and only an inclusive scan has its prefix.
[[nodiscard]] UPSWEEP_BOTH constexpr bool follows_total(bool inclusive, std::size_t position,
                                                        std::size_t n) {
  std::size_t size = 1;  // the smallest power of two that has n elements
  while (size < n) size *= 2;
  return position % size == 0 && (!inclusive || (position & n) == 0 || position == n);
}

/// What is known of a piece after it has been reduced. Only the blocks that it has are stored.
template <class A>
struct piece_totals {
  std::size_t begin, end;
  A growing[64];    ///< [k]: the total of the block of 2^k elements
  A shrinking[64];  ///< the same

  /// What a rank that has failed sends instead of them: a piece that ends before it begins.
  static constexpr std::size_t borders_of_failed[] = {1, 0};

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
