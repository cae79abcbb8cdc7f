/// Accesses that no memory allows, and what is said of them.
#pragma once

#include <upsweep/sim/findings.hpp>

namespace upsweep::sim {

/// The running lane has left the memory, or has gone through a null pointer.
[[noreturn]] void out_of_bounds(findings& found, step_kind kind, memory const* m,
                                std::ptrdiff_t byte, emulated::layout type, position at);
[[noreturn]] void misaligned(findings& found, step_kind kind, memory const& m, std::ptrdiff_t byte,
                             emulated::layout type, position at);

}  // namespace upsweep::sim
