/// What became of a program that ran on the emulator.
#pragma once

#include <upsweep/sim/report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::lab {

/// A buffer that a kernel could write, after the launch.
struct output_buffer {
  std::string name, type;
  std::vector<std::string> values;

  friend bool operator==(output_buffer const&, output_buffer const&) = default;
};

/// A line that the program wrote by upsweep_check_say().
struct program_note {
  std::string text;
  std::size_t launches = 0;  ///< that had ended before
};

struct program_outcome {
  sim::report report;                  ///< without counts of blocks
  std::vector<output_buffer> outputs;  ///< of a kernel called by name
  std::string failure;  ///< why the program did not end by itself, or not with status 0: a sentence
  bool stopped_by_limit = false;
  std::string running;  ///< if a limit stopped it in a launch: which thread was where
  std::vector<program_note> notes;
  std::string printed;  ///< its output, if that is kept
  int status = 0;       ///< exit status, or 128 + the signal that ended it
  double seconds = 0;

  [[nodiscard]] bool clean() const { return report.findings.empty() && failure.empty(); }
};

}  // namespace upsweep::lab
