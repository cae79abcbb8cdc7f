/// Rounds over the resident blocks; the start of a block, the return of a lane, the end of a block.
#include <upsweep/sim/block_life.hpp>

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/deadlock.hpp>
#include <upsweep/sim/repetition.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

namespace {

constexpr std::uint32_t mask_of(unsigned lanes) {
  return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
}

}  // namespace

block::block() = default;
block::~block() = default;
warp::warp() = default;
warp::~warp() = default;
warp::warp(warp&&) noexcept = default;

block_life::block_life(launch_state const& launch, turn_order& order, scheduler& turns,
                       progress_watch& progress, shared_arrays& arrays, barriers& block_barriers,
                       warp_operations& operations)
    : launch_(launch),
      order_(order),
      turns_(turns),
      progress_(progress),
      arrays_(arrays),
      barriers_(block_barriers),
      operations_(operations) {}

block_life::~block_life() {
  for (auto const& c : resident_)
    for (block* b : c->blocks) spare_blocks_.emplace_back(b);
}

void block_life::admit() {
  std::uint64_t const number = order_.cluster_at(next_++);
  progress_.block_came();
  auto group = std::make_unique<cluster>();
  for (unsigned rank = 0; rank < launch_.shape.cluster.count(); ++rank) {
    block& b = new_block(*group, launch_.shape.block_of(number, rank), rank);
    if (launch_.checks != nullptr) launch_.checks->started(b);
    group->blocks.push_back(&b);
    group->alive += b.threads;
  }
  resident_.push_back(std::move(group));
}

block& block_life::new_block(cluster& of, std::uint64_t number, unsigned rank) {
  unsigned const threads = static_cast<unsigned>(launch_.shape.threads.count());
  if (spare_blocks_.empty()) spare_blocks_.push_back(std::make_unique<block>());
  block& b = *spare_blocks_.back().release();
  spare_blocks_.pop_back();
  b.number = number;
  b.view = view_of(launch_.shape, number);
  b.threads = b.alive = threads;
  b.of = &of;
  b.rank = rank;
  b.barrier = {};
  b.repeats = std::make_unique<repetition_watch>();
  b.floor = 0;
  b.counts = {};
  b.current_warp = b.current_bit = 0;
  b.warps.clear();
  b.warps.resize((threads + 31) / 32);
  b.ready_warps = mask_of(static_cast<unsigned>(b.warps.size()));
  set_up_lanes(b);
  arrays_.clear(b);
  return b;
}

void block_life::set_up_lanes(block& b) {
  if (b.lanes.size() != b.threads) {
    b.lane_storage = std::vector<lane>(b.threads + lanes_ahead);
    b.lanes = {b.lane_storage.data(), b.threads};
  }
  for (unsigned i = 0; i < b.threads; ++i) {
    lane& l = b.lanes[i];
    l.thread = coordinates_of(i, launch_.shape.threads);
    l.block = &b.view;
    l.of = &b.warps[i / 32];
    l.index = i;
    l.clock = l.segment = l.last_access = 0;
    l.last_at = l.waits_at = {};
    l.on = nullptr;
    l.slab = nullptr;
    if (b.is_rare) static_cast<rare_lane_state&>(l) = {};
  }
  b.is_rare = false;
  for (unsigned i = 0; i < b.warps.size(); ++i) {
    warp& w = b.warps[i];
    w.of = &b;
    w.index = i;
    w.exists = w.unstarted = mask_of(b.threads - 32 * i);
    w.lanes = &b.lanes[32 * i];
  }
}

void block_life::retire(std::size_t which) {
  for (block* b : resident_[which]->blocks) {
    b->counts.span = b->floor;
    for (lane const& l : b->lanes) b->counts.span = std::max(b->counts.span, l.clock);
    for (warp const& w : b->warps) longest_warp_ = std::max(longest_warp_, w.steps);
    counts_.emplace_back(b->number, b->counts);
    spare_blocks_.emplace_back(b);
  }
  resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(which));
}

void block_life::run(std::uint64_t first, std::uint64_t last) {
  next_ = first;
  last_ = last;
  while (!resident_.empty() || next_ < last_) {
    while (next_ < last_ &&
           (resident_.empty() || (order_.is_eager() && order_.has_room(resident_.size()))))
      admit();
    progress_.begin_round();
    if (visit_all())
      progress_.reset_patience();
    else if (!order_.is_eager() && next_ < last_ && order_.has_room(resident_.size()))
      admit();
    else if (entered_ == 0 || progress_.is_stuck())
      fail_with_waiting_lanes(launch_, resident_, (last_ - next_) * launch_.shape.cluster.count(),
                              entered_ != 0);
  }
}

void block_life::close_logs() {
  for (auto const& c : resident_)
    for (block* b : c->blocks)
      for (warp& w : b->warps) launch_.record.close(w);
}

/// Gives every resident block a turn, or stops when a cluster has finished; returns whether one
/// has.
bool block_life::visit_all() {
  entered_ = 0;
  order_.begin_round(resident_);
  for (std::size_t turn = 0, count = resident_.size(); turn < count; ++turn) {
    std::size_t const i = order_.cluster_of_turn(turn, count);
    for (block* b : resident_[i]->blocks) visit(*b);
    if (resident_[i]->alive == 0) {
      retire(i);
      return true;
    }
  }
  return false;
}

void block_life::visit(block& b) {
  for (warp& w : b.warps)
    if (w.polling != 0) {
      w.ready |= w.polling;
      w.polling = 0;
      b.ready_warps |= 1u << w.index;
    }
  lane* const next = b.alive == 0 ? nullptr : turns_.pick(b);
  if (next == nullptr) return;
  ++entered_;
  arrays_.enter(b);
  turns_.enter(*next);
}

lane* block_life::lane_returned(lane& l) {
  warp& w = *l.of;
  block& b = *w.of;
  turns_.suspend(l);
  if (fiber_pool::overflown(*l.on))
    launch_.found.fail(finding_kind::stack_overflow, needs_more_stack(launch_.shape, l), l.last_at);
  l.on = nullptr;
  w.gone |= l.bit();
  w.left_at[l.index % 32] = static_cast<std::uint16_t>(w.synchronized);
  progress_.wrote_or_met();
  if (--b.alive == 0 && launch_.checks != nullptr) launch_.checks->ended(b);
  --b.of->alive;
  // Lanes that waited only for this lane can continue.
  if (w.at_operation != 0) operations_.settle(w);
  barriers_.without(l);
  return turns_.pick(b);
}

}  // namespace upsweep::sim
