/// The position of a running kernel, for handlers of signals and other failures outside the
/// emulator.
#pragma once

#include <upsweep/sim/report.hpp>

#include <optional>
#include <string>

namespace upsweep::sim {

/// The kernel thread that this host thread is running, and its last known source position.
struct kernel_position {
  std::string thread;  ///< "thread 3 of block 0 of 'kernel'"
  source_position last;
};
/// Empty while no kernel runs on this host thread.
[[nodiscard]] std::optional<kernel_position> current_kernel_position();

}  // namespace upsweep::sim
