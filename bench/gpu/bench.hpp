/// A run of upsweep_gpu_bench: fills, checks and measures each configuration.
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
  double seconds = 1e9;  ///< start no configuration after this time
  std::string json;      ///< report file, rewritten every few seconds; empty for none
};

/// Names, titles and roles of Upsweep, its peers and the limits, without their functions.
[[nodiscard]] std::vector<competitor> gpu_competitors();

/// Measures on the GPU that `to` describes and prints a line per cell. Throws if the rest cannot be
/// measured; `to` then has the results so far.
void run_all(std::vector<element_kind> const& kinds, gpu_bench_options const& o, run& to);

/// Writes the file atomically. Throws std::runtime_error.
void write_file(std::string const& path, std::string const& text);

}  // namespace upsweep::bench
