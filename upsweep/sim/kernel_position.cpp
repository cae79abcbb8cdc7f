/// Called by signal handlers, on the thread that runs the kernel.
#include <upsweep/sim/kernel_position.hpp>

#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

namespace upsweep::sim {

std::optional<kernel_position> current_kernel_position() {
  if (here.by == nullptr || running.lane == nullptr) return std::nullopt;
  lane const& l = running_lane();
  simt::launch_shape const& shape = here.by->launch().shape;
  return kernel_position{say(name_of(l), " of '", shape.name, "'"), readable(last_place(shape, l))};
}

}  // namespace upsweep::sim
