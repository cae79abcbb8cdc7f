/// The hooks that every access, barrier and basic block of an emulated kernel calls.
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace upsweep::sim {

constinit thread_local hook_state here;
constinit thread_local int countdowns[countdown_count] = {};

}  // namespace upsweep::sim

namespace upsweep::simt::emulated {

namespace {

std::uint64_t nowhere[1];
access_record nothing[1];

using sim::access;
using sim::here;
using sim::log_event;
using sim::running_lane;
using sim::step_kind;

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

extern "C" [[gnu::noinline, gnu::visibility("default")]] void __sanitizer_cov_trace_pc() {
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
    log_event(step_kind::fence, UPSWEEP_SIM_CALLER, at, 0, 0);
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
  if (running.lane != nullptr) here.by->scheduler().pause();
}
void trap(position at) {
  here.failing = true;
  here.by->launch().found.fail(
      sim::finding_kind::trap,
      sim::say(name_of(running_lane()), " executed __trap() at ", sim::short_name(at)), at);
}

void log_application(std::uint64_t pc, sim::position at, layout type) {
  if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
  log_event(step_kind::apply, pc, at, type, 0);
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

namespace {

[[gnu::always_inline]] inline void apply_at(void (*combine)(void const*, void*, void const*),
                                            void const* op, void* earlier, void const* later,
                                            emulated::layout type, position at, std::uint64_t pc) {
  if (emulated::running.lane ==
      nullptr) {  // a host plan combines partials itself: not an application of a kernel
    combine(op, earlier, later);
    return;
  }
  if (here.logs) {
    lane& l = running_lane();
    l.clock = std::max(l.clock, l.of->of->floor) + 1;
    emulated::log_application(pc, at, type);
  }
  {
    uncounted_scope const until_it_returns;
    combine(op, earlier, later);
  }
  if (here.logs && here.traces)
    std::memcpy(value_slot(running_lane(), emulated::running.data - 1)->bytes, earlier,
                std::min<std::size_t>(type & 0xffffu, sizeof event_value::bytes));
}

}  // namespace

void apply(void (*combine)(void const*, void*, void const*), void const* op, void* earlier,
           void const* later, emulated::layout type, std::uint64_t pc) {
  apply_at(combine, op, earlier, later, type, position::of_call(pc), pc);
}
void apply(void (*combine)(void const*, void*, void const*), void const* op, void* earlier,
           void const* later, emulated::layout type, emulated::position at) {
  apply_at(combine, op, earlier, later, type, at, UPSWEEP_SIM_CALLER);
}

}  // namespace upsweep::sim::hooks
