/// The counters that a budget can limit, by name.
#pragma once

#include <upsweep/sim/report.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

[[nodiscard]] std::vector<std::string> const& counter_names();

/// Of all launches of a run, one after the other. `name` is one of counter_names().
/// What a counter counts, as a sentence.
[[nodiscard]] std::string about_counter(std::string const& name);
[[nodiscard]] std::uint64_t counted(std::string const& name,
                                    std::span<sim::launch_report const> launches);

}  // namespace upsweep::lab::grading
