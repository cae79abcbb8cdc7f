/// What is said when nobody can go on: who waits where, and for whom.
#pragma once

#include <upsweep/sim/launch_state.hpp>

#include <memory>
#include <vector>

namespace upsweep::sim {

/// Names the resident lanes that wait, first those for whom the others wait, and ends the launch.
/// `not_started`: blocks that have not come yet; `somebody_polls`: lanes could run, but in vain.
[[noreturn]] void fail_with_waiting_lanes(launch_state const& launch,
                                          std::vector<std::unique_ptr<cluster>> const& resident,
                                          std::uint64_t not_started, bool somebody_polls);

}  // namespace upsweep::sim
