/// The message about a launch in which no lane can make progress.
#pragma once

#include <upsweep/sim/launch_state.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace upsweep::sim {

/// Ends the launch with a message that names the waiting lanes, those first for which others wait.
/// `not_started`: blocks that are not resident yet; `somebody_polls`: some lanes poll in vain.
[[noreturn]] void fail_with_waiting_lanes(launch_state const& launch,
                                          std::vector<std::unique_ptr<cluster>> const& resident,
                                          std::uint64_t not_started, bool somebody_polls);

}  // namespace upsweep::sim
