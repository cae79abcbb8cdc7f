/// A run as an object: what `upsweep run --json` writes, and what a page shows.
#pragma once

#include <lab/run.hpp>

#include <nlohmann/json_fwd.hpp>

namespace upsweep::lab {

/// The request and the verdict on the result, for either machine.
[[nodiscard]] nlohmann::ordered_json verdict_object(request const& asked, outcome const& out);

/// The same with schedule, findings and counters of a run on the emulator.
[[nodiscard]] nlohmann::ordered_json json_of(request const& asked, outcome const& out);

/// The findings, counters and launches of a program.
[[nodiscard]] nlohmann::ordered_json json_of(sim::report const& report);

}  // namespace upsweep::lab
