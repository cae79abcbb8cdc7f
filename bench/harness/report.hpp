/// A run as JSON: what was measured, of whom, on what machine, with which program.
#pragma once

#include <bench/baselines/competitors.hpp>
#include <bench/harness/clock.hpp>
#include <bench/harness/machine.hpp>
#include <bench/harness/measure.hpp>

#include <string>
#include <vector>

namespace upsweep::bench {

/// The format of the report, raised when a reader of older ones would misread it.
inline constexpr int report_format = 1;

struct run {
  std::string date;  ///< ISO 8601, UTC
  std::string command;
  machine where;
  build what;
  int threads = 1;
  std::vector<competitor> competitors;
  std::vector<absence> absent;
  std::vector<cell> cells;
};

/// The arguments of this process, joined by spaces, the program without its folder.
[[nodiscard]] std::string command_line();

/// The whole run as one JSON object, one line for each competitor at each cell:
///
///   {"format": 1, "date", "command", "machine": {...}, "build": {...}, "threads",
///    "competitors": [{"name", "title", "role"}], "absent": [{"name", "reason"}],
///    "cells": [{"verb", "op", "type", "in_place", "n", "cold", "traffic",          traffic: bytes
///                                                                                  that a call
///                                                                                  moves at least
///               "all": [{"name", "correct", "repeats", "seconds": [...]}]}]}        seconds: of
///                                                                                   one call, one
///                                                                                   for each round
///
/// The r-th values of all competitors of a cell come from the same round, so ratios are to be
/// formed round by round.
[[nodiscard]] std::string as_json(run const& r);

/// The machine and the build as JSON objects, indented.
[[nodiscard]] std::string as_json(machine const& m);
[[nodiscard]] std::string as_json(build const& b);

}  // namespace upsweep::bench
