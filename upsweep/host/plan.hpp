/// How a call runs on the CPU, decided before it starts: a value that the verbs follow and
/// `upsweep bench --explain` prints.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/combine_tree.hpp>

#include <cstddef>

namespace upsweep::host {

/// How a thread combines the elements of a tile; strategies.hpp chooses.
enum class strategy {
  compiled,    ///< kernels over plain memory of built-in numbers
  kernels,     ///< kernels over blocks, which are converted to an array in L1 if they have to be
  pairs,       ///< the same of moments and log_sum_exp, whose accumulators are two numbers
  recurrence,  ///< the same of linear recurrences
  running,     ///< a running value, for exact operators
  registers,   ///< levels of the combine tree in vector registers: any operator over numbers
  levels,      ///< levels in arrays in L1: any operator over small accumulators
  nodes,       ///< recursion over the nodes of the tree
  objects      ///< loops over nodes on the heap: large accumulators, or any that are not trivial
};

[[nodiscard]] UPSWEEP_API char const* name_of(strategy s);

/// How a call on the fewest elements runs in the caller, without a plan; strategies.hpp chooses.
enum class few_strategy {
  nothing,      ///< it does not
  loop,         ///< a loop: the library's exact operators over integers in memory
  shape,        ///< code of fixed shape: operators that have no kernels
  opaque_shape  ///< the same, which compilers cannot regroup: sums and products of floats in memory
};

/// "-", "loop" or "shape".
[[nodiscard]] UPSWEEP_API char const* name_of(few_strategy s);

/// How the tiles of a call are distributed over threads.
///   tickets  each thread draws the next tile in input order: for data in memory
///   shares   each thread has a run of consecutive tiles: for data that fit the cores' own caches,
///            where the second read and the next call find them
enum class tile_order { tickets, shares };

[[nodiscard]] UPSWEEP_API char const* name_of(tile_order o);

/// What a plan depends on, besides the number of elements and threads.
struct workload {
  host::strategy strategy;
  std::size_t element_bytes;  ///< of the input
  std::size_t accumulator_bytes;
  bool in_place = false;    ///< of scans: the results overwrite the elements
  bool one_thread = false;  ///< neighboring results share a word (std::vector<bool>)
  bool streams = false;     ///< the strategy can write past the caches
};

struct plan {
  host::strategy strategy = host::strategy::nodes;
  int threads = 1;                             ///< the most that the call uses
  int tile_log2 = detail::largest_block_log2;  ///< log2 of the elements in the largest tile
  bool streamed = false;                       ///< results bypass the caches
  host::tile_order order = host::tile_order::tickets;
  bool ahead = false;  ///< a thread draws and prefetches its next tile while it writes this one
  /// If not 0: the calling thread begins with this many elements, and wakes others only if the rest
  /// would take it longer than that is worth.
  std::size_t trial = 0;
  std::size_t wait_nanoseconds = 1;  ///< after the trial: of each thread for each other one
  bool waits = false;  ///< each thread waits for all others, so some processors stay free
  bool asks = false;   ///< after the trial: how many threads there are, if it is worth several
  few_strategy few = few_strategy::nothing;  ///< what runs instead, if there are so few elements

  /// The elements in a tile of a call over n elements.
  [[nodiscard]] std::size_t tile(std::size_t n) const {
    return n >> tile_log2 == 0 ? n : std::size_t{1} << tile_log2;
  }
};

/// The plan for n >= 1 elements on up to `threads` threads (0: all available). Throws
/// precondition_error for a negative number of threads. The constants and their measurements are in
/// plan.cpp.
[[nodiscard]] UPSWEEP_API plan plan_reduce(workload const& w, std::size_t n, int threads);
[[nodiscard]] UPSWEEP_API plan plan_scan(workload const& w, std::size_t n, int threads);
/// The plan of a select, partition, unique or runs, whose largest elements of an output have so
/// many bytes.
[[nodiscard]] UPSWEEP_API plan plan_selection(std::size_t element_bytes, std::size_t n,
                                              int threads);
/// The plan of what follows the trial of a call over n elements, which took so long.
[[nodiscard]] UPSWEEP_API plan plan_after_trial(plan p, std::size_t n, std::size_t nanoseconds);
/// The plan of a cumulative distribution, which reads its weights three times.
[[nodiscard]] UPSWEEP_API plan plan_distribution(workload const& w, std::size_t n, int threads);

}  // namespace upsweep::host
