/// The path of every access of a kernel: bounds, log, checks.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/runner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

/// The fast path of a hook keeps everything in registers; rare cases are a call at its end.
#define UPSWEEP_SIM_RARE [[gnu::noinline, gnu::cold]]

namespace upsweep::sim {

/// The running lane's access is out of bounds.
[[noreturn]] void out_of_bounds(findings& found, step_kind kind, memory const& m,
                                std::ptrdiff_t byte, layout type, position at);
[[noreturn]] void misaligned(findings& found, step_kind kind, memory const& m, std::ptrdiff_t byte,
                             layout type, position at);
/// An index is not in an array of the running lane's own.
[[noreturn]] void outside_own_array(findings& found, std::int64_t index, char const* array,
                                    std::uint32_t elements, position at);
/// The running lane divides by zero, and goes on.
void note_division(findings& found, position at);

[[gnu::always_inline]] inline void log_event(step_kind kind, std::uint64_t pc, position at,
                                             layout type, std::uint64_t where) {
  context& c = running;
  *c.control++ = event_word(kind, pc);
  *c.data++ = {pack(at, type), where};
}

template <step_kind kind>
[[gnu::always_inline]] inline void check_element(shadow& s, memory& m, std::uint64_t offset,
                                                 position at) {
  if constexpr (kind == step_kind::load)
    here.checks->read(s, m, offset, running_lane(), at);
  else
    here.checks->write(s, m, offset, running_lane(), at);
}

/// It touches several elements, or a part of one.
template <step_kind kind>
UPSWEEP_SIM_RARE void check_span(memory& m, std::uint64_t offset, unsigned size, position at) {
  if (m.is_divisible && !here.by->splits(m, offset, size)) return;
  for (std::uint64_t e = m.element_of(offset), last = m.element_of(offset + size - 1); e <= last;
       ++e)
    check_element<kind>(m.shadows[e], m, e * m.element_bytes, at);
}

template <step_kind kind>
[[gnu::noinline]] void check(memory& m, std::uint64_t offset, layout type, position at) {
  if constexpr (kind != step_kind::atomic) {
    if ((type & 0xffffu) == m.element_bytes) [[likely]]
      check_element<kind>(m.shadows[m.element_of(offset)], m, offset, at);
    else
      check_span<kind>(m, offset, type & 0xffffu, at);
  }
}

/// Errors, full logs and traces. The hook comes before the access, so a store's value is not known.
template <step_kind kind, bool checked>
UPSWEEP_SIM_RARE void access_rarely(memory* m, std::uint64_t offset, layout type, position at,
                                    std::uint64_t pc) {
  std::uint64_t const size = type & 0xffffu;
  if (offset > m->bytes || offset + size > m->bytes)
    out_of_bounds(here.by->launch().found, kind, *m, static_cast<std::ptrdiff_t>(offset), type, at);
  if ((offset & (type >> 16)) != 0)
    misaligned(here.by->launch().found, kind, *m, static_cast<std::ptrdiff_t>(offset), type, at);
  if (here.logs) {
    if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
    if (here.traces && kind != step_kind::atomic) {
      scheduler::record_stored_value(running_lane());
      std::size_t const bytes = std::min<std::size_t>(size, sizeof event_value::bytes);
      access_record* const record = running.data;
      event_value& traced = *value_slot(running_lane(), record);
      traced.when = ++here.traced_accesses;
      traced.polls = 0;
      traced.unwritten =
          kind == step_kind::load && here.checks != nullptr && checker::is_unwritten(*m, offset);
      if (kind == step_kind::store)
        here.unknown_value = {m->data + offset, record, bytes};
      else
        std::memcpy(traced.bytes, m->data + offset, bytes);
    }
    log_event(kind, pc, at, type, m->tag + offset);
  }
  if (checked && here.checks != nullptr) check<kind>(*m, offset, type, at);
}

/// Runs `f`. A failure ends the lane without unwinding its stack: compilers know that no hook of an
/// access throws.
template <class F>
auto without_throwing(F const& f) -> decltype(f()) {
#ifdef __wasm__  // exceptions pass through hooks, which have nothing to clean up
  return f();
#else
  std::exception_ptr failure;
  try {
    return f();
  } catch (...) {
    failure = std::current_exception();
  }
  here.by->scheduler().leave_for_good(std::move(failure));
#endif
}
template <step_kind kind, bool checked>
UPSWEEP_SIM_RARE void reported_rarely(memory* m, std::uint64_t offset, layout type, position at,
                                      std::uint64_t pc) {
  if (m->owner != nullptr && offset + (type & 0xffffu) > m->bytes) {
    std::byte const* const place = m->data + offset;  // perhaps in the gap before another array
    m = shared_arrays::nearest(*m->owner, place);
    offset = static_cast<std::uint64_t>(place - m->data);
  }
  without_throwing([&] { access_rarely<kind, checked>(m, offset, type, at, pc); });
}

/// Records a lane's last access, by which a loop that polls one element is recognized.
template <step_kind kind>
[[gnu::always_inline]] inline void remember_access(memory const& m, std::uint64_t offset,
                                                   position at) {
  lane& l = running_lane();
  l.last_at = at;
  l.last_access = m.tag + offset + (kind == step_kind::store ? store_bit : 0) + 1;
}

/// An access within bounds, with logs or checks.
template <step_kind kind, bool checked>
[[gnu::noinline]] void watched_access(memory* m, std::uint64_t offset, layout type, position at,
                                      std::uint64_t pc) {
  if (here.logs) {
    if (here.traces || running.control >= running.control_limit) [[unlikely]]
      return reported_rarely<kind, checked>(m, offset, type, at, pc);
    log_event(kind, pc, at, type, m->tag + offset);
  }
  if (checked && here.checks != nullptr) check<kind>(*m, offset, type, at);
  remember_access<kind>(*m, offset, at);
}

/// `outside` is negative if the access starts before the memory, ends after it or is misaligned:
/// one branch for three conditions. Without `checked` the caller checks what orders it.
template <step_kind kind, bool checked = true>
[[gnu::always_inline]] inline void access(memory* m, std::ptrdiff_t byte, layout type, position at,
                                          std::uint64_t pc) {
  auto const offset = static_cast<std::uint64_t>(byte);
  std::uint64_t const size = type & 0xffffu;
  std::uint64_t const outside = offset | (m->bytes - size - offset) | (0 - (offset & (type >> 16)));
  if (static_cast<std::int64_t>(outside) < 0) [[unlikely]]
    return reported_rarely<kind, checked>(m, offset, type, at, pc);
  if (here.watches) return watched_access<kind, checked>(m, offset, type, at, pc);
  remember_access<kind>(*m, offset, at);
}

}  // namespace upsweep::sim
