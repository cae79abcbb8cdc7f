/// The tile of each kernel by bytes of input, as data. The rows were chosen by measurements on an
/// H200 (docs/design/0004-cuda.md); newer devices inherit them.
#pragma once

#include <upsweep/cuda/plan.hpp>

#include <cstddef>
#include <iterator>

namespace upsweep::device {

/// For up to `most_bytes` of input: blocks of `warps` warps, `blocks` of them per multiprocessor.
/// Each warp takes 2^runs consecutive chunks of `rows` rows, with 16 bytes per lane in a row.
struct tuning_row {
  cuda_algorithm kernel;
  std::size_t most_bytes;
  unsigned warps, rows, blocks, runs = 0;

  /// The number of elements in a tile if a lane takes `items` of a row.
  [[nodiscard]] UPSWEEP_BOTH constexpr std::size_t tile(unsigned items) const {
    return (std::size_t{warps} * rows * 32 * items) << runs;
  }
};

inline constexpr std::size_t any_size = ~std::size_t{0};

// Scans. The wave has one block for each tile; inputs that are larger than its last row, or need
// more blocks than can be resident, go to a persistent kernel. A tile of the ring has `warps`
// chunks, with two warps each; tiles of 16 or 64 KiB were slower at every size. scan_tiles is for
// iterators, and for elements that the ring cannot hold.
inline constexpr tuning_row scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 8, 4, 2},
    {cuda_algorithm::scan_wave, std::size_t{1} << 23, 8, 8, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 4, 2},
};
/// For elements and accumulators of 4 bytes, which take few registers.
inline constexpr tuning_row word_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 21, 8, 4, 2},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 16, 4, 1},
    {cuda_algorithm::scan_wave, std::size_t{1} << 23, 16, 4, 2},
    {cuda_algorithm::scan_ring, any_size, 8, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 4, 2},
};
/// For elements of 1 or 2 bytes, of which a lane has many.
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
/// For accumulators of several numbers an element: half the warps have twice the registers.
inline constexpr tuning_row several_numbers_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 20, 4, 1, 2},
    {cuda_algorithm::scan_ring, any_size, 4, 8, 1},
    {cuda_algorithm::scan_tiles, any_size, 8, 1, 1},
};
/// For runs by an exact operator (runs/free_runs.hpp), and for those of narrow elements.
inline constexpr tuning_row run_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_wave, std::size_t{1} << 22, 8, 4, 2},
    {cuda_algorithm::scan_tiles, any_size, 16, 4, 1},
};
inline constexpr tuning_row narrow_run_scan_rows[] = {
    {cuda_algorithm::scan_wave, std::size_t{1} << 18, 4, 2, 4},
    {cuda_algorithm::scan_tiles, any_size, 16, 2, 1},
};
template <class T, class A>
[[nodiscard]] UPSWEEP_BOTH constexpr auto const& scan_rows_for() {
  if constexpr (requires { requires A::is_of_runs; }) {
    if constexpr (sizeof(T) < 4)
      return narrow_run_scan_rows;
    else
      return run_scan_rows;
  } else if constexpr (requires { requires A::numbers > 2; })
    return several_numbers_scan_rows;
  else if constexpr (sizeof(A) > 16)
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

/// From so many bytes on, reductions and scans of runs by an exact operator take less time by the
/// kernels for any operator, unless nearly all runs have one element.
inline constexpr std::size_t large_free_reduction = std::size_t{1} << 24,
                             large_free_scan = std::size_t{1} << 27;

/// Runs. Up to so many elements their kernels compare the keys themselves.
inline constexpr std::size_t most_compared_keys = std::size_t{1} << 18;

/// Reductions. The last block reads all totals, so large inputs use large tiles.
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
/// Reductions from the end are rare, so they have only one shape.
inline constexpr tuning_row reversed_reduce_rows[] = {
    {cuda_algorithm::reduce, any_size, 8, 1, 2, 0},
};
template <class A, bool reversed>
[[nodiscard]] UPSWEEP_BOTH constexpr auto const& reduce_rows_for() {
  if constexpr (reversed)
    return reversed_reduce_rows;
  else if constexpr (sizeof(A) <= 16 && !requires { requires A::numbers > 2; })
    return reduce_rows;
  else
    return widest_reduce_rows;
}

/// Selections. Up to so many bytes they are a wave of small tiles, or one of larger tiles. From so
/// many on a tile of the ring is two stages: then it is not the look-back that limits those that
/// keep few elements.
inline constexpr std::size_t small_selection = std::size_t{1} << 19,
                             wave_selection = std::size_t{1} << 23,
                             large_selection = std::size_t{1} << 27;

/// Exact sums: threads of a block. The first row whose bins fit the device's shared memory is used.
inline constexpr unsigned exact_double_threads[] = {384, 256, 128}, exact_float_threads[] = {512};
/// The most blocks, on any device.
inline constexpr std::size_t most_exact_blocks = 1024;
/// Their scans: the elements of a tile, which one warp scans.
[[nodiscard]] UPSWEEP_BOTH constexpr std::size_t exact_scan_tile(std::size_t n) {
  return n < std::size_t{1} << 23 ? 512 : 4096;
}

/// The index of the first row of `kernel` for that many bytes; the number of rows if there is none.
template <std::size_t count>
[[nodiscard]] UPSWEEP_BOTH constexpr unsigned row_for(tuning_row const (&rows)[count],
                                                      cuda_algorithm kernel, std::size_t bytes) {
  unsigned row = 0;
  while (row < count && (rows[row].kernel != kernel || bytes > rows[row].most_bytes)) ++row;
  return row;
}

/// Whether elements are read with the evict-first policy of L2, for that many bytes of them. While
/// L2 holds about as much as is read and written, results then stay there, which gains 8 % at 16
/// MiB. For larger inputs, lines of earlier work would never be replaced, which costs 3 %.
[[nodiscard]] UPSWEEP_BOTH constexpr bool input_leaves_cache_first(std::size_t bytes) {
  return bytes <= std::size_t{1} << 25;
}
/// Whether results are stored with the evict-first policy, for that many bytes of them. They exceed
/// L2, so their next reader would not find them there anyway; this gains 1 %. From 256 MiB on it
/// costs time.
[[nodiscard]] UPSWEEP_BOTH constexpr bool output_leaves_cache_first(std::size_t bytes) {
  return bytes >= std::size_t{1} << 26 && bytes < std::size_t{1} << 28;
}

}  // namespace upsweep::device
