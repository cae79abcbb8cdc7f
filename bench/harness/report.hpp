/// A run as JSON: the measurements, the competitors, the machine and the build.
#pragma once

#include <bench/harness/machine.hpp>
#include <bench/harness/measure.hpp>

#include <optional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// The version of the report's format, incremented for incompatible changes.
inline constexpr int report_format = 1;

/// A configuration that was planned but not measured, and why.
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
  std::vector<cell> by_threads;  ///< of competitors with numbers of threads of their own
  std::vector<verb_cell> verbs;
};

/// A new run without cells, with the current date. 0 threads means all.
[[nodiscard]] run new_run(int threads);

/// The whole run as one JSON object, with one line per competitor and cell:
///
///   {"format": 1, "date", "command", "machine": {...}, "build": {...}, "threads", "gpu": {...},
///    "competitors": [{"name", "title", "role"}], "absent": [{"name", "reason"}],
///    "skipped": [{"verb", "op", "type", "n", "reason"}],
///    "cells": [{"verb", "op", "type", "in_place", "n", "cold", "launch", "traffic",
///               "all": [{"name", "correct", "difference", "repeats", "seconds": [...]}]}],
///    "by_threads": [cells whose "all" also have "threads"],
///    "verbs": [{"verb", "op", "type", "data", "n", "cold", "traffic", "all": [...]}]}
///
/// "traffic" is the minimum number of bytes that a call moves; "seconds" are the times of one call,
/// one per round. "gpu", "launch", "difference", "skipped", "by_threads" and "verbs" are present
/// only if they apply. The r-th values of all competitors of a cell come from the same round, so
/// ratios should be computed round by round.
[[nodiscard]] std::string as_json(run const& r);

/// The machine and the build as JSON objects, indented.
[[nodiscard]] std::string as_json(machine const& m);
[[nodiscard]] std::string as_json(build const& b);

}  // namespace upsweep::bench
