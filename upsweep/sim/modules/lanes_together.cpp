/// Lanes wait for each other without a barrier: each polls until no other one can run.
#include <upsweep/sim/modules/lanes_together.hpp>

#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/runner.hpp>

#include <unordered_map>

namespace upsweep::sim {

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
