/// What the command line's input and output throw: sentences for people, each with the exit code
/// that the process ends with.
#pragma once

#include <stdexcept>
#include <string>

namespace upsweep::io {

/// Base of all of them. `what()` is a whole sentence without the program's name: what, where, which
/// value, what to do.
class tool_error : public std::runtime_error {
 public:
  tool_error(int exit_code, std::string const& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// The request makes no sense: an unknown column, a dtype that is not one, options that exclude
/// each other.
class usage_error : public tool_error {
 public:
  explicit usage_error(std::string const& sentence) : tool_error(2, sentence) {}
};

/// A file's content is not what it should be; the sentence carries `file:line:column` or a byte
/// offset.
class data_error : public tool_error {
 public:
  explicit data_error(std::string const& sentence) : tool_error(3, sentence) {}
};

/// The system refused: no such file, no permission, disk full, the output exists and may not be
/// replaced.
class io_error : public tool_error {
 public:
  explicit io_error(std::string const& sentence) : tool_error(4, sentence) {}
};

/// What was asked for by name is not on this machine or not in this build.
class unavailable_error : public tool_error {
 public:
  explicit unavailable_error(std::string const& sentence) : tool_error(5, sentence) {}
};

/// The reader of our standard output went away (`| head`). Not worth a message: end with this exit
/// code, as SIGPIPE would.
class pipe_closed : public tool_error {
 public:
  pipe_closed() : tool_error(141, "The reader of standard output closed it.") {}
};

}  // namespace upsweep::io
