/// Loops with a barrier that never end: a thread that reads nothing and comes back to the barrier
/// with the same registers and stack will do so forever.
#pragma once

#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <vector>

namespace upsweep::sim {

/// Of a block. It looks at 128 of every 1024 barriers.
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

}  // namespace upsweep::sim
