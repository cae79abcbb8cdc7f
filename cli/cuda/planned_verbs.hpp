/// The verbs whose plans `upsweep bench verbs --on cuda --explain` prints, as calls that only make
/// plans: their arrays have addresses, but no memory.
#pragma once

#include <bench/harness/call.hpp>

#include <vector>

namespace upsweep::cli::gpu {

[[nodiscard]] std::vector<bench::verb_entries> planned_elements();  ///< selections, counts, sorts
[[nodiscard]] std::vector<bench::verb_entries> planned_parts();  ///< segments, windows, rows, ...

}  // namespace upsweep::cli::gpu
