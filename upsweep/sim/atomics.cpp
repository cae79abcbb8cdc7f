/// The effect of an atomic on memory and on the clocks of lanes, and the removal of polls from
/// logs.
#include <upsweep/sim/runner.hpp>

#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::sim {

atomics::atomics(launch_state const& launch, scheduler& turns, progress_watch& progress)
    : launch_(launch), turns_(turns), progress_(progress) {}

void atomics::access(memory& m, std::ptrdiff_t byte, atomic_call const& call, position at) {
  lane& l = running_lane();
  l.of->of->is_rare = true;
  if (launch_.shape.independent_blocks && m.owner == nullptr) break_promise(l, at);
  if (update(m, static_cast<std::uint64_t>(byte), call, l, at)) {
    if (call.kind == atomic_kind::load)
      progress_.changed();
    else
      progress_.wrote_or_met();
    l.poll_where = 0;
    return;
  }
  // The same value as last time: the lane is waiting for another one.
  std::uint64_t value = 0;
  std::memcpy(&value, call.old, std::min<std::size_t>(call.type & 0xffffu, sizeof value));
  std::uint64_t const where = m.tag + static_cast<std::uint64_t>(byte) + 1;
  bool const again = l.poll_where == where && l.poll_value == value;
  l.poll_where = where;
  l.poll_value = value;
  if (again && here.logs) forget_poll(l, call.is_volatile);
  l.poll_end = running.control;
  l.poll_segment = l.segment;
  if (again) turns_.yield(true);
}

/// The access itself; returns whether it changed anything.
bool atomics::update(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                     position at) {
  busy_scope const busy;
  std::byte* const place = m.data + offset;
  unsigned const size = call.type & 0xffffu;
  bool const unwritten = here.traces && launch_.checks != nullptr &&
                         call.kind != atomic_kind::store && checker::is_unwritten(m, offset);
  if (launch_.checks != nullptr) launch_.checks->atomic(m, offset, call, l, at);
  bool const changed = call.update(place, call.operand, call.old);
  if (launch_.checks != nullptr) launch_.checks->published(m, offset, call, l, changed);
  if (launch_.how.count) {
    // A lane that reads a value depends on the applications of the lane that wrote it.
    auto& clocks = m.owner == nullptr ? clocks_ : m.owner->clocks_of_atomics;
    std::uint64_t& clock = clocks[m.tag + offset];
    l.clock = std::max(l.clock, l.of->of->floor);
    if (call.kind != atomic_kind::store) l.clock = std::max(l.clock, clock);
    if (changed) clock = std::max(clock, l.clock);
  }
  if (here.traces) {
    event_value& traced = *value_slot(l, running.data - 1);
    std::memcpy(traced.bytes, place, std::min<std::size_t>(size, sizeof traced.bytes));
    traced.when = ++here.traced_accesses;
    traced.polls = 0;
    // The operand of a compare-and-swap begins with the value that it expects.
    bool const swaps = call.kind == atomic_kind::compare_and_swap;
    traced.failed = swaps && std::memcmp(call.old, call.operand, size) != 0;
    traced.changes = call.kind == atomic_kind::store || (swaps && !traced.failed) ||
                     (call.kind != atomic_kind::load && changed);
    traced.unwritten = unwritten;
  }
  return changed;
}

/// Only the first poll stays in the log, so that counts do not depend on how long a lane waits: two
/// polls with nothing but branches between them become one.
void atomics::forget_poll(lane& l, bool is_volatile) {
  context& c = running;
  if (l.poll_segment == l.segment && l.poll_end > l.control_begin && l.poll_end < c.control &&
      *(l.poll_end - 1) == *(c.control - 1) &&
      std::none_of(l.poll_end, c.control - 1, [](log_word w) { return is_event(w); })) {
    c.control = l.poll_end;
    --c.data;
    ++l.of->of->counts.polls;
    if (here.traces) {
      event_value* const latest = value_slot(l, c.data);
      (latest - 1)->when = latest->when;
      ++(latest - 1)->polls;
    }
  } else {
    (c.data - 1)->where |= is_poll;
    if (is_volatile) launch_.record.note_poll_of_load();
  }
}

void atomics::break_promise(lane const& l, position at) {
  here.failing = true;
  launch_.found.fail(
      finding_kind::broken_promise,
      say("'", launch_.shape.name, "' was launched with .independent_blocks = true, but ",
          name_of(l), " updates global memory atomically at ", short_name(at),
          ": remove .independent_blocks if the blocks communicate"),
      at);
}

}  // namespace upsweep::sim
