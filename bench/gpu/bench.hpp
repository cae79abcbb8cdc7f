/// One run of the benchmark: each configuration is filled, checked and measured.
#pragma once

#include <bench/gpu/measure.hpp>
#include <bench/gpu/report.hpp>
#include <string>
#include <vector>

namespace upsweep::gpu_bench {

struct run_options {
  selection what;
  settings how;
  double seconds = 1e9;  ///< no configuration is started after this
  std::string json;      ///< file that is written anew every few seconds; empty: none
};

/// Measures; prints a line for each configuration. Throws what prevents the rest from being
/// measured; `to` has what was found by then.
void run_all(std::vector<subject> const& subjects, run_options const& o, run& to);

}  // namespace upsweep::gpu_bench
