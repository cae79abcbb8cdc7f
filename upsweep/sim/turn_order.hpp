/// The schedules of options.hpp: which lane runs next and for how long, and in which order blocks
/// become resident.
#pragma once

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/options.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace upsweep::sim {

/// It only decides; `scheduler` switches between lanes and `block_life` admits blocks. There is one
/// random generator, so that a seed reproduces a run.
class turn_order {
 public:
  turn_order(options const& how, simt::launch_shape const& shape);

  /// Whether lanes are pre-empted at the end of their turn, not only where they wait.
  [[nodiscard]] bool interrupts() const { return interrupts_; }
  /// Whether lanes take turns in order.
  [[nodiscard]] bool in_line() const { return !interrupts_ && variant_ != last_first; }
  /// Whether blocks become resident as soon as there is room, not only when no other can continue.
  [[nodiscard]] bool is_eager() const {
    return interrupts_ || (variant_ != none && variant_ != one_block);
  }

  /// Removes and returns the next lane of the block that can run; null if there is none.
  [[nodiscard]] lane* next_lane(block& b);
  /// Removes and returns the lane `bit` of `w`, which can run.
  [[nodiscard]] static lane* take(warp& w, std::uint32_t bit);
  /// The length of a lane's turn in basic blocks.
  [[nodiscard]] std::uint64_t quantum();
  /// Whether a lane that yields passes the turn to another block.
  [[nodiscard]] bool leaves_block();

  /// The number of the cluster that becomes resident as the `turn`-th.
  [[nodiscard]] std::uint64_t cluster_at(std::uint64_t turn) const;
  /// Whether one more cluster may be resident.
  [[nodiscard]] bool has_room(std::size_t resident) const;
  /// A round begins, in which all resident clusters get a turn.
  void begin_round(std::vector<std::unique_ptr<cluster>>& resident);
  /// Which of the `count` resident clusters is the `turn`-th of the round.
  [[nodiscard]] std::size_t cluster_of_turn(std::size_t turn, std::size_t count) const;

 private:
  enum adversary : unsigned { last_block_first, one_block, early_blocks_starve, last_first, none };

  [[nodiscard]] lane* random_lane(block& b);
  [[nodiscard]] std::uint32_t first_of(std::uint32_t mask) const;

  simt::launch_shape const& shape_;
  schedule how_;
  unsigned most_resident_;
  bool interrupts_;
  adversary variant_;
  std::mt19937_64 random_;
};

/// At a thousand threads neither the lanes nor the tops of their stacks are in the L1 cache, and
/// lanes mostly run in this order.
// always_inline, because g++ 12 drops calls of a function that only prefetches as free of effects.
[[gnu::always_inline]] inline void prefetch_after(lane const& next, bool logs) {
  auto const* const line = reinterpret_cast<char const*>(&next + lanes_ahead);
  __builtin_prefetch(line);
  if (logs) __builtin_prefetch(line + 64);
  auto const* const stack = static_cast<char const*>((&next + lanes_ahead / 2)->left.at);
  for (int bytes = 0; bytes < 5 * 64; bytes += 64) __builtin_prefetch(stack + bytes);
}

[[gnu::always_inline]] inline lane* turn_order::take(warp& w, std::uint32_t bit) {
  w.unstarted &= ~bit;
  w.ready &= ~bit;
  block& b = *w.of;
  b.current_warp = w.index;
  b.current_bit = bit;
  lane* const next = &w.lanes[__builtin_ctz(bit)];
  prefetch_after(*next, here.logs);
  return next;
}

}  // namespace upsweep::sim
