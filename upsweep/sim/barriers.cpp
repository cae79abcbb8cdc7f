/// __syncthreads() with its fast path, and the barrier of a cluster.
#include <upsweep/sim/barriers.hpp>

#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::sim {

// Compares a suspended thread's stack, on which its registers are saved, with what it was some
// barriers ago.

namespace {

/// What a suspended lane will go on with.
struct suspended_state {
  std::span<std::byte const> stack, variables;

  explicit suspended_state(lane const& l)
      : stack(static_cast<std::byte const*>(l.left.at), l.on->stack + l.on->stack_bytes),
        variables(saved_variables(*l.on)) {}
  void keep(std::vector<std::byte>& to) const {
    to.assign(stack.begin(), stack.end());
    to.insert(to.end(), variables.begin(), variables.end());
  }
  [[nodiscard]] bool equals(std::span<std::byte const> kept) const {
    return kept.size() == stack.size() + variables.size() &&
           std::ranges::equal(stack, kept.first(stack.size())) &&
           std::ranges::equal(variables, kept.subspan(stack.size()));
  }
};

/// Since the last forget_inputs() it has read nothing that others could change.
bool has_no_input(lane const& l) {
  return l.last_access == 0 && !l.has_input;
}

void forget_inputs(block& b) {
  for (lane& l : b.lanes) {
    if (l.last_access != 0) l.access_before = l.last_access;
    l.last_access = 0;
    l.has_input = false;
  }
  b.is_rare = true;
}

}  // namespace

lane const* repetition_watch::barrier_completed(block& b, position at, lane const* arriving) {
  unsigned const step = ++count_ % period;
  passes_ = at == last_place_ ? passes_ + 1 : 0;
  last_place_ = at;
  if (is_by_patience()) return arriving;
  if (step == 0) {
    suspect_ = nullptr;
    forget_inputs(b);
  } else if (step == until_chosen && count_ > period) {
    choose(b, arriving);
    at_ = at;
  } else if (step > until_chosen && step < until_done && suspect_ != nullptr) {
    if (!has_no_input(*suspect_)) suspect_ = nullptr;
    if (suspect_ != nullptr && at == at_ && suspect_ != arriving &&
        suspended_state(*suspect_).equals(stack_))
      return suspect_;
  }
  return nullptr;
}

void repetition_watch::choose(block& b, lane const* arriving) {
  for (warp const& w : b.warps)
    for (std::uint32_t rest = w.at_barrier; rest != 0; rest &= rest - 1) {
      lane const& l = w.lanes[__builtin_ctz(rest)];
      if (&l == arriving || !has_no_input(l)) continue;
      suspect_ = &l;
      suspended_state(l).keep(stack_);
      return;
    }
}

namespace {

/// Copies of one call that the compiler made are in the same line, and so are the functions around
/// it; a function that was called from two lines is in two positions.
bool same_place(position a, position b) {
  return readable(a) == readable(b) && readable_calls(a) == readable_calls(b);
}

}  // namespace

barriers::barriers(launch_state const& launch, scheduler& turns, progress_watch& progress)
    : launch_(launch), turns_(turns), progress_(progress) {}

/// Every thread of `w` that has not returned has arrived at the barrier: the warp's logs are
/// complete.
void barriers::close_segment(warp& w, step_kind kind, position at) {
  if (!launch_.record.on()) return;
  launch_.record.close(w, kind, kind == step_kind::barrier ? w.at_barrier : w.at_cluster, at);
}

/// The fast path is a lane that is not the last of its warp to arrive, while lanes take turns in
/// order and call the barrier from the same position. It is taken up to a thousand times per
/// barrier, so it needs no stack frame and ends in the switch.
void barriers::wait(position at, unsigned column) {
  lane& l = running_lane();
  warp& w = *l.of;
  barrier_state& s = w.of->barrier;
  std::uint32_t const ready = w.ready;
  bool const is_short = at == s.fast_path && column == s.column && ready != 0 && !here.traces;
  if (!is_short || here.logs)
    return is_short ? wait_with_logs(at)
                    : static_cast<void>(wait(barrier_kind::plain, 0, at, column));
  lane& next = w.lanes[__builtin_ctz(ready)];
  ++s.arrived;
  l.waits_at = at;
  w.at_barrier |= l.bit();
  w.ready = ready & (ready - 1);
  running.lane = &next;
  prefetch_after(next, false);
  switch_stacks(*l.on, l.left, *next.on, next.left);
}

void barriers::wait_with_logs(position at) {
  lane& l = running_lane();
  warp& w = *l.of;
  barrier_state& s = w.of->barrier;
  std::uint32_t const ready = w.ready;
  lane& next = w.lanes[__builtin_ctz(ready)];
  if (next.slab != w.logs) return static_cast<void>(wait(barrier_kind::plain, 0, at, s.column));
  context& c = running;
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

int barriers::wait(barrier_kind kind, int predicate, position at, unsigned column) {
  lane& l = running_lane();
  warp& w = *l.of;
  block& b = *w.of;
  barrier_state& s = b.barrier;
  turns_.suspend(l);
  if (s.arrived == 0)
    s = {.clock = 0,
         .at = at,
         .column = column,
         .fast_path = turns_.in_line() ? at : position{},
         .kind = kind,
         .result = s.result};
  else if (launch_.checks != nullptr && (at != s.at || column != s.column)) [[unlikely]]
    compare(l, at, column);
  ++s.arrived;
  progress_.changed();
  l.waits_at = at;
  if (kind != barrier_kind::plain) {
    s.count += predicate != 0;
    s.all = s.all && predicate != 0;
    s.any = s.any || predicate != 0;
  }
  s.clock = std::max(s.clock, l.clock);
  w.at_barrier |= l.bit();
  if ((w.at_barrier | w.gone) == w.exists) close_segment(w, step_kind::barrier, at);
  if (s.arrived == b.alive) {
    complete(b);
    w.ready &= ~l.bit();
    turns_.resume(l);  // the last to arrive continues without a switch
  } else {
    turns_.go_on_in_line(l, w, b);
  }
  return s.result;
}

/// Lane l has reached a different barrier call than the first lane.
void barriers::compare(lane& l, position at, unsigned column) {
  block& b = *l.of->of;
  position const first = b.barrier.at;
  bool const is_other_column = column != b.barrier.column;
  if (!is_other_column && same_place(first, at)) return;
  launch_.found.note(finding_kind::barrier_divergence, first, at, [&] {
    std::string const places = is_other_column && readable(first) == readable(at)
                                   ? say(" on one line, ", short_name(at))
                                   : say(", ", short_name(first), " and ", short_name(at));
    return say("threads of ", name_of(b), " wait at two different barriers", places, " (",
               name_of(l), "): every thread of a block must reach the same __syncthreads()");
  });
}

void barriers::complete(block& b) {
  barrier_state& s = b.barrier;
  if (launch_.checks != nullptr && b.alive < b.threads)
    launch_.found.note(finding_kind::left_before_barrier, s.at, {}, [&] {
      return say(
          b.threads - b.alive, " of the ", b.threads, " threads of ", name_of(b),
          " returned before the barrier at ", short_name(s.at),
          ": every thread of the block must reach it, so threads without work must skip the work, "
          "not the barrier");
    });
  if (launch_.checks != nullptr) launch_.checks->barrier_completed(b);
  end_repetition(b);
  for (warp& w : b.warps) {
    w.ready |= w.at_barrier;
    w.at_barrier = 0;
    if (w.ready != 0) b.ready_warps |= 1u << w.index;
  }
  s.result = s.kind == barrier_kind::count ? s.count
             : s.kind == barrier_kind::all ? static_cast<int>(s.all)
             : s.kind == barrier_kind::any ? static_cast<int>(s.any)
                                           : 0;
  b.floor = std::max(b.floor, s.clock);
  s.arrived = 0;
  s.fast_path = {};
  launch_.record.count_barrier(b, step_kind::barrier, s.at);
}

/// Fails if a lane of the block does the same from barrier to barrier, forever.
void barriers::end_repetition(block& b) {
  barrier_state const& s = b.barrier;
  if (s.kind != barrier_kind::plain) return b.repeats->told();
  lane const* const endless = b.repeats->barrier_completed(b, s.at, &running_lane());
  if (endless == nullptr) return;
  launch_.found.fail(
      finding_kind::no_progress,
      say(name_of(*endless), " comes back to the barrier at ", short_name(s.at),
          b.repeats->is_by_patience() ? " for the 131072nd time, with no other barrier in between"
                                      : " again and again without having read or changed anything",
          ", so the loop around the barrier never ends: does it change the variable of its "
          "condition, as stride /= 2 does and stride >> 1 does not?"),
      s.at);
}

void barriers::wait_for_cluster(position at) {
  lane& l = running_lane();
  warp& w = *l.of;
  cluster& c = *w.of->of;
  turns_.suspend(l);
  l.waits_at = at;
  w.at_cluster |= l.bit();
  c.clock = std::max({c.clock, l.clock, w.of->floor});
  if ((w.at_cluster | w.gone) == w.exists) close_segment(w, step_kind::cluster_barrier, at);
  c.at = at;
  if (++c.arrived == c.alive) {
    complete(c);
    w.ready &= ~l.bit();
    turns_.resume(l);
  } else {
    turns_.go_on(l, turns_.pick(*w.of));
  }
}

void barriers::complete(cluster& c) {
  for (block* b : c.blocks)
    for (warp& w : b->warps) {
      w.ready |= w.at_cluster;
      w.at_cluster = 0;
      if (w.ready != 0) b->ready_warps |= 1u << w.index;
    }
  if (launch_.checks != nullptr) launch_.checks->cluster_completed(c);
  for (block* b : c.blocks) b->floor = c.clock;
  c.arrived = 0;
  progress_.wrote_or_met();
  launch_.record.count_barrier(*c.blocks.front(), step_kind::cluster_barrier, c.at);
}

void barriers::without(lane const& l) {
  warp& w = *l.of;
  block& b = *w.of;
  cluster& c = *b.of;
  if ((w.at_barrier | w.at_cluster | w.gone) == w.exists) {
    if (w.at_barrier != 0 && w.at_cluster == 0)
      close_segment(w, step_kind::barrier, w.lanes[std::countr_zero(w.at_barrier)].waits_at);
    else if (w.at_cluster != 0 && w.at_barrier == 0)
      close_segment(w, step_kind::cluster_barrier,
                    w.lanes[std::countr_zero(w.at_cluster)].waits_at);
    else if (w.gone == w.exists)
      launch_.record.close(w);
  }
  if (b.barrier.arrived > 0 && b.barrier.arrived == b.alive) complete(b);
  if (c.arrived > 0 && c.arrived == c.alive) complete(c);
}

}  // namespace upsweep::sim
