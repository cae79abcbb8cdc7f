/// Barriers of blocks and clusters, and what is said when nobody can go on.
#include <upsweep/sim/turns.hpp>

#include <upsweep/sim/engine.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace upsweep::sim {

namespace {

bool same_place(position a, position b) {
  return a.line() == b.line() && a.column() == b.column() &&
         std::strcmp(a.file_name(), b.file_name()) == 0;
}

}  // namespace

/// Every thread of `w` that has not returned waits at the barrier, or has arrived at it just now:
/// the warp's logs are complete.
void runner::close_segment(warp& w, step_kind kind, position at) {
  if (!recorder_.on()) return;
  recorder_.close(w, kind, kind == step_kind::barrier ? w.at_barrier : w.at_cluster, at);
}

/// __syncthreads() of a lane that is not the last of its warp to come, while lanes take turns in
/// order and come to the same place: nothing but this happens a thousand times for each barrier. It
/// needs no stack of its own, and ends in the switch.
void runner::barrier(position at) {
  lane& l = self();
  warp& w = *l.of;
  barrier_state& s = w.of->barrier;
  std::uint32_t const ready = w.ready;
  bool const is_short =
      __builtin_bit_cast(std::uint64_t, at) == __builtin_bit_cast(std::uint64_t, s.short_way) &&
      ready != 0;
  if (!is_short || here.logs)
    return is_short ? barrier_with_logs(at)
                    : static_cast<void>(barrier(emulated::barrier_kind::plain, 0, at));
  lane& next = w.lanes[__builtin_ctz(ready)];
  ++s.arrived;
  l.waits_at = at;
  w.at_barrier |= l.bit();
  w.ready = ready & (ready - 1);
  emulated::running.lane = &next;
  prefetch_after(next, false);
  switch_stacks(*l.on, l.left, *next.on, next.left);
}

void runner::barrier_with_logs(position at) {
  lane& l = self();
  warp& w = *l.of;
  barrier_state& s = w.of->barrier;
  std::uint32_t const ready = w.ready;
  lane& next = w.lanes[__builtin_ctz(ready)];
  if (next.slab != w.logs) return static_cast<void>(barrier(emulated::barrier_kind::plain, 0, at));
  emulated::context& c = emulated::running;
  l.control = c.control;
  l.data = c.data;
  bool const opens = next.segment != w.segment;
  next.segment = w.segment;
  c.control = opens ? next.control_begin : next.control;
  c.data = opens ? next.data_begin : next.data;
  c.control_limit = next.control_end;
  s.clock = std::max(s.clock, l.clock);
  ++s.arrived;
  l.waits_at = at;
  w.at_barrier |= l.bit();
  w.ready = ready & (ready - 1);
  c.lane = &next;
  prefetch_after(next, true);
  switch_stacks(*l.on, l.left, *next.on, next.left);
}

int runner::barrier(emulated::barrier_kind kind, int predicate, position at) {
  lane& l = self();
  warp& w = *l.of;
  block& b = *w.of;
  barrier_state& s = b.barrier;
  suspend(l);
  if (s.arrived == 0)
    s = {.clock = 0,
         .at = at,
         .short_way = here.in_line ? at : position{},
         .kind = kind,
         .result = s.result};
  else if (here.checks != nullptr && __builtin_bit_cast(std::uint64_t, at) !=
                                         __builtin_bit_cast(std::uint64_t, s.at)) [[unlikely]]
    compare_barriers(l, at);
  ++s.arrived;
  l.waits_at = at;
  if (kind != emulated::barrier_kind::plain) {
    s.count += predicate != 0;
    s.all = s.all && predicate != 0;
    s.any = s.any || predicate != 0;
  }
  s.clock = std::max(s.clock, l.clock);
  w.at_barrier |= l.bit();
  if ((w.at_barrier | w.gone) == w.exists) close_segment(w, step_kind::barrier, at);
  if (s.arrived == b.alive) {
    complete_barrier(b);
    w.ready &= ~l.bit();
    resume(l);  // the last to arrive goes on without a switch
  } else {
    go_on_in_line(l, w, b);
  }
  return s.result;
}

/// Lane l has come to another call of a barrier than the first lane; copies of one call by the
/// compiler are the same barrier.
void runner::compare_barriers(lane& l, position at) {
  block& b = *l.of->of;
  position const first = b.barrier.at;
  if (same_place(first, at)) return;
  engine_.note(finding_kind::barrier_divergence, first, at, [&] {
    return say("threads of ", name_of(b), " wait at two different barriers, ", short_name(first),
               " and ", short_name(at), " (", name_of(l),
               "): every thread of a block has to reach the same __syncthreads()");
  });
}

void runner::complete_barrier(block& b) {
  barrier_state& s = b.barrier;
  if (options_.check && b.alive < b.threads)
    engine_.note(finding_kind::left_before_barrier, s.at, {}, [&] {
      return say(b.threads - b.alive, " of the ", b.threads, " threads of ", name_of(b),
                 " have returned before the barrier at ", short_name(s.at),
                 ": every thread of the block has to reach it, so let threads without work skip "
                 "the work, not the barrier");
    });
  if (options_.check) checker_.barrier_completed(b);
  for (warp& w : b.warps) {
    w.ready |= w.at_barrier;
    w.at_barrier = 0;
    if (w.ready != 0) b.ready_warps |= 1u << w.index;
  }
  s.result = s.kind == emulated::barrier_kind::count ? s.count
             : s.kind == emulated::barrier_kind::all ? static_cast<int>(s.all)
             : s.kind == emulated::barrier_kind::any ? static_cast<int>(s.any)
                                                     : 0;
  b.floor = std::max(b.floor, s.clock);
  s.arrived = 0;
  s.short_way = {};
  recorder_.count_barrier(b, step_kind::barrier, s.at);
}

void runner::cluster_barrier(position at) {
  lane& l = self();
  warp& w = *l.of;
  cluster& c = *w.of->of;
  suspend(l);
  l.waits_at = at;
  w.at_cluster |= l.bit();
  c.clock = std::max({c.clock, l.clock, w.of->floor});
  if ((w.at_cluster | w.gone) == w.exists) close_segment(w, step_kind::cluster_barrier, at);
  c.at = at;
  if (++c.arrived == c.alive) {
    complete_cluster_barrier(c);
    w.ready &= ~l.bit();
    resume(l);
  } else {
    go_on(l, pick(*w.of));
  }
}

void runner::complete_cluster_barrier(cluster& c) {
  for (block* b : c.blocks)
    for (warp& w : b->warps) {
      w.ready |= w.at_cluster;
      w.at_cluster = 0;
      if (w.ready != 0) b->ready_warps |= 1u << w.index;
    }
  if (options_.check) checker_.cluster_completed(c);
  for (block* b : c.blocks) b->floor = c.clock;
  c.arrived = 0;
  ++progress_;
  read_work_ = 0;
  recorder_.count_barrier(*c.blocks.front(), step_kind::cluster_barrier, c.at);
}

/// What a lane that does not run is doing, and where; empty if it has returned.
std::string runner::waits_for(lane const& l) const {
  warp const& w = *l.of;
  if ((w.at_barrier & l.bit()) != 0)
    return say("waits at __syncthreads(), ", short_name(l.waits_at));
  if ((w.at_cluster & l.bit()) != 0) return say("waits for its cluster, ", short_name(l.waits_at));
  if ((w.at_operation & l.bit()) != 0)
    return say("waits for the lanes of its mask, ", short_name(l.waits_at), missing_lanes(l));
  if ((w.polling & l.bit()) == 0) return "";
  std::uint64_t const place = l.last_access != 0 ? l.last_access : l.access_before;
  if (place == 0) return say("polls, ", short_name(l.last_at));
  return say("polls ", name_of_element(*w.of, (place - 1) & ~store_bit), " at ",
             short_name(l.last_at), " and finds nothing new");
}

/// Of the lanes that the warp operation of `l` waits for, the first that is somewhere else, and
/// where.
std::string runner::missing_lanes(lane const& l) const {
  warp const& w = *l.of;
  std::uint32_t const missing = l.call->mask & w.exists & ~w.gone & ~w.at_operation;
  if (missing == 0) return ", but they are at other operations or name other masks";
  lane const& first = w.lanes[std::countr_zero(missing)];
  int const others = std::popcount(missing) - 1;
  return say(", but ", name_of(first), others == 0 ? "" : say(" and ", others, " other lanes"),
             others == 0 ? " does" : " do", " not come: it ", waits_for(first));
}

/// Says who waits where, and ends the launch.
void runner::give_up(bool somebody_polls) {
  std::string who;
  position at{};
  std::size_t waiting = 0;
  bool lane_missing = false;
  enum { polls, misses_lanes, waits };  // first those whom the others wait for
  for (auto const reason : {polls, misses_lanes, waits})
    for (auto const& c : resident_)
      for (block* b : c->blocks)
        for (lane& l : b->lanes) {
          auto const is = (l.of->polling & l.bit()) != 0        ? polls
                          : (l.of->at_operation & l.bit()) != 0 ? misses_lanes
                                                                : waits;
          if (is != reason || waits_for(l).empty()) continue;
          lane_missing = lane_missing || is == misses_lanes;
          if (waiting++ < 3) who += say(who.empty() ? "" : "; ", name_of(l), " ", waits_for(l));
          if (at.line() == 0) at = is == polls ? l.last_at : l.waits_at;
        }
  if (waiting > 3) who += say("; and ", waiting - 3, " more");
  std::uint64_t const unborn = (last_ - next_) * launch_.shape.cluster;
  std::string sentence = say("nobody can go on in '", launch_.shape.name, "': ", who);
  if (unborn > 0)
    sentence += say(
        "; ", unborn,
        " blocks have not started and cannot before one of the resident ones ends: a block must "
        "not wait for one that may start after it (take tile numbers from an atomic counter)");
  auto const kind = somebody_polls ? finding_kind::no_progress
                    : lane_missing ? finding_kind::missing_lane
                                   : finding_kind::deadlock;
  engine_.note(kind, at, {}, [&] { return sentence; });
  throw kernel_failure(kind, sentence);
}

void runner::remember_failure(finding_kind kind, std::string const& sentence, position at) {
  try {
    fail(kind, sentence, at);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void runner::fail(finding_kind kind, std::string const& sentence, position at) {
  here.failing = true;
  engine_.note(kind, at, {}, [&] { return sentence; });
  throw kernel_failure(kind, sentence);
}

}  // namespace upsweep::sim
