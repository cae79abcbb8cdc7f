/// Switches between lanes, ends of turns, and full logs.
#include <upsweep/sim/scheduler.hpp>

#include <upsweep/sim/sentences.hpp>
#include <upsweep/sim/watches.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

// The in-order, round-robin, random and adversarial schedules.

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

namespace {

/// The scratch log of lanes without logs: reaching its end is the end of a turn.
constexpr std::size_t scratch_words = 512;
thread_local std::uint64_t scratch_control[scratch_words];

}  // namespace

scheduler::scheduler(launch_state const& launch, turn_order& order, progress_watch& progress,
                     fiber_pool& fibers)
    : launch_(launch),
      order_(order),
      progress_(progress),
      fibers_(fibers),
      interrupts_(order.interrupts()),
      in_line_(order.in_line()) {}

/// The turn of `next` begins: `go` is called with its fiber and where to enter that. It is inlined
/// twice, because a switch whose point is chosen first takes 2 % longer.
template <class F>
[[gnu::always_inline]] inline void scheduler::resume_by(lane& next, F const& go) {
  resume(next);
  if (next.on == nullptr) {
    next.on = fibers_.take();
    next.on->job = &next;
    go(*next.on, next.on->idle);
  } else {
    go(*next.on, next.left);
  }
}

/// Leaves the stack of `from` at `left` for that of `next`. Returns when `from` is resumed.
[[gnu::always_inline]] inline void scheduler::switch_to(fiber& from, switch_point& left,
                                                        lane& next) {
  resume_by(next, [&](fiber& to, switch_point& at)
                      __attribute__((always_inline)) { switch_stacks(from, left, to, at); });
}

void scheduler::switch_to_host(fiber& from, switch_point& left) {
  use_scratch();
  switch_stacks(from, left, host_, host_.idle);
}

void scheduler::begin() {
  adopt_thread_stack(host_);
  use_scratch();
}

void scheduler::enter(lane& next) {
  resume_by(next, [&](fiber& to, switch_point& at) { enter_fibers(host_, host_.idle, to, at); });
  if (failure_) std::rethrow_exception(failure_);
}

void scheduler::left_by_exception() {
  if (running.lane != nullptr) suspend(running_lane());
  use_scratch();
}

void scheduler::go_on_in_line(lane& l, warp& w, block& b) {
  std::uint32_t const runnable = w.runnable();
  if (!in_line_ || runnable == 0) return go_on(l, pick(b));
  switch_to(*l.on, l.left, *turn_order::take(w, runnable & (0 - runnable)));
}

void scheduler::go_on(lane& l, lane* next) {
  if (next == &l)
    resume(l);
  else if (next != nullptr)
    switch_to(*l.on, l.left, *next);
  else
    switch_to_host(*l.on, l.left);
}

void scheduler::yield(bool polling) {
  lane& l = running_lane();
  warp& w = *l.of;
  block& b = *w.of;
  suspend(l);
  b.is_rare = true;
  (polling ? w.polling : w.ready) |= l.bit();
  b.ready_warps |= 1u << w.index;
  go_on(l, order_.leaves_block() ? nullptr : pick(b));
}

void scheduler::pause() {
  progress_watch::paused(running_lane());
  yield(true);
}

void scheduler::hand_over(fiber& f, lane* next) {
  if (failure_) {
    switch_to_host(f, f.idle);  // for good
  } else if (next != nullptr && next->on == nullptr) {
    next->on = &f;
    f.job = next;
    resume(*next);
  } else {
    fibers_.give(&f);
    if (next == nullptr)
      switch_to_host(f, f.idle);
    else
      switch_to(f, f.idle, *next);
  }
}

/// No lane runs: log entries are discarded.
void scheduler::use_scratch() {
  running.lane = nullptr;
  running.control = scratch_control;
  running.control_limit = scratch_control + (here.countdown == 0 ? scratch_words : 0);
}

void scheduler::shorten_turn() {
  static_cast<void>(loop_watch::seen());
  context& c = running;
  if (!here.logs) {
    c.control = scratch_control;
    c.control_limit = scratch_control + scratch_words;
  }
  auto const share = static_cast<std::ptrdiff_t>(order_.quantum());
  if (c.control_limit - c.control > share) c.control_limit = c.control + share;
}

/// The log of the running lane is full: gives it a longer one. At the maximum length the other
/// lanes of its warp run first; then the steps that can be aligned are removed from all logs.
void scheduler::find_room(lane& l) {
  suspend(l);
  if (launch_.record.grow(l)) return;
  l.of->full |= l.bit();
  go_on(l, pick(*l.of->of));
}

/// All lanes of the warp that could run have full logs.
void scheduler::make_room(warp& w) {
  launch_.record.drain(w, w.full | w.polling | w.at_operation, w.polling);
  for (std::uint32_t rest = w.full; rest != 0; rest &= rest - 1) {
    lane& l = w.lanes[std::countr_zero(rest)];
    if (l.control_end - l.control < l.control - l.control_begin)
      static_cast<void>(launch_.record.grow(l, true));  // little could be aligned
  }
  w.ready |= w.full;
  w.full = 0;
  w.of->ready_warps |= 1u << w.index;
}

void scheduler::out_of_log() {
  context& c = running;
  if (c.lane == nullptr) {  // host code that was compiled like a kernel
    use_scratch();
    return;
  }
  lane& l = running_lane();
  if (loop_watch::seen() && !(here.logs && c.control >= l.control_end)) {
    if (here.logs) c.control_limit = l.control_end;
    return;
  }
  // Polls are removed from the log, so it may have become shorter.
  auto const work = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(
      1, here.logs ? c.control - l.control : c.control - scratch_control + here.countdown));
  progress_watch::observation const seen = progress_.observe(l, work);
  if (!here.logs) {
    c.control = scratch_control;
  } else {
    if (seen.spins && progress_.spins_for_long() && !here.traces) recorder::forget_repetition(l);
    if (c.control >= l.control_end) {
      find_room(l);
      c.control = l.control;
      c.data = l.data;
    }
    c.control_limit = l.control_end;
    l.control = c.control;
    recorder::mark_observed(l);
    here.busy = false;
  }
  if (progress_.is_endless(seen)) {
    here.failing = true;
    give_up(l, finding_kind::no_progress, progress_.endless(l, progress_.has_only_read()));
  } else if (seen.spins) {
    progress_.gives_way(seen);
    yield(true);
  } else if (interrupts_) {
    yield(false);
  }
}

void scheduler::leave_empty_loop() {
  lane& l = running_lane();
  here.failing = true;
  give_up(l, finding_kind::no_progress,
          say(name_of(l), " is in an empty loop", since_last_place(launch_.shape, l),
              ", which never ends: it neither reads nor computes"));
}

void scheduler::leave_overflown_stack() {
  lane& l = running_lane();
  here.failing = true;
  give_up(l, finding_kind::stack_overflow, needs_more_stack(launch_.shape, l));
}

void scheduler::record_stored_value(lane const& l) {
  auto const& last = here.unknown_value;
  if (last.place != nullptr) std::memcpy(value_slot(l, last.record)->bytes, last.place, last.bytes);
  here.unknown_value = {};
}

/// Abandons a lane that cannot go on. Its stack is never resumed or unwound: no exception may pass
/// through the hook of a basic block.
void scheduler::give_up(lane& l, finding_kind kind, std::string const& sentence) {
#ifdef __wasm__
  launch_.found.fail(kind, sentence, last_place(launch_.shape, l));
#else
  std::exception_ptr failure;
  try {
    launch_.found.fail(kind, sentence, last_place(launch_.shape, l));
  } catch (...) {
    failure = std::current_exception();
  }
  leave_for_good(std::move(failure));
#endif
}

void scheduler::leave_for_good(std::exception_ptr failure) {
#ifdef __wasm__
  std::rethrow_exception(std::move(failure));
#else
  remember(std::move(failure));
  lane& l = running_lane();
  suspend(l);
  switch_to_host(*l.on, l.left);
  __builtin_unreachable();
#endif
}

}  // namespace upsweep::sim
