/// The figure of a run: one HTML file that needs nothing else, no network either.
#pragma once

#include <string>

namespace upsweep::bench {

/// page.html with Chart.js and the report (as_json of a run) inside.
[[nodiscard]] std::string figure(std::string const& report);

}  // namespace upsweep::bench
