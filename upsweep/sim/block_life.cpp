/// Rounds over the resident blocks; the start of a block, the return of a lane, the end of a block.
#include <upsweep/sim/runner.hpp>

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/barriers.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

[[nodiscard]] std::string waits_for(launch_state const& launch, lane const& l);

/// The first lane that the warp operation of `l` waits for and that is elsewhere, and what it does.
std::string missing_lanes(launch_state const& launch, lane const& l) {
  warp const& w = *l.of;
  std::uint32_t const missing = l.call->mask & w.exists & ~w.gone & ~w.at_operation;
  if (missing == 0) return ", but they are at other operations or name other masks";
  lane const& first = w.lanes[std::countr_zero(missing)];
  int const others = std::popcount(missing) - 1;
  return say(", but ", name_of(first), others == 0 ? "" : say(" and ", others, " other lanes"),
             others == 0 ? " does" : " do", " not arrive: it ", waits_for(launch, first));
}

/// The element at `place`, which is the memory's tag plus the offset, as in the logs.
std::string name_of_element(global_memory const& buffers, block const& b, std::uint64_t place) {
  auto const number = static_cast<unsigned>(place >> 48);
  memory const& m =
      (number & shared_flag) != 0 ? *b.by_slot[number & ~shared_flag] : buffers.buffer(number);
  return say("element ", m.element_of(place & offset_mask), " of ", name_of(m));
}

/// What a suspended lane waits for, and where; empty if it has returned.
std::string waits_for(launch_state const& launch, lane const& l) {
  warp const& w = *l.of;
  if ((w.at_barrier & l.bit()) != 0)
    return say("waits at __syncthreads() at ", short_name(l.waits_at));
  if ((w.at_cluster & l.bit()) != 0)
    return say("waits at the cluster barrier at ", short_name(l.waits_at));
  if ((w.at_operation & l.bit()) != 0)
    return say("waits for the lanes of its mask at ", short_name(l.waits_at),
               missing_lanes(launch, l));
  if ((w.polling & l.bit()) == 0) return "";
  std::uint64_t const place = l.last_access != 0 ? l.last_access : l.access_before;
  if (place == 0) return say("polls at ", short_name(l.last_at));
  bool const stores = (place & store_bit) != 0;
  return say(stores ? "writes " : "polls ",
             name_of_element(launch.buffers, *w.of, (place - 1) & ~store_bit), " at ",
             short_name(l.last_at),
             stores ? " again and again; does its loop end?" : " without seeing a change");
}

/// Ends the launch with a message that names the waiting lanes, those first for which others wait.
/// `not_started`: blocks that are not resident yet; `somebody_polls`: some lanes poll in vain.
[[noreturn]] void fail_with_waiting_lanes(launch_state const& launch,
                                          std::vector<std::unique_ptr<cluster>> const& resident,
                                          std::uint64_t not_started, bool somebody_polls) {
  std::string who;
  position at{};
  std::size_t waiting = 0;
  bool lane_missing = false;
  enum {
    polls,
    misses_lanes,
    waits
  };  // in this order: polling lanes are those that others wait for
  for (auto const reason : {polls, misses_lanes, waits})
    for (auto const& c : resident)
      for (block* b : c->blocks)
        for (lane& l : b->lanes) {
          auto const is = (l.of->polling & l.bit()) != 0        ? polls
                          : (l.of->at_operation & l.bit()) != 0 ? misses_lanes
                                                                : waits;
          if (is != reason || waits_for(launch, l).empty()) continue;
          lane_missing = lane_missing || is == misses_lanes;
          if (waiting++ < 3)
            who += say(who.empty() ? "" : "; ", name_of(l), " ", waits_for(launch, l));
          if (!at.is_known()) at = is == polls ? l.last_at : l.waits_at;
        }
  if (waiting > 3) who += say("; and ", waiting - 3, " more");
  std::string sentence = say("no thread can make progress in '", launch.shape.name, "': ", who);
  if (not_started > 0)
    sentence += say("; ", not_started,
                    " blocks have not started and cannot start before a resident block ends: a "
                    "block must not wait "
                    "for one that may start after it (take tile numbers from an atomic counter)");
  auto const kind = somebody_polls ? finding_kind::no_progress
                    : lane_missing ? finding_kind::missing_lane
                                   : finding_kind::deadlock;
  launch.found.fail(kind, sentence, at);
}

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
