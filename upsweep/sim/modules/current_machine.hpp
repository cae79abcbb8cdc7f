/// The machine that serves CUDA's runtime to modules.
#pragma once

#include <upsweep/sim/engine.hpp>

#include <cstdint>
#include <source_location>

namespace upsweep::sim {

/// Null while there is no `runtime`.
[[nodiscard]] machine_engine* current_machine();

/// The number of the running launch, unique in the process.
[[nodiscard]] std::uint64_t current_launch();

/// The call that returns to `address`, in the form of a launch_shape's position.
[[nodiscard]] std::source_location location_of_call(std::uint64_t address);

/// The lanes of a warp that execute an instruction together. Waits until every other lane of the
/// warp waits for something, here or elsewhere, or has returned; and until those that it waited
/// with before have gone on. The mask of the lanes that wait at `pc` with the running one.
unsigned lanes_together(std::uint64_t pc);

}  // namespace upsweep::sim
