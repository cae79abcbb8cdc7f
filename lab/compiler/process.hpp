/// Runs a program until it ends or exceeds a limit, whatever it does.
#pragma once

#include <csignal>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace upsweep::lab {

struct process_limits {
  double seconds = 60;  ///< wall-clock limit, after which the program and its children are killed
};

struct process_end {
  int status =
      0;  ///< exit status, or 128 + the signal that killed it; 127 if there is no such program
  bool timed_out = false;
  double seconds = 0;
};

/// Defers SIGINT, SIGTERM and SIGHUP during its lifetime: they kill a process that is running and
/// `interrupted` is thrown, so that temporary files are removed; then the signal ends the tool.
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

/// Runs `words[0]`, looked up in PATH, with the other words as arguments, in `folder`. Its output
/// goes to the file `log`, and its temporary files into the folder of that. Throws io_error if the
/// process cannot be created.
[[nodiscard]] process_end run_process(std::vector<std::string> const& words,
                                      std::string const& folder, std::string const& log,
                                      process_limits const& limits);

}  // namespace upsweep::lab
