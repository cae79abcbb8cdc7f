/// The in-order, round-robin, random and adversarial schedules.
#include <upsweep/sim/turn_order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace upsweep::sim {

namespace {

/// A random set bit of `mask`.
std::uint32_t random_bit(std::uint32_t mask, std::mt19937_64& random) {
  for (auto skip = static_cast<unsigned>(random() % static_cast<unsigned>(std::popcount(mask)));
       skip > 0; --skip)
    mask &= mask - 1;
  return mask & (0 - mask);
}

}  // namespace

turn_order::turn_order(options const& how, simt::launch_shape const& shape)
    : shape_(shape),
      how_(how.how),
      most_resident_(
          std::max(1u, how.resident_blocks / static_cast<unsigned>(shape.cluster.count()))),
      interrupts_(how_ == schedule::random || how_ == schedule::round_robin),
      variant_(how_ == schedule::adversarial ? static_cast<adversary>(how.seed % none) : none),
      random_(how.seed) {
  if (variant_ == one_block) most_resident_ = 1;
  if (shape.is_cooperative) most_resident_ = static_cast<unsigned>(shape.clusters());
}

lane* turn_order::next_lane(block& b) {
  if (how_ == schedule::random) return random_lane(b);
  // The rest of this warp, then the other warps. Round robin takes only lanes after the one that
  // ran last.
  warp& current = b.warps[b.current_warp];
  bool const in_turn = how_ == schedule::round_robin;
  std::uint32_t const runnable = current.runnable() & (in_turn ? 0 - 2 * b.current_bit : ~0u);
  if (runnable != 0) return take(current, first_of(runnable));
  while (b.ready_warps != 0) {
    std::uint32_t const later = in_turn ? b.ready_warps & (0 - (2u << b.current_warp)) : 0;
    warp& w = b.warps[static_cast<unsigned>(
        std::countr_zero(first_of(later != 0 ? later : b.ready_warps)))];
    if (w.runnable() != 0) return take(w, first_of(w.runnable()));
    b.ready_warps &= ~(1u << w.index);
  }
  return nullptr;
}

lane* turn_order::random_lane(block& b) {
  while (b.ready_warps != 0) {
    std::uint32_t const bit = random_bit(b.ready_warps, random_);
    warp& w = b.warps[static_cast<unsigned>(std::countr_zero(bit))];
    if (w.runnable() != 0) return take(w, random_bit(w.runnable(), random_));
    b.ready_warps &= ~bit;
  }
  return nullptr;
}

std::uint32_t turn_order::first_of(std::uint32_t mask) const {
  return variant_ == last_first ? 0x80000000u >> std::countl_zero(mask) : mask & (0 - mask);
}

std::uint64_t turn_order::quantum() {
  if (how_ == schedule::round_robin) return 16;
  // Mostly short, sometimes long: lanes interleave within an expression, and sometimes run ahead by
  // whole phases.
  std::uint64_t const draw = random_();
  return draw % 8 == 0 ? 1 + draw / 8 % 400 : 1 + draw / 8 % 12;
}

bool turn_order::leaves_block() {
  return how_ == schedule::round_robin || (how_ == schedule::random && random_() % 4 == 0);
}

std::uint64_t turn_order::cluster_at(std::uint64_t turn) const {
  return variant_ == last_block_first || variant_ == last_first ? shape_.clusters() - 1 - turn
                                                                : turn;
}

bool turn_order::has_room(std::size_t resident) const {
  return resident < most_resident_;
}

void turn_order::begin_round(std::vector<std::unique_ptr<cluster>>& resident) {
  if (how_ == schedule::random) std::shuffle(resident.begin(), resident.end(), random_);
}

std::size_t turn_order::cluster_of_turn(std::size_t turn, std::size_t count) const {
  return variant_ == early_blocks_starve || variant_ == last_first ? count - 1 - turn : turn;
}

}  // namespace upsweep::sim
