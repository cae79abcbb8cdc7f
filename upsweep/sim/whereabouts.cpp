/// Asked by a handler of signals, on the thread that runs the kernel.
#include <upsweep/sim/whereabouts.hpp>

#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

namespace upsweep::sim {

std::optional<whereabouts> current_whereabouts() {
  if (here.by == nullptr || emulated::running.lane == nullptr) return std::nullopt;
  lane const& l = running_lane();
  simt::launch_shape const& shape = here.by->launch().shape;
  return whereabouts{say(name_of(l), " of '", shape.name, "'"), readable(last_place(shape, l))};
}

}  // namespace upsweep::sim
