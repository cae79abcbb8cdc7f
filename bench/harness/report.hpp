/// A run as JSON: what was measured, of whom, on what machine, with which program.
#pragma once

#include <bench/harness/machine.hpp>
#include <bench/harness/measure.hpp>

#include <optional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// The format of the report, raised when a reader of older ones would misread it.
inline constexpr int report_format = 1;

/// A configuration that was planned and not measured, and why.
struct omission {
  configuration what;
  std::string reason;
};

struct run {
  std::string date;  ///< ISO 8601, UTC
  std::string command;
  machine where;
  std::optional<gpu_description> gpu;
  build what;
  int threads = 1;
  std::vector<competitor> competitors;
  std::vector<absence> absent;
  std::vector<omission> skipped;
  std::vector<cell> cells;
};

/// A run of this process that has begun now and has no cells yet. 0 threads are as many as there
/// are.
[[nodiscard]] run new_run(int threads);

/// The whole run as one JSON object, one line for each competitor at each cell:
///
///   {"format": 1, "date", "command", "machine": {...}, "build": {...}, "threads", "gpu": {...},
///    "competitors": [{"name", "title", "role"}], "absent": [{"name", "reason"}],
///    "skipped": [{"verb", "op", "type", "n", "reason"}],
///    "cells": [{"verb", "op", "type", "in_place", "n", "cold", "launch", "traffic",
///               "all": [{"name", "correct", "difference", "repeats", "seconds": [...]}]}]}
///
/// "traffic" is the bytes that a call moves at least, "seconds" the times of one call, one for each
/// round. "gpu", "launch", "difference" and "skipped" stand only where there is something to say.
/// The r-th values of all competitors of a cell come from the same round, so ratios are to be
/// formed round by round.
[[nodiscard]] std::string as_json(run const& r);

/// The machine and the build as JSON objects, indented.
[[nodiscard]] std::string as_json(machine const& m);
[[nodiscard]] std::string as_json(build const& b);

}  // namespace upsweep::bench
