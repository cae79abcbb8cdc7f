/// The schedules of options.hpp: which lane comes next and for how long, and which blocks come
/// when.
#pragma once

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/options.hpp>

#include <random>

namespace upsweep::sim {

/// Decides; `scheduler` switches between lanes and `block_life` lets blocks in. All chance comes
/// from one generator, so that a seed repeats a run.
class turn_order {
 public:
  turn_order(options const& how, simt::launch_shape const& shape);

  /// Lanes are interrupted when their turn is over, not only where they wait.
  [[nodiscard]] bool interrupts() const { return interrupts_; }
  /// Lanes take turns in their order.
  [[nodiscard]] bool in_line() const { return !interrupts_ && variant_ != last_first; }
  /// Blocks come as soon as there is room, not only when nobody else can go on.
  [[nodiscard]] bool is_eager() const {
    return interrupts_ || (variant_ != none && variant_ != one_block);
  }

  /// Takes the next lane of the block that can run; null if there is none.
  [[nodiscard]] lane* next_lane(block& b);
  /// Takes the lane `bit` of `w`, which can run.
  [[nodiscard]] static lane* take(warp& w, std::uint32_t bit);
  /// How many basic blocks the lane may run before somebody else's turn.
  [[nodiscard]] std::uint64_t quantum();
  /// Whether a lane that gives its turn away gives it to another block.
  [[nodiscard]] bool leaves_block();

  /// The number of the cluster that is the `turn`-th to come.
  [[nodiscard]] std::uint64_t cluster_at(std::uint64_t turn) const;
  /// Whether one more cluster may be resident.
  [[nodiscard]] bool has_room(std::size_t resident) const;
  /// All resident clusters get a turn now.
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

/// At a thousand threads neither the lanes nor the tops of their stacks are in the first-level
/// cache; mostly they come in this order.
// Inlined by order: g++ 12 takes a function that only prefetches for one without effect and drops
// the call.
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
