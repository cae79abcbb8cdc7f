/// Which tile each kernel takes for how many bytes of input, as data. The rows were settled by
/// measurements on an H200 (docs/design/0004-cuda.md); newer devices inherit them.
#pragma once

#include <cstddef>

namespace upsweep::device {

/// Up to `most_bytes` of input: blocks of `warps` warps that take `rows` rows of 16 bytes a lane
/// each, 2^runs times in a row, with `blocks` of them on a multiprocessor.
struct tuning_row {
  std::size_t most_bytes;
  unsigned warps, rows, blocks, runs;
};

inline constexpr std::size_t any_size = ~std::size_t{0};

/// One block for each tile. What is larger than the last row, or than what fits on the device at
/// once, goes to a persistent kernel.
inline constexpr tuning_row wave_rows[] = {
    {std::size_t{1} << 18, 4, 2, 4, 0},
    {std::size_t{1} << 22, 8, 4, 2, 0},
    {std::size_t{1} << 23, 8, 8, 2, 0},
};
/// For elements of 1 or 2 bytes, of which a lane has many at once, and accumulators of more than 8
/// bytes.
inline constexpr tuning_row short_wave_rows[] = {
    {std::size_t{1} << 18, 4, 2, 4, 0},
    {std::size_t{1} << 22, 8, 4, 2, 0},
};
/// For elements and accumulators of 4 bytes, of which a thread needs few registers.
inline constexpr tuning_row word_wave_rows[] = {
    {std::size_t{1} << 18, 4, 2, 4, 0},
    {std::size_t{1} << 21, 8, 4, 2, 0},
    {std::size_t{1} << 22, 16, 4, 1, 0},
    {std::size_t{1} << 23, 16, 4, 2, 0},
};
/// For accumulators of more than 16 bytes.
inline constexpr tuning_row widest_wave_rows[] = {
    {std::size_t{1} << 20, 4, 1, 2, 0},
};

/// Whether that many bytes of elements leave the L2 cache first. As long as it holds about what is
/// read and written, results then stay there: 8 % at 16 MiB. With more, lines that somebody else
/// has left would never be replaced, and 3 % is lost.
[[nodiscard]] constexpr bool input_leaves_cache_first(std::size_t bytes) {
  return bytes <= std::size_t{1} << 25;
}
/// Whether that many bytes of results do: they are more than it holds, so whoever reads them next
/// will not find them there, and 1 % is gained. From 256 MiB on it costs.
[[nodiscard]] constexpr bool output_leaves_cache_first(std::size_t bytes) {
  return bytes >= std::size_t{1} << 26 && bytes < std::size_t{1} << 28;
}

/// The ring: `warps` chunks in a tile, for each of which two warps work; one block on a
/// multiprocessor. Tiles of 16 or 64 KiB are slower at every size.
inline constexpr tuning_row ring_rows[] = {{any_size, 8, 8, 1, 0}};
inline constexpr tuning_row widest_ring_rows[] = {{any_size, 8, 4, 1, 0}};

/// The last block reads all totals, so large inputs take large tiles.
inline constexpr tuning_row reduce_rows[] = {
    {std::size_t{1} << 20, 8, 4, 4, 0},
    {std::size_t{1} << 26, 16, 8, 2, 0},
    {any_size, 16, 8, 2, 2},
};
inline constexpr tuning_row widest_reduce_rows[] = {
    {std::size_t{1} << 22, 8, 1, 2, 0},
    {any_size, 8, 4, 2, 2},
};

/// The exact sum: threads of a block, by the bytes of shared memory that their bins take; the first
/// row that fits.
inline constexpr unsigned exact_double_threads[] = {384, 256}, exact_float_threads[] = {512};
/// Blocks, whatever the device.
inline constexpr std::size_t most_exact_blocks = 1024;

inline constexpr tuning_row reversed_reduce_rows[] = {{any_size, 8, 1, 2, 0}};

/// The scan by tickets, for iterators and for elements that the ring cannot hold.
inline constexpr tuning_row tiles_rows[] = {{any_size, 8, 4, 2, 0}};
inline constexpr tuning_row widest_tiles_rows[] = {{any_size, 8, 1, 1, 0}};

}  // namespace upsweep::device
