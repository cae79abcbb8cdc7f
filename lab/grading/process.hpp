/// Runs a program to its end or to a limit, whatever the program does.
#pragma once

#include <csignal>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct process_limits {
  double seconds = 60;         ///< of wall-clock time; then the program and its children are killed
  std::size_t memory = 0;      ///< bytes of address space; 0 is no limit
  std::size_t file_bytes = 0;  ///< of each file that it writes; 0 is no limit
};

struct process_end {
  int status =
      0;  ///< exit status, or 128 + the signal that ended it; 127 if there is no such program
  bool timed_out = false;
  double seconds = 0;
};

/// Holds back SIGINT, SIGTERM and SIGHUP as long as it lives: a process that is run meanwhile is
/// ended by them and `interrupted` is thrown, so that temporary files go; then the signal ends the
/// tool as it would have.
class held_signals {
 public:
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;

 private:
  sigset_t before_;
};

class interrupted : public std::exception {
 public:
  [[nodiscard]] char const* what() const noexcept override { return "interrupted"; }
};

/// `words[0]`, looked up in PATH, with the other words as arguments, in `folder`. Everything it
/// prints goes to the file `log`, and its temporary files into the folder of that. Throws io_error
/// when the system has no process for us.
[[nodiscard]] process_end run_process(std::vector<std::string> const& words,
                                      std::string const& folder, std::string const& log,
                                      process_limits const& limits);

}  // namespace upsweep::lab::grading
