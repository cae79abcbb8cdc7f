/// cp.async: copies that a thread has started and not yet waited for.
///
/// A copy is executed, and its accesses are reported, when the thread waits for it. Until then the
/// destination has the value of uninitialized memory, so that a missing wait is a wrong result, and
/// mostly an uninitialized read.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/addresses.hpp>
#include <upsweep/sim/modules/current_machine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <unordered_map>

namespace upsweep::sim {

namespace {

/// How far a lane has come: the logged steps of its warp, and its own accesses since then.
struct moment {
  std::uint64_t segment, steps, accesses;
};
struct started_copy {
  std::byte *to, *from;
  unsigned bytes, from_bytes;
  std::uint64_t pc;
  std::uint64_t group;
  moment at;
};
struct thread_copies {
  std::uint64_t launch = 0;
  epoch block = 0;  // its serial number: lanes are reused
  std::uint64_t group = 0;
  std::deque<started_copy> copies;
};
thread_local std::unordered_map<lane const*, thread_copies> all_copies;

thread_copies& copies_of_caller() {
  lane const& l = running_lane();
  thread_copies& mine = all_copies[&l];
  if (mine.launch != current_launch() || mine.block != l.of->of->base)
    mine = {current_launch(), l.of->of->base, 0, {}};
  return mine;
}

moment moment_of(lane const& l) {
  if (!here.logs) return {};
  return {l.segment, l.of->steps, static_cast<std::uint64_t>(running.data - l.data_begin)};
}
/// Whether the lane has accessed memory between. Each segment ends with at most one step that is
/// no access; a very long one is logged in parts.
bool has_worked(moment const& then, moment const& now) {
  if (then.segment == now.segment) return now.accesses > then.accesses || now.steps > then.steps;
  return now.accesses > 0 || now.steps - then.steps > then.accesses + (now.segment - then.segment);
}

/// Where the copy to this place was started; unknown if there is none.
position start_of_copy_to(std::byte const* place) {
  for (auto const& [by, mine] : all_copies)
    if (mine.launch == current_launch())
      for (started_copy const& c : mine.copies)
        if (c.to <= place && place < c.to + c.bytes) return position::of_call(c.pc);
  return {};
}

void start(void* to, void const* from, unsigned bytes, unsigned from_bytes, std::uint64_t pc) {
  auto* const p = static_cast<std::byte*>(to);
  memory* const m = memory_at(p, step_kind::store, position::of_call(pc));
  std::ptrdiff_t const byte = m == nullptr ? -1 : p - m->data;
  bool const is_inside = byte >= 0 && static_cast<std::size_t>(byte) + bytes <= m->bytes;
  busy_scope const busy;
  // Anything else is reported when the copy is executed.
  if (is_inside) std::memset(to, poison, bytes);
  if (is_inside && here.checks != nullptr) {
    copy_to.store(start_of_copy_to);
    auto const offset = static_cast<std::uint64_t>(byte);
    if (m->is_divisible) static_cast<void>(here.by->splits(*m, offset, bytes));
    here.checks->copy_started(*m, offset, bytes, running_lane());
  }
  thread_copies& mine = copies_of_caller();
  mine.copies.push_back({p, static_cast<std::byte*>(const_cast<void*>(from)), bytes,
                         std::min(bytes, from_bytes), pc, mine.group, moment_of(running_lane())});
}

template <step_kind kind>
void report(std::byte* p, unsigned bytes, std::uint64_t pc) {
  position const at = position::of_call(pc);
  memory* const m = memory_at(p, kind, at);
  if (m == nullptr) return;
  auto const type = static_cast<layout>(bytes | (bytes - 1) << 16);
  access<kind>(m, p - m->data, type, at, pc);
}

void execute(started_copy const& c) {
  if (c.from_bytes != 0) {
    // A part of an instruction's bytes is read as words or bytes.
    unsigned const unit = c.from_bytes == c.bytes ? c.bytes : c.from_bytes % 4 == 0 ? 4 : 1;
    for (unsigned done = 0; done < c.from_bytes; done += unit)
      report<step_kind::load>(c.from + done, unit, c.pc);
  }
  report<step_kind::store>(c.to, c.bytes, c.pc + 1);
  std::memcpy(c.to, c.from, c.from_bytes);
  std::memset(c.to + c.from_bytes, 0, c.bytes - c.from_bytes);
}

/// The oldest copy of a group before this one, which is over then.
bool take_before(std::uint64_t group, started_copy& next) {
  busy_scope const busy;
  thread_copies& mine = copies_of_caller();
  if (mine.copies.empty() || mine.copies.front().group >= group) return false;
  next = mine.copies.front();
  mine.copies.pop_front();
  return true;
}
void execute_before(std::uint64_t group) {
  moment const now = moment_of(running_lane());
  for (started_copy next; take_before(group, next);) {
    if (here.logs && !has_worked(next.at, now)) here.by->note_exposed_copy(next.bytes);
    execute(next);
  }
}

}  // namespace

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED void upsweep_emulated_start_copy(void* to, void const* from, unsigned bytes,
                                                      unsigned from_bytes) {
  start(to, from, bytes, from_bytes, UPSWEEP_SIM_CALLER);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_start_copies(void* to, void const* from,
                                                        std::size_t bytes) {
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  std::size_t const ends =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes | 16;
  auto const unit = static_cast<unsigned>(ends & (0 - ends));
  for (std::size_t i = 0; i < bytes; i += unit)
    start(static_cast<std::byte*>(to) + i, static_cast<std::byte const*>(from) + i, unit, unit, pc);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_commit_copies() {
  busy_scope const busy;
  ++copies_of_caller().group;
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_wait_for_copies(int groups) {
  std::uint64_t const now = copies_of_caller().group;
  auto const kept = static_cast<std::uint64_t>(groups);
  execute_before(groups < 0 ? now + 1 : now - std::min(now, kept));
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_wait_for_oldest_copies() {
  thread_copies const& mine = copies_of_caller();
  if (!mine.copies.empty()) execute_before(mine.copies.front().group + 1);
}
