/// Runs the `main` of a module on the emulator, in a process of its own.
#pragma once

#include <upsweep/sim/options.hpp>
#include <upsweep/sim/report.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lab {

struct program_request {
  std::filesystem::path module;
  std::vector<std::string> arguments;  ///< argv, the name of the file first
  sim::options machine{};
  double seconds = 0;             ///< wall-clock limit; 0: none
  std::uint64_t memory = 0;       ///< limit of resident bytes; 0: none
  bool output_to_errors = false;  ///< its standard output goes to standard error
  /// Its output is kept in the outcome, and upsweep_check_say() in it makes notes; then it may
  /// write at most 16 MiB to a file.
  bool keeps_output = false;
};

/// A line that the program wrote by upsweep_check_say().
struct program_note {
  std::string text;
  std::size_t launches = 0;  ///< that had ended before
};

struct program_outcome {
  sim::report report;   ///< without trace, and without counts of blocks
  std::string failure;  ///< why the program did not end by itself, or not with status 0: a sentence
  bool stopped_by_limit = false;
  std::vector<program_note> notes;
  std::string printed;  ///< the first bytes
  int status = 0;       ///< exit status, or 128 + the signal that ended it
  double seconds = 0;

  [[nodiscard]] bool clean() const { return report.findings.empty() && failure.empty(); }
};

/// Whether this tool can load modules.
[[nodiscard]] bool can_run_programs();

/// Runs the program; what it launched until it crashed or was stopped is in the outcome. Throws
/// io_error if no process can be made, and data_error if the module cannot be loaded.
[[nodiscard]] program_outcome run_program(program_request const& asked);

}  // namespace upsweep::lab
