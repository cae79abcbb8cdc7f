/// Atomic accesses, and lanes that poll.
#pragma once

#include <upsweep/sim/scheduler.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace upsweep::sim {

/// A lane polls if its atomic changes nothing and returns the same value as before. It then yields
/// to the other lanes.
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

}  // namespace upsweep::sim
