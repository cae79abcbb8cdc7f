/// One run of upsweep_gpu_bench: each configuration is filled, checked and measured.
#pragma once

#include <bench/gpu/plan.hpp>
#include <bench/harness/measure.hpp>
#include <bench/harness/report.hpp>

#include <string>
#include <vector>

namespace upsweep::bench {

struct gpu_bench_options {
  gpu_selection what;
  settings how;
  double seconds = 1e9;  ///< no configuration is started after this
  std::string json;      ///< file that is written anew every few seconds; empty: none
};

/// Upsweep, its peers and the limits, without what they do.
[[nodiscard]] std::vector<competitor> gpu_competitors();

/// Measures on the GPU that `to` describes; prints a line for each cell. Throws what prevents the
/// rest from being measured; `to` has what was found by then.
void run_all(std::vector<element_kind> const& kinds, gpu_bench_options const& o, run& to);

/// Writes the file whole or not at all. Throws std::runtime_error with a sentence.
void write_file(std::string const& path, std::string const& text);

}  // namespace upsweep::bench
