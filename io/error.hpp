/// The exceptions of the tool's input and output. Each has a message for the user and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace upsweep::io {

/// Their base class. `what()` is a complete sentence without the program's name: what, where, which
/// value, what to do.
class tool_error : public std::runtime_error {
 public:
  tool_error(int exit_code, std::string const& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// The request is invalid: an unknown column, an unknown dtype, mutually exclusive options.
class usage_error : public tool_error {
 public:
  explicit usage_error(std::string const& sentence) : tool_error(2, sentence) {}
};

/// The content of a file is invalid. The message has `file:line:column` or a byte offset.
class data_error : public tool_error {
 public:
  explicit data_error(std::string const& sentence) : tool_error(3, sentence) {}
};

/// A system call failed, memory ended, or the output file exists and may not be replaced.
class io_error : public tool_error {
 public:
  explicit io_error(std::string const& sentence) : tool_error(4, sentence) {}
};

/// What was requested by name is not available on this machine or in this build.
class unavailable_error : public tool_error {
 public:
  explicit unavailable_error(std::string const& sentence) : tool_error(5, sentence) {}
};

/// The reader of standard output has exited (`| head`). The tool ends without a message and with
/// the exit code that SIGPIPE would give.
class pipe_closed : public tool_error {
 public:
  pipe_closed() : tool_error(141, "The reader of standard output closed it.") {}
};

}  // namespace upsweep::io
