/// Whose turn it is: picking lanes, switching between them, interrupting them.
#include <upsweep/sim/turns.hpp>

#include <upsweep/sim/engine.hpp>
#include <upsweep/sim/loop_watch.hpp>
#include <upsweep/sim/sentences.hpp>
#include <upsweep/sim/whereabouts.hpp>

#include <algorithm>
#include <bit>

namespace upsweep::sim {

namespace {

/// The log of a lane that keeps none: its end is where its share of time ends.
constexpr std::size_t scratch_words = 512;
thread_local std::uint64_t scratch_control[scratch_words];

/// A random set bit of `mask`.
std::uint32_t random_bit(std::uint32_t mask, std::mt19937_64& random) {
  for (auto skip = static_cast<unsigned>(random() % static_cast<unsigned>(std::popcount(mask)));
       skip > 0; --skip)
    mask &= mask - 1;
  return mask & (0 - mask);
}

}  // namespace

/// Who goes on in this block: null if nobody can.
lane* runner::pick(block& b) {
  if (warp& current = b.warps[b.current_warp]; current.full != 0 && current.runnable() == 0)
    make_room(current);
  if (options_.how == schedule::random) return pick_at_random(b);
  // The rest of this warp, then the other warps. In equal shares, those that come after the lane
  // that ran last.
  warp& current = b.warps[b.current_warp];
  bool const in_turn = options_.how == schedule::round_robin;
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

std::uint32_t runner::first_of(std::uint32_t mask) const {
  return variant_ == 3 ? 0x80000000u >> std::countl_zero(mask) : mask & (0 - mask);
}

lane* runner::pick_at_random(block& b) {
  while (b.ready_warps != 0) {
    std::uint32_t const bit = random_bit(b.ready_warps, random_);
    warp& w = b.warps[static_cast<unsigned>(std::countr_zero(bit))];
    if (w.runnable() != 0) return take(w, random_bit(w.runnable(), random_));
    b.ready_warps &= ~bit;
  }
  return nullptr;
}

/// How many basic blocks the lane may run before somebody else's turn.
std::uint64_t runner::quantum() {
  if (options_.how == schedule::round_robin) return 16;
  // Mostly short, sometimes long: both interleavings within an expression and whole phases that run
  // away happen.
  std::uint64_t const draw = random_();
  return draw % 8 == 0 ? 1 + draw / 8 % 400 : 1 + draw / 8 % 12;
}

void runner::shorten_turn() {
  static_cast<void>(loop_watch::seen());
  emulated::context& c = emulated::running;
  if (!here.logs) {
    c.control = scratch_control;
    c.control_limit = scratch_control + scratch_words;
  }
  auto const share = static_cast<std::ptrdiff_t>(quantum());
  if (c.control_limit - c.control > share) c.control_limit = c.control + share;
}

/// Nobody runs: what is logged is lost.
void runner::use_scratch() {
  emulated::running.lane = nullptr;
  emulated::running.control = scratch_control;
  emulated::running.control_limit = scratch_control + (here.tallied == 0 ? scratch_words : 0);
}

void runner::switch_to_hub(fiber& from, switch_point& here_point) {
  use_scratch();
  switch_stacks(from, here_point, hub_, hub_.idle);
}

void runner::start_with(fiber& from, switch_point& here_point, lane& next) {
  switch_to(from, here_point, next);
}

/// The same as going on with pick(), short where lanes simply follow each other.
void runner::go_on_in_line(lane& l, warp& w, block& b) {
  std::uint32_t const runnable = w.runnable();
  if (!here.in_line || runnable == 0) return go_on(l, pick(b));
  switch_to(*l.on, l.left, *take(w, runnable & (0 - runnable)));
}

/// The running lane, suspended, leaves the turn to `next`, or to the hub if that is null. Returns
/// when it is resumed.
void runner::go_on(lane& l, lane* next) {
  if (next == &l)
    resume(l);
  else if (next != nullptr)
    switch_to(*l.on, l.left, *next);
  else
    switch_to_hub(*l.on, l.left);
}

/// The running lane lets others go first; `polling`: until the block is visited again.
void runner::yield(bool polling) {
  lane& l = self();
  warp& w = *l.of;
  block& b = *w.of;
  suspend(l);
  b.is_rare = true;
  (polling ? w.polling : w.ready) |= l.bit();
  b.ready_warps |= 1u << w.index;
  bool const change_block = options_.how == schedule::round_robin ||
                            (options_.how == schedule::random && random_() % 4 == 0);
  go_on(l, change_block ? nullptr : pick(b));
}

void runner::pause() {
  if (emulated::running.lane != nullptr) yield(true);
}

/// The log of the running lane is as long as it should get: the other lanes of its warp run first,
/// then what they have in common is taken off all logs.
void runner::wait_for_room(lane& l) {
  warp& w = *l.of;
  w.full |= l.bit();
  go_on(l, pick(*w.of));
}

/// Nobody in the warp can run but those whose logs are full.
void runner::make_room(warp& w) {
  std::uint32_t const open = w.full | w.polling;
  recorder_.drain(w, open);
  for (std::uint32_t rest = w.full; rest != 0; rest &= rest - 1) {
    lane& l = w.lanes[std::countr_zero(rest)];
    if (l.control_end - l.control < l.control - l.control_begin)
      static_cast<void>(recorder_.grow(l, true));  // little was in common
  }
  w.ready |= w.full;
  w.full = 0;
  w.of->ready_warps |= 1u << w.index;
}

std::optional<whereabouts> current_whereabouts() {
  if (here.by == nullptr || emulated::running.lane == nullptr) return std::nullopt;
  lane const& l = runner::self();
  return whereabouts{say(name_of(l), " of '", here.by->launch().shape.name, "'"),
                     readable(here.by->last_place(l))};
}

bool runner::has_only_read() const {
  return read_work_ / reads_forgiven > options_.step_limit;
}

/// Where the lane has been last; where it was launched, if it has done nothing yet.
position runner::last_place(lane const& l) const {
  return l.last_at.line() != 0 ? l.last_at : l.waits_at.line() != 0 ? l.waits_at : launch_.shape.at;
}

std::string runner::since_last_place(lane const& l) const {
  bool const has_started = l.last_at.line() != 0 || l.waits_at.line() != 0;
  return say(" of '", launch_.shape.name, has_started ? "' after " : "', launched at ",
             short_name(last_place(l)));
}

/// What is said of a lane that is given up.
std::string runner::endless(lane const& l, bool only_reads) const {
  return say(
      name_of(l), " has run ", only_reads ? read_work_ : idle_work_, " basic blocks",
      since_last_place(l),
      only_reads ? " without anything being written" : " without reading or writing anything new",
      "; does its loop end?");
}

void runner::leave_empty_loop() {
  lane& l = self();
  here.failing = true;
  remember_failure(finding_kind::no_progress,
                   say(name_of(l), " is in an empty loop", since_last_place(l),
                       ", which does not end: it neither reads nor computes"),
                   last_place(l));
  switch_to_hub(*l.on, l.left);  // for good
}

void runner::out_of_log() {
  emulated::context& c = emulated::running;
  if (c.lane == nullptr) {  // code of the host that was compiled like a kernel
    use_scratch();
    return;
  }
  lane& l = self();
  if (loop_watch::seen() && !(recorder_.on() && c.control >= l.control_end)) {
    if (recorder_.on()) c.control_limit = l.control_end;
    return;
  }
  std::uint64_t const last = std::exchange(l.last_access, 0);
  // Several of the counts of basic blocks may end in one turn of a loop; a lane that works without
  // any access ends them all.
  silences_ = last == 0 && &l == spinner_ ? silences_ + 1 : 0;
  bool const is_silent = last == 0 && silences_ >= here.tallied;
  bool const looks_again = last != 0 && last == l.access_before;
  // What a lane of an earlier block left there is no spinning.
  bool const spins = looks_again && (here.tallied == 0 || &l == spinner_);
  if (last != 0) l.access_before = last;
  spinner_ = &l;
  if (here.tallied == 0) l.of->of->is_rare = true;
  if (!looks_again && last != 0) {
    ++progress_;
    idle_work_ = 0;
  }
  // A poll is taken off the log, so the log may have become shorter.
  auto const work = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(
      1, recorder_.on() ? c.control - l.control : c.control - scratch_control + here.tallied));
  if (here.tallied == 0) l.work_since_poll = last == 0 ? l.work_since_poll + work : 0;
  // Who polls an atomic is known to wait, also where his turn ends between two looks.
  bool const polls = here.tallied == 0 && l.poll_where != 0 &&
                     (last == l.poll_where || l.work_since_poll < most_work_between_polls);
  if (is_silent && !polls) works_ = true;
  idle_work_ += work;
  read_work_ = (last & store_bit) != 0 ? 0 : read_work_ + work;
  if (!recorder_.on()) {
    c.control = scratch_control;
  } else {
    if (c.control >= l.control_end) {
      suspend(l);
      if (!recorder_.grow(l)) wait_for_room(l);
      c.control = l.control;
      c.data = l.data;
    }
    c.control_limit = l.control_end;
    l.control = c.control;
    here.busy = false;
  }
  if (has_only_read() || (is_silent && idle_work_ > options_.step_limit)) {
    here.failing = true;
    remember_failure(finding_kind::no_progress, endless(l, has_only_read()), last_place(l));
    switch_to_hub(*l.on, l.left);  // for good: no exception may pass the hook of a basic block
  } else if (spins) {
    works_ = works_ || !polls;
    yield(true);
  } else if (pre_empts_) {
    yield(false);
  }
}

}  // namespace upsweep::sim
