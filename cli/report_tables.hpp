/// The emulator's report as text.
#pragma once

#include <upsweep/sim/report.hpp>

namespace upsweep::cli {

/// Prints one column per launch, and one for the total. Applications of an operator are left out
/// where the kernels have none to be counted.
void print_counters(sim::report const& report, bool has_operator = true);
/// Prints what was read and written of each buffer in all launches.
void print_buffers(sim::report const& report);
/// Prints each finding as a paragraph.
void print_findings(sim::report const& report);

}  // namespace upsweep::cli
