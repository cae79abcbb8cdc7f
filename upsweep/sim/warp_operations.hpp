/// Shuffles, votes, matches and reductions of the lanes of a warp.
#pragma once

#include <upsweep/sim/scheduler.hpp>

#include <cstdint>

namespace upsweep::sim {

/// Lanes wait for the lanes of their mask; the last to arrive computes the results of all.
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
  void exchange(warp& w, std::uint32_t lanes);
  void record(warp& w, std::uint32_t lanes);

  launch_state const& launch_;
  scheduler& turns_;
  progress_watch& progress_;
};

}  // namespace upsweep::sim
