/// How a CUDA call will run, decided before it starts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep {

/// The properties of a device that plans depend on.
struct cuda_device {
  int number = 0;
  int multiprocessors = 132;
  int capability = 90;                ///< 10 · major + minor
  std::size_t shared_bytes = 232448;  ///< the most that one block may have

  /// The current device, queried once per device. Throws cuda_error, also if there is no driver or
  /// no GPU.
  [[nodiscard]] static cuda_device current();
};

enum class cuda_algorithm {
  nothing,
  reduce,
  scan_wave,
  scan_tiles,
  scan_ring,
  scan_chunk,
  block_totals,  ///< of a piece of an array
  join_pieces,
  exact_sum,
  exact_totals,  ///< of the tiles of an exact scan
  exact_scan,
  select_wave,
  select_ring,
  select_tiles,
  clear_counts,
  count_places,
  sum_counts,  ///< of the blocks
  windows,
  window_blocks,
  pad_rows,
  anchored_recurrence,
  map_elements,
  line_functions,
  selective_scan,
  sum_rows,
  reduce_segments,
  reduce_by_warps,
  reduce_long_segments,  ///< by ranges of warps
  log_sums_near_zero,    ///< once more, more exactly
  scan_segments,
  reduce_runs,
  scan_runs,
  scan_table,
  scan_bands,  ///< of a table
  store,       ///< of the result of an empty reduction
  sort_block,  ///< what one block can hold
  for_each_index,
  find_digit,  ///< of the element of a rank
  cub_radix_sort,
  cub_merge_sort
};

/// The plan of one launch: the kernel, its shape and its cost. A verb makes the plan and launches
/// it.
struct cuda_plan {
  cuda_algorithm algorithm = cuda_algorithm::nothing;
  unsigned row = 0;      ///< of the verb's table in tuning.hpp
  std::size_t tile = 0;  ///< elements
  std::size_t blocks = 0;
  unsigned threads = 0;             ///< of a block
  std::size_t shared_bytes = 0;     ///< dynamic shared memory of a block
  unsigned launches = 0;            ///< kernels; 0: CUB decides on the whole row
  std::size_t workspace_bytes = 0;  ///< depends only on n, the types and the operator
  std::size_t traffic_bytes = 0;    ///< read and written, without the totals of tiles

  /// The name of the kernel: "scan_ring".
  [[nodiscard]] char const* name() const;
  /// The plan as text: "scan_ring: 1 launch of 132 blocks of 576 threads, ...".
  [[nodiscard]] std::string describe() const;
};

/// The plans of the launches of calls with upsweep::gpu::plans_to, which do not run.
struct cuda_plans {
  cuda_device device;                 ///< for which they are
  std::vector<cuda_plan> launches{};  ///< in their order
  std::size_t workspace_bytes = 0;    ///< the most that a call uses
  std::size_t scratch_bytes = 0;      ///< allocated for the calls beside it, without CUB's own
};

/// The options that a plan depends on, besides the number of elements, their type and the operator.
struct cuda_plan_options {
  bool reverse = false;
  bool blocks_start_in_order = true;  ///< as in upsweep::gpu
};

}  // namespace upsweep
