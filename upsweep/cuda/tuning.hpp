/// Which tile each kernel takes for how many bytes of input, as data. The rows were settled by
/// measurements on an H200 (docs/design/0004-cuda.md); newer devices inherit them.
#pragma once

#include <upsweep/cuda/plan.hpp>

#include <cstddef>
#include <iterator>

namespace upsweep::device {

/// For up to `most_bytes` of input: blocks of `warps` warps that take `rows` rows of 16 bytes a
/// lane each, 2^runs times in a row, with `blocks` of them on a multiprocessor.
struct tuning_row {
  cuda_algorithm kernel;
  std::size_t most_bytes;
  unsigned warps, rows, blocks, runs = 0;

  /// Elements of a tile, when a lane takes `items` of a row.
  [[nodiscard]] constexpr std::size_t tile(unsigned items) const {
    return (std::size_t{warps} * rows * 32 * items) << runs;
  }
};

inline constexpr std::size_t any_size = ~std::size_t{0};

// The scans. The wave has one block for each tile; what is larger than its last row, or than what
// fits on the device at once, goes to a persistent kernel. A tile of the ring has `warps` chunks,
// for each of which two warps work; with 16 or 64 KiB it is slower at every size. scan_tiles is for
// iterators, and for elements that the ring cannot hold.
inline constexpr tuning_row scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 8, 4, 2},
    {cuda_algorithm::scan_wave, std::size_t{1} << 23, 8, 8, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 4, 2},
};
/// For elements and accumulators of 4 bytes, of which a thread needs few registers.
inline constexpr tuning_row word_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 21, 8, 4, 2},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 16, 4, 1},
    {cuda_algorithm::scan_wave, std::size_t{1} << 23, 16, 4, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 4, 2},
};
/// For elements of 1 or 2 bytes, of which a lane has many at once.
inline constexpr tuning_row narrow_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 8, 4, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 4, 2},
};
/// For accumulators of more than 8 bytes.
inline constexpr tuning_row wide_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 8, 4, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 1, 1},
};
/// For accumulators of more than 16 bytes.
inline constexpr tuning_row widest_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 20, 4, 1, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 4, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 1, 1},
};
template <class T, class A>
[[nodiscard]] constexpr auto const& scan_rows_for() {
  if constexpr (sizeof(A) > 16)
    return widest_scan_rows;
  else if constexpr (sizeof(A) > 8)
    return wide_scan_rows;
  else if constexpr (sizeof(T) < 4)
    return narrow_scan_rows;
  else if constexpr (sizeof(T) == 4 && sizeof(A) == 4)
    return word_scan_rows;
  else
    return scan_rows;
}

/// The reduction. Its last block reads all totals, so large inputs take large tiles.
inline constexpr tuning_row reduce_rows[] = {
    {cuda_algorithm::reduce, std::size_t{1} << 20, 8, 4, 4, 0},
    {cuda_algorithm::reduce, std::size_t{1} << 26, 16, 8, 2, 0},
    {cuda_algorithm::reduce, any_size, 16, 8, 2, 2},
};
/// For accumulators of more than 16 bytes.
inline constexpr tuning_row widest_reduce_rows[] = {
    {cuda_algorithm::reduce, std::size_t{1} << 22, 8, 1, 2, 0},
    {cuda_algorithm::reduce, any_size, 8, 4, 2, 2},
};
/// Few people reduce from the end, so that way has one shape only.
inline constexpr tuning_row reversed_reduce_rows[] = {
    {cuda_algorithm::reduce, any_size, 8, 1, 2, 0},
};
template <class A, bool reversed>
[[nodiscard]] constexpr auto const& reduce_rows_for() {
  if constexpr (reversed)
    return reversed_reduce_rows;
  else if constexpr (sizeof(A) <= 16)
    return reduce_rows;
  else
    return widest_reduce_rows;
}

/// The exact sum: threads of a block, by the bytes of shared memory that their bins take; the first
/// row that fits.
inline constexpr unsigned exact_double_threads[] = {384, 256}, exact_float_threads[] = {512};
/// Blocks, whatever the device.
inline constexpr std::size_t most_exact_blocks = 1024;

/// The number of the first row of `kernel` that is meant for so many bytes; of all rows if there is
/// none.
template <std::size_t count>
[[nodiscard]] constexpr unsigned row_for(tuning_row const (&rows)[count], cuda_algorithm kernel,
                                         std::size_t bytes) {
  unsigned row = 0;
  while (row < count && (rows[row].kernel != kernel || bytes > rows[row].most_bytes)) ++row;
  return row;
}

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

}  // namespace upsweep::device
