/// The hooks that every access, barrier and basic block of an emulated kernel calls.
#include <upsweep/sim/access_errors.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

/// The address that called the hook. Callers of hooks are always inlined into the kernel.
#define UPSWEEP_SIM_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
/// The fast path of a hook keeps everything in registers; rare cases are a call at its end.
#define UPSWEEP_SIM_RARE [[gnu::noinline, gnu::cold]]

namespace upsweep::sim {

constinit thread_local hook_state here;
constinit thread_local int countdowns[countdown_count] = {};

}  // namespace upsweep::sim

namespace upsweep::simt::emulated {

namespace {

std::uint64_t nowhere[1];
access_record nothing[1];

using sim::here;
using sim::running_lane;
using sim::step_kind;

[[gnu::always_inline]] inline void log(step_kind kind, std::uint64_t pc, position at, layout type,
                                       std::uint64_t where) {
  context& c = running;
  *c.control++ = sim::event_word(kind, pc);
  *c.data++ = {sim::pack(at, type), where};
}

template <step_kind kind>
[[gnu::always_inline]] inline void check_element(sim::shadow& s, memory& m, std::uint64_t offset,
                                                 position at) {
  if constexpr (kind == step_kind::load)
    here.checks->read(s, m, offset, running_lane(), at);
  else
    here.checks->write(s, m, offset, running_lane(), at);
}

/// An access through pointer_cast: it touches several elements, or a part of one.
template <step_kind kind>
UPSWEEP_SIM_RARE void check_span(memory& m, std::uint64_t offset, unsigned size, position at) {
  for (std::uint64_t e = m.element_of(offset), last = m.element_of(offset + size - 1); e <= last;
       ++e)
    check_element<kind>(m.shadows[e], m, e * m.element_bytes, at);
}

template <step_kind kind>
[[gnu::noinline]] std::byte* check(memory& m, std::uint64_t offset, layout type, position at) {
  if constexpr (kind != step_kind::atomic) {
    if ((type & 0xffffu) == m.element_bytes) [[likely]]
      check_element<kind>(m.shadows[m.element_of(offset)], m, offset, at);
    else
      check_span<kind>(m, offset, type & 0xffffu, at);
  }
  return m.data + offset;
}

/// Errors, full logs and traces.
template <step_kind kind>
UPSWEEP_SIM_RARE std::byte* access_rarely(memory* m, std::uint64_t offset, layout type, position at,
                                          std::uint64_t pc, void const* value) {
  std::uint64_t const size = type & 0xffffu;
  if (m == nullptr || offset > m->bytes || offset + size > m->bytes)
    sim::out_of_bounds(here.by->launch().found, kind, m, static_cast<std::ptrdiff_t>(offset), type,
                       at);
  if ((offset & (type >> 16)) != 0)
    sim::misaligned(here.by->launch().found, kind, *m, static_cast<std::ptrdiff_t>(offset), type,
                    at);
  if (here.logs) {
    if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
    if (here.traces && kind != step_kind::atomic)
      std::memcpy(value_slot(running_lane(), running.data)->bytes,
                  kind == step_kind::load ? m->data + offset : value,
                  std::min<std::size_t>(size, sizeof(sim::event_value)));
    log(kind, pc, at, type, m->tag + offset);
  }
  return here.checks == nullptr ? m->data + offset : check<kind>(*m, offset, type, at);
}

/// Records a lane's last access, by which a loop that polls one element is recognised.
template <step_kind kind>
[[gnu::always_inline]] inline void remember_access(memory const& m, std::uint64_t offset,
                                                   position at) {
  sim::lane& l = running_lane();
  l.last_at = at;
  l.last_access = m.tag + offset + (kind == step_kind::store ? sim::store_bit : 0) + 1;
}

/// An access within bounds, with logs or checks.
template <step_kind kind>
[[gnu::noinline]] std::byte* watched_access(memory* m, std::uint64_t offset, layout type,
                                            position at, std::uint64_t pc, void const* value) {
  if (here.logs) {
    if (here.traces || running.control >= running.control_limit) [[unlikely]]
      return access_rarely<kind>(m, offset, type, at, pc, value);
    log(kind, pc, at, type, m->tag + offset);
  }
  std::byte* const place =
      here.checks == nullptr ? m->data + offset : check<kind>(*m, offset, type, at);
  remember_access<kind>(*m, offset, at);
  return place;
}

/// `outside` is negative if the access starts before the memory, ends after it or is misaligned:
/// one branch for three conditions.
template <step_kind kind>
[[gnu::always_inline]] inline std::byte* access(memory* m, std::ptrdiff_t byte, layout type,
                                                position at, std::uint64_t pc, void const* value) {
  auto const offset = static_cast<std::uint64_t>(byte);
  std::uint64_t const size = type & 0xffffu;
  if (m == nullptr) [[unlikely]]
    return access_rarely<kind>(m, offset, type, at, pc, value);
  std::uint64_t const outside = offset | (m->bytes - size - offset) | (0 - (offset & (type >> 16)));
  if (static_cast<std::int64_t>(outside) < 0) [[unlikely]]
    return access_rarely<kind>(m, offset, type, at, pc, value);
  if (here.watches) return watched_access<kind>(m, offset, type, at, pc, value);
  remember_access<kind>(*m, offset, at);
  return m->data + offset;
}

/// The memory of a shared array in the running block, which becomes the recent one; null before its
/// first use.
memory* find_array(shared_key const& key) {
  auto const number = static_cast<unsigned>(key.id.load(std::memory_order_relaxed));
  memory* const m = number < here.known_keys ? here.arrays[here.slots[number]] : nullptr;
  here.recent_array = m;
  here.recent_key = m == nullptr ? nullptr : &key;
  return m;
}

UPSWEEP_SIM_RARE memory* new_array(shared_key& key) {
  sim::busy_scope const busy;
  return here.by->shared_arrays().array_of(*running_lane().of->of, key);
}

template <step_kind kind>
[[gnu::noinline]] std::byte* access_other(shared_key* key, std::ptrdiff_t byte, layout type,
                                          position at, std::uint64_t pc, void const* value) {
  memory* const m = find_array(*key);
  return access<kind>(m != nullptr ? m : new_array(*key), byte, type, at, pc, value);
}

template <step_kind kind>
[[gnu::always_inline]] inline std::byte* access(shared_key* key, std::ptrdiff_t byte, layout type,
                                                position at, std::uint64_t pc, void const* value) {
  if (here.recent_key != key) [[unlikely]]
    return access_other<kind>(key, byte, type, at, pc, value);
  return access<kind>(here.recent_array, byte, type, at, pc, value);
}

/// A full log, host code that was compiled like a kernel, or the end of a turn.
UPSWEEP_SIM_RARE void trace_rarely(std::uint64_t pc) {
  sim::countdowns[sim::countdown_of(pc)] = here.countdown;
  if (here.by == nullptr || here.busy || here.failing) return;
  here.by->scheduler().out_of_log();
  // Without logs all lanes share one scratch log, and others may have filled it while this lane was
  // suspended.
  if (running.control < running.control_limit) *running.control++ = pc;
}

}  // namespace

constinit thread_local context running{nowhere, nowhere, nothing, nullptr};

extern "C" [[gnu::noinline]] void __sanitizer_cov_trace_pc() {
  context& c = running;
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  if (c.control < c.control_limit)
    *c.control++ = pc;
  else if (--sim::countdowns[sim::countdown_of(pc)] < 0) [[unlikely]]
    trace_rarely(pc);
}

#define UPSWEEP_SIM_ACCESS(kind, m, value) \
  access<step_kind::kind>(m, byte, type, at, UPSWEEP_SIM_CALLER, value)
std::byte* load(memory* from, std::ptrdiff_t byte, layout type, position at) {
  return UPSWEEP_SIM_ACCESS(load, from, nullptr);
}
std::byte* load(shared_key* from, std::ptrdiff_t byte, layout type, position at) {
  return UPSWEEP_SIM_ACCESS(load, from, nullptr);
}
std::byte* store(memory* to, std::ptrdiff_t byte, layout type, position at, void const* value) {
  return UPSWEEP_SIM_ACCESS(store, to, value);
}
std::byte* store(shared_key* to, std::ptrdiff_t byte, layout type, position at, void const* value) {
  return UPSWEEP_SIM_ACCESS(store, to, value);
}

memory* memory_of(shared_key* key) {
  memory* const m = find_array(*key);
  return m != nullptr ? m : new_array(*key);
}
memory* memory_of(shared_key* key, unsigned rank, position at) {
  sim::busy_scope const busy;
  return here.by->shared_arrays().remote_array(*key, rank, at);
}
memory* memory_of(memory* m, unsigned rank, position at) {
  sim::busy_scope const busy;
  return here.by->shared_arrays().remote_array(*m, rank, at);
}
memory* dynamic_memory(layout element, position at) {
  sim::busy_scope const busy;
  return here.by->shared_arrays().dynamic_array(*running_lane().of->of, element, at);
}

void atomic(memory* m, std::ptrdiff_t byte, atomic_call const& call, position at) {
  static_cast<void>(access<step_kind::atomic>(m, byte, call.type, at, UPSWEEP_SIM_CALLER, nullptr));
  here.by->atomics().access(*m, byte, call, at);
}
void fence(bool device_wide, std::memory_order order, position at) {
  if (here.logs) {
    if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
    log(step_kind::fence, UPSWEEP_SIM_CALLER, at, 0, 0);
  }
  sim::busy_scope const busy;
  if (here.checks != nullptr) here.checks->fence(running_lane(), device_wide, order);
}
void barrier(position at) {
  here.by->barriers().wait(at);
}
int barrier(barrier_kind kind, int predicate, position at) {
  return here.by->barriers().wait(kind, predicate, at);
}
void cluster_barrier(position at) {
  here.by->barriers().wait_for_cluster(at);
}
unsigned cluster_rank() {
  return running_lane().of->of->rank;
}
unsigned cluster_size() {
  return here.by->launch().shape.cluster;
}
void warp_operation(warp_call const& call, position at) {
  here.by->warp_operations().take_part(call, UPSWEEP_SIM_CALLER, at);
}
void pause() {
  if (running.lane != nullptr) here.by->scheduler().yield(true);
}
void trap(position at) {
  here.failing = true;
  here.by->launch().found.fail(
      sim::finding_kind::trap,
      sim::say(name_of(running_lane()), " executed __trap() at ", sim::short_name(at)), at);
}

void log_application(std::uint64_t pc, position at, layout type) {
  if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
  log(step_kind::apply, pc, at, type, 0);
}

}  // namespace upsweep::simt::emulated

namespace upsweep::sim::hooks {

namespace {

/// While an object of this class exists, basic blocks belong to no lane: the operator may have been
/// compiled like a kernel, and must neither be interrupted nor write to the lane's log, which could
/// be drained or moved meanwhile.
class uncounted_scope {
 public:
  uncounted_scope() : kernel_(emulated::running) {
    emulated::running.control = blocks_;
    emulated::running.control_limit = blocks_ + std::size(blocks_);
    emulated::running.lane = nullptr;
  }
  uncounted_scope(uncounted_scope const&) = delete;
  uncounted_scope& operator=(uncounted_scope const&) = delete;
  ~uncounted_scope() { emulated::running = kernel_; }

 private:
  static thread_local std::uint64_t blocks_[64];
  emulated::context kernel_;
};
thread_local std::uint64_t uncounted_scope::blocks_[64];

}  // namespace

void apply(void (*combine)(void const*, void*, void const*), void const* op, void* earlier,
           void const* later, emulated::layout type, position at) {
  if (emulated::running.lane ==
      nullptr) {  // a host plan combines partials itself: not an application of a kernel
    combine(op, earlier, later);
    return;
  }
  if (here.logs) {
    lane& l = running_lane();
    l.clock = std::max(l.clock, l.of->of->floor) + 1;
    emulated::log_application(UPSWEEP_SIM_CALLER, at, type);
  }
  {
    uncounted_scope const until_it_returns;
    combine(op, earlier, later);
  }
  if (here.logs && here.traces)
    std::memcpy(value_slot(running_lane(), emulated::running.data - 1)->bytes, earlier,
                std::min<std::size_t>(type & 0xffffu, sizeof(event_value)));
}

}  // namespace upsweep::sim::hooks
