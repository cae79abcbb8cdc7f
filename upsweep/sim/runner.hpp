/// One share of a launch on one host thread: the parts, their dependences, and the report.
#pragma once

#include <upsweep/sim/atomics.hpp>
#include <upsweep/sim/block_life.hpp>
#include <upsweep/sim/host_threads.hpp>

#include <cstdint>
#include <optional>

namespace upsweep::sim {

/// What a host thread keeps from launch to launch: stacks, and caches of paths and alignments.
struct host_thread {
  host_thread();
  /// Fibers stay with the thread that first ran them: they may hold addresses of its thread-locals.
  void settle();

  fiber_pool fibers;
  host_thread_id on{};
  path_table paths;
  alignment_table alignments;
};

/// Connects the parts. Each receives those below it and knows none above it; only the hooks, which
/// kernels call, reach the parts through this class.
class runner {
 public:
  runner(options const& how, launch_call const& call, global_memory& buffers, findings& found,
         host_thread& on);
  ~runner();
  runner(runner const&) = delete;
  runner& operator=(runner const&) = delete;

  /// Runs the clusters [first, last) to completion; rethrows an exception of a thread, and throws
  /// kernel_failure.
  void run(std::uint64_t first, std::uint64_t last);
  /// Adds the counts to the report of the launch.
  void report_to(launch_report& into, traced_launch* traced);

  /// The function of a fiber: runs lane after lane.
  [[noreturn]] static void run_lanes(fiber& f);

  /// Whether shadows of `m` can record an access to these bytes of it and no others; splits them if
  /// necessary, unless other host threads use them.
  [[nodiscard]] bool splits(memory& m, std::uint64_t offset, unsigned size);

  /// A lane has waited for an asynchronous copy without an access since it started the copy.
  void note_exposed_copy(std::uint64_t bytes) { exposed_copy_bytes_ += bytes; }

  [[nodiscard]] launch_state const& launch() const { return launch_; }
  [[nodiscard]] sim::scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] sim::shared_arrays& shared_arrays() { return shared_arrays_; }
  [[nodiscard]] sim::atomics& atomics() { return atomics_; }
  [[nodiscard]] sim::barriers& barriers() { return barriers_; }
  [[nodiscard]] sim::warp_operations& warp_operations() { return warp_operations_; }

 private:
  void run_lane(fiber& f);
  void trace_to(traced_launch& into);
  // Of the kernel's module; unknown for any other kernel.
  [[nodiscard]] element_layout elements_of(memory const& m) const;
  [[nodiscard]] element_layout elements_of(shared_arrays::array_info const& a) const;
  [[nodiscard]] element_layout elements_at(position at) const;

  launch_call const& call_;
  host_thread& on_;
  turn_order turn_order_;
  recorder recorder_;
  std::optional<checker> checker_;
  launch_state launch_;
  progress_watch progress_;
  sim::scheduler scheduler_;
  sim::shared_arrays shared_arrays_;
  sim::atomics atomics_;
  sim::barriers barriers_;
  sim::warp_operations warp_operations_;
  block_life block_life_;
  std::uint64_t exposed_copy_bytes_ = 0;
};

}  // namespace upsweep::sim
