/// Runs a program in CUDA C++ on the emulator.
#pragma once

#include <cli/lab/program_flags.hpp>

#include <string>

namespace upsweep::cli {

struct file_flags {
  program_flags program;
  bool unchecked = false, source = false, force = false, every_launch = false;
  std::string sarif;  ///< a file for the findings
};

/// The options of a program, ARGUMENT..., --no-check, --every-launch, --source, --sarif,
/// --force.
void add_file_options(registry& tool, CLI::App& command, file_flags& flags);

/// Compiles and runs `file`, and prints its report. Returns the exit status: 1 after a finding or a
/// failure of the program.
[[nodiscard]] int run_file(std::string const& file, run_flags const& run, file_flags const& flags);

}  // namespace upsweep::cli
