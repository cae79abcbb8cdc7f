/// Findings in SARIF, the format in which editors and code reviews take the results of tools.
#pragma once

#include <upsweep/sim/report.hpp>

#include <nlohmann/json_fwd.hpp>

namespace upsweep::lab {

/// A SARIF 2.1.0 log of one run with a result for each finding; its rule is the kind of mistake.
/// The location of a race is its later access; the earlier one is a related location. Paths of
/// files are those of the report. Source:
/// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
[[nodiscard]] nlohmann::ordered_json sarif_of(sim::report const& report);

}  // namespace upsweep::lab
