/// Runs a program in CUDA C++ on the emulator.
#pragma once

#include <cli/lab_flags.hpp>

#include <string>
#include <vector>

namespace upsweep::cli {

inline constexpr char const* file_group = "CUDA files";

struct file_flags {
  std::vector<std::string> arguments;
  bool unchecked = false, source = false, force = false;
  std::string sarif;  ///< a file for the findings
  std::string compiler;
  std::vector<std::string> include_folders, definitions;
  double seconds = 0;
  std::uint64_t mebibytes = 0;
};

/// ARGUMENT..., --no-check, --source, --sarif, --force, --compiler, -I, -D, --time-limit,
/// --memory-limit.
void add_file_options(CLI::App& command, file_flags& flags);

/// Compiles and runs `file`, and prints its report. Returns the exit status: 1 after a finding or a
/// failure of the program.
[[nodiscard]] int run_file(std::string const& file, run_flags const& run, file_flags const& flags);

}  // namespace upsweep::cli
