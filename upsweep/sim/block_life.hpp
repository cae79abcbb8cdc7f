/// The life cycle of blocks: a block becomes resident, its threads take turns until all have
/// returned, and its slot is free for the next one.
#pragma once

#include <upsweep/sim/barriers.hpp>
#include <upsweep/sim/launch_state.hpp>
#include <upsweep/sim/scheduler.hpp>
#include <upsweep/sim/shared_arrays.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace upsweep::sim {

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

}  // namespace upsweep::sim
