/// What a thread can ask about itself and its warp, and how it ends with a finding.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/addresses.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unordered_map>

namespace upsweep::sim {

// Lanes wait for each other without a barrier: each polls until no other one can run.

namespace {

/// The lanes of a warp that wait to learn who is at the same position.
struct gathering {
  std::uint64_t launch = 0, block = 0;  // serial numbers
  std::uint32_t waiting = 0, answered = 0;
  std::uint64_t pc[32] = {};
  std::uint32_t answer[32] = {};
};
thread_local std::unordered_map<warp const*, gathering> gatherings;

/// Lanes that can run, but for those that wait here. Those that have an answer have not gone on.
bool others_can_run(warp const& w, gathering const& g, std::uint32_t me) {
  return ((w.runnable() & ~g.waiting & ~me) | g.answered) != 0;
}

/// Every lane is somewhere: those at the same position are together.
void answer_all(gathering& g) {
  for (std::uint32_t rest = g.waiting; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(__builtin_ctz(rest));
    std::uint32_t together = 0;
    for (std::uint32_t all = g.waiting; all != 0; all &= all - 1) {
      auto const j = static_cast<unsigned>(__builtin_ctz(all));
      if (g.pc[j] == g.pc[i]) together |= 1u << j;
    }
    g.answer[i] = together;
  }
  g.answered |= g.waiting;
  g.waiting = 0;
}

}  // namespace

unsigned lanes_together(std::uint64_t pc) {
  lane const& l = running_lane();
  warp const& w = *l.of;
  gathering& g = gatherings[&w];
  if (g.launch != current_launch() || g.block != w.of->base) {
    g = {};
    g.launch = current_launch();
    g.block = w.of->base;
  }
  unsigned const i = l.index % 32;
  std::uint32_t const me = l.bit();
  g.waiting |= me;
  g.pc[i] = pc;
  do here.by->scheduler().yield(true);
  while ((g.answered & me) == 0 && others_can_run(w, g, me));
  if ((g.answered & me) == 0) answer_all(g);
  g.answered &= ~me;
  return g.answer[i];
}

}  // namespace upsweep::sim

#define UPSWEEP_SIM_HERE position::of_call(UPSWEEP_SIM_CALLER)

using namespace upsweep::sim;

UPSWEEP_SIM_EXPORTED unsigned upsweep_emulated_active_lanes() {
  running_lane().has_input = true;
  return lanes_together(UPSWEEP_SIM_CALLER);
}

UPSWEEP_SIM_EXPORTED long long upsweep_emulated_clock() {
  static thread_local long long steps = 0;
  static thread_local std::uint64_t const* last = nullptr;
  if (running.lane == nullptr) return std::clock();
  running_lane().has_input = true;
  has_other_effects.store(true, std::memory_order_relaxed);
  std::uint64_t const* const now = running.control;
  if (here.logs && last != nullptr && now > last && now - last < (1 << 20)) steps += now - last;
  last = now;
  return ++steps;
}

UPSWEEP_SIM_EXPORTED int upsweep_emulated_is_cooperative() {
  return here.by->launch().shape.is_cooperative ? 1 : 0;
}
UPSWEEP_SIM_EXPORTED std::size_t upsweep_emulated_dynamic_bytes() {
  return here.by->launch().shape.shared_bytes;
}
UPSWEEP_SIM_EXPORTED void* upsweep_emulated_shared_begin() {
  return here.window;
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_zeroed(void* place, std::size_t bytes) {
  auto* const p = static_cast<std::byte*>(place);
  if (*p == std::byte{0}) return;
  std::memset(p, 0, bytes);
  if (memory const* const m = own_array(p); m->shadows != nullptr)
    std::fill_n(m->shadows, m->shadows_of(m->element_bytes), shadow{host_write, 0});
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_misuse(char const* sentence) {
  position const at = UPSWEEP_SIM_HERE;
  without_throwing([&] {
    here.by->launch().found.fail(
        finding_kind::misuse, say(name_of(running_lane()), " at ", short_name(at), ": ", sentence),
        at);
  });
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_assert_failed(char const* expression, char const* file,
                                                         unsigned line, char const* function) {
  if (running.lane == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  position const at = UPSWEEP_SIM_HERE;
  without_throwing([&] {
    here.by->launch().found.fail(
        finding_kind::trap,
        say("assert(", expression, ") fails in ", name_of(running_lane()), " at ", short_name(at)),
        at);
  });
}
