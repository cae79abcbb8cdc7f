/// Accesses out of bounds, through a null pointer or misaligned, divisions by zero, and their
/// messages.
#pragma once

#include <upsweep/sim/findings.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

/// The running lane's access is out of bounds.
[[noreturn]] void out_of_bounds(findings& found, step_kind kind, memory const& m,
                                std::ptrdiff_t byte, layout type, position at);
[[noreturn]] void misaligned(findings& found, step_kind kind, memory const& m, std::ptrdiff_t byte,
                             layout type, position at);
/// An index is not in an array of the running lane's own.
[[noreturn]] void outside_own_array(findings& found, std::int64_t index, char const* array,
                                    std::uint32_t elements, position at);
/// The running lane divides by zero, and goes on.
void note_division(findings& found, position at);

}  // namespace upsweep::sim
