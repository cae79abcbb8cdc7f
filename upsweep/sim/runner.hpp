/// One share of a launch on one host thread: the parts, their dependences, and the report.
#pragma once

#include <upsweep/sim/barriers.hpp>
#include <upsweep/sim/host_threads.hpp>
#include <upsweep/sim/scheduler.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::sim {

/// Limits of shared memory per block at compute capability 9.0: declared arrays only, and including
/// dynamic shared memory.
inline constexpr std::size_t most_declared_bytes = 48 * 1024, most_shared_bytes = 227 * 1024;

/// Every shared array of a kernel has a slot; each block has its own memory for every slot.
class shared_arrays {
 public:
  explicit shared_arrays(launch_state const& launch);

  /// Block b has just become resident and has no arrays.
  void clear(block& b);
  /// Makes the arrays of block b those that hooks access.
  void enter(block const& b);

  /// The array of the kernel's module that begins in this cell of the block's window; created on
  /// first use.
  [[nodiscard]] memory* array_in_cell(block& b, std::size_t cell);
  /// Of the arrays that the block has used, the one nearest to `place` in its window; null if it
  /// has used none.
  [[nodiscard]] static memory* nearest(block const& b, std::byte const* place);
  /// Gives every `size` bytes of an array a shadow of their own, also in later blocks.
  void split(memory& m, unsigned size);
  /// The counterpart of `m` in block `rank` of the running lane's cluster.
  [[nodiscard]] memory* remote_array(memory const& m, unsigned rank, position at);

  /// The properties of an array from its declaration; of the dynamic part, from the launch.
  struct array_info {
    unsigned element_bytes = 0;
    std::size_t bytes = 0;
    std::string const* name = nullptr;  ///< null: dynamic shared memory without one name
  };
  [[nodiscard]] array_info const& info(std::size_t slot) const { return infos_[slot]; }
  /// Of all declared arrays that a block has used so far.
  [[nodiscard]] std::size_t declared_bytes() const;

 private:
  [[nodiscard]] unsigned slot_of(module_array const& array);
  void check_shared_bytes(array_info const& last);
  [[nodiscard]] block& block_of_cluster(unsigned rank, position at);
  [[nodiscard]] memory* new_array(block& b, unsigned slot, std::size_t bytes, unsigned granule,
                                  std::size_t cell);

  launch_state const& launch_;
  std::vector<array_info> infos_;  // indexed by slot; always includes the dynamic part
  std::uint64_t arrays_made_ = 0;
};

/// Atomic accesses. A lane polls if its atomic changes nothing and returns the same value as
/// before. It then yields to the other lanes.
class atomics {
 public:
  atomics(launch_state const& launch, scheduler& turns, progress_watch& progress);

  /// An access of the running lane; it must be within bounds.
  void access(memory& m, std::ptrdiff_t byte, atomic_call const& call, position at);

 private:
  [[noreturn]] void break_promise(lane const& l, position at);
  [[nodiscard]] bool update(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                            position at);
  void forget_poll(lane& l, bool is_volatile);

  launch_state const& launch_;
  scheduler& turns_;
  progress_watch& progress_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      clocks_;  // by address in buffers: the clock of the last lane that wrote there
};

/// The life cycle of blocks: a block becomes resident, its threads take turns until all have
/// returned, and its slot is free for the next one.
class block_life {
 public:
  block_life(launch_state const& launch, turn_order& order, scheduler& turns,
             progress_watch& progress, shared_arrays& arrays, barriers& block_barriers,
             warp_operations& operations);
  ~block_life();
  block_life(block_life const&) = delete;
  block_life& operator=(block_life const&) = delete;

  /// Runs the clusters [first, last) to completion; rethrows an exception of a thread, and throws
  /// kernel_failure.
  void run(std::uint64_t first, std::uint64_t last);
  /// Aligns what the threads of an abandoned launch had logged.
  void close_logs();
  /// Whether blocks are still resident, because the launch was abandoned.
  [[nodiscard]] bool is_unfinished() const { return !resident_.empty(); }
  /// The running lane has returned. Returns the lane to run next.
  [[nodiscard]] lane* lane_returned(lane& l);
  /// The most steps of one warp.
  [[nodiscard]] std::uint64_t longest_warp() const noexcept { return longest_warp_; }
  /// The counts of the blocks that have finished, with their block numbers.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, counters>> const& counts() const {
    return counts_;
  }

 private:
  void admit();
  [[nodiscard]] block& new_block(cluster& of, std::uint64_t number, unsigned rank);
  void set_up_lanes(block& b);
  void retire(std::size_t which);
  [[nodiscard]] bool visit_all();
  void visit(block& b);

  launch_state const& launch_;
  turn_order& order_;
  scheduler& turns_;
  progress_watch& progress_;
  shared_arrays& arrays_;
  barriers& barriers_;
  warp_operations& operations_;
  std::uint64_t next_ = 0, last_ = 0;  // clusters that are not resident yet
  std::vector<std::unique_ptr<cluster>> resident_;
  std::vector<std::unique_ptr<block>> spare_blocks_;
  std::uint64_t entered_ = 0;  // lanes that have run in this round
  std::vector<std::pair<std::uint64_t, counters>> counts_;
  std::uint64_t longest_warp_ = 0;
};

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
