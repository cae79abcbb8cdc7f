/// Where a kernel is when something outside of the emulator ends it, such as a signal.
#pragma once

#include <upsweep/sim/report.hpp>

#include <optional>

namespace upsweep::sim {

/// The thread of a kernel that this thread of the host is running, and the last place of the source
/// that is known of it.
struct whereabouts {
  std::string thread;  ///< "thread 3 of block 0 of 'kernel'"
  source_position last;
};
/// Nothing while the host's own code runs.
[[nodiscard]] std::optional<whereabouts> current_whereabouts();

}  // namespace upsweep::sim
