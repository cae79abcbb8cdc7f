/// Barriers of blocks and of clusters.
#pragma once

#include <upsweep/sim/scheduler.hpp>

namespace upsweep::sim {

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

}  // namespace upsweep::sim
