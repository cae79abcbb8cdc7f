/// Where lanes wait for each other: barriers of blocks and of clusters, and warp operations.
#pragma once

#include <upsweep/sim/scheduler.hpp>
#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::sim {

/// Loops of a block with a barrier that never end: a thread that reads nothing and comes back to
/// the barrier with the same registers and stack will do so forever. It looks at 128 of every 1024
/// barriers.
class repetition_watch {
 public:
  /// The block's threads have met at a barrier at `at`, where all but the one that arrives last are
  /// suspended. Returns a thread that repeats itself, or null.
  [[nodiscard]] lane const* barrier_completed(block& b, position at, lane const* arriving);
  /// The barrier has told the threads something.
  void told() {
    suspect_ = nullptr;
    passes_ = 0;
  }
  /// Whether the thread that was returned may read memory: the block has come to this one barrier
  /// more often than a loop that ends would.
  [[nodiscard]] bool is_by_patience() const { return passes_ > patience; }

 private:
  static constexpr unsigned period = 1024, until_chosen = 64, until_done = 128;
  static constexpr unsigned patience = 1u << 17;  // barriers

  void choose(block& b, lane const* arriving);

  unsigned count_ = 0;
  position at_{};
  lane const* suspect_ = nullptr;
  std::vector<std::byte> stack_;
  position last_place_{};
  unsigned passes_ = 0;  // of that position, and no other barrier in between
};

/// A lane that waits gives up its turn; the last lane to arrive continues without a switch.
class barriers {
 public:
  barriers(launch_state const& launch, scheduler& turns, progress_watch& progress);

  /// __syncthreads() of the running lane; `column` is that of the call in its line.
  void wait(position at, unsigned column);
  /// The same, or __syncthreads_count(), _and() or _or(); returns the result of the barrier.
  [[nodiscard]] int wait(barrier_kind kind, int predicate, position at, unsigned column);
  /// cluster.sync() of the running lane.
  void wait_for_cluster(position at);
  /// Lane l has returned: completes the barriers that waited only for it.
  void without(lane const& l);

 private:
  void wait_with_logs(position at);
  void compare(lane& l, position at, unsigned column);
  void complete(block& b);
  void complete(cluster& c);
  void end_repetition(block& b);
  void close_segment(warp& w, step_kind kind, position at);

  launch_state const& launch_;
  scheduler& turns_;
  progress_watch& progress_;
};

/// Shuffles, votes, matches and reductions of the lanes of a warp. Lanes wait for the lanes of
/// their mask; the last to arrive computes the results of all.
class warp_operations {
 public:
  warp_operations(launch_state const& launch, scheduler& turns, progress_watch& progress);

  /// The running lane takes part in an operation, which the kernel calls at `pc`.
  void take_part(warp_call const& call, std::uint64_t pc, position at);
  /// Completes every operation of the warp whose lanes have all arrived or returned.
  void settle(warp& w);

 private:
  [[noreturn, gnu::noinline, gnu::cold]] void fail_outside_of_mask(lane const& l);
  void complete(warp& w, std::uint32_t lanes);
  void answer(warp& w, std::uint32_t lanes);
  void check_arguments(lane const& l);
  void compare_masks(warp const& w, lane const& l);
  void exchange(warp& w, std::uint32_t lanes);
  void record(warp& w, std::uint32_t lanes);

  launch_state const& launch_;
  scheduler& turns_;
  progress_watch& progress_;
};

}  // namespace upsweep::sim
