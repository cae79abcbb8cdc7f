/// The lanes of a warp that execute an instruction together.
#pragma once

#include <cstdint>

namespace upsweep::sim {

/// Waits until every other lane of the warp waits for something, here or elsewhere, or has
/// returned; and until those that it waited with before have gone on. The mask of the lanes that
/// wait at `pc` with the running one.
unsigned lanes_together(std::uint64_t pc);

}  // namespace upsweep::sim
