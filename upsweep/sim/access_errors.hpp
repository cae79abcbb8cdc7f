/// Accesses out of bounds, through a null pointer or misaligned, and their messages.
#pragma once

#include <upsweep/sim/findings.hpp>

#include <cstddef>

namespace upsweep::sim {

/// The running lane's access is out of bounds.
[[noreturn]] void out_of_bounds(findings& found, step_kind kind, memory const& m,
                                std::ptrdiff_t byte, layout type, position at);
[[noreturn]] void misaligned(findings& found, step_kind kind, memory const& m, std::ptrdiff_t byte,
                             layout type, position at);

}  // namespace upsweep::sim
