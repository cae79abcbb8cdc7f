/// The figure of a run: a self-contained HTML file.
#pragma once

#include <string>

namespace upsweep::bench {

/// page.html with Chart.js and the report (as_json of a run) inserted.
[[nodiscard]] std::string figure(std::string const& report);

}  // namespace upsweep::bench
