/// The emulator's report as text.
#pragma once

#include <lab/estimate.hpp>
#include <upsweep/sim/report.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace upsweep::cli {

/// Prints one column per launch, and one for the total. `stem`: a kernel of the textbook, or empty;
/// other kernels have no operator whose applications are counted.
void print_counters(sim::report const& report, std::string_view stem);
/// Prints what was read and written of each buffer in all launches.
void print_buffers(sim::report const& report);
/// Prints each finding as a paragraph; `with_launches`: and in which of several launches it was.
void print_findings(sim::report const& report, bool with_launches = false);
/// Prints, for each kernel, the time that its launches would take on that GPU, what binds them, and
/// their occupancy.
void print_estimates(sim::report const& report, lab::gpu_limits const& gpu);
/// {"gpu", "occupancy", "occupancy_limit", "seconds", "bound", "issue", "shared", "memory",
/// "latency"}; without the last six if blocks of the launch wait for each other.
[[nodiscard]] nlohmann::ordered_json estimate_object(sim::launch_report const& launch,
                                                     lab::gpu_limits const& gpu);
/// Prints each source file that can be read, with counts and findings beside its lines.
void print_sources(sim::report const& report);

}  // namespace upsweep::cli
