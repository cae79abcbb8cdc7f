/// The kernels' side of the interface in upsweep/simt/cuda/abi.h.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/addresses.hpp>
#include <upsweep/sim/operation.hpp>
#include <upsweep/sim/sentences.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#define UPSWEEP_SIM_HERE position::of_call(UPSWEEP_SIM_CALLER)

namespace upsweep::sim {

namespace {

lane_view const& caller_lane() {
  return *running.lane;
}

}  // namespace

}  // namespace upsweep::sim

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED unsigned upsweep_emulated_lane() {
  return caller_lane().index % 32;
}
UPSWEEP_SIM_EXPORTED unsigned upsweep_emulated_cluster_rank() {
  return running_lane().of->of->rank;
}
UPSWEEP_SIM_EXPORTED upsweep_emulated_extent upsweep_emulated_cluster_extent() {
  auto const& c = here.by->launch().shape.cluster;
  return {c.x, c.y, c.z};
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_barrier(unsigned column) {
  here.by->barriers().wait(UPSWEEP_SIM_HERE, column);
}
UPSWEEP_SIM_EXPORTED int upsweep_emulated_voting_barrier(int kind, int predicate, unsigned column) {
  return here.by->barriers().wait(static_cast<barrier_kind>(kind), predicate, UPSWEEP_SIM_HERE,
                                  column);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_cluster_barrier() {
  here.by->barriers().wait_for_cluster(UPSWEEP_SIM_HERE);
}
UPSWEEP_SIM_EXPORTED void* upsweep_emulated_shared_of_rank(void const* place, unsigned rank) {
  position const at = UPSWEEP_SIM_HERE;
  auto* const p = static_cast<std::byte*>(const_cast<void*>(place));
  memory* const m = memory_at(p, step_kind::load, at);
  busy_scope const busy;
  memory const* const there =
      without_throwing([&] { return here.by->shared_arrays().remote_array(*m, rank, at); });
  return there->data + (p - m->data);
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_warp_operation(upsweep_emulated_warp_call const* c) {
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  warp_call const call{static_cast<warp_kind>(c->kind),
                       c->is_signed != 0,
                       c->mask,
                       c->bytes | 3u << 16,
                       c->in,
                       c->out,
                       c->argument,
                       c->width,
                       c->predicate};
  if (here.traces && c->element != nullptr) {
    busy_scope const busy;
    here.by->launch().code->shuffled[position::of_call(pc).word()] = c->element;
  }
  without_throwing([&] { here.by->warp_operations().take_part(call, pc, position::of_call(pc)); });
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_pause() {
  here.by->scheduler().pause();
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_apply(void (*combine)(void const*, void*, void const*),
                                                 void const* op, void* earlier, void const* later,
                                                 unsigned bytes) {
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  hooks::apply(combine, op, earlier, later, bytes, pc);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_trap() {
  position const at = UPSWEEP_SIM_HERE;
  without_throwing([&] {
    here.by->launch().found.fail(
        finding_kind::trap, say(name_of(running_lane()), " executed __trap() at ", short_name(at)),
        at);
  });
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_atomic(void* place,
                                                  upsweep_emulated_atomic_call const* c) {
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  auto* const p = static_cast<std::byte*>(place);
  memory* const m = memory_at(p, step_kind::atomic, position::of_call(pc));
  if (m == nullptr) return static_cast<void>(c->update(p, c->operand, c->old));
  layout const type = c->bytes | (c->bytes - 1) << 16;
  atomic_access(*m, p,
                {static_cast<atomic_kind>(c->kind), c->is_device_wide != 0,
                 static_cast<std::memory_order>(c->order), type, c->update, c->operand, c->old},
                pc);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_read_only(void const volatile* place) {
  if (running.lane == nullptr || here.checks == nullptr || here.failing) return;
  auto* const p = static_cast<std::byte*>(const_cast<void*>(place));
  memory* const m = buffer_at(p);
  if (m == nullptr || m->is_released || p < m->data || p >= m->data + m->bytes) return;
  here.checks->read_only(*m, static_cast<std::uint64_t>(p - m->data), running_lane(),
                         UPSWEEP_SIM_HERE);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_fence(int is_device_wide, int order) {
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  if (here.logs) {
    if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
    log_event(step_kind::fence, pc, position::of_call(pc), 0, 0);
  }
  busy_scope const busy;
  if (here.checks != nullptr)
    here.checks->fence(running_lane(), is_device_wide != 0, static_cast<std::memory_order>(order));
}
