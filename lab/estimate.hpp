/// How long a launch would take on a GPU, estimated from the emulator's counts, and what binds it.
/// docs/estimate.md has the formula and its error against measured times.
#pragma once

#include <upsweep/sim/report.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace upsweep::lab {

/// The limits of a GPU. Sources: the CUDA C++ Programming Guide's table of compute capabilities,
/// and the data sheets; memory at 88 % of the data sheet's bandwidth, which copies reach.
struct gpu_limits {
  std::string_view name;
  int multiprocessors;
  double hertz;                   ///< of the multiprocessors, at most
  double bytes_per_second;        ///< of its memory
  int threads, blocks;            ///< resident on a multiprocessor
  std::size_t shared_bytes;       ///< of a multiprocessor
  std::size_t registers = 65536;  ///< of 32 bits, of a multiprocessor
};
[[nodiscard]] std::span<gpu_limits const> known_gpus();
/// Throws io::usage_error with the names that are known.
[[nodiscard]] gpu_limits const& gpu_named(std::string_view name);

/// The share of a multiprocessor's threads that are resident, and what limits it.
struct occupancy {
  int blocks = 0;          ///< resident on a multiprocessor
  double share = 0;        ///< of its warps
  char const* limit = "";  ///< "threads", "blocks", "shared memory" or "registers"
};
/// `registers`: of a thread, which the emulator cannot know; 0: not a limit.
[[nodiscard]] occupancy occupancy_of(gpu_limits const& gpu, std::size_t threads_per_block,
                                     std::size_t shared_bytes_per_block, int registers = 0);

/// The times that a launch would take if only one thing limited it, in seconds.
struct time_estimate {
  double issue = 0;        ///< the multiprocessors issue its instructions
  double shared = 0;       ///< the banks of shared memory serve its wavefronts and shuffles
  double memory = 0;       ///< its sectors come from memory, none from caches
  double latency = 0;      ///< each warp waits for each of its steps
  double seconds = 0;      ///< the longest of these, and the time of a launch
  char const* bound = "";  ///< "issue", "shared memory", "memory" or "latency"
};
/// Nothing if blocks of the launch wait for each other: how long depends on the order in which they
/// run.
[[nodiscard]] std::optional<time_estimate> estimate(sim::launch_report const& launch,
                                                    gpu_limits const& gpu);
/// The occupancy that the shape and the shared memory of the launch allow.
[[nodiscard]] occupancy occupancy_of(gpu_limits const& gpu, sim::launch_report const& launch);

}  // namespace upsweep::lab
