/// The machine that serves CUDA's runtime to modules.
#pragma once

#include <upsweep/sim/engine.hpp>

#include <cstdint>

namespace upsweep::sim {

/// Null while there is no `runtime`.
[[nodiscard]] machine_engine* current_machine();

/// The number of the running launch, unique in the process.
[[nodiscard]] std::uint64_t current_launch();

}  // namespace upsweep::sim
