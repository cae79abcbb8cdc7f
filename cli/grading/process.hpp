/// Runs a program to its end or to a limit, whatever the program does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli::grading {

struct process_limits {
  double seconds = 60;         ///< of wall-clock time; then the program and its children are killed
  std::size_t memory = 0;      ///< bytes of address space; 0 is no limit
  std::size_t file_bytes = 0;  ///< of each file that it writes; 0 is no limit
};

struct process_end {
  int status = 0;  ///< exit status, or 128 + the signal that ended it; 127 if there is no such program
  bool timed_out = false;
  double seconds = 0;
};

/// `words[0]`, looked up in PATH, with the other words as arguments, in `folder`. Everything it prints goes to the file `log`.
/// Throws io_error when the system has no process for us.
[[nodiscard]] process_end run_process(std::vector<std::string> const& words, std::string const& folder, std::string const& log,
                                      process_limits const& limits);

}  // namespace upsweep::cli::grading
