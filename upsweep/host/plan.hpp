/// How a call runs on the processor, decided before it starts: a value that the verbs follow and
/// that `upsweep bench --explain` prints.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host {

/// What combines the elements of a tile.
///   tree     any operator, by recursion over the nodes of the combine tree
///   object   the same by loops over nodes on the heap, for large accumulators and such whose
///            copies do something
///   fold     exactly associative operators, element by element
///   vector   built-in operators over built-in types in contiguous memory, by SIMD kernels
enum class engine { tree, object, fold, vector };

[[nodiscard]] UPSWEEP_API char const* name_of(engine e);

/// How the threads of a scan share its tiles.
///   tickets  in input order, as they are free: for what comes from memory
///   shares   a run of neighbouring tiles for each: for what the cores' own caches hold, where the
///            second reading and the next call find it
enum class tile_order { tickets, shares };

[[nodiscard]] UPSWEEP_API char const* name_of(tile_order o);

/// What a plan depends on, besides the number of elements and threads.
struct workload {
  host::engine engine;
  std::size_t element_bytes;  ///< of the input
  std::size_t accumulator_bytes;
  bool in_place = false;    ///< of scans: the results take the elements' places
  bool one_thread = false;  ///< neighbouring results share a word (std::vector<bool>)
};

struct plan {
  host::engine engine = host::engine::tree;
  int threads = 1;        ///< that the call may use
  int tile_log2 = 62;     ///< of the elements of the largest tile; 62: one block after the other
  bool streamed = false;  ///< results are stored past the caches
  host::tile_order order = host::tile_order::tickets;
  bool ahead = false;  ///< a thread takes its next tile while it writes this one, and fetches it

  /// The elements of a tile, of a call with n of them.
  [[nodiscard]] std::size_t tile(std::size_t n) const {
    return n >> tile_log2 == 0 ? n : std::size_t{1} << tile_log2;
  }
};

/// The plan for n >= 1 elements on up to `threads` threads (0: all available). Throws
/// precondition_error for a negative number of threads. The constants and the measurements behind
/// them are in plan.cpp.
[[nodiscard]] UPSWEEP_API plan plan_reduce(workload const& w, std::size_t n, int threads);
[[nodiscard]] UPSWEEP_API plan plan_scan(workload const& w, std::size_t n, int threads);
/// The plan of a cumulative distribution, which reads its weights three times.
[[nodiscard]] UPSWEEP_API plan plan_distribution(workload const& w, std::size_t n, int threads);

}  // namespace upsweep::host
