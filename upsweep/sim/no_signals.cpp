/// WebAssembly has no signals: what only they tell is not noticed. An empty loop and an overflown
/// stack end with the program, and a division by zero is a trap of the machine.
#include <upsweep/sim/loop_watch.hpp>
#include <upsweep/sim/stack_watch.hpp>
#include <upsweep/sim/trap_watch.hpp>

namespace upsweep::sim {

loop_watch::loop_watch(void (*)()) {}
loop_watch::~loop_watch() = default;
bool loop_watch::seen() {
  return false;
}

stack_watch::stack_watch(void (*)()) {}
stack_watch::~stack_watch() = default;

void watch_traps() {}

}  // namespace upsweep::sim
